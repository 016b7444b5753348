//! A headless browser, driven through a pipe with the DevTools protocol.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))] // the tests of the board are for Linux

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The elements that can be focused and have no name.
pub const NAMELESS: &str = "[...document.querySelectorAll('button, input, select, textarea, a, [tabindex]')] \
    .filter(e => !e.textContent.trim() && !e.ariaLabel && !e.labels?.length && !e.hasAttribute('aria-labelledby')) \
    .map(e => e.outerHTML)";

/// List those of some elements that are not within the window.
pub fn outside(tab: &mut Browser, names: &str) -> Value {
    tab.value(&format!(
        "(look => {names}.filter(look))(name => (box => !box.width || box.left < 0 || box.top < 0 || box.right > innerWidth || \
        box.bottom > innerHeight)(document.querySelector(name).getBoundingClientRect()))"
    ))
}

/// One tab of a browser; dropping it ends the browser.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
    /// The tab's name, once it is there.
    session: Value,
    /// The beginning of all allowed addresses.
    home: String,
    /// Warnings and errors of the console, exceptions, and requests to other addresses.
    pub problems: Vec<String>,
}

impl Browser {
    /// Start chromium with its profile in a directory of the test.
    pub fn start(profile: &Path) -> Browser {
        let mut command = Command::new("sh");
        // The browser reads from 3 and writes to 4. The time limit ends it should it hang.
        command.args(["-c", r#"exec timeout 900 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh"]);
        let options = "chromium --headless=new --no-sandbox --disable-gpu --remote-debugging-pipe --no-first-run \
                       --disable-background-networking --disable-dev-shm-usage --window-size=1200,900";
        command.args(options.split(' ')).arg(format!("--user-data-dir={}", profile.display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (home, problems) = ("file:".to_owned(), Vec::new());
        let mut browser = Browser { child, input, output, calls: 0, session: Value::Null, home, problems };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].take();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Call a method of the protocol and return its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        // Permissions, tabs and the end are the browser's business, the rest the tab's.
        if !["Browser.", "Target."].iter().any(|it| method.starts_with(it)) {
            message["sessionId"] = self.session.clone();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser reads");
        loop {
            let answer = self.next();
            if answer["id"] == self.calls {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Read one message; note its problems.
    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).expect("the browser writes");
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        let params = &message["params"];
        let bad = match message["method"].as_str().unwrap_or("") {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => params["type"] != "log",
            "Log.entryAdded" => params["entry"]["level"] != "verbose",
            "Network.requestWillBeSent" => !params["request"]["url"]
                .as_str()
                .is_some_and(|url| [&self.home, "data:"].iter().any(|it| url.starts_with(it))),
            _ => false,
        };
        if bad {
            self.problems.push(message.to_string());
        }
        message
    }

    /// Load a file with a fragment and wait until it is there.
    pub fn open(&mut self, page: &Path, fragment: &str) {
        self.visit(&format!("file://{}", page.display()), fragment);
    }

    /// Load an address with a fragment and wait until it is there.
    pub fn visit(&mut self, address: &str, fragment: &str) {
        // From one fragment to another the page would not be loaded again.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.home = if address.starts_with("file:") { "file:" } else { address }.to_owned();
        self.call("Page.navigate", json!({"url": format!("{address}#{fragment}")}));
        while self.next()["method"] != "Page.loadEventFired" {}
        let ready = "new Promise(done => requestAnimationFrame(() => done(document.readyState)))";
        while self.value(ready) != "complete" || self.value("location.protocol") == "about:" {}
    }

    /// Load the page again and wait until it is there: what is evaluated in between would have no page.
    pub fn reload(&mut self) {
        self.call("Page.reload", json!({}));
        while self.next()["method"] != "Page.loadEventFired" {}
    }

    /// Wait until an expression is true in the page, four minutes at most.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let begin = std::time::Instant::now();
        while self.value(expression) != true {
            assert!(begin.elapsed().as_secs() < 240, "{expression}: {}", self.text("body"));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Give the window a size.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    /// Evaluate an expression in the page, and await its promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Count the elements that a selector finds.
    pub fn count(&mut self, selector: &str) -> usize {
        let found = self.value(&format!("document.querySelectorAll({}).length", json!(selector)));
        found.as_u64().expect("a number") as usize
    }

    /// Return the visible text of the first element of a selector.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({}).innerText", json!(selector)));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Press and release a key, such as `ArrowLeft`.
    pub fn key(&mut self, key: &str) {
        // A letter's key has one place in every layout; the browser itself heeds only the first two.
        let (code, place) = match key {
            "Enter" => (13, key),
            "Tab" => (9, key),
            "f" => (70, "KeyF"),
            "n" | "N" | "т" => (78, "KeyN"),
            _ => (0, key),
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": place, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Return the fragment of the address.
    pub fn fragment(&mut self) -> String {
        self.value("location.hash").as_str().unwrap_or_default().to_owned()
    }

    /// Click the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let selector = json!(selector);
        let place = self.value(&format!(
            "(() => {{ const element = document.querySelector({selector});
                element.scrollIntoView({{block: 'center'}});
                const box = element.getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        ));
        ["mousePressed", "mouseReleased"].iter().for_each(|kind| self.mouse(kind, &place));
        // The effects of the click, such as a new fragment, are done by the next frame.
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    }

    /// Press or release the mouse's button at a place of the window.
    pub fn mouse(&mut self, kind: &str, place: &Value) {
        let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.child.wait();
    }
}
