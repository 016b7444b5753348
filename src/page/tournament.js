// @ts-check
// The page of a tournament: its head, tables, bots and games. A result opens its game on the board.
/** @type {any} */
const league = JSON.parse($("report").textContent);
const { bots: ranks, pairings } = league.report;
/** A game as the lists tell it.
 * @typedef {Game & { names: string[], points: number[], round: number, turns: number | null, loser: string | null,
 *   words: string[] }} Result */
/** All games, and those that the list shows.
 * @type {Result[]} */
let results = [], found = results;
let order = "round";

/** @type {(game: any) => Result} */
function readResult(game) {
  const { title, red, blue, fault, moves, start } = game;
  const [names, points, round] = [[red, blue], resultsOf(game), Number(title.replace("round ", ""))];
  const [by, kind = null] = fault?.split(": ") ?? [];
  const loser = game[by] ?? null;
  const signs = [start, ...(moves ?? [])].map(({ score = 0 }) => Math.sign(score)).filter(Boolean);
  const words = [...names, String(round), points[0] === 75 ? "drawn" : "",
    ...(loser ? ["fault", `fault:${loser}`, kind, ...FAULT[kind].split(" ")] : [])];
  return { ...game, names, points, round, fault: kind, loser, words: words.map((word) => word.toLowerCase()),
    turns: moves ? signs.filter((sign, n) => n && sign !== signs[n - 1]).length : null };
}

/** Make a part that is filled when it is opened first. */
function foldOf(attributes, heads, isOpen, fill) {
  const part = make("details", attributes, make("summary", {}, ...heads));
  const open = () => part.childElementCount === 1 && part.append(...fill());
  part.addEventListener("toggle", open);
  if (isOpen) open();
  part.open = isOpen;
  return part;
}

/** A link to games in the list: its filter. */
const filterOf = (words, text, attributes = {}) => make("a", { href: `#${new URLSearchParams({ show: words })}`, ...attributes }, text);
/** A name without room breaks between its words. */
const nameOf = (name) => make("bdi", {}, ...name.replace(/[_-]|\.(?!\d)|\p{Ll}(?=\p{Lu})/gu, "$&\n").split("\n")
  .map((word) => span("word", word)));
const linkOf = (result) => make("a", { href: `#game=${result.number}` }, ...headOf(result));
const gamesOf = (name, other = name) => results.filter(({ names }) => names.includes(name) && names.includes(other));
const pointsOfBot = (name, { names, points }) => points[names.indexOf(name)];
const distinct = (items) => [...new Set(items.filter(Boolean))];

function drawHead() {
  const { title, matches, players, count } = league;
  const day = (time) => new Date(time * 1000).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const ends = (numbers, of) => distinct([Math.min(...numbers), Math.max(...numbers)].map(of)).join(" to ");
  const [began, times] = [[matches, 0], [players, 1]].map(([rows, n]) => rows.map((row) => Number(row[n])).filter(Boolean));
  const rounds = counted(new Set(results.map(({ round }) => round)).size, "round");
  league.facts = [began.length && ends(began, day), times.length && `${ends(times, String)} s a game`,
    `${count} of ${counted(ranks.length, "bot")} in ${rounds}`].filter(Boolean).join(" · ");
  const made = distinct([...players.map(([, , version]) => version), ...matches.map(([, machine]) => machine)]);
  const file = title.replace(/[^\p{L}\p{N}.-]+/gu, "-");
  return make("header", { class: "head" }, p("faint", "Black Hole, a tournament"), make("h1", {}, bdi(title)),
    p("", league.facts, " ", span("faint wide", `· ${made.join(", ")}`)),
    make("div", { class: "row" }, button({}, "Save the table", () => download(`${file}.csv`, standingsAsText())),
      button({}, "Save all games", () => download(`${file}-games.txt`, gamesAsText()))));
}

