//! The commands `solve`, `analyse` and `think`: answers and limits.

use blackhole::choice::{ThinkAnswer, consider, stake};
use blackhole::judge::exact::move_values;
use blackhole::judge::solving::{SolveEvent, SolveSession};
use blackhole::judge::verdict::hint;
use blackhole::player::engine::Engine;
use blackhole::player::solver::Solution;

use crate::common::*;

/// A recorded game after 14 moves: 17 empty cells.
const EMPTY_17: &str =
    "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11 C1=10 A4=10 A2=9 F3=9";

#[test]
fn solve_prints_the_score_and_moves() {
    // Red to move with 3 and 5 against 2 on A1 A2 A3 A4 in a row. The 5 on A2 makes A1 and A3 worth
    // 5; Blue can spoil or fill one of them, and the 3 goes to the worst cell left.
    let solved = blackhole("solve", EMPTY_4).fine();
    let lines =
        "4 empty cells, red to move\nRed wins 80 to 70 (score 5)\nbest A2=5 A3=5\nline A2=5 A3=2 A4=3\n";
    assert!(solved.starts_with(lines) && solved.contains(" solver nodes, "), "{solved}");
    blackhole("solve", EXAMPLE).expect(0, "1 empty cell, the game is over\nRed wins 84 to 66 (score 9)\n");
    // The score after every legal move, the best first, equals by cell.
    let all = blackhole("solve --json --all-moves -", EMPTY_4);
    let begin = "{\"empty\":4,\"to_move\":\"red\",\"score\":5,\"bounds\":[5,5],\"best\":[\"A2=5\",\"A3=5\"],";
    assert!(all.stdout.starts_with(begin) && all.stdout.lines().count() == 1, "{}", all.stdout);
    let all = all.json()["moves"].take();
    let moves = all.as_array().expect("a list").iter().map(|row| format!("{} {}", row["score"], row["move"]));
    let moves = moves.collect::<Vec<_>>().join(", ").replace('"', "");
    assert_eq!(moves, "5 A2=5, 5 A3=5, 3 A1=5, 3 A2=3, 3 A3=3, 3 A4=5, 1 A1=3, 1 A4=3");
}

#[test]
fn solve_gives_up_in_time_with_exit_code_3() {
    for options in ["solve --json --limit 0.2", "solve --json --limit 0.2 --all-moves"] {
        // Without a limit it takes hours.
        let answer = blackhole(options, FIVE).expect(3, "").json();
        assert_eq!((&answer["score"], answer["empty"].as_i64()), (&Value::Null, Some(31)));
        let [lower, upper] = [0, 1].map(|n: usize| answer["bounds"][n].as_i64().expect("a bound"));
        assert!(-75 <= lower && lower < upper && upper <= 75);
        assert_eq!(answer["moves"].is_array(), options.ends_with("moves"), "{answer}");
    }
    // Easy questions about the empty board are answered first.
    let bounds = blackhole("solve --limit 1", FIVE).expect(3, "between Blue wins ").stdout;
    assert!(!bounds.contains("150 to 0"), "{bounds}");
}

