// @ts-check
// The drawing. Everything that comes from the data enters the page as a text node or an input's value.
/** @type {(id: string) => HTMLInputElement & HTMLSelectElement & HTMLDialogElement} */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
/** @type {(selector: string) => any[]} */
const all = (selector) => [...document.querySelectorAll(selector)];
const SVG = ["svg", "g", "title", "polygon", "polyline", "circle", "rect", "line", "text", "path"];
/** Make an element; an attribute that is null or false is left out.
 * @returns {any} */
function make(tag, attributes, ...children) {
  const language = SVG.includes(tag) ? "2000/svg" : "1999/xhtml";
  const element = document.createElementNS(`http://www.w3.org/${language}`, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const segment = (name, x1, y1, x2, y2) => make("line", { class: name, x1, y1, x2, y2 });
const label = (x, y, text, name) => make("text", { x, y, class: name }, text);
const p = (name, ...children) => make("p", { class: name }, ...children);
const span = (name, ...children) => make("span", { class: name }, ...children);
const boldIf = (is, ...children) => make(is ? "b" : "span", {}, ...children);
/** Isolate foreign text, which may be right-to-left. ASCII text needs no element: thousands take a second. */
const bdi = (text) => (/^[ -~]*$/.test(text) ? text : make("bdi", {}, text));
const td = (name, ...children) => make("td", { class: name }, ...children);
/** The side of a player: a circle or a square. */
const dot = (player) => make("i", { class: `dot ${player}`, role: "img", "aria-label": NAME[player] });
const sided = (player, move) => [dot(player), move];
const button = (attributes, text, onclick) =>
  Object.assign(make("button", { type: "button", ...attributes }, text), { onclick });
const download = (name, text) =>
  make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name }).click();
const say = (text) => ($("said").textContent = text);
const trouble = (text) => ($("trouble").textContent = text);

/** Give an element these children. An old child with the same id, or at the same place without one, is changed instead of
 * replaced if it is of the same kind: it keeps focus, scrolling and a press. */
function show(element, ...children) {
  const wanted = document.createDocumentFragment();
  wanted.append(...children);
  const count = wanted.childNodes.length;
  [...wanted.childNodes].forEach((/** @type {any} */ next, n) => {
    const place = element.childNodes[n] ?? null;
    const old = next.id ? $(next.id) : place;
    if (old?.parentNode !== element || old.nodeName !== next.nodeName || (old.id ?? "") !== (next.id ?? "")) {
      return element.insertBefore(next, place);
    }
    if (old !== place) element.insertBefore(old, place);
    if (next.data !== old.data) old.data = next.data;
    if (!next.attributes) return;
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    old.onclick = next.onclick;
    show(old, ...next.childNodes);
  });
  while (element.childNodes.length > count) element.lastChild.remove();
}

/** Fill a table. A head that begins with "#" is of a column of numbers, the head "|" of bars. */
function fill(id, heads, rows) {
  const column = (head) => make("th", { class: head === "|" ? "bar" : head[0] === "#" && "number" },
    head === "|" ? "Red | Blue" : head.replace("#", ""));
  show($(`${id}-table`), make("thead", {}, make("tr", {}, ...heads.map(column))), make("tbody", { id }, ...rows));
}