/** The records of the games, each with its points, below the tournament's title. */
const gamesAsText = () => [`# Tournament: ${league.title.replace(/\s+/g, " ")} · ${league.facts}\n`,
  ...$("records").textContent.trim().split(/\n(?=# red )/).map((text, n) => `${text}\n${
    games[n].points ? "" : `# points ${resultsOf(games[n]).join(" to ")}\n`}`)].join("");

/** The results of a bot against another, as the first sees them; null if they never met. */
function pairingOf(own, other) {
  const pairing = own === other ? null : pairings.find(({ names }) => names.includes(own) && names.includes(other));
  if (!pairing || pairing.names[0] === own) return pairing ?? null;
  const { total, games, won, lost } = pairing;
  return { ...pairing, total: 150 * games - total, won: lost, lost: won };
}

function standingsAsText() {
  const mean = ({ total, games }) => total / games;
  /** @type {[string, (bot: any) => number | string | null | undefined][]} */
  const columns = [["Place", ({ place }) => place], ["Bot", ({ name }) => name], ["Games", ({ games }) => games],
    ...Object.values(COLUMN).map(({ title, unit = "", by }) => [title + unit, by]), ["± points a game", ({ error }) => error],
    ["± Elo", ({ rating }) => rating?.error], ["Elo is", ({ rating }) => ["at most", "", "at least"][rating?.bound + 1]],
    ...ranks.map(({ name }) => [`Points a game against ${name}`, (bot) => mean(pairingOf(bot.name, name) ?? {})])];
  const cell = (value) => (typeof value === "string" ? `"${value.replaceAll('"', '""')}"`
    : Number.isFinite(value) ? String(Number(value.toFixed(4))) : "");
  const rows = [columns.map(([title]) => title), ...ranks.map((bot) => columns.map(([, of]) => of(bot)))];
  // The first character tells a spreadsheet the encoding.
  return `\ufeff${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}

/** The mean of a pairing, as a link to its games; bold above 75 by more than twice its error. */
function crossCell(own, other, digits) {
  const pairing = pairingOf(own.name, other.name);
  if (!pairing) return span("faint", "·");
  const { won, drawn, lost, pairs: { error }, total, games } = pairing;
  const text = meanOf(pairing, digits);
  const said = `${own.name} against ${other.name}: ${text} points a game, won ${won}, drawn ${drawn}, lost ${lost}`;
  return filterOf(`${own.name} ${other.name}`, boldIf(error !== null && total / games - 75 > 2 * error, text),
    { "aria-label": said, title: said });
}

/** A bar, or a column of marks, is of two points; a draw has its own. */
const binOf = (points) => Math.sign(points - 75) * Math.ceil(Math.abs(points - 75) / 2);

/** The points of a bot from 40 to 110; a line at 75, wide hollow bars for games that a fault ended. */
function drawPicture(counts, most) {
  const bars = [...counts].map(([at, count]) => {
    const [name, width, height] = [...(Math.abs(at) > 18 ? ["hollow", 7] : ["", 3]), (28 * count) / most];
    return make("rect", { class: name, x: 4 * at - Number(width) / 2, width, height, y: 29 - Number(height) });
  });
  return make("svg", { class: "picture", viewBox: "-82 0 164 30", preserveAspectRatio: "none", role: "img",
    "aria-label": "How often it got which points" }, segment("axis", -82, 29.5, 82, 29.5),
  segment("even", 0, 0, 0, 30), ...bars);
}

/** Count the games of a bot by their bars, from -18 to 18; further out are those that a fault ended. */
const countsOf = (name) => tally(gamesOf(name).map((result) => {
  const own = pointsOfBot(name, result);
  return result.fault ? Math.sign(own - 75) * 19.5 : within(binOf(own), [-18, 18]);
}));

/** Order the bots by a number, the largest first or last, at a click on the head of its column; at first as ranked. */
function letSort(table, columns) {
  const [heads, bodies] = [[...table.tHead.rows[0].cells].slice(2), [...table.tBodies]];
  columns.forEach(({ title, by, order = by }, n) => order && heads[n].replaceChildren(button({}, title, () => {
    const isDown = heads[n].ariaSort !== "descending";
    heads.forEach((it, m) => (it.ariaSort = m === n ? (isDown ? "descending" : "ascending") : null));
    const value = (rank) => (order(ranks[rank]) || 0) * (isDown ? -1 : 1);
    table.append(...[...bodies.keys()].sort((a, b) => value(a) - value(b)).map((rank) => bodies[rank]));
  })));
  heads[0].ariaSort = "descending";
}

function drawStandings() {
  const counts = new Map(ranks.map((bot) => [bot, countsOf(bot.name)]));
  const most = Math.max(1, ...[...counts.values()].flatMap((own) => [...own.values()]));
  const { points, total, won, drawn, lost, faults } = COLUMN;
  const picture = { title: "Spread", width: "wider pictured",
    about: "how often it got which points, from 40 or less to 110 or more; the line is 75; hollow: a fault",
    of: (bot) => [drawPicture(counts.get(bot), most)] };
  const bad = { ...faults, of: (bot) => faults.of(bot).map((n) => (n === "0" ? n : filterOf(`fault:${bot.name}`, n))) };
  // As many digits as paper has room for.
  const [isOne, digits] = [ranks.length < 6, ranks.length > 12 ? 0 : 1];
  const [score, time, elo] = ["score", "time", "elo"].map((it) => ({ ...COLUMN[it], width: isOne ? "wider" : "mid" }));
  const cross = ranks.map((other) => ({ title: `vs ${other.place} ${other.name}`, width: "cross wide",
    head: [`${isOne ? "vs " : ""}${other.place}`], of: (bot) => [crossCell(bot, other, digits)], other }));
  const against = { head: [`${isOne ? "vs " : ""}1 to ${ranks.length}`], width: "wide",
    about: "points a game against the bot of that place; bold: above 75 by more than twice the error" };
  const columns = [points, total, picture, ...(isOne ? cross : []), won, drawn, lost, score, time, bad, elo];
  // The fold's own line has the results.
  const folded = [...columns, ...(isOne ? [] : cross)].filter((it) => it.width && ![won, drawn, lost].includes(it));
  const name = (bot, n) => make("a", { href: `#bot-${n + 1}` }, nameOf(bot.name));
  const tables = [drawBots(ranks, columns, folded, name), ...(isOne ? [] : [
    make("h2", {}, "Points a game against each"), make("div", { class: "crossed", tabindex: 0, role: "region",
      "aria-label": "Points a game against each" }, drawBots(ranks, cross, [], name))])];
  letSort(tables[0], columns);
  const bounded = { head: ["> and <"], width: elo.width, about: ranks.some(({ rating }) => rating?.bound)
    && "at least and at most, for a bot that won or lost all its games" };
  return [make("h2", { class: "hidden" }, "Standings"), ...tables,
    ...[...league.report.notes].reverse().map((it) => p("", it.replace(/^(note: )?./, (start) => start.at(-1).toUpperCase()), ".")),
    p("", "Both bots begin a game with 75 points; what one wins at the black hole, the other loses. Each opening is ",
      "played twice, colours swapped. A fault, such as an illegal or late move, loses 0 : 150."),
    ...(league.test ?? "").split("\n").filter(Boolean).map((line) => p("", line)),
    make("ul", { class: "faint legend" }, ...[...columns, bounded, against].filter(({ about }) => about)
      .map(({ title, head = [title], width, about }) => make("li", { class: width }, span("", ...head), `: ${about}.`)))];
}