/// However many cores share the work, with the position itself begun beside its moves.
#[test]
fn several_solvers_find_the_scores_after_all_moves() {
    let mut judge = Solver::new(1 << 20);
    for (n, position) in strong_positions(9, 12).iter().enumerate() {
        let mut solvers: Vec<Solver> = (0..1 + n % 4).map(|_| Solver::new(1 << 16)).collect();
        let mut told = 0;
        let count = &mut |event: SolveEvent| told += usize::from(matches!(event, SolveEvent::Move(_)));
        let answer = SolveSession::new(*position).solve_within(&mut solvers, true, &Limits::NONE, count);
        let rows = answer.moves.expect("all moves");
        assert_eq!([rows.len(), told], [position.legal_moves().count(); 2]);
        for row in rows {
            let after = position.after::<Portable>(Move::parse(&row.r#move).expect("a move"));
            assert_eq!(row.worth.score, judge.value(&after, 0, &Limits::NONE).exact(), "{n} {}", row.r#move);
        }
        let solution = judge.solve(position, 0, &Limits::NONE);
        assert_eq!(answer.answer.score, solution.bounds.exact());
        // The first is the one that was found to secure the value, perhaps not a reasonable one.
        let mut reasonable = solution.optimal.iter().skip(1).map(Move::to_string);
        assert!(answer.complete && reasonable.all(|mv| answer.answer.best.contains(&mv)), "{solution:?}");
        // The proofs of all moves are a proof of a position that was not solved.
        let unknown = Solution { bounds: Bounds::UNKNOWN, best: None, optimal: Vec::new(), complete: false };
        let (found, _) = move_values(&mut solvers, position, 0, |_| unknown, &Limits::NONE, &mut |_| {});
        let best = found.best.expect("a move");
        assert_eq!((found.bounds, found.optimal), (solution.bounds, vec![best]));
        assert_eq!(judge.value(&position.after::<Portable>(best), 0, &Limits::NONE), solution.bounds);
    }
    // A position with its score is not whole before all its best moves are known.
    let (mut session, mut alone) = (SolveSession::new(*record(EMPTY_17).position()), [Solver::new(1 << 20)]);
    let [cut, whole] = [Limits::nodes(3_000), Limits::NONE]
        .map(|limits| session.solve_within(&mut alone, false, &limits, &mut |_| {}));
    assert!(cut.answer.score.is_some() && !cut.complete && whole.complete);
}

/// Run a command with --json; leave out the time.
fn timeless(command: &str, input: &str) -> Value {
    let mut answer = blackhole(command, input).expect(0, "").json();
    answer.as_object_mut().expect("an object").remove("seconds");
    answer
}

#[test]
fn analyse_prints_the_best_moves_with_their_numbers() {
    blackhole("analyse", EXAMPLE).expect(0, "1 empty cell, the game is over\nRed wins 84 to 66 (score 9)\n");
    let solved = blackhole("analyse", EMPTY_4).fine();
    let begin = "4 empty cells, red to move\nRed wins 80 to 70 (score 5)\n\nmove  score  then\n";
    assert!(solved.starts_with(begin) && solved.contains(" nodes, "), "{solved}");
    let estimated = blackhole("analyse --limit 0", EMPTY_21).fine();
    let head: Vec<&str> = estimated.lines().take(3).collect();
    let words = ["about 7", " (score ~", " ± "];
    assert!(words.iter().all(|words| head[1].contains(words)), "{head:?}");
    assert!(head[2].starts_with("proven: between Blue wins "), "{head:?}");
    // The same each time, at any length of the record.
    let answer = timeless("analyse --json --limit 0", EMPTY_21);
    assert_eq!(answer, timeless("analyse --json --limit 0 --ply 10", EMPTY_17));
    assert_eq!((&answer["score"], &answer["complete"]), (&Value::Null, &Value::Bool(false)));
}

/// All commands name the same best move.
#[test]
fn analyse_review_and_hint_name_one_move_with_one_score() {
    let issue = "A1 B2 D2 D4 C1 H1=15 B5=15 B1=5 F2=14 A5=13 C3=13 C5=9 A7=12";
    for (game, named) in [(issue, Some("A3=6")), (EMPTY_17, None)] {
        let record = record(game);
        let answer = timeless("analyse --json", game);
        // The stated default is the default: on one core, node by node.
        assert_eq!(timeless("analyse --json --limit 0.17", game), answer);
        let best = answer["moves"][0]["move"].as_str().expect("a move");
        assert_eq!(named.unwrap_or(best), best);
        let (hinted, _) = hint(record.position(), &STOP).expect("a move");
        assert_eq!(hinted.to_string(), best);
        let plies = record.moves().len();
        let reviewed = blackhole(&format!("review --json --from {}", plies + 1), game).json();
        for key in ["score", "bounds", "estimate", "error"] {
            assert_eq!(reviewed["moves"][plies - 1][key], answer[key], "{game}: {key}");
        }
    }
}

#[test]
fn think_prints_the_move_and_its_reasons() {
    let run = |more: &str, input: &str| blackhole(&format!("think --nodes 200 {more}"), input);
    // Without the solver, which would decide at once.
    let thoughts = run("--json --set solve_from=0", EMPTY_17).expect(0, "").json();
    assert_eq!((&thoughts["score"], &thoughts["bounds"]), (&Value::Null, &Value::from(vec![-75, 75])));
    let reason = thoughts["reason"].as_str().expect("a reason");
    // So Blue did in this game.
    assert_eq!(thoughts["opponent"]["kind"], "always plays the largest stone");
    // The chosen move and its row have one chance.
    assert_eq!(thoughts["chance"], thoughts["candidates"][0]["chance"]);
    let plain = run("--set solve_from=0", EMPTY_17).fine();
    assert_eq!(plain.lines().next(), thoughts["move"].as_str());
    for part in ["target  chance  visits", "visits  chance", "\nline ", reason] {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    // Every word shown is explained in the help text.
    assert!(plain.ends_with("\nthe words: blackhole think --help\n"), "{plain}");
    let help = blackhole("think --help", "").fine();
    let words = "target chance visits ahead secures line nodes time left opponent solved exploiting";
    for word in words.split(' ').chain([reason]) {
        assert!(help.contains(&format!("\n{word}: ")), "{word}: {help}");
    }
    // Solved positions have candidates, too.
    for (input, target) in [(EMPTY_4, 5), (EMPTY_17, -1)] {
        let solved = run("--json", input).json();
        assert_eq!((&solved["reason"], &solved["target"]), (&Value::from("solved"), &Value::from(target)));
        assert_eq!([&solved["line"][0], &solved["candidates"][0]["move"]], [&solved["move"]; 2]);
        let plain = run("", input).fine();
        assert!(plain.contains("  secures") && plain.contains("\nline "), "{plain}");
    }
    let seconds = blackhole("think --move-time 0.4 --json", FIVE).json()["seconds"].as_f64();
    assert!(seconds.is_some_and(|seconds| (0.3..30.0).contains(&seconds)), "{seconds:?}");
}

/// A row's place follows from its figures, and few visits show no chance.
#[test]
fn thoughts_stand_in_one_order() {
    let mut random = rng(79);
    let mut reasons = Vec::new();
    for round in 0..36 {
        let game = play_on(&mut random, record("E2 A1 C4 G2 D2"), 4 + round % 18);
        let params = Params { solve_from: 0, ..Params::default() };
        let options = Options { params, nodes: Some(600), memory: 16 << 20, ..Options::default() };
        let thoughts = consider(&mut Engine::new(options), &game, Duration::from_secs(5));
        let answer = ThinkAnswer::of(&thoughts, game.position());
        let (first, others) = answer.candidates.split_first().expect("a move");
        assert_eq!(first.r#move, answer.r#move);
        assert!(others.iter().all(|row| row.ahead.is_none()), "{}", answer.reason);
        let shown = |chance: &Option<f64>| -chance.unwrap_or(0.0);
        assert!(others.is_sorted_by_key(|row| shown(&row.chance)), "{}", answer.reason);
        let sign = f64::from(game.position().to_move().sign());
        assert!(others.is_sorted_by_key(|row| shown(&row.expected.map(|score| 100.0 + sign * score))));
        let most = answer.candidates.iter().map(|row| row.visits).max().unwrap_or(0);
        let is_open = |chance: &f64| ![0.0, 1.0].contains(chance);
        let rare = answer.candidates.iter().filter(|row| 50 * row.visits < most);
        assert!(rare.filter_map(|row| row.chance).all(|chance| !is_open(&chance)));
        reasons.push(answer.reason);
    }
    for reason in ["best ahead", "most visits", "exploiting"] {
        assert!(reasons.iter().any(|it| it == reason), "{reasons:?}");
    }
}

#[test]
fn the_stake_of_a_move_is_what_it_gives_away() {
    let (mut random, mut solver) = (rng(5), Solver::new(16 << 20));
    let mut staked = 0;
    for seed in 0..6 {
        let position = random_play(&mut random, 8 + seed);
        let sign = f64::from(position.to_move().sign());
        let mut value = |position: &Position| {
            f64::from(solver.value(position, 0, &Limits::NONE).exact().expect("solved"))
        };
        let before = value(&position);
        for mv in position.legal_moves().step_by(9) {
            let stake = stake(&position, mv).expect("judged");
            let points = sign * (before - value(&position.after::<Portable>(mv)));
            assert_eq!((stake.points, stake.proven), (points, true), "{mv} in {position:?}");
            staked += u32::from(points > 0.0);
        }
    }
    assert!(staked > 10, "{staked}");
}
