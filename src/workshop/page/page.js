// @ts-check
// Everything that comes from the data enters the page as a text node or an input's value.
/** Make an element; an attribute that is null or false is left out.
 * @returns {any} */
function make(tag, attributes, ...children) {
  const svg = ["svg", "g", "title", "polygon", "polyline", "circle", "rect", "line", "text", "path"].includes(tag);
  const element = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const line = (name, x1, y1, x2, y2) => make("line", { class: name, x1, y1, x2, y2 });
const label = (x, y, text, name) => make("text", { x, y, class: name }, text);
/** Text of others, which may not turn ours around. */
const bdi = (text) => make("bdi", {}, text);
const td = (name, ...children) => make("td", { class: name }, ...children);
function button(attributes, text, action) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", action);
  return element;
}

const head = (titles, numbers) => make("thead", {},
  make("tr", {}, ...titles.map((text, n) => make("th", { class: numbers.includes(n) && "number" }, text))));
const scrollable = (name, ...children) =>
  make("div", { id: name.replaceAll(" ", "-"), class: "scroll", tabindex: 0, role: "group", "aria-label": name }, ...children);

/** Join moves: each set of stones with the cells that have just these, `A4 B1=2,4,5`. */
function joined(moves) {
  const [stones, cells] = [new Map(), new Map()];
  const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);
  for (const [cell, stone] of moves.map((move) => move.split("="))) add(stones, cell, stone);
  for (const [cell, own] of stones) add(cells, own.sort((a, b) => a - b).join(","), cell);
  return [...cells].map(([own, names]) => make("div", {}, `${names.join(" ")}=${own}`));
}

function drawBoard(game, now) {
  const best = !state.turn && now.best ? now.best.split("=") : [];
  const cells = CELLS.map((cell) => {
    const [u, v] = place(cell);
    const [x, y] = state.flipped ? [(u - v) * 26, 315 - (u + v) * 45] : [(v - u) * 26, (u + v) * 45];
    const { player, stone } = now.cells.get(cell) ?? {};
    const hole = now.over && !player;
    const choosable = session?.editing ? !SIGN[player] : !player && !now.over;
    const chosen = choosable && state.cell === cell;
    const last = now.last?.move.startsWith(`${cell}=`);
    // The score that the chosen stone brings here.
    const worth = state.turn ? undefined : now.options.get(`${cell}=${state.stone}`);
    const ghost = chosen ? state.stone : best[0] === cell && worth === undefined ? best[1] : null;
    const what = hole ? "the hole" : player === "blocked" ? "blocked" : player ? `${NAME[player]} ${stone}` : "empty";
    const told = worth === undefined ? "" : `, score after ${state.stone}: ${seen(worth)}`;
    const text = `${cell}: ${what}${last ? ", last move" : ""}${told}`;
    const classes = { cell: true, [player]: player, free: !player && !ghost, hole, last, chosen };
    const group = make("g", { id: `cell-${cell}`, class: Object.keys(classes).filter((name) => classes[name]).join(" "),
      transform: `translate(${x} ${y})`, role: choosable && "button", tabindex: choosable && 0,
      "aria-label": choosable && text, "aria-pressed": choosable && String(chosen), "data-cell": choosable && cell });
    const hex = make("polygon", { class: "hex", points: "0,-30 26,-15 26,15 0,30 -26,15 -26,-15" });
    group.append(make("title", {}, text), hex);
    if (player === "blocked") group.append(make("path", { class: "cross", d: "M-13 -13 13 13M13 -13-13 13" }));
    if (hole) group.append(make("circle", { r: 21 }), label(0, 4, "hole", "number"));
    if (SIGN[player]) group.append(drawStone(player, stone));
    if (ghost) group.append(make("g", { class: "ghost" }, drawStone(now.mover, ghost)));
    if (told) group.append(label(0, 22, seen(worth), worth === now.known.score ? "worth best" : "worth"));
    if (!hole && player !== "blocked") group.append(label(0, player || ghost ? -16 : 5, cell, "name"));
    return group;
  });
  const board = $("board");
  board.replaceChildren(...cells);
  // Frames lie above the neighbours.
  board.append(...board.querySelectorAll(".last, .chosen"));
  const stones = [...now.cells].filter(([, { stone }]) => stone)
    .map(([cell, { player, stone }]) => `${cell} ${NAME[player]} ${stone}`);
  const blocked = [...now.cells.keys()].filter((cell) => now.cells.get(cell).player === "blocked");
  const text = [stones.join(", ") || "no stones", `blocked ${blocked.join(", ") || "none"}`,
    `${now.over ? "hole" : "empty"} ${now.empty.join(", ")}`];
  board.setAttribute("aria-label", `Board: ${text.join("; ")}`);
}

