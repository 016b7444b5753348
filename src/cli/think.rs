//! `blackhole think`: the bot's move in a recorded position, and the reason.

use std::time::Duration;

use super::options::EngineOptions;
use super::source::PositionSource;
use super::{CommandResult, SUCCESS, json_line, print, unfit};
use crate::choice::{CandidateRow, KindRow, REASONS, Stake, TargetRow, ThinkAnswer, consider, stake};
use crate::judge::answer::Answer;
use crate::judge::worth::UNKNOWN;
use crate::player::agent::Reason;
use crate::player::engine::Engine;
use crate::player::engine::clock::remaining_for;
use crate::text::{about_points, titled_table, wrapped};
use clap::Args;

/// Print the bot's own choice of a move in a game, and the reason
#[derive(Args)]
#[command(after_help = format!("\
Scores are red minus blue; chances are those of the player to move. The words:
{}\
target: a score: Red aims at it or more, Blue at less
chance: 0 to 1, the mover's, to reach the target: by this move (if tried often), or by any
visits: the times the search tried it; only the last targets and the best moves are listed
ahead: the chance of the chosen move to reach the next harder target, if it decided
risks: the points that exploiting may lose, by blackhole analyse
secures: the score it is proven to reach, or better
expected: the mean score expected against this opponent
line: the moves of both that it expects
nodes: iterations of the search and positions judged by the solver
time: the seconds of the move, in the notes of play
left: the seconds left for the game, in the notes of play
opponent: its likeliest kind by its replies, and the chance of that kind

Keys of --json: move, reason, target, chance (by this move); empty, to_move,
score, bounds, best, line (the expected moves of both), nodes, seconds (as in
`solve --json`); targets (the columns above): target, chance, visits;
candidates: move, visits, chance, ahead, secures, expected, line (of at most
five); opponent (the likeliest kind, null before its first reply): kind, chance;
stakes (null unless exploiting): points, proven, best (analyse's move).",
    REASONS.map(|(reason, meaning)| format!("{reason}: {meaning}\n")).concat()))]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    source: PositionSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Thinking time for this move alone, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, conflicts_with_all = ["time", "nodes"])]
    move_time: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Print the choice. Without `--move-time`, `--time` is the bot's time for the rest of the game.
pub(super) fn run(options: &ThinkOptions) -> CommandResult {
    let (record, _) = options.source.at_ply()?;
    let (position, settings) = (record.position(), options.engine.options());
    if position.empty().len() < 2 {
        return Err(unfit("the game is over, expected a position with a move to play"));
    }
    let for_game = |time| remaining_for(&settings.params, position.empty().len(), time);
    let time = options.move_time.map_or(options.engine.time, for_game);
    let thoughts = &consider(&mut Engine::new(settings), &record, time);
    let mut answer = ThinkAnswer::of(thoughts, position);
    if thoughts.choice.reason == Reason::Exploiting {
        answer.stakes = stake(position, thoughts.choice.mv);
    }
    print(&if options.json { json_line(&answer)? } else { text(&answer) }).map(|()| SUCCESS)
}

fn text(answer: &ThinkAnswer) -> String {
    let ThinkAnswer { r#move, reason, .. } = answer;
    let Answer { score, bounds, line, nodes, seconds, .. } = &answer.answer;
    let target = answer.target.map_or(String::new(), |target| format!(" for the target {target}"));
    let mut text = format!("{move}\n{reason}{target}: {nodes} nodes, {seconds:.3} s\n");
    if *bounds != UNKNOWN {
        text += &format!("proven: {}\n", Answer::result(*score, *bounds));
    }
    if let Some(Stake { points, proven, best }) = &answer.stakes {
        let stakes = format!("{}{}", if *proven { "" } else { "about " }, about_points(*points));
        text += &match *points > 0.0 {
            true => format!("risks {stakes}: analyse prefers {best}\n"),
            false => "risks nothing by analyse\n".to_owned(),
        };
        if let Some(KindRow { kind, chance }) = &answer.opponent {
            text += &format!("this opponent {kind} (chance {chance:.2})\n");
        }
    }
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let targets = answer.targets.iter().map(|TargetRow { target, chance, visits }| {
        [target.to_string(), number(Some(*chance)), visits.to_string()]
    });
    text += &titled_table(">>>", ["target", "chance", "visits"], targets);
    let shows_ahead = *reason == Reason::Ahead.to_string();
    let moves = answer.candidates.iter().take(12).map(|row| {
        let CandidateRow { r#move, visits, chance, ahead, secures, expected, .. } = row;
        let secures = secures.map_or(String::new(), |score| score.to_string());
        let [chance, ahead, expected] = [*chance, ahead.filter(|_| shows_ahead), *expected].map(number);
        let visits = if *visits > 0 { visits.to_string() } else { String::new() };
        [r#move.clone(), visits, chance, ahead, secures, expected]
    });
    text += &titled_table(">>>>>>", ["move", "visits", "chance", "ahead", "secures", "expected"], moves);
    format!("{text}\n{}\nthe words: blackhole think --help\n", wrapped(&format!("line {}", line.join(" "))))
}
