//! The page's questions, and their answers as lines of JSON.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::options::{EngineOptions, engine};
use super::super::play::agent;
use super::super::think::{consider, consider_with, explain};
use super::super::{CommandResult, FAILURE, Failure, SUCCESS};
use crate::player::board::Move;
use crate::player::engine::Engine;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::Portable;
use crate::player::solver::Solver;
use crate::workshop::arena::journal::{JournalLine, sorted};
use crate::workshop::arena::report::Report;
use crate::workshop::arena::schedule::random_opening;
use crate::workshop::board::workers::{Client, RELAY_STACK};
use crate::workshop::estimate::{Estimate, estimate};
use crate::workshop::exact::{counted_bounds, principal_variation};
use crate::workshop::games::{self, RecordedGame};
use crate::workshop::hand::levels::{self, LEVELS};
use crate::workshop::hand::words::{hint, why};
use crate::workshop::lines::{Lines, parse};
use crate::workshop::page::{board, game_data, move_data, unjudged};
use crate::workshop::players::PLAYERS;
use crate::workshop::record::Record;
use crate::workshop::review::game::{ReviewSettings, Reviewer};
use crate::workshop::solving::{MoveRow, SolveAnswer, SolveEvent, SolveSession, solvers};

/// Up to this many empty cells a position is solved without a search.
const SOLVE_ALONE_CELLS: u32 = 17;
/// Seconds of the search and of the solver, in turn.
const TURNS: [[f64; 2]; 6] = [[0.3, 1.0], [1.0, 3.0], [3.0, 10.0], [10.0, 30.0], [30.0, 90.0], [60.0, 600.0]];
/// The time between two looks at a file that grows.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);
/// The most games read from one text.
const MAX_GAMES: usize = 1000;
/// The moves after which best play is told.
const MAX_LINES: usize = 5;
/// The solver's time for a position of a reviewed game.
const REVIEW_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
pub(super) struct BoardRequest {
    /// `read`, `follow`, `move`, `hint`, `analyse` or `review`.
    pub ask: String,
    /// A game or several, in any form.
    #[serde(default)]
    pub text: String,
    /// The tab that asks: a name of its own.
    #[serde(default)]
    pub tab: String,
    /// The games of the file that the page has.
    #[serde(default)]
    pub have: usize,
    /// The player that chooses the move: a level, or a built-in player with options; the engine without one.
    #[serde(default)]
    player: Option<String>,
    /// The seconds left to the player for the game.
    #[serde(default)]
    left: f64,
    /// The turns of search and solver already taken.
    #[serde(default)]
    turns: usize,
}

/// Make the page with some games, or without any with a new game to play; `follows` if their file may grow.
pub(super) fn page(
    mut games: Vec<RecordedGame>,
    follows: bool,
    options: &EngineOptions,
) -> Result<String, Failure> {
    let fresh = games.is_empty();
    if fresh {
        let cells = random_opening(RandomState::new().hash_one(0), 0).map(|cell| cell.to_string());
        games = games::read(cells.join(" ").as_bytes()).map_err(Failure::input)?;
        games[0].names = ["you", "expert"].map(str::to_owned);
    }
    let levels: Vec<&str> = LEVELS.iter().map(|level| level.0).collect();
    let players: Vec<&str> = PLAYERS.iter().map(|player| player.0).collect();
    let time = Some(options.time.as_secs_f64()).filter(|_| !options.by_nodes());
    let (games, more) = games.split_at(games.len().min(MAX_GAMES));
    Ok(board(
        games,
        more.len(),
        &json!({"time": time, "levels": levels, "players": players, "fresh": fresh, "follows": follows}),
    ))
}

/// Answer questions from standard input, a line each, until it ends; an empty line stops the answer at work.
pub(super) fn answer(options: &EngineOptions) -> CommandResult {
    let (asked, questions) = channel();
    let read = move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            // The next question comes after the last line of the answer before.
            STOP.store(line.is_empty(), Ordering::Relaxed);
            if !line.is_empty() && asked.send(line).is_err() {
                break;
            }
        }
        // Nobody listens any more.
        exit(SUCCESS.into());
    };
    thread::Builder::new().stack_size(RELAY_STACK).spawn(read)?;
    let mut options = options.stop_when_raised(&STOP);
    options.keep_trees = true;
    let mut process = PageProcess { options, solvers: solvers(true), analyses: Vec::new() };
    for line in questions {
        let answered = serde_json::from_str(&line).map_err(Failure::input);
        match answered.and_then(|question| process.answer(&question)) {
            Err(Failure::Input(why)) => tell(&json!({"error": why})),
            answered => answered?,
        }
        tell(&json!({"ended": "done"}));
    }
    Ok(SUCCESS)
}