function drawHighlights() {
  const [place, whole] = [new Map(ranks.map((bot) => [bot.name, bot.place])), results.filter(({ fault }) => !fault)];
  const most = (of) => whole.reduce((best, it) => (of(it) > (best ? of(best) : 0) ? it : best), /** @type {any} */ (null));
  // Not by a bot that is ahead in all their games; of equal places the larger win.
  const sides = ({ points: [red], names }) => (red > 75 ? names : [...names].reverse());
  const gap = (result) => {
    const [[winner, loser], [red]] = [sides(result), result.points];
    const [places, { total, games }] = [place.get(winner) - place.get(loser), pairingOf(winner, loser)];
    return red !== 75 && places > 0 && total <= 75 * games ? 75 * places + Math.abs(red - 75) : 0;
  };
  const [largest, upset, turning] = [most(({ points: [red] }) => Math.abs(red - 75)), most(gap), most(({ turns }) => turns)];
  const faulty = results.filter(({ loser }) => loser);
  const losers = [...tally(faulty.map(({ loser }) => loser))].sort(([, a], [, b]) => b - a);
  const kinds = (name) => distinct(faulty.map(({ loser, fault }) => loser === name && FAULT[fault])).join(", ");
  const told = losers.slice(0, 2).map(([name, count]) => `${name} lost ${count}: ${kinds(name)}`);
  if (losers[2]) told.push(`and ${counted(losers.length - 2, "more bot")}`);
  const at = ({ round }, text) => `Round ${round}, ${text}`;
  const items = [
    largest && ["Largest win", linkOf(largest), at(largest, `by ${2 * Math.abs(largest.points[0] - 75)} points`)],
    upset && ["Upset", linkOf(upset), at(upset, sides(upset).map((it) => `place ${place.get(it)}`).join(" beats "))],
    turning && ["Most turns", linkOf(turning), at(turning, `the lead changed ${counted(turning.turns, "time")}`)],
    faulty.length && ["Faults", filterOf("fault", counted(faulty.length, "game")), told.join("; ")],
  ];
  return make("dl", { class: "highlights" }, ...items.filter(Boolean).map(([title, link, text]) => make("div", {},
    make("dt", { class: "faint" }, title), make("dd", {}, link, make("div", { class: "small" }, text)))));
}

