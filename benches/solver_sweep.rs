//! How far the solver reaches: the exact value of every position of a set of games, by the number of empty
//! cells, each with an empty table. Prints one line a number: positions, shares solved within 0.1, 1 and 10
//! seconds, median time and median and mean nodes.
//!
//! ```text
//! cargo bench --bench solver_sweep -- [--games FILE] [--every N] [--seconds S] [--nodes N] [--moves]
//!                                     [--threads N] [--reserve] [CELLS]...
//! cargo bench --bench solver_sweep -- --classic [--seconds S] [--nodes N] [--memory MB] [--threads N]
//!                                     [--target SCORE]... [--save FILE] [--sitting S]
//! ```
//!
//! `--every` takes every N-th game; `--seconds` gives up a position after S seconds (10), `--nodes`
//! after N nodes; `--moves` asks for every optimal move as well; `--threads` work together (1);
//! `--reserve` turns the rule on that is not proved.
//!
//! `--classic` solves the empty classic board of 21 cells instead, target by target from both ends, or the targets named;
//! `--memory` is the size of each of its two tables (512); `--save` goes on with what an earlier run has proven, if
//! the file is there, and writes to it what is proven after every sitting of `--sitting` seconds (1800) and at
//! the end.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use blackhole::player::alpha::Target;
use blackhole::player::evaluation;
use blackhole::player::limits::Limits;
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::solver::Solver;
use blackhole::workshop::calibrate::games;

struct Options {
    games: String,
    every: usize,
    seconds: f64,
    nodes: u64,
    moves: bool,
    classic: bool,
    memory: usize,
    threads: usize,
    reserve: bool,
    targets: Vec<i32>,
    save: Option<PathBuf>,
    sitting: f64,
    cells: Vec<u32>,
}

fn options() -> Options {
    let mut options = Options {
        games: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strong.jsonl").to_string(),
        every: 1,
        seconds: 10.0,
        nodes: u64::MAX,
        moves: false,
        classic: false,
        memory: 512,
        threads: 1,
        reserve: false,
        targets: Vec::new(),
        save: None,
        sitting: 1800.0,
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
            "--threads" => options.threads = next().parse().expect("a number of threads"),
            "--target" => options.targets.push(next().parse().expect("a target")),
            "--save" => options.save = Some(next().into()),
            "--sitting" => options.sitting = next().parse().expect("seconds"),
            "--classic" => options.classic = true,
            "--moves" => options.moves = true,
            "--reserve" => options.reserve = true,
            cells => options.cells.push(cells.parse().expect("a number of empty cells")),
        }
    }
    if options.cells.is_empty() {
        options.cells = vec![15, 17, 18, 19];
    }
    options
}

/// Read the positions with `cells` empty cells.
fn positions(games: &[Record], every: usize, cells: u32) -> Vec<Position> {
    games.iter().step_by(every).filter_map(|game| Some(*games::cut(game, cells)?.position())).collect()
}

fn median<T: Copy + PartialOrd>(values: &mut [T]) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    values[values.len() / 2]
}

