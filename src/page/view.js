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
/** Isolate foreign text, which may be right-to-left. ASCII text needs no element: thousands take a second. */
const bdi = (text) => (/^[ -~]*$/.test(text) ? text : make("bdi", {}, text));
const td = (name, ...children) => make("td", { class: name }, ...children);
const button = (attributes, text, onclick) =>
  Object.assign(make("button", { type: "button", ...attributes }, text), { onclick });
const say = (text) => ($("said").textContent = text);
function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

/** Make these the children of an element. An old one with the same id, or of the same kind in its place, is changed
 * instead: so focus, scrolling and a press stay. */
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

/** Change a table's rows, and bring the row that is now the current one into its middle. */
function showRows(id, change) {
  const current = () => $(id).querySelector("[aria-current]");
  const before = current()?.id;
  change();
  /** @type {any} */
  const row = current();
  if (!row || row.id === before) return;
  const table = row.closest(".scroll");
  table.scrollTop = row.offsetTop - table.clientHeight / 2;
}

/** Join moves: each set of stones with the cells that have just these, `A4 B1=2,4,5`. */
function joined(moves) {
  const [stones, cells] = [new Map(), new Map()];
  const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);
  for (const [cell, stone] of moves.map((move) => move.split("="))) add(stones, cell, stone);
  for (const [cell, own] of stones) add(cells, own.sort((a, b) => a - b).join(","), cell);
  return [...cells].map(([own, names]) => make("div", {}, `${names.join(" ")}=${own}`));
}

function drawBoard(now) {
  const lines = state.answersHidden || now.over ? [] : linesOf(now);
  const moves = (lines[state.line] ?? lines[0])?.line.slice(0, 6) ?? [];
  const near = now.over ? besides(now.cells, now.empty[0]).map(({ cell }) => cell) : [];
  show($("board"), ...CELLS.map((cell) => drawCell(now, cell, moves, near.includes(cell))));
  const [stones, blocked] = [[], []];
  for (const [cell, { player, stone }] of now.cells) {
    (stone ? stones : blocked).push(stone ? `${cell} ${NAME[player]} ${stone}` : cell);
  }
  $("board").setAttribute("aria-label", `Board: ${stones.join(", ") || "no stones"}; blocked ${
    blocked.join(", ") || "none"}; ${now.over ? "hole" : "empty"} ${now.empty.join(", ")}`);
}

/** Draw a cell; of some moves that may come, that on it is a ghost. */
function drawCell(now, cell, moves, near) {
  const { player, stone } = now.cells.get(cell) ?? {};
  const hole = now.over && !player;
  const canChoose = state.edited || (!player && !now.over);
  const chosen = canChoose && state.cell === cell;
  const last = now.last?.move.startsWith(`${cell}=`);
  // What the cell counts, or the score that the chosen stone brings here.
  const after = !state.answersHidden && now.analysis.moves.get(`${cell}=${state.stone}`);
  const brought = after && numberOf(knownHere(after)) !== null ? knownHere(after) : null;
  const figure = player || now.over ? null : state.counts ? seen(countOf(now.cells, cell)) : brought && brief(brought);
  const step = moves.findIndex((move) => move.startsWith(cell));
  const ghost = step >= 0 && figure === null && !chosen;
  const what = hole ? "the hole" : player === "blocked" ? player : player ? `${NAME[player]} ${stone}` : "empty";
  const how = state.counts ? "counts" : `score after ${state.stone}:`;
  const text = [`${cell}: ${what}`, last && "last move", near && "beside the hole",
    figure !== null && `${how} ${figure}`].filter(Boolean).join(", ");
  const classes = { cell: true, [player]: player, free: !player && !ghost, hole, last, chosen, near };
  const [u, v] = place(cell);
  const [x, y] = state.flipped ? [(u - v) * 26, 315 - (u + v) * 45] : [(v - u) * 26, (u + v) * 45];
  const parts = [make("title", {}, text),
    make("polygon", { class: "hex", points: "0,-30 26,-15 26,15 0,30 -26,15 -26,-15" })];
  if (player === "blocked") parts.push(make("path", { class: "cross", d: "M-13 -13 13 13M13 -13-13 13" }));
  else if (hole) parts.push(make("circle", { r: 21 }), label(0, 6, seen(now.known.score), "number"));
  else parts.push(label(0, stone || ghost ? -16 : 5, ghost && step ? `${step + 1}. ${cell}` : cell, "name"));
  if (stone) parts.push(drawStone(player, stone));
  if (ghost) {
    const stone = drawStone(step % 2 ? other(now.mover) : now.mover, moves[step].slice(3));
    parts.push(make("g", { class: step ? "ghost later" : "ghost" }, stone));
  }
  const isBest = brought && numberOf(brought) === numberOf(now.known) && "best";
  if (figure !== null) parts.push(label(0, 22, figure, `figure ${isBest || ""}`));
  return make("g", { id: `cell-${cell}`, class: Object.keys(classes).filter((name) => classes[name]).join(" "),
    transform: `translate(${x} ${y})`, ...(canChoose && { role: "button", tabindex: 0, "aria-label": text,
      "aria-pressed": String(chosen), "data-cell": cell }) }, ...parts);
}