/// Tell the page something; exit if it no longer listens.
fn tell(answer: &Value) {
    let line = answer.to_string() + "\n";
    if io::stdout().lock().write_all(line.as_bytes()).is_err() {
        exit(FAILURE.into());
    }
}

/// Read the games of a text, as a line of JSON.
pub(super) fn read(text: &str) -> Value {
    match games::read(text.as_bytes()) {
        Err(error) => json!({"error": error.to_string()}),
        Ok(games) => games_after(&games, 0),
    }
}

/// Return the data of the games after the first ones.
fn games_after(games: &[RecordedGame], first: usize) -> Value {
    let shown = (1..).zip(games).take(MAX_GAMES).skip(first);
    let shown: Vec<Value> = shown.map(|(number, game)| unjudged(number, game)).collect();
    json!({"games": shown, "left_out": games.len().saturating_sub(MAX_GAMES)})
}

/// Tell the new games of a file that grows, and the table of its match, until the client hangs up.
pub(super) fn follow(path: &Path, mut have: usize, client: &Client) -> io::Result<()> {
    let mut seen = None;
    loop {
        let now = path.metadata().map(|file| (file.len(), file.modified().ok())).ok();
        if now != seen
            && let Ok(bytes) = fs::read(path)
            && let Ok(games) = games::read(&bytes)
            && games.len() != have
        {
            let mut told = games_after(&games, if games.len() < have { 0 } else { have });
            let table = |lines: Lines<_>| Report::of(&sorted(lines.records).1, false).to_string();
            told["table"] = parse::<JournalLine>(&bytes).ok().map(table).into();
            have = games.len();
            client.send(format!("{told}\n").as_bytes())?;
        }
        seen = now;
        thread::sleep(FOLLOW_EVERY);
        // A blank, harmless before a line, finds out whether the client still listens.
        client.send(b" ")?;
    }
}

/// Raised to end the answer at work.
static STOP: AtomicBool = AtomicBool::new(false);

/// The positions whose trees are kept.
const MAX_ANALYSES: usize = 3;

/// The process of a page, with its findings from one question to the next.
struct PageProcess {
    options: EngineOptions,
    /// One solver for each core; their tables serve all positions.
    solvers: Vec<Solver>,
    /// The positions looked at last, each with the trees and proofs so far.
    analyses: Vec<(String, Engine, SolveSession)>,
}

impl PageProcess {
    fn answer(&mut self, request: &BoardRequest) -> Result<(), Failure> {
        let games = games::read(request.text.as_bytes()).map_err(Failure::input)?;
        let game = &games[0];
        let over = game.record.position().empty().len() < 2;
        match &*request.ask {
            "review" => review(game),
            "analyse" => self.analyse(&request.text, &game.record, request.turns),
            _ if over => {
                return Err(Failure::input("the game is over, expected a position with a move to play"));
            }
            "hint" => {
                let thoughts = consider(&game.record, &self.options, None);
                let why = hint(game.record.position(), &thoughts);
                tell(&json!({"hint": {"move": thoughts.choice.mv.to_string(), "why": why}}));
            }
            "move" => play(&game.record, request, &self.options)?,
            other => {
                return Err(Failure::input(format!(
                    "found {other:?}, expected read, follow, move, hint, analyse or review"
                )));
            }
        }
        Ok(())
    }

