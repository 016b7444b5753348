//! A review beyond exact scores: estimates and their marks, the story.

use blackhole::judge::worth::Worth;
use blackhole::review::story::with_story;

use crate::common::*;

/// The worth of a position: `3` a proven score, `0.4~.5` an estimate and its error, with `<-1` below a
/// proven bound; `?` nothing.
fn worth(text: &str) -> Worth {
    let number = |text: &str| text.parse::<f64>().expect("a number");
    if text == "?" {
        return Worth::proven(Bounds::UNKNOWN);
    }
    let Some((estimate, error)) = text.split_once('~') else {
        let score = number(text) as i8;
        return Worth::proven(Bounds { lower: score, upper: score });
    };
    let (error, upper) = error.split_once('<').map_or((error, 75), |(it, end)| (it, number(end) as i8 - 1));
    Worth::estimated(Bounds { lower: -75, upper }, [number(estimate), number(error)])
}

/// Judge a game, Red's move first, by the worth before each move and at the end: `=` if it is over, `!`
/// if Red lost by a fault. The moves are A1=1, A2=2 and so on, the best ones H1=9.
fn judged(game: &str) -> Review {
    let known: Vec<Worth> = game.trim_end_matches(['=', '!']).split_whitespace().map(worth).collect();
    let moves = known.windows(2).zip(1..).map(|(around, ply)| {
        let mv = Move::parse(&format!("A{ply}={ply}")).expect("a move");
        let player = [Player::Blue, Player::Red][ply % 2];
        JudgedMove {
            best: Some("H1=9".to_owned()),
            ..JudgedMove::of(ply, (player, mv), [around[0], around[1]])
        }
    });
    let final_score = known.last().and_then(|last| last.score).filter(|_| game.ends_with('='));
    let points = game.ends_with('!').then_some([0, 150]);
    let review = Review { start: known[0], moves: moves.collect(), final_score, points, ..Review::default() };
    with_story(review)
}

