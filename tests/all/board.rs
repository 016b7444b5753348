//! The board in the browser: who may ask it, and that its answers are those of the other commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rand::RngExt;
use serde_json::{Value, json};

use crate::common::{EMPTY_4, EXAMPLE, FIVE, rng};
use crate::scratch::{BLACKHOLE, Ran, blackhole, piped, signal, wait_for};

/// A board that is served until it is dropped.
pub struct Board {
    child: Child,
    /// The address: `http://127.0.0.1:PORT/TOKEN/`.
    pub address: String,
}

impl Board {
    pub fn start(options: &str) -> Board {
        let options = options.split_whitespace();
        let mut child = piped(Command::new(BLACKHOLE).args(["board", "--no-open"]).args(options));
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("an address");
        Board { child, address: line.trim().to_owned() }
    }

    fn host(&self) -> &str {
        self.address["http://".len()..].split('/').next().expect("a host")
    }

    fn token(&self) -> &str {
        self.address.rsplit('/').nth(1).expect("a token")
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Send bytes and return what comes back until the connection ends.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // It may answer and close before all is sent.
        let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    /// Ask a question and return the stream of its answer.
    pub fn ask(&self, question: &Value) -> impl Iterator<Item = Value> + use<> {
        let (body, host, token) = (question.to_string(), self.host(), self.token());
        let length = body.len();
        let mut stream = self.connect();
        let head = format!("POST /{token}/ask HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all((head + &body).as_bytes()).expect("it reads");
        let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
        let lines = lines.skip_while(|line| !line.is_empty()).skip(1);
        lines.map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// The memory of the server in kB.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let (_, size) = status.split_once("VmRSS:").expect("a size");
        size.split_whitespace().next().expect("a number").parse().expect("a number")
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
    let board = Board::start("");
    let (host, token) = (board.host().to_owned(), board.token().to_owned());
    assert_eq!(token.len(), 32);
    let port = host.rsplit(':').next().expect("a port");
    let page = format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n");
    let ask = format!("POST /{token}/ask HTTP/1.1\r\nHost: {host}\r\n");
    let other = token.replace(&token[..1], if token.starts_with('0') { "1" } else { "0" });
    for (request, status) in [
        (format!("{page}\r\n"), "200"),
        (format!("{page}Origin: http://{host}\r\nSec-Fetch-Site: none\r\n\r\n"), "200"),
        (page.replace(&host, &format!("localhost:{port}")) + "\r\n", "200"),
        (page.replace(&token, &other) + "\r\n", "403"),
        (page.replace(&token, &token[1..]) + "\r\n", "403"),
        (page.replace(&format!("{token}/"), "") + "\r\n", "403"),
        (page.replace(&host, "evil.example") + "\r\n", "403"),
        (page.replace(&host, "127.0.0.1") + "\r\n", "403"),
        (page.replace(&format!("Host: {host}\r\n"), "") + "\r\n", "403"),
        (format!("{page}Host: {host}\r\n\r\n"), "400"),
        (format!("{page}Origin: http://evil.example\r\n\r\n"), "403"),
        (format!("{page}Origin: null\r\n\r\n"), "403"),
        (format!("{page}Sec-Fetch-Site: cross-site\r\n\r\n"), "403"),
        (page.replace("/ HTTP", "/../../etc/passwd HTTP") + "\r\n", "404"),
        (page.replace("/ HTTP", "/Cargo.toml HTTP") + "\r\n", "404"),
        (page.replace("GET", "DELETE") + "\r\n", "405"),
        (ask.replace("POST", "GET") + "\r\n", "405"),
        (format!("{ask}\r\n"), "411"),
        (format!("{ask}Content-Length: -1\r\n\r\n"), "400"),
        (format!("{ask}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), "400"),
        (format!("{ask}Content-Length: 9999999\r\n\r\n"), "413"),
        (format!("{page}X: {}\r\n\r\n", "x".repeat(20_000)), "431"),
        ("\x16\x03\x01\x02\x00\x01\r\n\r\n".to_owned(), "400"),
    ] {
        let answer = board.send(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        assert_eq!(answer.contains("<html"), status == "200", "{request}");
    }
}

#[test]
fn garbage_neither_stops_nor_feeds_it() {
    let board = Board::start("");
    let mut rng = rng(61);
    let page = format!("GET /{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", board.token(), board.host());
    let own = format!("{} {}", board.token(), board.host());
    let parts = "GET\t POST\t / /ask \tHTTP/1.1\r\n Host:\t \r\n \r\n\r\n Origin: Content-Length: 18446744073709551616 0 %2e%2e/ \u{ff} {}";
    let parts: Vec<&str> = parts.split(' ').chain(own.split(' ')).collect();
    let mut memory = 0;
    // Some clients say nothing at all.
    let silent: Vec<TcpStream> = (0..10).map(|_| board.connect()).collect();
    for n in 0..10_000 {
        let mut bytes = page.clone().into_bytes();
        match n % 3 {
            0 => bytes = (0..rng.random_range(0..300)).map(|_| rng.random()).collect(),
            1 => {
                bytes = (0..20)
                    .flat_map(|_| parts[rng.random_range(0..parts.len())].replace('\t', " ").into_bytes())
                    .collect()
            }
            _ => (0..3).for_each(|_| {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random();
            }),
        }
        board.send(&bytes);
        if n == 1_000 {
            memory = board.memory();
        }
    }
    assert!(board.send(page.as_bytes()).starts_with("HTTP/1.1 200 OK"));
    let grown = board.memory().saturating_sub(memory);
    assert!(grown < 1_000, "{grown} kB more");
    drop(silent);
}

#[test]
fn it_ends_by_ctrl_c_and_says_what_is_wrong_in_a_line() {
    let begin = Instant::now();
    let board = Board::start("");
    let port = board.host().rsplit(':').next().expect("a port").to_owned();
    let again =
        Command::new(BLACKHOLE).args(["board", "--no-open", "--port", &port]).output().expect("it runs");
    let again = Ran::from(again).refused(&format!("found port {port} taken, expected another --port"));
    assert_eq!(again.stderr.lines().count(), 1);
    // Without a display it says so.
    let mut without = Command::new(BLACKHOLE);
    let mut without = piped(without.arg("board").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"));
    let mut said = String::new();
    BufReader::new(without.stderr.as_mut().expect("piped")).read_line(&mut said).expect("a line");
    assert_eq!(said, "no display is found: open the address in a browser of this machine\n");
    signal(&without, "INT");
    assert_eq!(Ran::from(without).code, Some(130));
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// The last answer under a key.
fn last(answers: &[Value], key: &str) -> Value {
    let mut answer = answers.iter().rev().find_map(|answer| answer.get(key)).expect(key).clone();
    if let Some(object) = answer.as_object_mut() {
        // What it took is told, too.
        object.retain(|key, _| !["seconds", "nodes"].contains(&&**key));
    }
    answer
}

#[test]
fn its_answers_are_those_of_the_other_commands() {
    let board = Board::start("--nodes 300");
    let early = FIVE.replace('\n', " ");
    for (text, solved, thought) in
        [(EMPTY_4, true, true), (&EXAMPLE[..42], true, true), (EXAMPLE, true, false), (&early, false, true)]
    {
        let answers = board.ask(&json!({"ask": "analyse", "text": text}));
        let answers: Vec<Value> = answers.take(if solved { usize::MAX } else { 1 }).collect();
        for (wanted, key, options) in
            [(solved, "solve", "solve --all-moves"), (thought, "think", "think --nodes 300")]
        {
            if wanted {
                let other = blackhole(&format!("{options} --json"), text).json();
                assert_eq!(last(&answers, key), last(&[json!({key: other})], key), "{text}");
            }
        }
        if solved {
            assert_eq!(answers.last(), Some(&json!({"ended": "done"})));
        }
    }
    let review: Vec<Value> =
        board.ask(&json!({"ask": "review", "text": format!("{EMPTY_4} A1=3")})).collect();
    let other = blackhole("review --json", format!("{EMPTY_4} A1=3")).json();
    assert_eq!(last(&review, "review")["summary"], other["summary"]);
    let moved: Vec<Value> =
        board.ask(&json!({"ask": "move", "text": early, "left": 5, "player": "casual"})).collect();
    let why = json!({"why": "by a rule of thumb, without a search"});
    assert_eq!(moved[0]["move"]["why"], why["why"], "{moved:?}");
    for (text, error) in
        [("E2 A1", "line 1: found the end, expected"), ("E2 A1 C4 G2 D2 Z9=1", "line 1: found")]
    {
        let refused: Vec<Value> = board.ask(&json!({"ask": "read", "text": text})).collect();
        assert!(refused[0]["error"].as_str().is_some_and(|text| text.starts_with(error)), "{refused:?}");
    }
}

#[test]
fn a_new_question_or_a_closed_page_ends_what_is_at_work() {
    let board = Board::start("--seed 616161");
    let early = json!({"ask": "analyse", "text": FIVE});
    let at_work = || crate::scratch::processes("--answer --no-open --seed 616161").len();
    let mut first = board.ask(&early);
    assert!(first.next().expect("an answer")["think"].is_object());
    assert_eq!(at_work(), 1);
    let begin = Instant::now();
    let read = board.ask(&json!({"ask": "read", "text": FIVE})).collect::<Vec<Value>>();
    assert!(read[0]["games"].is_array() && begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(first.last(), Some(json!({"ended": "taken over"})));
    assert_eq!(at_work(), 0);
    let mut closed = board.ask(&early);
    assert!(closed.next().is_some());
    drop(closed);
    let begin = Instant::now();
    wait_for("the end of the search", || at_work() == 0);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}
