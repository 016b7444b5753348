//! How near estimates come to exact scores, and how often the mark of an estimated loss is right, in games of
//! any form that `review` reads: `cargo bench --bench estimates -- GAMES…`.
//!
//! The solver goes backwards through each game, up to 24 empty cells and until it fails twice. Prints a line for
//! each number of empty cells: positions solved; the mean error of their estimates; the mean error and the
//! mean signed error of all estimates against the value of the game's first solved position; moves whose loss
//! is known, the mean error of the estimated loss; marks by estimates, and those at moves that lose a point.

use std::collections::BTreeMap;
use std::path::PathBuf;

use blackhole::games::files;
use blackhole::judge::estimate::{Estimate, estimate, tenth};
use blackhole::player::limits::Limits;
use blackhole::player::position::{Position, Score};
use blackhole::player::simd::Portable;
use blackhole::player::solver::{Bounds, Solver};
use blackhole::review::judged::estimated_mark;
use clap::Parser;

/// The empty cells up to which positions are solved, and from which they are estimated.
const SOLVED_CELLS: u32 = 24;
const ESTIMATED_FROM: u32 = 17;
/// Positions in a row that may stay unsolved.
const MISSES: u32 = 2;

#[derive(Parser)]
struct Options {
    games: Vec<PathBuf>,
    /// Solver nodes for a position
    #[arg(long, default_value_t = 6_000_000)]
    nodes: u64,
    #[arg(long, hide = true)]
    bench: bool,
}

/// The sums for a number of empty cells.
#[derive(Default)]
struct Figures {
    solved: f64,
    off: f64,
    all: f64,
    off_first: f64,
    signed: f64,
    moves: f64,
    off_loss: f64,
    marks: u32,
    right: u32,
}

fn main() {
    let options = Options::parse();
    let mut rows: BTreeMap<u32, Figures> = BTreeMap::new();
    for file in &options.games {
        for game in files::read(&std::fs::read(file).expect("a file")).expect("games") {
            let mut positions = vec![*game.record.start()];
            for &mv in game.record.moves() {
                positions.push(positions[positions.len() - 1].after::<Portable>(mv));
            }
            add_game(&mut rows, &positions, options.nodes);
        }
    }
    println!("cells solved  error    all  error signed  moves  error  marks right");
    for (cells, it) in rows.iter().rev() {
        let mean =
            |sum: f64, count: f64| if count > 0.0 { format!("{:.2}", sum / count) } else { "-".into() };
        let (off, loss) = (mean(it.off, it.solved), mean(it.off_loss, it.moves));
        let (first, signed) = (mean(it.off_first, it.all), mean(it.signed, it.all));
        let (Figures { solved, all, moves, marks, right, .. }, cells) = (it, cells);
        print!("{cells:5} {solved:6} {off:>6} {all:6} {first:>6} {signed:>6}");
        println!(" {moves:6} {loss:>6} {marks:6} {right:5}");
    }
}

/// Add the positions of a game.
fn add_game(rows: &mut BTreeMap<u32, Figures>, positions: &[Position], nodes: u64) {
    let exact = solved(positions, nodes);
    let first = exact.iter().flatten().next().copied();
    let estimates: Vec<Option<Estimate>> = positions
        .iter()
        .map(|it| (it.empty().len() >= ESTIMATED_FROM).then(|| estimate(it, Bounds::UNKNOWN)))
        .collect();
    for (ply, position) in positions.iter().enumerate() {
        let (Some(found), Some(first)) = (&estimates[ply], first) else { continue };
        let figures = rows.entry(position.empty().len()).or_default();
        if let Some(exact) = exact[ply] {
            figures.solved += 1.0;
            figures.off += (found.score - f64::from(exact)).abs();
        }
        let signed = found.score - f64::from(exact[ply].unwrap_or(first));
        figures.all += 1.0;
        figures.off_first += signed.abs();
        figures.signed += signed;
        let known = exact[ply].zip(exact.get(ply + 1).copied().flatten());
        if let (Some((before, after)), Some(Some(next))) = (known, estimates.get(ply + 1)) {
            let sign = position.to_move().sign();
            let loss = sign * (before - after);
            let estimated = tenth((f64::from(sign) * (found.score - next.score)).max(0.0));
            let is_marked = !estimated_mark(estimated, found.doubt + next.doubt).is_empty();
            figures.moves += 1.0;
            figures.off_loss += (estimated - f64::from(loss)).abs();
            figures.marks += u32::from(is_marked);
            figures.right += u32::from(is_marked && loss > 0);
        }
    }
}

/// Solve positions of a game from its end on, as far as the nodes for each allow.
fn solved(positions: &[Position], nodes: u64) -> Vec<Option<Score>> {
    let mut solver = Solver::default();
    let (mut exact, mut guess, mut misses) = (vec![None; positions.len()], 0, 0);
    for (ply, position) in positions.iter().enumerate().rev() {
        if position.empty().len() > SOLVED_CELLS || misses == MISSES {
            break;
        }
        exact[ply] = solver.value(position, guess, &Limits::nodes(nodes)).exact();
        misses = if exact[ply].is_some() { 0 } else { misses + 1 };
        guess = exact[ply].unwrap_or(guess);
    }
    exact
}
