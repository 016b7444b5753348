//! How far the solver reaches: the exact value of every position of a set of games, by the number
//! of empty cells, each with an empty table. Prints one line a number: positions; shares solved
//! within 0.1, 1 and 10 seconds and within 1.8 million nodes, which stand for a second where others
//! use the machine; median time; median, geometric mean and mean nodes; a sum that tells whether
//! the values are the same.
//!
//! ```text
//! cargo bench --bench solver_sweep -- [--games FILE] [--every N] [--seconds S] [--nodes N] [--moves] [CELLS]...
//! cargo bench --bench solver_sweep -- --small [--seconds S] [--nodes N] [--memory MB] [--target SCORE]... [--first MOVE]...
//! ```
//!
//! `--every` takes every N-th game; `--seconds` gives up a position after S seconds (10), `--nodes`
//! after N nodes; `--moves` asks for every optimal move as well.
//!
//! `--small` solves the empty board of 21 cells in free order instead, target by target from both
//! ends, or the targets named, within as many seconds for all together; `--memory` is the size of
//! its table (512). `--first` asks for one first move of Red alone.

use std::time::{Duration, Instant};

use blackhole::player::alpha::Target;
use blackhole::player::board::Move;
use blackhole::player::evaluation;
use blackhole::player::limits::Limits;
use blackhole::player::params::Params;
use blackhole::player::position::Position;
use blackhole::player::search::{Assumed, Search};
use blackhole::player::solver::Solver;
use blackhole::workshop::games::{self, RecordedGame};

/// Nodes that stand for a second.
const SECOND: u64 = 1_800_000;

struct Options {
    games: String,
    every: usize,
    seconds: f64,
    nodes: u64,
    moves: bool,
    small: bool,
    memory: usize,
    targets: Vec<i32>,
    first: Vec<Move>,
    cells: Vec<u32>,
}

fn options() -> Options {
    let mut options = Options {
        games: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strong.jsonl").to_string(),
        every: 1,
        seconds: 10.0,
        nodes: u64::MAX,
        moves: false,
        small: false,
        memory: 512,
        targets: Vec::new(),
        first: Vec::new(),
        cells: Vec::new(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut next = || args.next().expect("a value after the option");
        match arg.as_str() {
            "--bench" => {}
            "--games" => options.games = next(),
            "--every" => options.every = next().parse().expect("a number of games"),
            "--seconds" => options.seconds = next().parse().expect("seconds"),
            "--nodes" => options.nodes = next().parse().expect("a number of nodes"),
            "--memory" => options.memory = next().parse().expect("megabytes"),
            "--target" => options.targets.push(next().parse().expect("a target")),
            "--small" => options.small = true,
            "--first" => options.first.push(Move::parse(&next()).expect("a move")),
            "--moves" => options.moves = true,
            cells => options.cells.push(cells.parse().expect("a number of empty cells")),
        }
    }
    if options.cells.is_empty() {
        options.cells = vec![15, 17, 18, 19];
    }
    options
}

/// Solve the empty board of 21 cells in free order as far as the limits allow.
fn small(options: &Options) {
    let mut solver = Solver::new(options.memory << 20);
    let start = Instant::now();
    let deadline = Some(start + Duration::from_secs_f64(options.seconds));
    // From the easy ends inwards.
    let inwards = || (0..=20).rev().flat_map(|distance| [distance + 1, -distance]).collect();
    let targets = if options.targets.is_empty() { inwards() } else { options.targets.clone() };
    for alpha in targets {
        let before = solver.nodes();
        let limits = Limits { deadline, ..Limits::nodes(options.nodes) };
        let answer = first_move(&mut solver, Target::new(alpha), options, &limits);
        let (nodes, seconds) = (solver.nodes() - before, start.elapsed().as_secs_f64());
        println!("21 cells, {alpha} or more: {answer}, {nodes} nodes, {seconds:.1} s in all");
    }
}

/// Look for a first move of Red that secures a target. The moves that the tree search likes get the
/// most nodes; each gets more from round to round, and what is proven of it is printed at once.
fn first_move(solver: &mut Solver, target: Target, options: &Options, limits: &Limits) -> String {
    let mut moves = first_moves(target, options);
    let count = moves.len();
    let mut budget = 16_000_000;
    let end = solver.nodes().saturating_add(limits.nodes);
    while !moves.is_empty() {
        let mut open = Vec::new();
        for (rank, (mv, after)) in moves.into_iter().enumerate() {
            let before = solver.nodes();
            let nodes = (budget / (rank as u64 + 1)).min(end.saturating_sub(before));
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
        budget *= 4;
    }
    format!("Blue prevents it after each of {count} first moves")
}

/// Rank Red's first moves, or those named, by the tree search. Of all, those on one of the cells
/// that a symmetry of the triangle exchanges are enough: 50.
fn first_moves(target: Target, options: &Options) -> Vec<(Move, Position)> {
    let start = Position::small();
    let mut ranked = Vec::new();
    for mv in start.legal_moves() {
        let [u, v] = mv.cell.place();
        let all = options.first.is_empty();
        if all && u <= v && v <= 5 - u - v || options.first.contains(&mv) {
            let mut after = start;
            after.try_play(mv).expect("a legal move");
            let mut search = Search::new(&after, &Params::default(), 1, 64 << 20);
            search.run(target, Assumed::Best, &Limits::nodes(100_000));
            ranked.push((search.red_value(target).unwrap_or(0.0), mv, after));
        }
    }
    assert!(ranked.len() >= options.first.len(), "--first names moves of the board of 21 cells, each once");
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, mv, after)| (mv, after)).collect()
}

