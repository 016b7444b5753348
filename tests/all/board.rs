//! The board in the browser: who may ask it, and that its answers are those of the other commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::common::rng;
use crate::scratch::{BLACKHOLE, Ran, piped, signal};

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

    pub fn connect(&self) -> TcpStream {
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

    /// What the system says of the server, such as its memory in kB.
    #[cfg(target_os = "linux")]
    fn status(&self, key: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("a line");
        line.trim_start_matches(':')
            .split_whitespace()
            .next()
            .and_then(|count| count.parse().ok())
            .expect("a number")
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
#[cfg(target_os = "linux")]
fn garbage_neither_stops_nor_feeds_it() {
    let board = Board::start("");
    let mut rng = rng(61);
    let page = format!("GET /{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", board.token(), board.host());
    let parts = [
        "GET ",
        "POST ",
        "/",
        board.token(),
        "/ask",
        " HTTP/1.1\r\n",
        "Host: ",
        board.host(),
        "\r\n",
        "\r\n\r\n",
        "Origin: ",
        "Content-Length: ",
        "18446744073709551616",
        "0",
        "%2e%2e/",
        "\u{ff}",
        "{\"ask\":\"solve\"}",
        ":",
    ];
    let mut memory = 0;
    // Some clients say nothing at all.
    let silent: Vec<TcpStream> = (0..10).map(|_| board.connect()).collect();
    for n in 0..10_000 {
        let request = match n % 3 {
            0 => (0..rng.random_range(0..300)).map(|_| rng.random()).collect(),
            1 => (0..rng.random_range(0..20))
                .map(|_| *parts.choose(&mut rng).expect("parts"))
                .collect::<String>()
                .into(),
            _ => {
                let mut bytes = page.clone().into_bytes();
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..bytes.len());
                    bytes[at] = rng.random();
                }
                bytes
            }
        };
        board.send(&request);
        if n == 1_000 {
            memory = board.status("VmRSS");
        }
    }
    assert!(board.send(page.as_bytes()).starts_with("HTTP/1.1 200 OK"));
    let grown = board.status("VmRSS").saturating_sub(memory);
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
    if cfg!(target_os = "linux") {
        BufReader::new(without.stderr.as_mut().expect("piped")).read_line(&mut said).expect("a line");
        assert_eq!(said, "no display is found: open the address in a browser of this machine\n");
    }
    signal(&without, "INT");
    assert_eq!(Ran::from(without).code, Some(130));
    assert!(begin.elapsed() < Duration::from_secs(10));
}
