//! What a review says beyond exact scores: estimates and their marks, kinds of players, the story.

use std::fs;
use std::time::Duration;

use blackhole::games::files::read;
use blackhole::games::record::Record;
use blackhole::judge::estimate::{error_at, estimate};
use blackhole::player::expectation::greedy_move;
use blackhole::player::limits::Limits;
use blackhole::player::solver::{Bounds, Solver};
use blackhole::review::game::{ReviewSettings, Reviewer};
use blackhole::review::judged::{Review, estimated_mark, mark};
use serde_json::{Value, json};

use crate::common::{
    EXAMPLE, random_move, random_opening, readme_block, record, rng, strong_positions, unnamed,
};
use crate::scratch::Scratch;

/// A game of players who are greedy, or else move at random, up to a ply.
fn played(seed: u64, greedy: [bool; 2], plies: usize) -> Record {
    let mut rng = rng(seed);
    let mut record = Record::standard(&random_opening(&mut rng)).expect("five cells");
    for _ in 0..plies {
        let position = *record.position();
        let is_greedy = greedy[position.to_move().index()];
        let mv = if is_greedy { greedy_move(&position) } else { random_move(&mut rng, &position) };
        record.push(mv).expect("legal");
    }
    record
}

fn reviewed(record: Record, limit: Duration, from: usize, estimates: bool) -> Review {
    let (details, memory) = (from == 1 && !estimates, 1 << 20);
    let settings = ReviewSettings { limit, from, estimates, details, memory, stop: None };
    Reviewer::new(settings).review(&unnamed(record), &mut |_| {})
}

/// List what has a digit in a text: numbers and moves.
fn figures(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "=.-".contains(c)));
    let words = words.map(|word| word.trim_end_matches('.').to_owned());
    words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// List the figures that a story must have, by the review's JSON alone.
fn due_figures(review: &Value, told: Option<usize>, is_turn: bool) -> Vec<String> {
    let points = |score: i64| [75 + score.abs(), 75 - score.abs()].map(|points| points.to_string()).to_vec();
    let moves = review["moves"].as_array().expect("moves");
    let last = moves.last().unwrap_or(&review["start"]);
    let mut due = match (review["final_score"].as_i64(), last["score"].as_i64(), last["estimate"].as_f64()) {
        (Some(score), ..) | (None, Some(score), _) => points(score),
        (None, None, estimate) => estimate.map(|estimate| format!("{estimate:.1}")).into_iter().collect(),
    };
    if let Some(ply) = told {
        let judged = &moves[ply - 1];
        let estimated = || format!("{:.1}", judged["estimated_lost"].as_f64().expect("a loss"));
        let lost = judged["lost"].as_i64().map_or_else(estimated, |lost| lost.to_string());
        let text = |key: &str| judged[key].as_str().expect("a move").to_owned();
        due.extend([ply.to_string(), text("move"), lost]);
        let before = if ply > 1 { &moves[ply - 2] } else { &review["start"] };
        let scores = [before, judged].map(|known| known["score"].as_i64());
        if let ([Some(before), Some(after)], true) = (scores, is_turn) {
            due.extend([before, after].into_iter().filter(|&score| score != 0).flat_map(points));
        }
        due.push(text("best"));
    }
    due
}

#[test]
fn a_story_has_at_most_three_sentences_and_the_figures_of_the_json() {
    let (mut turns, mut quiet, mut estimated) = (0, 0, 0);
    for seed in 0..200 {
        let greedy = [seed % 3 == 0, seed % 2 == 0];
        // Some games are judged by estimates from the beginning, some end early.
        let estimates = seed % 50 == 0;
        let from = if estimates { 1 } else { 21 };
        let plies = if estimates { 9 } else { 30 - 6 * usize::from(seed % 10 == 0) };
        let limit = if estimates { Duration::ZERO } else { Duration::from_secs(20) };
        let review = reviewed(played(seed, greedy, plies), limit, from, estimates);
        let text = review.story.join(" ");
        let told = text.split_once(" move ").filter(|_| text.contains("gave away"));
        let told =
            told.and_then(|(_, rest)| rest.split(':').next()?.rsplit(' ').next()?.parse::<usize>().ok());
        let is_turn = text.contains(" turned at ");
        assert!((1..=3).contains(&review.story.len()), "{text}");
        assert_eq!(figures(&text), due_figures(&json!(review), told, is_turn), "{text}");
        // The costliest moves first.
        let costs: Vec<f64> = review.worst.iter().map(|&ply| review.moves[ply - 1].cost().round()).collect();
        let most = review.moves.iter().map(|judged| judged.cost().round()).fold(0.0, f64::max);
        assert!(costs.is_sorted_by(|a, b| a >= b) && costs.first().copied().unwrap_or(0.0) == most);
        let loser = |player: &str| {
            review.final_score.is_none_or(|score| score == 0 || (score > 0) != (player == "red"))
        };
        match told.map(|ply| &review.moves[ply - 1]) {
            Some(judged) => {
                assert!(judged.cost() > 0.0 && loser(&judged.player), "{text}");
                turns += u32::from(is_turn);
                estimated += u32::from(judged.lost.is_none());
            }
            None => {
                assert!(!review.moves.iter().any(|it| it.cost() > 0.0 && loser(&it.player)), "{text}");
                quiet += 1;
            }
        }
    }
    assert!(turns > 30 && quiet > 10 && estimated > 1, "{turns} {quiet} {estimated}");
}