function drawStone(player, stone) {
  const shape = player === "red" ? make("circle", { class: "stone", cy: 5, r: 16 })
    : make("rect", { class: "stone", x: -15, y: -10, width: 30, height: 30, rx: 3 });
  return make("g", {}, shape, label(0, 11, String(stone), "number"));
}

function drawHand(place, player, game, now) {
  const left = [...now.left[player]];
  const own = !now.over && player === now.mover;
  const placed = [...now.cells.values()].filter((cell) => cell.player === player).map(({ stone }) => stone);
  const all = session?.editing ? range(15, (n) => n + 1) : [...game.hands[player]].sort((a, b) => a - b);
  const buttons = all.map((stone) => {
    const held = now.left[player].has(stone);
    const free = session?.editing ? !placed.includes(stone) : own && held;
    return button({ id: `${player}-${stone}`, class: held ? player : "played", disabled: free ? null : "",
      "aria-label": `${NAME[player]} ${stone}${held ? "" : ", played"}`,
      "aria-pressed": free && !session?.editing && String(state.stone === stone) }, String(stone), () => (session?.editing ? toggle(player, stone) : update({ stone })));
  });
  const moves = !now.over && now.mover === player ? " to move" : "";
  const text = `${NAME[player]}'s hand: ${left.join(", ") || "empty"}`;
  place.replaceChildren(make("b", {}, `${SHAPE[player]} ${NAME[player]}${moves}`),
    make("div", { class: "hand", role: "group", "aria-label": text }, ...buttons));
}

/** Say what the position is worth, what the last move did, and what is best. */
function describe(game, now) {
  const parts = [];
  const add = (tag, attributes, ...children) => parts.push(make(tag, attributes, ...children));
  const { score, bounds } = now.known;
  const forfeit = !now.next && !now.last?.own && game.points;
  if (now.over) {
    const winner = forfeit ? "A forfeit" : winnerOf(score);
    const [red, blue] = forfeit || [75 + score, 75 - score];
    add("p", { class: "value" }, `${winner}: final score ${seen(score)}`);
    add("p", {}, `Red ${red} points, Blue ${blue} points; the hole is ${now.empty[0]}.`);
  } else add("p", {}, `${NAME[now.mover]} to move, ${now.empty.length} empty cells.`);
  if (!now.over && !(session && isPlaying(game))) {
    const proven = bounds ? `; proven: ${span(bounds)}` : "";
    const how = score !== null ? " exact" : now.last?.own && !bounds ? " not judged" : ` not proven${proven}`;
    add("p", {}, make("span", { class: "value" }, `Score ${shown(now.known)}`), how);
  }
  if ((!session || forfeit) && !now.next && !now.last?.own && !now.over) {
    const end = forfeit ? `a forfeit, Red ${forfeit[0]} points, Blue ${forfeit[1]}` : "no final score";
    add("p", {}, `The game was not played to its end: ${end}.`);
  }
  if (forfeit && game.fault) add("p", {}, "Reason, by the match: ", bdi(game.fault));
  if (now.last) {
    const { own, player, move, lost, mark, best } = now.last;
    const unknown = session ? "" : ", what it lost is not judged";
    const loss = lost === null ? unknown : `, lost ${points(lost)}${mark && ` ${mark}`}`;
    const better = lost && best ? `; best was ${best}` : "";
    add("p", {}, `${own ? "Your move" : "Last move"}: ${NAME[player]} ${move}${loss}${state.turn && own ? "" : better}.`);
  }
  if (!state.turn) parts.push(...bestMoves(now));
  $("now").replaceChildren(...parts);
}

