//! `blackhole bench`: how fast the searches are on this machine, and a signature of what they do.

use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::options::within;
use super::{CommandResult, Failure, SUCCESS, json_line, print};
use crate::player::agent::{Agent, Choice};
use crate::player::alpha::Target;
use crate::player::board::Move;
use crate::player::engine::{DEFAULT_MEMORY, Engine, Options};
use crate::player::limits::Limits;
use crate::player::opponent::{Kind, ReplyModel, expectation};
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::record::Record;
use crate::player::search::playout::{Policy, count_playouts};
use crate::player::search::{Assumed, Candidate, Search};
use crate::player::solver::Solver;
use crate::workshop::notation::Notation;
use crate::workshop::{fnv, games};

/// Run a fixed set of seeded searches; print their rates, and a signature that changes only when
/// the program's behaviour does
#[derive(Args)]
pub(super) struct BenchOptions {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Time the settings of the EventHorizon paper instead of the defaults (the signature covers
    /// both)
    #[arg(long)]
    paper: bool,
    /// Do everything so many times: more rounds, steadier rates, the same signature
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = within::<u16>(1..=1000))]
    rounds: u16,
    /// Do a 25th of the work once and print only its signature, which is another one
    #[arg(long, conflicts_with = "rounds")]
    check: bool,
}

/// Games between strong players, from which the positions are taken.
const GAMES: [&str; 3] = [
    "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg",
    "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11 C1=10 A4=10 A2=9 F3=9",
    "A1 C4 G2 B3 D1 E3=15 B5=15 C2=14 D4=13 A5=12 F1=14 B6=13 A3=12 F3=10 D3=11 A7=11 B1=10 G1=1 E1=9",
];
/// Empty cells of the positions searched and played out.
const SEARCHED: [u32; 3] = [31, 25, 19];
/// Empty cells of the positions solved.
const SOLVED: [u32; 2] = [17, 18];
const SEED: u64 = 1;
const ITERATIONS: u64 = 9_000;
const PLAYOUTS: u64 = 15_000;
/// Solver nodes at most for one position.
const SOLVER_NODES: u64 = 100_000;
/// Iterations a move in the whole games.
const GAME_ITERATIONS: u64 = 400;

/// Work done and the seconds it took.
#[derive(Default)]
struct Figure {
    count: u64,
    seconds: f64,
}

impl Figure {
    /// Do some work, which returns how much it was, and add it up.
    fn add(&mut self, work: impl FnOnce() -> u64) {
        let start = Instant::now();
        self.count += work();
        self.seconds += start.elapsed().as_secs_f64();
    }

    fn sum(figures: &[Figure]) -> Figure {
        let count = figures.iter().map(|figure| figure.count).sum();
        Figure { count, seconds: figures.iter().map(|figure| figure.seconds).sum() }
    }

    fn rate(&self) -> f64 {
        self.count as f64 / self.seconds.max(1e-9)
    }
}

/// A running hash of what the searches found.
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

/// What is measured: iterations and playouts by the number of empty cells, in the order of
/// [`SEARCHED`].
#[derive(Default)]
struct Figures {
    iterations: [Figure; SEARCHED.len()],
    playouts: [Figure; SEARCHED.len()],
    solver_nodes: Figure,
}

/// Return the position of a game with `empty` empty cells.
fn position(game: &str, empty: u32) -> Result<Position, Failure> {
    let record = Record::parse(game).map_err(Failure::input)?;
    games::position_at(&record, empty).ok_or_else(|| Failure::input("the game is too short"))
}

