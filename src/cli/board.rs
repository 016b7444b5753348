//! `blackhole board`: a page in the browser with the engine behind it, to play, analyse and review.

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::exit;

use clap::Args;

use super::options::EngineOptions;
use super::source::read_games;
use super::{CommandResult, INTERRUPTED, say, unfit};
use crate::board::answers::BoardSettings;
use crate::board::opener;
use crate::board::server::Server;
use crate::player::host::check_output;
use crate::system::memory::share_heap;
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

pub(super) fn run(options: &BoardOptions) -> CommandResult {
    share_heap();
    let games = options.file.as_deref().map(read_games).transpose()?.unwrap_or_default();
    let file = options.file.clone().filter(|path| path.is_file());
    let settings = BoardSettings { time: options.engine.time, engine: options.engine.options() };
    let board = Server::new(games, file, settings).map_err(unfit)?;
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => unfit(format!("found port {port} taken, expected another --port")),
        _ => unfit(format!("port {port}: {error}")),
    })?;
    on_request_to_end(|_| {
        opener::withdraw();
        exit(INTERRUPTED.into());
    })?;
    let address = board.gate.address(listener.local_addr()?.port());
    // Without its address the board is useless: fail.
    let mut output = io::stdout().lock();
    check_output().map_err(io::Error::other)?;
    writeln!(output, "{address}").and_then(|()| output.flush()).map_err(|error| {
        io::Error::other(format!("the board's address cannot be written to standard output: {error}"))
    })?;
    drop(output);
    if !options.no_open {
        opener::open(&address, say);
    }
    if io::stdout().is_terminal() {
        say("the board is at this address; Ctrl-C ends it");
    }
    board.serve(&listener, say)
}
