//! The page's questions, and their answers as lines of JSON.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::process::exit;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::options::EngineOptions;
use super::super::play::agent;
use super::super::solve::{SolveEvent, SolveSession};
use super::super::think::{consider, explain};
use super::super::{CommandResult, FAILURE, Failure, SUCCESS};
use crate::player::limits::Limits;
use crate::workshop::arena::schedule::random_opening;
use crate::workshop::board::workers::RequestKind;
use crate::workshop::games::{self, RecordedGame};
use crate::workshop::hand::levels::{self, LEVELS};
use crate::workshop::hand::words::{hint, why};
use crate::workshop::page::{board, game_data, move_data, unjudged};
use crate::workshop::players::PLAYERS;
use crate::workshop::record::Record;
use crate::workshop::review::game::{ESTIMATE_ITERATIONS, ReviewSettings, Reviewer};

/// Up to this many empty cells a position is solved without a search.
const SOLVE_ALONE_CELLS: u32 = 17;
/// Seconds of the search and of the solver, in turn.
const TURNS: [[f64; 2]; 6] = [[0.3, 1.0], [1.0, 3.0], [3.0, 10.0], [10.0, 30.0], [30.0, 90.0], [60.0, 600.0]];
/// The most games read from one text.
const MAX_GAMES: usize = 1000;
/// The solver's time for a position of a reviewed game.
const REVIEW_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct BoardRequest {
    /// `read`, `move`, `hint`, `analyse` or `review`.
    ask: String,
    /// A game or several, in any form.
    text: String,
    /// Who is to move.
    #[serde(default)]
    player: Option<String>,
    /// The seconds left to the player for the game.
    #[serde(default)]
    left: f64,
    /// The turns of search and solver already taken.
    #[serde(default)]
    turns: usize,
}

/// Make the page with some games, or without any with a new game to play.
pub(super) fn page(mut games: Vec<RecordedGame>, options: &EngineOptions) -> Result<String, Failure> {
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
    Ok(board(games, more.len(), &json!({"time": time, "levels": levels, "players": players, "fresh": fresh})))
}

/// Tell the kind of a question; its errors are for the process that answers it.
pub(super) fn request_kind(question: &[u8]) -> RequestKind {
    let is_read = serde_json::from_slice(question).is_ok_and(|asked: Value| asked["ask"] == "read");
    if is_read { RequestKind::Read } else { RequestKind::Engine }
}

pub(super) fn answer(options: &EngineOptions) -> CommandResult {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let answered = serde_json::from_slice(&bytes)
        .map_err(Failure::input)
        .and_then(|question| answer_question(&question, options));
    match answered {
        Err(Failure::Input(why)) => tell(&json!({"error": why})),
        answered => answered?,
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

fn answer_question(request: &BoardRequest, options: &EngineOptions) -> Result<(), Failure> {
    let games = games::read(request.text.as_bytes()).map_err(Failure::input)?;
    if request.ask == "read" {
        let left_out = games.len().saturating_sub(MAX_GAMES);
        let games = (1..).zip(games.iter().take(MAX_GAMES)).map(|(number, game)| unjudged(number, game));
        tell(&json!({"games": games.collect::<Vec<Value>>(), "left_out": left_out}));
        return Ok(());
    }
    let game = &games[0];
    let over = game.record.position().empty().len() < 2;
    match &*request.ask {
        "review" => review(game),
        "analyse" => analyse(&game.record, request.turns, options),
        _ if over => return Err(Failure::input("the game is over, expected a position with a move to play")),
        "hint" => {
            let thoughts = consider(&game.record, options, None);
            let why = hint(game.record.position(), &thoughts);
            tell(&json!({"hint": {"move": thoughts.choice.mv.to_string(), "why": why}}));
        }
        "move" => play(&game.record, request, options)?,
        other => return Err(Failure::input(format!("found {other:?}, expected a question"))),
    }
    Ok(())
}

/// Choose a move within the player's time left.
fn play(record: &Record, request: &BoardRequest, options: &EngineOptions) -> Result<(), Failure> {
    let (begin, position) = (Instant::now(), record.position());
    let time = Duration::try_from_secs_f64(request.left).map_err(Failure::input)?;
    // Each move is a new process: its seed differs from move to move.
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

/// Search and solve in turn, longer each time, until the scores after all moves are proven; skip the
/// first `turns` turns, taken before.
fn analyse(record: &Record, turns: usize, options: &EngineOptions) {
    let position = record.position();
    let (mut session, empty) = (SolveSession::new(*position), position.empty().len());
    let think = |seconds| {
        let time = Some(Duration::from_secs_f64(seconds)).filter(|_| !options.by_nodes());
        if time.is_some() {
            tell(&json!({"doing": format!("searching for {seconds} s")}));
        }
        let answer = explain(consider(record, options, time), position);
        tell(&json!({"think": answer, "why": answer.why()}));
    };
    for (n, [search, solve]) in TURNS.into_iter().enumerate().skip(turns) {
        if empty > SOLVE_ALONE_CELLS && (n == 0 || !options.by_nodes()) {
            think(search);
        }
        tell(&json!({"doing": format!("solving for {solve} s")}));
        let limits = Limits::until(Instant::now() + Duration::from_secs_f64(solve));
        let answer = session.solve_within(true, &limits, &mut |known| match known {
            SolveEvent::Bounds(bounds) => tell(&json!({"bounds": [bounds.lower, bounds.upper]})),
            SolveEvent::Score(answer) => tell(&json!({"solve": answer})),
            SolveEvent::Move(row) => tell(&json!({"moves": [row]})),
        });
        tell(&json!({"solve": answer, "turns": n + 1}));
        if answer.complete {
            break;
        }
    }
}

/// Judge a game from its end backwards; tell each move when judged, then the whole game.
fn review(game: &RecordedGame) {
    let (limit, iterations) = (REVIEW_LIMIT, ESTIMATE_ITERATIONS);
    let settings = ReviewSettings { limit, iterations, ..ReviewSettings::default() };
    let review = Reviewer::new(settings).review(game, &mut |judged| {
        tell(&json!({"judged": {"ply": judged.ply, "known": move_data(judged)}}));
    });
    tell(&json!({"review": game_data(1, &review)}));
}
