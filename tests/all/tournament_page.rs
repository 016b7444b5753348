//! The page of a tournament in a real browser.

use std::collections::BTreeSet;

use crate::browser::{Browser, NAMELESS};
use crate::common::*;
use crate::page::json_of;

/// What is seen, the address, and whether the window is at the top.
const PLACE: &str =
    "[$('tournament').checkVisibility(), $('main').checkVisibility(), location.hash, scrollY === 0]";

/// The pairs of shown results in the list, as `red 74 : 76 blue`.
const SHOWN: &str = "all('#rounds a').map(it => it.getAttribute('aria-label'))";

/// Play a judged tournament of four bots, of which one errs; return its page.
fn page(scratch: &Scratch) -> String {
    let illegal = "i=0; while read x; do i=$((i + 1)); [ $i -le 5 ] || [ $x = Quit ] || echo A1=1; done";
    scratch.write("bad.sh", illegal);
    let bots =
        "--bot r=builtin:random --bot g=builtin:greedy --bot a-rather-long-name-of-a-bot=builtin:random";
    let bots = format!("match {bots} --bot 'bad=sh bad.sh' --pairs 2 --seed 2 --journal games");
    let page = "--html page.html --judge .02 --title 'A <b> league'";
    scratch.run(&format!("{bots} {page}")).expect(0, "fault: bad as ");
    scratch.read("page.html")
}

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_a_tournament() {
    let scratch = Scratch::new("tournament-browser");
    let told = json_of(&page(&scratch), "report");
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    tab.open(&path, "");
    assert_eq!(tab.value(PLACE), json!([true, false, "", true]));
    assert_eq!(tab.value("document.title"), "A <b> league – Black Hole");
    assert_eq!(tab.value(NAMELESS), json!([]));
    tables_and_pictures_agree_with_the_report(&mut tab, &told["report"]);
    the_list_is_filtered_and_ordered(&mut tab);
    a_result_opens_its_game_and_one_comes_back(&mut tab);
    it_is_saved(&mut tab, &scratch);
    // Saved by the browser as it stands: its script stopped when it was opened again.
    let stands = tab.value("document.documentElement.outerHTML");
    scratch.write("stands.html", stands.as_str().expect("a page"));
    tab.open(&scratch.path("stands.html"), "game=2&ply=3");
    assert_eq!(tab.value(PLACE), json!([false, true, "#game=2&ply=3", true]));
    tab.open(&path, "");
    nothing_is_cut_on_a_phone(&mut tab);
    it_is_printed(&mut tab);
    // An address leads to a game, or to a bot.
    tab.open(&path, "game=2&ply=3");
    assert_eq!(tab.value(PLACE), json!([false, true, "#game=2&ply=3", true]));
    tab.open(&path, "bot-3");
    assert_eq!(tab.value("document.getElementById('bot-3').open"), true);
    many_bots_have_a_cross_table_of_their_own(&mut tab, &scratch);
    no_text_is_printed_over_another(&mut tab, &scratch);
    assert_eq!(tab.problems, Vec::<String>::new());
}

fn resize(tab: &mut Browser, width: u32, mobile: bool) {
    let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": mobile});
    tab.call("Emulation.setDeviceMetricsOverride", size);
}

fn texts(tab: &mut Browser, selector: &str) -> Vec<String> {
    let texts = tab.value(&format!("all('{selector}').map(it => it.innerText.trim())"));
    serde_json::from_value(texts).expect("texts")
}

