//! Whole games as text: both notations, round trips, recorded games, and refused ones.

use rand::seq::SliceRandom;

use crate::common::*;

#[test]
fn both_notations_round_trip() {
    let mut rng = rng(5);
    for _ in 0..256 {
        let mut cells: Vec<Cell> = Cell::all().collect();
        cells.shuffle(&mut rng);
        // Standard hands with 5, 7, … 35 blocked cells, and any hands that alternating play can use up.
        let (blocked, empty) = (2 * rng.random_range(2..18) + 1, rng.random_range(1..32));
        let position = random_position(&mut rng, empty);
        let standard = Record::standard(&cells[..blocked]).expect("an odd number from 5");
        for (is_standard, record) in [(true, standard), (false, begun_at(&mut rng, &position))] {
            let plies = rng.random_range(0..31);
            let record = play_on(&mut rng, record, plies);
            let (text, short) = (record.to_string(), record.to_base36());
            assert!(short.is_some() || !is_standard, "{text}");
            let mut forms =
                vec![text.to_lowercase(), text.replace(' ', "\r\n\t # a comment A1=1\n\n "), text];
            if let Some(short) = short {
                assert_eq!(short.len(), 2 * (record.blocked().len() + record.moves().len()));
                forms.extend([short.to_uppercase(), format!("# a game\n {short} # end")]);
            }
            forms.iter().for_each(|form| assert_eq!(Record::parse(form).as_ref(), Ok(&record), "{form}"));
        }
    }
}

#[test]
fn any_text_is_read_or_refused() {
    let mut rng = rng(6);
    let signs: Vec<char> = "abcdefghABCDEFGH0123456789=:#,,   \n\r\t{\"}\u{85}\u{feff}é€\0".chars().collect();
    for _ in 0..4_000 {
        let length = rng.random_range(0..80);
        let text: String = (0..length).map(|_| signs[rng.random_range(0..signs.len())]).collect();
        if let Err(error) = Record::parse(&text).map(drop).and(files::read(text.as_bytes()).map(drop)) {
            assert!(error.line <= text.lines().count().max(1), "{text:?}: {error}");
            assert!(error.to_string().len() < 300, "{text:?}: {error}");
        }
    }
}

#[test]
fn recorded_games_replay_to_their_scores() {
    let files = [include_str!("../data/strong.jsonl"), include_str!("../data/wormhole-sagittarius.jsonl")];
    let lines: Vec<&str> = files.iter().flat_map(|file| file.lines()).collect();
    for line in &lines {
        let game: Value = serde_json::from_str(line).expect("a JSON object");
        let record = files::read(line.as_bytes()).expect("a game").swap_remove(0).record;
        assert_eq!(record.final_score().map(i64::from), game["score"].as_i64(), "{line}");
    }
    assert_eq!(lines.len(), 180);
}

#[test]
fn own_hands_choose_the_first_player() {
    let rest = Cell::all().skip(4).map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ");
    let parse = |items: &str| Record::parse(&format!("{rest} {items}"));
    let first = |items: &str| parse(items).map(|record| record.start().to_move());
    // Four empty cells A1..A4, three stones.
    assert_eq!(first("red:3,1 blue:15"), Ok(Player::Red));
    assert_eq!(first("BLUE:2,4 Red:5"), Ok(Player::Blue));
    assert_eq!(first("A4 red:9 blue:9"), Ok(Player::Red));
    let blue = parse("A4 red:9 blue:9 to-move:BLUE A1=9").expect("Blue plays first");
    let one = parse("red: blue:4").expect_err("two empty cells too many");
    assert!(one.expected.contains("2 empty cells"), "{one}");
    assert_eq!(blue.placements().next(), Some((Player::Blue, Move::parse("A1=9").expect("a move"))));
}

#[test]
fn unfit_words_are_located_and_explained() {
    let five = "E4 F2 A5 A7 C1";
    // Errors of a move, a position or a reader of games keep their own words.
    for (text, line, found, expected) in [
        ("E4 F2\nA5\nA7", 3, "the end", "5 blocked cells"),
        ("E4 F2 A5 A7 e4", 1, "\"e4\"", "not blocked yet (E4 is)"),
        ("E4\nStart", 2, "\"Start\"", "a blocked cell such as E4"),
        ("five red:1,2", 1, "the end", "both hands"),
        ("five red:1,1 blue:2", 1, "\"red:1,1\"", "different stones"),
        ("five red:+1 blue:2", 1, "\"red:+1\"", "different stones"),
        ("five red:1 red:2", 1, "\"red:2\"", "only once"),
        ("five green:1", 1, "\"green:1\"", "red:STONES"),
        ("five to-move:me", 1, "\"to-move:me\"", "to-move:red or to-move:blue"),
        ("five red:1 blue:1,2,3", 1, "the end", "as many stones for the player to move"),
        // Base 36: an odd length, Red's stone on Blue's turn, a code above 30,
        // more behind it.
        ("t0v04060f0n", 1, "\"t0v04060f0n\"", "two characters for every placement"),
        ("t0v04060f0nf8f", 1, "\"8f\"", "a blue stone (g..u) as placement 7"),
        ("t0v04060f0nz", 1, "\"nz\"", "a red stone (1..f) as placement 6"),
        ("t0v04060f0nf80", 1, "\"80\"", "a blue stone"),
        ("t0v04060f0nf8o\nB2=1", 2, "\"B2=1\"", "nothing after"),
        ("t0v04060t0", 1, "\"t0\"", "not blocked yet"),
    ] {
        let error = Record::parse(&text.replace("five", five)).expect_err(text);
        assert_eq!((error.line, error.found.as_str()), (line, found), "{text}");
        assert!(error.expected.contains(expected), "{text}: {error}");
    }
}
