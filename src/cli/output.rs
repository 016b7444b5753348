//! Standard output, also without a reader, and files of output.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use tempfile::NamedTempFile;

use super::{at, say, seconds, unfit};
use crate::page::{MARK, Page};
use crate::player::host;
use crate::system::lines::{is_new_or_ours, regular_or_new, with_path};
use crate::system::{draft_beside, patiently};

/// Write a result to standard output. A reader that has gone away is no failure.
pub(super) fn print(text: &str) -> io::Result<()> {
    host::check_output().map_err(io::Error::other)?;
    let mut output = io::stdout().lock();
    read_enough(output.write_all(text.as_bytes()).and_then(|()| output.flush()))
}

/// Write a help text or the version like [`print`], in the terminal's colours.
pub(super) fn print_help(text: &clap::Error) -> io::Result<()> {
    print("")?;
    read_enough(text.print().and_then(|()| io::stdout().flush()))
}

fn read_enough(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Let a visible bar move by itself, on a thread of its own.
pub(super) fn animate(bar: &ProgressBar, every: Duration) {
    if !bar.is_hidden() {
        bar.enable_steady_tick(every);
    }
}

#[derive(Args, Clone)]
pub(super) struct PageOptions {
    /// Write a page for a browser into this file, without network: tables, pictures, and every game on a board. `match`
    /// makes it from its --journal
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The title of the page [default: that of the match, or its bots]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Judge the games of the page, with this solver's time for each position; without a number 0.17, as in `review`.
    /// More time scores more of the early moves. Without this option it is done as the match was told, or not at all
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "0.17", value_parser = seconds)]
    pub judge: Option<Duration>,
}

impl PageOptions {
    /// Check the page's path; refuse what says how a page is made, without a page.
    pub fn check(&self) -> io::Result<()> {
        match &self.html {
            Some(path) => can_write_page(path),
            None if self.title.is_none() && self.judge.is_none() => Ok(()),
            None => Err(unfit("--title and --judge are of a page: expected --html FILE, too")),
        }
    }
}

/// Check, before hours of work, that a page can be written: into a new file or an older page.
pub(super) fn can_write_page(path: &Path) -> io::Result<()> {
    regular_or_new(path).map_err(|error| at(path, error))?;
    if !is_new_or_ours(path, MARK).map_err(|error| at(path, error))? {
        return Err(at(path, "found another file, expected a new one or an older page"));
    }
    let older = if path.exists() { OpenOptions::new().write(true).open(path).map(drop) } else { Ok(()) };
    older.and_then(|()| draft(path)).map(drop).map_err(|error| at(path, error))
}

/// Create a file without a final name beside a path; an error does not tell its first one.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let why = |error: &io::Error| error.to_string().split(" at path ").next().map(str::to_owned);
    draft_beside(path).map_err(|error| io::Error::new(error.kind(), why(&error).unwrap_or_default()))
}

/// Write a page whole or, after a failure or a kill, not at all; the file keeps its mode and stays behind links.
pub(super) fn write_page(path: &Path, Page { html, left_out }: &Page) -> io::Result<()> {
    if !left_out.is_empty() {
        say(&format!("{}: {left_out}", path.display()));
    }
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let written = draft(&target).and_then(|mut draft| {
        draft.write_all(html.as_bytes())?;
        if let Ok(older) = target.metadata() {
            draft.as_file().set_permissions(older.permissions())?;
        }
        let draft = draft.into_temp_path();
        patiently(|| fs::rename(&draft, &target))
    });
    written.map_err(|error| with_path(path, error))
}