#[test]
fn the_story_tells_the_move_that_the_game_turned_on_and_a_costlier_one_with_its_reason() {
    let turned = "The game turned at move";
    for (game, story) in [
        // The loser held until move 2; a costlier move came later, and all the reasons of one.
        ("0 0 2 2 9 9=", format!("Red won 84 to 66. {turned} 2: Blue's A2=2 gave away 2 points, and a draw became 77 to 73 \
          for Red; H1=9 was better. Move 4 cost most: Blue's A4=4 gave away 7, when the game was lost already.")),
        ("0 0 5 0 1 1=", format!("Red won 76 to 74. {turned} 4: Blue's A4=4 gave away 1 point, and a draw became 76 to 74 for \
          Red; H1=9 was better. Move 2 cost most: Blue's A2=2 gave away 5, but Red lost that lead again.")),
        ("-6 -6 -2 -2 1 1=", format!("Red won 76 to 74. {turned} 4: Blue's A4=4 gave away 3 points, and 77 to 73 for Blue \
          became 76 to 74 for Red; H1=9 was better. Move 2 cost most: Blue's A2=2 gave away 4, but the game could still be \
          held.")),
        ("4 0 2 2=", format!("Red won 77 to 73. {turned} 2: Blue's A2=2 gave away 2 points, and a draw became 77 to 73 for \
          Red; H1=9 was better. Move 1 cost most: Red's A1=1 gave away 4, and Blue could hold again.")),
        ("-1 -6 -3 -3 1 1=", format!("Red won 76 to 74. {turned} 4: Blue's A4=4 gave away 4 points, and 78 to 72 for Blue \
          became 76 to 74 for Red; H1=9 was better. Move 1 cost most: Red's A1=1 gave away 5, but Blue lost that \
          lead again.")),
        // A result that was settled from the start, proven and estimated.
        ("6 1 1=", "Red won 76 to 74. Red was winning from the start. Move 1 cost most: Red's A1=1 gave away 5, but Red \
          was still winning.".to_owned()),
        ("-3 -3 -3=", "Blue won 78 to 72. Blue was winning from the start.".to_owned()),
        ("2.0~.5 2.0~.5 3 3=", "Red won 78 to 72. Red was probably winning from the start. Move 2 cost most: \
          Blue's A2=2 gave away about 1.0, when the game was lost already.".to_owned()),
        // An estimate within its error of holding is likely to hold, but not against a proof.
        ("0.4~.2 -1.2~.3 -1.2~.3 -2=", "Blue won 77 to 73. The game probably turned at move 1, Red's A1=1: after it \
          Blue was likely to win; H1=9 looked about 1.6 points better.".to_owned()),
        ("2.0~.2 -1.0~1.2<0 -1.0~1.2<0 -2 -2=", "Blue won 77 to 73. The game probably turned at move 1, Red's A1=1: \
          after it Blue was certain to win; H1=9 looked about 3 points better.".to_owned()),
        // Losses within their error: the numbers beside them had Blue ahead before the turn.
        // It said "turned" where the winner had looked ahead before.
        ("-.4~.5 -.6~.7 -.6~.3 -1=", "Blue won 76 to 74. The game probably turned at move 1, Red's A1=1: Blue was \
          only about 0.4 ahead before it, and likely to win after it; H1=9 looked about 0.2 points better.".to_owned()),
        (".6~1.2 .6~1.2 2 2=", "Red won 77 to 73. The game probably turned at move 2, Blue's A2=2: Red was only \
          about 0.6 ahead before it, and certain to win after it; H1=9 looked about 1.4 points better.".to_owned()),
        ("1.0~.2 .1~.3 .1~.3 0=", "A draw, 75 to 75. The game probably turned at move 1, Red's A1=1: after it a draw \
          was likely; H1=9 looked about 0.9 points better.".to_owned()),
        // Draws.
        ("0 0 0=", "A draw, 75 to 75. The game was level from the start.".to_owned()),
        ("0 -6 -2 -2 0 0=", format!("A draw, 75 to 75. {turned} 4: Blue's A4=4 gave away 2 points, and 77 to 73 for Blue became \
          a draw; H1=9 was better. Move 1 cost most: Red's A1=1 gave away 6, but Blue gave the win back.")),
        ("7 1 1 0=", format!("A draw, 75 to 75. {turned} 3: Red's A3=3 gave away 1 point, and 76 to 74 for Red became a draw; \
          H1=9 was better. Move 1 cost most: Red's A1=1 gave away 6, but Red was still winning.")),
        ("-3 -3 0 0 1 0=", format!("A draw, 75 to 75. {turned} 5: Red's A5=5 gave away 1 point, and 76 to 74 for Red became a \
          draw; H1=9 was better. Move 2 cost most: Blue's A2=2 gave away 3, and the game was level.")),
        ("0 0 1 0=", format!("A draw, 75 to 75. {turned} 3: Red's A3=3 gave away 1 point, and 76 to 74 for Red became a draw; \
          H1=9 was better.")),
        ("75 -75=", format!("Blue won 150 to 0. {turned} 1: Red's A1=1 gave away 150 points, and 150 to 0 for Red became 150 to \
          0 for Blue; H1=9 was better.")),
        // Games that are not over.
        ("0 0 3", format!("The game is not over: with best play Red wins 78 to 72. {turned} 2: Blue's A2=2 gave away 3 \
          points, and a draw became 78 to 72 for Red; H1=9 was better.")),
        (".2~.5 -.3~.5", "The game is not over: the score is about 0.3 ± 0.5 for Blue. No move is known to have given a \
          point away.".to_owned()),
        ("2.0~.3 .3~.5", "The game is not over: the score is about 0.3 ± 0.5 for Red. Move 1 cost most: Red's \
          A1=1 gave away about 1.7.".to_owned()),
        // Forfeits: the fault decided.
        ("0 0 9 9!", "A forfeit: 0 points for Red, 150 for Blue, instead of 84 to 66 by best play.".to_owned()),
        ("0 -1.2~.3!", "A forfeit: 0 points for Red, 150 for Blue, when the score was about 1.2 ± 0.3 for Blue.".to_owned()),
        ("?!", "A forfeit: 0 points for Red, 150 for Blue.".to_owned()),
        // Games judged from a later move on, or not at all.
        ("? ? 3 3=", "Red won 78 to 72. Red was winning after 2 moves already.".to_owned()),
        ("? ? 0 0 5 5=", format!("Red won 80 to 70. {turned} 4: Blue's A4=4 gave away 5 points, and a draw became 80 to 70 for \
          Red; H1=9 was better.")),
        ("? ? ?", "The game is not over.".to_owned()),
    ] {
        assert_eq!(judged(game).story.join(" "), story, "{game}");
    }
    let turn = &judged(".6~1.2 .6~1.2 2 2=");
    assert_eq!((turn.moves[1].mark, turn.summary.blue.about, &turn.worst[..]), ("turn", 1.4, &[2][..]));
    let whole = &judged("75 -75=").moves[0];
    assert_eq!((whole.lost, whole.mark), (Some(150), "??"));
    assert_eq!(judged("0 0 1 0=").worst, [3, 2], "of equals first the one that the game turned on");
}

