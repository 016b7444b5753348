//! Games by hand: the real program in a terminal.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::common::*;

/// A text to await on the screen, and the keys to type then.
type Step<'a> = (&'a str, &'a [u8]);

/// Run the program in a terminal of its own, made by `script`: wait for each text after the one
/// before, then press its keys. Returns all that was shown; the program must succeed.
fn terminal(scratch: &Scratch, environment: &str, options: &str, steps: &[Step]) -> String {
    let line = format!("stty cols 80 rows 24; exec env {environment} blackhole {options}");
    let mut command = Command::new("timeout");
    command.current_dir(scratch.path("")).env("PATH", search_path()).env_remove("NO_COLOR");
    command.args(["240", "script", "-qefc", &line, "screen"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("script runs");
    let (mut keys, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut buffer = [0; 4096];
    let mut read_on = |screen: &mut String| {
        let count = output.read(&mut buffer).expect("a pipe");
        *screen += &String::from_utf8_lossy(&buffer[..count]);
        count > 0
    };
    let (mut screen, mut seen) = (String::new(), 0);
    for &(text, pressed) in steps {
        while !screen[seen..].contains(text) {
            assert!(read_on(&mut screen), "no {text:?} in {:?}", &screen[seen..]);
        }
        seen += screen[seen..].find(text).expect("shown") + text.len();
        keys.write_all(pressed).and_then(|()| keys.flush()).expect("a terminal");
    }
    while read_on(&mut screen) {}
    assert!(child.wait().expect("it ends").success(), "{options}: {screen:?}");
    screen
}

#[test]
fn a_person_plays_in_a_terminal() {
    let scratch = Scratch::new("hand");
    scratch.write("old.txt", "old");
    let short = record("E4 F2 A5 A7 C1 B3=13").to_base36().expect("standard hands");
    let farewell = format!("paste in the set-up\r\n{short}");
    let steps: [Step; 27] = [
        // The second line is typed before it is asked for.
        ("blocked cells> ", b"E4 F2 A5 A7 C1\rred\r"),
        ("G1    \x1b[2m##\x1b[0m    E3", b""),
        ("red or blue?", b""),
        ("red or blue> ", b""),
        ("your move, Red> ", b"b3 99\r"),
        ("found \"b3 99\", expected a stone from 1", b""),
        ("your move, Red> ", b"b3 14\r"),
        ("greedy is thinking", b""),
        ("greedy plays ", b""),
        ("\x1b[1;37;41m +14 \x1b[0m", b""),
        ("your move, Red> ", b"\xff"),
        ("found a byte that is not UTF-8", b""),
        ("your move, Red> ", b"save old.txt\r"),
        ("never overwritten", b""),
        ("your move, Red> ", b"undo\r"),
        // An older line of the history, changed at its end.
        ("your move, Red> ", b"\x1b[A\x1b[A\x1b[A\x7f3\r"),
        ("greedy plays ", b""),
        ("your move, Red> ", b"save new.txt\r"),
        ("saved to new.txt", b""),
        ("your move, Red> ", b"hint\r"),
        (" gets ", b""),
        // Ctrl-C drops a line and never the game.
        ("your move, Red> ", b"half a line\x03"),
        ("quit or Ctrl-D leaves", b""),
        ("your move, Red> ", b"\x03"),
        ("quit or Ctrl-D leaves", b""),
        ("your move, Red> ", b"\x04"),
        (&farewell, b""),
    ];
    let screen = terminal(&scratch, "TERM=xterm", "play --player greedy", &steps);
    assert!(screen.contains("\x1b[1;37;44m[-"), "{screen:?}");
    let saved = scratch.read("new.txt");
    let record = record(&saved);
    assert!(record.to_string().starts_with("E4 F2 A5 A7 C1 B3=13 ") && record.moves().len() == 2, "{saved}");
    assert_eq!(scratch.read("old.txt"), "old");
}

/// The set-up of a game.
const SET_UP: Step = ("blocked cells> ", b"E4 F2 A5 A7 C1\r");

#[test]
fn a_dumb_terminal_or_a_full_disk_leaves_no_mess() {
    let scratch = Scratch::new("hand-odd");
    let blue: [Step; 7] = [
        SET_UP,
        ("red or blue> ", b"blue\r"),
        ("[+", b""),
        ("- Blue, you", b""),
        ("your move, Blue> ", b"\x03"),
        ("quit or Ctrl-D leaves", b"quit\r"),
        ("To go on with this game", b""),
    ];
    let full = r#"TERM=xterm sh -c 'ulimit -f 0; exec "$0" "$@"'"#;
    let unsaved: [Step; 5] = [
        SET_UP,
        ("red or blue> ", b"red\r"),
        ("your move, Red> ", b"save x.txt\r"),
        ("x.txt: File too large", b""),
        ("your move, Red> ", b"quit\r"),
    ];
    let bare: [Step; 1] = [("", b"E4\nF2\nA5\nA7\nC1\nB2=15\nquit\n")];
    let dumb = terminal(&scratch, "TERM=dumb", "--nodes 5", &blue);
    assert!(!dumb.contains('\x1b'), "{dumb:?}");
    let plain = terminal(&scratch, "TERM=xterm NO_COLOR=1", "play --nodes 5", &blue);
    assert!(!plain.contains("\x1b[1;3") && !plain.contains("\x1b[2m"), "{plain:?}");
    terminal(&scratch, full, "play --player random", &unsaved);
    let quiet = terminal(&scratch, "TERM=xterm", "play --quiet --player random", &bare);
    assert!(!quiet.contains("Black Hole"), "{quiet:?}");
    assert!(!scratch.path("x.txt").exists());
}

#[test]
fn a_line_typed_ahead_is_dropped_if_the_move_before_it_is_taken_back() {
    let stopped: [Step; 6] = [
        SET_UP,
        ("red or blue> ", b"b2 15\rb3 14\r"),
        ("blackhole is thinking", b"\x03"),
        ("taken back", b""),
        ("B2    A3", b""),
        ("your move, Red> ", b"quit\r"),
    ];
    terminal(&Scratch::new("hand-ahead"), "TERM=xterm", "play --time 100000", &stopped);
}

#[test]
fn a_whole_game_that_is_pasted_is_reviewed_and_saved() {
    let paste = format!("\x1b[200~{}\x1b[201~\r", readme_block("\nE4"));
    let over: [Step; 7] = [
        ("blocked cells> ", paste.as_bytes()),
        ("red or blue> ", b"red\r"),
        ("game over", b"review\r"),
        (" 84 to 66", b""),
        ("game over", b"save over.txt\rnew\r"),
        ("blocked cells> ", b"small\rsave over.txt\r"),
        ("over.txt exists and is never overwritten", b"quit\r"),
    ];
    let screen = terminal(&Scratch::new("hand-paste"), "TERM=xterm", "play --player greedy", &over);
    assert!(!screen.contains("found \""), "{screen:?}");
}

#[test]
fn a_game_whose_program_is_asked_to_end_goes_on_from_its_file() {
    let scratch = Scratch::new("hand-asked");
    // Several lines are pasted at once, and the program is asked to end while a line is typed.
    let pasted: [Step; 8] = [
        ("blocked cells> ", b"\x1b[200~E4\rF2\rA5\rA7\rC1\x1b[201~\r"),
        ("red or blue> ", b"start\r"),
        ("random plays ", b""),
        ("your move, Blue> ", b"save go.txt\r"),
        ("your move, Blue> ", b"half a li"),
        ("To go on with this game", b""),
        ("code 130", b""),
        ("isig icanon iexten echo", b""),
    ];
    let asked = "(until grep -q 'half a li' screen; do sleep .1; done; kill -TERM $(cat pid)) &\n\
        sh -c 'echo $$ >pid; exec \"$0\" \"$@\"' \"$@\"; echo code $?; stty -a; grep random go.txt\n";
    scratch.write("asked.sh", asked);
    let saved: [Step; 2] = [("- Blue, you", b""), ("your move, Blue> ", b"quit\r")];
    let screen = terminal(&scratch, "TERM=xterm sh asked.sh", "play --player random", &pasted);
    assert!(!screen.contains("half a liTo"), "{screen:?}");
    let screen = terminal(&scratch, "TERM=xterm", "play go.txt", &saved);
    assert!(!screen.contains("blackhole"), "{screen:?}");
}