function drawStone(player, stone) {
  const shape = player === "red" ? make("circle", { class: "stone", cy: 5, r: 16 })
    : make("rect", { class: "stone", x: -15, y: -10, width: 30, height: 30, rx: 3 });
  return make("g", {}, shape, label(0, 11, String(stone), "number"));
}

/** Draw a player's name, clock and hand. */
function drawHand(box, player, now) {
  const [{ edited }, placed, isMover] = [state, stonesOn(now.cells, player), !now.over && player === now.mover];
  const all = edited ? range(15, (n) => n + 1) : [...handOf(gameHere(), player)].sort((a, b) => a - b);
  const buttons = all.map((stone) => {
    const isHeld = now.left[player].has(stone);
    const isFree = edited ? !placed.includes(stone) : isMover && isHeld;
    const isChosen = state.stone === stone && (edited?.hand ?? now.mover) === player;
    const name = `${NAME[player]} ${stone}${isHeld ? "" : placed.includes(stone) ? ", played" : ", not in hand"}`;
    return button({ id: `${player}-${stone}`, class: isHeld ? player : "played", disabled: isFree ? null : "",
      "aria-label": name, "aria-pressed": isFree && String(isChosen) }, String(stone), () => choose({ stone }, player));
  });
  box.classList.toggle("mover", isMover);
  const text = `${NAME[player]}'s hand: ${[...now.left[player]].join(", ") || "empty"}`;
  const name = make("b", {}, `${SHAPE[player]} ${NAME[player]}${isMover ? " to move" : ""}`);
  const clock = make("span", { id: `clock-${player}`, class: "clock", title: "Time to think, for the whole game" },
    engine?.clockOf(player) ?? "");
  show(box, make("div", { class: "label" }, name, bdi(gameHere()[player]), clock),
    make("div", { class: "hand", role: "group", "aria-label": text }, ...buttons));
}

/** Draw one number for the position, and a bar of the sides. */
function drawStanding(now) {
  // Its room stays: what is below does not jump.
  $("standing").classList.toggle("silent", now.over || isPlaying());
  const { score } = now.known;
  $("value").textContent = inWords(now);
  $("winner").textContent = score === null ? "" : `Best play: ${resultOf(score)}`;
  // Small scores have more room.
  const at = (score) => 75 * Math.sign(score) * Math.sqrt(Math.abs(score) / 75) * SIGN[side()];
  const value = numberOf(now.known);
  const part = (name, width) => make("rect", { class: name, x: -75, width, height: 10 });
  const parts = value === null ? [] : [part(other(side()), 150), part(side(), 75 + at(value))];
  show($("bar"), ...parts, segment("zero", 0, 0, 0, 10));
}

/** Judge one's move that was tried again; "" if there is none. */
function compared(game) {
  const [{ startPly }, from] = [game, triedFrom(game)];
  if (!from || game.line.length <= startPly || game[playerOf(game, startPly)] !== "you") return "";
  const own = lastMove(game, game.line.slice(0, startPly + 1));
  if (own.move === from.line[startPly]) return `You played ${own.move}, as in the game.`;
  return verdictOn(own) ? `Your ${own.move} ${verdictOn(own)}.` : `Not judged yet: press “Review” to judge ${own.move}.`;
}

