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

/** Tell whether a try is one in place of the last move. */
const isAgain = ({ last, over }) => Boolean(last && !last.isOwn && (over || last.mark));
/** Look for a move: at a mistake for a better one in its place, else for the best one here. */
function startTrial() {
  const ply = state.ply - Number(isAgain(positionHere()));
  update({ ply, trial: ply });
  $("verdict").scrollIntoView({ block: "nearest" });
}

/** Return the ply of the next mistake, after the last the first; one looks for better moves of one's own side. */
function nextMistake() {
  const [game, { trial }] = [gameHere(), state];
  const isOwn = ({ player }) => trial === null || isOfOthers(game) || player === playerOf(game, trial);
  const plies = mistakesOf(movesOf(game)).filter(isOwn).map(({ ply }) => ply);
  return plies.find((ply) => ply > (trial === null ? state.ply : trial + 1)) ?? plies[0];
}

/** Go to the next mistake; while moves are looked for, before it. */
function toMistake() {
  const [next, { ply, trial }] = [nextMistake(), state];
  if (!next) return;
  update(trial === null ? { ply: next } : { ply: next - 1, trial: next - 1 });
  if (next <= (trial === null ? ply : trial + 1)) say("That was the last mistake: here is the first again.");
}

/** Try a move at another ply. */
function tryAt(ply, move, trial = /** @type {number | null} */ (null)) {
  update({ ply, trial });
  update(tryMoves(gameHere(), [move]));
}

function render() {
  const [game, now, { ply, steps, trial }] = [gameHere(), positionHere(), state];
  const [moves, focused] = [movesOf(game), document.querySelector(":focus-visible")];
  const view = state.edited ? "edit" : state.mode === "play" && state.setup ? "first" : state.mode;
  const isReview = ["review", "record"].includes(view);
  $("main").className = state.flipped ? `${view} flipped` : view;
  $("head").classList.toggle("hidden", !isReview);
  for (const part of all("[data-not]")) part.hidden = part.dataset.not.includes(view);
  const isOthers = view === "play" && isOfOthers(game);
  // In a game that is played one is away from it where it has gone on.
  const isAway = steps > 0 || (view === "play" && !isOthers && !isPlaying());
  const hides = { undo: isOthers, hint: isOthers || now.over, steps: trial !== null, position: trial !== null,
    "story-part": trial !== null, mistake: isAway || !mistakesOf(moves).length, return: !isAway,
    try: isAway || !game.line.length || (view === "record" && !game.story),
    rules: view === "play" && isOver(game, game.line), "setup-close": !game.line.length && games.length < 2,
    "moves-part": !game.line.length };
  for (const [id, is] of Object.entries(hides)) $(id).hidden ||= is;
  // The list is what is said of a position that is analysed, and an extra where a game is read.
  const [home, next] = isReview ? [$("also"), $("copies")] : [$("position"), null];
  if ($("best").parentNode !== home) home.insertBefore($("best"), next);
  $("try").textContent = isAgain(now) ? "Try it again" : "Your turn";
  drawGame(game, moves);
  drawBoard(now);
  PLAYERS.forEach((player) => drawSide(player, now));
  drawBar(now);
  const where = !ply && !steps ? "Before the first move"
    : `After move ${ply}${steps ? ` and ${steps} of your moves` : ` of ${game.line.length}`}`;
  $("position-title").textContent = state.edited ? "The edited position" : where;
  const { known } = now;
  show($("value"), ...(numberOf(known) === null ? [inWords(now)] : [make("b", { class: "value" }, brief(known)),
    `${known.score === null ? margin(known.error) : " exact"}, ${pointsOf(known)}`]));
  drawWords(game, now);
  drawTrial(game, now);
  drawEnd(game);
  drawBest(now);
  drawMoves(moves);
  drawTotals(game, moves);
  for (const id of ["counts", "flipped"]) $(id).setAttribute("aria-pressed", String(state[id]));
  $("games")?.querySelector("[aria-current]")?.removeAttribute("aria-current");
  $(`game-${game.number}`)?.setAttribute("aria-current", "true");
  engine?.draw();
  // What is played or gone leaves the focus to the board: there arrow keys work.
  const isLost = focused && (!focused.isConnected || focused.matches(".cell:not([tabindex])"));
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
  if ("ply" in changes) {
    if (state.edited && !mayLeave()) return;
    // A move elsewhere ends the search for one.
    Object.assign(state, { own: [], steps: 0, cell: null, stone: null, trial: null });
    say("");
  }
  Object.assign(state, changes);
  state.ply = Math.max(0, Math.min(gameHere().line.length, state.ply));
  if (!isFirst) optional(() => history.replaceState(null, "", `#game=${gameHere().number}&ply=${state.ply}`));
  engine?.ask();
  render();
}

