"use strict";
// Everything that comes from the data enters the page as a text node or an input's value.
const $ = (id) => document.getElementById(id);
const SIGN = { red: 1, blue: -1 };
const NAME = { red: "Red", blue: "Blue" };
const SHAPE = { red: "●", blue: "■" };
const other = (player) => (player === "red" ? "blue" : "red");

/** The cells by ordinal: A1..A8, B1..B7, …, H1; and the letters that stand for them in `options`. */
const CELLS = [..."ABCDEFGH"].flatMap((column, u) => [..."12345678".slice(u)].map((_, v) => column + (v + 1)));
const LETTERS = "GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuv";

/** Make an element; an attribute that is null or false is left out. */
function make(tag, attributes, ...children) {
  const svg = ["svg", "g", "title", "polygon", "polyline", "circle", "rect", "line", "text", "path"].includes(tag);
  const element = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
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

/** Read `VALUE:MOVES …` as a map from move to value. */
function readOptions(text) {
  const options = new Map();
  for (const group of (text ?? "").split(" ").filter(Boolean)) {
    const [value, moves] = group.split(":");
    for (const [, letters, stones] of moves.matchAll(/([G-Zg-v]+)([1-9a-f]+)/g)) {
      for (const letter of letters) {
        const cell = CELLS[LETTERS.indexOf(letter)];
        for (const stone of stones) options.set(`${cell}=${parseInt(stone, 16)}`, Number(value));
      }
    }
  }
  return options;
}

/** Undo what page.rs left out. */
function readGame(game, index) {
  const items = game.record.split(" ");
  const played = items.filter((item) => item.includes("="));
  const first = game.first ?? "red";
  const moves = played.map((move, n) => {
    const [best, value, lost, mark, estimate, bounds, options] = game.moves[n] ?? [];
    const player = n % 2 ? other(first) : first;
    return { move, player, best, value: value ?? null, lost: lost ?? null, mark: mark ?? "",
      estimate: estimate ?? null, bounds: bounds ?? null, options: readOptions(options) };
  });
  const all = Array.from({ length: 15 }, (_, n) => n + 1);
  const lost = (player) => game.summary?.[player]?.lost ?? 0;
  return { ...game, moves, first, number: index + 1, blocked: items.filter((item) => CELLS.includes(item)),
    hands: game.hands ?? { red: all, blue: all }, lost: lost("red") + lost("blue") };
}

let games = [];
const state = { game: 0, ply: 0, flipped: false, turn: false, cell: null, stone: null };

/** Return the position after so many plies of a game. */
function position(game, ply) {
  const cells = new Map(game.blocked.map((cell) => [cell, { player: "blocked" }]));
  const left = { red: new Set(game.hands.red), blue: new Set(game.hands.blue) };
  for (const { move, player } of game.moves.slice(0, ply)) {
    const [cell, stone] = move.split("=");
    cells.set(cell, { player, stone: Number(stone) });
    left[player].delete(Number(stone));
  }
  const empty = CELLS.filter((cell) => !cells.has(cell));
  const next = game.moves[ply] ?? null;
  const last = game.moves[ply - 1] ?? null;
  const mover = next?.player ?? (last ? other(last.player) : game.first);
  return { cells, left, empty, next, last, mover, over: empty.length === 1 };
}

// Numbers as the viewer's side sees them.
const side = () => (state.flipped ? "blue" : "red");
const plain = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));
const seen = (value) => plain(value * SIGN[side()] || 0);
const about = (value) => `≈ ${plain(Number((value * SIGN[side()]).toFixed(1)) || 0)}`;
const points = (count) => `${count} point${count === 1 ? "" : "s"}`;
const range = (bounds) => bounds.map((bound) => bound * SIGN[side()]).sort((a, b) => a - b).map(plain).join(" to ");
function shown(move) {
  if (move.value !== null) return seen(move.value);
  return move.estimate === null ? "–" : about(move.estimate);
}

/** Join moves: each set of stones with the cells that have just these, `A4 B1=2,4,5`. */
function joined(moves) {
  const [stones, cells] = [new Map(), new Map()];
  const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);
  for (const [cell, stone] of moves.map((move) => move.split("="))) add(stones, cell, stone);
  for (const [cell, own] of stones) add(cells, own.join(","), cell);
  return [...cells].map(([own, names]) => make("div", {}, `${names.join(" ")}=${own}`));
}