/** The points of a bot in each game against another, a mark a game; a line at 75, at the ends what a fault ended. */
function drawStrip(name, other) {
  const heights = {};
  const places = gamesOf(name, other).map((result) => {
    const x = within(binOf(pointsOfBot(name, result)) * (result.fault ? 240 : 456 / league.reach), [-240, 240]);
    return { x, height: (heights[x] = (heights[x] ?? 0) + 1), side: PLAYERS[result.names.indexOf(name)], ...result };
  });
  const step = Math.min(8, 36 / Math.max(...Object.values(heights)));
  const marks = places.map(({ x, height, side, fault }) => make("rect", { class: `${side} ${fault ? "hollow" : ""}`,
    x: x - 3, y: 41 - height * step, width: 6, height: 6, rx: side === "red" ? 3 : 0 }));
  return make("svg", { class: "strip", viewBox: "-244 0 488 41", role: "img",
    "aria-label": `Points of ${name} in each game` }, segment("even", 0, 0, 0, 41), ...marks);
}

function drawBot(bot, n) {
  const { name, won, drawn, lost } = bot;
  const fill = () => {
    const [own, by] = [gamesOf(name), (result) => pointsOfBot(name, result)];
    const mean = (games) => meanOf({ total: sumOf(games.map(by)), games: games.length }, 1);
    const rows = ranks.filter((other) => pairingOf(name, other.name)).map((other) => {
      const means = [0, 1].map((n) => mean(gamesOf(name, other.name).filter(({ names }) => names[n] === name)));
      const { pairs: { error }, won, drawn, lost } = pairingOf(name, other.name);
      return make("tr", {}, make("th", { scope: "row" }, nameOf(other.name)), ...means.map((it) => td("number", it)),
        td("number", crossCell(bot, other, 2), ...errorOf(error, 2)), td("number", [won, drawn, lost].join(" – ")),
        td("", drawStrip(name, other.name)));
    });
    const scale = [75 - league.reach, 75, 75 + league.reach].map((at) => span("", String(at)));
    const heads = [["Against"], sided("red", "as Red"), sided("blue", "as Blue"), ["Points a game"],
      ["Won – drawn – lost"], [span("hidden", "Points of each game:"), make("div", { class: "strip scale" }, ...scale)]]
      .map((it, n) => make("th", { class: n % 5 && "number" }, ...it));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    const whole = own.filter(({ fault }) => !fault).sort((a, b) => by(b) - by(a));
    const kinds = [...tally(own.filter(({ loser }) => loser === name).map(({ fault }) => fault))];
    return [table, p("faint", "A mark is a game by its points: ", dot("red"), "as Red, ", dot("blue"),
      "as Blue; hollow at an end: a fault."),
    ...(whole.length ? [p("", "Best: ", linkOf(whole[0]), ` in round ${whole[0].round}. `, "Worst: ",
      linkOf(whole.at(-1)), ` in round ${whole.at(-1).round}.`)] : []),
    ...(kinds.length ? [p("", "Lost by a fault: ", ...kinds.flatMap(([kind, count], n) =>
      [n ? ", " : "", filterOf(`fault:${name} ${kind}`, `${count} × ${FAULT[kind]}`)]))] : [])];
  };
  const heads = [make("h3", {}, `${bot.place}. `, bdi(name)), " ",
    span("faint", `${meanOf(bot)} points a game`, span("wide", ` · won ${won}, drawn ${drawn}, lost ${lost}`))];
  return foldOf({ id: `bot-${n + 1}`, class: "bot" }, heads, name === league.subject, fill);
}

