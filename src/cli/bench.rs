//! `blackhole bench`: a number that changes if the engine's choices do, and its speed on this machine.

use std::time::{Duration, Instant};

use clap::Args;

use super::options::within;
use super::{CommandResult, Failure, SUCCESS, print};
use crate::games::files;
use crate::games::record::Record;
use crate::player::agent::{Agent, Choice};
use crate::player::alpha::Target;
use crate::player::board::Move;
use crate::player::engine::{DEFAULT_MEMORY, Engine, Options};
use crate::player::expectation;
use crate::player::limits::Limits;
use crate::player::opponent::{Kind, ReplyModel};
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::search::playout::Policy;
use crate::player::search::{Assumed, Candidate, Search};
use crate::player::solver::Solver;
use crate::playouts::count_playouts;
use crate::system::fnv;

/// Run a fixed set of seeded searches; print the iterations a second and a signature: a number that
/// changes if the engine's choices do
///
/// The signature is the same on every machine.
#[derive(Args)]
pub(super) struct BenchOptions {
    /// Rounds to time; more rounds give a steadier rate
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = within::<u16>(1..=1000))]
    rounds: u16,
    /// Do a 25th of the work once; print that run's signature, which differs from the full one
    #[arg(long, conflicts_with = "rounds")]
    check: bool,
}

/// Games between strong players: the source of the positions.
const GAMES: [&str; 3] = [
    "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg",
    "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11 C1=10 A4=10 A2=9 F3=9",
    "A1 C4 G2 B3 D1 E3=15 B5=15 C2=14 D4=13 A5=12 F1=14 B6=13 A3=12 F3=10 D3=11 A7=11 B1=10 G1=1 E1=9",
];
/// Empty cells of the positions searched and played out, and of those solved.
const SEARCHED_CELLS: [u32; 3] = [31, 25, 19];
const SOLVED_CELLS: [u32; 2] = [17, 18];
const SEED: u64 = 1;
/// The work: iterations for a target, playouts and solver nodes for a position, iterations a move in
/// the whole games.
const ITERATIONS: u64 = 3_000;
const PLAYOUTS: u64 = 15_000;
const SOLVER_NODES: u64 = 100_000;
const GAME_ITERATIONS: u64 = 400;

/// A running hash of the results.
struct Signature(u64);

impl Signature {
    const NEW: Signature = Signature(fnv::EMPTY);

    fn add(&mut self, number: u64) {
        self.0 = fnv::extend(self.0, &number.to_le_bytes());
    }

    fn add_move(&mut self, mv: Move) {
        self.add(mv.cell.ordinal() as u64 * 16 + u64::from(mv.stone.value()));
    }

    fn add_candidates(&mut self, candidates: &[Candidate]) {
        for candidate in candidates {
            self.add_move(candidate.mv);
            self.add(u64::from(candidate.visits));
        }
    }
}

/// Return the position of a game with `empty` empty cells.
fn position(game: &str, empty: u32) -> Result<Position, Failure> {
    let record = Record::parse(game).map_err(Failure::input)?;
    files::position_at(&record, empty).ok_or_else(|| Failure::input("the game is too short"))
}

/// Iterations, and their time.
type Rate = (u64, Duration);

/// Search, play out and solve with 1 / `part` of the work; return the signature of the results.
fn search(params: &Params, part: u64, (done, time): &mut Rate) -> Result<u64, Failure> {
    let limits = Limits::nodes(ITERATIONS / part);
    let mut signature = Signature::NEW;
    for game in GAMES {
        for empty in SEARCHED_CELLS {
            let root = position(game, empty)?;
            let mut search = Search::new(&root, params, SEED, DEFAULT_MEMORY);
            for alpha in -1..=1 {
                let begin = Instant::now();
                *done += search.run(Target::new(alpha), Assumed::Strong, &limits);
                *time += begin.elapsed();
                signature.add_candidates(&search.candidates(Target::new(alpha), Assumed::Strong));
            }
            // As in the engine's look ahead: some of the moves, for the next harder target.
            let candidates = search.candidates(Target::new(1), Assumed::Strong);
            let among = candidates.iter().step_by(3).map(|candidate| (candidate.mv, candidate.value));
            let next = Target::new(1).harder(root.to_move(), 1);
            search.restrict_root(next, &among.collect::<Vec<_>>());
            search.run(next, Assumed::Believed, &limits);
            signature.add_candidates(&search.candidates(next, Assumed::Believed));
            // As against an opponent that follows the expected score.
            search.model_replies(Some(ReplyModel::of(Kind::Follows(8.0), 0.9)));
            search.run(next, Assumed::Strong, &limits);
            signature.add_candidates(&search.candidates(next, Assumed::Strong));
            let totals = count_playouts(Policy::of(params), &root, Target::new(0), PLAYOUTS / part);
            totals.into_iter().for_each(|number| signature.add(number));
        }
        for empty in SOLVED_CELLS {
            let mut solver = Solver::default();
            let limits = Limits::nodes(SOLVER_NODES / part);
            let solution = solver.solve(&position(game, empty)?, 0, &limits);
            signature.add(solution.bounds.lower as u64);
            signature.add(solution.bounds.upper as u64);
            solution.optimal.iter().for_each(|&mv| signature.add_move(mv));
            signature.add(solver.nodes());
        }
    }
    Ok(signature.0)
}

/// The opponent in one of the games: follows the expected score.
struct Follower;

impl Agent for Follower {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(expectation::greedy_move(position))
    }
}

/// Play three whole games with `iterations` a move and return the signature of their moves. Unlike single
/// searches they cover the choice of targets, the solver, the opponent's model and the memory between moves.
fn play_games(iterations: u64) -> Result<u64, Failure> {
    let mut signature = Signature::NEW;
    let engine = |params, seed| -> Box<dyn Agent> {
        Box::new(Engine::new(Options { params, seed, nodes: Some(iterations), ..Options::default() }))
    };
    let (ours, paper) = (Params::default, || Params::paper(true));
    let games = [
        [engine(ours(), 1), engine(ours(), 2)],
        [engine(paper(), 3), engine(paper(), 4)],
        [engine(ours(), 5), Box::new(Follower)],
    ];
    for (mut players, game) in games.into_iter().zip(GAMES) {
        let mut position = position(game, SEARCHED_CELLS[0])?;
        for ply in 0.. {
            if position.final_score().is_some() {
                break;
            }
            let choice = players[ply % 2].choose(&position, Duration::MAX);
            signature.add_move(choice.mv);
            signature.add(choice.nodes);
            signature.add(choice.target.map_or(0, |target| target.index() as u64 + 1));
            position.try_play(choice.mv).map_err(Failure::input)?;
        }
    }
    Ok(signature.0)
}

/// Print the rate and the signature.
pub(super) fn run(options: &BenchOptions) -> CommandResult {
    let part = if options.check { 25 } else { 1 };
    let (params, mut rate) = (Params::default(), Rate::default());
    let signature = search(&params, part, &mut rate)?
        ^ search(&Params::paper(true), part, &mut Rate::default())?
        ^ play_games(GAME_ITERATIONS / part)?;
    if options.check {
        print(&format!("{signature:016x}\n"))?;
        return Ok(SUCCESS);
    }
    for _ in 1..options.rounds {
        search(&params, part, &mut rate)?;
    }
    let second = rate.0 as f64 / rate.1.as_secs_f64();
    print(&format!("{second:.0} iterations a second\nsignature {signature:016x}\n"))?;
    Ok(SUCCESS)
}