function drawBoard(game, now) {
  const best = !state.turn && now.next?.best ? now.next.best.split("=") : [];
  const cells = CELLS.map((cell) => {
    const [u, v] = [cell.charCodeAt(0) - 65, Number(cell[1]) - 1];
    const [x, y] = state.flipped ? [(u - v) * 26, 315 - (u + v) * 45] : [(v - u) * 26, (u + v) * 45];
    const { player, stone } = now.cells.get(cell) ?? {};
    const hole = now.over && !player;
    const choosable = state.turn && !player && !now.over;
    const chosen = choosable && state.cell === cell;
    const last = now.last?.move.startsWith(`${cell}=`);
    const ghost = chosen ? state.stone : best[0] === cell ? best[1] : null;
    const what = hole ? "the hole" : player === "blocked" ? "blocked" : player ? `${NAME[player]} ${stone}` : "empty";
    const text = `${cell}: ${what}${last ? ", last move" : ""}`;
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
    if (!hole && player !== "blocked") group.append(label(0, player || ghost ? -16 : 5, cell, "name"));
    return group;
  });
  const board = $("board");
  board.replaceChildren(...cells);
  // The last move's frame lies above its neighbours.
  board.append(...board.querySelectorAll(".last"));
  board.setAttribute("role", state.turn ? "group" : "img");
  const stones = [...now.cells].filter(([, { stone }]) => stone)
    .map(([cell, { player, stone }]) => `${cell} ${NAME[player]} ${stone}`);
  const text = [stones.join(", ") || "no stones", `blocked ${game.blocked.join(", ") || "none"}`,
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
  const own = state.turn && !now.over && player === now.mover;
  const buttons = [...game.hands[player]].sort((a, b) => a - b).map((stone) => {
    const held = now.left[player].has(stone);
    const free = own && held;
    return button({ id: `${player}-${stone}`, class: held ? player : "played", disabled: free ? null : "",
      "aria-label": `${NAME[player]} ${stone}${held ? "" : ", played"}`,
      "aria-pressed": free && String(state.stone === stone) }, String(stone), () => update({ stone }));
  });
  const moves = !now.over && now.mover === player ? " to move" : "";
  const text = `${NAME[player]}'s hand: ${left.join(", ") || "empty"}`;
  place.replaceChildren(make("b", {}, `${SHAPE[player]} ${NAME[player]}${moves}`),
    make("div", { class: "hand", role: "group", "aria-label": text }, ...buttons));
}

/** Say what the position is worth, what is best, and what the last move did. */
function describe(game, now) {
  const parts = [];
  const add = (tag, attributes, ...children) => parts.push(make(tag, attributes, ...children));
  const next = now.next;
  if (now.over && game.final_score !== null) {
    const score = game.final_score;
    const winner = score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw";
    add("p", { class: "value" }, `${winner}: final score ${seen(score)}`);
    add("p", {}, `Red ${75 + score} points, Blue ${75 - score} points; the hole is ${now.empty[0]}.`);
  } else if (!next) {
    const forfeit = game.points ? `a forfeit, Red ${game.points[0]} points, Blue ${game.points[1]}` : "no final score";
    add("p", {}, `The game was not played to its end: ${forfeit}.`);
  } else {
    add("p", {}, `${NAME[now.mover]} to move, ${now.empty.length} empty cells.`);
    const proven = next.bounds ? `; proven: ${range(next.bounds)}` : "";
    const how = next.value !== null ? " exact" : ` not proven${proven}`;
    add("p", {}, make("span", { class: "value" }, `Value ${shown(next)}`), how);
  }
  if (now.last) {
    const { player, move, lost, mark, best } = now.last;
    const cost = lost === null ? "what it lost is not known" : `lost ${points(lost)}${mark && ` ${mark}`}`;
    add("p", {}, `Last move: ${NAME[player]} ${move}, ${cost}${lost && best ? `; best was ${best}` : ""}.`);
  }
  if (next && !state.turn) parts.push(...bestMoves(next));
  $("now").replaceChildren(...parts);
  $("answer").replaceChildren(...(state.turn ? answer(now) : []));
}

function bestMoves(next) {
  const groups = new Map();
  for (const [move, value] of next.options) groups.set(value, [...(groups.get(value) ?? []), move]);
  if (next.value === null || !groups.size) return next.best ? [make("p", {}, `Best known move: ${next.best}.`)] : [];
  const cost = (value) => (next.value - value) * SIGN[next.player];
  const rows = [...groups].sort(([a], [b]) => cost(a) - cost(b)).map(([value, moves]) => {
    const list = cost(value) === 0 ? [make("b", {}, ...joined(moves))] : joined(moves);
    return make("tr", {}, td("number", seen(value)), td("number", String(cost(value))), td(null, ...list));
  });
  const head = ["Value", "Lost", "Moves (optimal first)"]
    .map((text, n) => make("th", { class: n < 2 && "number" }, text));
  return [make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Moves of known value" },
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)))];
}