/** List the moves with known scores. */
function bestMoves({ options, best, known, mover }) {
  const groups = new Map();
  for (const [move, score] of options) groups.set(score, [...(groups.get(score) ?? []), move]);
  if (known.score === null || !groups.size) return best ? [make("p", {}, `Best known move: ${best}.`)] : [];
  const rows = [...groups].map(([score, moves]) => [cost(mover, known.score, score), score, moves])
    .sort(([a], [b]) => a - b).map(([lost, score, moves]) => make("tr", {}, td("number", seen(score)),
      td("number", String(lost)), td(null, ...(lost ? joined(moves) : [make("b", {}, ...joined(moves))]))));
  return [scrollable("Moves of known score", make("table", {}, head(["Score after", "Lost", "Moves (optimal first)"], [0, 1]),
    make("tbody", {}, ...rows))),
  make("p", { class: "legend" }, "“A1 B2=3,4” is stone 3 or 4 on A1 or on B2. Moves not listed are not judged.")];
}

/** Say how to try a move, and list the lines that were tried. */
function drawOwn(game, now) {
  const { cell, stone } = session?.editing ? {} : state;
  const theirs = (session && isPlaying(game)) && now.mover !== session.person;
  const yours = state.turn || (session && isPlaying(game));
  const whose = yours ? `Your turn as ${NAME[now.mover]}` : `To try a move of ${NAME[now.mover]}`;
  let wanted = stone === null ? "a cell on the board and a stone" : `a cell for ${stone}`;
  if (cell !== null) wanted = `a stone for ${cell}`;
  const back = button({ id: "return" }, "Back to the game", () => update({ ply: state.ply }));
  $("answer").replaceChildren(now.over || theirs ? "" : `${whose}: choose ${wanted}. `, ...(state.own ? [back] : []));
  const plies = [...new Set(game.tried.map(({ ply }) => ply))].sort((a, b) => a - b);
  $("tried").replaceChildren(...plies.map((ply) =>
    make("li", {}, `After ply ${ply}: `, ...branches(game, game.tried.filter((own) => own.ply === ply), 0))));
  $("tried").querySelectorAll("button").forEach((link, n) => (link.id = `own-${n}`));
  $("own").hidden = !game.tried.length;
}

/** Draw lines that begin alike, from a step on: a move once, and a list where they part. */
function branches(game, lines, step) {
  const next = new Map(lines.filter(({ moves }) => moves.length > step).map((own) => [own.moves[step], own]));
  const items = [...next].map(([move, own]) => {
    const made = own.moves.slice(0, step + 1);
    const { score } = knownOf(game, own.ply, made, null);
    const here = state.own?.ply === own.ply && String(ownMoves()) === String(made);
    const link = button({ "aria-pressed": String(here) }, `${move}${score === null ? "" : ` (${seen(score)})`}`,
      () => update({ ply: own.ply, own, steps: step + 1 }));
    return [link, " ", ...branches(game, lines.filter(({ moves }) => moves[step] === move), step + 1)];
  });
  return items.length < 2 ? items.flat() : [make("ul", {}, ...items.map((item) => make("li", {}, ...item)))];
}

/** Name a game and its players. */
function titleOf(game) {
  const title = games.length > 1 ? [`Game ${game.number}`, game.title && " ", bdi(game.title)] : [bdi(game.title || "Game")];
  const names = [": ", bdi(game.red || "?"), " (Red) – ", bdi(game.blue || "?"), " (Blue)"];
  return game.red || game.blue ? [...title, ...names] : title;
}

