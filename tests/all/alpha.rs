//! α-Blackhole's rules (dead, stale, decided, reasonable) against their definitions and against
//! brute force, and the two instruction paths against each other.

use std::ops::RangeInclusive;

use crate::common::{BruteForce, after, images, mirrored, random_game, random_move, random_position, rng};
use blackhole::player::alpha::{Reasonable, Status, Target};
use blackhole::player::board::{Cell, CellSet, Move, Player};
use blackhole::player::evaluation::undominated_merits;
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::simd::Portable;
use blackhole::workshop::notation::Notation;
use rand::RngExt;

fn targets(range: RangeInclusive<i32>) -> impl Iterator<Item = Target> {
    range.map(Target::new)
}

fn all_targets() -> impl Iterator<Item = Target> {
    targets(-75..=75)
}

fn status(position: &Position, target: Target) -> Status {
    Status::of::<Portable>(position, target)
}

/// Random positions: small ones of every shape, and ones met in random whole games.
fn sample(seed: u64, small: usize, empty: RangeInclusive<usize>, games: usize) -> Vec<Position> {
    let mut rng = rng(seed);
    let mut positions: Vec<Position> = empty
        .flat_map(|empty| std::iter::repeat_n(empty, small))
        .map(|empty| random_position(&mut rng, empty))
        .collect();
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

/// The dead cells of each player by their definition.
fn naive_dead(position: &Position, target: Target) -> [CellSet; 2] {
    let alpha = i32::from(target.alpha());
    let all = || position.empty().into_iter();
    let red = all().filter(|&cell| extremes(position, cell)[0] >= alpha).collect();
    let blue = all().filter(|&cell| extremes(position, cell)[1] < alpha).collect();
    [red, blue]
}

/// The final scores with every hole that some continuation leads to: the least and the greatest.
fn play_all(position: &Position, seen: &mut [Option<[i32; 2]>; 64]) {
    if let (Some(score), Some(hole)) = (position.final_score(), position.empty().first()) {
        let score = i32::from(score);
        let [least, most] = seen[hole.index()].unwrap_or([score; 2]);
        seen[hole.index()] = Some([least.min(score), most.max(score)]);
    }
    position.legal_moves().for_each(|mv| play_all(&after(position, mv), seen));
}

#[test]
fn cells_are_dead_exactly_when_no_continuation_turns_them() {
    let mut dead = 0;
    for position in sample(1, 60, 2..=6, 0) {
        let mut seen = [None; 64];
        play_all(&position, &mut seen);
        for target in all_targets() {
            let status = status(&position, target);
            for cell in position.empty() {
                let [least, most] = seen[cell.index()].expect("every cell can be the hole");
                let alpha = i32::from(target.alpha());
                assert_eq!(status.dead(Player::Red).contains(cell), least >= alpha, "{cell} {position:?}");
                assert_eq!(status.dead(Player::Blue).contains(cell), most < alpha, "{cell} {position:?}");
                dead += usize::from(least >= alpha);
            }
        }
    }
    assert!(dead > 10_000, "{dead} dead cells");
}

#[test]
fn status_follows_its_definitions_in_positions_of_any_size() {
    let (mut stale_cells, mut decided, mut pairs) = (0, 0, 0);
    for position in sample(2, 8, 2..=31, 5) {
        for target in all_targets() {
            let status = status(&position, target);
            let dead = naive_dead(&position, target);
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
            let winner = match wins {
                [true, true] => panic!("both have won: α {target} {position:?}"),
                [true, false] => Some(Player::Red),
                [false, true] => Some(Player::Blue),
                [false, false] => None,
            };
            assert_eq!(status.winner(&position), winner, "α {target} {position:?}");
            for player in Player::BOTH {
                assert_eq!(status.need(&position, player) <= 0, wins[player.index()]);
            }
            decided += usize::from(winner.is_some());

            if winner.is_none() {
                pairs += check_reasonable(&position, &status, stale);
            }
        }
    }
    assert!(stale_cells > 10_000 && decided > 5_000 && pairs > 200, "{stale_cells} {decided} {pairs}");
}

/// Compare the reasonable cells of an undecided position with the rules as written; returns the
/// number of isolated pairs.
fn check_reasonable(position: &Position, status: &Status, stale: [CellSet; 2]) -> usize {
    let mover = position.to_move();
    let reasonable = Reasonable::of(position, status);
    let [own, other] = [stale[mover.index()], stale[mover.opponent().index()]];
    let choice = if other.is_empty() { own } else { other };
    assert_eq!(reasonable.least_only.is_empty(), choice.is_empty(), "{position:?}");
    assert!(reasonable.least_only.len() <= 1 && (reasonable.least_only - choice).is_empty());

    let free = |cell: Cell| cell.neighbours() & position.empty();
    let worth = |cell: Cell| position.score(cell) * mover.sign();
    let mut pairs = 0;
    for cell in position.empty() {
        let partner = free(cell).first().filter(|&next| free(cell).len() == 1 && free(next).len() == 1);
        let partner = partner.filter(|_| !(own | other).contains(cell));
        let allowed = reasonable.any_stone.contains(cell);
        match partner {
            None => assert_eq!(allowed, !(own | other).contains(cell), "{cell} {position:?}"),
            Some(next) => {
                assert!(reasonable.any_stone.contains(next) != allowed, "one of two: {cell} {position:?}");
                assert!(!allowed || worth(cell) <= worth(next), "the worse of two: {cell} {position:?}");
                pairs += usize::from(cell < next);
            }
        }
    }
    // The list of moves is what the sets say.
    let hand = position.hand(mover);
    let listed: Vec<Move> = reasonable.moves(hand).collect();
    assert_eq!(listed.len() as u32, reasonable.len(hand.len()));
    assert!(!listed.is_empty(), "an undecided position has a move: {position:?}");
    for mv in &listed {
        assert_eq!(position.check(*mv), Ok(()));
        let least = Some(mv.stone) == hand.smallest();
        assert!(reasonable.any_stone.contains(mv.cell) || least && reasonable.least_only.contains(mv.cell));
    }
    pairs
}

#[test]
fn dead_cells_stay_dead_and_isolated_cells_are_stale() {
    let mut rng = rng(3);
    for position in sample(4, 10, 2..=12, 10) {
        if position.empty().len() < 2 {
            continue;
        }
        let mv = random_move(&mut rng, &position);
        let next = after(&position, mv);
        for target in all_targets() {
            let [before, later] = [status(&position, target), status(&next, target)];
            for player in Player::BOTH {
                let lost = before.dead(player) - CellSet::of(mv.cell) - later.dead(player);
                assert!(lost.is_empty(), "α {target} {mv} {position:?}");
            }
            for cell in position.empty() {
                if position.free_neighbours(cell) == 0 {
                    let owner = target.winner(position.score(cell));
                    assert!(before.stale(owner).contains(cell), "α {target} {cell} {position:?}");
                }
            }
        }
    }
}

#[test]
fn the_win_test_agrees_with_perfect_play() {
    let mut decided = 0;
    for position in sample(5, 60, 2..=6, 0).into_iter().chain(sample(6, 25, 7..=7, 0)) {
        let value = BruteForce::default().value(&position);
        for target in all_targets() {
            if let Some(winner) = status(&position, target).winner(&position) {
                assert_eq!(winner, target.winner(value), "α {target} value {value} {position:?}");
                decided += usize::from((target.alpha() - value).abs() <= 10);
            }
        }
    }
    assert!(decided > 2_000, "{decided} decided near the value");
}

/// Check that one of the moves kept wins wherever any move does; returns the moves left out and
/// all.
fn check_moves_kept(kept: fn(&Position, Target) -> Vec<Move>) -> [usize; 2] {
    let (mut skipped, mut checked) = (0, 0);
    for position in sample(7, 80, 2..=6, 0).into_iter().chain(sample(8, 30, 7..=7, 0)) {
        let mover = position.to_move();
        let values = BruteForce::default().move_values(&position);
        for target in all_targets() {
            if win_test(&position, target).is_some() {
                continue;
            }
            let moves = kept(&position, target);
            let wins = |&&(_, value): &&(Move, i8)| target.winner(value) == mover;
            let any = values.iter().find(wins);
            let won = values.iter().filter(|(mv, _)| moves.contains(mv)).find(wins);
            assert!(any.is_none() || won.is_some(), "α {target}: {any:?} wins {position:?}");
            skipped += values.len() - moves.len();
            checked += values.len();
        }
    }
    [skipped, checked]
}

#[test]
fn some_reasonable_move_is_as_good_as_any() {
    let [skipped, checked] = check_moves_kept(reasonable_moves);
    assert!(skipped * 20 > checked, "{skipped} of {checked} moves skipped");
}

#[test]
fn some_undominated_move_is_as_good_as_any() {
    let [skipped, checked] = check_moves_kept(undominated_moves);
    assert!(skipped * 4 > checked, "{skipped} of {checked} moves skipped");
}

/// Decide α-Blackhole by trying a choice of moves until one wins, and the win test.
fn winner(position: &Position, target: Target, moves: fn(&Position, Target) -> Vec<Move>) -> Player {
    if let Some(winner) = win_test(position, target) {
        return winner;
    }
    let mover = position.to_move();
    let wins = |&mv: &Move| winner(&after(position, mv), target, moves) == mover;
    if moves(position, target).iter().any(wins) { mover } else { mover.opponent() }
}

fn win_test(position: &Position, target: Target) -> Option<Player> {
    status(position, target).winner(position)
}

fn reasonable_moves(position: &Position, target: Target) -> Vec<Move> {
    let status = status(position, target);
    Reasonable::of(position, &status).moves(position.hand(position.to_move())).collect()
}

fn undominated_moves(position: &Position, target: Target) -> Vec<Move> {
    let mut moves = Vec::new();
    let status = status(position, target);
    undominated_merits::<Portable>(position, &status, target, |mv, _| moves.push(mv));
    moves
}

/// Play the game restricted to some moves, with the win test, for targets near the value and some
/// far from it, and compare with the value by play without any rule.
fn check_restricted_game(position: &Position, moves: fn(&Position, Target) -> Vec<Move>) {
    let value = i32::from(BruteForce::default().value(position));
    let near = (value - 8..=value + 9).chain((-75..=75).step_by(25)).filter(|alpha| alpha.abs() <= 75);
    for target in near.map(Target::new) {
        let red = winner(position, target, moves) == Player::Red;
        assert_eq!(red, i32::from(target.alpha()) <= value, "α {target} {position:?}");
    }
}

#[test]
fn the_game_of_reasonable_moves_has_the_same_winner() {
    for (seed, count, empty) in [(9, 60, 2..=6), (10, 25, 7..=7), (11, 3, 8..=8)] {
        for position in sample(seed, count, empty, 0) {
            check_restricted_game(&position, reasonable_moves);
        }
    }
}

#[test]
fn the_game_of_undominated_moves_has_the_same_winner() {
    for (seed, count, empty) in [(13, 500, 3..=5), (14, 50, 6..=6), (15, 16, 7..=7), (16, 2, 8..=8)] {
        for position in sample(seed, count, empty, 0) {
            check_restricted_game(&position, undominated_moves);
        }
    }
}

#[test]
fn symmetries_map_the_status() {
    let mut rng = rng(13);
    for position in sample(14, 5, 2..=31, 5) {
        let symmetry = rng.random_range(0..6);
        let image = mirrored(&position, symmetry);
        for target in targets(-20..=20) {
            let [here, there] = [status(&position, target), status(&image, target)];
            for player in Player::BOTH {
                assert_eq!(images(here.dead(player), symmetry), there.dead(player));
                assert_eq!(images(here.stale(player), symmetry), there.stale(player));
            }
            assert_eq!(here.winner(&position), there.winner(&image));
        }
    }
}

#[test]
fn the_papers_figure_scores_87_to_63() {
    // Figure 1b: next to the hole Red has 4, 7 and 14 and Blue 2 and 11.
    let hole = Cell::parse("D3").expect("a cell");
    let beside: Vec<Cell> = hole.neighbours().into_iter().collect();
    let others: Vec<Cell> = Cell::all().filter(|&cell| cell != hole && !beside.contains(&cell)).collect();
    let mut blocked = others[..4].to_vec();
    blocked.push(beside[5]);
    let mut record = Record::standard(&blocked).expect("five cells");
    let mut near = [vec![4, 7, 14], vec![2, 11]];
    let (mut inner, mut outer) = (beside[..5].iter(), others[4..].iter());
    while record.final_score().is_none() {
        let mover = record.position().to_move();
        let wanted = near[mover.index()].pop();
        let taken = &near[mover.index()];
        let reserved = |value| taken.contains(&value);
        let mut hand = record.position().hand(mover).iter();
        let stone = match wanted {
            Some(value) => hand.find(|stone| stone.value() == value),
            None => hand.find(|stone| !reserved(stone.value())),
        };
        let cell = if wanted.is_some() { inner.next() } else { outer.next() };
        record.push(Move::new(*cell.expect("a cell"), stone.expect("a stone"))).expect("legal");
    }
    assert_eq!(record.position().empty(), CellSet::of(hole));
    let score = i32::from(record.final_score().expect("over"));
    assert_eq!([75 + score, 75 - score], [87, 63]);
}

#[test]
fn the_papers_rules_in_small() {
    // Three empty cells in a row A1 A2 A3 and one apart, H1; Red to move with 3, Blue with 1 and 2
    // left is not alternating play, so Red 3 and 5, Blue 2.
    let text = |items: &str| {
        let empty = ["A1", "A2", "A3", "H1"].map(|name| Cell::parse(name).expect("a cell"));
        let rest = Cell::all().filter(|cell| !empty.contains(cell)).map(|cell| cell.to_string());
        Record::parse(&format!("{} {items}", rest.collect::<Vec<_>>().join(" "))).expect("a record")
    };
    let position = *text("red:3,5 blue:2").position();
    let sets = |target: i32| {
        let status = status(&position, Target::new(target));
        let names = |set: CellSet| set.into_iter().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ");
        Player::BOTH.map(|player| (names(status.dead(player)), names(status.stale(player))))
    };
    let owned = |sets: [(&str, &str); 2]| sets.map(|(dead, stale)| (dead.to_owned(), stale.to_owned()));
    // w of A1 and A3 is -2 to 5, of A2 -2 + 3 = 1 to 5 + 3 = 8, of H1 0.
    assert_eq!(sets(-2), owned([("A1 A2 A3 H1", "A1 A2 A3 H1"), ("", "")]));
    assert_eq!(sets(0), owned([("A2 H1", "H1"), ("", "")]));
    assert_eq!(sets(1), owned([("A2", ""), ("H1", "H1")]));
    assert_eq!(sets(6), owned([("", ""), ("A1 A3 H1", "H1")]));
    assert_eq!(sets(9), owned([("", ""), ("A1 A2 A3 H1", "A1 A2 A3 H1")]));
    // 2 dead cells against Blue's one stone: Red has reached 0; 3 against Red's two stones: not 6.
    let winner = |target| status(&position, Target::new(target)).winner(&position);
    assert_eq!(
        [winner(0), winner(1), winner(5), winner(6)],
        [Some(Player::Red), None, None, Some(Player::Blue)]
    );
    // For 1 the isolated cell is Blue's: Red fills it with the 3 or leaves it.
    let moves = reasonable_moves(&position, Target::new(1));
    let names: Vec<String> = moves.iter().map(Move::to_string).collect();
    assert_eq!(names, ["A1=3", "A2=3", "A3=3", "H1=3", "A1=5", "A2=5", "A3=5"]);
}

#[test]
fn targets_are_ordered_and_clamped() {
    let mut index = 0;
    for target in all_targets() {
        assert_eq!(target.index(), index);
        index += 1;
        for (player, sign) in [(Player::Red, 1), (Player::Blue, -1)] {
            let harder = (i32::from(target.alpha()) + 3 * sign).clamp(-75, 75);
            assert_eq!(i32::from(target.harder(player, 3).alpha()), harder);
        }
        assert_eq!(target.winner(target.alpha()), Player::Red);
        assert_eq!(target.winner(target.alpha() - 1), Player::Blue);
    }
    assert_eq!(index, Target::COUNT);
    assert_eq!([Target::new(-1_000), Target::new(1_000)], [Target::MIN, Target::MAX]);
}