/** Say how the game ended, what the last move did, and what the moves bring. */
function describe(game, now) {
  const [parts, isRecord, isPlayed] = [[], state.mode === "record", isPlaying()];
  const forfeit = isTheGame() && !state.edited ? game.points : null;
  if (now.over) {
    const { score } = now.known;
    const [red, blue] = forfeit ?? [75 + score, 75 - score];
    const near = besides(now.cells, now.empty[0]).map(({ count }) => seen(count));
    const sum = near.length > 1 ? `${near.join(" ")} = ${seen(score)}` : seen(score);
    parts.push(p("result", forfeit ? "A forfeit" : resultOf(score)),
      p("", `Red ${red} points, Blue ${blue} points; the hole is ${now.empty[0]}: ${sum}${score ? viewed() : ""}.`));
    if (isPlayed) parts.push(button({ id: "to-review" }, "Review this game", () => turnTo("review")));
  } else if (forfeit || (isRecord && isTheGame())) {
    const end = forfeit ? `a forfeit, Red ${forfeit[0]} points, Blue ${forfeit[1]}` : "no final score";
    parts.push(p("", `The game was not played to its end: ${end}.`));
  }
  const verdict = isPlayed && compared(game);
  if (verdict) parts.push(p("", verdict));
  if (now.last) {
    const { isOwn, player, move, lost, estimated, mark, best } = now.last;
    const unknown = mark ? `lost about ${estimated} points ${mark}` : isRecord ? "what it lost is not judged" : "";
    const loss = lost === null ? unknown : `lost ${points(lost)}${mark && ` ${mark}`}`;
    const better = mark && best ? `; ${lost === null ? "better, it seems," : "best"} was ${best}` : "";
    const told = isOwn && !state.answersHidden && verdictOn(now.last);
    const retry = mark && !isOwn && !isPlayed ? [button({ id: "again" }, "Try it again", again)] : [];
    const what = told ? ` ${told}` : [loss && `, ${loss}`, isOwn ? "" : better].join("");
    parts.push(p("", `${isOwn ? "Your move" : "Last move"}: ${NAME[player]} ${move}${what}. `, ...retry));
  }
  show($("now"), ...parts);
  const isSilent = state.answersHidden || now.over || isPlayed;
  show($("thoughts"), ...(isSilent ? [] : drawLines(now)));
}

/** List the best moves, each with its number and what is expected next; a click on a move tries it. */
function drawLines(now) {
  // So many moves have rows of their own; of those that follow equals share one.
  const [lines, others, most] = [linesOf(now), new Map(), 7];
  const items = lines.slice(0, most).map(({ known, line }, n) => make("li", { "aria-current": n === state.line && "true" },
    make("b", {}, shown(known)), ...line.slice(0, 10).map((move, step) => button({ id: `line-${n}-${step}` }, move,
      () => update(tryMoves(gameHere(), line, step + 1))))));
  const add = (number, move) => others.set(number, [...(others.get(number) ?? []), move]);
  lines.slice(most).forEach(({ known, move }) => add(shown(known), move));
  const rows = [...others].map(([number, moves]) => make("li", {}, make("b", {}, number), ...joined(moves)));
  const isAll = lines.length >= now.left[now.mover].size * now.empty.length;
  return items.length ? [make("h3", {}, `Best moves of ${NAME[now.mover]}, the score after each and what may follow`),
    make("ol", { id: "lines" }, ...items, ...rows), p("legend", isAll ? "" : "Other moves are no better, it seems.")] : [];
}

/** Say how to try a move, and list the lines that were tried. */
function drawOwn(game, now) {
  const [{ cell, stone }, isPlayed] = [state, isPlaying()];
  const isBeside = state.mode === "play" && !isPlayed && !isOfOthers(game);
  const isTurn = state.answersHidden || isPlayed;
  const trying = isBeside ? "Side line (the game is paused)" : "To try a move";
  const whose = isTurn ? `Your turn as ${NAME[now.mover]}` : trying;
  const what = stone !== null ? `a cell for ${stone}` : cell !== null ? `a stone for ${cell}` : "a cell and a stone";
  const back = button({ id: "return" }, "Back to the game", () => update({ ply: isBeside ? Infinity : state.ply }));
  const isTheirs = now.over || (isPlayed && now.mover !== state.person);
  const wanted = isTheirs ? "" : `${whose}: choose ${what}${isTurn ? "" : ` for ${NAME[now.mover]}`}. `;
  if (state.edited) show($("answer"), engine.tellEdited());
  else show($("answer"), wanted, ...(state.own || isBeside ? [back] : []));
  const lines = [...game.tried].sort((a, b) => a.ply - b.ply);
  show($("tried"), ...lines.map((own, n) => make("li", {}, `After move ${own.ply}: `, ...own.moves.map((move, step) => {
    const known = knownOf(game, [...game.line.slice(0, own.ply), ...own.moves.slice(0, step + 1)]);
    const isHere = state.own === own && state.steps === step + 1;
    return button({ id: `own-${n}-${step}`, "aria-pressed": String(isHere) },
      `${move}${numberOf(known) === null ? "" : ` (${brief(known)})`}`, () => update({ ply: own.ply, own, steps: step + 1 }));
  }))));
  $("own").hidden = !game.tried.length;
}