/** Say what the players of a game gave away. */
function totalsOf(game) {
  const totals = ["red", "blue"].map((player) => {
    const { judged, lost, marks } = game.summary[player];
    const counts = ["?!", "?", "??"].map((mark, n) => `${marks[n]}\u00a0${mark}`).join(", ");
    return `${NAME[player]} lost ${points(lost)} in ${judged} judged move${judged === 1 ? "" : "s"} (${counts})`;
  });
  const forfeit = game.points ? ` A forfeit: Red ${game.points[0]} points, Blue ${game.points[1]}.` : "";
  return `${totals.join("; ")}.${forfeit}${game.decided === null ? "" : ` Decided after ply ${game.decided}.`}`;
}

function drawMoves(game) {
  $("moves").replaceChildren(...movesOf(game).map(({ ply, move, player, known, lost, mark }) => {
    const text = `Ply ${ply}, ${NAME[player]} ${move}`;
    const link = button({ id: `ply-${ply}`, "aria-label": text }, move, () => update({ ply }));
    return make("tr", { hidden: state.turn && ply > state.ply }, td("number", String(ply)), td(null, SHAPE[player]), td("whole", link), td("number", shown(known)),
      td("number", String(lost ?? "")), td(null, make("b", {}, mark)));
  }));
  const row = $("moves").children[state.ply - 1];
  if (row) mark(row, true, "step");
}

/** Make what belongs to a whole game. */
function drawGame(game) {
  $("game-title").replaceChildren(...titleOf(game));
  $("totals").textContent = totalsOf(game);
  const styles = ["red", "blue"].map((player) => [player, game.summary[player].taken_for]).filter(([, style]) => style);
  $("styles").textContent = styles.map(([player, { kind, chance }]) => `${NAME[player]} perhaps ${kind} (chance ${chance.toFixed(2)}). `).join("");
  $("styles-legend").hidden = !styles.length;
  $("graph-title").textContent = `Score after each move, seen from ${NAME[side()]}`;
  $("record").value = game.record;
  $("base36").value = base36Of(game) ?? "";
  $("base36-row").hidden = !$("base36").value;
  $("copied").textContent = "";
  [...$("games").children].forEach((row, n) => mark(row, n === state.game, "true"));
}

/** Mark a row as the current one, in sight within its table, or not. */
function mark(row, current, kind) {
  row.removeAttribute("aria-current");
  if (!current) return;
  row.setAttribute("aria-current", kind);
  const table = row.closest(".scroll");
  table.scrollTop = row.offsetTop - table.clientHeight / 2;
}

/** Return the ply to show for the next (1) or the previous (-1) mistake; at one's turn the move is to come. */
function mistake(way) {
  const plies = games[state.game].mistakes.map((ply) => ply - Number(state.turn));
  return way > 0 ? plies.find((ply) => ply > state.ply) : plies.filter((ply) => ply < state.ply).pop();
}

/** What the parts of a whole game were drawn for. */
let drawn = "";
function render() {
  const game = games[state.game];
  const now = session?.editing ?? position(game, state.ply, ownMoves());
  const { id: focused } = document.activeElement ?? {};
  const byKeys = document.activeElement?.matches(":focus-visible");
  const key = JSON.stringify([state.game, state.flipped, game.record, game.red, game.blue, game.reviewed]);
  if (drawn !== key) drawGame(game);
  drawn = key;
  drawBoard(game, now);
  drawHand($("near"), side(), game, now);
  drawHand($("far"), other(side()), game, now);
  const where = `After ply ${state.ply}${state.own ? ` and ${state.steps} of your moves` : ` of ${game.moves.length}`}`;
  $("position-title").textContent = where;
  describe(game, now);
  drawOwn(game, now);
  drawGraph(game);
  drawMoves(game);
  for (const [id, way] of Object.entries({ "mistake-back": -1, "mistake-forward": 1 })) $(id).disabled = mistake(way) === undefined;
  $("turn").setAttribute("aria-pressed", String(state.turn));
  $("flip").setAttribute("aria-pressed", String(state.flipped));
  const status = `${where}${now.last ? `, ${NAME[now.last.player]} ${now.last.move}` : ""}: score ${shown(now.known)}`
    + (now.over ? ". The end." : `. ${NAME[now.mover]} to move.`);
  if ($("status").textContent !== status) $("status").textContent = status;
  if (session) drawSession(game, now);
  const isLost = () => document.activeElement === document.body || document.activeElement?.matches(":disabled");
  if (focused && isLost()) $(focused)?.focus({ preventScroll: true });
  // What is gone or no button any more leaves the focus to the board, where one goes by keys.
  if (focused && byKeys && isLost()) $("board").focus({ preventScroll: true });
}

