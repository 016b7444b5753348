//! The server of the page and of its questions.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::answers::{self, BoardRequest, BoardSettings, TabEngine};
use super::following::GameFile;
use super::http::{Gate, NO_ROOM, begin_response, refuse, respond};
use super::memory::for_engines;
use super::opener;
use super::tabs::{Client, Tabs, tell_panics};
use crate::games::files::RecordedGame;

/// The most connections at once; a page needs two.
const MAX_CONNECTIONS: usize = 256;
/// The stack of a connection's thread: small, as memory may be short.
const STACK: usize = 256 << 10;

pub struct Server {
    pub gate: Gate,
    page: String,
    /// The file of the games, if it may grow.
    file: Option<PathBuf>,
    tabs: Tabs<TabEngine>,
    /// Held while games are read: one text at a time.
    reading: Mutex<()>,
}

impl Server {
    /// Make a board with some games, or with a new game to play if there are none; the games' file may grow.
    pub fn new(
        games: Vec<RecordedGame>,
        file: Option<PathBuf>,
        settings: BoardSettings,
    ) -> Result<Server, String> {
        let mut journal = GameFile::new(file.clone().unwrap_or_default());
        journal.read_on();
        let page = answers::page(games, [file.is_some(), journal.report().is_some()], &settings)?;
        let tabs = Tabs::new(for_engines(), move |stop, bytes| TabEngine::new(&settings, stop, bytes));
        Ok(Server { gate: Gate::with_new_token(), page, file, tabs, reading: Mutex::default() })
    }

    pub fn serve(&self, listener: &TcpListener, say: fn(&str)) -> ! {
        tell_panics(say);
        let (open, mut number) = (Arc::new(()), 0);
        thread::scope(|scope| {
            loop {
                // With too many connections or open files, new ones wait.
                let has_room = Arc::strong_count(&open) <= MAX_CONNECTIONS;
                let Some(Ok((stream, _))) = has_room.then(|| listener.accept()) else {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                };
                let stream = Arc::new(stream);
                number += 1;
                let (open, own) = (open.clone(), stream.clone());
                let talk = move || {
                    // A client that hung up needs no answer.
                    let _ = self.handle_connection(&own, number);
                    drop(open);
                };
                if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, talk).is_err() {
                    let _ = refuse(&stream, NO_ROOM);
                }
            }
        })
    }

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
                self.tabs.answer(&request.tab, client, |engine| {
                    let told = engine.answer(&request, client);
                    told.unwrap_or_else(|why| client.tell(&json!({"error": why})));
                });
            }
        }
        client.end(Ok(()));
        Ok(())
    }

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
