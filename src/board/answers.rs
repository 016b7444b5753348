//! The page's questions, and their answers as lines of JSON.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::board::following::GameFile;
use crate::board::tabs::Client;
use crate::choice::consider;
use crate::games::files::{self, RecordedGame};
use crate::games::opening::random_opening;
use crate::games::record::Record;
use crate::judge::answer::Analysis;
use crate::judge::solving::{SolveEvent, SolveSession};
use crate::judge::verdict::{Effort, Judge, hint};
use crate::judge::worth::Worth;
use crate::page::{board, game_data, move_data};
use crate::player::engine::{Engine, Options};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::solver::{DEFAULT_TABLE_BYTES, Solver};
use crate::review::game::{ReviewSettings, rejudged, review, unjudged};
use crate::review::judged::Review;
use crate::sparring::levels::{self, ENGINE};
use crate::system::cores;

/// The most games shown of one text.
const MAX_GAMES: usize = 1000;
/// Up to this many empty cells a position is solved at once.
const SOLVED_AT_ONCE: u32 = 17;
/// The turns of an analysis: a first estimate, the default effort, then four times the effort each.
const TURNS: usize = 6;
const TURN_FACTOR: u64 = 4;
/// The least and the most time between two looks at a file that grows.
const FOLLOW_EVERY: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(20)];

/// The settings of the engine behind the page, and its time for a game.
#[derive(Clone)]
pub struct BoardSettings {
    pub time: Duration,
    pub engine: Options,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct BoardRequest {
    /// `read`, `follow`, `move`, `hint`, `analyse`, `review` or `story`.
    pub ask: String,
    /// Games in any form.
    pub text: String,
    /// The name of the tab that asks, unlike all others.
    pub tab: String,
    /// The games of the file that the page has.
    pub have: usize,
    /// The player that chooses the move: a level, or a built-in player with options; the engine without one.
    player: Option<String>,
    /// The seconds left to the player for the game.
    left: f64,
    /// The turns of the analysis already taken.
    turns: usize,
    /// For a story: what is known before the first move and after each, and the best moves.
    known: Vec<Worth>,
    best: Vec<Option<String>>,
}

/// Make the page with some games, or a new one to play; it `follows` a file that may grow, perhaps a match's journal.
pub(super) fn page(
    mut games: Vec<RecordedGame>,
    [follows, is_match]: [bool; 2],
    settings: &BoardSettings,
) -> Result<String, String> {
    let fresh = games.is_empty();
    if fresh {
        let cells = random_opening(RandomState::new().hash_one(0), 0).map(|cell| cell.to_string());
        games = files::read(cells.join(" ").as_bytes()).map_err(|error| error.to_string())?;
        games[0].names = ["you", "casual"].map(str::to_owned);
    }
    let time = Some(settings.time.as_secs_f64()).filter(|_| settings.engine.nodes.is_none());
    let (games, more) = games.split_at(games.len().min(MAX_GAMES));
    let settings = json!({"time": time, "fresh": fresh, "follows": follows, "match": is_match && !fresh});
    Ok(board(games, more.len(), &settings))
}

pub(super) fn read(text: &str) -> Value {
    let games = files::read(text.as_bytes()).map(|games| games_from(0, &games));
    games.unwrap_or_else(|error| json!({"error": error.to_string()}))
}

/// Return the data of the first [`MAX_GAMES`] games, without the first `from`.
fn games_from(from: usize, games: &[RecordedGame]) -> Value {
    let shown = (1..).zip(games).take(MAX_GAMES).skip(from);
    let shown: Vec<Value> = shown.map(|(number, game)| game_data(number, &unjudged(game))).collect();
    json!({"games": shown, "left_out": games.len().saturating_sub(MAX_GAMES)})
}

/// Send what changes in a file until the client hangs up, first the last of the page's games: it may have grown.
pub(super) fn follow(file: &Path, have: usize, client: &Client) -> io::Result<()> {
    let (mut file, mut first) = (GameFile::new(file.to_owned()), Some(have.saturating_sub(1)));
    loop {
        let begin = Instant::now();
        if let Some(changed) = file.read_on() {
            let from = first.take().unwrap_or(changed).min(file.games.len());
            let mut news = games_from(from, &file.games);
            (news["from"], news["report"]) = (from.into(), file.report().into());
            news["age"] = file.seconds_since_change().into();
            client.tell(&news);
        }
        // A large file is looked at less often: it takes a twentieth of the time.
        thread::sleep((20 * begin.elapsed()).clamp(FOLLOW_EVERY[0], FOLLOW_EVERY[1]));
        // A blank, harmless before a line, finds out whether the client still listens.
        client.send(b" ")?;
    }
}

pub(super) struct TabEngine {
    settings: BoardSettings,
    stop: &'static AtomicBool,
    /// One solver for each core; their tables serve all positions.
    solvers: Vec<Solver>,
}

impl TabEngine {
    /// Make an engine that takes about this many bytes at most.
    pub(super) fn new(settings: &BoardSettings, stop: &'static AtomicBool, bytes: usize) -> TabEngine {
        // One part each: the trees of a move, the solvers, the judge.
        let part = bytes / 3;
        let mut engine = Options { stop: Some(stop), ..settings.engine.clone() };
        engine.memory = engine.memory.min(part);
        let settings = BoardSettings { engine, ..*settings };
        TabEngine { settings, stop, solvers: Solver::team(cores(), DEFAULT_TABLE_BYTES.min(part)) }
    }