/** Draw a row of a game in a list, joined to the game before if that is the other one of its pair. */
function drawResult(result, before) {
  const { number, names, points, round, turns, fault, loser } = result;
  const name = (n) => make("td", { class: n ? null : "number", title: names[n] }, boldIf(points[n] > 75, nameOf(names[n])),
    ...(names[n] === loser ? [make("small", { class: "faint" }, FAULT[fault])] : []));
  const link = make("a", { href: `#game=${number}`, "aria-label": `${names[0]} ${points.join(" : ")} ${names[1]}` },
    scoreOf(points));
  const note = { win: `round ${round}`, turns: turns && counted(turns, "turn") }[order];
  return make("tr", { class: before && names.every((name) => before.names.includes(name)) ? "second" : null }, name(0),
    td(null, dot("red"), link, dot("blue"), ...(note ? [make("small", { class: "faint" }, note)] : [])), name(1));
}

function drawResults() {
  const [words, text] = [new Set(results.flatMap((result) => result.words)), $("find").value.trim()];
  const wanted = text.toLowerCase().replace(/\bround (?=\d)/g, "").split(/[\s,]+/).filter(Boolean);
  const fits = (word) => (own) => (words.has(word) ? own === word : own.startsWith(word));
  found = results.filter((result) => wanted.every((word) => result.words.some(fits(word))));
  // A fault's points are no win of that size.
  const by = { win: ({ points: [red], fault }) => (fault ? -1 : Math.abs(red - 75)), turns: ({ turns }) => turns ?? -1 }[order];
  if (by) found.sort((a, b) => by(b) - by(a));
  const groups = by ? range(Math.ceil(found.length / 60), (n) => found.slice(60 * n, 60 * n + 60))
    : distinct(found.map(({ round }) => round)).map((round) => found.filter((it) => it.round === round));
  // Small rounds stand side by side.
  $("rounds").className = groups.every((group) => group.length <= 4) ? "columns" : "";
  // The first parts are open; a narrow screen shows a few.
  const room = innerWidth < 720 ? 12 : 200;
  $("rounds").replaceChildren(...groups.map((group, n) => {
    const title = by ? `${60 * n + 1} to ${60 * n + group.length}` : `Round ${group[0].round}`;
    const more = by ? "" : `blocked ${group[0].setup.join(" ")}`;
    return foldOf({}, [make("b", {}, title), " ", span("faint", more)], found.indexOf(group[0]) < room, () =>
      [make("div", { class: "columns" }, make("table", { "aria-label": title }, make("tbody", {},
        ...group.map((result, n) => drawResult(result, by ? null : group[n - 1])))))]);
  }));
  const sides = distinct(found.flatMap(({ names }) => names));
  // Two bots in the order that was asked for.
  if (sides[1]?.toLowerCase().startsWith(wanted[0])) sides.reverse();
  const [a, b] = sides.length === 2 ? sides : ["Red", "Blue"];
  const points = found.map((result) => (sides.length === 2 ? pointsOfBot(a, result) : result.points[0]));
  const [won, lost] = [1, -1].map((sign) => points.filter((own) => sign * (own - 75) > 0).length);
  const count = (text ? `${found.length} of ` : "") + counted(results.length, "game");
  show($("found"), found.length ? `${count}: ${a} won ${won}, ${b} ${lost}, drawn ${
    found.length - won - lost}; points ${sumOf(points)} : ${150 * found.length - sumOf(points)}`
    : `No game fits “${text}”: write the name of a bot, two names, round 1, drawn or fault.`,
  ...(text ? [" ", filterOf("", "All games")] : []));
  document.querySelector("nav a")?.setAttribute("href", text ? `#${new URLSearchParams({ show: text })}` : "#");
  for (const other of all("[data-order]")) other.setAttribute("aria-pressed", String(other.dataset.order === order));
}

