//! The state of the page, tested by node without a page.

use blackhole::page::page;
use blackhole::review::game::rejudged;

use crate::common::*;
use crate::page::data_of;

const SCRIPTS: [&str; 6] = [
    include_str!("../../src/page/state.js"),
    include_str!("../../src/page/view.js"),
    include_str!("../../src/page/page.js"),
    include_str!("../../src/page/files.js"),
    include_str!("../../src/page/session.js"),
    include_str!("page_state.js"),
];

/// Run the scripts of a test by node; without node there is none.
fn run(name: &str, scripts: &[&str]) {
    let scratch = Scratch::new(name);
    scratch.write("state.js", scripts.concat());
    let Ok(ran) = Command::new("node").arg("--test").arg(scratch.path("state.js")).output() else {
        return println!("the page's state is not tested: node cannot be had here");
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn the_state_follows_the_news() {
    run("page-state", &SCRIPTS);
}

/// The page showed another best move and other marks than the review.
#[test]
fn a_page_tells_the_numbers_the_marks_and_the_lists_of_its_review() {
    let text = fs::read("tests/data/strong.jsonl").expect("games");
    let game = files::read(&text[..]).expect("games").swap_remove(0);
    let judged = review(&game, ReviewSettings { from: 8, ..ReviewSettings::default() }, &mut |_| {});
    assert!(judged.moves[8].after.estimate.is_some(), "there are estimates");
    // A story told anew, of the same numbers, is the same.
    let known: Vec<_> = [judged.start].into_iter().chain(judged.moves.iter().map(|it| it.after)).collect();
    let best: Vec<_> = judged.moves.iter().map(|it| it.best.clone()).collect();
    let again = rejudged(&game, &known, &best).expect("of this game");
    assert_eq!((&again.story, again.decided), (&judged.story, judged.decided));
    assert_eq!(again.summary, judged.summary);
    assert!(rejudged(&game, &known[1..], &best).is_none());
    let data = &data_of(&page("m.jsonl", &[(1, judged.clone())]).html)["games"][0];
    let script = format!("const [data, review] = [{data}, {}];", json!(judged));
    let compare = "
const game = readGame({ ...data, record: review.record });
movesOf(game).forEach(({ move, known, mark, lost, loss, best = null, before }, n) => {
  const sent = review.moves[n];
  assert.deepEqual([valueOf(known), mark, lost, best], [valueOf(sent), sent.mark, sent.lost, sent.best], move);
  assert.equal(loss, sent.lost ?? sent.estimated_lost);
  const list = listOf(before).map((row) => [row.move, valueOf(row.known)]);
  assert.deepEqual(list, sent.before.moves.filter((row) => valueOf(row) !== null).map((row) => [row.move, valueOf(row)]));
  assert.equal(list[0]?.[1] ?? null, valueOf(knownHere(before)));
});
assert.deepEqual(courseOf(game).map(valueOf), [review.start, ...review.moves].map(valueOf));
";
    run("page-review", &[SCRIPTS[0], "const assert = require('node:assert/strict');", &script, compare]);
}
