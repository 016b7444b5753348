//! The judge's errors at the known values of tests/data/exact.jsonl (25 and 26 empty cells), and the points that
//! its moves and the player's give away there: `cargo bench --bench exact_values`. It takes hours: the positions
//! after these moves are solved, too. With `--judge` only the judge's errors are found, in seconds.
//!
//! The file has the easy ones of 78 positions of 25 cells and some 60 of 26: those that 20 to 40 million nodes solved,
//! or up to 500 million where these had proven one bound. The random ones but the first are of 4,000 games those where
//! fewest empty cells touch: 900 million nodes solved seven of eight. Its key `nodes` tells the work.
//!
//! Prints a line for each source and number of cells: positions; the judge's mean error, and the mean it states; the
//! points that its moves give away on average, and those of the player with 5 s for the rest of the game.

use std::collections::BTreeMap;
use std::time::Duration;

use blackhole::choice::consider;
use blackhole::games::files;
use blackhole::judge::verdict::{Effort, Judge};
use blackhole::player::board::Move;
use blackhole::player::engine::{Engine, Options as EngineOptions};
use blackhole::player::limits::Limits;
use blackhole::player::position::{Position, Score};
use blackhole::player::simd::Portable;
use blackhole::player::solver::Solver;
use blackhole::system::memory::prefer_large_pages;
use clap::Parser;
use serde_json::Value;

#[derive(Parser)]
struct Options {
    /// The judge's errors only
    #[arg(long)]
    judge: bool,
    /// Only positions that were solved within this many nodes
    #[arg(long, default_value_t = u64::MAX)]
    nodes: u64,
    /// Seeds of the player at each position
    #[arg(long, default_value_t = 16)]
    seeds: u64,
    /// Megabytes of the solver's table
    #[arg(long, default_value_t = 4096)]
    memory: usize,
    #[arg(long, hide = true)]
    bench: bool,
}

/// The sums over some positions.
#[derive(Default)]
struct Sums {
    positions: f64,
    off: f64,
    told: f64,
    by_judge: f64,
    by_player: f64,
}

fn main() {
    let options = Options::parse();
    let lines = include_str!("../tests/data/exact.jsonl");
    let mut rows: BTreeMap<(u32, String), Sums> = BTreeMap::new();
    for line in lines.lines() {
        let known: Value = serde_json::from_str(line).expect("an object");
        if known["nodes"].as_u64() > Some(options.nodes) {
            continue;
        }
        let value = known["value"].as_i64().expect("a value") as Score;
        let record = &files::read(line.as_bytes()).expect("a game")[0].record;
        let position = record.position();
        let verdict = Judge::new(None).judge(position, Effort::DEFAULT, None);
        let key = (position.empty().len(), known["source"].to_string());
        let sums = rows.entry(key).or_default();
        sums.positions += 1.0;
        sums.off += (verdict.worth.value().expect("an estimate") - f64::from(value)).abs();
        sums.told += verdict.worth.error.unwrap_or(0.0);
        if !options.judge {
            let mut solver = Solver::new(options.memory << 20);
            prefer_large_pages(solver.table());
            let bounds = solver.value(position, value, &Limits::NONE);
            assert_eq!(bounds.exact(), Some(value), "{line}");
            let mut given_away = |mv| given_away(&mut solver, position, value, mv);
            sums.by_judge += given_away(verdict.best().expect("a move").mv);
            for seed in 1..=options.seeds {
                let mut engine = Engine::new(EngineOptions { seed, ..EngineOptions::default() });
                let mv = consider(&mut engine, record, Duration::from_secs(5)).choice.mv;
                sums.by_player += given_away(mv) / options.seeds as f64;
            }
        }
    }
    println!("cells source   positions error  told  judge's move  player's");
    for ((cells, source), it) in rows {
        let [off, told, judge, player] =
            [it.off, it.told, it.by_judge, it.by_player].map(|sum| sum / it.positions);
        let positions = it.positions;
        println!("{cells:5} {source:8} {positions:9} {off:5.2} {told:5.2} {judge:13.2} {player:9.2}");
    }
}

/// Return the points that a move in a position of this value gives away.
fn given_away(solver: &mut Solver, position: &Position, value: Score, mv: Move) -> f64 {
    let kept = solver.value(&position.after::<Portable>(mv), value, &Limits::NONE).exact().expect("no limit");
    f64::from((value - kept) * position.to_move().sign())
}
