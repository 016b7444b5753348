//! The way of the board's address to a browser.
//!
//! All users of a machine can read a program's arguments. So the browser gets a file, readable by its owner
//! only, that redirects to the address (as in Jupyter).

use std::env::{home_dir, temp_dir, var_os};
use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tempfile::{Builder, TempPath};

/// The time for a browser to fail in: later it counts as opened.
const PATIENCE: Duration = Duration::from_secs(3);

/// The names of the files that redirect to a board, and their beginning up to its address.
const NAME: [&str; 2] = ["blackhole-", ".html"];
const HEAD: &str = "<!DOCTYPE html><meta charset=utf-8><title>Black Hole</title>\
    <meta http-equiv=refresh content=\"0; url=";

/// The file that redirects to the board, until used.
static FILE: Mutex<Option<TempPath>> = Mutex::new(None);

/// Remove the file that redirects to the board.
pub fn withdraw() {
    FILE.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Open an address in the browser, or say what prevents it.
pub fn open(address: &str, say: fn(&str)) {
    let mut signs = ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter();
    if !cfg!(any(windows, target_os = "macos")) && !signs.any(|name| var_os(name).is_some()) {
        return say("no display is found: open the address in a browser of this machine");
    }
    let failed = move |error: io::Error| {
        withdraw();
        say(&format!("no browser could be opened ({error}): open the address in a browser of this machine"));
    };
    let open = |file| {
        let open = move || open::that_detached_with_timeout(file, PATIENCE).unwrap_or_else(failed);
        thread::Builder::new().spawn(open).map(drop)
    };
    hand_over(address).and_then(open).unwrap_or_else(failed);
}

/// Write a file that redirects to an address, readable by every browser of this user: a browser in a
/// sandbox sees neither our temporary files nor hidden ones.
fn hand_over(address: &str) -> io::Result<PathBuf> {
    let write_in = |folder: PathBuf| {
        remove_old(&folder);
        let mut file = Builder::new().prefix(NAME[0]).suffix(NAME[1]).tempfile_in(folder)?;
        writeln!(file, "{HEAD}{address}\"><a href=\"{address}\">To the board</a>")?;
        Ok::<_, io::Error>(file.into_temp_path())
    };
    let file = home_dir().ok_or(io::ErrorKind::NotFound.into()).and_then(write_in);
    let file = file.or_else(|_| write_in(temp_dir()))?;
    let path = file.to_path_buf();
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    Ok(path)
}

/// Remove the files of boards that were killed: nobody listens at their addresses.
fn remove_old(folder: &Path) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_ours = name.starts_with(NAME[0]) && name.ends_with(NAME[1]) && path.is_file();
        let text = Some(&path).filter(|_| is_ours).and_then(|path| fs::read_to_string(path).ok());
        let url = text.as_ref().and_then(|text| text.strip_prefix(HEAD)?.strip_prefix("http://127.0.0.1:"));
        let port = url.and_then(|url| url.split('/').next()?.parse().ok());
        if port.is_some_and(|port: u16| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err()) {
            let _ = fs::remove_file(&path);
        }
    }
}