/// Solve the empty classic board of 21 cells as far as the limits allow.
fn classic(options: &Options) {
    let mut solver = Solver::with_shapes(options.memory << 20, options.memory << 20).threads(options.threads);
    if let Some(path) = options.save.as_ref().filter(|path| path.exists()) {
        let file = File::open(path).expect("the file to go on with");
        solver.load(&mut BufReader::new(file)).expect("written by an earlier run with the same --memory");
    }
    let keep = |solver: &Solver| options.save.iter().for_each(|path| save(solver, path));
    let start = Instant::now();
    let deadline = start + Duration::from_secs_f64(options.seconds);
    // From the easy ends inwards.
    let inwards = || (0..=20).rev().flat_map(|distance| [distance + 1, -distance]).collect();
    let targets = if options.targets.is_empty() { inwards() } else { options.targets.clone() };
    for alpha in targets {
        let before = solver.nodes();
        let reached = loop {
            let end = deadline.min(Instant::now() + Duration::from_secs_f64(options.sitting));
            let nodes = options.nodes.saturating_sub(solver.nodes() - before);
            let limits = Limits { deadline: Some(end), nodes };
            let reached = solver.securing_move(&Position::classic(), Target::new(alpha), &limits);
            let done = solver.nodes() - before;
            if reached.is_ok() || end == deadline || done >= options.nodes {
                break reached;
            }
            // A long run that is cut off from outside then loses one sitting.
            keep(&solver);
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("classic, {alpha} or more: undecided so far, {done} nodes, {seconds:.0} s in all");
        };
        let nodes = solver.nodes() - before;
        let answer = match reached {
            Ok(Some(mv)) => format!("Red secures it with {mv}"),
            Ok(None) => "Blue prevents it".to_string(),
            Err(_) => "undecided".to_string(),
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("classic, {alpha} or more: {answer}, {nodes} nodes, {seconds:.1} s in all");
        if reached.is_err() {
            break;
        }
    }
    keep(&solver);
}

/// Write what a solver knows in place of a file.
fn save(solver: &Solver, path: &Path) {
    // The old file stays until the new one is complete.
    let part = path.with_extension("part");
    let mut file = BufWriter::new(File::create(&part).expect("a file to write"));
    solver.save(&mut file).and_then(|()| file.flush()).expect("room for the file");
    std::fs::rename(&part, path).expect("the file's place");
}

fn main() {
    let options = options();
    if options.classic {
        return classic(&options);
    }
    let games = std::fs::read(&options.games).expect("the games");
    let games = games::parse(&games).expect("games, one JSON object a line");
    println!(
        "cells positions  <0.1s   <1s  <10s  solved  median ms  median nodes  geom. mean  mean nodes  sum"
    );
    for &cells in &options.cells {
        let positions = positions(&games, options.every, cells);
        let (mut times, mut nodes, mut sum) = (Vec::new(), Vec::new(), 0);
        let limit = Duration::from_secs_f64(options.seconds);
        // Emptied for every run, but its memory is the system's to hand out only once.
        let mut solver = Solver::default().threads(options.threads);
        solver.reserve_small_stones(options.reserve);
        for position in &positions {
            // The least of up to three runs, so that other programs on the machine count less.
            let (mut seconds, mut count, mut exact) = (f64::INFINITY, 0, None);
            for _ in 0..3 {
                solver.clear();
                let before = solver.nodes();
                let start = Instant::now();
                let guess = evaluation::likely_score(position);
                let limits = Limits { deadline: Some(start + limit), nodes: options.nodes };
                exact = if options.moves {
                    let solution = solver.solve(position, guess, &limits);
                    solution.bounds.exact().filter(|_| solution.complete)
                } else {
                    solver.value(position, guess, &limits).exact()
                };
                seconds = start.elapsed().as_secs_f64().min(seconds);
                count = solver.nodes() - before;
                if seconds > 0.05 {
                    break;
                }
            }
            times.push(if exact.is_some() { seconds } else { f64::INFINITY });
            nodes.push(count);
            sum += i64::from(exact.unwrap_or(0)) * (times.len() as i64);
        }
        let share = |limit: f64| {
            let solved = times.iter().filter(|&&time| time < limit).count();
            100.0 * solved as f64 / times.len() as f64
        };
        let shares = [0.1, 1.0, 10.0, f64::INFINITY].map(share);
        let mean = nodes.iter().sum::<u64>() / nodes.len() as u64;
        let logs: f64 = nodes.iter().map(|&nodes| (nodes.max(1) as f64).ln()).sum();
        let geometric = (logs / nodes.len() as f64).exp();
        println!(
            "{cells:5} {:9} {:5.0}% {:4.0}% {:4.0}% {:6.0}% {:10.2} {:13} {geometric:11.0} {mean:11}  {sum}",
            positions.len(),
            shares[0],
            shares[1],
            shares[2],
            shares[3],
            1e3 * median(&mut times),
            median(&mut nodes),
        );
    }
}
