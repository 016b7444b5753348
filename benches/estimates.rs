//! The judge's estimates against exact scores: their errors, true and stated, the points that recommended moves
//! give away, and the share of right marks, in games of any form that `review` reads:
//! `cargo bench --bench estimates -- GAMES…`.
//!
//! The solver goes backwards through each game, up to 24 empty cells and until it fails twice. Prints a line
//! for each number of empty cells: positions solved; those that the judge had to estimate; their mean error
//! and the mean of the errors stated; recommended moves that were solved, and the points that they give away on
//! average; marks by estimates, and those at moves that lose a point.

use std::collections::BTreeMap;
use std::path::PathBuf;

use blackhole::games::files;
use blackhole::judge::verdict::Effort;
use blackhole::player::board::Move;
use blackhole::player::limits::Limits;
use blackhole::player::position::{Position, Score};
use blackhole::player::simd::Portable;
use blackhole::player::solver::Solver;
use blackhole::review::game::{ReviewSettings, review};
use clap::Parser;

/// The empty cells up to which positions are solved, and from which they are judged.
const SOLVED_CELLS: u32 = 24;
const JUDGED_FROM: u32 = 17;
/// Positions in a row that may stay unsolved.
const MISSES: u32 = 2;

#[derive(Parser)]
struct Options {
    games: Vec<PathBuf>,
    /// Solver nodes for an exact value
    #[arg(long, default_value_t = 6_000_000)]
    nodes: u64,
    /// The judge's solver nodes; 0 keeps the solver out
    #[arg(long, default_value_t = Effort::DEFAULT.nodes)]
    judge_nodes: u64,
    #[arg(long, default_value_t = Effort::DEFAULT.iterations)]
    iterations: u64,
    #[arg(long, hide = true)]
    bench: bool,
}

/// The sums for a number of empty cells.
#[derive(Default)]
struct Figures {
    solved: u32,
    estimated: f64,
    off: f64,
    told: f64,
    recommended: f64,
    given_away: f64,
    marks: u32,
    right: u32,
}

fn main() {
    let options = Options::parse();
    let mut rows: BTreeMap<u32, Figures> = BTreeMap::new();
    let effort = Effort { nodes: options.judge_nodes, iterations: options.iterations };
    for file in &options.games {
        for game in files::read(&std::fs::read(file).expect("a file")).expect("games") {
            let mut positions = vec![*game.record.start()];
            for &mv in game.record.moves() {
                positions.push(positions[positions.len() - 1].after::<Portable>(mv));
            }
            let exact = solved(&positions, options.nodes);
            let review = review(&game, ReviewSettings { effort, ..ReviewSettings::default() }, &mut |_| {});
            for (judged, (ply, position)) in review.moves.iter().zip(positions.iter().enumerate()) {
                let cells = position.empty().len();
                let Some(value) = exact[ply].filter(|_| cells >= JUDGED_FROM) else { continue };
                let figures = rows.entry(cells).or_default();
                figures.solved += 1;
                if let (Some(estimate), Some(error)) = (judged.before.estimate, judged.before.error) {
                    figures.estimated += 1.0;
                    figures.off += (estimate - f64::from(value)).abs();
                    figures.told += error;
                    let best = Move::parse(&judged.before.moves[0].r#move).expect("a move");
                    let kept = Solver::default()
                        .value(&position.after::<Portable>(best), value, &Limits::nodes(options.nodes))
                        .exact();
                    if let Some(kept) = kept {
                        figures.recommended += 1.0;
                        figures.given_away += f64::from((value - kept) * position.to_move().sign());
                    }
                }
                if let (true, Some(next)) = (judged.mark.starts_with('~'), exact[ply + 1]) {
                    figures.marks += 1;
                    figures.right += u32::from(value != next);
                }
            }
        }
    }
    println!("cells solved estimated  error   told  recommended  given away  marks right");
    for (cells, it) in rows.iter().rev() {
        let mean =
            |sum: f64, count: f64| if count > 0.0 { format!("{:.2}", sum / count) } else { "-".into() };
        let [off, told] = [it.off, it.told].map(|sum| mean(sum, it.estimated));
        let away = mean(it.given_away, it.recommended);
        let Figures { solved, estimated, recommended, marks, right, .. } = it;
        println!(
            "{cells:5} {solved:6} {estimated:9} {off:>6} {told:>6} {recommended:12} {away:>11} {marks:6} {right:5}"
        );
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
