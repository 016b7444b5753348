//! Transcripts of the referee dialogue, with players made for the test.

use std::io::{self, Write};

use crate::prelude::*;
use blackhole_player::bot::{play, DialogueEnd, DialogueSettings};
use rand::seq::SliceRandom;

const TIME: Duration = Duration::from_secs(5);

/// A game of ours as Red, up to Blue's first move.
const RED: &str = "E2\nA1\nC4\nG2\nD2\nStart\nG1=15\n";

/// Plays by a script, and records the questions.
struct Scripted<F> {
    choose: F,
    asked: Vec<(Position, Duration)>,
    /// The numbers of questions before each call of `forget`.
    forgotten: Vec<usize>,
}

impl<F: FnMut(&Position) -> Move> Scripted<F> {
    fn new(choose: F) -> Self {
        Scripted { choose, asked: Vec::new(), forgotten: Vec::new() }
    }
}

impl<F: FnMut(&Position) -> Move + Send> Agent for Scripted<F> {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        self.asked.push((*position, remaining));
        Choice {
            mv: (self.choose)(position),
            reason: Reason::Searched,
            target: Some(Target::new(-75)),
            // As long as a note can get.
            chance: f32::MIN,
            nodes: u64::MAX,
            opponent: Some((Kind::Follows(128.0), 1.0)),
            elapsed: TIME,
        }
    }

    fn forget(&mut self) {
        self.forgotten.push(self.asked.len());
    }
}

fn first_legal(position: &Position) -> Move {
    position.legal_moves().next().expect("a move")
}

struct Transcript {
    end: DialogueEnd,
    output: String,
    notes: String,
}

fn settings() -> DialogueSettings {
    DialogueSettings { time: TIME, started: Instant::now(), quiet: false }
}

fn converse_with(input: impl AsRef<[u8]>, agent: &mut dyn Agent, settings: &DialogueSettings) -> Transcript {
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let end = play(input.as_ref(), &mut output, &mut notes, agent, settings).expect("no failure");
    let [output, notes] = [output, notes].map(|bytes| String::from_utf8(bytes).expect("ASCII"));
    Transcript { end, output, notes }
}

fn converse(input: &str) -> Transcript {
    converse_with(input, &mut Scripted::new(first_legal), &settings())
}

fn mv(text: &str) -> Move {
    Move::parse(text).expect("a move")
}

/// Return the lines of a whole game for a bot that plays its first legal moves, against random moves, and
/// the bot's moves.
fn whole_game(seed: u64, blocked: usize, bot: Player) -> (Vec<String>, Vec<Move>) {
    let mut rng = rng(seed);
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.shuffle(&mut rng);
    let mut position = Position::standard(&cells[..blocked]).expect("standard hands");
    let start = (bot == Player::Red).then(|| "Start".to_owned());
    let mut lines: Vec<String> = cells[..blocked].iter().map(Cell::to_string).chain(start).collect();
    let mut own = Vec::new();
    while position.final_score().is_none() {
        let is_own = position.to_move() == bot;
        let mv = if is_own { first_legal(&position) } else { random_move(&mut rng, &position) };
        position = after(&position, mv);
        if is_own {
            own.push(mv);
        } else {
            lines.push(mv.to_string());
        }
    }
    (lines, own)
}

