//! The solver's reach: the exact value of every position of a set of games, by the number of
//! empty cells, each with an empty table.
//!
//! Prints a line for each number of cells: positions; shares solved within 1.8 million nodes (about a second)
//! and in all; geometric mean and mean of the nodes; a checksum of the values.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use blackhole::games::files::{self, RecordedGame};
use blackhole::judge::likely::likely_score;
use blackhole::player::limits::Limits;
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
    /// Seconds for a position
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Solver nodes for a position
    #[arg(long, default_value_t = u64::MAX)]
    nodes: u64,
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    let games = files::read(&std::fs::read(&options.games).expect("a file")).expect("games");
    println!("cells positions  <1.8M  solved  geom. mean  mean nodes  sum");
    for &cells in &options.cells {
        let (mut count, mut quick, mut solved, mut nodes, mut logs, mut sum) = (0, 0, 0, 0, 0.0, 0);
        let position = |game: &RecordedGame| {
            let plies = game.record.start().empty().len().saturating_sub(cells);
            *game.record.until(plies as usize).position()
        };
        for position in games.iter().map(position).filter(|position| position.empty().len() == cells) {
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
