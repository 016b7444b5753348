//! `blackhole match`: bots against each other, with a line of progress.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use super::match_options::{Given, MatchOptions, plan};
use super::progress::Progress;
use super::report::{self, ReportOptions, command, exit_code, hint};
use super::signals::stop_flag;
use super::{CommandResult, FAILURE, INTERRUPTED, print, say, unfit};
use crate::arena::journal::MatchLine;
use crate::arena::report::Report;
use crate::arena::run::{Run, RunSettings};
use crate::system::machine;

pub(super) fn run(mut options: MatchOptions, given: Given) -> CommandResult {
    // Fail before hours of games if their table cannot be printed.
    print("")?;
    let settings = options.complete(given)?;
    let options = &options;
    let plan = plan(options)?;
    let html = &options.settings.page.html;
    options.settings.page.check()?;
    let stop = stop_flag()?;
    let began = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    let run_settings = RunSettings {
        journal: options.journal().map(PathBuf::from),
        resumes: options.resume.is_some(),
        logs: options.settings.logs.clone(),
        stop_on_fault: options.stop_on_fault,
        line: Some(MatchLine { r#match: settings, began, machine: Some(machine()) }),
    };
    let progress = Progress::new(options.progress);
    let tell = |text: &str| progress.say(text);
    let mut run = Run::open(&plan, run_settings, &tell).map_err(unfit)?;
    if (1..run.total()).contains(&(run.games.len() as u64)) && !run.is_decided() {
        hint(&format!("{} of {} games are played, going on", run.games.len(), run.total()));
    }
    let end = run.play(stop, |run, game| progress.show(run, game));
    progress.clear();
    // Print the table of the games played, after any failure.
    let report = Report { sprt: run.test.clone(), ..Report::of(run.games.values()) };
    let printed = print(&report::tables(&report));
    progress.tell_time(&run);
    end?;
    let how_far = |why| format!("{why} after {} of {} games", run.games.len(), run.total());
    if stop.load(Ordering::Relaxed) {
        let how_far = how_far("interrupted");
        match options.journal() {
            None => say(&format!("{how_far}; --journal FILE would keep them")),
            Some(path) => {
                let page = html.as_ref().map(|page| format!(", and then write {}", page.display()));
                say(&format!("{how_far}; they are kept. To go on{}:", page.unwrap_or_default()));
                say(&command("match --resume", path, ""));
            }
        }
        return Ok(INTERRUPTED);
    }
    if let Some(shard) = run.awaited_shard() {
        say(&format!("the test waits for games of shard {shard}/{}", plan.schedule.shard.count));
    }
    printed?;
    if run.is_stopped() {
        say(&how_far("stopped by a fault"));
    }
    let code = if run.is_stopped() { FAILURE } else { exit_code(&report) };
    match (options.journal(), html) {
        (None, _) => hint("the games were not kept: --journal FILE keeps them"),
        (Some(path), None) => {
            hint("their page, every game judged:");
            hint(&command("report", path, " --html page.html --title League --judge"));
        }
        (Some(path), Some(_)) => {
            let (journals, page) = (vec![path.to_owned()], options.settings.page.clone());
            let made = report::run(&ReportOptions { journals, page, json: false, is_printed: true });
            let (what, how) = match &made {
                Err(_) => ("the games are kept. To write their page:", " --html FILE"),
                Ok(INTERRUPTED) => ("To judge all of them:", ""),
                Ok(_) => return Ok(code),
            };
            say(what);
            say(&command("match --resume", path, how));
            return made;
        }
    }
    Ok(code)
}