fn tables_and_pictures_agree_with_the_report(tab: &mut Browser, report: &Value) {
    for (n, bot) in report["bots"].as_array().expect("bots").iter().enumerate() {
        let row = format!(".standings tbody:nth-of-type({}) tr:first-child", n + 1);
        let cells = texts(tab, &format!("{row} > *"));
        let [total, games] = ["total", "games"].map(|key| bot[key].as_f64().expect("a number"));
        assert_eq!(cells[..2], [(n + 1).to_string(), bot["name"].as_str().expect("a name").to_owned()]);
        assert!(cells[2].starts_with(&format!("{:.2}", total / games)), "{cells:?}");
        assert_eq!(cells[9..12], ["won", "drawn", "lost"].map(|key| bot[key].to_string()));
        let faults: u64 = bot["faults"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
        assert_eq!((&cells[14], cells[15].contains('±')), (&faults.to_string(), false), "too few pairs");
        let fold = tab.value(&format!("all('.fold summary .narrow')[{n}].textContent"));
        assert_eq!(fold.as_str().is_some_and(|it| it.ends_with(", 12 faults")), faults == 12, "{fold}");
        // A mark for each game, in the part that the name opens.
        tab.click(&format!("{row} th a"));
        let part = format!("#bot-{}[open]", n + 1);
        tab.value("new Promise(done => setTimeout(done, 100))");
        let marks = tab.count(&format!("{part} .strip :is(rect, circle)"));
        assert_eq!(marks, games as usize, "{part}: {}", tab.fragment());
        assert_eq!(tab.count(&format!("{part} tbody tr")), 3);
    }
    // A click on a head orders the bots by its numbers; places stay.
    for (column, key) in [(9, "won"), (9, "won"), (3, "total")] {
        let head = format!(".standings th:nth-child({})", column + 1);
        tab.click(&format!("{head} button"));
        let is_up = tab.value(&format!("document.querySelector('{head}').ariaSort === 'ascending'"));
        let ranks = texts(tab, ".standings tbody > :first-child > :first-child");
        let of = |rank: &String| report["bots"][rank.parse::<usize>().expect("a rank") - 1][key].as_u64();
        let values: Vec<_> = ranks.iter().map(of).collect();
        assert!(values.is_sorted_by(|a, b| if is_up == true { a <= b } else { a >= b }), "{key}: {values:?}");
    }
    let times = [0.0, 300.0, 9_700.0, 760_000.0]
        .map(|micros| format!("COLUMN.time.of({{micros: [{micros}], timed: 1}})[0]"));
    assert_eq!(tab.value(&format!("[{}]", times.join(", "))), json!(["0 ms", "0.3 ms", "10 ms", "0.76 s"]));
    // One scale: the highest bar of all fills the picture.
    let highest = "Math.max(...all('.picture rect').map(it => Number(it.getAttribute('height'))))";
    assert_eq!(tab.value(highest), 28);
    assert_eq!(texts(tab, ".highlights dt"), ["Largest win", "Upset", "Most turns", "Faults"]);
    assert_eq!(texts(tab, ".highlights dd")[3], "12 games\nbad lost 12: an illegal move");
    // Whoever sees that 75 is even has read what a point is; a strip tells its range.
    let below = texts(tab, ".standings ~ p");
    assert!(below.iter().any(|it| it.starts_with("Both bots begin a game with 75 points")), "{below:?}");
    assert!(below[0].starts_with("First place: "), "{below:?}");
    assert_eq!(texts(tab, ".bot[open] .scale > :nth-child(2)"), ["75"; 4]);
    // The last beats the first: an upset, unless the last is ahead in all their games.
    let upset = "(() => {
        const [all, two] = [results, [ranks[3].name, ranks[0].name]];
        const pairing = pairings.find(({ names }) => two.every(name => names.includes(name)));
        const isLast = pairing.names[0] === two[0];
        results = [{ ...all[0], red: two[0], blue: two[1], names: two, points: [80, 70], fault: null }];
        const told = [isLast, !isLast].map(is => (pairing.total = is ? 0 : 150 * pairing.games, drawHighlights().innerText.includes('Upset')));
        results = all;
        return told;
    })()";
    assert_eq!(tab.value(upset), json!([true, false]));
}

