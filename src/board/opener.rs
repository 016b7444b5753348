//! The way of the board's address to a browser.
//!
//! All users of a machine can read a program's arguments. So the browser gets a file, readable by its owner
//! only, that redirects to the address (as in Jupyter).

use std::env::{home_dir, temp_dir, var_os};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tempfile::{Builder, TempPath};

/// The time within which a browser that cannot be opened says so.
const PATIENCE: Duration = Duration::from_secs(3);

/// The file that redirects to the board, until used.
static FILE: Mutex<Option<TempPath>> = Mutex::new(None);

/// Remove the file that redirects to the board.
pub fn withdraw() {
    FILE.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Open an address in the browser, or say the reason against it.
pub fn open(address: &str, say: fn(&str)) {
    let has_display = cfg!(any(windows, target_os = "macos"))
        || ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"]
            .iter()
            .any(|name| var_os(name).is_some());
    if !has_display {
        return say("no display is found: open the address in a browser of this machine");
    }
    let failed = move |error: io::Error| {
        withdraw();
        say(&format!("no browser could be opened ({error}): open the address in a browser of this machine"));
    };
    let file = match hand_over(address) {
        Ok(file) => file,
        Err(error) => return failed(error),
    };
    let open = move || open::that_detached_with_timeout(file, PATIENCE).unwrap_or_else(failed);
    if let Err(error) = thread::Builder::new().spawn(open) {
        failed(error);
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
