//! One question at a time, answered by a process: it can be ended at any moment, with its memory.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::workshop::system::Group;

/// How long a process may take to end after its last line.
const FAREWELL: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct Desk {
    /// The process at work with its number, and how many there were.
    busy: Mutex<(Option<(u64, Group)>, u64)>,
}

impl Desk {
    fn busy(&self) -> MutexGuard<'_, (Option<(u64, Group)>, u64)> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Have a question answered line by line by a command that reads it, and end what was at work. The
    /// last line is `{"ended":WHY}`: "done", "failed", or "taken over" by another question.
    pub fn answer(&self, command: &mut Command, question: &[u8], stream: &mut TcpStream) -> io::Result<()> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (number, lines) = {
            let mut busy = self.busy();
            busy.0.take().map(|(_, old)| end(old, Duration::ZERO));
            let Ok(mut group) = Group::start(command) else {
                return writeln!(stream, "{{\"ended\":\"failed\"}}");
            };
            let lines = group.child.stdout.take().expect("piped");
            let mut input = group.child.stdin.take().expect("piped");
            busy.1 += 1;
            let number = busy.1;
            busy.0 = Some((number, group));
            // A process that ended needs no question; it reads all of it before it works.
            let _ = input.write_all(question);
            (number, lines)
        };
        let mut watched = stream.try_clone()?;
        watched.set_read_timeout(None)?;
        thread::scope(|scope| {
            let watch = move || {
                // Nothing more is to come: whatever ends this, nobody is waiting any more.
                let _ = watched.read(&mut [0]);
                self.leave(number, Duration::ZERO);
            };
            let watching = thread::Builder::new().spawn_scoped(scope, watch);
            let sent = watching.map(drop).and_then(|()| send(BufReader::new(lines), stream));
            let ended = match self.leave(number, FAREWELL) {
                None => "taken over",
                Some(true) => "done",
                Some(false) => "failed",
            };
            let told = sent.and_then(|()| writeln!(stream, "{{\"ended\":\"{ended}\"}}"));
            // Ends the watch, too.
            let _ = stream.shutdown(Shutdown::Both);
            told
        })
    }

    /// End the process of a number after some time, if it is still at work: whether it ended well by
    /// itself.
    fn leave(&self, number: u64, after: Duration) -> Option<bool> {
        let (_, group) = self.busy().0.take_if(|(other, _)| *other == number)?;
        Some(end(group, after))
    }
}

fn send(lines: impl BufRead, stream: &mut TcpStream) -> io::Result<()> {
    lines.split(b'\n').try_for_each(|line| stream.write_all(&[&line?[..], b"\n"].concat()))
}

/// End a process after some time, and tell whether it ended well by itself.
fn end(mut group: Group, after: Duration) -> bool {
    let deadline = Instant::now() + after;
    while !group.is_dead() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    group.kill();
    group.child.wait().is_ok_and(|status| status.success())
}
