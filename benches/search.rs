//! The player's hot loops, with the paper's settings and with ours: `cargo bench -p blackhole-benches`.

use std::hint::black_box;

use blackhole::games::files;
use blackhole::games::record::Record;
use blackhole::player::alpha::{Status, Target};
use blackhole::player::board::{Move, Player};
use blackhole::player::limits::Limits;
use blackhole::player::network::Network;
use blackhole::player::params::Params;
use blackhole::player::position::Position;
use blackhole::player::rng::Random;
use blackhole::player::search::playout::Policy;
use blackhole::player::search::{Replies, Search};
use blackhole::player::simd::Simd;
use blackhole::player::solver::Solver;
use blackhole::sparring::paper_settings;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// A game between two strong programs.
const GAME: &str = "C2 C6 B5 C1 A8 F2=15 D2=15 D1=3 B6=12 A7=13 A5=7 A6=1 B7=1 E4=8 B3=11 A2=14 C4=8";
const EMPTY: [u32; 3] = [31, 25, 19];

/// The position of a game with `empty` empty cells.
fn position_in(game: &Record, empty: u32) -> Position {
    *game.until((game.start().empty().len() - empty) as usize).position()
}

fn position(empty: u32) -> Position {
    position_in(&Record::parse(GAME).expect("a legal game"), empty)
}

blackhole::player::dispatch! {
    fn by_network<'a>(position: &'a Position) -> f32 = by_network_body
}

fn by_network_body<S: Simd>(position: &Position) -> f32 {
    let target = Target::new(0);
    Network::own().mover_log_odds::<S>(position, &Status::of::<S>(position, target), target)
}

blackhole::player::dispatch! {
    fn count_wins<'a>(policy: Policy, position: &'a Position, count: u64) -> usize = count_wins_body
}

/// Count Red's wins among `count` playouts.
#[inline(always)]
fn count_wins_body<S: Simd>(policy: Policy, position: &Position, count: u64) -> usize {
    let (mut random, target) = (Random::new(1), Target::new(0));
    let seen = (*position, Status::of::<S>(position, target));
    let mut winner = || policy.playout::<S>(&seen, target, &mut random, None, |_, _| {});
    (0..count).filter(|_| winner() == Player::Red).count()
}

fn judgements(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("judgement");
    for empty in EMPTY {
        let position = position(empty);
        group.bench_function(format!("network/{empty}"), |it| it.iter(|| by_network(black_box(&position))));
    }
}

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playout");
    group.throughput(Throughput::Elements(1_000));
    for (name, policy) in [("paper", Policy::Lottery), ("killing", Policy::Kill)] {
        for empty in EMPTY {
            let position = position(empty);
            group.bench_function(format!("{name}/{empty}"), |bencher| {
                bencher.iter(|| count_wins(policy, black_box(&position), 1_000));
            });
        }
    }
}

fn iterations(criterion: &mut Criterion) {
    const COUNT: u64 = 20_000;
    let mut group = criterion.benchmark_group("iteration");
    group.sample_size(10).throughput(Throughput::Elements(COUNT));
    let target = Target::new(0);
    for (name, params, replies) in [
        ("paper", paper_settings(), Replies::Strong),
        ("ours", Params::default(), Replies::Strong),
        ("believed replies", Params::default(), Replies::Believed),
    ] {
        for empty in EMPTY {
            let position = position(empty);
            let moves: Vec<(Move, f32)> = position.legal_moves().map(|mv| (mv, 0.0)).collect();
            // Each sample has a tree of its own; the time includes filling its pages, without its making.
            let fresh = || {
                let mut search = Search::new(&position, &params, 1, 64 << 20);
                assert!(replies == Replies::Strong || search.restrict_root(target, &moves));
                search
            };
            group.bench_function(format!("{name}/{empty}"), |bencher| {
                bencher.iter_batched(
                    fresh,
                    |mut search| search.run(target, replies, &Limits::nodes(COUNT)),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

fn solver_nodes(criterion: &mut Criterion) {
    let games = files::read(include_bytes!("../tests/data/strong.jsonl")).expect("games");
    let positions = games.iter().step_by(6).map(|game| position_in(&game.record, 16));
    let positions: Vec<Position> = positions.collect();
    let nodes = |position: &Position| {
        let mut solver = Solver::default();
        assert!(solver.value(position, 0, &Limits::NONE).exact().is_some());
        solver.nodes()
    };
    let mut solve = || positions.iter().map(nodes).sum();
    let mut group = criterion.benchmark_group("solver");
    group.sample_size(10).throughput(Throughput::Elements(solve()));
    group.bench_function("16", |bencher| bencher.iter(&mut solve));
}

criterion_group!(benches, judgements, playouts, iterations, solver_nodes);
criterion_main!(benches);