    /// Search and solve in turn, longer each time, until the scores after all moves are proven; skip the
    /// first `turns` turns, taken before, and go on with their trees and proofs.
    fn analyse(&mut self, text: &str, record: &Record, turns: usize) {
        let position = record.position();
        let options = &self.options;
        let old = self
            .analyses
            .iter()
            .position(|analysis| analysis.0 == text)
            .map(|place| self.analyses.remove(place));
        if self.analyses.len() >= MAX_ANALYSES {
            self.analyses.remove(0);
        }
        let begin = || (text.to_owned(), engine(options), SolveSession::new(*position));
        self.analyses.push(old.unwrap_or_else(begin));
        let (_, engine, session) = self.analyses.last_mut().expect("pushed");
        let mut think = |seconds| {
            let time = Some(Duration::from_secs_f64(seconds)).filter(|_| !options.by_nodes());
            if time.is_some() {
                tell(&json!({"doing": format!("searching for {seconds} s")}));
            }
            let answer = explain(consider_with(engine, record, options, time), position);
            tell(&json!({"think": answer, "why": answer.why()}));
        };
        if turns == 0 && position.empty().len() > SOLVE_ALONE_CELLS {
            // A first number at once.
            let Estimate { score, error, .. } = estimate(position, counted_bounds(position));
            tell(&json!({"estimate": score, "error": error}));
        }
        for (n, [search, solve]) in TURNS.into_iter().enumerate().skip(turns) {
            if position.empty().len() > SOLVE_ALONE_CELLS && (n == 0 || !options.by_nodes()) {
                think(search);
            }
            if STOP.load(Ordering::Relaxed) {
                break;
            }
            tell(&json!({"doing": format!("solving for {solve} s")}));
            let deadline = Instant::now() + Duration::from_secs_f64(solve);
            let limits = Limits { stop: Some(&STOP), ..Limits::until(deadline) };
            let answer = session.solve_within(&mut self.solvers, true, &limits, &mut |known| match known {
                SolveEvent::Bounds(bounds) => tell(&json!({"bounds": [bounds.lower, bounds.upper]})),
                SolveEvent::Score(answer) => tell(&json!({"solve": answer})),
                SolveEvent::Move(row) => tell(&json!({"moves": [row]})),
            });
            let lines = lines_of_play(&mut self.solvers[0], position, &answer, &limits);
            tell(&json!({"solve": answer, "lines": lines, "turns": n + 1}));
            if answer.complete || STOP.load(Ordering::Relaxed) {
                break;
            }
        }
    }
}

/// Return best play of both after the best moves of known score, each on another cell.
fn lines_of_play(
    solver: &mut Solver,
    position: &Position,
    answer: &SolveAnswer,
    limits: &Limits,
) -> Vec<Vec<String>> {
    let mut cells = BTreeSet::new();
    let line = |row: &MoveRow| {
        let (first, score) = (Move::parse(&row.r#move).ok()?, row.score?);
        if !cells.insert(first.cell) {
            return None;
        }
        let after = position.after::<Portable>(first);
        let line = principal_variation(solver, &after, Some(score), limits);
        Some([first].iter().chain(&line).map(Move::to_string).collect())
    };
    answer.moves.iter().flatten().filter_map(line).take(MAX_LINES).collect()
}

/// Choose a move within the player's time left.
fn play(record: &Record, request: &BoardRequest, options: &EngineOptions) -> Result<(), Failure> {
    let (begin, position) = (Instant::now(), record.position());
    let time = Duration::try_from_secs_f64(request.left).map_err(Failure::input)?;
    // Each move is chosen by a new engine: its seed differs from move to move.
    let options = options.for_ply(record.moves().len(), time);
    let player = request.player.as_deref().filter(|player| levels::player(player) != "blackhole");
    let (choice, exact) = match player {
        None => {
            let thoughts = consider(record, &options, None);
            (thoughts.choice, thoughts.solution.and_then(|solution| solution.bounds.exact()))
        }
        Some(_) => (agent(player, &options)?.choose(position, time), None),
    };
    let why = why(position, &choice, exact, "");
    let seconds = begin.elapsed().as_secs_f64();
    tell(&json!({"move": {"move": choice.mv.to_string(), "why": why, "seconds": seconds}}));
    Ok(())
}

/// Judge a game from its end backwards; tell each move when judged, then the whole game.
fn review(game: &RecordedGame) {
    let settings = ReviewSettings { limit: REVIEW_LIMIT, stop: Some(&STOP), ..ReviewSettings::default() };
    let review = Reviewer::new(settings).review(game, &mut |judged| {
        tell(&json!({"judged": {"ply": judged.ply, "known": move_data(judged)}}));
    });
    tell(&json!({"review": game_data(1, &review)}));
}
