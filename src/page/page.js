// @ts-check
// How the page follows its state: drawing anew, and clicks, keys and addresses.
/** Return the ply to show for the next (1) or the previous (-1) mistake; at one's turn the move is to come. */
function mistake(way, moves = movesOf(games[state.game])) {
  const plies = mistakesOf(moves).map(({ ply }) => ply - Number(state.turn));
  return way > 0 ? plies.find((ply) => ply > state.ply) : plies.filter((ply) => ply < state.ply).pop();
}

/** The game and side of the last drawing of a whole game's parts. */
let drawn = "";
function render() {
  const game = games[state.game];
  const now = positionHere();
  const { id: focused } = document.activeElement ?? {};
  const isByKeys = document.activeElement?.matches(":focus-visible");
  const isPlayed = Boolean(session && isPlaying(game));
  const { flipped, own, ply, steps } = state;
  const key = JSON.stringify([state.game, flipped, game.record, game.red, game.blue, game.reviewed]);
  if (drawn !== key) drawGame(game);
  drawn = key;
  $("field").classList.toggle("flipped", flipped);
  drawBoard(now);
  drawHand($("near"), side(), game, now);
  drawHand($("far"), other(side()), game, now);
  drawStanding(now, isPlayed);
  const where = `After move ${ply}${own ? ` and ${steps} of your moves` : ` of ${game.line.length}`}`;
  $("position-title").textContent = session?.editing ? "The edited position" : where;
  describe(game, now, isPlayed);
  drawOwn(game, now, isPlayed);
  const moves = movesOf(game);
  drawGraph(game, moves);
  drawMoves(game, moves);
  $("mistake-back").disabled = mistake(-1, moves) === undefined;
  $("mistake-forward").disabled = mistake(1, moves) === undefined;
  for (const id of ["turn", "counts", "flipped"]) $(id).setAttribute("aria-pressed", String(state[id]));
  const status = `${where}${now.last ? `, ${NAME[now.last.player]} ${now.last.move}` : ""}: score ${shown(now.known)}`
    + (now.over ? ". The end." : `. ${NAME[now.mover]} to move.`);
  if ($("status").textContent !== status) $("status").textContent = status;
  if (session) drawSession(game, now, moves);
  else $("story").hidden = state.turn;
  const isLost = () => document.activeElement === document.body || document.activeElement?.matches(":disabled");
  if (focused && isLost()) $(focused)?.focus({ preventScroll: true });
  // If the focused element is gone or disabled, the board gets the focus: there arrow keys work.
  if (focused && isByKeys && isLost()) $("board").focus({ preventScroll: true });
}

