// @ts-check
// The engine behind the page: play against it, ask it about any position, have it judge a game.
const MODES = ["play", "analyse", "review"];
const partner = () => [$("partner").value, $("options-row").hidden ? "" : $("options").value.trim()].filter(Boolean).join(",");

/** Why an answer ended before all of it was there. */
const ENDS = {
  "taken over": "Another page has taken over the engine. “Go on” takes it back.",
  failed: "The engine failed at this position.",
  refused: "Another program answers at this address: that of this page has ended. “Save” keeps the game.",
  gone: "The program does not answer: it has ended, or the connection is broken. A program that is started again has "
    + "another address: “Save” keeps the game, “Load” reads it there.",
};
/** Whether the connection was broken when the engine was asked last. */
let isBroken = false;
/** Milliseconds from a broken connection to the next try. */
const RETRY = 3000;

/** Send a question and take the lines of its answer as they come; return "done", a key of ENDS or a sentence. */
async function send(question, take, signal) {
  let ended = "gone";
  const hear = (line) => {
    const answer = JSON.parse(line);
    if (answer.ended) ended = answer.why ?? answer.ended;
    // What fails here is no fault of the connection.
    queueMicrotask(() => signal?.aborted || take(answer));
  };
  try {
    const body = JSON.stringify(question);
    const { ok, status, headers, body: stream } = await fetch(`${location.pathname.replace(/\/$/, "")}/ask`, { method: "POST", body, signal });
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    if (!ok) return status !== 403 && headers.get("server") === "blackhole" ? (await reader.read()).value : "refused";
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach(hear);
    }
  } catch {
    // What had ended before has ended.
  }
  return ended;
}

/** Ask the engine, which leaves what it was asked before. */
async function ask(question, take) {
  stopAsking();
  const abort = (session.question.abort = new AbortController());
  const ended = await send(question, (answer) => {
    if (isBroken) say("");
    isBroken = false;
    if (answer.error) {
      say(answer.error);
      session.running = false;
      session.question.text = null;
    }
    take(answer);
  }, abort.signal);
  if (session.question.abort !== abort || abort.signal.aborted) return;
  session.question.abort = null;
  if (ended === "gone") {
    session.question.text = null;
    isBroken = true;
    setTimeout(updateQuestion, RETRY);
    say(`${ENDS.gone} This page tries again by itself.`);
  } else if (ended !== "done") {
    session.running = false;
    say(ENDS[ended] ?? ended);
  }
  draw();
}

const stopAsking = () => (session.question.abort = session.question.abort?.abort() ?? null);

/** Draw what has come, ten times a second, but not under a pressed finger or button: its click would be lost. */
function draw() {
  if (isDrawing || isPressed) return;
  isDrawing = true;
  setTimeout(() => {
    isDrawing = false;
    if (isPressed) return;
    const tables = () => [...document.querySelectorAll(".scroll")];
    const places = new Map(tables().map(({ id, scrollTop }) => [id, scrollTop]));
    render();
    for (const table of tables()) table.scrollTop = places.get(table.id);
  }, 100);
}

/** The mode and the position that the last words belong to. */
let lookedAt = "";
/** Ask what the position that is looked at asks for; leave what no longer does. */
function updateQuestion() {
  const [game, own] = [games[state.game], ownMoves()];
  const [text, now] = [textOf(game, state.ply, own), position(game, state.ply, own)];
  const told = analyses.get(text);
  if (session.game !== game) seat(game);
  const review = session.mode === "review" && !game.reviewed && game.moves.length > 0;
  const turn = !own.length && state.ply === game.moves.length && now.mover !== session.person;
  let wanted = null;
  const here = `${session.mode} ${text}`;
  if (here !== lookedAt) say("");
  lookedAt = here;
  if (session.mode === "play" && !now.over) wanted = turn ? "move" : session.hinting === text ? "hint" : null;
  else if (review) wanted = "review";
  else if (session.mode !== "play" && !now.over && !told?.complete && !told?.rested) wanted = "analyse";
  if (!session.running || session.editing) wanted = null;
  const asked = wanted && `${wanted} ${wanted === "review" ? game.record : text}`;
  if (asked === session.question.text) return;
  Object.assign(session.question, { text: asked, began: performance.now() });
  if (!asked) stopAsking();
  if (wanted === "move") askMove(game, text);
  if (wanted === "hint") ask({ ask: "hint", text }, ({ hint, ended }) => takeHint(text, hint, ended));
  if (wanted === "review") ask({ ask: "review", text: game.record }, (answer) => takeReview(game, answer));
  const { turns } = told ?? {};
  if (wanted === "analyse") ask({ ask: "analyse", text, turns }, (answer) => takeAnalysis(text, choices(game, state.ply, own), answer));
  drawRun();
}