/** Change the state, redraw, and write where we are into the address. */
function update(changes) {
  const game = games[changes.game ?? state.game];
  const chosen = { cell: state.cell, stone: state.stone, ...changes };
  if (chosen.cell && chosen.stone) {
    const move = `${chosen.cell}=${chosen.stone}`;
    update((session && play(game, move)) ?? tryMove(game, move));
    return;
  }
  const moved = "ply" in changes || "own" in changes;
  if (moved && session && !mayLeave()) return;
  Object.assign(state, moved ? { own: null, steps: 0, cell: null, stone: null } : {}, changes);
  state.ply = Math.max(0, Math.min(game.moves.length, state.ply));
  const address = session ? addressOf(game) : `#game=${game.number}&ply=${state.ply}`;
  optional(() => history.replaceState(null, "", address));
  render();
  if (session) updateQuestion();
}

/** Go back or forward: within a line of one's own, or along the game. */
function step(way) {
  const { own, ply } = state;
  const steps = state.steps + way;
  if (!own) update({ ply: ply + way });
  else if (steps === 0) update({ ply });
  else if (steps <= own.moves.length) update({ ply, own, steps });
}

/** Read a fragment of the address; without one the worst move of the costliest game. */
function follow(fragment) {
  const wanted = new URLSearchParams(fragment.slice(1));
  if (session && followAddress(wanted)) return;
  const game = Math.max(0, games.findIndex(({ number }) => String(number) === wanted.get("game")));
  const ply = wanted.has("ply") ? Number(wanted.get("ply")) : NaN;
  update({ game, ply: Number.isInteger(ply) ? ply : games[game].worst });
}

function drawList() {
  const rows = games.map((game) => {
    const link = make("a", { id: `game-${game.number}`, href: `#game=${game.number}&ply=${game.worst}` }, `${game.number} `, bdi(game.title));
    const score = game.points ? game.points.join(":") : "–";
    return make("tr", {}, td("who", link), td("who", bdi(game.red)), td("who", bdi(game.blue)),
      td("number", game.points || game.final_score === null ? score : plain(game.final_score)),
      td("number", game.summary.red.judged + game.summary.blue.judged ? String(game.lost) : "–"));
  });
  $("games").replaceChildren(...rows);
  drawn = "";
  $("list").hidden = games.length < 2;
}

function copy(id) {
  const field = $(id);
  const say = (text) => ($("copied").textContent = text);
  const byHand = () => {
    field.select();
    say(optional(() => document.execCommand("copy")) ? "Copied." : "Selected: copy it with Ctrl-C.");
  };
  const copied = optional(() => navigator.clipboard.writeText(field.value));
  if (copied) copied.then(() => say("Copied."), byHand);
  else byHand();
}

