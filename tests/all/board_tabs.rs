//! The tabs of the board: questions taken over, panics, engines dropped.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use blackhole::board::memory::for_engines;
use blackhole::board::tabs::{Client, Tabs, tell_panics};

use crate::common::*;

/// A task for the engine of a test.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    Work,
    WorkUntilStopped,
    Panic,
}

/// An engine that counts its questions, and those that it was stopped at.
struct Counting {
    stop: &'static AtomicBool,
    asked: u32,
    stopped: u32,
}

/// Ask a tab's engine a question by a numbered connection; its answer comes to the receiver, without `hears`
/// after a line.
fn ask_tab(tabs: &Arc<Tabs<Counting>>, tab: &str, task: Task, number: u64, hears: bool) -> Receiver<String> {
    let ((answered, answer), (begun, begins)) = (channel(), channel());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
    let own = Arc::new(Client::new(listener.accept().expect("a connection").0, number));
    let (tabs, tab) = (tabs.clone(), tab.to_owned());
    thread::spawn(move || {
        tabs.answer(&tab, &own, |engine| {
            engine.asked += 1;
            own.tell(&json!([engine.asked, engine.stopped]));
            let _ = begun.send(());
            assert!(task != Task::Panic, "as asked");
            if task == Task::WorkUntilStopped {
                wait_for("the stop", || engine.stop.load(Ordering::Relaxed));
                engine.stopped += 1;
            }
        });
    });
    thread::spawn(move || {
        let (mut lines, mut text) = (BufReader::new(client), String::new());
        let read = if hears { lines.read_to_string(&mut text) } else { lines.read_line(&mut text) };
        read.expect("text");
        drop(lines);
        let _ = answered.send(text);
    });
    // Unless it is overtaken.
    let _ = begins.recv_timeout(Duration::from_secs(60));
    answer
}

#[test]
fn a_tab_answers_one_question_at_a_time_and_a_panic_drops_its_engine() {
    let tabs = Arc::new(Tabs::new(1 << 32, |stop, _| Counting { stop, asked: 0, stopped: 0 }));
    let numbers = AtomicU64::new(1);
    let next = || numbers.fetch_add(1, Ordering::Relaxed);
    let ask = |tab: &str, task| ask_tab(&tabs, tab, task, next(), true);
    let hear = |answer: Receiver<String>| answer.recv_timeout(Duration::from_secs(60)).expect("an end");
    let done = |counts: &str| format!("{counts}\n{{\"ended\":\"done\"}}\n");
    let taken = "{\"ended\":\"taken over\"}\n";
    assert_eq!(hear(ask("a", Task::Work)), done("[1,0]"));
    // A question that takes over from another; another tab goes on.
    let other = ask("b", Task::WorkUntilStopped);
    let old = ask("a", Task::WorkUntilStopped);
    assert_eq!(hear(ask("a", Task::Work)), done("[2,1]"));
    assert_eq!(hear(old), format!("[1,0]\n{taken}"));
    // A client that hangs up.
    hear(ask_tab(&tabs, "a", Task::WorkUntilStopped, next(), false));
    assert_eq!(hear(ask("a", Task::Work)), done("[4,2]"));
    // A question that a later one has overtaken.
    let late = ask("a", Task::WorkUntilStopped);
    assert_eq!(hear(ask_tab(&tabs, "a", Task::Work, 0, true)), taken);
    assert!(late.try_recv().is_err(), "it works");
    let failed = "{\"ended\":\"failed\",\"why\":\"The engine failed at this position.\"}\n";
    assert_eq!(hear(ask("a", Task::Panic)), format!("[6,3]\n{failed}"));
    assert_eq!(hear(late), format!("[5,2]\n{taken}"));
    assert_eq!(hear(ask("a", Task::Work)), done("[1,0]"));
    // An engine without a question serves the next one, of any tab.
    assert_eq!(hear(ask("c", Task::Work)), done("[2,0]"));
    // With more than four questions, the oldest one ends.
    assert!(other.try_recv().is_err(), "it works");
    let working: Vec<_> = (0..4).map(|n| ask(&n.to_string(), Task::WorkUntilStopped)).collect();
    let why = "\"why\":\"other pages of this board ask, and at most 4 are answered at once\"";
    assert!(hear(other).contains(why));
    (0..4).for_each(|n| _ = hear(ask(&n.to_string(), Task::Work)));
    drop(working);
}

/// The system took .8 s to take back more than a gigabyte; each new tab kept a byte for ever.
#[test]
fn many_tabs_take_no_more_memory_than_there_is() {
    assert!(for_engines() <= 1 << 30);
    for (all, count) in [(0, 1), (40 << 20, 2), (1 << 30, 4)] {
        let made = Arc::new(Mutex::new(Vec::new()));
        let own = made.clone();
        let tabs = Arc::new(Tabs::new(all, move |stop, bytes| {
            own.lock().expect("no panic").push(bytes);
            Counting { stop, asked: 0, stopped: 0 }
        }));
        let answers: Vec<_> =
            (0..12).map(|n: u64| ask_tab(&tabs, &n.to_string(), Task::WorkUntilStopped, n, true)).collect();
        let last = (8..12).map(|n: u64| ask_tab(&tabs, &n.to_string(), Task::Work, n + 12, true));
        last.chain(answers)
            .for_each(|answer| _ = answer.recv_timeout(Duration::from_secs(60)).expect("an end"));
        let made = made.lock().expect("no panic");
        assert!(made.len() == count && made.iter().sum::<usize>() <= all, "{made:?}");
    }
}

/// Whoever reads standard error may not read.
#[test]
fn a_panic_that_cannot_be_told_ends_its_answer() {
    tell_panics(|text| match text.contains("as asked") {
        true => thread::sleep(Duration::from_secs(100_000)),
        false => eprintln!("{text}"),
    });
    let tabs = Arc::new(Tabs::new(1 << 32, |stop, _| Counting { stop, asked: 0, stopped: 0 }));
    let answer = ask_tab(&tabs, "a", Task::Panic, 1, true).recv_timeout(Duration::from_secs(60));
    drop(std::panic::take_hook());
    assert!(answer.expect("an end").contains("The engine failed at this position."));
}
