//! HTTP for one page of this machine: a request a connection, nothing kept, everything limited.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The bytes that a request's head and its body may have.
const HEAD: usize = 16 << 10;
const BODY: usize = 1 << 20;

/// How long a request may take to arrive, and each write of an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers that every browser must treat alike: never kept, never framed, never taken for another type.
const COMMON: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: frame-ancestors 'none'\r\nConnection: close\r\n";

/// What is asked for, the page or (with its text) an answer, or the HTTP status of a refusal.
pub type Request<T = Vec<u8>> = Result<Option<T>, &'static str>;

const BAD: &str = "400 Bad Request";
const FORBIDDEN: &str = "403 Forbidden";

/// Who may ask: whoever knows the token, from a page of ours.
pub struct Door {
    /// The port as it follows a host's name; browsers leave out the usual one.
    port: String,
    token: String,
}

impl Door {
    /// Make a door with a new token of 128 bits. The system gives a hasher keys of as many, and nobody
    /// can tell from anything else what it makes of two numbers.
    pub fn new(port: u16) -> Door {
        let keys = RandomState::new();
        let port = if port == 80 { String::new() } else { format!(":{port}") };
        Door { port, token: format!("{:016x}{:016x}", keys.hash_one(0), keys.hash_one(1)) }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1{}/{}/", self.port, self.token)
    }

    /// Read a request and judge it.
    ///
    /// # Errors
    /// When the connection is too slow or ends.
    pub fn read(&self, stream: &mut TcpStream) -> io::Result<Request> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let (deadline, mut bytes) = (Instant::now() + PATIENCE, Vec::new());
        let length = loop {
            let whole = bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|place| place + 4);
            if let Some(length) = whole.filter(|&length| length <= HEAD) {
                break length;
            }
            if bytes.len() >= HEAD {
                return Ok(Err("431 Request Header Fields Too Large"));
            }
            receive(stream, deadline, &mut bytes)?;
        };
        let body = match self.judge(&bytes[..length]) {
            Ok(Some(body)) if body > BODY => return Ok(Err("413 Content Too Large")),
            Ok(Some(body)) => body,
            Ok(None) => return Ok(Ok(None)),
            Err(refused) => return Ok(Err(refused)),
        };
        while bytes.len() < length + body {
            receive(stream, deadline, &mut bytes)?;
        }
        bytes.truncate(length + body);
        Ok(Ok(Some(bytes.split_off(length))))
    }

    /// Judge the head of a request; of a question tell the length of its body.
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
        // Under another name a page of somebody else may be asking.
        let own = ["127.0.0.1", "localhost"].map(|name| name.to_owned() + &self.port);
        let is_own = |text: &[u8], scheme: &str| {
            let host = text.strip_prefix(scheme.as_bytes());
            own.iter().any(|own| host == Some(own.as_bytes()))
        };
        if !value("host")?.is_some_and(|host| is_own(host, ""))
            || value("origin")?.is_some_and(|origin| !is_own(origin, "http://"))
            || value("sec-fetch-site")?.is_some_and(|site| !matches!(site, b"same-origin" | b"none"))
        {
            return Err(FORBIDDEN);
        }
        let path = request.path.and_then(|path| path.strip_prefix('/')).ok_or(BAD)?;
        let (token, rest) = path.split_once('/').unwrap_or((path, ""));
        // In a time that does not tell where it differs.
        let difference = token.bytes().zip(self.token.bytes()).fold(0, |all, (one, own)| all | (one ^ own));
        if difference != 0 || token.len() != self.token.len() {
            return Err(FORBIDDEN);
        }
        match (request.method, rest) {
            (Some("GET"), "") => Ok(None),
            (Some("POST"), "ask") => {
                let length = value("content-length")?.ok_or("411 Length Required")?;
                let length = std::str::from_utf8(length).ok().filter(|text| !text.starts_with('+'));
                if value("transfer-encoding")?.is_some() {
                    return Err(BAD);
                }
                length.and_then(|text| text.parse().ok()).map(Some).ok_or(BAD)
            }
            (_, "" | "ask") => Err("405 Method Not Allowed"),
            _ => Err("404 Not Found"),
        }
    }
}

fn receive(stream: &mut TcpStream, deadline: Instant, bytes: &mut Vec<u8>) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    // None at all would be refused as a limit.
    stream.set_read_timeout(Some(left.max(Duration::from_nanos(1))))?;
    let mut part = [0; 4096];
    let count = stream.read(&mut part)?;
    bytes.extend_from_slice(&part[..count]);
    if count > 0 { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Begin an answer that ends with the connection.
pub fn begin(stream: &mut TcpStream, status: &str, kind: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n{COMMON}\r\n");
    stream.write_all(head.as_bytes())
}

pub fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    begin(stream, status, kind)?;
    stream.write_all(body.as_bytes())
}
