//! `blackhole board`: a page in the browser with the engine behind it, to play, analyse and review.

mod answers;
mod opener;

use std::env::{args_os, current_exe, split_paths, var_os};
use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use self::answers::BoardRequest;
use super::options::EngineOptions;
use super::source::read_games;
use super::{CommandResult, Failure, INTERRUPTED, say};
use crate::player::host::check_output;
use crate::workshop::board::http::{Gate, NO_ROOM, begin_response, refuse, respond};
use crate::workshop::board::workers::{Client, MAX_QUESTION, RELAY_STACK, Workers};
use crate::workshop::system::{is_executable, kill_all, on_request_to_end};

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
    /// Answer questions from standard input, as a process of the board
    #[arg(long, hide = true)]
    answer: bool,
}

/// The most connections at once; a page needs two.
const MAX_CONNECTIONS: usize = 256;

pub(super) fn run(options: &BoardOptions) -> CommandResult {
    if options.answer {
        return answers::answer(&options.engine);
    }
    let games = options.file.as_deref().map(read_games).transpose()?.unwrap_or_default();
    let file = options.file.clone().filter(|path| path.is_file());
    let page = answers::page(games, file.is_some(), &options.engine)?;
    let program =
        own_program().map_err(|error| Failure::input(format!("this program's own file: {error}")))?;
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("found port {port} taken, expected another --port"),
        _ => format!("port {port}: {error}"),
    });
    let listener = listener.map_err(Failure::input)?;
    let gate = Gate::with_new_token();
    on_request_to_end(|_| {
        opener::withdraw();
        kill_all();
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
    let command = move || {
        let mut command = Command::new(&program);
        // The command's name, and its arguments.
        command.args(args_os().skip(1).take(1)).arg("--answer").args(args_os().skip(2));
        command
    };
    Server { gate, page, file, workers: Workers::new(command), reading: Mutex::default() }.serve(&listener)
}

/// Find this program's file. The link of Linux leads to it even after a newer file took its place.
fn own_program() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return Ok(link.into());
    }
    current_exe().or_else(|error| {
        // Without /proc, search for the name of the command like a shell.
        let name = PathBuf::from(args_os().next().unwrap_or_default());
        let folders = var_os("PATH").unwrap_or_default();
        let found = if name.components().count() > 1 {
            Some(absolute(name)?)
        } else {
            split_paths(&folders).map(|folder| folder.join(&name)).find(|path| is_executable(path))
        };
        found.filter(|path| is_executable(path)).ok_or(error)
    })
}

struct Server {
    gate: Gate,
    page: String,
    /// The file of the games, if it may grow.
    file: Option<PathBuf>,
    workers: Workers,
    /// Held while games are read: one text at a time.
    reading: Mutex<()>,
}

impl Server {
    fn serve(&self, listener: &TcpListener) -> ! {
        let (open, mut is_told) = (AtomicUsize::new(0), false);
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
                let (open, own) = (&open, stream.clone());
                let talk = move || {
                    // A client that hung up needs no answer.
                    if let Ok(Some(why)) = self.handle_connection(&own) {
                        say(&format!("a question of the board failed: {why}"));
                    }
                    open.fetch_sub(1, Ordering::Relaxed);
                };
                if thread::Builder::new().stack_size(RELAY_STACK).spawn_scoped(scope, talk).is_err() {
                    let _ = refuse(&stream, NO_ROOM);
                    open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        })
    }

    /// Answer a question; return the reason of a failure, if any.
    fn answer(&self, question: &[u8], client: &Arc<Client>) -> io::Result<Option<String>> {
        let asked = serde_json::from_slice::<Value>(question).and_then(|value| {
            // On one line.
            let line = value.to_string();
            BoardRequest::deserialize(value).map(|request| (line, request))
        });
        let told = match (asked, &self.file) {
            (Err(error), _) => json!({"error": error.to_string()}),
            (Ok((_, request)), _) if request.ask == "read" => {
                let _alone = self.reading.lock();
                answers::read(&request.text)
            }
            (Ok((_, request)), Some(file)) if request.ask == "follow" => {
                answers::follow(file, request.have, client)?;
                return Ok(None);
            }
            (Ok((line, _)), _) if line.len() > MAX_QUESTION => {
                json!({"error": format!("found a game of {} bytes, expected at most {MAX_QUESTION}", line.len())})
            }
            (Ok((line, request)), _) => return Ok(self.workers.answer(&request.tab, line, client)),
        };
        client.send(format!("{told}\n").as_bytes())?;
        client.end(Ok(()));
        Ok(None)
    }

    /// Answer a request; return the reason of a failure, if any.
    fn handle_connection(&self, stream: &TcpStream) -> io::Result<Option<String>> {
        stream.set_nodelay(true)?;
        match self.gate.read(stream)? {
            Ok(None) => {
                opener::shown();
                respond(stream, "200 OK", "text/html", &self.page)?;
            }
            Ok(Some(question)) => {
                begin_response(stream, "200 OK", "application/x-ndjson")?;
                return self.answer(&question, &Arc::new(Client::new(stream.try_clone()?)));
            }
            Err(refusal) => refuse(stream, refusal)?,
        }
        Ok(None)
    }
}
