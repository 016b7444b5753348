//! The solver over a fixed set of positions of strong games: exact values with an empty table each.
//!
//! Before the timing it prints the nodes of each set: they are the same on every machine, and a change of
//! them is a change of the search.

use blackhole::board::{Cell, Move};
use blackhole::limits::Limits;
use blackhole::position::Position;
use blackhole::solver::Solver;
use criterion::{Criterion, criterion_group, criterion_main};

/// Every sixth game of the strong set, at a number of empty cells.
fn positions(cells: u32) -> Vec<Position> {
    let games = include_str!("../tests/data/strong.jsonl");
    let read = |line: &str| {
        let game: serde_json::Value = serde_json::from_str(line).expect("a game a line");
        let texts = |name: &str| -> Vec<String> {
            let items = game[name].as_array().expect("a list").iter();
            items.map(|item| item.as_str().expect("a text").to_string()).collect()
        };
        let blocked = texts("blocked").iter().map(|text| Cell::parse(text).expect("a cell")).collect();
        let mut position = Position::codecup(blocked).expect("five blocked cells");
        for text in texts("moves") {
            if position.empty().len() > cells {
                position.try_play(Move::parse(&text).expect("a move")).expect("a legal move");
            }
        }
        position
    };
    games.lines().step_by(6).map(read).collect()
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
