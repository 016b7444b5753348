//! Positions edited on the board's page, as a part of board_page's test.

use serde_json::json;

use crate::board_page::{FOUR, NOW, PROVEN, load, says};
use crate::browser::Browser;

/// Cells are blocked and freed, stones leave the hands.
pub fn cells_are_edited(tab: &mut Browser) {
    tab.click("#mode-analyse");
    load(tab, &format!("{FOUR} A5 A6 A7 A8 red:3,5 blue:2"));
    tab.wait(PROVEN);
    for place in ["#edit", "#cell-A8", "#cell-A7", "#red-5", "#red-5", "#edit"] {
        tab.click(place);
    }
    // What is no position yet says so, and is left in no other way than by a button of its own.
    says(tab, "This is no position yet.");
    tab.wait("$('answer').innerText.includes('block 3 more cells')");
    tab.key("ArrowLeft");
    says(tab, "You are editing: ");
    for place in ["#mode-play", "#new", "#mode-analyse"] {
        if place == "#new" {
            tab.click("[data-opens=setup]");
        }
        tab.click(place);
        assert_eq!(tab.value("state.edited.now.cells.has('A8')"), false, "{place}");
    }
    for place in ["#blue-9", "#blue-8", "#red-6", "#edit"] {
        tab.click(place);
    }
    tab.wait(&format!("games[state.game].record === '{FOUR} A5 A6 red:3,6 blue:2,8,9 to-move:blue' && {NOW}.empty.length === 6"));
}

/// Stones are put on cells and taken off, and each step can be undone.
pub fn stones_are_edited(tab: &mut Browser) {
    load(tab, "E4 A1 C4 G2 D2 B2=15 G1=1");
    says(tab, "Loaded.");
    tab.click("#edit");
    // What is loaded ends editing at once, before it is read: no click comes between.
    tab.value("(async () => { const loaded = load([{ text: 'E4 A1 C4 G2 D2 B2=15 G1=1' }]); $('red-3').click(); await loaded; })()");
    tab.click("#edit");
    let record = "games[state.game].record";
    // A stone leaves its cell for its hand, and goes from there to another cell.
    for place in ["#cell-B2", "#red-15", "#cell-H1"] {
        tab.click(place);
    }
    let cells =
        "[state.edited.now.cells.get('H1'), state.edited.now.left.red.has(15), state.edited.past.length]";
    assert_eq!(tab.value(cells), json!([{"player": "red", "stone": 15}, false, 2]));
    // The browser asks before what is edited is lost.
    assert_eq!(tab.value("dispatchEvent(new Event('beforeunload', { cancelable: true }))"), false);
    for _ in 0..2 {
        tab.click("#undo");
    }
    assert_eq!(tab.value("state.edited.now.cells.get('B2').stone"), 15);
    for place in ["#red-3", "#cell-A2", "#red-4", "#cell-A3", "#edit"] {
        tab.click(place);
    }
    says(tab, "This is no position yet.");
    tab.wait("$('answer').innerText.includes('Red may have one stone more on the cells than Blue, not 2')");
    for place in ["#blue-5", "#cell-A4", "#edit"] {
        tab.click(place);
    }
    tab.wait(&format!("{record} === 'E4 A1 C4 G2 D2 B2=15 G1=1 A2=3 A4=5 A3=4'"));
}