/** Sit down at a game: on one's side, before its partner. */
function seat(game) {
  const player = /** @type {Player[]} */ (["red", "blue"]).find((it) => game[it] === "you");
  Object.assign(session, { game, person: player ?? session.person });
  $("person").value = session.person;
  const [name, ...options] = player ? game[other(player)].split(",") : [];
  if ([...$("partner").options].some(({ value }) => value === name)) [$("partner").value, $("options").value] = [name, options.join(",")];
  if (session.mode === "play" && session.person !== side()) update({ flipped: !state.flipped });
}

function askMove(game, text) {
  if (!isBroken) say(`${NAME[other(session.person)]} is thinking.`);
  const left = Math.max(0, (session.time ?? 5) - spent(game, other(session.person)));
  ask({ ask: "move", text, player: partner(), left }, ({ move: chosen }) => {
    if (!chosen) return;
    append(game, chosen.move, chosen.seconds);
    update({ ply: game.moves.length });
    say(`${NAME[other(session.person)]} plays ${chosen.move}: ${chosen.why}.`);
  });
}

function takeHint(text, hint, ended) {
  if (ended) session.question.text = session.hinting = null;
  if (!hint) return;
  session.hints.set(text, hint.move);
  render();
  say(`${hint.move}: ${hint.why}`);
}

function takeAnalysis(text, held, answer) {
  if (learn(text, held, answer).rested) say("The longest search has ended: “Go on” repeats it.");
  draw();
}

function takeReview(game, { judged, review }) {
  if (!judged && !review) return;
  if (judged) game.raw.moves[judged.ply - 1] = judged.known;
  else Object.assign(game.raw, review, { number: game.number, title: game.title, red: game.red, blue: game.blue });
  Object.assign(game, readGame(game.raw), { tried: game.tried, reviewed: Boolean(review) });
  say(review ? "The game is judged." : `Judged from the end to ply ${judged.ply}.`);
  draw();
  if (!review) return;
  drawList();
  session.question.text = null;
  updateQuestion();
}

/** Begin a game where another begins or has come to; a game that is left in its middle can be gone back to. */
async function begin(record, { fresh = false, you = $("person").value } = {}) {
  closeDialogs();
  if (!mayLeave()) return;
  const [red, blue] = you === "red" ? ["you", partner()] : [partner(), "you"];
  const left = games[state.game];
  const before = left.moves.length && left.final_score === null ? left.number : null;
  Object.assign(session, { running: true, mode: "play" });
  state.turn = false;
  const began = await load([{ text: headed({ red, blue, number: 1, record }) }], { fresh, before, you });
  if (began && before && !session.question.abort) say(`A new game. “Undo” goes back to game ${before}.`);
}

/** Go back to before one's last move; what is taken back stays as a line to look at. */
function undo(game) {
  if (session.editing) return undoEdit();
  const own = game.moves.map(({ player }) => player).lastIndexOf(session.person);
  const before = games.findIndex(({ number }) => number === game.before);
  if (own < 0 && before >= 0) return update({ game: before, ply: Infinity });
  if (own < 0) return say("There is no move of yours to take back.");
  const moves = game.moves.map(({ move }) => move);
  // Lines that went out from what is taken back go out from where it began.
  for (const line of game.tried.filter(({ ply }) => ply > own)) {
    Object.assign(line, { ply: own, moves: [...moves.slice(own, line.ply), ...line.moves] });
  }
  game.tried.push({ ply: own, moves: moves.slice(own) });
  rewrite(game, moves.slice(0, own));
  update({ ply: own });
  return say("Taken back.");
}

