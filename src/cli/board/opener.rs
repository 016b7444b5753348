//! The way of the board's address to a browser.
//!
//! All users of a machine can read a program's arguments. So the browser gets a file, readable by its owner
//! only, that redirects to the address (as in Jupyter).

use std::env::{home_dir, temp_dir, var, var_os};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{Builder, TempPath};

use super::super::say;
use crate::workshop::system::detach;

/// The time after a browser's error in which another process may still ask for the page.
const HANDOVER: Duration = Duration::from_secs(3);

/// The file that redirects to the board, until used.
static FILE: Mutex<Option<TempPath>> = Mutex::new(None);
static PAGE_SHOWN: AtomicBool = AtomicBool::new(false);

/// Note that a browser has the page.
pub(super) fn shown() {
    PAGE_SHOWN.store(true, Ordering::Relaxed);
    withdraw();
}

/// Remove the file that redirects to the board.
pub(super) fn withdraw() {
    FILE.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Open an address in the browser, or print the reason against it.
pub(super) fn open(address: &str) {
    let own = if cfg!(windows) { String::new() } else { var("BROWSER").unwrap_or_default() };
    let has_display = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| var_os(name).is_some());
    if own.is_empty() && !has_display {
        return say("no display is found: open the address in a browser of this machine");
    }
    let file = match hand_over(address) {
        Ok(file) => file,
        Err(error) => {
            return say(&format!("cannot write a file for the browser ({error}): open the address yourself"));
        }
    };
    let mut browsers = browser_commands(&own, &file);
    if has_display {
        browsers.extend(open::commands(&file));
    }
    let open = move || {
        if !browsers.iter_mut().any(has_opened) {
            say("no browser could be opened: open the address in a browser of this machine");
            withdraw();
        }
    };
    if let Err(error) = thread::Builder::new().spawn(open) {
        say(&format!("no browser could be opened ({error}): open the address in a browser of this machine"));
    }
}

/// Write a file that redirects to an address, readable by every browser of this user: a browser in a
/// sandbox sees neither our temporary files nor hidden ones.
fn hand_over(address: &str) -> io::Result<PathBuf> {
    let write_in = |folder: PathBuf| {
        let mut file = Builder::new().prefix("blackhole-").suffix(".html").tempfile_in(folder)?;
        writeln!(
            file,
            "<!DOCTYPE html><meta charset=utf-8><title>Black Hole</title>\
             <meta http-equiv=refresh content=\"0; url={address}\"><a href=\"{address}\">To the board</a>"
        )?;
        Ok::<_, io::Error>(file.into_temp_path())
    };
    let file = home_dir().ok_or(io::ErrorKind::NotFound.into()).and_then(write_in);
    let file = file.or_else(|_| write_in(temp_dir()))?;
    let path = file.to_path_buf();
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    Ok(path)
}

/// Return the commands of `$BROWSER`: several are tried in turn, `%s` is the address.
fn browser_commands(browsers: &str, file: &Path) -> Vec<Command> {
    let commands = browsers.split(':').filter_map(|browser| {
        let mut words = shlex::split(browser)?;
        if !browser.contains("%s") {
            words.push("%s".to_owned());
        }
        let mut words = words.iter().map(|word| match &**word {
            "%s" => file.into(),
            _ => OsString::from(word.replace("%s", &file.display().to_string())),
        });
        let mut command = Command::new(words.next().filter(|program| *program != *file)?);
        command.args(words);
        Some(command)
    });
    commands.collect()
}

/// Run a browser until it ends, and tell whether the page was opened; some browsers show it, or hand it
/// on, and still end with an error.
fn has_opened(browser: &mut Command) -> bool {
    detach(browser.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()));
    let Ok(status) = browser.status() else { return false };
    let deadline = Instant::now() + HANDOVER;
    while !status.success() && !PAGE_SHOWN.load(Ordering::Relaxed) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(10));
    }
    status.success() || PAGE_SHOWN.load(Ordering::Relaxed)
}