/** Name a game and its players. */
function titleOf({ number, title, red, blue }) {
  const name = games.length > 1 ? [`Game ${number}`, title && " ", bdi(title)] : [bdi(title || "Game")];
  return red || blue ? [...name, ": ", bdi(red || "?"), " (Red) – ", bdi(blue || "?"), " (Blue)"] : name;
}

/** Say which fault a game was lost by. */
const faultOf = ({ fault = null }) => (fault ? ["Lost by a fault: ", bdi(fault)] : []);

/** Say what the players of a game gave away.
 * @type {(game: Game, moves: ReturnType<typeof movesOf>) => string} */
function totalsOf({ points: forfeit, decided, reviewed }, moves) {
  if (state.mode !== "record" && !reviewed) return "";
  const sum = (all) => all.reduce((one, other) => one + other, 0);
  const totals = PLAYERS.map((player) => {
    const own = moves.filter((move) => move.player === player);
    const judged = own.filter(({ lost }) => lost !== null);
    const counts = ["?!", "?", "??"].map((sign) => `${judged.filter(({ mark }) => mark === sign).length}\u00a0${sign}`);
    const about = sum(own.map(({ estimated }) => estimated ?? 0));
    return judged.length && `${NAME[player]} gave away ${points(sum(judged.map(({ lost }) => lost)))} in ${
      counted(judged.length, "judged move")} (${counts.join(", ")})${
      about ? ` and about ${rounded(about)} in others` : ""}`;
  }).filter(Boolean);
  return [totals.length && `${totals.join("; ")}.`, decided != null && `Decided by move ${decided}.`,
    forfeit && `A forfeit: Red ${forfeit[0]} points, Blue ${forfeit[1]}.`].filter(Boolean).join(" ");
}

function drawMoves(moves) {
  const rows = moves.map(({ ply, move, player, known, lost, estimated, mark }) => {
    const link = button({ id: `ply-${ply}`, "aria-label": `Move ${ply}, ${NAME[player]} ${move}` }, move,
      () => update({ ply }));
    const about = estimated === null ? "" : `≈ ${estimated}`;
    return make("tr", { id: `row-${ply}`, hidden: state.answersHidden && ply > state.ply ? "" : null,
      "aria-current": ply === state.ply && "step" },
    td("number", String(ply)), td(null, SHAPE[player]), td("whole", link), td("number", shown(known)),
    td("number", String(lost ?? about)), td(null, make("b", {}, mark)));
  });
  showRows("moves", () => show($("moves"), ...rows));
}

/** Draw what belongs to a whole game. */
function drawGame(game) {
  show($("game-title"), ...titleOf(game));
  if (engine) document.title = `${$("game-title").textContent} – Black Hole`;
  show($("fault"), ...faultOf(game));
  // A move that the story names leads there.
  const links = (text) => text.split(/((?<=move )\d+)/).map((part, n) => (n % 2
    ? make("a", { href: `#game=${game.number}&ply=${part}` }, part) : part));
  show($("story"), ...(game.story ?? []).map((text) => make("li", {}, ...links(text))));
  $("graph-title").textContent = `Score after each move, seen from ${NAME[side()]}`;
  $("record").value = game.record;
  showRows("games", () => {
    $("games").querySelector("[aria-current]")?.removeAttribute("aria-current");
    $(`game-${game.number}`)?.setAttribute("aria-current", "true");
  });
}

function drawList() {
  const rows = games.map((game, n) => {
    const { number, title, points, final_score, summary, red, blue, fault } = game;
    const [by, kind] = fault?.split(": ") ?? [];
    const what = fault ? [make("small", { title: fault }, bdi(`${kind}: ${NAME[by] ?? by}`))] : [];
    const link = make("a", { href: `#game=${number}&ply=${focusOf(game)}` }, `${number} `, bdi(title));
    const score = points ? points.join(":") : final_score == null ? "–" : plain(final_score);
    const lost = summary?.red.judged || summary?.blue.judged ? String(summary.red.lost + summary.blue.lost) : "–";
    return make("tr", { id: `game-${number}`, "aria-current": n === state.game && "true" }, td("who", link),
      td("who", bdi(red)), td("who", bdi(blue)), td("number", score, ...what), td("number", lost));
  });
  showRows("games", () => show($("games"), ...rows));
  $("list").hidden = games.length < 2;
}
