//! Questions answered on threads: each tab of the page has an engine of its own, which answers one at a time
//! and keeps its findings for the next.

use std::io::{self, Read, Write};
use std::mem::replace;
use std::net::{Shutdown, TcpStream};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::memory::{Room, Share};

/// The most tabs with an engine; the one asked longest ago loses it to another, those without a question first.
const MAX_TABS: usize = 8;
/// The most tabs without a question that keep their engines.
const MAX_IDLE: usize = 2;
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

/// A tab of the page, with its engine.
struct Tab<E> {
    name: String,
    /// Raised to end the answer at work.
    stop: &'static AtomicBool,
    /// Who waits for an answer.
    client: Mutex<Option<Arc<Client>>>,
    /// Locked by the answer at work; `None` before the first one.
    engine: Mutex<Option<(E, Share)>>,
}

/// The flags of tabs that are gone, for new ones.
static FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

impl<E> Drop for Tab<E> {
    fn drop(&mut self) {
        lock(&FLAGS).push(self.stop);
    }
}

impl<E> Tab<E> {
    /// Let another client wait for an answer, or none; return the one that no longer waits and must be told so.
    fn set_client(&self, next: Option<&Arc<Client>>) -> Option<Arc<Client>> {
        let mut client = lock(&self.client);
        if let (Some(now), Some(next)) = (&*client, next)
            && now.number > next.number
        {
            return Some(next.clone());
        }
        self.stop.store(true, Ordering::Relaxed);
        replace(&mut *client, next.cloned())
    }

    /// Take the flag down for the answer to a client, if it is the one that waits; tell whether it is.
    fn begin(&self, client: &Arc<Client>) -> bool {
        let waiting = lock(&self.client);
        let is_own = waiting.as_ref().is_some_and(|own| Arc::ptr_eq(own, client));
        if is_own {
            self.stop.store(false, Ordering::Relaxed);
        }
        is_own
    }

    /// Stop the answer to a client that waits no longer.
    fn leave(&self, client: &Arc<Client>) {
        // Locked to the end: a question that begins meanwhile must not be stopped.
        let mut waiting = lock(&self.client);
        if waiting.take_if(|own| Arc::ptr_eq(own, client)).is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn is_idle(&self) -> bool {
        lock(&self.client).is_none()
    }
}

/// The tabs of the page, the one asked last at the end.
pub struct Tabs<E> {
    tabs: Mutex<Vec<Arc<Tab<E>>>>,
    room: Room,
    make: Box<dyn Fn(&'static AtomicBool, usize) -> E + Send + Sync>,
}

impl<E: Send> Tabs<E> {
    /// Make tabs with engines of one kind, which end their work when the flag is raised, and keep to some bytes.
    pub fn new(
        room: Room,
        make: impl Fn(&'static AtomicBool, usize) -> E + Send + Sync + 'static,
    ) -> Tabs<E> {
        Tabs { tabs: Mutex::default(), room, make: Box::new(make) }
    }

    /// Have a tab's engine answer a client, in place of the tab's question before, and tell it the end.
    pub fn answer(&self, name: &str, client: &Arc<Client>, work: impl FnOnce(&mut E) + Send) {
        let Some(tab) = self.tab(name, client) else { return };
        let answer = || {
            let mut kept = lock(&tab.engine);
            // The answer before has ended, but perhaps a newer question was asked.
            if !tab.begin(client) {
                return;
            }
            let share = || {
                self.room.share().or_else(|| {
                    self.drop_idle(0);
                    self.room.share()
                })
            };
            let made = |share: Share| ((self.make)(tab.stop, share.bytes), share);
            let Some(mut engine) = kept.take().or_else(|| share().map(made)) else {
                return client.end(Err(Some("There is no memory for one more page: close other pages.")));
            };
            // A panic has printed its message; what it left behind is dropped.
            let worked = catch_unwind(AssertUnwindSafe(|| work(&mut engine.0)));
            *kept = worked.is_ok().then_some(engine);
            tab.leave(client);
            client.end(worked.map_err(|_| Some("The engine failed at this position.")));
        };
        thread::scope(|scope| {
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, answer) {
                client.end(Err(Some(&format!("a thread cannot be started: {error}"))));
            }
            client.wait_for_hangup();
            tab.leave(client);
        });
        self.drop_idle(MAX_IDLE);
    }

    /// Drop tabs without a question, but for the last `most` of them.
    fn drop_idle(&self, most: usize) {
        let mut tabs = lock(&self.tabs);
        let mut count = tabs.iter().filter(|tab| tab.is_idle()).count();
        let dropped: Vec<_> = tabs
            .extract_if(.., |tab| {
                let is_old = count > most && tab.is_idle();
                count -= usize::from(is_old);
                is_old
            })
            .collect();
        drop(tabs);
        // Their connections may be about to close.
        dropped.iter().for_each(|tab| drop(lock(&tab.engine).take()));
    }

    /// Let a client wait for a tab's answer, unless a later one does.
    fn tab(&self, name: &str, client: &Arc<Client>) -> Option<Arc<Tab<E>>> {
        let mut tabs = lock(&self.tabs);
        let old = tabs.iter().position(|tab| tab.name == name).map(|place| tabs.remove(place));
        let dropped = (tabs.len() >= MAX_TABS).then(|| {
            let idle = tabs.iter().position(|tab| tab.is_idle());
            tabs.remove(idle.unwrap_or(0))
        });
        let tab = old.unwrap_or_else(|| {
            let stop = lock(&FLAGS).pop().unwrap_or_else(|| Box::leak(Box::default()));
            let name = name.to_owned();
            Arc::new(Tab { name, stop, client: Mutex::default(), engine: Mutex::new(None) })
        });
        let replaced = tab.set_client(Some(client));
        let is_late = replaced.as_ref().is_some_and(|it| Arc::ptr_eq(it, client));
        tabs.push(tab.clone());
        drop(tabs);
        if let Some(client) = replaced {
            client.end(Err(None));
        }
        if let Some(client) = dropped.and_then(|tab| tab.set_client(None)) {
            client.end(Err(Some(&format!("more than {MAX_TABS} pages of this board are open"))));
        }
        (!is_late).then_some(tab)
    }
}