/** The ways over the board, of each the first that leads to a cell. */
const WAYS = { ArrowLeft: [[1, -1]], ArrowRight: [[-1, 1]], ArrowUp: [[-1, 0], [0, -1]], ArrowDown: [[1, 0], [0, 1]] };
/** Return the next cell that can be chosen on a way over the board. */
function beside(cell, [x, y]) {
  const [u, v] = place(cell).map((at, n) => at + [x, y][n] * (state.flipped ? -1 : 1));
  const next = CELLS.find((other) => String(place(other)) === `${u},${v}`);
  return next && ($(`cell-${next}`).dataset.cell ? $(`cell-${next}`) : beside(next, [x, y]));
}

/** Return the element around the place of an event that a selector finds.
 * @returns {any} */
const around = ({ target }, selector) => target.closest?.(selector);

function listen() {
  const choose = (cell) => (session?.editing ? toggle("blocked", cell) : update({ cell }));
  const to = (way) => () => mistake(way) !== undefined && update({ ply: mistake(way) });
  const actions = { first: () => update({ ply: 0 }), back: () => step(-1), forward: () => step(1),
    last: () => update({ ply: Infinity }), "mistake-back": to(-1), "mistake-forward": to(1),
    turn: () => update({ turn: !state.turn }), flip: () => update({ flipped: !state.flipped }) };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last",
    p: "mistake-back", n: "mistake-forward" };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => {
    const [cell, hand] = [around(event, "[data-cell]")?.dataset.cell, around(event, ".hand")];
    // A letter of the layout, in either case, or the place of its key where the layout has others.
    const pressed = event.key.length > 1 ? event.key : /[a-z]/i.test(event.key) ? event.key.toLowerCase() : event.code.replace("Key", "").toLowerCase();
    if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, select, textarea")) return;
    if (cell && (event.key === "Enter" || event.key === " ")) choose(cell);
    else if (cell && WAYS[event.key]) WAYS[event.key].map((way) => beside(cell, way)).find(Boolean)?.focus();
    else if (hand && /Arrow(Left|Right)/.test(event.key)) {
      const stones = [...hand.querySelectorAll("button:enabled")];
      stones[stones.indexOf(event.target) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
    } else if (keys[pressed]) actions[keys[pressed]]();
    else return;
    event.preventDefault();
  });
  $("board").addEventListener("click", (event) => {
    const cell = around(event, "[data-cell]")?.dataset.cell;
    if (cell) choose(cell);
  });
  $("graph").addEventListener("click", (event) => {
    const box = $("graph").getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * 400 - 30) / 360;
    update({ ply: Math.round(at * games[state.game].moves.length) });
  });
  for (const id of ["record", "base36"]) $(`copy-${id}`).addEventListener("click", () => copy(id));
  const go = (fragment) => {
    follow(fragment);
    $("play").scrollIntoView({ block: "nearest" });
  };
  addEventListener("hashchange", () => go(location.hash));
  // Not by the address: in a frame it may be the outer page's.
  document.addEventListener("click", (event) => {
    const link = around(event, 'a[href^="#game="]');
    if (!link) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
}

/** Follow the system's theme until one is chosen. */
function startTheme() {
  const system = optional(() => matchMedia("(prefers-color-scheme: dark)"));
  let chosen = null;
  const show = () => {
    const dark = chosen ?? system?.matches ?? false;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").textContent = dark ? "Light theme" : "Dark theme";
    return dark;
  };
  optional(() => system.addEventListener("change", show));
  $("theme").addEventListener("click", () => {
    chosen = !show();
    show();
  });
  show();
}

function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = false;
}

function start() {
  // A game that begins writes itself into the address.
  const { hash } = location;
  startTheme();
  try {
    const data = JSON.parse($("data").textContent);
    games = data.games.map(readGame);
    if (data.left_out) trouble(`Note: ${data.left_out}.`);
    if (data.bots.length) drawSummary(data.bots);
    if (data.board) startSession(data.board);
    if (!games.length) throw new Error("there is no game in it");
  } catch (error) {
    trouble(`Nothing to step through: ${error.message}.`);
    return;
  }
  $("review").hidden = false;
  listen();
  drawList();
  drawPaper();
  follow(hash);
}

