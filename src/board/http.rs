//! HTTP for one page on this machine: one request for each connection, every size and time limited.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The most bytes of a request's head and body.
const MAX_HEAD: usize = 16 << 10;
const MAX_BODY: usize = 1 << 20;

/// The time for a request to arrive, and for each write of an answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// Headers of every answer: the browser must not store it, frame it, guess another type, or give the page
/// that opened it any access. `Server` tells the page that a board answers. A policy among them would hide
/// the page's nonces: once saved, it would have neither colours nor scripts.
const COMMON: &str = "Server: blackhole\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n";

/// A refusal of a request: the HTTP status, and a sentence of advice.
pub type Refusal = (&'static str, &'static str);

/// A request: `None` for the page, or the text of a question.
pub type Request<T = Vec<u8>> = Result<Option<T>, Refusal>;

const BAD: Refusal = ("400 Bad Request", "Found a request of another kind: open the board in a browser.");
const LONG_BODY: Refusal = ("413 Content Too Large", "Ask with at most 1 MB: load fewer games at once.");
const NO_PATH: Refusal = ("404 Not Found", "Open the address that the program printed, no path below it.");
const OTHER_HOST: Refusal =
    ("403 Forbidden", "Open the board as 127.0.0.1 or localhost; from elsewhere forward a port (ssh -L).");
const OTHER_PAGE: Refusal =
    ("403 Forbidden", "Open the board in a tab of its own: other pages may only link to it.");
const OTHER_TOKEN: Refusal =
    ("403 Forbidden", "The board has another address: open the one printed at the program's last start.");
pub const NO_ROOM: Refusal = ("503 Service Unavailable", "No memory is left: close other programs.");

/// The permission to ask: for a page of ours that knows the token.
pub struct Gate {
    token: String,
}

impl Gate {
    /// Make a gate with a new token: two hashes under a hasher's 128 secret bits, which the system draws at random.
    pub fn with_new_token() -> Gate {
        let keys = RandomState::new();
        Gate { token: format!("{:016x}{:016x}", keys.hash_one(0), keys.hash_one(1)) }
    }

    pub fn address(&self, port: u16) -> String {
        format!("http://127.0.0.1:{port}/{}/", self.token)
    }

    pub fn read(&self, stream: &TcpStream) -> io::Result<Request> {
        stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
        let (deadline, mut bytes) = (Instant::now() + REQUEST_TIMEOUT, Vec::new());
        let length = loop {
            receive(stream, deadline, &mut bytes)?;
            match bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None if bytes.len() >= MAX_HEAD => return Ok(Err(BAD)),
                None => {}
            }
        };
        let judged = self.judge(&bytes[..length]);
        let Ok(Some(body)) = judged else { return Ok(judged.map(|_| None)) };
        // A client that knows the token may be slow, for instance behind a tunnel.
        while bytes.len() < length + body {
            receive(stream, Instant::now() + REQUEST_TIMEOUT, &mut bytes)?;
        }
        bytes.truncate(length + body);
        Ok(Ok(Some(bytes.split_off(length))))
    }

    /// Judge the head of a request; return the length of the body of a question.
    fn judge(&self, head: &[u8]) -> Request<usize> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        if !request.parse(head).is_ok_and(|status| status.is_complete()) {
            return Err(BAD);
        }
        let value = |name: &str| {
            let mut found = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            let first = found.next().map(|header| header.value);
            if found.next().is_some() { Err(BAD) } else { Ok(first) }
        };
        // Under another host name another site's page may be asking, if that name now leads here.
        let host = value("host")?.filter(|host| is_local(host)).ok_or(OTHER_HOST)?;
        let is_own = |origin: &[u8]| origin.strip_prefix(b"http://") == Some(host);
        let is_elsewhere = value("sec-fetch-site")?.is_some_and(|it| !matches!(it, b"same-origin" | b"none"));
        // A link from elsewhere may open the page: its author knows the token, and cannot read the page.
        let is_opened = request.method == Some("GET")
            && value("sec-fetch-mode")? == Some(b"navigate")
            && value("sec-fetch-dest")? == Some(b"document");
        if value("origin")?.is_some_and(|origin| !is_own(origin)) || is_elsewhere && !is_opened {
            return Err(OTHER_PAGE);
        }
        let path = request.path.and_then(|path| path.strip_prefix('/')).ok_or(BAD)?;
        let (token, rest) = path.split_once('/').unwrap_or((path, ""));
        // Compare in constant time.
        let difference = token.bytes().zip(self.token.bytes()).fold(0, |all, (one, own)| all | (one ^ own));
        if difference != 0 || token.len() != self.token.len() {
            return Err(OTHER_TOKEN);
        }
        match (request.method, rest) {
            (Some("GET"), "") => Ok(None),
            (Some("POST"), "ask") => {
                let length = value("content-length")?.and_then(|length| str::from_utf8(length).ok());
                let length = length.and_then(|text| text.parse().ok()).ok_or(BAD)?;
                if length > MAX_BODY { Err(LONG_BODY) } else { Ok(Some(length)) }
            }
            (_, "" | "ask") => Err(BAD),
            _ => Err(NO_PATH),
        }
    }
}

/// Tell whether a host is this machine, at any port: `ssh -L` may forward from another port.
fn is_local(host: &[u8]) -> bool {
    let port = host.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let name = host[..host.len() - port].strip_suffix(b":").unwrap_or(host);
    [&b"127.0.0.1"[..], b"localhost", b"[::1]"].contains(&name)
}

fn receive(mut stream: &TcpStream, deadline: Instant, bytes: &mut Vec<u8>) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    // Zero is no valid limit.
    stream.set_read_timeout(Some(left.max(Duration::from_nanos(1))))?;
    let mut part = [0; 4096];
    let count = match stream.read(&mut part) {
        // The program was stopped and resumed.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
        count => count?,
    };
    bytes.extend_from_slice(&part[..count]);
    if count > 0 { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Begin an answer of unknown length; the end of the connection ends it.
pub fn begin_response(mut stream: &TcpStream, status: &str, kind: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n{COMMON}\r\n");
    stream.write_all(head.as_bytes())
}

pub fn respond(mut stream: &TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    begin_response(stream, status, kind)?;
    stream.write_all(body.as_bytes())
}

/// Refuse a request, then read the rest of it: closing the connection earlier could lose the answer.
pub fn refuse(stream: &TcpStream, (status, advice): Refusal) -> io::Result<()> {
    respond(stream, status, "text/plain", &format!("{advice}\n"))?;
    stream.shutdown(Shutdown::Write)?;
    let (deadline, mut rest) = (Instant::now() + REQUEST_TIMEOUT, Vec::new());
    while receive(stream, deadline, &mut rest).is_ok() {
        rest.clear();
    }
    Ok(())
}
