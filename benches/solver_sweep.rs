//! How far the solver reaches: the exact value of every position of a set of games, by the number of
//! empty cells, each with an empty table; or the board of 21 cells.
//!
//! Prints a line for each number of cells: positions; shares solved within 1.8 million nodes (about a second)
//! and in all; geometric mean and mean of the nodes; a checksum of the values.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use blackhole::games::files;
use blackhole::judge::likely::likely_score;
use blackhole::player::alpha::Target;
use blackhole::player::board::{Cell, Move};
use blackhole::player::limits::Limits;
use blackhole::player::params::Params;
use blackhole::player::position::Position;
use blackhole::player::search::{Assumed, Search};
use blackhole::player::solver::Solver;
use clap::Parser;

/// The nodes of about a second.
const SECOND: u64 = 1_800_000;

#[derive(Parser)]
struct Options {
    /// Numbers of empty cells
    #[arg(default_values_t = [15, 17, 18, 19])]
    cells: Vec<u32>,
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strong.jsonl"))]
    games: PathBuf,
    /// Seconds for a position; of --small for all targets together
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Solver nodes for a position
    #[arg(long, default_value_t = u64::MAX)]
    nodes: u64,
    /// Solve the empty board of 21 cells in free order instead
    #[arg(long)]
    small: bool,
    /// Megabytes of the table for --small
    #[arg(long, default_value_t = 512)]
    memory: usize,
    /// Targets for --small [default: all, from both ends]
    #[arg(long, allow_negative_numbers = true)]
    target: Vec<i32>,
    /// Red's first moves for --small [default: one of each set of symmetric moves]
    #[arg(long, value_parser = Move::parse)]
    first: Vec<Move>,
    #[arg(long, hide = true)]
    bench: bool,
}

/// Solve the empty board of 21 cells in free order as far as the limits allow.
fn small(options: &Options) {
    let mut solver = Solver::new(options.memory << 20);
    let start = Instant::now();
    let deadline = Some(start + Duration::from_secs_f64(options.seconds));
    // From the easy ends inwards.
    let inwards = (0..=20).rev().flat_map(|distance| [distance + 1, -distance]);
    let targets = if options.target.is_empty() { inwards.collect() } else { options.target.clone() };
    for alpha in targets {
        let before = solver.nodes();
        let limits = Limits { deadline, ..Limits::nodes(options.nodes) };
        let answer = first_move(&mut solver, Target::new(alpha), options, &limits);
        let (nodes, seconds) = (solver.nodes() - before, start.elapsed().as_secs_f64());
        println!("21 cells, {alpha} or more: {answer}, {nodes} nodes, {seconds:.1} s in all");
    }
}

/// Look for a first move of Red that secures a target. The tree search ranks the moves: the first get most
/// nodes, and all get more from round to round. Print each result at once.
fn first_move(solver: &mut Solver, target: Target, options: &Options, limits: &Limits) -> String {
    let mut moves = first_moves(target, options);
    let count = moves.len();
    let mut share = 16_000_000;
    let end = solver.nodes().saturating_add(limits.nodes);
    while !moves.is_empty() {
        let mut open = Vec::new();
        for (rank, (mv, after)) in moves.into_iter().enumerate() {
            let before = solver.nodes();
            let nodes = (share / (rank as u64 + 1)).min(end.saturating_sub(before));
            let answer = solver.reaches(&after, target, &Limits { nodes, ..*limits });
            println!("{mv}: {answer:?}, {} nodes", solver.nodes() - before);
            match answer {
                Some(true) => return format!("Red secures it with {mv}"),
                Some(false) => {}
                None => open.push((mv, after)),
            }
        }
        if !open.is_empty() && (limits.reached(0) || solver.nodes() >= end) {
            return format!("undecided with {} first moves left", open.len());
        }
        moves = open;
        share *= 4;
    }
    format!("Blue prevents it after each of {count} first moves")
}

/// Rank Red's first moves by the tree search: the named ones, or one of each set of symmetric moves (50 moves).
fn first_moves(target: Target, options: &Options) -> Vec<(Move, Position)> {
    let blocked: Vec<Cell> = Cell::all().filter(|cell| cell.place().iter().sum::<i32>() >= 6).collect();
    let start = Position::standard(&blocked).expect("21 cells");
    let is_asked = |mv: &Move| {
        let [u, v] = mv.cell.place();
        if options.first.is_empty() { u <= v && v <= 5 - u - v } else { options.first.contains(mv) }
    };
    let judged = start.legal_moves().filter(is_asked).map(|mv| {
        let mut after = start;
        after.try_play(mv).expect("a legal move");
        let mut search = Search::new(&after, &Params::default(), 1, 64 << 20);
        search.run(target, Assumed::Strong, &Limits::nodes(100_000));
        (search.red_value(target).unwrap_or(0.0), mv, after)
    });
    let mut ranked: Vec<_> = judged.collect();
    assert!(ranked.len() >= options.first.len(), "--first names moves of the board of 21 cells, each once");
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, mv, after)| (mv, after)).collect()
}

fn main() {
    let options = Options::parse();
    if options.small {
        return small(&options);
    }
    let games = files::read(&std::fs::read(&options.games).expect("a file")).expect("games");
    println!("cells positions  <1.8M  solved  geom. mean  mean nodes  sum");
    for &cells in &options.cells {
        let (mut count, mut quick, mut solved, mut nodes, mut logs, mut sum) = (0, 0, 0, 0, 0.0, 0);
        for position in games.iter().filter_map(|game| files::position_at(&game.record, cells)) {
            let mut solver = Solver::default();
            let deadline = Some(Instant::now() + Duration::from_secs_f64(options.seconds));
            let limits = Limits { deadline, ..Limits::nodes(options.nodes) };
            let exact = solver.value(&position, likely_score(&position), &limits).exact();
            let spent = solver.nodes();
            count += 1;
            nodes += spent;
            logs += (spent.max(1) as f64).ln();
            solved += u32::from(exact.is_some());
            quick += u32::from(exact.is_some() && spent < SECOND);
            sum += i64::from(exact.unwrap_or(0)) * count as i64;
        }
        let [quick, solved] = [quick, solved].map(|some| 100.0 * f64::from(some) / count as f64);
        let (geometric, mean) = ((logs / count as f64).exp(), nodes / count);
        println!("{cells:5} {count:9} {quick:5.1}% {solved:6.1}% {geometric:11.0} {mean:11}  {sum}");
    }
}
