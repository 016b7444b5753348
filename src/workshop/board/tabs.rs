//! Questions answered on threads: each tab of the page has an engine of its own, which answers one at a time
//! and keeps its findings for the next.

use std::io::{self, Read, Write};
use std::mem::replace;
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The time after which a tab without a question loses its engine to the next one.
const IDLE: Duration = Duration::from_secs(300);
/// The most tabs with an engine; the one asked longest ago loses it to another.
const MAX_TABS: usize = 8;
/// The time between two checks whether a client still listens after closing its half of the connection.
const PULSE: Duration = Duration::from_millis(50);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client of which each answer takes whole lines.
pub struct Client {
    stream: TcpStream,
    writing: Mutex<()>,
}

impl Client {
    pub fn new(stream: TcpStream) -> Client {
        Client { stream, writing: Mutex::new(()) }
    }

    /// Send bytes.
    ///
    /// # Errors
    /// If the client no longer listens.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let _alone = lock(&self.writing);
        (&self.stream).write_all(bytes)
    }

    /// Send a line, unless the client hung up: that ends the work at its answer.
    pub fn tell(&self, answer: &Value) {
        let _ = self.send(format!("{answer}\n").as_bytes());
    }

    /// Send the last line: done, failed for a reason, or taken over (no reason).
    pub fn end(&self, ended: Result<(), Option<&str>>) {
        self.tell(&match ended {
            Ok(()) => json!({"ended": "done"}),
            Err(None) => json!({"ended": "taken over"}),
            Err(Some(why)) => json!({"ended": "failed", "why": why}),
        });
        let _ = self.stream.shutdown(Shutdown::Both);
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
    /// Who waits for an answer, and when it was asked.
    asked: Mutex<(Option<Arc<Client>>, Instant)>,
    /// Locked by the answer at work; `None` before the first one.
    engine: Mutex<Option<E>>,
}

impl<E> Tab<E> {
    /// Let another client wait for an answer, or none; the one before hears why.
    fn ask(&self, next: Option<Arc<Client>>, why: Option<&str>) {
        let old = {
            let mut asked = lock(&self.asked);
            self.stop.store(true, Ordering::Relaxed);
            replace(&mut *asked, (next, Instant::now())).0
        };
        if let Some(old) = old {
            old.end(Err(why));
        }
    }

    /// Begin or end the answer to a client, if it is the one that waits; tell whether it is.
    fn set_at_work(&self, client: &Arc<Client>, begins: bool) -> bool {
        let mut asked = lock(&self.asked);
        let is_own = asked.0.as_ref().is_some_and(|own| Arc::ptr_eq(own, client));
        if is_own {
            self.stop.store(!begins, Ordering::Relaxed);
            *asked = (asked.0.take().filter(|_| begins), Instant::now());
        }
        is_own
    }
}

/// The tabs of the page, the one asked last at the end.
pub struct Tabs<E> {
    tabs: Mutex<Vec<Arc<Tab<E>>>>,
    make: Box<dyn Fn(&'static AtomicBool) -> E + Send + Sync>,
}

impl<E: Send> Tabs<E> {
    /// Make tabs with engines of one kind, which end their work when the flag is raised.
    pub fn new(make: impl Fn(&'static AtomicBool) -> E + Send + Sync + 'static) -> Tabs<E> {
        Tabs { tabs: Mutex::default(), make: Box::new(make) }
    }

    /// Have a tab's engine answer a client, in place of the tab's question before, and tell it the end.
    pub fn answer(&self, name: &str, client: &Arc<Client>, work: impl FnOnce(&mut E) + Send) {
        let tab = self.tab(name);
        tab.ask(Some(client.clone()), None);
        let answer = || {
            let mut kept = lock(&tab.engine);
            // The answer before has ended, but perhaps a newer question was asked.
            if !tab.set_at_work(client, true) {
                return;
            }
            // A panic has printed its message; what it left behind is dropped.
            let mut engine = kept.take();
            let worked =
                catch_unwind(AssertUnwindSafe(|| work(engine.get_or_insert_with(|| (self.make)(tab.stop)))));
            *kept = engine.filter(|_| worked.is_ok());
            client.end(worked.map_err(|_| Some("The engine failed at this position.")));
        };
        thread::scope(|scope| {
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, answer) {
                return client.end(Err(Some(&format!("a thread cannot be started: {error}"))));
            }
            client.wait_for_hangup();
            tab.set_at_work(client, false);
        });
    }

    fn tab(&self, name: &str) -> Arc<Tab<E>> {
        let mut tabs = lock(&self.tabs);
        let old = tabs.iter().position(|tab| tab.name == name).map(|place| tabs.remove(place));
        tabs.retain(|tab| {
            let (client, since) = &*lock(&tab.asked);
            client.is_some() || since.elapsed() < IDLE
        });
        if tabs.len() >= MAX_TABS {
            tabs.remove(0).ask(None, Some(&format!("more than {MAX_TABS} pages of this board are open")));
        }
        let tab = old.unwrap_or_else(|| {
            let (name, stop) = (name.to_owned(), Box::leak(Box::default()));
            Arc::new(Tab { name, stop, asked: Mutex::new((None, Instant::now())), engine: Mutex::new(None) })
        });
        tabs.push(tab.clone());
        tab
    }
}