fn the_list_is_filtered_and_ordered(tab: &mut Browser) {
    assert_eq!(texts(tab, "#rounds summary b"), ["Round 1", "Round 2"]);
    assert_eq!(tab.value(&format!("{SHOWN}.length")), 24);
    // A cell of the cross table leads to its games; its name says what it shows.
    let cell = ".standings a[href=\"#show=g+r\"]";
    let named = format!("document.querySelector('{cell}')");
    assert_eq!(tab.value(&format!("{named}.ariaLabel.includes(`: ${{{named}.innerText}} points`)")), true);
    tab.click(cell);
    let names = |label: &Value| label.as_str().expect("a name").split(' ').step_by(4).collect::<String>();
    let shown = tab.value(SHOWN);
    assert!(shown.as_array().expect("games").iter().all(|it| ["gr", "rg"].contains(&&*names(it))), "{shown}");
    assert_eq!(shown.as_array().map(Vec::len), Some(4));
    // It says the answer, and can be sent.
    let found = "4 of 24 games: g won 4, r 0, drawn 0; points 406 : 194 All games";
    assert_eq!([tab.text("#found"), tab.fragment()], [found, "#show=g+r"]);
    let faulty = ["fault", "fault:bad", "round 2", "an illegal move", "illegal"].map(|words| (words, 12));
    let counts = [("fault:g", 0), ("2 bad", 6), ("A-RATHER g", 4), ("", 24)].into_iter().chain(faulty);
    for (words, count) in counts {
        tab.value(&format!("$('find').value = '{words}'; $('find').dispatchEvent(new Event('input'))"));
        assert_eq!(tab.value(&format!("{SHOWN}.length")), count, "{words}");
        assert_eq!(tab.text("#found").contains(&format!("No game fits “{words}”")), count == 0);
    }
    // One click clears the filter.
    tab.click(cell);
    tab.click("#found a");
    assert_eq!(tab.text("#found"), "24 games: Red won 13, Blue 11, drawn 0; points 1851 : 1749");
    // A line joins the games of a pair, and no others.
    let second = "all('#rounds tr').map(it => it.className === 'second')";
    assert_eq!(tab.value(&format!("{second}.every((is, n) => is === (n % 2 === 1))")), true);
    for (name, number) in [("win", "fault ? -1 : Math.abs(points[0] - 75)"), ("turns", "turns ?? -1")] {
        tab.click(&format!("[data-order={name}]"));
        assert_eq!(tab.value(&format!("{second}.some(Boolean)")), false);
        let numbers = format!(
            "{SHOWN}.map((said, n) => [said, all('#rounds a')[n].hash]).map(([, hash]) =>
            results.find(it => '#game=' + it.number === hash)).map(({{ points, turns, fault }}) => {number})"
        );
        let falling = format!("{numbers}.every((it, n, list) => !n || it <= list[n - 1])");
        assert_eq!(tab.value(&falling), true, "{name}");
    }
    tab.click("[data-order=round]");
}

fn a_result_opens_its_game_and_one_comes_back(tab: &mut Browser) {
    // The board's keys are not the tournament's.
    tab.key("ArrowRight");
    assert_eq!(tab.fragment(), "#show=");
    tab.click("#rounds a");
    let at = tab.value("scrollY");
    assert_eq!((at, tab.fragment().contains("&ply=")), (json!(0), true));
    let shown = "[$('tournament'), $('main'), $('list')].map(it => it.checkVisibility())";
    assert_eq!(tab.value(shown), json!([false, true, false]));
    let title = tab.value("document.title").to_string();
    assert!(title.ends_with(", round 1 – A <b> league – Black Hole\""), "{title}");
    let back =
        "history.back(); new Promise(done => addEventListener('popstate', () => setTimeout(done, 100)))";
    tab.value(back);
    let left = "[$('tournament').checkVisibility(), document.title]";
    assert_eq!(tab.value(left), json!([true, "A <b> league – Black Hole"]));
    assert!(tab.value("scrollY").as_f64() > Some(0.0));
    // Back undoes a filter, and the tournament is left and found again with one.
    tab.click("[data-order=round]");
    tab.click(".standings a[href=\"#show=g+r\"]");
    tab.click("#rounds a");
    tab.click("nav a");
    assert_eq!((tab.value(&format!("{SHOWN}.length")), tab.fragment()), (json!(4), "#show=g+r".to_owned()));
    (0..3).for_each(|_| drop(tab.value(back)));
    assert_eq!((tab.value(&format!("{SHOWN}.length")), tab.fragment()), (json!(24), "#show=".to_owned()));
    tab.click("#rounds a");
    tab.click("nav .row a");
    assert!(tab.text("#about").contains("round 1"));
    tab.click("nav a");
    assert_eq!(tab.value("$('tournament').checkVisibility() && scrollY > 0"), true);
}

/// The games as records that the board reads, the standings for a spreadsheet.
fn it_is_saved(tab: &mut Browser, scratch: &Scratch) {
    tab.value("window.saved = []; URL.createObjectURL = (blob) => (saved.push(blob), 'data:,')");
    [1, 2].iter().for_each(|n| tab.click(&format!(".head button:nth-child({n})")));
    let saved = tab.value("Promise.all(saved.map(it => it.text()))");
    let table = saved[0].as_str().expect("a table").trim_start_matches('\u{feff}');
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][..5], ["\"Place\"", "\"Bot\"", "\"Games\"", "\"Points a game\"", "\"Total\""]);
    let report = scratch.run("report games --json").json();
    for (n, row) in rows[1..].iter().enumerate() {
        let bot = &report["bots"][n];
        assert_eq!(row.len(), rows[0].len());
        let told = [(n + 1).to_string(), bot["name"].to_string(), bot["games"].to_string()];
        assert_eq!((&row[..3], row[5]), (&told.each_ref().map(String::as_str)[..], &*bot["won"].to_string()));
        assert_eq!(row[row.len() - 4 + n], "", "it has no games against itself");
    }
    scratch.write("saved", saved[1].as_str().expect("games"));
    scratch.shell("grep -c '^# points ' saved").expect(0, "24\n");
    let games = |file: &str| {
        let games = scratch.table(&format!("convert --to json {file}"));
        // The points of a whole game follow from its score.
        let points = |game: &Value| game["score"].is_null().then(|| game["points"].clone());
        let parts = ["title", "red", "blue", "blocked", "moves", "fault"];
        let game = |line: &str| {
            let game: Value = serde_json::from_str(line).expect("a game");
            json!([parts.map(|part| &game[part]), points(&game)]).to_string()
        };
        games.lines().map(game).collect::<BTreeSet<String>>()
    };
    assert_eq!(games("saved"), games("games"));
}

