//! Games judged move by move: losses against brute force and against `solve`, and the commands that
//! read games.

use std::collections::BTreeMap;

use blackhole::games::drawing;
use blackhole::judge::exact::{counted_bounds, principal_variation, rough_bounds};
use blackhole::judge::worth::given_away;
use blackhole::page::game_data;
use blackhole::review::story::with_story;
use blackhole::review::summary::{Costly, Losses, summary};

use crate::common::*;

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
        let effort = Effort { nodes: 50_000_000, iterations: 0 };
        let settings = ReviewSettings { effort, ..ReviewSettings::default() };
        let review = review(&unnamed(record.clone()), settings, &mut |_| {});
        let value = |ply: usize| brute_value(record.until(ply).position());
        let values: Vec<Score> = (0..=record.moves().len()).map(value).collect();
        let mut lost = 0;
        for (ply, judged) in review.moves.iter().enumerate() {
            let position = *record.until(ply).position();
            let (before, after) = (values[ply], values[ply + 1]);
            let loss = u8::try_from(position.to_move().sign() * (before - after)).expect("no gain");
            let scores = (judged.before.answer.score, judged.after.score, judged.lost);
            assert_eq!(scores, (Some(before), Some(after), Some(loss)), "{record}");
            let worth = brute_values(&position).into_iter();
            let worth: BTreeMap<String, Score> = worth.map(|(mv, value)| (mv.to_string(), value)).collect();
            let moves = judged.before.moves.iter();
            let listed = moves.map(|it| (it.r#move.clone(), it.worth.score.expect("proven"))).collect();
            assert_eq!(worth, listed, "{record}");
            let mut best = judged.before.answer.best.iter().chain(&judged.best);
            assert!(best.all(|mv| worth[mv] == before) && judged.best.is_some(), "{judged:?}");
            let mut played = record.until(ply);
            for mv in &judged.before.answer.line {
                played.push(Move::parse(mv).expect("a move")).expect("legal");
            }
            assert_eq!(played.final_score(), Some(before), "best play ends so");
            assert_eq!(judged.mark, mark(loss.into(), None));
            *if loss > 0 { &mut losing } else { &mut fine } += 1;
            lost += if judged.player == "red" { u32::from(loss) } else { 0 };
        }
        assert_eq!(lost, review.summary.red.lost);
        // The move that it turned on by its definition.
        let end = record.final_score().map(Score::signum);
        let settled = |&ply: &usize| values[ply..].iter().all(|value| Some(value.signum()) == end);
        assert_eq!(review.decided, (0..values.len()).find(settled), "{values:?}");
    }
    assert!(losing > 200 && fine > 200, "{losing} {fine}");
}

