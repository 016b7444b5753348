//! `blackhole think`: the move the bot would play in a recorded position, and why.

use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::options::{EngineOptions, engine, params};
use super::source::GameSource;
use super::{CommandResult, Failure, SUCCESS, json_line, plural, print};
use crate::player::agent::Reason;
use crate::player::board::Player;
use crate::player::engine::Thoughts;
use crate::player::engine::clock::{Plan, Share, plan};
use crate::player::limits::Limits;
use crate::player::opponent::Opponent;
use crate::player::position::{Position, Score};
use crate::player::search::Line;
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solver};
use crate::workshop::review::exact::line;

/// Print the move the bot would play at the end of a record, and why
#[derive(Args)]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    source: GameSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Thinking time for this move, in seconds, instead of a share of the game's
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, conflicts_with_all = ["time", "nodes"])]
    move_time: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print only the move
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

/// Print the choice. Without `--move-time` the time given is what the bot has left for the game.
pub(super) fn run(options: &ThinkOptions) -> CommandResult {
    let record = options.source.record()?;
    let position = record.position();
    if position.empty().len() < 2 {
        return Err(Failure::input("the game is over, expected a position with a move to play"));
    }
    let time = options.move_time.map_or(options.engine.time, |time| {
        let params = params(&options.engine);
        remaining_for(time, |left| plan(&params, position.empty().len(), left))
    });
    let mut engine = engine(&options.engine);
    let (start, replier) = (record.start(), position.to_move().opponent());
    engine.meet(Opponent::of_game(start, record.moves(), replier, &params(&options.engine)));
    let mut thoughts = engine.think(position, time);
    if !options.quiet {
        if thoughts.choice.reason == Reason::Forced {
            thoughts.solution = Some(Solver::default().solve(position, 0, &Limits::NONE));
        }
        thoughts = with_line(thoughts, position);
    }
    let answer = ThinkAnswer::of(&thoughts, position);
    print(&match (options.json, options.quiet) {
        (true, _) => json_line(&answer)?,
        (_, true) => format!("{}\n", answer.r#move),
        _ => text(&answer),
    })?;
    Ok(SUCCESS)
}

/// Return the time left for a game with which the engine plans so long for its next move.
fn remaining_for(time: Duration, plan: impl Fn(Duration) -> Plan) -> Duration {
    let planned = |left| match plan(left).solve_and_search() {
        Share::Time(planned) => planned,
        Share::Nodes(_) => Duration::ZERO,
    };
    let (mut less, mut more) = (Duration::ZERO, Duration::from_secs(1));
    for _ in 0..32 {
        more *= if planned(more) < time { 2 } else { 1 };
    }
    for _ in 0..40 {
        let middle = (less + more) / 2;
        *if planned(middle) < time { &mut less } else { &mut more } = middle;
    }
    more
}

/// Complete the expected line where no tree has one: by best play where the position is solved.
fn with_line(mut thoughts: Thoughts, position: &Position) -> Thoughts {
    let mv = thoughts.choice.mv;
    if thoughts.variation.first() != Some(&mv) {
        thoughts.variation = Line::from_iter([mv]);
        if let Some(solution) = &thoughts.solution
            && let Some(exact) = solution.bounds.exact()
        {
            let value = solution.optimal.contains(&mv).then_some(exact);
            let (after, limits) = (position.after::<Portable>(mv), Limits::nodes(LINE_NODES));
            thoughts.variation.extend(line(&mut Solver::default(), &after, value, &limits));
        }
    }
    thoughts
}

/// Round a share to what is worth reading.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// Name the winner of a proof; `None` without one.
fn proven(proof: Option<Player>) -> Option<String> {
    proof.map(|winner| winner.to_string())
}

/// The answer, as text and as JSON.
#[derive(Serialize)]
struct ThinkAnswer {
    r#move: String,
    reason: String,
    target: Option<Score>,
    /// The chance to reach the target, where there is one.
    value: Option<f64>,
    nodes: u64,
    seconds: f64,
    targets: Vec<TargetRow>,
    candidates: Vec<CandidateRow>,
    variation: Vec<String>,
    solved: Option<ProvenScore>,
    opponent: Option<TakenFor>,
}

/// What the opponent is taken for, and how likely it is that.
#[derive(Serialize)]
struct TakenFor {
    kind: String,
    chance: f64,
}

/// What is known of a target.
#[derive(Serialize)]
struct TargetRow {
    proven: Option<String>,
    target: Score,
    value: f64,
    visits: u32,
}

/// What is known of a move.
#[derive(Serialize)]
struct CandidateRow {
    amaf: Option<f64>,
    r#move: String,
    proven: Option<String>,
    value: Option<f64>,
    visits: u32,
}

/// The bounds of the final score under best play.
#[derive(Serialize)]
struct ProvenScore {
    lower: Score,
    upper: Score,
}

impl ThinkAnswer {
    fn of(thoughts: &Thoughts, position: &Position) -> ThinkAnswer {
        let choice = &thoughts.choice;
        let chance = choice.target.map(|_| rounded(choice.value));
        let targets = thoughts.targets.iter().map(|line| TargetRow {
            proven: proven(line.proof),
            target: line.target.alpha(),
            value: rounded(line.value),
            visits: line.visits,
        });
        let candidates = thoughts.candidates.iter().map(|candidate| CandidateRow {
            amaf: candidate.amaf.map(rounded),
            r#move: candidate.mv.to_string(),
            proven: proven(candidate.proof),
            value: Some(rounded(candidate.value)),
            visits: candidate.visits,
        });
        let mut candidates: Vec<CandidateRow> = candidates.collect();
        let bounds = thoughts.solution.as_ref().map(|solution| solution.bounds);
        if let (true, Some(solution)) = (candidates.is_empty(), &thoughts.solution) {
            // Solved: the optimal moves, the chosen one first.
            let optimal = solution.optimal.iter().filter(|&&mv| mv != choice.mv);
            candidates.extend([&choice.mv].into_iter().chain(optimal).map(|mv| {
                let proven = solution.optimal.contains(mv).then(|| position.to_move().to_string());
                let value = if proven.is_some() { Some(1.0) } else { chance };
                CandidateRow { amaf: None, r#move: mv.to_string(), proven, value, visits: 0 }
            }));
        }
        if candidates.first().is_none_or(|first| first.r#move != choice.mv.to_string()) {
            // A move that no tree knows, as the only one that keeps a sure target.
            let r#move = choice.mv.to_string();
            let row = CandidateRow { amaf: None, r#move, proven: None, value: chance, visits: 0 };
            candidates.insert(0, row);
        }
        ThinkAnswer {
            r#move: choice.mv.to_string(),
            reason: format!("{:?}", choice.reason).to_lowercase(),
            target: choice.target.map(|target| target.alpha()),
            value: chance,
            nodes: choice.nodes,
            seconds: choice.elapsed.as_secs_f64(),
            targets: targets.collect(),
            candidates,
            variation: thoughts.variation.iter().map(ToString::to_string).collect(),
            solved: bounds.map(|Bounds { lower, upper }| ProvenScore { lower, upper }),
            opponent: choice
                .opponent
                .map(|(kind, chance)| TakenFor { kind: kind.to_string(), chance: rounded(chance) }),
        }
    }
}

/// Solver nodes for each move of a line: about a second.
const LINE_NODES: u64 = 2_000_000;

/// How many candidate moves a person gets to see.
const SHOWN: usize = 12;

fn text(answer: &ThinkAnswer) -> String {
    let ThinkAnswer { r#move, reason, seconds, .. } = answer;
    let target = answer.target.map_or(String::new(), |target| format!(" for the target {target}"));
    let value = answer.value.map_or(String::new(), |value| format!("value {value:.3}, "));
    let nodes = plural(answer.nodes, "node");
    let mut text = format!("{move}\n{reason}{target}: {value}{nodes}, {seconds:.3} s\n");
    if let Some(ProvenScore { lower, upper }) = answer.solved {
        text += &format!("proven final score: {lower} to {upper}\n");
    }
    if let Some(TakenFor { kind, chance }) = &answer.opponent {
        text += &format!("the opponent {kind} ({chance:.2})\n");
    }
    let mark = |proven: &Option<String>| {
        proven.as_ref().map_or(String::new(), |winner| format!("  proven for {winner}"))
    };
    if !answer.targets.is_empty() {
        text += "\ntarget  value    visits\n";
    }
    for TargetRow { proven, target, value, visits } in &answer.targets {
        text += &format!("{target:>6}  {value:.3}  {visits:>8}{}\n", mark(proven));
    }
    let searched = answer.candidates.iter().any(|row| row.visits > 0);
    let optimal = answer.candidates.iter().filter(|row| row.proven.is_some());
    let optimal: Vec<&str> = optimal.map(|row| row.r#move.as_str()).collect();
    if searched {
        text += "\nmove     visits  value   AMAF\n";
    } else if !optimal.is_empty() {
        text += &format!("\noptimal {}\n", optimal.join(" "));
    }
    let shown = answer.candidates.iter().filter(|_| searched).take(SHOWN);
    for CandidateRow { amaf, r#move, proven, value, visits } in shown {
        let amaf = amaf.map_or("    -".to_owned(), |amaf| format!("{amaf:.3}"));
        let value = value.map_or("    -".to_owned(), |value| format!("{value:.3}"));
        text += &format!("{move:<6} {visits:>8}  {value}  {amaf}{}\n", mark(proven));
    }
    if !answer.variation.is_empty() {
        text += &format!("\nexpected {}\n", answer.variation.join(" "));
    }
    text
}
