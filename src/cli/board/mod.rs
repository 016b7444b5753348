//! `blackhole board`: a page in the browser to play, to analyse and to review on, with the engine behind it.

mod answers;

use std::env::{args_os, current_exe, var_os};
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio, exit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use clap::Args;

use super::options::EngineOptions;
use super::source::read_games;
use super::{CommandResult, Failure, INTERRUPTED, print, say};
use crate::workshop::board::desk::Desk;
use crate::workshop::board::http::{Door, begin, respond};
use crate::workshop::system::{kill_all, on_request_to_end};

/// Open a board in the browser: play, analyse positions and review games with the engine running
///
/// The page is served to this machine alone, at an address that nobody can guess. Ctrl-C ends it.
#[derive(Args)]
pub(super) struct BoardOptions {
    /// Games to begin with, in any form that review reads; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port to listen at; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16))]
    port: u16,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    engine: EngineOptions,
    /// Answer one question from standard input: what the board starts for each
    #[arg(long, hide = true)]
    answer: bool,
}

/// So many connections may be open at once; a page needs two.
const CONNECTIONS: usize = 256;

pub(super) fn run(options: &BoardOptions) -> CommandResult {
    if options.answer {
        return answers::answer(&options.engine);
    }
    let games = options.file.as_deref().map(read_games).transpose()?.unwrap_or_default();
    let page = answers::page(games, &options.engine)?;
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("found port {port} taken, expected another --port"),
        _ => format!("port {port}: {error}"),
    });
    let listener = listener.map_err(Failure::input)?;
    let door = Door::new(listener.local_addr()?.port());
    on_request_to_end(|_| {
        kill_all();
        exit(INTERRUPTED.into());
    })?;
    let address = door.address();
    print(&format!("{address}\n"))?;
    if !options.no_open {
        open(&address);
    }
    if io::stdout().is_terminal() {
        say("the board is at this address; Ctrl-C ends it");
    }
    serve(&listener, &door, &page)
}

fn serve(listener: &TcpListener, door: &Door, page: &str) -> ! {
    let (desk, open) = (Desk::default(), AtomicUsize::new(0));
    thread::scope(|scope| {
        loop {
            // Where too many are open already, or too many files, others wait.
            let free = open.load(Ordering::Relaxed) < CONNECTIONS;
            let Some((stream, _)) = free.then(|| listener.accept().ok()).flatten() else {
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            open.fetch_add(1, Ordering::Relaxed);
            let (desk, open) = (&desk, &open);
            let talk = move || {
                // Whoever hangs up needs no answer.
                let _ = attend(stream, door, desk, page);
                open.fetch_sub(1, Ordering::Relaxed);
            };
            if thread::Builder::new().spawn_scoped(scope, talk).is_err() {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    })
}

fn attend(mut stream: TcpStream, door: &Door, desk: &Desk, page: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match door.read(&mut stream)? {
        Ok(None) => respond(&mut stream, "200 OK", "text/html", page),
        Ok(Some(question)) => {
            // A program that was replaced meanwhile is still this one by its number.
            let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { current_exe()? };
            let mut command = Command::new(own);
            // The command's name, and what was given to it.
            command.args(args_os().skip(1).take(1)).arg("--answer").args(args_os().skip(2));
            begin(&mut stream, "200 OK", "application/x-ndjson")?;
            desk.answer(&mut command, &question, &mut stream)
        }
        Err(status) => respond(&mut stream, status, "text/plain", &format!("{status}\n")),
    }
}

/// Open an address in the browser, or say that there is none.
fn open(address: &str) {
    let mut command = Command::new(if cfg!(windows) {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else if var_os("DISPLAY").or(var_os("WAYLAND_DISPLAY")).is_some() {
        "xdg-open"
    } else {
        return say("no display is found: open the address in a browser of this machine");
    });
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let open = move || {
        // What opens pages on Windows tells nothing by its exit code.
        if !command.status().is_ok_and(|status| status.success() || cfg!(windows)) {
            say("no browser could be opened: open the address in one of this machine");
        }
    };
    let _ = thread::Builder::new().spawn(open);
}