/// Read the positions with `cells` empty cells.
fn positions(games: &[RecordedGame], every: usize, cells: u32) -> Vec<Position> {
    games.iter().step_by(every).filter_map(|game| games::position_at(&game.record, cells)).collect()
}

fn median<T: Copy + PartialOrd>(values: &[T]) -> T {
    let mut values = values.to_vec();
    values.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    values[values.len() / 2]
}

fn main() {
    let options = options();
    if options.small {
        return small(&options);
    }
    let games = std::fs::read(&options.games).expect("the games");
    let games = games::read(&games).expect("games, one JSON object a line");
    println!(
        "cells positions  <0.1s   <1s  <10s  <1.8M  solved  median ms  median nodes  geom. mean  mean nodes  sum"
    );
    for &cells in &options.cells {
        let (mut times, mut nodes, mut sum) = (Vec::new(), Vec::new(), 0);
        // Emptied for every position.
        let mut solver = Solver::default();
        for position in positions(&games, options.every, cells) {
            solver.clear();
            let (before, start) = (solver.nodes(), Instant::now());
            let guess = evaluation::likely_score(&position);
            let deadline = Some(start + Duration::from_secs_f64(options.seconds));
            let limits = Limits { deadline, ..Limits::nodes(options.nodes) };
            let exact = if options.moves {
                let solution = solver.solve(&position, guess, &limits);
                solution.bounds.exact().filter(|_| solution.complete)
            } else {
                solver.value(&position, guess, &limits).exact()
            };
            times.push(if exact.is_some() { start.elapsed().as_secs_f64() } else { f64::INFINITY });
            nodes.push(solver.nodes() - before);
            sum += i64::from(exact.unwrap_or(0)) * (times.len() as i64);
        }
        let number = times.len() as f64;
        let percent = |count: usize| 100.0 * count as f64 / number;
        let share = |limit: f64| percent(times.iter().filter(|&&time| time < limit).count());
        let solved = times.iter().zip(&nodes).filter(|&(time, &nodes)| time.is_finite() && nodes < SECOND);
        let mean = nodes.iter().sum::<u64>() / nodes.len() as u64;
        let logs: f64 = nodes.iter().map(|&nodes| (nodes.max(1) as f64).ln()).sum();
        let geometric = (logs / number).exp();
        println!(
            "{cells:5} {:9} {:5.1}% {:4.1}% {:4.1}% {:5.1}% {:6.1}% {:10.2} {:13} {geometric:11.0} {mean:11}  {sum}",
            times.len(),
            share(0.1),
            share(1.0),
            share(10.0),
            percent(solved.count()),
            share(f64::INFINITY),
            1e3 * median(&times),
            median(&nodes),
        );
    }
}
