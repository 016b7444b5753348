//! The player's hot loops, with the paper's settings and with ours: `cargo bench --bench search`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use blackhole::player::alpha::{Status, Target};
use blackhole::player::evaluation::Evaluation;
use blackhole::player::limits::Limits;
use blackhole::player::network::Network;
use blackhole::player::params::Params;
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::search::playout::{Policy, count_playouts};
use blackhole::player::search::{Assumed, Search};
use blackhole::player::simd::Simd;
use blackhole::player::solver::Solver;
use blackhole::workshop::games;
use blackhole::workshop::notation::Notation;

/// A game between two strong programs.
const GAME: &str = "C2 C6 B5 C1 A8 F2=15 D2=15 D1=3 B6=12 A7=13 A5=7 A6=1 B7=1 E4=8 B3=11 A2=14 C4=8";
const EMPTY: [u32; 3] = [31, 25, 19];
/// How often a loop is timed, and how long each time at least.
const TIMES: usize = 15;
const LONG: Duration = Duration::from_millis(200);

/// Time `work`, which returns how many things it did and the time they took; print the median, the
/// least and the most time for a thing.
fn time(name: &str, mut work: impl FnMut() -> (u64, Duration)) {
    let mut times: Vec<f64> = Vec::new();
    while times.len() < TIMES {
        let (mut count, mut taken) = (0, Duration::ZERO);
        while taken < LONG {
            let (more, time) = work();
            (count, taken) = (count + more, taken + time);
        }
        times.push(1e9 * taken.as_secs_f64() / count as f64);
    }
    times.sort_by(f64::total_cmp);
    let [median, least, most] = [TIMES / 2, 0, TIMES - 1].map(|n| times[n]);
    println!("{name:20}  {median:9.1} ns ({least:.1} to {most:.1})  {:10.0} a second", 1e9 / median);
}

/// Do some work `count` times and return the time it took.
fn repeat<T>(count: u64, mut work: impl FnMut() -> T) -> (u64, Duration) {
    let begin = Instant::now();
    (0..count).for_each(|_| _ = black_box(work()));
    (count, begin.elapsed())
}

blackhole::player::dispatch! {
    fn by_formula<'a>(position: &'a Position) -> f32 = by_formula_body
}

fn by_formula_body<S: Simd>(position: &Position) -> f32 {
    let evaluation = Evaluation::of(position, Target::new(0));
    evaluation.advantage::<S>(position, &evaluation.status::<S>(position))
}

blackhole::player::dispatch! {
    fn by_network<'a>(position: &'a Position) -> f32 = by_network_body
}

fn by_network_body<S: Simd>(position: &Position) -> f32 {
    let target = Target::new(0);
    Network::own().advantage::<S>(position, &Status::of::<S>(position, target), target)
}

fn main() {
    let game = Record::parse(GAME).expect("a legal game");
    for empty in EMPTY {
        let position = &games::position_at(&game, empty).expect("it came so far");
        time(&format!("static/{empty}"), || repeat(10_000, || by_formula(black_box(position))));
        time(&format!("network/{empty}"), || repeat(10_000, || by_network(black_box(position))));
        for (name, policy) in [("paper", Policy::Lottery), ("killing", Policy::Kill)] {
            time(&format!("playout/{name}/{empty}"), || {
                let begin = Instant::now();
                black_box(count_playouts(policy, black_box(position), Target::new(0), 1_000));
                (1_000, begin.elapsed())
            });
        }
        for (name, params) in [("paper", Params::paper(true)), ("ours", Params::default())] {
            time(&format!("iteration/{name}/{empty}"), || {
                // A tree of its own each time; making one is not timed, filling its pages is.
                let mut search = Search::new(position, &params, 1, 64 << 20);
                let begin = Instant::now();
                let done = search.run(Target::new(0), Assumed::Best, &Limits::nodes(20_000));
                (done, begin.elapsed())
            });
        }
    }
    let games = games::read(include_bytes!("../tests/data/strong.jsonl")).expect("games");
    let positions = games.iter().step_by(6).filter_map(|game| games::position_at(&game.record, 16));
    let positions: Vec<Position> = positions.collect();
    let mut solver = Solver::default();
    time("solver/16", || {
        let (before, begin) = (solver.nodes(), Instant::now());
        for position in &positions {
            solver.clear();
            assert!(solver.value(position, 0, &Limits::NONE).exact().is_some());
        }
        (solver.nodes() - before, begin.elapsed())
    });
}