    pub(super) fn answer(&mut self, request: &BoardRequest, client: &Client) -> Result<(), String> {
        let games = files::read(request.text.as_bytes()).map_err(|error| error.to_string())?;
        let game = &games[0];
        let over = game.record.position().empty().len() < 2;
        match &*request.ask {
            "review" => self.review(game, client),
            "story" => match rejudged(game, &request.known, &request.best) {
                Some(Review { story, decided, .. }) => {
                    client.tell(&json!({"story": story, "decided": decided}));
                }
                None => return Err("found what is known of a game of another length".to_owned()),
            },
            "analyse" => self.analyse(game.record.position(), request.turns, client),
            _ if over => return Err("the game is over, expected a position with a move to play".to_owned()),
            "hint" => {
                if let Some((mv, why)) = hint(game.record.position(), self.stop) {
                    client.tell(&json!({"hint": {"move": mv.to_string(), "why": why}}));
                }
            }
            "move" => client.tell(&play(&game.record, request, &self.settings)?),
            other => return Err(format!("found {other:?}, expected move, hint, analyse, review or story")),
        }
        Ok(())
    }

    /// Judge a game from its end backwards; tell each move when judged, then the whole game.
    fn review(&self, game: &RecordedGame, client: &Client) {
        let settings = ReviewSettings { stop: Some(self.stop), ..ReviewSettings::default() };
        let review = review(game, settings, &mut |judged| {
            client.tell(&json!({"judged": {"ply": judged.ply, "known": move_data(judged)}}));
        });
        client.tell(&json!({"review": game_data(1, &review)}));
    }

    /// Judge and solve a position in turns, each with more effort, until all moves are proven; skip the first `turns`.
    fn analyse(&mut self, position: &Position, turns: usize, client: &Client) {
        let (mut session, stop) = (SolveSession::new(*position), Some(self.stop));
        for turn in turns..TURNS {
            let Some(deeper) = turn.checked_sub(1) else {
                if position.empty().len() > SOLVED_AT_ONCE {
                    self.judge(position, Effort::FIRST, client);
                }
                continue;
            };
            let factor = TURN_FACTOR.pow(deeper as u32);
            let Effort { nodes, iterations } = Effort::DEFAULT;
            let effort = Effort { nodes: factor * nodes, iterations: factor * iterations };
            self.judge(position, effort, client);
            let limits = Limits { stop, ..Limits::nodes(TURN_FACTOR * effort.nodes) };
            let answer = session.solve_within(&mut self.solvers, true, &limits, &mut |known| match known {
                SolveEvent::Bounds(bounds) => client.tell(&json!({"bounds": [bounds.lower, bounds.upper]})),
                SolveEvent::Score(answer) => client.tell(&json!(answer)),
                SolveEvent::Move(row) => client.tell(&json!({"moves": [row]})),
            });
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let mut line = json!(answer);
            line["turns"] = json!(turn + 1);
            client.tell(&line);
            if answer.complete {
                break;
            }
        }
    }

    /// Tell a judge's answer, and its effort as a multiple of the default effort.
    fn judge(&self, position: &Position, effort: Effort, client: &Client) {
        let begin = Instant::now();
        let verdict = Judge::new(Some(self.stop)).judge(position, effort, None);
        if !self.stop.load(Ordering::Relaxed) {
            let mut line = json!(Analysis::of(position, &verdict, begin.elapsed()));
            line["effort"] = json!(effort.iterations as f64 / Effort::DEFAULT.iterations as f64);
            client.tell(&line);
        }
    }
}

/// Choose a move within the player's time left, and return it as a line of JSON.
fn play(record: &Record, request: &BoardRequest, settings: &BoardSettings) -> Result<Value, String> {
    let (begin, position) = (Instant::now(), record.position());
    let time = Duration::from_secs_f64(request.left.clamp(0.0, 1e6));
    // Each move is chosen by a new engine: its seed differs from move to move.
    let mut engine = settings.engine.clone();
    engine.seed = engine.seed.wrapping_add(record.moves().len() as u64);
    let player = request.player.as_deref().unwrap_or(ENGINE);
    let choice = if levels::player(player) == ENGINE {
        consider(&mut Engine::new(engine), record, time).choice
    } else {
        levels::partner(player, &engine)?.choose(position, time)
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(json!({"move": {"move": choice.mv.to_string(), "seconds": seconds}}))
}