/** Begin or end editing: what is edited is a game of its own then. */
async function edit(game) {
  const { editing } = session;
  if (!editing) {
    const none = { over: false, last: null, options: new Map(), best: null, known: standing({}) };
    session.editing = { now: { ...positionHere(), ...none }, hand: null, past: [] };
    return update({ cell: null, stone: null });
  }
  const { cells, left, mover } = editing.now;
  const missing = missingOf(editing.now);
  if (missing) return say(`This is no position yet: ${missing}.`);
  const placed = placedOf(cells);
  const first = placed.red.length === placed.blue.length ? mover : other(mover);
  const [red, blue] = ["red", "blue"].map((player) => [...left[player], ...placed[player].map((move) => move.slice(3))]);
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const moves = range(placed.red.length + placed.blue.length, (n) => placed[n % 2 ? other(first) : first][n >> 1]);
  const toMove = red.length === blue.length ? [`to-move:${first}`] : [];
  const record = [...blocked, `red:${red.join(",")}`, `blue:${blue.join(",")}`, ...toMove, ...moves].join(" ");
  session.editing = null;
  if (await load([{ text: headed({ red: game.red, blue: game.blue, number: game.number, record }) }])) return null;
  session.editing = editing;
  return update({});
}

/** Leave what is edited, unless that would lose it. */
function mayLeave() {
  if (session.editing?.past.length) say("You are editing: “End editing” keeps it, “Discard” drops it.");
  else session.editing = null;
  return !session.editing;
}

/** Choose a stone of a hand; a chosen one leaves the hand, and one that is not there comes back. */
function pick(player, stone) {
  const { editing } = session;
  const isChosen = editing.hand === player && state.stone === stone;
  const isHeld = editing.now.left[player].has(stone);
  editing.hand = player;
  if (isHeld && !isChosen) return update({ stone });
  return changeEdited(({ left }) => (isHeld ? left[player].delete(stone) : left[player].add(stone)));
}

/** Put the chosen stone on a cell; without one take the cell's stone off, block it or free it. */
function editCell(cell) {
  changeEdited(({ cells, left }) => {
    const { player, stone } = cells.get(cell) ?? {};
    if (stone) left[player].add(stone);
    cells.delete(cell);
    if (state.stone) {
      cells.set(cell, { player: session.editing.hand, stone: state.stone });
      left[session.editing.hand].delete(state.stone);
    } else if (!player) cells.set(cell, { player: "blocked" });
  });
}

/** Change what is edited, so that it can be undone. */
function changeEdited(change) {
  const { now: { cells, left, mover }, past } = session.editing;
  past.push(structuredClone({ cells, left, mover }));
  change(session.editing.now);
  drawEdited();
}
function undoEdit() {
  Object.assign(session.editing.now, session.editing.past.pop());
  drawEdited();
}

/** Draw what was edited, and who is to move then: who has fewer stones on the cells, else who has more in hand. */
function drawEdited() {
  const { now } = session.editing;
  const [placed, held] = [placedOf(now.cells), now.left.red.size - now.left.blue.size];
  const more = placed.blue.length - placed.red.length || held;
  if (more) now.mover = more > 0 ? "red" : "blue";
  now.empty = CELLS.filter((cell) => !now.cells.has(cell));
  say("");
  update({ cell: null, stone: null });
}

function tellEdited() {
  const { left, empty } = session.editing.now;
  $("answer").textContent = `${empty.length} empty cells, ${left.red.size} red and ${left.blue.size} blue stones in hand: ${
    missingOf(session.editing.now) || "ready"}. ${state.stone ? "Choose its cell, or the stone again to take it out of the hand."
    : "Choose a stone for a cell; a cell alone to take its stone off, to block it or to free it."}`;
}

