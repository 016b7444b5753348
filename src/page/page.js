// @ts-check
// How the page follows its state: drawing anew, and clicks, keys and addresses.
/** The actions of the engine behind the page, null without one: see startSession.
 * @type {any} */
let engine = null;

/** Do something that a browser may forbid: the page works without it. */
function optional(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** The ply of the mistake that is shown or looked at again. */
const plyHere = () => (state.trial === null ? state.ply : state.trial + 1);
/** Return the ply of the next mistake, of the first after the last. In a game that you played, only your side's count. */
function nextMistake() {
  const you = yourSide(gameHere());
  const plies = movesOf(gameHere()).filter(({ mark, player }) => mark && player === (you ?? player)).map(({ ply }) => ply);
  return plies.find((ply) => ply > plyHere()) ?? plies[0];
}

/** Go to the next mistake; while you look for moves, to the position before it. */
function toMistake() {
  const next = nextMistake();
  if (!next) return;
  const isAgainFirst = next <= plyHere();
  update(state.trial === null ? { ply: next } : { ply: next - 1, trial: next - 1 });
  if (isAgainFirst) say(`First mistake: move ${next}.`);
}

/** Look for the move after `ply`, or try there the better one that the page shows. */
function tryAt(ply, move = "") {
  Object.assign(state, { ply, trial: ply, own: [], steps: 0 });
  update({ ...tryMoves(gameHere(), move ? [move] : []), told: Boolean(move) });
  $("verdict").scrollIntoView({ block: "nearest" });
}

function render() {
  const { ply, steps, trial } = state;
  const game = gameHere();
  const now = positionHere();
  const moves = movesOf(game);
  const focused = document.querySelector(":focus-visible");
  const view = state.edited ? "edit" : state.mode === "play" && state.setup ? "first" : state.mode;
  const isReview = ["review", "record"].includes(view);
  const views = trial === null ? [view] : [view, "trial"];
  $("main").className = [...views, state.flipped ? "flipped" : "", now.over ? "over" : ""].join(" ");
  $("head").classList.toggle("hidden", !isReview);
  for (const part of all("[data-not]")) part.hidden = views.some((it) => part.dataset.not.includes(it));
  // While a game is played, any earlier move counts as away.
  const isAway = steps > 0 || (view === "play" && !isOfOthers(game) && !isPlaying());
  const hides = { hint: !isPlaying() || now.over, mistake: isAway || !nextMistake(), return: !isAway,
    "play-on": now.over || (view === "play" && !isAway),
    undo: view === "play" && !steps && (!isPlaying() || now.over || pliesBeforeOwn(game) < 0),
    try: isAway || !ply || (view === "record" && !game.story) || (now.over && !now.last?.loss),
    "setup-open": isAway && !isDone(now), "setup-close": !game.line.length && games.length < 2 };
  for (const [id, is] of Object.entries(hides)) $(id).hidden ||= is;
  $("hint").classList.toggle("unseen", !acts(now));
  // They keep their room, so that the board stays where it is.
  for (const id of ["story-part", "best", "now"]) $(id).classList.toggle("unseen", trial !== null);
  // The best moves stand with the position that is analysed, the rules beside a game to be played; else below the board.
  const home = isReview ? $("also") : $("position");
  if ($("best").parentNode !== home) home.insertBefore($("best"), isReview ? $("copies") : null);
  const place = $(view === "first" || (view === "play" && !isOver(game, game.line)) ? "lead" : "rules-part");
  if ($("rules").parentNode !== place) place.append($("rules"));
  const hands = PLAYERS.map((player) => handOf(now.game, player));
  const most = Math.max(...hands.flat());
  $("most").textContent = hands.every(({ length }) => length === most) ? `, 1 to ${most}` : "";
  $("blocks").textContent = counted(now.game.blocked.length, "cell");
  drawGame(game, moves);
  drawBoard(now);
  PLAYERS.forEach((player) => drawSide(player, now));
  drawBar(now);
  const where = !ply && !steps ? "Before the first move"
    : `After move ${ply}${steps ? ` and ${steps} of your moves` : ` of ${game.line.length}`}`;
  $("position-title").textContent = state.edited ? "The edited position" : where;
  const { known } = now;
  const sure = known.score === null ? ` score${known.error ? ` ± ${rounded(known.error)}` : ""}` : " exact score";
  show($("value"), ...(valueOf(known) === null ? [] : [make("b", { class: "value" }, brief(known)), span("faint", sure),
    make("br", {})]), now.over ? winnerOf(known.score, game) : inWords(known));
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
  // A cell that is taken, or an element that is gone, leaves the focus to the board, so that arrow keys work.
  const isLost = focused && (!focused.isConnected || focused.matches(".cell:not([tabindex])"));
  if (isLost) $("board").focus({ preventScroll: true });
}

/** Change the state, redraw, and write the game and ply into the address, unless the page just opened. */
function update(changes, isFirst = false) {
  const { cell, stone } = { ...state, ...changes };
  if (cell && stone) {
    const move = `${cell}=${stone}`;
    return update(engine?.play(move) ?? tryMoves(gameHere(), [move]));
  }
  if ("ply" in changes) {
    if (state.edited && !mayLeave()) return;
    // Another position ends the search for a move.
    Object.assign(state, { own: [], steps: 0, cell: null, stone: null, trial: null, told: false });
    say("");
  }
  Object.assign(state, changes);
  state.ply = within(state.ply, [0, gameHere().line.length]);
  if (!state.steps) state.from = state.ply;
  if (!isFirst) optional(() => history.replaceState(null, "", `#game=${gameHere().number}&ply=${state.ply}`));
  engine?.ask();
  render();
}

/** Show a position and the whole board: nothing scrolls if it is in view. */
const see = (changes) => (update(changes), $("board").scrollIntoView({ block: "nearest" }));

/** Choose a cell, or a stone of a hand, the last one with its cell; the dashed stone's cell plays it. Say why it cannot be. */
function choose(chosen, player) {
  if (state.edited) return chooseEdited(chosen, player);
  const now = positionHere();
  const { move = "", what } = ghostOf(now);
  if (chosen.cell && state.stone === null && move.startsWith(`${chosen.cell}=`)) {
    return what === "better" ? tryAt(state.ply - 1, move) : update({ ...chosen, stone: Number(move.slice(3)) });
  }
  const why = whyNot(now, { ...chosen, player });
  // A hint stays until its position is left.
  say(why || (now.hint && state.hint.words) || "");
  const [stone, more] = now.left[now.mover];
  return why || update({ stone: more ? state.stone : stone, ...chosen });
}

/** Go back or forward: within your own moves, or along the game. */
function step(way) {
  const { own, ply, steps } = state;
  if (!steps) update({ ply: ply + way });
  else if (steps + way <= own.length) update({ ply, own, steps: steps + way });
}

/** Return the game and ply that an address's fragment names: else the first game, where it turned. */
function viewOf(fragment) {
  const wanted = new URLSearchParams(fragment.slice(1));
  const game = Math.max(0, games.findIndex(({ number }) => String(number) === wanted.get("game")));
  const ply = Number(wanted.get("ply") ?? NaN);
  return { game, ply: Number.isInteger(ply) ? ply : focusOf(games[game]) };
}

/** The steps over the board for each arrow key; the first that leads to a cell is taken. */
const STEPS = { ArrowLeft: [[1, -1]], ArrowRight: [[-1, 1]], ArrowUp: [[-1, 0], [0, -1]], ArrowDown: [[1, 0], [0, 1]] };
/** Return the next cell in a direction that can be chosen. */
function nextCell(cell, step) {
  const [u, v] = coordinates(cell).map((at, n) => at + step[n] * (state.flipped ? -1 : 1));
  const next = cellAt(u, v);
  return next && ($(`cell-${next}`).hasAttribute("tabindex") ? $(`cell-${next}`) : nextCell(next, step));
}

/** @type {(event: any, selector: string) => any} */
const around = ({ target }, selector) => target.closest?.(selector);

/** Press the button of a key: buttons name their keys. On the board and in a hand, choose and move the focus. */
function press(event) {
  const cell = around(event, "[data-cell]")?.dataset.cell;
  const hand = around(event, ".hand");
  // A Latin letter, in either case; in layouts without Latin letters, the letter of the key's place.
  const letter = /[a-z]/i.test(event.key) ? event.key : event.code.replace("Key", "");
  const pressed = event.key.length > 1 ? event.key : letter.toLowerCase();
  if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, textarea, dialog")) return;
  if (cell && (event.key === "Enter" || event.key === " ")) choose({ cell });
  else if (cell && STEPS[event.key]) STEPS[event.key].map((step) => nextCell(cell, step)).find(Boolean)?.focus();
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
    last: () => update({ ply: Infinity }), mistake: toMistake, hint: () => engine.hint(),
    try: () => tryAt(state.ply - 1),
    return: () => update({ ply: state.mode === "play" ? Infinity : state.from }),
    counts: turn("counts"), flipped: turn("flipped"), record: () => $("record").select() };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  $("steps").addEventListener("click", () => $("board").scrollIntoView({ block: "nearest" }));
  document.addEventListener("keydown", press);
  $("field").addEventListener("click", (event) => {
    const { cell, stone = "" } = around(event, "[data-cell], [data-stone]")?.dataset ?? {};
    const [player, number] = stone.split("-");
    if (cell) choose({ cell });
    else if (stone && !state.edited && !around(event, "button")) choose({ stone: Number(number) }, player);
  });
  const go = (fragment) => {
    const old = state.game;
    see({ ...viewOf(fragment), ...(state.mode === "play" && { ply: Infinity }) });
    // Another game is read from its head on.
    if (state.game !== old) scrollTo(0, 0);
  };
  addEventListener("hashchange", () => go(location.hash));
  $("filter").addEventListener("input", () => {
    const wanted = $("filter").value.toLowerCase();
    for (const row of all("#games tr")) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  // The browser does not follow such links: in a frame the address may be the outer page's.
  document.addEventListener("click", (event) => {
    const link = around(event, 'a[href^="#game="]') ?? around(event, "#games tr")?.querySelector("a");
    if (!link) return;
    event.preventDefault();
    const to = link.getAttribute("href");
    // The browser goes back to the game before; a tournament to its tables.
    if (viewOf(to).game !== state.game && !$("report")) optional(() => history.pushState(null, "", to));
    go(to);
  });
}

function start() {
  // Drawn first, as a kept view may turn the board.
  drawExample();
  try {
    const data = JSON.parse($("data").textContent);
    const records = $("records").textContent.split("\n").filter((line) => line && !line.startsWith("#"));
    games = data.games.map((game, n) => readGame({ ...game, record: records[n] }));
    if (data.left_out) trouble(`Note: ${data.left_out}.`);
    state.source = data.source ?? "";
    drawCostliest(data.bots);
    if (!games.length) throw new Error("there is no game in it");
    Object.assign(state, viewOf(location.hash));
    if (data.board) startSession(data.board);
  } catch (error) {
    trouble(`Nothing to step through: ${error.message}.`);
    return;
  }
  // Hidden, not removed: a page saved as it stands keeps its games.
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
