//! One question at a time, answered by a process: it can be ended at any moment, with its memory.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
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
    /// Have a question answered line by line by a command that reads it, and end what was at work. The
    /// last line is `{"ended":WHY}`: "done", "failed", or "taken over" by another question.
    pub fn answer(&self, command: &mut Command, question: &[u8], stream: &mut TcpStream) -> io::Result<()> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (number, lines) = {
            let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// End a process after some time, if it is still at work: whether it ended well by itself.
    fn leave(&self, number: u64, after: Duration) -> Option<bool> {
        let own = self.busy.lock().unwrap_or_else(PoisonError::into_inner).0.take_if(|it| it.0 == number);
        own.map(|(_, group)| end(group, after))
    }
}

fn send(mut lines: impl BufRead, stream: &mut TcpStream) -> io::Result<()> {
    let mut line = Vec::new();
    // A process that is ended may leave half a line.
    while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        stream.write_all(&std::mem::take(&mut line))?;
    }
    Ok(())
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