function restart(change) {
  say("");
  stopAsking();
  // What was wrong with a text is past.
  $("trouble").hidden = true;
  session.question.text = null;
  Object.assign(session, change);
  update(change.mode ? { turn: false } : {});
}

function drawSession(game, now) {
  const { mode, editing } = session;
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-selected", String(mode === name));
  $("panel").setAttribute("aria-labelledby", `mode-${mode}`);
  $("main").className = mode;
  const isPlay = mode === "play";
  const isJudged = !isPlay && game.mistakes.length > 0;
  const hidden = { "graph-part": isPlay || !game.moves.length, totals: !game.reviewed, turn: isPlay, "mistake-back": !isJudged,
    "mistake-forward": !isJudged, undo: !isPlay && !editing, hint: !isPlay || now.over || editing, run: editing,
    clear: !editing, swap: !editing, discard: !editing, "options-row": session.levels.includes($("partner").value) };
  for (const [id, is] of Object.entries(hidden)) $(id).hidden = is;
  if (editing) {
    const placed = placedOf(now.cells);
    $("swap").disabled = placed.red.length !== placed.blue.length || now.left.red.size !== now.left.blue.size;
    $("undo").disabled = !editing.past.length;
    tellEdited();
  } else $("undo").disabled = false;
  drawRun();
  $("edit").textContent = editing ? "End editing" : "Edit the position";
  drawClock();
}

/** Draw the button that stops or goes on. */
function drawRun() {
  const isRested = toldOf(positionHere().text)?.rested;
  $("run").textContent = session.running && !isRested ? "Stop" : "Go on";
  $("run").disabled = session.running && !isRested && !session.question.abort && !isBroken;
}

function drawClock() {
  const game = games[state.game];
  const { mover, over } = position(game, game.moves.length, []);
  const isAsked = session.question.text?.startsWith("move");
  const since = mover === session.person ? game.since : isAsked ? session.question.began : performance.now();
  for (const player of ["red", "blue"]) {
    const used = spent(game, player) + (player === mover && !over ? (performance.now() - since) / 1000 : 0);
    const isFree = player === session.person || session.time === null;
    const text = isFree ? `${used.toFixed(0)} s used` : `${Math.max(0, session.time - used).toFixed(1)} s left`;
    $(`clock-${player}`).textContent = session.mode === "play" ? text : "";
  }
}

/** Tell whether a move that is made now is one of the game that is played. */
const isPlaying = (game) => session.mode === "play" && !state.own && state.ply === game.moves.length;

/** Return the fragment of the address: it holds the game that is looked at. */
const addressOf = (game) => `#${new URLSearchParams({ mode: session.mode, ply: String(state.ply), partner: $("partner").value,
  options: $("options").value, you: session.person, text: headed(game) })}`;

/** Make a move of the person's in the game that is played; return how the state changes, or null where it is a try. */
function play(game, move) {
  const { mover } = position(game, state.ply, ownMoves());
  if (!isPlaying(game)) return null;
  if (mover !== session.person) return { cell: null, stone: null };
  append(game, move, (performance.now() - game.since) / 1000);
  session.running = true;
  return { ply: game.moves.length };
}

/** Go where the fragment of an address leads; tell whether it holds a game. */
function followAddress(wanted) {
  const [text, name, partner, you] = ["text", "mode", "partner", "you"].map((key) => wanted.get(key));
  const ply = parseInt(wanted.get("ply")) || 0;
  if (MODES.includes(name)) session.mode = name;
  if ([...$("partner").options].some(({ value }) => value === partner)) $("partner").value = partner;
  if (text === null) return false;
  $("options").value = wanted.get("options") ?? "";
  const found = games.findIndex((game) => [game.record, headed(game)].includes(text));
  if (found < 0) load([{ text }], { ply, you });
  else {
    if (Object.hasOwn(SIGN, you)) session.person = you;
    update({ game: found, ply });
  }
  return true;
}

