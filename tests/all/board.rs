//! The board in the browser: the permission to ask, and answers like those of the other commands.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::mem::replace;
use std::net::{Shutdown, TcpStream};
use std::process::Child;
use std::thread;
use std::time::SystemTime;

use blackhole::board::following::GameFile;
use blackhole::system::memory::left_in_group;

use crate::common::*;

/// A board that is served until it is dropped, at `http://HOST/TOKEN/`.
pub struct Board {
    child: Child,
    pub address: String,
    host: String,
    token: String,
}

impl Board {
    pub fn start(program: &str, options: &str) -> Board {
        let options = shlex::split(options).expect("matching quotes");
        let child = piped(Command::new(program).args(["board", "--no-open"]).args(options));
        Board::served_by(child).expect("an address")
    }

    /// The board of a program that tells its address, if it does.
    fn served_by(mut child: Child) -> Option<Board> {
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut()?).read_line(&mut address).ok()?;
        let [_, _, host, token, _] =
            address.split('/').map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        Some(Board { child, address: address.trim().to_owned(), host, token })
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(240))).expect("a timeout");
        stream
    }

    /// Send bytes and return all received until the connection ends.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // It may answer and close before all is sent.
        let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    /// Send a question.
    fn post(&self, body: &str) -> TcpStream {
        let (mut stream, length, Board { host, token, .. }) = (self.connect(), body.len(), self);
        let head = format!("POST /{token}/ask HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all((head + body).as_bytes()).expect("it reads");
        stream
    }

    /// Ask a question and return the stream of its answer.
    fn ask(&self, question: &Value) -> impl Iterator<Item = Value> + use<> {
        let stream = self.post(&question.to_string());
        let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
        let lines = lines.skip_while(|line| !line.is_empty()).skip(1);
        lines.map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_a_page_of_ours_with_the_token_may_ask() {
    let board = Board::start(BLACKHOLE, "");
    let Board { host, token, .. } = &board;
    let port = host.rsplit(':').next().expect("a port");
    let other = token.replace(&token[..1], if token.starts_with('0') { "1" } else { "0" });
    assert_eq!(token.len(), 32);
    // Some clients send no byte at all.
    let _silent: Vec<TcpStream> = (0..10).map(|_| board.connect()).collect();
    // The headers of a browser that follows a link.
    let opened = "Sec-Fetch-Mode: navigate|Sec-Fetch-Dest: document";
    // The first line, the host, and more; $, @ and # stand for token, host and port.
    for (status, request) in [
        ("200", "GET /$/|@|"),
        ("200", "GET /$/|@|Origin: http://@|Sec-Fetch-Site: none"),
        ("403", &format!("GET /{other}/|@|")),
        ("403", "GET /|@|"),
        ("200", "GET /$/|127.0.0.1|"),
        ("200", "GET /$/|localhost:9|Origin: http://localhost:9|Sec-Fetch-Site: same-origin"),
        ("200", "GET /$/|[::1]:9|"),
        ("200", &format!("GET /$/|@|Sec-Fetch-Site: cross-site|{opened}")),
        ("403", &format!("GET /$/|evil.example|{opened}")),
        ("403", &format!("GET /$/|@|Sec-Fetch-Site: cross-site|{}", opened.replace("document", "iframe"))),
        ("403", &format!("GET /$/|@|Sec-Fetch-Site: same-site|{}", opened.replace("navigate", "no-cors"))),
        ("403", &format!("POST /$/ask|@|Content-Length: 0|Sec-Fetch-Site: cross-site|{opened}")),
        ("403", "GET /$/|localhost:9|Origin: http://@"),
        ("403", "GET /$/|localhost.example|"),
        ("403", "GET /$/|127.0.0.1.example:#|"),
        ("403", "GET /$/||"),
        ("400", "GET /$/|@|Host: @"),
        ("403", "GET /$/|@|Origin: http://evil.example"),
        ("403", "GET /$/|@|Origin: null"),
        ("403", "GET /$/|@|Sec-Fetch-Site: cross-site"),
        ("404", "GET /$/../../etc/passwd|@|"),
        ("400", "DELETE /$/|@|"),
        ("400", "GET /$/ask|@|"),
        ("400", "POST /$/ask|@|"),
        ("400", "POST /$/ask|@|Content-Length: -1"),
        ("413", "POST /$/ask|@|Content-Length: 9999999"),
        ("400", &format!("GET /$/|@|X: {}", "x".repeat(20_000))),
        ("400", "\x16\x03\x01|@|"),
    ] {
        let own = request.replacen('|', " HTTP/1.1|Host: ", 1).replace('|', "\r\n") + "\r\n\r\n";
        let own = own.replace('$', token).replace('@', host).replace('#', port);
        let answer = board.send(own.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{own}: {answer}");
        assert_eq!(answer.contains("<html"), status == "200", "{own}");
        let head = ["Server: blackhole", "X-Frame-Options: DENY"].map(|line| format!("\r\n{line}\r\n"));
        assert!(head.iter().all(|line| answer.contains(line)), "{answer}");
        // Browsers hide the page's nonces then: a saved board was black, without scripts.
        assert!(!answer.contains("\r\nContent-Security-Policy"), "{answer}");
        // A refusal gives advice.
        assert!(status == "200" || answer.ends_with(".\n"), "{answer}");
    }
    // A browser sends the whole of a question before it reads: it must not be cut off.
    let mut answer = [0; 12];
    board.post(&"x".repeat(8_000_000)).read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn the_board_ends_by_ctrl_c_and_tells_errors_in_a_line() {
    let board = Board::start(BLACKHOLE, "");
    let port = board.host.rsplit(':').next().expect("a port");
    let again = blackhole(&format!("board --no-open --port {port}"), "");
    let again = again.refused(&format!("found port {port} taken, expected another --port"));
    assert_eq!(again.stderr.lines().count(), 1);
    // Without a display it says so.
    let displays = ["-u", "BROWSER", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY"];
    let mut without = piped(Command::new("env").args(displays).args([BLACKHOLE, "board"]));
    let told = "no display is found: open the address in a browser of this machine\n";
    assert_eq!(first_note(&mut without), told);
    interrupt(without);
    // Whoever cannot tell its address does not go on.
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let unread =
        Command::new("timeout").args(["20", BLACKHOLE, "board", "--no-open"]).stdout(writer).output();
    Ran::from(unread.expect("it runs")).expect(1, "address cannot be written to standard output: ");
}

/// The first line on standard error.
fn first_note(child: &mut Child) -> String {
    let mut said = String::new();
    BufReader::new(child.stderr.as_mut().expect("piped")).read_line(&mut said).expect("a line");
    said
}

/// The browser is a script that records its page.
#[test]
fn a_browser_gets_a_file_of_its_owner_and_hears_nothing_of_the_terminal() {
    for shown in [true, false] {
        let scratch = Scratch::new(&format!("browser-{shown}"));
        let home = scratch.path("");
        let path = std::env::var("PATH").expect("programs");
        let script = "ls -l \"$1\" | cut -c1-10 >seen\nset -- \"$1\" $(cat /proc/$$/stat)\n\
            echo $7 >>seen\ncat \"$1\" >>seen\nmv seen page\n";
        let script = if shown { script } else { "exit 1\n" };
        scratch.write("xdg-open", format!("#!/bin/sh\nPATH={path}\n{script}"));
        scratch.shell("chmod +x xdg-open").expect(0, "");
        // One was left by a board that was killed, the other is somebody's.
        let left = "<!DOCTYPE html><meta charset=utf-8><title>Black Hole</title>\
                    <meta http-equiv=refresh content=\"0; url=http://127.0.0.1:1/0/\">";
        scratch.write("blackhole-left.html", left);
        scratch.write("blackhole-other.html", "mine");
        let mut command = Command::new(BLACKHOLE);
        command.arg("board").current_dir(&home).env("HOME", &home).env("PATH", &home).env("DISPLAY", ":9");
        let mut child = piped(&mut command);
        if !shown {
            let said = first_note(&mut child);
            assert!(said.starts_with("no browser could be opened ("), "{said}");
            assert!(said.ends_with("): open the address in a browser of this machine\n"), "{said}");
            assert_eq!(scratch.files(""), 2, "the script and the file of another");
        } else {
            wait_for("the browser", || scratch.path("page").exists());
            let seen = scratch.read("page");
            let address = seen.split("url=").nth(1).and_then(|rest| rest.split('"').next()).expect(&seen);
            let (host, token) = address[7..].split_once('/').expect("a path");
            let [rights, session] = [0, 1].map(|n| seen.lines().nth(n).expect("a line"));
            let own = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it runs");
            assert!(rights == "-rw-------" && own.split(' ').nth(5) != Some(session), "{seen}{own}");
            assert_eq!(processes(&token[..32]), Vec::<u32>::new(), "arguments are public");
            let mut stream = TcpStream::connect(host).expect("it listens");
            write!(stream, "GET /{token} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
            stream.read_to_end(&mut Vec::new()).expect("the page");
            assert_eq!(scratch.files(""), 3, "the file is needed no more");
        }
        let exists = |name: &str| scratch.path(name).exists();
        assert!(!exists("blackhole-left.html") && exists("blackhole-other.html"));
        assert_eq!(interrupt(child).stderr, "");
    }
}

/// An answer without nodes and time.
fn timeless(answer: &Value) -> Value {
    let mut answer = answer.clone();
    answer.as_object_mut().expect("an object").retain(|key, _| !["seconds", "nodes"].contains(&&**key));
    answer
}

#[test]
fn the_boards_answers_are_those_of_the_other_commands() {
    let board = Board::start(BLACKHOLE, "--nodes 300");
    for text in [EMPTY_4, &EXAMPLE[..42], EXAMPLE] {
        let answers: Vec<Value> = board.ask(&json!({"ask": "analyse", "text": text})).collect();
        let mut last = timeless(&answers[answers.len() - 2]);
        let turns = last.as_object_mut().and_then(|it| it.remove("turns"));
        assert_eq!(turns, Some(json!(2)), "{text}");
        let solved = blackhole("solve --all-moves --json", text).json();
        assert_eq!(last, timeless(&solved), "{text}");
        assert_eq!(answers.last(), Some(&json!({"ended": "done"})));
    }
    let text = format!("{EMPTY_4} A1=3");
    let review: Vec<Value> = board.ask(&json!({"ask": "review", "text": text})).collect();
    let [here, there] = [&review[review.len() - 2]["review"], &blackhole("review --json", text).json()];
    let lost = ["red", "blue"].map(|player| there["summary"][player]["lost"].as_u64().expect("a number"));
    let lost = (lost[0] + lost[1]).to_string();
    assert_eq!((here["lost"].as_str(), &here["hands"]), (Some(&*lost), &there["hands"]));
    let text = format!("{EXAMPLE}\n").repeat(1050);
    let many = board.ask(&json!({"ask": "read", "text": text})).next().expect("an answer");
    assert_eq!((&many["left_out"], many["games"].as_array().map(Vec::len)), (&json!(50), Some(1000)));
    let refused = board.ask(&json!({"ask": "read", "text": "E2 A1"})).next().expect("an answer");
    assert!(refused["error"].as_str().is_some_and(|text| text.starts_with("line 1: found")), "{refused:?}");
}

#[test]
fn a_closed_page_ends_its_work_and_a_number_is_the_same_every_time() {
    let board = Board::start(BLACKHOLE, "");
    let early = |tab: &str| json!({"ask": "analyse", "text": FIVE, "tab": tab});
    let mut other = board.ask(&early("a"));
    assert!(other.next().is_some());
    assert_eq!(board.ask(&json!({"ask": "read", "text": FIVE})).last(), Some(json!({"ended": "done"})));
    assert!(other.next().is_some(), "a question without a tab ends no other");
    drop(other);
    // Its processor time does not change any more.
    let mut before = 0;
    wait_for("the end of the work", || {
        thread::sleep(Duration::from_millis(300));
        let now = ticks(board.child.id());
        replace(&mut before, now) == now
    });
    // The first number and that of all commands, whatever was asked before.
    let judged = |tab: &str| -> Vec<Value> {
        let told = board.ask(&early(tab)).filter(|answer| answer["effort"].is_number());
        told.take(2).map(|answer| timeless(&answer)).collect()
    };
    let [first, second] = [judged("a"), judged("b")];
    assert_eq!(first, second);
    assert!(first[0]["effort"].as_f64() < Some(1.0) && first[1]["effort"] == 1.0, "{first:?}");
    for answer in first {
        let moves = answer["moves"].as_array().expect("moves");
        assert!(moves.len() >= 5 && moves[0]["estimate"] == answer["estimate"], "{answer}");
    }
}

/// The deepest turn of an analysis looked ahead for a minute after its page was gone.
#[test]
fn a_look_ahead_ends_when_it_is_stopped() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let endless = Effort { nodes: 0, iterations: u64::MAX };
    let has_score = |millis| {
        STOP.store(false, Ordering::Relaxed);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(millis));
            STOP.store(true, Ordering::Relaxed);
        });
        Judge::new(Some(&STOP)).judge(record(FIVE).position(), endless, None).worth.value().is_some()
    };
    // On a busy machine it may have none so soon.
    assert!([200, 2_000, 20_000].into_iter().any(has_score));
}

/// A question is answered even if its client sends more, or closes its half of the connection.
#[test]
fn bytes_after_a_question_end_no_work() {
    let board = Board::start(BLACKHOLE, "--nodes 3000");
    for half_closed in [false, true] {
        let mut stream = board.post(&json!({"ask": "hint", "text": FIVE}).to_string());
        let mut answer = BufReader::new(stream.try_clone().expect("a stream"));
        answer.read_line(&mut String::new()).expect("a line");
        if half_closed {
            stream.shutdown(Shutdown::Write).expect("it is open");
        } else {
            stream.write_all(b"\r\n").expect("it reads");
        }
        let last = answer.lines().last().expect("lines").expect("a line");
        assert_eq!(last.trim(), r#"{"ended":"done"}"#);
    }
}

/// A board in a limited address space, in kB.
fn limited(memory: u32) -> Board {
    let script = format!("ulimit -v {memory}; exec \"$0\" board --no-open --nodes 300");
    Board::served_by(piped(Command::new("sh").args(["-c", &script, BLACKHOLE]))).expect("an address")
}

#[test]
fn a_page_that_loses_its_engine_without_memory_is_told_so() {
    let board = limited(135_000);
    let hint = |tab| board.ask(&json!({"ask": "hint", "text": FIVE, "tab": tab})).last().expect("an end");
    assert_eq!(hint("a")["ended"], "done");
    assert_eq!(hint("b")["ended"], "done", "loaded again, a page has another name");
    let analyse = |tab: u32| {
        let mut answers = board.ask(&json!({"ask": "analyse", "text": FIVE, "tab": tab.to_string()}));
        assert!(answers.next().is_some());
        answers
    };
    let mut working: Vec<_> = (0..5).map(analyse).collect();
    let told = working.remove(0).last().expect("an end");
    let why = told["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("other pages of this board ask"), "{told}");
    assert!(working[3].next().is_some(), "it goes on");
}

/// The engine left too little memory for everything else, and the program ended with "memory allocation failed".
#[test]
fn a_page_that_takes_all_memory_does_not_end_the_program() {
    for (memory, pages) in [(200_000, 1), (350_000, 4)] {
        let board = limited(memory);
        let analyse = |tab| board.ask(&json!({"ask": "analyse", "text": EMPTY_21, "tab": tab}));
        let mut answers: Vec<_> = (0..pages).map(|tab: u32| analyse(tab.to_string())).collect();
        assert!(answers[0].any(|answer| answer["moves"].is_array()), "{memory} kB");
        let is_told = |answer: &Value| answer["bounds"].is_array() || answer["ended"].is_string();
        assert!(answers[1..].iter_mut().all(|answer| answer.any(|line| is_told(&line))), "{memory} kB");
        drop(answers);
        let read = board.ask(&json!({"ask": "read", "text": FIVE})).last();
        assert_eq!(read, Some(json!({"ended": "done"})), "{memory} kB");
    }
}

#[test]
fn the_narrowest_group_around_the_program_bounds_its_memory() {
    let scratch = Scratch::new("board-groups");
    let files = "echo max >a/b/memory.max; echo 900 >a/b/memory.high; echo 100 >a/b/memory.current; \
        echo 700 >a/memory.max; echo 600 >a/memory.current; echo inactive_file 50 >a/memory.stat; \
        echo 80 >c/memory.high; echo 95 >c/memory.current";
    scratch.shell(&format!("mkdir -p a/b c; {files}")).expect(0, "");
    for (place, left) in [("a/b", Some(150)), ("c", Some(0)), ("gone", None)] {
        assert_eq!(left_in_group(&scratch.path(""), place), left, "{place}");
    }
    scratch.write("a/memory.max", "1600");
    assert_eq!(left_in_group(&scratch.path(""), "a/b"), Some(800));
}

#[test]
fn a_followed_match_has_the_table_of_its_report() {
    let scratch = Scratch::new("followed-match");
    let run = "match --bot a=builtin:random --bot b=false --pairs 2 --journal games.jsonl";
    scratch.run(run).expect(1, "");
    let mut followed = GameFile::new(scratch.path("games.jsonl"));
    followed.read_on();
    let report = scratch.run("report games.jsonl --json").expect(1, "").json();
    // Written and read, as the other: the last digits of a number may change.
    let told = followed.report().expect("a match").to_string();
    assert_eq!(serde_json::from_str::<Value>(&told).expect("JSON"), report);
    // A text with a forfeit was taken for a match.
    let forfeit = format!("# red a, blue b, x\n{FIVE}\n# points 0 to 150\n# fault of red: time");
    scratch.write("forfeit.txt", forfeit);
    for (file, is_match) in [("games.jsonl", true), ("forfeit.txt", false)] {
        let board = Board::start(BLACKHOLE, &scratch.path(file).display().to_string());
        let request = format!("GET /{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", board.token, board.host);
        let page = board.send(request.as_bytes());
        assert!(page.contains(&format!("\"match\":{is_match}")), "{file}");
    }
}

/// The time of a file on a network drive, or on some sticks, goes in steps of 2 s.
#[test]
fn a_followed_file_is_replaced_by_one_of_the_same_size_and_time() {
    let scratch = Scratch::new("followed-time");
    let (now, mut followed) = (SystemTime::now(), GameFile::new(scratch.path("games")));
    for text in ["E2 A1 C4 G2 D2", "E2 A1 C4 G2 D3"] {
        scratch.write("games", text);
        let file = File::options().append(true).open(scratch.path("games")).expect("it is there");
        file.set_modified(now).expect("a time");
        assert_eq!(followed.read_on(), Some(0));
        assert_eq!(followed.games[0].record.to_string(), text);
        assert_eq!(followed.read_on(), None, "nothing is new");
        // While it cannot be read, what was read stays.
        scratch.shell("mv games away; mkdir games").expect(0, "");
        assert_eq!((followed.read_on(), followed.games.len()), (None, 1));
        scratch.shell("rmdir games; mv away games").expect(0, "");
    }
}

#[test]
fn a_followed_file_grows_is_cut_or_replaced_and_its_last_game_goes_on() {
    let scratch = Scratch::new("board-follow");
    let game = |plies| record(EXAMPLE).until(plies);
    let line = |plies| blackhole("convert --to json", game(plies).to_string()).fine();
    let [one, two, three] = [3, 5, 7].map(line);
    scratch.write("games", format!("{one}{two}"));
    let board = Board::start(BLACKHOLE, &scratch.path("games").display().to_string());
    let mut news = board.ask(&json!({"ask": "follow", "have": 2}));
    for (text, from, plies) in [
        (format!("{one}{two}"), 1, &[5][..]),
        (format!("{one}{two}{two}"), 2, &[5]),
        (format!("{one}{two}{two}{three}{}", &one[..9]), 3, &[7]),
        (format!("{one}{two}{two}{three}{one}"), 4, &[3]),
        // As many games as before, then fewer.
        (format!("{two}{three}{one}{three}{two}"), 0, &[5, 7, 3, 7, 5]),
        (two.clone(), 1, &[]),
        // Records, of which the last one goes on.
        (format!("{}\n{}", game(5), game(1)), 1, &[1]),
        (format!("{}\n{}", game(5), game(2)), 1, &[2]),
    ] {
        // Whole at every moment, and not written twice.
        scratch.write("next", &text);
        scratch.shell("cmp -s next games || mv next games").expect(0, "");
        let told = news.next().expect("news");
        let records = told["games"].as_array().expect("games").iter().map(|game| game["record"].clone());
        let expected: Vec<Value> = plies.iter().map(|&plies| json!(game(plies).to_string())).collect();
        assert_eq!((told["from"].clone(), records.collect::<Vec<_>>()), (json!(from), expected), "{text}");
    }
}