/// A position has its best move's score, a move that of the position after it, and a loss is their difference.
#[test]
fn scores_before_and_after_a_move_agree() {
    for name in ["strong", "journal"] {
        let games = fs::read(format!("tests/data/{name}.jsonl")).expect("a file");
        let record = files::read(&games[..]).expect("games").swap_remove(0).record;
        let effort = Effort { nodes: 20_000, ..Effort::FIRST };
        let settings = ReviewSettings { effort, from: 7, stop: None };
        let review = review(&unnamed(record.until(24)), settings, &mut |_| {});
        assert_eq!((review.final_score, review.start.value()), (None, None));
        let (mut kinds, mut known) = ([0; 3], None);
        for (ply, judged) in review.moves.iter().enumerate().skip(6) {
            let (before, player) = (&judged.before, [Player::Red, Player::Blue][ply % 2]);
            let score = before.answer.score.map(f64::from).or(before.estimate).expect("judged");
            let after = judged.after.value().expect("judged");
            let lost = judged.given_away().expect("judged");
            assert!(lost >= 0.0 && lost == given_away(player, score, after), "{name} {judged:?}");
            let listed =
                |mv: &String| before.moves.iter().find(|it| it.r#move == *mv).and_then(|it| it.worth.value());
            let best = &before.moves[0];
            assert_eq!(best.line, before.answer.line, "{name} {judged:?}");
            assert!(best.worth.error.is_none_or(|error| Some(error) == before.error), "{name} {judged:?}");
            assert_eq!(best.worth.value(), Some(score), "{name} {judged:?}");
            assert_eq!(judged.best.as_ref().and_then(listed), Some(score), "{name} {judged:?}");
            assert_eq!(listed(&judged.r#move), Some(after), "{name} {judged:?}");
            assert_eq!(known.replace(after).unwrap_or(score), score, "{name} {judged:?}");
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
    let mut reviews = Vec::new();
    for number in 1..=12 {
        let names = if number % 2 == 0 { ["a", "b"] } else { ["b", ""] }.map(str::to_owned);
        let game = RecordedGame { names, ..unnamed(random_ending(&mut rng, 6)) };
        let mut review = review(&game, ReviewSettings::default(), &mut |_| {});
        // As if the first move was estimated.
        let judged = &mut review.moves[0];
        (judged.estimated_lost, judged.lost) = (judged.lost.map(f64::from), None);
        let review = with_story(review);
        // Estimates of both were left out of a page's list of games.
        let both: f64 = review.moves.iter().map(JudgedMove::cost).sum();
        let is_about = review.moves[0].marked_loss().is_some();
        let told = format!("{}{both}", if is_about { "≈" } else { "" });
        assert_eq!(game_data(number, &review)["lost"], *told);
        reviews.push((number, review));
    }
    let all = summary(&reviews, 1);
    let bots: Vec<(&str, usize)> = all.bots.iter().map(|bot| (bot.name.as_str(), bot.games)).collect();
    assert_eq!(bots, [("a", 6), ("b", 12), ("blue", 6)]);
    let of_losses = |row: &Losses| {
        [row.judged.into(), row.lost.unwrap_or(0.0) * f64::from(row.judged), row.marked.into(), row.about]
    };
    let sum = |rows: &[[f64; 4]]| [0, 1, 2, 3].map(|n| rows.iter().map(|row| row[n]).sum::<f64>().round());
    let mut most = 0.0f64;
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
        most = most.max(own[0]);
    }
    // The summary counts moves as the games do.
    let players = reviews.iter().flat_map(|(_, it)| [&it.summary.red, &it.summary.blue]);
    let of_games = players.map(|it| [it.judged.into(), it.lost.into(), it.marked.into(), it.about]);
    let of_bots: Vec<[f64; 4]> = all.bots.iter().map(|bot| of_losses(&bot.all)).collect();
    assert_eq!(sum(&of_bots), sum(&of_games.collect::<Vec<_>>()));
    assert!(all.bots.iter().any(|bot| bot.costliest.iter().any(|it| it.lost.is_none())), "an estimate");
    let of_moves = reviews.iter().flat_map(|(_, review)| &review.moves).map(JudgedMove::cost);
    assert_eq!(most, of_moves.fold(0.0, f64::max));
}

#[test]
fn a_game_is_shown_as_a_table_of_80_columns() {
    let table = blackhole("review --from 2", format!("{EMPTY_4} A1=3 A2=2 A4=5")).fine();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    // The score beside a move is that after it; the table begins with the one before them.
    let rows = "
   1                           1
   2  blue    A2=2             5               4 ??    A3=2
   3  red     A4=5             3               2 ?     A3=5
";
    for words in [
        "Red won 78 to 72. Red was winning after 1 move already. ",
        rows,
        "red minus blue, after the row's move",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let names = r#"{"red":"\u001b[2Jx","blue":"<script>","blocked":["E2","A1","C4","G2","D2"],"moves":[]}"#;
    let forfeit = names.replace("\"moves\"", "\"points\":[0,150],\"moves\"");
    let class = r#""faults":[{"by":"red","class":"time","detail":"\u001blate"}],"moves""#;
    let fault = forfeit.replace("\"moves\"", class);
    blackhole("review --from 5", &fault).expect(0, "\nthe match says: red: time: ?late\n");
    // A bot that writes after the last move loses a finished game.
    let whole = format!("# red a, blue b, round 1\n{}\n# points 0 to 150\n", record(EXAMPLE));
    blackhole("review --from 30", &whole)
        .expect(0, "\nA forfeit: 0 points for Red, 150 for Blue, instead of 84 to 66.\n");
    let long = blackhole("review --from 5", fault.replace("late", &"late ".repeat(20))).fine();
    assert!(long.lines().all(|line| line.len() <= 80) && !long.contains("-75..75"), "{long}");
    // Marks and joiners belong to names.
    for name in ["ผู้เล่น", "हिन्दी", "Rene\u{301}", "👨\u{200d}👩\u{200d}👧"]
    {
        blackhole("review --from 5", names.replace("<script>", name)).expect(0, &format!("blue {name}\n"));
    }
    let shown = blackhole("review --from 5", names).fine();
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
    // Numbers are those in the file, and no move is counted that was not to be judged.
    let second = scratch.table("review --summary --limit 60 --from 20 --game 2 games");
    assert!(second.contains("\ngame 2, ply ") && !second.contains("game 1"), "{second}");
    let late = scratch.table("review --summary --limit 60 --from 28 games");
    let words = ["\n  all      3   100 %       3", "\ncostliest moves:\n"];
    assert!(words.iter().all(|words| late.contains(words)), "{late}");
    // No row is empty.
    let early = scratch.table("review --summary --limit 0 --from 25 games");
    assert!(!early.contains("   0                   -\n"), "{early}");
    // An older page is written again.
    let run = "review --summary --limit 60 --from 20 --html page.html games";
    let [_, summary] = [(), ()].map(|()| scratch.run(run).expect(0, " points, best was ").stdout);
    let page = scratch.read("page.html");
    let game = kept.lines().next().expect("a game");
    assert!(page.len() < 300_000 && page.contains("\"costliest\"") && page.contains(game));
    assert!(summary.contains("\n\na, 2 games\nempty  moves"), "{summary}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_prints_the_results_so_far() {
    let scratch = Scratch::new("review-stop");
    let game = files::read(include_bytes!("../data/strong.jsonl")).expect("games").swap_remove(0).record;
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
        wait_for("some work", || ticks(child.id()) > 20);
        interrupt(child).expect(130, "interrupted").expect(130, expected);
    }
    assert!(!scratch.path("page").exists(), "no page without a game takes an older one's place");
}
