//! The solver over a fixed set of positions of strong games: exact values with an empty table each.
//!
//! Before the timing it prints the nodes of each set: they are the same on every machine, and a
//! change of them is a change of the search.

use blackhole::player::limits::Limits;
use blackhole::player::position::Position;
use blackhole::player::solver::Solver;
use blackhole::workshop::games;
use criterion::{Criterion, criterion_group, criterion_main};

/// Every sixth game of the strong set, at a number of empty cells.
fn positions(cells: u32) -> Vec<Position> {
    let games = games::read(include_bytes!("../tests/data/strong.jsonl")).expect("games");
    games.iter().step_by(6).filter_map(|game| games::position_at(&game.record, cells)).collect()
}

fn exact_values(positions: &[Position]) -> u64 {
    let mut solver = Solver::default();
    for position in positions {
        solver.clear();
        assert!(solver.value(position, 0, &Limits::NONE).exact().is_some());
    }
    solver.nodes()
}

fn solver(criterion: &mut Criterion) {
    for cells in [14, 15, 16, 17] {
        let positions = positions(cells);
        println!("{cells} empty cells: {} nodes", exact_values(&positions));
        criterion.bench_function(&format!("values at {cells} empty cells"), |bencher| {
            bencher.iter(|| exact_values(&positions));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = solver
}
criterion_main!(benches);