/** The length of a score's bar, at most 1: 5 points have half of it; longer bars grow ever less, so that none is cut. */
const lengthOf = (score) => score / (Math.abs(score) + 5);
/** Draw a score as a bar, Red's to the left of the middle, Blue's to the right; a hollow bar is an estimate. */
function barOf(known) {
  const score = valueOf(known) ?? 0;
  const width = Math.abs(lengthOf(score));
  const name = (score > 0 ? "red" : "blue") + (known.score == null ? " hollow" : "");
  const bar = make("rect", { class: name, x: score > 0 ? -width : 0, y: 0.1, width, height: 0.8 });
  return td("bar", make("svg", { viewBox: "-1 0 2 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...(score ? [bar] : []), segment("zero", 0, 0, 0, 1)));
}

const lossInWords = ({ lost, estimated }) => (lost ? points(lost) : estimated && `about ${points(estimated)}`);
/** The better move in place of a mistake; "" if none is known. */
function betterHere({ last }) {
  const isRead = ["record", "review"].includes(state.mode) && state.trial === null;
  return isRead && last?.best && !last.isOwn && lossInWords(last) ? last.best : "";
}

/** The move of the dashed stone: after a mistake in a review a better one, in an analysis the best one, in Play the hint. */
function ghostOf(now) {
  // Neither on a stone nor on the hole's number.
  const better = !now.over && !now.cells.has(betterHere(now).slice(0, 2)) && betterHere(now);
  const best = now.hint || (state.mode === "analyse" ? listOf(now.analysis)[0]?.move : undefined);
  return better ? { move: better, player: now.last.player, what: "better" } : { move: best, player: now.mover, what: "best" };
}

function drawBoard(now) {
  const ghost = ghostOf(now);
  const near = now.over ? nextTo(now.cells, now.empty[0]).map(({ cell }) => cell) : [];
  $("board").classList.toggle("few", now.game.blocked.length > 5);
  show($("board"), ...CELLS.map((cell) => Object.assign(drawCell(now, cell,
    ghost.move?.startsWith(`${cell}=`) ? ghost : undefined, near.includes(cell)), { id: `cell-${cell}` })));
}

/** Draw a cell; the `ghost` is a move that may come: its stone is dashed. */
function drawCell(now, cell, ghost, near) {
  const { player, stone } = now.cells.get(cell) ?? {};
  const hole = now.over && !player;
  const canChoose = state.edited || (!player && (ghost || acts(now)));
  const chosen = canChoose && state.cell === cell;
  const last = now.last?.move.startsWith(`${cell}=`);
  const figure = state.counts && !player && !now.over && !ghost ? plain(countOf(now.cells, cell)) : null;
  const number = stone ?? ghost?.move.slice(3);
  // The visible text comes first, for control by voice.
  const visible = [cell, number, hole ? plain(now.known.score) : figure].filter((it) => it != null).join(" ");
  const what = hole ? "the hole" : player === "blocked" ? player : player ? NAME[player] : "empty";
  const text = [`${visible}: ${what}`, last && "last move", near && "beside the hole", figure !== null && "what it counts",
    ghost && `${ghost.what} for ${NAME[ghost.player]}`].filter(Boolean).join(", ");
  const classes = { cell: true, [player]: player, free: !player && !ghost, hole, last, chosen, near };
  const [u, v] = coordinates(cell);
  const [x, y] = state.flipped ? [(u - v) * 26, 315 - (u + v) * 45] : [(v - u) * 26, (u + v) * 45];
  const parts = [make("polygon", { class: "hex", points: "0,-30 26,-15 26,15 0,30 -26,15 -26,-15" })];
  if (player === "blocked") parts.push(make("path", { class: "cross", d: "M-10 -10 10 10M10 -10-10 10" }));
  else if (hole) parts.push(make("circle", { r: 21 }), label(0, 6, plain(now.known.score), "stone-number"));
  else parts.push(label(0, stone || ghost || figure !== null ? -16 : 5, cell, "name"));
  if (stone) parts.push(drawStone(player, stone));
  if (ghost) parts.push(make("g", { class: "ghost" }, drawStone(ghost.player, number)));
  if (figure !== null) parts.push(label(0, 10, figure, "figure"));
  return make("g", { class: Object.keys(classes).filter((name) => classes[name]).join(" "),
    transform: `translate(${x} ${y})`, "data-cell": cell, "aria-label": text, role: canChoose ? "button" : "img",
    ...(canChoose && { tabindex: 0, "aria-pressed": String(chosen) }) }, ...parts.flatMap((part) => [part, " "]));
}

function drawStone(player, stone) {
  const shape = player === "red" ? make("circle", { class: "stone", cy: 5, r: 16 })
    : make("rect", { class: "stone", x: -15, y: -10, width: 30, height: 30, rx: 3 });
  return make("g", {}, shape, label(0, 11, String(stone), "stone-number"));
}

function drawExample() {
  const cells = cellsOf({ blocked: ["D3", "C4"], first: "red" }, ["C2=8", "B3=7", "B4=5", "D2=3"]);
  const now = { cells, over: true, known: { score: 3 }, analysis: NOTHING, last: null };
  show($("example"), ...["C3", ...cells.keys()].map((cell) => drawCell(now, cell, undefined, cells.get(cell)?.stone)));
}

/** Tell whether the person may choose a move at the shown position. */
const acts = (now) => !isDone(now) && !state.setup && !hasTried() && !(isPlaying() && now.mover !== personHere());

/** Say why a click on a cell or a stone does nothing; "" if it does something. */
function whyNot(now, { cell = "", stone = 0, player = now.mover }) {
  const { mover, left } = now;
  const { player: owner = "", stone: held = 0 } = now.cells.get(cell) ?? {};
  if (state.setup) return "“Start” begins the game.";
  if (isDone(now)) return "The game is over.";
  if (hasTried()) return "“Another try” takes this one back.";
  if (!acts(now)) return `It is ${NAME[mover]}'s turn: wait for ${gameHere()[mover] || "the other side"}.`;
  if (held) return `${cell} holds ${NAME[owner]}'s ${held}: choose an empty cell.`;
  if (owner) return `${cell} is blocked: no stone goes there.`;
  if (player !== mover) return `That is ${NAME[player]}'s stone: ${NAME[mover]} is to move.`;
  return stone && !left[player].has(stone) ? `${NAME[player]} has no ${stone} any more.` : "";
}

/** Draw a player's name and hand; an empty hand takes no room. */
function drawSide(player, now) {
  const { edited } = state;
  const isMover = !isDone(now) && !state.setup && player === now.mover;
  const shown = edited ? range(15, (n) => n + 1) : [...handOf(now.game, player)].sort((a, b) => a - b);
  const stones = shown.map((stone) => {
    const id = `${player}-${stone}`;
    const isHeld = now.left[player].has(stone);
    const isChosen = state.stone === stone && (!edited || edited.hand === player);
    const name = `${NAME[player]} ${stone}${isHeld ? "" : ", not in hand"}`;
    const canChoose = edited ? !isOn(now.cells, player, stone) : isMover && isHeld && acts(now);
    return make("li", { class: isHeld ? player : "gone", "data-stone": id }, canChoose
      ? button({ id, "aria-label": name, "aria-pressed": String(isChosen) }, String(stone), () => choose({ stone }, player))
      : make("span", { id }, isHeld ? String(stone) : ""));
  });
  const isEmpty = isDone(now) || (!edited && !now.left[player].size);
  const box = $(`side-${player}`);
  const isOwn = state.mode === "play" && !isOfOthers(gameHere()) ? player === personHere() && !state.setup
    : isMover && acts(now) && (state.mode === "analyse" || state.trial !== null || Boolean(state.cell));
  box.classList.toggle("below", !state.flipped && Boolean(edited || (isOwn && !isEmpty)));
  const name = make("b", { class: isMover && "turn" }, ...sided(player, NAME[player]), isMover ? " to move" : "");
  show(box, make("div", { class: "label" }, name, span("faint", bdi(state.setup ? engine.chosen(player) : gameHere()[player]))),
    ...(isEmpty ? [] : [make("ul", { class: "hand", "aria-label": `${NAME[player]}'s hand` }, ...stones)]));
}

/** Draw the points of both by the position's value, Red's on the left, as a bar of the same scale as the moves' bars. */
function drawBar(now) {
  // It keeps its room, so that what is below does not jump.
  const value = valueOf(now.known);
  $("bar").classList.toggle("unseen", value === null || (state.trial !== null && !hasTried()));
  const sign = now.known.score === null ? "≈" : "";
  const [red, blue] = value === null ? ["–", "–"] : [value, -value].map((it) => sign + rounded(75 + it));
  const middle = lengthOf(value ?? 0);
  const part = (player, x, width) => make("rect", { class: player, x, width, height: 1 });
  $("bar").setAttribute("aria-label", `Best play: ${red} points for Red, ${blue} for Blue`);
  show($("bar"), make("b", {}, ...sided("red", red)), make("svg", { viewBox: "-1 0 2 1", preserveAspectRatio: "none" },
    part("red", -1, 1 + middle), part("blue", middle, 1 - middle), segment("zero", 0, 0, 0, 1)), make("b", {}, blue, dot("blue")));
}

/** Say how the hole counts, and what the last move did. */
function wordsOf(game, now) {
  const { last, over, cells, empty, known } = now;
  const words = [];
  const forfeit = isAtEnd() && game.points;
  if (over) words.push(`The hole is ${empty[0]}: ${summed(cells, empty[0])}, so `,
    span("number", `${known.score ? "75 : 75 becomes " : ""}${pointsOf(known)}.`), " ");
  else if (forfeit) words.push(`The game was not played to its end: a forfeit, ${forfeit.join(" : ")}. `);
  const lost = last && lossInWords(last);
  if (!last || isPlaying() || (over && !lost)) return words;
  if (last.isOwn) return [...words, make("b", {}, "Your move: "), ...sided(last.player, verdictOn(last) || last.move), "."];
  const [head, better] = [`Move ${last.ply} of ${game.line.length}: `, betterHere(now)];
  return [...words, make("b", {}, head), ...sided(last.player, last.move), make("b", {}, ` ${signOf(last.mark)}`.trimEnd()),
    lost ? ` lost ${lost}.` : ".", better && ` Better: ${better}${ghostOf(now).what === "better" ? ", dashed" : ""}.`,
    state.mode === "analyse" ? "" : estimateOf(last)];
}

function whatToChoose({ left, mover }) {
  const { cell, stone } = state;
  return stone !== null ? `a cell for ${stone}` : cell !== null ? `a stone for ${cell}`
    : left[mover].size > 1 ? "a cell and a stone" : "a cell";
}
function drawWords(game, now) {
  const { mode, setup, edited } = state;
  const what = whatToChoose(now);
  const isTurn = isPlaying() && acts(now);
  show($("now"), ...(setup ? ["Press Start, or choose another opponent."]
    : isTurn ? [now.last ? `${NAME[now.last.player]} played ${now.last.move}. ` : "", `Your turn: choose ${what}.`]
    : isPlaying() && state.question.is === "asking" ? [`${NAME[now.mover]} is thinking.`]
    : edited ? [] : wordsOf(game, now)));
  const isBeside = mode === "play" && !isOfOthers(game) && !isOver(game, game.line);
  const isMistake = now.last && lossInWords(now.last) && !$("try").hidden;
  $("answer").textContent = edited ? tellEdited() : isTurn || !acts(now) || state.trial !== null ? ""
    : isMistake ? `To try a better one, click ${ghostOf(now).what === "better" ? "the dashed stone or " : ""}“Try again”.`
    : `${isBeside ? "An earlier position. " : ""}To try a move of ${NAME[now.mover]}, choose ${what}.`;
}

function drawEnd(game) {
  const result = isOver(game, game.line) && knownOf(game, game.line);
  show($("end"), ...(result ? [make("h2", {}, winnerOf(result.score, game)), p("value", pointsOf(result)),
    p("", "The review shows which move decided it, and lets you try a better one."),
    button({ id: "to-review", class: "main" }, "Review this game", () => turnTo("review"))] : []));
}

/** Draw the task to find a better move, then the verdict on the tried move; the best move is shown only on request. */
function drawTrial(game, now) {
  const { trial, told } = state;
  $("verdict").hidden = trial === null;
  if (trial === null) return;
  const old = trial < game.line.length ? lastMove(game, game.line.slice(0, trial + 1)) : null;
  const { last } = now;
  const words = [];
  // A result stays in one line.
  const whole = (text) => text.replaceAll(" : ", "\u00a0:\u00a0");
  const leaves = hasTried() && valueOf(now.known) !== null && `${last.move} leaves ${pointsOf(now.known)}`;
  const verdict = told && leaves ? `This is ${bestOf(last.before, now.known)}: ${leaves}` : hasTried() && verdictOn(last);
  const isRight = /^(This|Right)/.test(verdict || "");
  if (hasTried()) {
    const judging = state.mode === "record" ? "This move is not among those judged" : "The engine is judging it";
    const isOther = old && old.move !== last.move && valueOf(old.known) !== null;
    const compared = [!told && leaves, isOther && `${old.move} in the game left ${pointsOf(old.known)}`];
    const next = isRight ? expected(now.analysis).slice(0, 3) : [];
    words.push(p("", make("b", {}, whole(`${verdict || judging}.`))),
      p("", whole(compared.filter(Boolean).join(", ").replace(/.$/, "$&."))),
      p("", ...(next.length ? [`After ${last.move}: `] : []),
        ...next.flatMap((move, n) => [span("whole", ...sided(n % 2 ? other(now.mover) : now.mover, move)), " "])));
  } else {
    const who = game[now.mover] === "you" ? "You" : NAME[now.mover];
    const lost = old && lossInWords(old);
    const task = lost ? `${who} played ${old.move} and lost ${lost}. What is better?` : "What is best?";
    words.push(p("", make("b", {}, `Move ${trial + 1}, ${NAME[now.mover]}. `), task), p("", `Choose ${whatToChoose(now)}.`));
  }
  const [best] = expected(find(game, game.line.slice(0, trial)));
  const next = nextMistake();
  const buttons = [
    hasTried() && button({ id: "trial-again" }, "Another try", () => update({ ply: trial, trial })),
    best && !isRight && button({ id: "trial-show" }, "Show the best", () => tryAt(trial, best)),
    isRight && next && next !== trial + 1
      && button({ id: "trial-next", class: "main" }, `${next <= trial ? "First" : "Next"} mistake`, toMistake),
    engine && isRight && !now.over && button({ id: "trial-play" }, "Play on from here", engine.playOn),
    button({ id: "trial-back" }, "Back", () => see({ ply: trial + Number(old !== null) }))];
  show($("verdict"), ...words, make("div", { class: "row" }, ...buttons.filter(Boolean)));
}

function drawBest(now) {
  const lines = state.setup ? [] : listOf(now.analysis);
  const total = now.left[now.mover].size * now.empty.length;
  $("best").hidden = !lines.length;
  if (!lines.length) return;
  $("best-title").textContent = lines.length < total ? `Best moves of ${NAME[now.mover]}, ${lines.length} of ${total}`
    : `All moves of ${NAME[now.mover]}, ${total}`;
  fill("lines", ["#No.", "Move", "|", "#Score"], lines.map(({ known, move }, n) => make("tr", {},
    td("number faint", String(n + 1)), td("", button({ id: `line-${n}` }, move, () => update(tryMoves(gameHere(), [move]))),
      move === gameHere().line[state.ply] && !state.steps ? span("faint", "played") : ""),
    barOf(known), td("number", make("b", {}, brief(known))))));
  const line = [lines[0].move, ...expected(lines[0].after)].slice(0, 10);
  show($("expected"), ...line.map((move, step) => button({ id: `expected-${step}` },
    span("", ...sided(step % 2 ? other(now.mover) : now.mover, move)), () => update(tryMoves(gameHere(), line, step + 1)))));
}

/** The points of both at the end of a game; null before it. */
const resultsOf = ({ points = null, final_score: score = null }) =>
  points ?? (score === null ? null : [75 + score, 75 - score]);

const tally = (items) => items.reduce((counts, it) => counts.set(it, (counts.get(it) ?? 0) + 1), new Map());
/** The players' names in some games, how many each won, and how many were drawn. */
function winsOf(games) {
  const names = [...new Set(games.flatMap(({ red, blue }) => [red, blue]))];
  const won = tally(games.map((game) => game[PLAYERS.find((_, n) => resultsOf(game)?.[n] > 75) ?? ""]));
  const drawn = tally(games.map((game) => resultsOf(game)?.[0])).get(75) ?? 0;
  return { names, won: names.map((name) => won.get(name) ?? 0), drawn };
}

const scoreOf = ([red, blue]) => span("", boldIf(red > 75, String(red)), " : ", boldIf(blue > 75, String(blue)));
function headOf(game) {
  const result = resultsOf(game);
  const [red, blue] = PLAYERS.map((player, n) => boldIf(result?.[n] > 75, ...sided(player, bdi(game[player] || NAME[player]))));
  return [red, " ", result ? scoreOf(result) : "–", " ", blue];
}

const FAULT = { time: "moved too late", silence: "no move in time", illegal: "an illegal move", garbage: "no readable move",
  crash: "crashed", "hang-up": "exited before its move", "no-quit": "ran on after Quit" };
/** Say which bot's fault ended a game, and how; "" without a fault. */
function faultOf(game, isWhole = false) {
  const [by, kind, ...detail] = game.fault?.split(": ") ?? [];
  const told = isWhole && detail.length ? ` (${detail.join(": ")})` : "";
  return by ? `${game[by] || NAME[by] || by}: ${FAULT[kind] ?? kind}${told}` : "";
}

/** Draw what belongs to a whole game: who won, how it went, the costliest moves. */
function drawGame(game, moves) {
  show($("title"), ...headOf(game));
  const result = resultsOf(game);
  const how = faultOf(game) ? `; ${faultOf(game, true)}` : game.points ? " by forfeit" : "";
  const facts = [state.source, games.length > 1 && `game ${game.number}`, game.title, counted(game.line.length, "move")].filter(Boolean);
  show($("about"), result ? winnerOf(result[0] - 75, game) : "Not finished", bdi(how), ". ",
    span("faint", ...facts.flatMap((text, n) => [n ? " · " : "", bdi(text)])));
  // The head has the first sentence already, unless the game was a forfeit. A named move is a link to it.
  const story = (game.story ?? []).slice(Number(game.final_score != null && !game.points));
  const links = (text) => text.replace(/-(?=\d)/g, "−").split(/(move \d+)/i).map((part, n) => (n % 2
    ? make("a", { href: `#game=${game.number}&ply=${part.slice(5)}` }, part) : part));
  const isJudged = Boolean(game.story);
  $("story-part").hidden ||= !isJudged && state.mode === "record";
  show($("story"), ...(isJudged ? story.map((text) => p("", ...links(text)))
    : game.line.length ? [p("", state.question.is === "asking" ? "The engine is judging this game." : "Not judged yet.")]
    : [p("", "There is no move to judge yet: play this game, or load one."), button({ id: "to-play", class: "main" },
      "Play this game", () => turnTo("play", yourSide(game) ? null : game.blocked))]));
  const costly = isJudged ? costliestOf(game, moves) : [];
  $("costs-part").hidden = !costly.length;
  const marked = moves.filter(({ lost, estimated }) => lost || estimated).length;
  $("costs-title").textContent = `Key moves${costly.length < marked ? `, ${costly.length} of ${marked}` : ""}`;
  fill("costs", ["No.", "Move", "#Lost", "Better"], costly.map(({ ply, player, move, lost, loss, best }) => make("tr", {},
    td("", make("a", { href: `#game=${game.number}&ply=${ply}`, "aria-label": `Move ${ply}` }, String(ply))),
    td("", ...sided(player, move), span("faint", ply === game.decided ? " the turn" : "")),
    td("number", make("b", {}, lost ? String(lost) : about(loss))),
    td("", ...(best ? [button({ id: `better-${ply}` }, best, () => tryAt(ply - 1, best))] : [])))));
  const text = $("title").textContent;
  const title = state.setup ? "New game" : state.mode === "analyse" ? `Analysis: ${text}` : text;
  if (engine || state.source) document.title = `${title} – ${state.source || "Black Hole"}`;
  $("record").value = game.record;
}

function drawTotals(game, moves) {
  $("totals").hidden ||= !game.story || moves.every(({ loss }) => loss === null);
  fill("totals-rows", ["By", "#proven", "#estimated", "#?!", "#?", "#??"], PLAYERS.map((player) => {
    const own = moves.filter((move) => move.player === player);
    const sum = (key) => rounded(own.reduce((all, move) => all + (move.mark && move[key] || 0), 0));
    const marks = ["?!", "?", "??"].map((sign) => own.filter(({ mark }) => mark.replace("~", "") === sign).length);
    const name = make("th", { scope: "row" }, ...sided(player, bdi(game[player] || NAME[player])));
    return make("tr", {}, name, td("number", make("b", {}, String(sum("lost")))),
      td("number", about(sum("estimated"))), ...marks.map((count) => td("number", String(count))));
  }));
}

function drawMoves(moves) {
  const rows = moves.map(({ ply, move, player, known, lost, estimated, mark }) => {
    const name = `Move ${ply}, ${NAME[player]} ${move}`;
    const link = button({ id: `ply-${ply}`, "aria-label": name }, move, () => see({ ply }));
    const isBare = valueOf(known) === null;
    return make("tr", { id: `row-${ply}`, hidden: state.trial !== null && ply > state.trial ? "" : null,
      class: lost || estimated ? "mistake" : null, "aria-current": ply === state.ply && !state.steps && "step" },
    td("number faint", String(ply)), td("move", dot(player), link), td("number", isBare ? "" : brief(known)),
    isBare ? td("bar") : barOf(known), td("number", lost ? String(lost) : about(estimated)),
    td("", boldIf(signOf(mark), mark.replace("~", ""))));
  });
  if (!moves.length) rows.push(make("tr", {}, td(), td("faint", "No move yet")));
  $("moves-part").classList.toggle("bare", state.mode === "play" || moves.every(({ loss }) => loss === null));
  $("turn-note").hidden = moves.every(({ mark }) => mark !== "turn");
  fill("moves", ["#No.", "Move", "#Score", "|", "#Lost", "Mark"], rows);
}

function drawList() {
  const rows = games.map((game, n) => {
    const { number, title, lost, red, blue, fault } = game;
    const what = fault ? [make("small", { title: fault }, bdi(faultOf(game)))] : [];
    const link = make("a", { href: `#game=${number}&ply=${focusOf(game)}` }, `${number} `, bdi(title));
    const result = resultsOf(game);
    const name = (n, text) => td("who", boldIf(result?.[n] > 75, bdi(text)));
    return make("tr", { id: `game-${number}`, "aria-current": n === state.game && "true" }, td("who", link),
      name(0, red), name(1, blue), td("number", result ? result.join(" : ") : "–", ...what), td("number", lost ?? ""));
  });
  fill("games", ["Game", "Red", "Blue", "#Points", "#Lost by both"], rows);
  $("list").hidden = games.length < 2;
  $("filter").hidden = games.length < 10;
  if (state.mode !== "record" || games.length < 2) return;
  const { names, won, drawn } = winsOf(games);
  $("kind").className = "";
  $("list-title").textContent = "Games, most points lost first";
  show($("kind"), `Black Hole, ${games.length} reviewed games`, ...(names.length !== 2 ? [] : [": ", bdi(names[0]),
    ` won ${won[0]}, `, bdi(names[1]), ` ${won[1]}, drawn ${drawn}`]));
}

/** List the costliest moves of each bot; a game that the page left out has no link. */
function drawCostliest(bots) {
  const itemOf = ({ game, ply, move, mark, lost, estimated_lost: about, best }) => {
    const where = `game ${game}, move ${ply}`;
    const isHere = games.some(({ number }) => number === game);
    return make("li", {}, isHere ? make("a", { href: `#game=${game}&ply=${ply}` }, where) : where,
      `: ${move} ${signOf(mark)} lost ${lossInWords({ lost, estimated: about })}; better: ${best}.`);
  };
  show($("costliest"), make("h2", {}, "Each bot’s costliest moves"), ...bots.flatMap(({ name, costliest }) =>
    [make("h3", {}, bdi(name)), make("ol", {}, ...costliest.map(itemOf))]));
  $("costliest").hidden = !bots.length;
}
