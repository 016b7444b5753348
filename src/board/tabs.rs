//! Questions answered on threads, by a few engines for all tabs of the page: a tab has one question at a time, and an
//! engine keeps its findings for the next question of any tab.

use std::io::{self, Read, Write};
use std::iter::repeat_with;
use std::mem::replace;
use std::net::{Shutdown, TcpStream};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::memory::LEAST;

/// The most engines, and so the most tabs that ask at once: a further tab takes the engine asked longest ago.
const MAX_ENGINES: usize = 4;
/// The time between two checks whether a client still listens after closing its half of the connection.
const PULSE: Duration = Duration::from_millis(50);

/// Print panics on a thread of their own, so that a full stderr pipe cannot block an answer.
pub fn tell_panics(say: fn(&str)) {
    panic::set_hook(Box::new(move |panic| {
        let text = panic.to_string();
        drop(thread::Builder::new().spawn(move || say(&text)));
    }));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client: it gets whole lines, and none after the last one.
pub struct Client {
    stream: TcpStream,
    /// The number of the connection: a question may be overtaken on its way to the engine by a later one.
    number: u64,
    /// Whether the last line was sent; locked by the writer.
    has_ended: Mutex<bool>,
}

impl Client {
    pub fn new(stream: TcpStream, number: u64) -> Client {
        Client { stream, number, has_ended: Mutex::new(false) }
    }

    /// Send bytes; fail if the client no longer listens, or its answer has ended.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let has_ended = lock(&self.has_ended);
        if *has_ended {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // Half a line must be the last.
        (&self.stream).write_all(bytes).inspect_err(|_| _ = self.stream.shutdown(Shutdown::Both))
    }

    /// Send a line, unless the client hung up: that ends the work at its answer.
    pub fn tell(&self, answer: &Value) {
        let _ = self.send(format!("{answer}\n").as_bytes());
    }

    /// Send the last line: done, failed for a reason, or taken over (no reason).
    pub fn end(&self, ended: Result<(), Option<&str>>) {
        let line = match ended {
            Ok(()) => json!({"ended": "done"}),
            Err(None) => json!({"ended": "taken over"}),
            Err(Some(why)) => json!({"ended": "failed", "why": why}),
        };
        let mut has_ended = lock(&self.has_ended);
        if !replace(&mut *has_ended, true) {
            let _ = (&self.stream).write_all(format!("{line}\n").as_bytes());
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Wait until the client hangs up or its answer has ended.
    fn wait_for_hangup(&self) {
        if self.stream.set_read_timeout(None).is_err() {
            return;
        }
        loop {
            match (&self.stream).read(&mut [0; 512]) {
                // The client has closed its half and may still listen: a blank, harmless before a line,
                // finds out.
                Ok(0) if self.send(b" ").is_ok() => thread::sleep(PULSE),
                Ok(0) => return,
                // Some clients add an end of line to a question.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// An engine, and the client that waits for its answer.
struct Seat<E> {
    /// Raised to end the answer at work.
    stop: &'static AtomicBool,
    /// The tab's name, and its client.
    waiting: Mutex<Option<(String, Arc<Client>)>>,
    /// Locked by the answer at work; `None` before the first one.
    engine: Mutex<Option<E>>,
}

impl<E> Seat<E> {
    /// Begin the answer to a client, or stop it for ever, if this client waits; tell whether it does.
    fn begin_or_stop(&self, client: &Arc<Client>, is_stop: bool) -> bool {
        // Locked to the end: a question that begins meanwhile must not be stopped.
        let mut waiting = lock(&self.waiting);
        let is_own = waiting.as_ref().is_some_and(|(_, own)| Arc::ptr_eq(own, client));
        if is_own {
            self.stop.store(is_stop, Ordering::Relaxed);
            waiting.take_if(|_| is_stop);
        }
        is_own
    }
}

/// The engines behind the tabs of the page, the one asked last at the end. They are made when they are needed.
pub struct Tabs<E> {
    seats: Mutex<Vec<Arc<Seat<E>>>>,
    make: Box<dyn Fn(&'static AtomicBool) -> E + Send + Sync>,
}

impl<E: Send> Tabs<E> {
    /// Make tabs with engines that end their work when the flag is raised, and share some bytes equally.
    pub fn new(
        bytes: usize,
        make: impl Fn(&'static AtomicBool, usize) -> E + Send + Sync + 'static,
    ) -> Tabs<E> {
        let count = (bytes / LEAST).clamp(1, MAX_ENGINES);
        let stop = || Box::leak(Box::default());
        let seat = || Arc::new(Seat { stop: stop(), waiting: Mutex::default(), engine: Mutex::default() });
        let seats = repeat_with(seat).take(count).collect();
        Tabs { seats: Mutex::new(seats), make: Box::new(move |stop| make(stop, bytes / count)) }
    }

    /// Have an engine answer a tab's client, in place of the tab's question before, and tell it the end.
    pub fn answer(&self, tab: &str, client: &Arc<Client>, work: impl FnOnce(&mut E) + Send) {
        let Some(seat) = self.take_seat(tab, client) else { return };
        let answer = || {
            let mut kept = lock(&seat.engine);
            // The answer before has ended, but perhaps a newer question was asked.
            if !seat.begin_or_stop(client, false) {
                return;
            }
            let mut engine = kept.take().unwrap_or_else(|| (self.make)(seat.stop));
            // A panic has printed its message; what it left behind is dropped.
            let worked = catch_unwind(AssertUnwindSafe(|| work(&mut engine)));
            *kept = worked.is_ok().then_some(engine);
            seat.begin_or_stop(client, true);
            client.end(worked.map_err(|_| Some("The engine failed at this position.")));
        };
        thread::scope(|scope| {
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, answer) {
                client.end(Err(Some(&format!("a thread cannot be started: {error}"))));
            }
            client.wait_for_hangup();
            seat.begin_or_stop(client, true);
        });
    }

    /// Let a client wait for an engine: the one with its tab's question, else the last asked of those without a
    /// question, else the one asked longest ago. `None` if a later client of the tab waits.
    fn take_seat(&self, tab: &str, client: &Arc<Client>) -> Option<Arc<Seat<E>>> {
        let mut seats = lock(&self.seats);
        let index = |is_wanted: &dyn Fn(Option<&str>) -> bool| {
            seats.iter().rposition(|seat| is_wanted(lock(&seat.waiting).as_ref().map(|(name, _)| &name[..])))
        };
        let index = index(&|name| name == Some(tab)).or_else(|| index(&|name| name.is_none()));
        let seat = seats.remove(index.unwrap_or(0));
        seats.push(seat.clone());
        let mut waiting = lock(&seat.waiting);
        if waiting.as_ref().is_some_and(|(name, now)| name == tab && now.number > client.number) {
            client.end(Err(None));
            return None;
        }
        seat.stop.store(true, Ordering::Relaxed);
        let replaced = waiting.replace((tab.to_owned(), client.clone()));
        let count = seats.len();
        drop((waiting, seats));
        if let Some((name, replaced)) = replaced {
            let why = format!("other pages of this board ask, and at most {count} are answered at once");
            replaced.end(Err(Some(&*why).filter(|_| name != tab)));
        }
        Some(seat)
    }
}
