//! `blackhole board`: a page in the browser with the engine behind it, to play, analyse and review.

mod answers;
mod opener;

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use self::answers::{BoardRequest, TabEngine};
use super::options::EngineOptions;
use super::source::read_games;
use super::{CommandResult, Failure, INTERRUPTED, say};
use crate::board::http::{Gate, NO_ROOM, begin_response, refuse, respond};
use crate::board::tabs::{Client, Tabs};
use crate::player::host::check_output;
use crate::system::on_request_to_end;

/// Open a board in the browser to play, analyse positions and review games
///
/// The page is served to this machine only, at a secret address. Ctrl-C ends it. From another machine,
/// forward a port: ssh -t -L 8000:127.0.0.1:8000 HOST blackhole board --no-open --port 8000
#[derive(Args)]
pub(super) struct BoardOptions {
    /// Games to begin with, in any form known to review; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port to listen at; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16))]
    port: u16,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    engine: EngineOptions,
}

/// The most connections at once; a page needs two.
const MAX_CONNECTIONS: usize = 256;
/// The stack of a connection's thread: small, as memory may be short.
const STACK: usize = 256 << 10;

pub(super) fn run(options: &BoardOptions) -> CommandResult {
    let games = options.file.as_deref().map(read_games).transpose()?.unwrap_or_default();
    let file = options.file.clone().filter(|path| path.is_file());
    let page = answers::page(games, file.is_some(), &options.engine)?;
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("found port {port} taken, expected another --port"),
        _ => format!("port {port}: {error}"),
    });
    let listener = listener.map_err(Failure::input)?;
    let gate = Gate::with_new_token();
    on_request_to_end(|_| {
        opener::withdraw();
        exit(INTERRUPTED.into());
    })?;
    let address = gate.address(listener.local_addr()?.port());
    // Without its address the board is useless: fail.
    let mut output = io::stdout().lock();
    check_output().map_err(io::Error::other)?;
    writeln!(output, "{address}").and_then(|()| output.flush()).map_err(|error| {
        io::Error::other(format!("the board's address cannot be written to standard output: {error}"))
    })?;
    drop(output);
    if !options.no_open {
        opener::open(&address);
    }
    if io::stdout().is_terminal() {
        say("the board is at this address; Ctrl-C ends it");
    }
    let engine = options.engine.clone();
    let tabs = Tabs::new(move |stop| TabEngine::new(&engine, stop));
    Server { gate, page, file, tabs, reading: Mutex::default() }.serve(&listener)
}

struct Server {
    gate: Gate,
    page: String,
    /// The file of the games, if it may grow.
    file: Option<PathBuf>,
    tabs: Tabs<TabEngine>,
    /// Held while games are read: one text at a time.
    reading: Mutex<()>,
}

impl Server {
    fn serve(&self, listener: &TcpListener) -> ! {
        let (open, mut number, mut is_told) = (AtomicUsize::new(0), 0, false);
        thread::scope(|scope| {
            loop {
                // With too many connections or open files, new ones wait.
                let others = open.load(Ordering::Relaxed);
                let stream = match (others < MAX_CONNECTIONS).then(|| listener.accept()) {
                    Some(Ok((stream, _))) => Arc::new(stream),
                    accepted => {
                        if let (0, Some(Err(error)), false) = (others, accepted, is_told) {
                            say(&format!("no connection can be accepted: {error}"));
                            is_told = true;
                        }
                        thread::sleep(Duration::from_millis(5));
                        continue;
                    }
                };
                open.fetch_add(1, Ordering::Relaxed);
                number += 1;
                let (open, own) = (&open, stream.clone());
                let talk = move || {
                    // A client that hung up needs no answer.
                    let _ = self.handle_connection(&own, number);
                    open.fetch_sub(1, Ordering::Relaxed);
                };
                if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, talk).is_err() {
                    let _ = refuse(&stream, NO_ROOM);
                    open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        })
    }

    /// Answer a question.
    fn answer(&self, question: &[u8], client: &Arc<Client>) -> io::Result<()> {
        match (serde_json::from_slice::<BoardRequest>(question), &self.file) {
            (Err(error), _) => client.tell(&json!({"error": error.to_string()})),
            (Ok(request), _) if request.ask == "read" => {
                let _alone = self.reading.lock();
                client.tell(&answers::read(&request.text));
            }
            (Ok(request), Some(file)) if request.ask == "follow" => {
                answers::follow(file, request.have, client)?;
            }
            (Ok(request), _) => {
                self.tabs.answer(&request.tab, client, |engine| engine.answer(&request, client));
            }
        }
        client.end(Ok(()));
        Ok(())
    }

    /// Answer a request.
    fn handle_connection(&self, stream: &TcpStream, number: u64) -> io::Result<()> {
        stream.set_nodelay(true)?;
        match self.gate.read(stream)? {
            Ok(None) => {
                opener::withdraw();
                respond(stream, "200 OK", "text/html", &self.page)
            }
            Ok(Some(question)) => {
                begin_response(stream, "200 OK", "application/x-ndjson")?;
                self.answer(&question, &Arc::new(Client::new(stream.try_clone()?, number)))
            }
            Err(refusal) => refuse(stream, refusal),
        }
    }
}