/** In "your turn" ask for a move, then say what it costs. */
function answer(now) {
  const { cell, stone } = state;
  if (cell === null || stone === null) {
    let wanted = stone === null ? "a cell on the board and a stone" : `a cell for ${stone}`;
    if (cell !== null) wanted = `a stone for ${cell}`;
    return [make("p", { role: "status" }, `Your turn as ${NAME[now.mover]}: choose ${wanted}.`)];
  }
  const move = `${cell}=${stone}`;
  const value = now.next.options.get(move);
  const cost = value === undefined || now.next.value === null ? null : (now.next.value - value) * SIGN[now.mover];
  let text = `${move}: what it costs is not known.`;
  if (cost === 0) text = `${move} is optimal: the value stays ${seen(value)}.`;
  else if (cost !== null) text = `${move} loses ${points(cost)}: the value becomes ${seen(value)}.`;
  else if (value !== undefined) text = `${move} leads to ${seen(value)}; what it costs is not known.`;
  const show = button({ id: "show" }, "Show the best move", () => update({ turn: false }));
  return [make("p", { role: "status" }, make("b", {}, text)), show];
}

function drawGraph(game) {
  const count = game.moves.length;
  const values = game.moves.map((move) => ({ ...move, exact: move.value !== null, at: move.value ?? move.estimate }));
  values.push({ exact: game.final_score !== null, at: game.final_score, bounds: null });
  // What comes would tell what the played move cost.
  if (state.turn) values.forEach((value, n) => Object.assign(value, n > state.ply ? { at: null, bounds: null } : {}));
  const top = Math.max(4, ...values.map(({ at }) => Math.abs(at ?? 0))) + 1;
  const x = (n) => 30 + (n * 360) / Math.max(count, 1);
  const y = (value) => 105 - (Math.max(-top, Math.min(top, value * SIGN[side()])) * 95) / top;
  const parts = [line("axis", 30, 10, 30, 200), line("zero", 30, 105, 390, 105), label(25, 109, "0", "right"),
    label(25, 18, plain(Math.floor(top)), "right"), label(25, 202, plain(-Math.floor(top)), "right"),
    label(36, 18, `${NAME[side()]} wins`, "left"), label(36, 200, `${NAME[other(side())]} wins`, "left")];
  for (let n = 0; n <= count; n += 5) parts.push(label(x(n), 216, String(n)));
  parts.push(label(210, 229, "ply"), line("here", x(state.ply), 10, x(state.ply), 200));
  if (game.decided && !(state.turn && game.decided > state.ply)) {
    const at = x(game.decided - 1);
    const [gap, anchor] = at > 280 ? [-5, "right"] : [5, "left"];
    // Away from the values that follow.
    const height = y(values[count].at ?? values[game.decided - 1].at) > 105 ? 34 : 184;
    parts.push(line("decided", at, 10, at, 200), label(at + gap, height, `decided: ply ${game.decided}`, anchor));
  }
  values.forEach(({ at, bounds, exact }, n) => {
    if (bounds) parts.push(line("bounds", x(n), y(bounds[0]), x(n), y(bounds[1])));
    const next = values[n + 1];
    if (at !== null && next && next.at !== null) {
      parts.push(line(exact && next.exact ? "exact-line" : "estimate-line", x(n), y(at), x(n + 1), y(next.at)));
    }
  });
  values.forEach(({ at, exact }, n) => {
    if (at === null) return;
    parts.push(exact ? make("rect", { class: "exact", x: x(n) - 4, y: y(at) - 4, width: 8, height: 8 })
      : make("circle", { class: "estimate-dot", cx: x(n), cy: y(at), r: 4 }));
    const { mark, at: before } = values[n - 1] ?? {};
    if (mark) parts.push(label(x(n), Math.max(20, y(at) > y(before) ? Math.min(y(at) + 18, 198) : y(at) - 8), mark, "mark"));
  });
  const graph = $("graph");
  graph.replaceChildren(...parts);
  graph.setAttribute("aria-valuemax", count);
  graph.setAttribute("aria-valuenow", state.ply);
  const value = state.ply < count ? `value ${shown(game.moves[state.ply])}` : "the end";
  graph.setAttribute("aria-valuetext", `After ply ${state.ply} of ${count}: ${value}`);
}

