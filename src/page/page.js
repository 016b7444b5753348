// @ts-check
// How the page follows its state: drawing anew, and clicks, keys and addresses.
/** What the engine behind the page does, if there is one: see startSession.
 * @type {any} */
let engine = null;

/** Do what no browser must allow: the page works without it. */
function optional(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Go back before a mistake to find a better move: against the engine, if there is one. */
function again() {
  const [game, ply] = [gameHere(), state.ply - 1];
  const tried = { person: playerOf(game, ply), toFind: game.line[ply] };
  if (engine) engine.begin(textOf(game, game.line.slice(0, ply)), tried);
  else update({ ply, answersHidden: true });
}

/** Return the ply of the next (1) or the previous (-1) mistake; where answers are hidden, that before it. */
function mistake(way) {
  const plies = mistakesOf(movesOf(gameHere())).map(({ ply }) => ply - Number(state.answersHidden));
  return way > 0 ? plies.find((ply) => ply > state.ply) : plies.filter((ply) => ply < state.ply).pop();
}

function render() {
  const [game, now, { flipped, own, ply, steps }] = [gameHere(), positionHere(), state];
  const [moves, focused] = [movesOf(game), document.activeElement];
  const view = state.edited ? "edit" : state.mode;
  $("main").className = view;
  for (const part of all("[data-not]")) part.hidden = part.dataset.not.includes(view);
  const isOthers = state.mode === "play" && isOfOthers(game);
  const noMistakes = !mistakesOf(moves).length;
  for (const [id, is] of Object.entries({ "graph-part": !game.line.length, story: state.answersHidden, undo: isOthers,
    hint: isOthers || now.over, "mistake-back": noMistakes, "mistake-forward": noMistakes })) $(id).hidden ||= is;
  $("field").classList.toggle("flipped", flipped);
  drawGame(game);
  drawBoard(now);
  drawHand($("near"), side(), now);
  drawHand($("far"), other(side()), now);
  drawStanding(now);
  const where = `After move ${ply}${own ? ` and ${steps} of your moves` : ` of ${game.line.length}`}`;
  $("position-title").textContent = state.edited ? "The edited position" : where;
  describe(game, now);
  drawOwn(game, now);
  drawGraph(game, moves);
  $("totals").textContent = totalsOf(game, moves);
  drawMoves(moves);
  for (const id of ["answersHidden", "counts", "flipped"]) $(id).setAttribute("aria-pressed", String(state[id]));
  const status = `${where}${now.last ? `, ${NAME[now.last.player]} ${now.last.move}` : ""}: score ${shown(now.known)}`
    + (now.over ? ". The end." : `. ${NAME[now.mover]} to move.`);
  if ($("status").textContent !== status) $("status").textContent = status;
  engine?.draw();
  // What is played or gone leaves the focus to the board: there arrow keys work.
  const isLost = !focused?.isConnected || focused.matches(":disabled, .cell:not([tabindex])");
  if (isLost) $("board").focus({ preventScroll: true });
}

/** Change the state, redraw, and write where we are into the address, once one has moved. */
function update(changes, isFirst = false) {
  const { cell, stone } = { ...state, ...changes };
  if (cell && stone) {
    const move = `${cell}=${stone}`;
    update(engine?.play(move) ?? tryMoves(gameHere(), [move]));
    return;
  }
  const isMoved = "ply" in changes || "own" in changes;
  if (isMoved && engine?.mayLeave() === false) return;
  Object.assign(state, isMoved ? { own: null, steps: 0, cell: null, stone: null, line: 0 } : {}, changes);
  state.ply = Math.max(0, Math.min(gameHere().line.length, state.ply));
  if (isMoved) $("copied").textContent = "";
  if (!isFirst) optional(() => history.replaceState(null, "", `#game=${gameHere().number}&ply=${state.ply}`));
  engine?.ask();
  render();
}

/** Choose a cell on the board, or a stone of a hand. */
const choose = (chosen, player) => (state.edited ? engine.edit(chosen, player) : update(chosen));

/** Go back or forward: within a line of one's own, or along the game. */
function step(way) {
  const { own, ply } = state;
  const steps = state.steps + way;
  if (!own) update({ ply: ply + way });
  else if (steps === 0) update({ ply });
  else if (steps <= own.moves.length) update({ ply, own, steps });
}

/** Return where a fragment of an address leads; without a game to the turn of the first game. */
function placeOf(fragment) {
  const wanted = new URLSearchParams(fragment.slice(1));
  const game = Math.max(0, games.findIndex(({ number }) => String(number) === wanted.get("game")));
  const ply = wanted.has("ply") ? Number(wanted.get("ply")) : NaN;
  const within = Math.max(0, Math.min(games[game].line.length, ply));
  return { game, ply: Number.isInteger(ply) ? within : focusOf(games[game]) };
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

const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last",
  p: "mistake-back", n: "mistake-forward" };
/** Do what a key says. */
function press(event, actions) {
  const [cell, hand] = [around(event, "[data-cell]")?.dataset.cell, around(event, ".hand")];
  // A letter of the layout, in either case, or the place of its key where the layout has others.
  const letter = /[a-z]/i.test(event.key) ? event.key : event.code.replace("Key", "");
  const pressed = event.key.length > 1 ? event.key : letter.toLowerCase();
  if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, select, textarea, dialog")) return;
  if (cell && (event.key === "Enter" || event.key === " ")) choose({ cell });
  else if (cell && WAYS[event.key]) WAYS[event.key].map((way) => nextCell(cell, way)).find(Boolean)?.focus();
  else if (hand && /Arrow(Left|Right)/.test(event.key)) {
    const buttons = [...hand.querySelectorAll("button:enabled")];
    buttons[buttons.indexOf(event.target) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
  } else if (KEYS[pressed]) actions[KEYS[pressed]]();
  else return;
  event.preventDefault();
}

function listen() {
  const to = (way) => () => mistake(way) !== undefined && update({ ply: mistake(way) });
  const turn = (key) => () => update({ [key]: !state[key] });
  const actions = { first: () => update({ ply: 0 }), back: () => step(-1), forward: () => step(1),
    last: () => update({ ply: Infinity }), "mistake-back": to(-1), "mistake-forward": to(1), hint: () => engine.hint(),
    answersHidden: turn("answersHidden"), flipped: turn("flipped"), counts: turn("counts"),
    "copy-record": () => copy("record") };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => press(event, actions));
  $("board").addEventListener("click", (event) => {
    const cell = around(event, "[data-cell]")?.dataset.cell;
    if (cell) choose({ cell });
  });
  // The line under the pointer or the focus is drawn on the board.
  for (const name of ["pointerover", "focusin"]) {
    $("thoughts").addEventListener(name, (event) => {
      const line = all("#lines li").indexOf(around(event, "#lines li"));
      if (line < 0 || line === state.line) return;
      state.line = line;
      render();
    });
  }
  $("graph").addEventListener("click", (event) => {
    const box = $("graph").getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * 400 - 30) / 360;
    update({ ply: Math.round(at * gameHere().line.length) });
  });
  const go = (fragment) => {
    update(placeOf(fragment));
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

function start() {
  try {
    const data = JSON.parse($("data").textContent);
    const records = $("records").textContent.split("\n").filter((line) => line && !line.startsWith("#"));
    games = data.games.map((game, n) => readGame({ ...game, record: records[n] }));
    if (data.left_out) trouble(`Note: ${data.left_out}.`);
    drawCostliest(data.bots);
    if (!games.length) throw new Error("there is no game in it");
    Object.assign(state, placeOf(location.hash));
    if (data.board) startSession(data.board);
  } catch (error) {
    trouble(`Nothing to step through: ${error.message}.`);
    return;
  }
  // It stays for a page that is saved as it stands.
  $("plain").hidden = true;
  $("main").hidden = false;
  listen();
  update({}, true);
  // A tournament has its own list, and is printed itself.
  if ($("report")) return;
  drawPaper();
  // The board does not wait for a long list.
  if (games.length < 500) drawList();
  else requestAnimationFrame(() => setTimeout(drawList));
}