/** Change the state, redraw, and write where we are into the address: of a record once one has moved. */
function update(changes) {
  const game = games[changes.game ?? state.game];
  const chosen = { cell: state.cell, stone: state.stone, ...changes };
  if (chosen.cell && chosen.stone) {
    const move = `${chosen.cell}=${chosen.stone}`;
    update((session && play(game, move)) ?? tryMoves(game, [move]));
    return;
  }
  const isMoved = "ply" in changes || "own" in changes;
  if (isMoved && session && !mayLeave()) return;
  Object.assign(state, isMoved ? { own: null, steps: 0, cell: null, stone: null, line: 0 } : {}, changes);
  state.ply = Math.max(0, Math.min(game.line.length, state.ply));
  const address = session ? addressOf(game) : `#game=${game.number}&ply=${state.ply}`;
  if (session || drawn) optional(() => history.replaceState(null, "", address));
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

/** Go back before a mistake to find a better move: against the engine, if there is one. */
function again() {
  const [game, ply] = [games[state.game], state.ply - 1];
  const [record, you] = [textOf(game, game.line.slice(0, ply)), playerOf(game, ply)];
  if (session) begin(record, { you, toFind: game.line[ply] });
  else update({ ply, turn: true });
}

/** Name the best move of a record, or what finds it. */
function tellBest() {
  const { best } = positionHere();
  say(best ? `Best known move: ${best}.` : "A record has no engine to judge this position. With the record below "
    + "in a file, “blackhole board FILE” opens a page that has one.");
}

/** Read a fragment of the address; without one go to the turn of the costliest game. */
function openAddress(fragment) {
  const wanted = new URLSearchParams(fragment.slice(1));
  if (session && openGameOf(wanted)) return;
  const game = Math.max(0, games.findIndex(({ number }) => String(number) === wanted.get("game")));
  const ply = wanted.has("ply") ? Number(wanted.get("ply")) : NaN;
  update({ game, ply: Number.isInteger(ply) ? ply : games[game].focus });
}

async function copy(id) {
  $(id).select();
  const copied = optional(() => navigator.clipboard.writeText($(id).value).then(() => true)) ?? Promise.reject();
  const isCopied = await copied.catch(() => optional(() => document.execCommand("copy")));
  $("copied").textContent = isCopied ? "Copied." : "Selected: copy it with Ctrl-C.";
}

/** The ways over the board, of each the first that leads to a cell. */
const WAYS = { ArrowLeft: [[1, -1]], ArrowRight: [[-1, 1]], ArrowUp: [[-1, 0], [0, -1]],
  ArrowDown: [[1, 0], [0, 1]] };
/** Return the next cell that can be chosen on a way over the board. */
function nextCell(cell, way) {
  const [u, v] = place(cell).map((at, n) => at + way[n] * (state.flipped ? -1 : 1));
  const next = cellAt(u, v);
  return next && ($(`cell-${next}`).dataset.cell ? $(`cell-${next}`) : nextCell(next, way));
}

/** Return the element around the place of an event that a selector finds.
 * @returns {any} */
const around = ({ target }, selector) => target.closest?.(selector);

function listen() {
  const choose = (cell) => (session?.editing ? editCell(cell) : update({ cell }));
  const to = (way) => () => mistake(way) !== undefined && update({ ply: mistake(way) });
  const actions = { first: () => update({ ply: 0 }), back: () => step(-1), forward: () => step(1),
    last: () => update({ ply: Infinity }), "mistake-back": to(-1), "mistake-forward": to(1),
    turn: () => update({ turn: !state.turn }), flipped: () => update({ flipped: !state.flipped }),
    counts: () => update({ counts: !state.counts }), hint: () => (session ? askHint() : tellBest()),
    "copy-record": () => copy("record"), "copy-base36": () => copy("base36") };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last",
    p: "mistake-back", n: "mistake-forward" };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => {
    const [cell, group] = [around(event, "[data-cell]")?.dataset.cell, around(event, ".hand")];
    // A letter of the layout, in either case, or the place of its key where the layout has others.
    const letter = /[a-z]/i.test(event.key) ? event.key : event.code.replace("Key", "");
    const pressed = event.key.length > 1 ? event.key : letter.toLowerCase();
    if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, select, textarea, dialog")) return;
    if (cell && (event.key === "Enter" || event.key === " ")) choose(cell);
    else if (cell && WAYS[event.key]) WAYS[event.key].map((way) => nextCell(cell, way)).find(Boolean)?.focus();
    else if (group && /Arrow(Left|Right)/.test(event.key)) {
      const buttons = [...group.querySelectorAll("button:enabled")];
      buttons[buttons.indexOf(event.target) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
    } else if (keys[pressed]) actions[keys[pressed]]();
    else return;
    event.preventDefault();
  });
  $("board").addEventListener("click", (event) => {
    const cell = around(event, "[data-cell]")?.dataset.cell;
    if (cell) choose(cell);
  });
  for (const name of ["pointerover", "focusin"]) $("thoughts").addEventListener(name, chooseLine);
  $("graph").addEventListener("click", (event) => {
    const box = $("graph").getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * 400 - 30) / 360;
    update({ ply: Math.round(at * games[state.game].line.length) });
  });
  const go = (fragment) => {
    openAddress(fragment);
    $("table").scrollIntoView({ block: "nearest" });
  };
  addEventListener("hashchange", () => go(location.hash));
  $("filter").addEventListener("input", () => {
    const wanted = $("filter").value.toLowerCase();
    /** @type {(row: any) => string} */
    const told = ({ cells }) => [...cells].map(({ textContent }) => textContent).join(" ").toLowerCase();
    for (const row of $("games").querySelectorAll("tr")) row.hidden = !told(row).includes(wanted);
  });
  // Not by the address: in a frame it may be the outer page's.
  document.addEventListener("click", (event) => {
    const link = around(event, 'a[href^="#game="]');
    if (!link) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
}

/** Change between light and dark; until then the page follows the system. */
function changeTheme() {
  const { style } = document.documentElement;
  const system = optional(() => matchMedia("(prefers-color-scheme: dark)").matches) ? "dark" : "light";
  style.colorScheme = (style.colorScheme || system) === "dark" ? "light" : "dark";
}

function start() {
  // A game that begins writes itself into the address. Opened anew, a board goes on where it was.
  const hash = location.hash || (optional(() => sessionStorage.getItem(`${location.pathname}#`)) ?? "");
  $("theme").addEventListener("click", changeTheme);
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
  $("main").hidden = false;
  listen();
  const isLong = games.length >= 500;
  if (!isLong) drawList();
  drawPaper();
  openAddress(hash);
  const drawLate = () => {
    drawList();
    render();
  };
  // The board does not wait for a long list.
  if (isLong) requestAnimationFrame(() => setTimeout(drawLate));
}