/** Make what belongs to a whole game. */
function drawGame(game) {
  const rows = game.moves.map((move, n) => {
    const text = `Ply ${n + 1}, ${NAME[move.player]} ${move.move}`;
    const link = button({ "aria-label": text }, move.move, () => update({ ply: n + 1 }));
    return make("tr", {}, td("number", String(n + 1)), td("whole", `${SHAPE[move.player]} ${NAME[move.player]}`),
      td("whole", link), td("number", shown(move)), td("number", String(move.lost ?? "")),
      td(null, make("b", {}, move.mark)));
  });
  $("moves").replaceChildren(...rows);
  const names = game.red || game.blue
    ? [bdi(game.red || "?"), " (Red) – ", bdi(game.blue || "?"), " (Blue)"] : [];
  const title = games.length > 1 ? [`Game ${game.number} `, bdi(game.title)] : [bdi(game.title || "Game")];
  $("game-title").replaceChildren(...title, ...(names.length ? [": ", ...names] : []));
  const totals = ["red", "blue"].map((player) => {
    const { judged, lost, taken_for: kind } = game.summary?.[player] ?? { judged: 0, lost: 0 };
    const lostPoints = `${NAME[player]} lost ${points(lost)} in ${judged} judged move${judged === 1 ? "" : "s"}`;
    return kind ? `${lostPoints} (${kind})` : lostPoints;
  });
  $("totals").textContent = `${totals.join("; ")}.${game.decided ? ` Decided from ply ${game.decided} on.` : ""}`;
  $("graph-title").textContent = `Value over the game, seen from ${NAME[side()]}`;
  $("record").value = game.record;
  $("base36").value = game.base36 ?? "";
  $("base36-row").hidden = !game.base36;
  $("copied").textContent = "";
  [...$("games").children].forEach((row, n) => mark(row, n === state.game, "true"));
}

/** Mark a row as the current one, in sight within its table, or not. */
function mark(row, current, kind) {
  row.removeAttribute("aria-current");
  if (!current) return;
  row.setAttribute("aria-current", kind);
  const scroll = row.closest(".scroll");
  scroll.scrollTop = row.offsetTop - scroll.clientHeight / 2;
}

let drawn = "";
function render() {
  const game = games[state.game];
  const now = position(game, state.ply);
  const focused = document.activeElement?.id;
  if (drawn !== `${state.game} ${state.flipped}`) drawGame(game);
  drawn = `${state.game} ${state.flipped}`;
  drawBoard(game, now);
  drawHand($("near"), side(), game, now);
  drawHand($("far"), other(side()), game, now);
  $("position-title").textContent = `After ply ${state.ply} of ${game.moves.length}`;
  describe(game, now);
  drawGraph(game);
  [...$("moves").children].forEach((row, n) => {
    row.hidden = state.turn && n >= state.ply;
    mark(row, n + 1 === state.ply, "step");
  });
  $("turn").disabled = !now.next;
  $("turn").setAttribute("aria-pressed", String(state.turn));
  $("flip").setAttribute("aria-pressed", String(state.flipped));
  const status = `After ply ${state.ply}${now.last ? `, ${NAME[now.last.player]} ${now.last.move}` : ""}`
    + (now.next ? `. ${NAME[now.mover]} to move, value ${shown(now.next)}.` : ". The end.");
  if ($("status").textContent !== status) $("status").textContent = status;
  if (focused && document.activeElement?.id !== focused) $(focused)?.focus();
}