#[test]
fn games_of_both_colours_and_all_sizes_may_end_anywhere() {
    let games = Player::BOTH.map(|bot| [(1, 5), (2, 5), (3, 7), (4, 15), (5, 33)].map(|size| (bot, size)));
    for (bot, (seed, blocked)) in games.into_iter().flatten() {
        let (lines, own) = whole_game(seed, blocked, bot);
        for length in 0..=lines.len() {
            let answers = length.saturating_sub(blocked).min(own.len());
            let expected: String = own[..answers].iter().map(|mv| format!("{mv}\n")).collect();
            for last in ["", "Quit\nnever read\n", " qUIT \r\n"] {
                let text = format!("{}\n{last}", lines[..length].join("\n"));
                let t = converse(&text);
                assert_eq!((&*t.output, t.end), (&*expected, DialogueEnd::Finished), "after {length} lines");
                // Blanks, case and line ends do not matter.
                let other = text.to_lowercase().replace('=', " = 0").replace('\n', "\t\r\n\n ");
                assert_eq!(converse(&other).output, expected, "{other:?}");
                assert_eq!(t.notes.lines().count(), 1 + answers);
                assert!(t.notes.starts_with(&format!("R blackhole {}\n", env!("CARGO_PKG_VERSION"))));
                assert!(t.notes.len() <= 4_000, "{} characters of notes", t.notes.len());
                assert!(t.notes.lines().all(|line| line.len() <= 200));
            }
        }
        // After the last move only Quit or the end of input follows.
        for late in ["Start", "A1", "A1=1", "A1=x", "thanks"] {
            let t = converse(&format!("{}\n\n{late}\nQuit\n", lines.join("\n")));
            assert_eq!((t.output.lines().count(), t.end), (own.len(), DialogueEnd::BadInput));
            let error = format!("blackhole: line {}: found \"{late}\", expected Quit", lines.len() + 2);
            assert!(t.notes.lines().last().expect("an error").starts_with(&error), "{}", t.notes);
        }
    }
}

#[test]
fn unfit_lines_are_refused() {
    const FIVE: &str = "E2\nA1\nC4\nG2\nD2\n";
    // Errors of a move or a position keep their own words.
    for (input, line, found, expected) in [
        ("I9\n", 1, "\"I9\"", "a blocked cell such as E4 (so far 0 of 5)"),
        ("E2\ne2\n", 2, "\"e2\"", "a cell that is not blocked yet (E2 is)"),
        ("E2 A1 C4 G2 D2\n", 1, "\"E2 A1 C4 G2 D2\"", "a blocked cell"),
        ("E2\nA1\nC4\nG2\n\nB2=15\n", 6, "\"B2=15\"", "5 blocked cells"),
        ("FIVE Begin\n", 6, "\"Begin\"", "Start, or Red's first move"),
        ("FIVE B2=9999999999999999999999999\n", 6, "\"B2=999999999999999999999...\"", "a stone"),
        ("FIVE B2=15\nStart\n", 7, "\"Start\"", "red's move such as B2=15, or Quit"),
        ("FIVE B2=15\nB3\n", 7, "\"B3\"", "red's move such as B2=15, or Quit"),
    ] {
        // Once the game has begun, one answer may precede the error.
        let input = input.replace("FIVE ", FIVE);
        let answers = usize::from(input.contains("B2=15\nB") || input.contains("B2=15\nS"));
        let t = converse(&format!("{input}Quit\n"));
        assert_eq!(t.end, DialogueEnd::BadInput, "{input:?}");
        assert_eq!(t.output.lines().count(), answers, "{input:?}: {}", t.output);
        let error = t.notes.lines().last().expect("an error");
        let start = format!("blackhole: line {line}: found {found}, expected {expected}");
        assert!(error.starts_with(&start), "{input:?}: {error}");
        assert_eq!(t.notes.lines().count(), 2 + answers);
    }
}

#[test]
fn no_bytes_break_the_dialogue() {
    let mut rng = rng(3);
    let words: [&[u8]; 12] =
        [b"E2", b"A1", b"C4", b"G2", b"D2", b"Start", b"Quit", b"B2=15", b"\n", b"\xff\xfe", b"\0", b"="];
    for _ in 0..20_000 {
        let mut input = if rng.random_bool(0.5) { b"E2\nA1\nC4\nG2\nD2\n".to_vec() } else { Vec::new() };
        for _ in 0..rng.random_range(0..12) {
            input.extend(words[rng.random_range(0..words.len())]);
            if rng.random_bool(0.8) {
                input.push(b'\n');
            }
        }
        let t = converse_with(&input, &mut Scripted::new(first_legal), &settings());
        assert!(t.notes.len() < 8_000 && t.notes.is_ascii());
    }
}