function startSession({ time, levels, players, fresh }) {
  session = {
    // The seconds that the engine has for a game, null where it counts nodes; and the names of its levels.
    time, levels,
    // One of MODES.
    mode: fresh ? "play" : "review",
    // The player that the person is, and the game in which that was settled.
    person: "red", game: null,
    // Whether the engine may be asked; "Stop" ends that.
    running: true,
    // What is asked, since when, and what ends it; `text` is kept when the answer is complete.
    question: { text: null, began: 0, abort: null },
    // The best moves of which the person was told, by positions.
    hints: new Map(),
    // The position for which a hint is wanted.
    hinting: null,
    // The position that is edited, with `moves`, `first` and whether anything is `changed`; null where none is.
    editing: null,
  };
  document.body.className = "engine";
  $("panel").role = "tabpanel";
  $("list-title").textContent = "Games";
  $("partner").append(...[...levels, ...players].map((name) => make("option", { value: name }, name)));
  $("partner").value = "expert";
  for (const game of games) Object.assign(game, { seconds: [], since: performance.now(), fresh });
  // What a page that is loaded again knew.
  if (new URLSearchParams(location.hash.slice(1)).has("text")) games = optional(keptGames) ?? games;
  listenToControls();
  listenToFiles();
  listenToPresses();
  setInterval(drawClock, 1000);
  addEventListener("beforeprint", drawPaper);
}

function listenToControls() {
  const at = () => games[state.game];
  const small = CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5);
  const random = () => CELLS.map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell);
  const boards = { random: () => begin(random().join(" "), { fresh: true }), small: () => begin(small.join(" "), { fresh: true }),
    same: () => begin(textOf(at(), 0, []), { fresh: true }), here: () => begin(positionHere().text) };
  const actions = { new: () => boards[$("cells").value](), undo: () => undo(at()), save: () => save(at()),
    edit: () => edit(at()), clear: () => changeEdited((now) => Object.assign(now,
      { cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])), left: { red: new Set(), blue: new Set() } })),
    swap: () => changeEdited((now) => (now.mover = other(now.mover))),
    discard: () => {
      session.editing = null;
      update({ cell: null, stone: null });
    },
    read: () => load([{ text: $("load").value }]),
    run: () => {
      const told = toldOf(positionHere().text);
      if (!told?.rested) return restart({ running: !session.running });
      // The last search once more.
      Object.assign(told, { rested: false, turns: told.turns - 1 });
      return restart({ running: true });
    } };
  for (const name of MODES) actions[`mode-${name}`] = () => restart({ mode: name, running: true });
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("click", (event) => {
    const opener = around(event, "[data-opens]");
    if (opener) /** @type {any} */ ($(opener.dataset.opens)).showModal();
    if (around(event, "[data-closes]")) closeDialogs();
  });
  const change = () => {
    if (session.question.text?.startsWith("move")) session.question.text = null;
    session.running = true;
    const [game, theirs] = [at(), other(session.person)];
    if (game[session.person] === "you" && game.final_score === null) game[theirs] = game.raw[theirs] = partner();
    drawList();
    update({});
  };
  for (const id of ["partner", "options"]) $(id).addEventListener("change", change);
}
const closeDialogs = () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close());

/** Ask for a hint on one's move. */
function askHint() {
  if (session.question.text?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
  Object.assign(session, { hinting: positionHere().text, running: true });
  return updateQuestion();
}

/** Whether a finger or a button is down on what is drawn anew, and whether it will be. */
let [isPressed, isDrawing] = [false, false];
function listenToPresses() {
  document.addEventListener("pointerdown", (event) => (isPressed = event.button === 0 && !around(event, "select, input, textarea")));
  // After the click. A menu or a drag may swallow the release.
  const release = () => isPressed && setTimeout(() => {
    isPressed = false;
    draw();
  });
  for (const name of ["pointerup", "pointercancel", "contextmenu", "dragend", "blur"]) addEventListener(name, release);
  addEventListener("pointermove", (event) => event.buttons || release());
}