/** Change the state, redraw, and write where we are into the address. */
function update(changes) {
  const moved = "ply" in changes || "game" in changes;
  Object.assign(state, moved || changes.turn !== undefined ? { cell: null, stone: null } : {}, changes);
  const last = games[state.game].moves.length;
  state.ply = Math.max(0, Math.min(last, state.ply));
  if (state.ply === last) state.turn = false;
  history.replaceState(null, "", `#game=${games[state.game].number}&ply=${state.ply}`);
  render();
}

/** Read the address's fragment; without one the costliest game's start. */
function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const game = games.findIndex(({ number }) => String(number) === wanted.get("game"));
  const ply = Number(wanted.get("ply"));
  update({ game: Math.max(0, game), ply: Number.isInteger(ply) ? ply : 0 });
}

function drawList() {
  const rows = games.map((game) => {
    const link = make("a", { href: `#game=${game.number}&ply=0` }, `${game.number} `, bdi(game.title));
    const score = game.points ? game.points.join(":") : "–";
    return make("tr", {}, td("who", link), td("who", bdi(game.red)), td("who", bdi(game.blue)),
      td("number", game.final_score === null ? score : plain(game.final_score)), td("number", String(game.lost)));
  });
  $("games").replaceChildren(...rows);
  $("list").hidden = games.length < 2;
}

function copy(id) {
  const field = $(id);
  const done = () => ($("copied").textContent = "Copied.");
  const byHand = () => {
    field.select();
    if (document.execCommand("copy")) done();
    else $("copied").textContent = "Selected: copy it with Ctrl-C.";
  };
  if (navigator.clipboard) navigator.clipboard.writeText(field.value).then(done, byHand);
  else byHand();
}

function listen() {
  const step = { first: () => 0, back: () => state.ply - 1, forward: () => state.ply + 1, last: () => Infinity };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };
  for (const id of Object.keys(step)) $(id).addEventListener("click", () => update({ ply: step[id]() }));
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("[data-cell]")?.dataset.cell;
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "INPUT") return;
    if (cell && (event.key === "Enter" || event.key === " ")) update({ cell });
    else if (keys[event.key]) update({ ply: step[keys[event.key]]() });
    else return;
    event.preventDefault();
  });
  $("board").addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (cell) update({ cell });
  });
  $("graph").addEventListener("click", (event) => {
    const box = $("graph").getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * 400 - 30) / 360;
    update({ ply: Math.round(at * games[state.game].moves.length) });
  });
  $("turn").addEventListener("click", () => update({ turn: !state.turn }));
  $("flip").addEventListener("click", () => update({ flipped: !state.flipped }));
  for (const id of ["record", "base36"]) $(`copy-${id}`).addEventListener("click", () => copy(id));
  addEventListener("hashchange", () => {
    readAddress();
    $("play").scrollIntoView({ block: "nearest" });
  });
}

function startTheme() {
  let dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => ($("theme").textContent = dark ? "Light theme" : "Dark theme");
  $("theme").addEventListener("click", () => {
    dark = !dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    name();
  });
  name();
}

function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = false;
}

function start() {
  startTheme();
  try {
    const data = JSON.parse($("data").textContent);
    games = data.games.map((game, index) => game && readGame(game, index)).filter(Boolean);
    games.sort((a, b) => b.lost - a.lost);
    const left = data.games.length - games.length;
    if (left) trouble(`${left} games with fewer points lost are left out, to keep this page small.`);
    if (data.summary) drawSummary(data.summary);
    if (!games.length) throw new Error("there is no game in it");
  } catch (error) {
    trouble(`Nothing to step through: ${error.message}.`);
    return;
  }
  $("review").hidden = false;
  listen();
  drawList();
  readAddress();
}