/// Each sentence names moves of its own, with the points that the review's other parts tell.
#[test]
fn no_sentence_says_again_what_another_said() {
    let (mut rng, mut turns, mut others) = (rng(79), 0, 0);
    for _ in 0..200 {
        // The first scores are estimated; a third of the moves give points away.
        let (mut score, mut game) = (rng.random_range(-4..=4), String::new());
        for ply in 0..8 {
            game += &format!("{score}{} ", if ply < 4 { ".0~.1" } else { "" });
            let lost = if rng.random_range(0..3) == 0 { rng.random_range(1..=5) } else { 0 };
            score += if ply % 2 == 0 { -lost } else { lost };
        }
        let review = judged(&format!("{game}{score}="));
        let text = review.story.join(" ");
        assert!((1..=3).contains(&review.story.len()), "{text}");
        let named =
            text.split("ove ").skip(1).filter_map(|rest| rest.split([',', ':', ' ']).next()?.parse().ok());
        let named: Vec<usize> = named.collect();
        assert!(named.len() < 2 || named[0] != named[1], "{text}");
        for judged in named.iter().map(|ply| &review.moves[ply - 1]) {
            let told = [judged.r#move.clone(), format!(" {}", judged.cost())];
            assert!(judged.cost() > 0.0 && told.iter().all(|words| text.contains(words)), "{text}");
            *if review.decided == Some(judged.ply) { &mut turns } else { &mut others } += 1;
        }
        // What stands first in the list is told.
        assert!(review.worst.first().is_none_or(|ply| named.contains(ply)), "{text}");
        let costs: Vec<f64> = review.worst.iter().map(|&ply| review.moves[ply - 1].cost()).collect();
        let most = review.moves.iter().map(JudgedMove::cost).fold(0.0, f64::max);
        assert!(costs.is_sorted_by(|a, b| a >= b) && costs.first().copied().unwrap_or(0.0) == most);
    }
    assert!(turns > 15 && others > 15, "{turns} {others}");
}

/// Four moves that throw a game away, long before the solver can tell.
#[test]
fn moves_that_throw_a_game_away_are_marked() {
    for (text, loser) in [
        ("E4 F2 A5 A7 C1 A1=1 B7=7 H1=2 C5=12 G1=3 B4=10 F1=4 D3=6", "red"),
        ("E4 F2 A5 A7 C1 C5=10 A1=1 B7=7 H1=2 B4=12 G1=3 E2=8 F1=4 F3=14", "blue"),
    ] {
        let settings = ReviewSettings { effort: Effort::FIRST, from: 3, stop: None };
        let review = review(&unnamed(record(text)), settings, &mut |_| {});
        for judged in &review.moves {
            assert!(judged.mark.is_empty() || judged.player == loser, "{judged:?}");
        }
        let summary = if loser == "red" { &review.summary.red } else { &review.summary.blue };
        let marked = review.moves.iter().filter(|judged| judged.mark.starts_with('~')).count();
        assert_eq!((summary.judged, summary.lost, summary.marked as usize), (0, 0, marked));
        assert!(marked > 1, "{marked}");
        let about: f64 = review.moves.iter().map(JudgedMove::cost).sum();
        assert!((summary.about - about).abs() < 1e-9, "a sum is the sum of what it names");
    }
}

#[test]
fn marks_begin_at_their_losses() {
    let marks = [0.0, 1.0, 2.0, 3.0, 4.0].map(|lost| mark(lost, None));
    assert_eq!(marks, ["", "?!", "?", "?", "??"]);
    let losses =
        [(0.4, 0.0), (0.5, 0.0), (0.9, 1.0), (1.5, 1.0), (1.9, 0.0), (2.5, 2.0), (3.9, 0.0), (4.0, 0.0)];
    let estimated = losses.map(|(lost, error)| mark(lost, Some(error)));
    assert_eq!(estimated, ["", "~?!", "", "~?!", "~?!", "~?", "~?", "~??"]);
}

/// The examples of the README's review, with the files of the project.
#[test]
fn the_examples_of_the_readme_run() {
    let scratch = Scratch::new("readme-review");
    scratch.shell(concat!("ln -s '", env!("CARGO_MANIFEST_DIR"), "/tests' tests")).expect(0, "");
    // The game of the README itself.
    assert_eq!(record(include_str!("../data/game.txt")), record(EXAMPLE));
    let lines = readme_block("sh\nblackhole review").lines().skip(1);
    for (line, words) in lines.zip([
        readme_block("\nRed won").trim_start(),
        "\ngreedy, 1 game\n",
        "22 empty cells, blue to move\n",
        "Red wins 79 to 71 (score 4)\n",
        "\nline ",
        EXAMPLE,
        "after 9 of 30 moves",
    ]) {
        // One game of the journal is enough, from a later move on.
        let limited = line.replace("--summary", "--summary --game 1 --from 19");
        scratch.shell(&limited).expect(0, words);
    }
    assert!(scratch.read("page.html").contains("Red won 84 to 66."));
    // The mark "turn" pushed the best move aside.
    let turn = scratch.shell("blackhole review tests/data/game.txt");
    turn.expect(0, "~1.4 turn  C6=4\n").expect(0, "~2.7 ~?    A3=8\n");
}