fn nothing_is_cut_on_a_phone(tab: &mut Browser) {
    for width in [320, 360, 720, 820, 1072, 1080] {
        resize(tab, width, true);
        assert_eq!(tab.value("document.documentElement.scrollWidth"), width);
        // What has no room is under the fold of its row, but for the results in the fold's own line, and the bot's
        // against itself.
        let hidden = "all('.standings tbody:nth-of-type(1) tr:first-child > *').filter(it => !it.checkVisibility()).length";
        // A legend explains what is shown: a folded Elo had one, too.
        let told = "(all('.fold details').forEach(it => (it.open = false)), $('tournament').querySelector('.legend').innerText.includes('Elo'))";
        assert_eq!(tab.value(told), width > 1072, "{width}");
        let folded = "(document.querySelector('.fold details').open = true,
            all('.standings .fold dl > div').filter(it => it.checkVisibility()).length)";
        // 820 wide, won, drawn and lost have room beside the cross table.
        let told = [[13, 9], [5, 5], [0, 0]][usize::from(width > 720) + usize::from(width > 1072)];
        assert_eq!([hidden, folded].map(|it| tab.value(it)), told, "{width}");
        let cut = "all('.fold dl > div, .standings td').filter(it => it.scrollWidth > it.clientWidth).length";
        assert_eq!(tab.value(cut), 0, "{width}");
    }
    tab.call("Emulation.clearDeviceMetricsOverride", json!({}));
}

fn many_bots_have_a_cross_table_of_their_own(tab: &mut Browser, scratch: &Scratch) {
    let bots: String = (1..14).map(|n| format!("--bot bot-{n}=builtin:random ")).collect();
    scratch.table(&format!("match {bots} --pairs 1 --journal many"));
    scratch.run("report many --html many.html").expect(0, "");
    tab.open(&scratch.path("many.html"), "");
    assert_eq!(tab.value("document.title"), "13 bots, many – Black Hole");
    assert_eq!(tab.count(".crossed .cross a"), 156);
    assert_eq!(texts(tab, "h2 + .standings th a"), texts(tab, ".crossed th a"));
    // Nobody has judged the games, so none has turns.
    assert_eq!(texts(tab, "[data-order]"), ["By round", "Largest win first"]);
    // A bound orders nothing but its end.
    let elo = "[[-227, -1], [-292, 0], [-300, 1]].map(([elo, bound]) => COLUMN.elo.order({ rating: { elo, bound } }))";
    assert_eq!(tab.value(&format!("{elo}.every((it, n, list) => !n || it > list[n - 1])")), true);
    // 820 wide, all but the total and the picture has room beside the name.
    for (width, told) in [(1200, [13, 0, 12]), (820, [13, 0, 10]), (740, [13, 0, 4]), (360, [0, 12, 3])] {
        resize(tab, width, true);
        tab.value("all('.fold details').forEach((it, n) => (it.open = !n))");
        let seen = "[['.crossed thead .cross', '.fold .cross', 'h2 + .standings thead th'].map(cells =>
            all(cells).filter(it => it.checkVisibility()).length), document.documentElement.scrollWidth]";
        assert_eq!(tab.value(seen), json!([told, width]));
        // Another order moves no column.
        let at = "all('.standings th').map(it => it.offsetLeft).join()";
        let before = tab.value(at);
        tab.click(".standings th:last-child button");
        assert_eq!(tab.value(at), before, "{width}");
    }
}