function drawTournament() {
  results = games.map(readResult);
  // How far from 75 whole games came at most, in tens: the range of all strips.
  league.reach = Math.max(10, ...results.map(({ points: [red], fault }) => 10 * Math.ceil(fault ? 0 : Math.abs(red - 75) / 10)));
  const isJudged = results.some(({ turns }) => turns !== null);
  const orders = [["round", "By round"], ["win", "Largest win first"], ...(isJudged ? [["turns", "Most turns first"]] : [])];
  const find = make("input", { id: "find", size: 18, placeholder: "bot, bot, drawn, fault", autocomplete: "off" });
  const tools = make("div", { class: "row" }, make("label", {}, "Show ", find), ...orders.map(([name, text]) =>
    button({ "data-order": name }, text, () => { order = name; drawResults(); })),
  make("span", { id: "found", class: "faint", role: "status" }));
  // A page that is saved as it stands has them, too.
  $("tables").hidden = true;
  $("tournament").replaceChildren($("tables"), drawHead(), make("div", { role: "main" }, ...drawStandings(), drawHighlights(),
    make("section", { id: "bots" }, make("h2", {}, "The bots"), ...ranks.map(drawBot)),
    make("section", { id: "results" }, make("h2", {}, "The games"), p("", "A result opens its game on the board."),
      tools, make("div", { id: "rounds" }), p("faint",
        isJudged ? "A turn: under best play the winner changed. A move without a score was not solved in time. " : "",
        results.some(({ fault }) => fault) ? "A game that a fault ended is never a largest win, a best or a worst game." : ""))));
  document.body.prepend(make("nav", { class: "row" }, make("a", { href: "#" }, "← ", bdi(league.title)), span("row")));
  $("head").firstElementChild.textContent = "Black Hole, a game of a tournament";
  find.addEventListener("input", () => {
    optional(() => history.replaceState(null, "", `#${new URLSearchParams({ show: find.value })}`));
    drawResults();
  });
  drawResults();
  goTo(location.hash);
}

const isAtBoard = () => document.body.classList.contains("at-board");
/** Where the tournament was left for a game. */
let leftAt = 0;
/** Show what an address names: a game on the board, or the tournament, at a part, with a filter or where it was left. */
function goTo(fragment) {
  const [wanted, wasAtBoard] = [new URLSearchParams(fragment.slice(1)), isAtBoard()];
  const [number, words] = [wanted.get("game"), wanted.get("show")];
  if (number && !wasAtBoard) leftAt = scrollY;
  document.body.classList.toggle("at-board", Boolean(number));
  const result = results.find((it) => String(it.number) === number);
  document.title = `${result ? `${result.names.join(" – ")}, round ${result.round} – ` : ""}${league.title} – Black Hole`;
  // After the board, which scrolls, too.
  if (Boolean(number) !== wasAtBoard) setTimeout(() => scrollTo(0, number ? 0 : leftAt));
  document.querySelector("nav > .row").replaceChildren(...(result ? [[-1, "Previous game"], [1, "Next game"]] : []).map(([way, text]) => {
    const among = found.includes(result) ? found : results;
    const next = among[among.indexOf(result) + Number(way)];
    return next ? make("a", { href: `#game=${next.number}` }, text) : span("faint", text);
  }));
  if (!number && (words ?? "") !== $("find").value) {
    $("find").value = words ?? "";
    drawResults();
  }
  const part = number ? null : document.getElementById(words === null ? fragment.slice(1) : "results");
  if (part instanceof HTMLDetailsElement) part.open = true;
  part?.scrollIntoView();
}

// These come before those of the board, which would take the tournament's keys and addresses for its own.
addEventListener("hashchange", (event) => {
  goTo(location.hash);
  if (!isAtBoard()) event.stopImmediatePropagation();
});
document.addEventListener("keydown", (event) => isAtBoard() || event.stopImmediatePropagation());
document.addEventListener("click", (event) => {
  const to = around(event, 'a[href^="#game="], a[href^="#show="]')?.getAttribute("href");
  if (!to) return;
  event.preventDefault();
  if (!isAtBoard() || to.startsWith("#show=")) optional(() => history.pushState(null, "", to));
  goTo(to);
});
// Paper shows the bots for which the first page has room, and few games whole. The screen is as before afterwards.
let turned = /** @type {any[]} */ ([]);
addEventListener("beforeprint", () => {
  const room = ranks.length < 6 ? 5 : (634 - 34 * ranks.length) / (58 + 17 * ranks.length);
  turned = all(".bot, #rounds details").filter((it) => it.open !== (it.id ? it.id.slice(4) <= room : found.length <= 200));
  turned.forEach((it) => ((it.open = !it.open), it.dispatchEvent(new Event("toggle"))));
});
addEventListener("afterprint", () => turned.forEach((it) => (it.open = !it.open)));
queueMicrotask(drawTournament);
