//! The state of the page, tested by node without a page.

use std::process::Command;

use crate::scratch::Scratch;

const SCRIPTS: [&str; 6] = [
    include_str!("../../src/page/state.js"),
    include_str!("../../src/page/view.js"),
    include_str!("../../src/page/page.js"),
    include_str!("../../src/page/files.js"),
    include_str!("../../src/page/session.js"),
    include_str!("page_state.js"),
];

#[test]
fn the_state_follows_the_news() {
    let scratch = Scratch::new("page-state");
    scratch.write("state.js", SCRIPTS.concat());
    let Ok(ran) = Command::new("node").arg("--test").arg(scratch.path("state.js")).output() else {
        return println!("the page's state is not tested: node cannot be had here");
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}
