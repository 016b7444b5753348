//! α-Blackhole's rules (dead, stale, decided, superfluous moves) against their definitions and against
//! brute force.

use std::ops::RangeInclusive;

use crate::prelude::*;
use blackhole_player::alpha::Reasonable;
use blackhole_player::evaluation::undominated_log_odds;

/// Random positions: small ones of every shape, and ones met in random whole games.
fn sample(seed: u64, small: usize, empty: RangeInclusive<usize>, games: usize) -> Vec<Position> {
    let mut rng = rng(seed);
    let mut positions: Vec<Position> =
        empty.flat_map(|empty| vec![empty; small]).map(|empty| random_position(&mut rng, empty)).collect();
    (0..games).for_each(|_| positions.extend(random_game(&mut rng)));
    positions
}

/// The least and the greatest score that a cell can end with, by §2.3.2: its empty neighbours take
/// the stones that are worst, and best, for Red.
fn extremes(position: &Position, cell: Cell) -> [i32; 2] {
    let stones = |player: Player| {
        position.hand(player).iter().map(move |stone| i32::from(stone.value()) * i32::from(player.sign()))
    };
    let mut values: Vec<i32> = stones(Player::Red).chain(stones(Player::Blue)).collect();
    values.sort_unstable();
    let free = (cell.neighbours() & position.empty()).len() as usize;
    let score = i32::from(position.score(cell));
    [score + values.iter().take(free).sum::<i32>(), score + values.iter().rev().take(free).sum::<i32>()]
}

#[test]
fn status_follows_its_definitions_in_positions_of_any_size() {
    let (mut stale_cells, mut decided) = (0, 0);
    for position in sample(1, 30, 2..=6, 0).into_iter().chain(sample(2, 4, 7..=31, 3)) {
        let ranges = position.empty().into_iter().map(|cell| (cell, extremes(&position, cell)));
        let ranges: Vec<(Cell, [i32; 2])> = ranges.collect();
        for target in Target::all() {
            let status = Status::of::<Portable>(&position, target);
            let alpha = i32::from(target.alpha());
            let cells = |dead: &dyn Fn([i32; 2]) -> bool| {
                ranges.iter().filter(|(_, range)| dead(*range)).map(|&(cell, _)| cell).collect::<CellSet>()
            };
            let dead = [cells(&|[least, _]| least >= alpha), cells(&|[_, most]| most < alpha)];
            let both = dead[0] | dead[1];
            assert_eq!(Player::BOTH.map(|player| status.dead(player)), dead, "α {target} {position:?}");
            assert_eq!(status.undecided(), position.empty() - both);

            // §2.3.3: dead, and every empty neighbour dead for somebody.
            let still = |cell: &Cell| (cell.neighbours() & (position.empty() - both)).is_empty();
            let stale = dead.map(|cells| cells.into_iter().filter(still).collect::<CellSet>());
            assert_eq!(Player::BOTH.map(|player| status.stale(player)), stale, "α {target} {position:?}");
            stale_cells += (stale[0] | stale[1]).len();

            // §2.3.2: more dead cells than the opponent has stones.
            let wins = Player::BOTH
                .map(|player| dead[player.index()].len() > position.hand(player.opponent()).len());
            assert_ne!(wins, [true; 2], "α {target} {position:?}");
            let winner = Player::BOTH.into_iter().find(|player| wins[player.index()]);
            assert_eq!(status.winner(&position), winner, "α {target} {position:?}");
            for player in Player::BOTH {
                assert_eq!(status.need(&position, player) <= 0, wins[player.index()]);
            }
            decided += usize::from(winner.is_some());
        }
    }
    assert!(stale_cells > 5_000 && decided > 2_500, "{stale_cells} {decided}");
}

type Choice = fn(&Position, Target) -> Vec<Move>;

/// Decide α-Blackhole by trying a choice of moves until one wins, and the win test; counts the legal
/// moves and those chosen.
fn winner(position: &Position, target: Target, choice: Choice, seen: &mut [usize; 2]) -> Player {
    if let Some(winner) = Status::of::<Portable>(position, target).winner(position) {
        return winner;
    }
    let mover = position.to_move();
    let chosen = choice(position, target);
    *seen = [seen[0] + position.legal_moves().count(), seen[1] + chosen.len()];
    if chosen.iter().any(|&mv| winner(&after(position, mv), target, choice, seen) == mover) {
        mover
    } else {
        mover.opponent()
    }
}

/// For targets near the value by play without any rule and for some far from it; each choice leaves out some
/// of a hundred moves.
#[test]
fn the_game_of_some_moves_has_the_same_winner() {
    let reasonable: Choice = |position, target| {
        let status = Status::of::<Portable>(position, target);
        Reasonable::of(position, &status).moves(position.hand(position.to_move())).collect()
    };
    let undominated: Choice = |position, target| {
        let mut moves = Vec::new();
        undominated_log_odds::<Portable>(position, target, |mv, _| moves.push(mv));
        moves
    };
    for (choice, left_out, positions) in [
        (reasonable, 5, [(9, 60, 2..=6), (7, 20, 2..=6), (10, 25, 7..=7), (11, 3, 8..=8)]),
        (undominated, 25, [(13, 500, 3..=5), (14, 50, 6..=6), (15, 16, 7..=7), (16, 2, 8..=8)]),
    ] {
        let mut seen = [0; 2];
        for position in positions.into_iter().flat_map(|(seed, count, empty)| sample(seed, count, empty, 0)) {
            let value = i32::from(brute_value(&position));
            let near = (value - 8..=value + 9).chain((-75..=75).step_by(25));
            for target in near.filter(|alpha| alpha.abs() <= 75).map(Target::new) {
                let red = winner(&position, target, choice, &mut seen) == Player::Red;
                assert_eq!(red, i32::from(target.alpha()) <= value, "α {target} {position:?}");
            }
        }
        assert!(seen[1] * 100 <= seen[0] * (100 - left_out), "{seen:?} moves");
    }
}

#[test]
fn targets_are_clamped() {
    assert_eq!([-1_000, 1_000].map(|alpha| Target::new(alpha).alpha()), [-75, 75]);
}
