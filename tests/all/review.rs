//! Games judged move by move: losses against brute force and against `solve`, and the commands that
//! read games.

use std::collections::BTreeMap;

use blackhole::games::drawing;
use blackhole::games::files::{PerPlayer, RecordedGame, read};
use blackhole::games::record::Record;
use blackhole::judge::exact::{counted_bounds, principal_variation, rough_bounds};
use blackhole::judge::verdict::Effort;
use blackhole::judge::worth::given_away;
use blackhole::player::board::{Move, Player};
use blackhole::player::limits::Limits;
use blackhole::player::position::Score;
use blackhole::player::solver::Solver;
use blackhole::review::game::{ReviewSettings, review};
use blackhole::review::judged::{JudgedMove, PlayerSummary, Review, mark};
use blackhole::review::summary::{Costly, Losses, summary};
use serde_json::Value;

use crate::common::{
    EXAMPLE, begun_at, brute_value, brute_values, play_on, random_play, record, rng, strong_positions,
    unnamed,
};
use crate::scratch::{Scratch, blackhole};

/// Judge a game from a move on, with nodes that solve it.
fn solved(record: Record, from: usize) -> Review {
    let effort = Effort { nodes: 50_000_000, iterations: 0 };
    review(&unnamed(record), ReviewSettings { effort, from, stop: None }, &mut |_| {})
}

/// A random ending of `empty` cells as a record of its own, played on to the end.
fn random_ending(rng: &mut impl rand::Rng, empty: usize) -> Record {
    let position = random_play(rng, empty);
    let record = begun_at(rng, &position);
    play_on(rng, record, empty)
}