/// Run the searches of one set of tunables with 1 / `part` of the work, add it up, and return the
/// signature of what they found.
fn measure(figures: &mut Figures, params: &Params, part: u64) -> Result<u64, Failure> {
    let policy = Policy::of(params);
    let (playouts, solver_nodes) = (PLAYOUTS / part, SOLVER_NODES / part);
    let iterations = ITERATIONS / part / 3;
    let mut signature = Signature::NEW;
    for game in GAMES {
        for (n, empty) in SEARCHED.into_iter().enumerate() {
            let root = position(game, empty)?;
            let mut search = Search::new(&root, params, SEED, DEFAULT_MEMORY);
            for alpha in -1..=1 {
                figures.iterations[n]
                    .add(|| search.run(Target::new(alpha), Assumed::Best, &Limits::nodes(iterations)));
                signature.add_candidates(&search.candidates(Target::new(alpha), Assumed::Best));
            }
            // As the engine looks ahead: some moves told apart for the next harder target.
            let candidates = search.candidates(Target::new(1), Assumed::Best);
            let among = candidates.iter().step_by(3).map(|candidate| (candidate.mv, candidate.value));
            let next = Target::new(1).harder(root.to_move(), 1);
            search.restrict_root(next, &among.collect::<Vec<_>>());
            search.run(next, Assumed::Believed, &Limits::nodes(iterations));
            signature.add_candidates(&search.candidates(next, Assumed::Believed));
            // As against an opponent who follows the expected score.
            search.model_replies(Some(Box::new(ReplyModel::of(Kind::Follows(8.0), 0.9))));
            search.run(next, Assumed::Best, &Limits::nodes(iterations));
            signature.add_candidates(&search.candidates(next, Assumed::Best));
            figures.playouts[n].add(|| {
                let totals = count_playouts(policy, &root, Target::new(0), playouts);
                totals.into_iter().for_each(|number| signature.add(number));
                playouts
            });
        }
        for empty in SOLVED {
            let root = position(game, empty)?;
            let mut solver = Solver::default();
            figures.solver_nodes.add(|| {
                let solution = solver.solve(&root, 0, &Limits::nodes(solver_nodes));
                signature.add(solution.bounds.lower as u64);
                signature.add(solution.bounds.upper as u64);
                solution.optimal.iter().for_each(|&mv| signature.add_move(mv));
                solver.nodes()
            });
            signature.add(solver.nodes());
        }
    }
    Ok(signature.0)
}

/// Follows the expected score: the opponent of one of the games.
struct Follower;

impl Agent for Follower {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(expectation::greedy_move(position))
    }
}

/// Play three whole games by the number of iterations and return the signature of their moves: what
/// no single search shows, the choice of targets, the solver, the model of the opponent and what is
/// kept from move to move.
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
        let mut position = position(game, SEARCHED[0])?;
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

/// The figures as JSON.
#[derive(Serialize)]
struct Rates {
    iterations_per_second: f64,
    playouts_per_second: f64,
    solver_nodes_per_second: f64,
    signature: String,
}

/// Print the figures.
pub(super) fn run(options: &BenchOptions) -> CommandResult {
    let (mut figures, mut other) = (Figures::default(), Figures::default());
    let (mut timed, mut untimed) = (Params::default(), Params::paper(true));
    if options.paper {
        std::mem::swap(&mut timed, &mut untimed);
    }
    let (part, rounds) = if options.check { (25, 1) } else { (1, options.rounds) };
    // The order of the two halves must not depend on which one is timed.
    let signature = measure(&mut figures, &timed, part)?
        ^ measure(&mut other, &untimed, part)?
        ^ play_games(GAME_ITERATIONS / part)?;
    for _ in 1..rounds {
        measure(&mut figures, &timed, part)?;
    }
    let signature = format!("{signature:016x}");
    print(&if options.json {
        json_line(&Rates {
            iterations_per_second: Figure::sum(&figures.iterations).rate().round(),
            playouts_per_second: Figure::sum(&figures.playouts).rate().round(),
            solver_nodes_per_second: figures.solver_nodes.rate().round(),
            signature,
        })?
    } else if options.check {
        format!("{signature}\n")
    } else {
        format!("{}signature {signature}\n", text(&figures))
    })?;
    Ok(SUCCESS)
}

fn text(figures: &Figures) -> String {
    let Figures { iterations, playouts, solver_nodes } = figures;
    let row = |name: &str, figure: &Figure| {
        let Figure { count, seconds } = figure;
        format!("{count:>10} {name:<28} {seconds:>8.3} s {:>12.0} a second\n", figure.rate())
    };
    let mut text = String::new();
    for (kind, rows) in [("iterations", iterations), ("playouts", playouts)] {
        for (figure, empty) in rows.iter().zip(SEARCHED) {
            text += &row(&format!("{kind} from {empty} empty cells"), figure);
        }
        text += &row(kind, &Figure::sum(rows));
    }
    text + &row("solver nodes", solver_nodes)
}
