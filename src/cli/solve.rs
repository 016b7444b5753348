//! `blackhole solve`: the exact score of a recorded position and its optimal moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;

use super::output::animate;
use super::signals::stop_flag;
use super::source::PositionSource;
use super::{CommandResult, INTERRUPTED, SUCCESS, UNDECIDED, json_line, plural, print, say};
use crate::judge::answer::{Answer, MoveAnswer};
use crate::judge::solving::{SolveAnswer, SolveEvent, SolveSession, table_bytes};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::solver::{Bounds, Solver};
use crate::system::cores;

/// Print the exact score of a position, and the optimal moves
///
/// The result assumes best play by both; the score is the red stones minus the blue stones next to the hole.
/// "line" is best play by both from here on. Optimal moves dominated by a listed move are omitted. Ctrl-C
/// prints the bounds proven so far. All cores work on one table: 128 MB, from 21 cells on up to 1 GB, as far
/// as that is at most a sixteenth of the free memory.
#[derive(Args)]
#[command(after_help = "\
Keys of --json: empty (cells), to_move, score (null if not proven), bounds
(proven least and most), best (the optimal moves), line (best play from here
on), nodes, seconds, complete (whether every score asked for is proven); moves
(with --all-moves, as in `analyse --json`): move, score, bounds, estimate,
error, line (the last three null or empty).")]
pub(super) struct SolveOptions {
    #[command(flatten)]
    source: PositionSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Stop after this time, with exit code 3 and the bounds proven so far
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// Also print the score after every legal move, best first
    #[arg(long)]
    all_moves: bool,
}

/// Print the score; exit code 3 if the limit came first, 130 after Ctrl-C.
pub(super) fn run(options: &SolveOptions) -> CommandResult {
    let (record, _) = options.source.at_ply()?;
    let stop = stop_flag()?;
    let answer = solve(record.position(), options, stop);
    print(&if options.json { json_line(&answer)? } else { text(&answer) })?;
    Ok(if answer.complete {
        SUCCESS
    } else if stop.load(Ordering::Relaxed) {
        say("interrupted: only the bounds proven so far are printed");
        INTERRUPTED
    } else {
        UNDECIDED
    })
}

fn solve(position: &Position, options: &SolveOptions, stop: &'static AtomicBool) -> SolveAnswer {
    let deadline = options.limit.map(|limit| Instant::now() + limit);
    let limits = Limits { deadline, stop: Some(stop), ..Limits::NONE };
    // Shown only on a terminal.
    let spinner = ProgressBar::new_spinner();
    animate(&spinner, Duration::from_millis(200));
    let show = &mut |known: SolveEvent| {
        if let SolveEvent::Bounds(Bounds { lower, upper }) = known {
            spinner.set_message(Answer::result(None, [lower, upper]));
        }
    };
    let mut solvers = Solver::team(cores(), table_bytes(position));
    let answer = SolveSession::new(*position).solve_within(&mut solvers, options.all_moves, &limits, show);
    spinner.finish_and_clear();
    answer
}

fn text(SolveAnswer { answer, all_best, moves, .. }: &SolveAnswer) -> String {
    let Answer { score, bounds, best, line, nodes, seconds, .. } = answer;
    let mut text = format!("{}\n{}\n", answer.heading(), Answer::result(*score, *bounds));
    if !best.is_empty() {
        text += &format!("best {}{}\n", best.join(" "), if *all_best { "" } else { " and perhaps more" });
        text += &format!("line {}\n", line.join(" "));
    }
    for MoveAnswer { r#move, worth, .. } in moves.iter().flatten() {
        text += &format!("{move:<5} {}\n", Answer::result(worth.score, worth.bounds));
    }
    text + &format!("{}, {seconds:.3} s\n", plural(*nodes, "solver node"))
}