#[test]
fn losses_agree_with_brute_force_on_200_endings() {
    let mut rng = rng(38);
    let (mut losing, mut fine) = (0, 0);
    for round in 0..200 {
        let record = random_ending(&mut rng, 4 + round % 4);
        let review = solved(record.clone(), 1);
        let mut lost = 0;
        let mut values = Vec::new();
        for (ply, judged) in review.moves.iter().enumerate() {
            let position = *record.until(ply).position();
            let before = brute_value(&position);
            let after = brute_value(record.until(ply + 1).position());
            let loss = position.to_move().sign() * (before - after);
            let loss = u8::try_from(loss).expect("no gain");
            let scores = (judged.before.answer.score, judged.after.score, judged.lost);
            assert_eq!(scores, (Some(before), Some(after), Some(loss)), "{record}");
            let worth = brute_values(&position).into_iter();
            let worth: BTreeMap<String, Score> = worth.map(|(mv, value)| (mv.to_string(), value)).collect();
            let moves = judged.before.moves.iter();
            let listed = moves.map(|it| (it.r#move.clone(), it.worth.score.expect("proven"))).collect();
            assert_eq!(worth, listed, "{record}");
            let best = &judged.before.answer.best;
            assert!(best.iter().chain(&judged.best).all(|mv| worth[mv] == before), "{judged:?}");
            assert!(!best.is_empty());
            let mut played = record.until(ply);
            for mv in &judged.before.answer.line {
                played.push(Move::parse(mv).expect("a move")).expect("legal");
            }
            assert_eq!(played.final_score(), Some(before), "best play ends so");
            assert_eq!(judged.mark, mark(loss.into(), None));
            *if loss > 0 { &mut losing } else { &mut fine } += 1;
            lost += if judged.player == "red" { u32::from(loss) } else { 0 };
            values.push(before);
        }
        assert_eq!(lost, review.summary.red.lost);
        // The move that it turned on by its definition.
        let end = record.final_score().expect("a whole game").signum();
        values.extend(record.final_score());
        let settled = |&ply: &usize| values[ply..].iter().all(|value| value.signum() == end);
        assert_eq!(review.decided, (0..values.len()).find(settled), "{values:?}");
    }
    assert!(losing > 200 && fine > 200, "{losing} {fine}");
}

#[test]
fn a_move_may_lose_all_150_points() {
    let game = "A1 A2 A5 A6 A7 B2=15 E1=15 B4=14 E3=14 A3=13 D2=13 C3=12 F2=12 C2=11 F1=11 A4=10 D3=10 A8=9 B1=9 B5=8 \
                B6=8 B7=7 C1=7 C4=6 C5=6 C6=5 D1=5 D4=4 D5=4 E4=3 F3=3 G1=2 G2=2 H1=1 E2=1";
    let review = solved(record(game), 30);
    assert_eq!((review.moves[29].lost, review.moves[29].mark), (Some(150), "??"));
    assert_eq!(review.summary.blue.lost, 150);
    let story = "turned at move 30: Blue's E2=1 gave away 150 points, from 150 to 0 for Blue";
    assert!(review.story[1].contains(story), "{:?}", review.story);
}

/// A position's number is that of its best move, a move's that of the position after it, and a loss their difference.
#[test]
fn numbers_before_and_after_a_move_agree() {
    for (name, game) in [
        ("strong", &include_bytes!("../data/strong.jsonl")[..]),
        ("weak", include_bytes!("../data/journal.jsonl")),
    ] {
        let record = read(game).expect("games").swap_remove(0).record;
        let effort = Effort { nodes: 20_000, ..Effort::FIRST };
        let settings = ReviewSettings { effort, from: 7, stop: None };
        let review = review(&unnamed(record.until(24)), settings, &mut |_| {});
        assert_eq!((review.final_score, review.start.number()), (None, None));
        let (mut kinds, mut known) = ([0; 3], None);
        for (ply, judged) in review.moves.iter().enumerate().skip(6) {
            let (before, player) = (&judged.before, [Player::Red, Player::Blue][ply % 2]);
            let number = before.answer.score.map(f64::from).or(before.estimate).expect("judged");
            let after = judged.after.number().expect("judged");
            let lost = judged.given_away().expect("judged");
            assert!(lost >= 0.0 && lost == given_away(player, number, after), "{name} {judged:?}");
            let listed = |mv: &String| {
                before.moves.iter().find(|it| it.r#move == *mv).and_then(|it| it.worth.number())
            };
            assert_eq!(before.moves[0].worth.number(), Some(number), "{name} {judged:?}");
            assert_eq!(judged.best.as_ref().and_then(listed), Some(number), "{name} {judged:?}");
            assert_eq!(listed(&judged.r#move), Some(after), "{name} {judged:?}");
            assert_eq!(known.replace(after).unwrap_or(number), number, "{name} {judged:?}");
            if ply >= 18 {
                let value = Solver::default().value(record.until(ply).position(), 0, &Limits::NONE).exact();
                let [lower, upper] = before.answer.bounds;
                assert!(value.is_some_and(|value| (lower..=upper).contains(&value)), "{judged:?} {value:?}");
            }
            kinds[usize::from(judged.lost.is_some()) + usize::from(judged.after.score.is_some())] += 1;
        }
        assert!(kinds[0] > 1 && kinds[2] > 1, "{kinds:?}");
    }
}

#[test]
fn bounds_and_lines_are_true() {
    let mut solver = Solver::new(8 << 20);
    for position in [strong_positions(18, 20), strong_positions(12, 10)].concat() {
        let value = solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
        let (rough, best) = rough_bounds(&mut solver, &position, 3, &Limits::NONE);
        for bounds in [counted_bounds(&position), rough] {
            assert!(bounds.lower <= value && value <= bounds.upper, "{bounds:?} {value} {position:?}");
        }
        assert!(position.empty().len() < 18 || rough.upper - rough.lower < 60, "{rough:?}");
        assert!(best.is_none_or(|mv| position.check(mv).is_ok()));
        let mut record = position;
        let moves = principal_variation(&mut solver, &position, None, &Limits::NONE);
        moves.iter().for_each(|&mv| record.try_play(mv).expect("a legal line"));
        assert_eq!(record.final_score(), Some(value), "{position:?}");
    }
}

#[test]
fn a_summary_agrees_with_its_rows_and_games() {
    let mut rng = rng(2);
    let reviews: Vec<(usize, Review)> = (1..=12)
        .map(|number| {
            let names = if number % 2 == 0 { ["a", "b"] } else { ["b", ""] }.map(str::to_owned);
            let game = RecordedGame { names, ..unnamed(random_ending(&mut rng, 6)) };
            let mut review = review(&game, ReviewSettings::default(), &mut |_| {});
            // As if the first move was estimated.
            let judged = &mut review.moves[0];
            (judged.estimated_lost, judged.lost) = (judged.lost.map(f64::from), None);
            let own = |player: Player| review.moves.iter().filter(move |it| it.player == player.to_string());
            review.summary = PerPlayer::of(|player| PlayerSummary::of(own(player)));
            (number, review)
        })
        .collect();
    let all = summary(&reviews, 1);
    let bots: Vec<(&str, usize)> = all.bots.iter().map(|bot| (bot.name.as_str(), bot.games)).collect();
    assert_eq!(bots, [("a", 6), ("b", 12), ("blue", 6)]);
    let of_losses = |row: &Losses| {
        [row.judged.into(), row.lost.unwrap_or(0.0) * f64::from(row.judged), row.marked.into(), row.about]
    };
    let sum = |rows: &[[f64; 4]]| [0, 1, 2, 3].map(|n| rows.iter().map(|row| row[n]).sum::<f64>().round());
    let mut costs = Vec::new();
    for bot in &all.bots {
        assert!(bot.rows.is_sorted_by(|a, b| a.empty > b.empty) && bot.rows.len() > 1);
        let of_rows: Vec<[f64; 4]> = bot.rows.iter().map(of_losses).collect();
        assert_eq!(sum(&of_rows), sum(&[of_losses(&bot.all)]), "{bot:?}");
        assert!(bot.all.error > Some(0.0) && !bot.costliest.is_empty() && bot.costliest.len() <= 5);
        let cost = |costly: &Costly| {
            let judged = &reviews[costly.game - 1].1.moves[costly.ply - 1];
            assert_eq!((&judged.r#move, judged.lost), (&costly.r#move, costly.lost));
            judged.cost()
        };
        let own: Vec<f64> = bot.costliest.iter().map(cost).collect();
        assert!(own.is_sorted_by(|one, other| one >= other));
        costs.extend(own);
    }
    // The summary counts moves as the games do.
    let players = reviews.iter().flat_map(|(_, it)| [&it.summary.red, &it.summary.blue]);
    let of_games = players.map(|it| [it.judged.into(), it.lost.into(), it.marked.into(), it.about]);
    let of_bots: Vec<[f64; 4]> = all.bots.iter().map(|bot| of_losses(&bot.all)).collect();
    assert_eq!(sum(&of_bots), sum(&of_games.collect::<Vec<_>>()));
    assert!(
        all.bots.iter().any(|bot| bot.all.marked > 0 && bot.costliest.iter().any(|it| it.lost.is_none()))
    );
    let of_moves = reviews.iter().flat_map(|(_, review)| &review.moves).map(JudgedMove::cost);
    assert_eq!(costs.into_iter().fold(0.0, f64::max), of_moves.fold(0.0, f64::max));
}

#[test]
fn a_game_is_shown_as_a_table_of_80_columns() {
    let table = blackhole("review --from 18 --limit 60", EXAMPLE).fine();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    // The score beside a move is that after it; the table begins with the one before them.
    let json = blackhole("review --from 18 --limit 60 --json", EXAMPLE).json();
    for ply in [17, 18, 30] {
        let row = table.lines().find(|line| line.starts_with(&format!("{ply:>4}  "))).expect("a row");
        let scores = row.split_whitespace().nth(if ply == 17 { 1 } else { 3 });
        assert_eq!(scores.map(str::to_owned), Some(json["moves"][ply - 1]["score"].to_string()), "{row}");
    }
    for words in [
        "Red won 84 to 66. Red was winning after 17 moves already.",
        "\n  18  blue    D1=2  ",
        "red minus blue, after the row's move",
        " gave away ",
        "?",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let names = r#"{"red":"\u001b[2Jx","blue":"<script>","blocked":["E2","A1","C4","G2","D2"],"moves":[]}"#;
    let forfeit = names.replace("\"moves\"", "\"points\":[0,150],\"moves\"");
    let fault = forfeit
        .replace("\"moves\"", r#""faults":[{"by":"red","class":"time","detail":"\u001blate"}],"moves""#);
    blackhole("review", &fault).expect(0, "\nthe match says: red: time: ?late\n");
    // A bot that writes after the last move loses a finished game.
    let whole = format!("# red a, blue b, round 1\n{}\n# points 0 to 150\n", record(EXAMPLE));
    blackhole("review --from 30", &whole)
        .expect(0, "\nA forfeit: 0 points for Red, 150 for Blue, instead of 84 to 66.\n");
    let long = blackhole("review --from 5", fault.replace("late", &"late ".repeat(20))).fine();
    assert!(long.lines().all(|line| line.len() <= 80) && !long.contains("-75..75"), "{long}");
    // Marks and joiners belong to names.
    for name in ["ผู้เล่น", "हिन्दी", "Rene\u{301}", "👨\u{200d}👩\u{200d}👧"]
    {
        blackhole("review --limit 0", names.replace("<script>", name)).expect(0, &format!("blue {name}\n"));
    }
    let shown = blackhole("review --limit 0", names).fine();
    assert!(shown.starts_with("red ?[2Jx, blue <script>\n"), "{shown}");
}

#[test]
fn games_are_converted_and_shown() {
    let whole = record(EXAMPLE).to_string();
    let json = blackhole("convert --to json", format!("{whole}\n{EXAMPLE}\n")).fine();
    for (form, expected) in [("record", whole.as_str()), ("base36", EXAMPLE)] {
        let both = blackhole(&format!("convert --to {form}"), &json).fine();
        assert_eq!(both, format!("{expected}\n{expected}\n"));
        let second = blackhole(&format!("convert --to {form} --game 2"), &json).fine();
        assert_eq!(second, format!("{expected}\n"));
    }
    let drawing = drawing::board(&record(EXAMPLE));
    let end = format!("{drawing}after 30 of 30 moves, blue played C6=1; final score 9\n");
    assert_eq!(blackhole("show", EXAMPLE).fine(), end);
    let torn = blackhole("convert", format!("{whole}\n{}", &json[..50])).expect(0, "").stderr;
    assert_eq!(torn, "standard input: the torn last line is left out\n");
    // Of several games on all cores each is the same, in the order of the file.
    let games: String = (0..12).map(|n| format!("{}\n", record(EXAMPLE).until(30 - n))).collect();
    let several = blackhole("review --json --from 20 --limit 60", &games).fine();
    let record = |line| serde_json::from_str::<Value>(line).expect("JSON")["record"].clone();
    assert_eq!(several.lines().map(record).collect::<Vec<_>>(), games.lines().collect::<Vec<_>>());
    let nothing = blackhole("review --summary", "E2 A1 C4 G2 D2").fine();
    assert!(nothing.contains("blue, 1 game\n") && nothing.contains("red, 1 game\n"), "{nothing}");
    blackhole("show --ply 0", EXAMPLE).expect(0, "after 0 of 30 moves; red to move\n");
}

/// Logs and journals of a match are games like others.
#[test]
fn journals_and_logs_of_a_match_are_read() {
    let scratch = Scratch::new("review-match");
    let bots = "--bot a=builtin:random --bot b=builtin:greedy";
    scratch.run(&format!("match {bots} --pairs 1 --journal games --logs logs")).expect(0, "");
    scratch.shell("for log in logs/*; do blackhole convert $log; done | sort >written").expect(0, "");
    scratch.shell("blackhole convert games | sort >kept").expect(0, "");
    let kept = scratch.read("kept");
    assert_eq!((scratch.read("written"), kept.lines().count()), (kept.clone(), 2));
    let text = scratch.table("review --limit 0 --from 30 games");
    assert!(text.contains("game 1: round 1, red a, blue b\n") && text.contains("\ngame 2: "), "{text}");
    let summarise =
        |html: &str| scratch.run(&format!("review --summary --limit 60 --from 20 --html {html} games"));
    // Numbers are those in the file, and no move is counted that was not to be judged.
    let second = scratch.table("review --summary --limit 60 --from 20 --game 2 games");
    assert!(second.contains("\ngame 2, ply ") && !second.contains("game 1"), "{second}");
    let late = scratch.table("review --summary --limit 60 --from 28 games");
    assert!(
        late.contains("\n  all      3   100 %       3") && late.contains("\ncostliest moves:\n"),
        "{late}"
    );
    // No row is empty.
    let early = scratch.table("review --summary --limit 0 --from 25 games");
    assert!(!early.contains("   0                   -\n"), "{early}");
    // An older page is written again.
    let [_, summary] = [(), ()].map(|()| summarise("page.html").expect(0, " points, best was ").stdout);
    let page = scratch.read("page.html");
    assert!(
        page.len() < 300_000
            && page.contains("\"costliest\"")
            && page.contains(kept.lines().next().expect("a game"))
    );
    assert!(summary.contains("\n\na, 2 games\nempty  moves"), "{summary}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_prints_the_results_so_far() {
    use crate::scratch::{Ran, signal, ticks, wait_for, wait_for_handler};
    let scratch = Scratch::new("review-stop");
    let game = read(include_bytes!("../data/strong.jsonl")).expect("games").swap_remove(0).record;
    scratch.write("begun", game.until(2).to_string());
    scratch.write("whole", game.to_string());
    for (options, expected) in [
        ("solve begun", "between Blue wins "),
        ("review --limit 100 whole", "Blue won 77 to 73"),
        ("review --limit 100 --summary --html page whole", "empty: "),
        ("analyse --limit 1000 --ply 3 whole", "28 empty cells, blue to move\n"),
    ] {
        let child = scratch.start_shell(&format!("exec blackhole {options}"));
        wait_for_handler(&child);
        // The moves at the end are known soon.
        wait_for("half a second of work", || ticks(child.id()) > 50);
        signal(&child, "INT");
        let ran = Ran::from(child).expect(130, "interrupted");
        assert!(ran.stdout.contains(expected), "{}", ran.said());
    }
    assert!(!scratch.path("page").exists(), "no page without a game takes an older one's place");
}