/** Choose a cell on the board, or a stone of a hand; say why that cannot be. */
function choose(chosen, player) {
  if (state.edited) return chooseEdited(chosen, player);
  const why = whyNot(positionHere(), { ...chosen, player });
  say(why);
  return why || update(chosen);
}

/** Go back or forward: within a line of one's own, or along the game. */
function step(way) {
  const { own, ply, steps } = state;
  if (!steps) update({ ply: ply + way });
  else if (steps + way <= own.length) update({ ply, own, steps: steps + way });
}

/** Return where a fragment of an address leads; without a game to the turn of the first game. */
function placeOf(fragment) {
  const wanted = new URLSearchParams(fragment.slice(1));
  const game = Math.max(0, games.findIndex(({ number }) => String(number) === wanted.get("game")));
  const ply = Number(wanted.get("ply") ?? NaN);
  return { game, ply: Number.isInteger(ply) ? ply : focusOf(games[game]) };
}

/** The ways over the board, of each the first that leads to a cell. */
const WAYS = { ArrowLeft: [[1, -1]], ArrowRight: [[-1, 1]], ArrowUp: [[-1, 0], [0, -1]],
  ArrowDown: [[1, 0], [0, 1]] };
/** Return the next cell that can be chosen on a way over the board. */
function nextCell(cell, way) {
  const [u, v] = place(cell).map((at, n) => at + way[n] * (state.flipped ? -1 : 1));
  const next = cellAt(u, v);
  return next && ($(`cell-${next}`).hasAttribute("tabindex") ? $(`cell-${next}`) : nextCell(next, way));
}

/** Return the element around the place of an event that a selector finds.
 * @returns {any} */
const around = ({ target }, selector) => target.closest?.(selector);

/** Do what a key says: the buttons name their keys. */
function press(event) {
  const [cell, hand] = [around(event, "[data-cell]")?.dataset.cell, around(event, ".hand")];
  // A letter of the layout, in either case, or the place of its key where the layout has others.
  const letter = /[a-z]/i.test(event.key) ? event.key : event.code.replace("Key", "");
  const pressed = event.key.length > 1 ? event.key : letter.toLowerCase();
  if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, textarea, dialog")) return;
  if (cell && (event.key === "Enter" || event.key === " ")) choose({ cell });
  else if (cell && WAYS[event.key]) WAYS[event.key].map((way) => nextCell(cell, way)).find(Boolean)?.focus();
  else if (hand && /Arrow(Left|Right)/.test(event.key)) {
    const buttons = [...hand.querySelectorAll("button")];
    buttons[buttons.indexOf(event.target) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
  } else {
    const named = all("[aria-keyshortcuts]").find((it) => it.getAttribute("aria-keyshortcuts") === pressed);
    if (!named) return;
    named.click();
  }
  event.preventDefault();
}

function listen() {
  const turn = (key) => () => update({ [key]: !state[key] });
  const actions = { first: () => update({ ply: 0 }), back: () => step(-1), forward: () => step(1),
    last: () => update({ ply: Infinity }), mistake: toMistake, try: startTrial, hint: () => engine.hint(),
    return: () => update({ ply: state.mode === "play" ? Infinity : state.ply }),
    counts: turn("counts"), flipped: turn("flipped"), record: () => $("record").select() };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", press);
  $("field").addEventListener("click", (event) => {
    const { cell, stone = "" } = around(event, "[data-cell], [data-stone]")?.dataset ?? {};
    const [player, number] = stone.split("-");
    if (cell) choose({ cell });
    else if (stone && !state.edited && !around(event, "button")) choose({ stone: Number(number) }, player);
  });
  const go = (fragment) => {
    update(placeOf(fragment));
    // What is read stays, as long as half the board is in view.
    const { top, bottom } = $("board").getBoundingClientRect();
    if ((top + bottom) / 2 < 0 || (top + bottom) / 2 > innerHeight) $("main").scrollIntoView();
  };
  addEventListener("hashchange", () => go(location.hash));
  $("filter").addEventListener("input", () => {
    const wanted = $("filter").value.toLowerCase();
    for (const row of all("#games tr")) row.hidden = !row.textContent.toLowerCase().includes(wanted);
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
  // Before what was kept turns the board.
  drawExample();
  try {
    const data = JSON.parse($("data").textContent);
    const records = $("records").textContent.split("\n").filter((line) => line && !line.startsWith("#"));
    games = data.games.map((game, n) => readGame({ ...game, record: records[n] }));
    if (data.left_out) trouble(`Note: ${data.left_out}.`);
    state.source = data.source ?? "";
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
  // A tournament has its own list.
  if ($("report")) return;
  // The board does not wait for a long list.
  if (games.length < 500) drawList();
  else requestAnimationFrame(() => setTimeout(drawList));
}