#[test]
fn the_clock_counts_start_up_and_own_thinking() {
    let (referee, start_up) = (Duration::from_secs(1), Duration::from_millis(700));
    let pause = Duration::from_millis(30);
    let used = || {
        let mut agent = Scripted::new(|position: &Position| {
            std::thread::sleep(pause);
            first_legal(position)
        });
        // The referee takes its time: none of it is ours.
        let (hears, mut says) = io::pipe().expect("a pipe");
        let slow = std::thread::spawn(move || {
            for line in RED.split_inclusive('\n') {
                let asks = line == "Start\n" || line == "G1=15\n";
                std::thread::sleep(if asks { referee } else { Duration::ZERO });
                says.write_all(line.as_bytes()).expect("it reads");
            }
        });
        let settings = DialogueSettings { started: Instant::now() - start_up, ..settings() };
        play(io::BufReader::new(hears), io::sink(), io::sink(), &mut agent, &settings).expect("no failure");
        slow.join().expect("no failure");
        [TIME - agent.asked[0].1, agent.asked[0].1 - agent.asked[1].1]
    };
    // A busy machine pauses, too, but hardly in ten games.
    let is_exact = |_| {
        let [first, second] = used();
        assert!(first >= start_up && second >= pause, "{first:?}, {second:?}");
        first < start_up + referee / 2 && second < pause + referee / 2
    };
    assert!((0..10).any(is_exact));
    // A clock that has run out stays at zero.
    let mut agent = Scripted::new(first_legal);
    converse_with(RED, &mut agent, &DialogueSettings { time: Duration::ZERO, ..settings() });
    assert_eq!(agent.asked.iter().map(|&(_, left)| left).collect::<Vec<_>>(), [Duration::ZERO; 2]);
}

#[test]
fn a_failing_agent_does_not_lose_the_game() {
    let mut begun = false;
    let once = move |position: &Position| {
        assert!(std::mem::replace(&mut begun, true), "on purpose");
        first_legal(position)
    };
    type Chooses = Box<dyn FnMut(&Position) -> Move + Send>;
    let agents: [(Chooses, &str, &[usize]); 4] = [
        (Box::new(|_| mv("A1=1")), "the agent chose A1=1, expected ", &[1, 2]),
        (Box::new(|_| mv("B1=15")), "the agent chose B1=15, expected ", &[2]),
        (Box::new(|_| panic!("on purpose")), "the agent failed", &[1, 2]),
        (Box::new(once), "the agent failed", &[1]),
    ];
    for (choose, note, failures) in agents {
        let mut agent = Scripted::new(choose);
        let t = converse_with(RED, &mut agent, &settings());
        assert_eq!((t.end, &agent.forgotten[..]), (DialogueEnd::Finished, failures), "{note}");
        assert_eq!(t.notes.matches(&format!("instead: {note}")).count(), failures.len(), "{}", t.notes);
        let answers: Vec<Move> = t.output.lines().map(mv).collect();
        let game = replay(&format!("E2 A1 C4 G2 D2 {} G1=15 {}", answers[0], answers[1]));
        assert_eq!(game[3].hand(Player::Red).len(), 13, "both are legal");
        assert!(answers.iter().any(|mv| Some(mv.stone) == Stone::new(1)), "the least stone");
    }
}

#[test]
fn a_failing_stream_ends_the_dialogue_without_a_panic() {
    let run = |output: &mut dyn Write, notes: &mut dyn Write| {
        play(RED.as_bytes(), output, notes, &mut Scripted::new(first_legal), &settings())
    };
    let mut output = Vec::new();
    let (_, mut broken) = io::pipe().expect("a pipe");
    assert_eq!(run(&mut output, &mut broken).expect("notes may be lost"), DialogueEnd::Finished);
    assert_eq!(output.split(|&byte| byte == b'\n').count(), 3);
    assert_eq!(run(&mut broken, &mut io::sink()).expect("nobody listens"), DialogueEnd::Finished);
    let full = run(&mut &mut [0; 1][..], &mut io::sink());
    assert_eq!(full.expect_err("lost moves").kind(), io::ErrorKind::WriteZero);
}