/// Four moves that throw a game away, long before the solver can tell.
#[test]
fn moves_that_throw_a_game_away_are_marked() {
    for (text, loser, own) in [
        ("E4 F2 A5 A7 C1 A1=1 B7=7 H1=2 C5=12 G1=3 B4=10 F1=4 D3=6", "red", 0),
        ("E4 F2 A5 A7 C1 C5=10 A1=1 B7=7 H1=2 B4=12 G1=3 E2=8 F1=4 F3=14", "blue", 1),
    ] {
        let review = reviewed(record(text), Duration::ZERO, 1, true);
        for judged in &review.moves {
            let is_marked = judged.mark.starts_with('~');
            assert_eq!(is_marked, judged.player == loser, "{judged:?}");
            assert!(is_marked || judged.mark.is_empty());
        }
        let summary = [&review.summary.red, &review.summary.blue][own];
        assert_eq!((summary.judged, summary.lost), (0, 0));
        assert_eq!(review.moves.iter().filter(|judged| !judged.mark.is_empty()).count(), 4);
        assert!(review.story[1].starts_with("The ") && review.story[1].contains(" gave away about "));
    }
}

/// Among equal losses the one that gave the win away is told, and listed first.
#[test]
fn a_draw_turns_where_the_win_was_given_away() {
    let games = read(include_bytes!("../data/journal.jsonl")).expect("games").into_iter();
    let game = games.filter(|game| game.title == "round 6").find(|game| game.names[0] == "negamax");
    let game = game.expect("a game");
    let review = reviewed(game.record, Duration::from_secs(60), 13, false);
    let story = "A draw, 75 to 75. The game turned at move 15: Red's A8=8 gave away 1 point, from 76 to 74 for Red to a \
                 draw; B5=8 was better.";
    assert_eq!(review.story.join(" "), story);
    assert_eq!(review.worst, [15, 14]);
}

#[test]
fn marks_begin_at_their_losses() {
    let marks = [0, 1, 2, 3, 4].map(mark);
    assert_eq!(marks, ["", "?!", "?", "?", "??"]);
    let losses =
        [(0.4, 0.0), (0.5, 0.0), (0.9, 1.0), (1.0, 1.0), (1.9, 0.0), (2.0, 2.0), (3.9, 0.0), (4.0, 0.0)];
    let estimated = losses.map(|(lost, doubt)| estimated_mark(lost, doubt));
    assert_eq!(estimated, ["", "~?!", "", "~?!", "~?!", "~?", "~?", "~??"]);
}

#[test]
fn estimates_are_near_the_exact_scores_and_the_same_each_time() {
    let mut solver = Solver::new(16 << 20);
    let (mut off, mut count) = (0.0, 0.0);
    for position in strong_positions(17, 7) {
        let exact = solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
        let found = estimate(&position, Bounds::UNKNOWN);
        assert!(position.check(found.best.expect("a move")).is_ok() && found.error == error_at(17));
        off += (found.score - f64::from(exact)).abs();
        count += 1.0;
        let within = estimate(&position, Bounds { lower: exact, upper: exact });
        assert_eq!(within.score, f64::from(exact), "{position:?}");
    }
    assert!(off / count < 0.5, "{off} in {count}");
    let start = strong_positions(31, 60).swap_remove(0);
    let [one, other] = [(); 2].map(|()| estimate(&start, Bounds::UNKNOWN));
    assert_eq!((one.score, one.best, one.line), (other.score, other.best, other.line));
}

/// The examples of the README's review, with the files of the project.
#[test]
fn the_examples_of_the_readme_run() {
    let scratch = Scratch::new("readme-review");
    fs::create_dir_all(scratch.path("tests/data")).expect("a folder");
    let (game, journal) = (include_str!("../data/game.txt"), include_str!("../data/journal.jsonl"));
    scratch.write("tests/data/game.txt", game);
    scratch.write("tests/data/journal.jsonl", journal.lines().take(2).collect::<Vec<_>>().join("\n"));
    scratch.write("tests/data/ending.txt", include_str!("../data/ending.txt"));
    // The game of the README itself.
    assert_eq!(record(game), record(EXAMPLE));
    let lines = readme_block("sh\nblackhole review").lines().skip(1);
    for (line, words) in lines.zip([
        "Red wins 84 to 66. ",
        "\ngreedy, 2 games\n",
        "22 empty cells, blue to move\n",
        "Red wins 79 to 71 (score 4)\n",
        "\nline ",
        EXAMPLE,
        "after 9 of 30 moves",
    ]) {
        // The journal is short here; the README has no limits.
        let limited = line.replace("blackhole review", "blackhole review --limit 0.05");
        scratch.shell(&limited).expect(0, words);
    }
    assert!(scratch.read("page.html").contains("Red wins 84 to 66."));
}