/// Texts of the tournament that overlap, or are wider than the window; words of names, and reasons of faults, that are
/// broken; rows, and games with their reason, that a column's end tears apart; in how many columns scores stand.
const OVERPRINTED: &str = "(() => {
    const walker = document.createTreeWalker($('tournament'), NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        if (!text.data.trim() || !text.parentElement.checkVisibility() || text.parentElement.closest('.hidden, svg')) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        texts.push(...[...range.getClientRects()].map(({ left, top, right, bottom }) => ({ left, top, right, bottom, text })));
    }
    const over = texts.flatMap((one, n) => texts.slice(n + 1).filter(other => one.text !== other.text
        && one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 4 && other.top < one.bottom - 4)
        .map(other => `${one.text.data} over ${other.text.data}`));
    const wide = texts.filter(({ left, right }) => left < 0 || right > document.documentElement.clientWidth).map(({ text }) => text.data);
    const broken = texts.filter((one, n) => one.text === texts[n + 1]?.text && !/wm/.test(one.text.data)
        && one.text.parentElement.closest(`${one.text.data.length < 14 ? '' : ':is(.standings, .bot) '}tbody bdi, #rounds :is(small, summary)`))
        .map(({ text }) => text.data);
    const torn = all('#rounds tr').filter(row => row.getClientRects().length > 1).map(row => row.innerText);
    const scores = new Set(all('#rounds td:nth-child(2)').filter(it => it.checkVisibility()).map(it => it.getBoundingClientRect().left));
    return [over, wide, broken, torn, scores.size];
})()";

/// Names of 16 wide characters, winners among them in bold, and a bot whose faults are told below its name; short names,
/// which broke within the word ("random / 2"). Scores stand below one another, whoever plays in a round.
fn no_text_is_printed_over_another(tab: &mut Browser, scratch: &Scratch) {
    for (faulty, names) in [
        ("slow-and-faulty", "MAXIMUM_Wormhole ExpertOfEndgames wwwwmmmmwwwwmmmm Greedy.Gustav.01"),
        ("shaky", "random2 hole worm greedy"),
        ("faulty", "mmmmmmm WWWWWW perfectionist mightyendgamebot"),
    ] {
        let bots: String = names.split(' ').map(|name| format!("--bot {name}=builtin:random ")).collect();
        let ends = format!("--pairs 2 --journal {faulty} --html {faulty}.html");
        scratch.run(&format!("match {bots} --bot '{faulty}=sh bad.sh' {ends}")).expect(0, "fault: ");
        for (width, columns) in [(1920, 3), (1366, 3), (1200, 3), (820, 2), (718, 2), (390, 1), (360, 1)] {
            let media = if width == 718 { "print" } else { "" };
            tab.call("Emulation.setEmulatedMedia", json!({"media": media}));
            resize(tab, width, width < 500);
            tab.open(&scratch.path(&format!("{faulty}.html")), "");
            let seen = json!([[], [], [], [], columns]);
            assert_eq!(tab.value(OVERPRINTED), seen, "{faulty}, {width}");
            if columns == 1 {
                tab.value(
                    "results = results.filter(({ names, round }) =>
                    [2, 1].every(n => names.includes(ranks[2 * round - n].name))); drawResults()",
                );
                assert_eq!(tab.value(OVERPRINTED), seen, "{faulty}, {width}, a pairing a round");
            }
        }
    }
}

/// The tables, the bots and few games, neither buttons nor a board.
fn it_is_printed(tab: &mut Browser) {
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    resize(tab, 718, true);
    let shown = "['.standings', '.highlights', '#rounds details', '.head button', '#find', '#plain', '#main', 'nav', '.fold'] \
        .map(it => document.querySelector(it).checkVisibility())";
    assert_eq!(tab.value(shown), json!([true, true, true, false, false, false, false, false, false]));
    // Bars of faulty games were filled, sortable heads stood higher, reasons were larger than names, rounds were torn.
    let odd = "(() => {
        const style = (it) => getComputedStyle(it);
        const filled = all('tr:first-child .hollow').filter(it => it.getBoundingClientRect().width < 2 * parseFloat(style(it).strokeWidth));
        const range = document.createRange();
        const foot = (it) => (range.selectNodeContents(it), Math.round([...range.getClientRects()].at(-1).bottom));
        const feet = new Set(all('.standings thead th:nth-child(n + 2)').map(foot));
        const large = all('#rounds small').filter(it => style(it).fontSize !== style(it.parentElement).fontSize);
        const torn = all('#rounds details').filter(it => style(it).breakInside !== 'avoid');
        return [filled.length, feet.size, large.length, torn.length, document.documentElement.scrollWidth];
    })()";
    assert_eq!(tab.value(odd), json!([0, 1, 0, 0, 718]));
    tab.call("Emulation.clearDeviceMetricsOverride", json!({}));
    tab.call("Emulation.setEmulatedMedia", json!({"media": ""}));
}
