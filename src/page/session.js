// @ts-check
// The engine behind the page: play against it, ask it about any position, have it judge a game.
const MODES = ["play", "analyse", "review"];
const partner = () => [$("partner").value, isLevel() ? "" : $("options").value.trim()].filter(Boolean).join(",");
const isLevel = () => session.levels.includes($("partner").value);
/** Tell whether others play a game: nobody here goes on with it. */
const isOfOthers = ({ red, blue }) => Boolean(red && blue && red !== "you" && blue !== "you");
const hasOption = (select, value) => [...$(select).options].some((option) => option.value === value);

/** Why an answer ended before all of it was there. */
const ENDS = {
  "taken over": "Another page of this tab asked the engine.",
  refused: "Another program answers at this address: that of this page has ended. “Save” keeps the game.",
  gone: "The program does not answer: it has ended, or the connection is broken. A program that is started again has "
    + "another address: “Save” keeps the game, “Load” reads it there.",
};
/** The name of this page among those that ask. */
const TAB = Math.random().toString(36).slice(2);
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
    const [address, body] = [`${location.pathname.replace(/\/$/, "")}/ask`, JSON.stringify({ ...question, tab: TAB })];
    const { ok, status, headers, body: stream } = await fetch(address, { method: "POST", body, signal });
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    const isOurs = status !== 403 && headers.get("server") === "blackhole";
    if (!ok) return isOurs ? (await reader.read()).value : "refused";
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
    // An estimate has an error, too: a number.
    if (typeof answer.error === "string") {
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

/** Draw the news, ten times a second, but not under a pressed finger or button: its click would be lost. */
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

/** The mode and the position of the last message. */
let lookedAt = "";
/** Ask the question that the shown position needs; drop an outdated one. */
function updateQuestion() {
  const game = games[state.game];
  const { text, over, mover, known } = position(game, lineHere());
  const { mode, running, editing, hinting, question } = session;
  const told = analyses.get(text);
  if (session.game !== game) seat(game);
  const isTurn = !state.own && state.ply === game.line.length && mover !== session.person;
  if (`${mode} ${text}` !== lookedAt) say(over && mode === "play" && !game.points ? `${resultOf(known.score)}.` : "");
  lookedAt = `${mode} ${text}`;
  let wanted = null;
  if (mode === "play" && !over && !isOfOthers(game)) wanted = isTurn ? "move" : hinting === text ? "hint" : null;
  else if (mode === "review" && !game.reviewed && game.line.length) wanted = "review";
  else if (mode !== "play" && !over && !told?.complete && !told?.rested) wanted = "analyse";
  if (!running || editing) wanted = null;
  const asked = wanted && `${wanted} ${wanted === "review" ? game.record : text}`;
  if (asked === question.text) return;
  Object.assign(question, { text: asked, began: performance.now() });
  if (!asked) stopAsking();
  if (wanted === "move") askMove(game, text);
  if (wanted === "hint") ask({ ask: "hint", text }, (answer) => takeHint(text, answer));
  if (wanted === "review") ask({ ask: "review", text: headed(game) }, (answer) => takeReview(game, answer));
  if (wanted === "analyse") ask({ ask: "analyse", text, turns: told?.turns }, (answer) => takeAnalysis(text, answer));
  drawRun();
}

/** Sit down at a game: on one's side, before its partner. */
function seat(game) {
  const player = PLAYERS.find((player) => game[player] === "you");
  Object.assign(session, { game, person: player ?? session.person });
  $("person").value = session.person;
  const [name, ...options] = player ? game[other(player)].split(",") : [];
  if (hasOption("partner", name)) [$("partner").value, $("options").value] = [name, options.join(",")];
  const isOthers = isOfOthers(game);
  const isTurned = isOthers ? state.flipped : session.mode === "play" && session.person !== side();
  if (isTurned) update({ flipped: !state.flipped });
}

function askMove(game, text) {
  const player = other(session.person);
  if (!isBroken) say(`${NAME[player]} is thinking.`);
  const left = Math.max(0, (session.time ?? 5) - spent(game, player));
  ask({ ask: "move", text, player: partner(), left }, ({ move: chosen }) => {
    if (!chosen) return;
    append(game, chosen.move, chosen.seconds);
    update({ ply: game.line.length });
    const { over, known } = positionHere();
    const end = over ? `${resultOf(known.score)}.` : "";
    const verdict = game.line.length === game.begun + 2 ? compared(game) : "";
    say([verdict, `${NAME[player]} plays ${chosen.move}: ${chosen.why}.`, end].filter(Boolean).join(" "));
  });
}

function takeHint(text, { hint, ended }) {
  if (ended) session.question.text = session.hinting = null;
  if (!hint) return;
  session.hints.set(text, hint.move);
  render();
  say(`${hint.move}: ${hint.why}.`);
}

function takeAnalysis(text, answer) {
  if (learn(text, answer).rested) say("The longest search has ended: “Go on” repeats it.");
  draw();
}

function takeReview(game, { judged, review }) {
  if (!judged && !review) return;
  const { number, title, red, blue, raw, tried } = game;
  if (judged) raw.moves[judged.ply - 1] = judged.known;
  else Object.assign(raw, review, { number, title, red, blue });
  Object.assign(game, readGame(raw), { tried, reviewed: Boolean(review) });
  say(review ? "The game is judged." : `Judged from the end to move ${judged.ply}.`);
  draw();
  if (!review) return;
  drawList();
  session.question.text = null;
  updateQuestion();
}

/** Begin a game where another begins or has come to; a game that is left in its middle can be gone back to. */
async function begin(record, { fresh = false, you = $("person").value, toFind = "" } = {}) {
  closeDialogs();
  if (!mayLeave()) return;
  const [red, blue] = you === "red" ? ["you", partner()] : [partner(), "you"];
  const [left, { flipped }] = [games[state.game], state];
  const before = left.line.length && (toFind || left.final_score === null) ? left.number : null;
  session.running = true;
  const source = { text: headed({ red, blue, number: 1, record }) };
  const began = await load([source], { fresh, before, you, mode: "play" });
  $("table").scrollIntoView({ block: "nearest" });
  if (began) games[state.game].turned = flipped;
  const news = toFind ? `Find a better move than ${toFind}.` : "A new game.";
  if (began && before && !session.question.abort) say(`${news} “Undo” goes back to game ${before}.`);
}

/** Take back one's last move; the moves taken back stay as a line to look at. */
function undo(game) {
  if (session.editing) return undoEdit();
  // First what was tried beside the game.
  if (state.own) return step(-1);
  if (state.ply < game.line.length) return update({ ply: Infinity });
  const { line, tried } = game;
  session.hints.clear();
  const own = line.findLastIndex((_, n) => n >= (game.begun ?? 0) && playerOf(game, n) === session.person);
  const before = games.findIndex(({ number }) => number === game.before);
  if (own < 0 && before >= 0) {
    const isReviewed = triedFrom(game) && (isOfOthers(games[before]) || games[before].final_score !== null);
    if (isReviewed) session.mode = "review";
    return update({ game: before, ply: isReviewed ? game.begun + 1 : Infinity, flipped: game.turned ?? state.flipped });
  }
  if (own < 0) return say("There is no move of yours to take back.");
  // Lines that branched off later now branch off here.
  for (const { ply, moves } of tried.filter(({ ply }) => ply > own).concat({ ply: line.length, moves: [] })) {
    tried.push({ ply: own, moves: [...line.slice(own, ply), ...moves] });
  }
  game.tried = tried.filter(({ ply }) => ply <= own);
  rewrite(game, line.slice(0, own));
  update({ ply: own });
  return say("Taken back.");
}

function turnTo(changes) {
  say("");
  stopAsking();
  // What was wrong with a text is past.
  trouble("");
  session.question.text = null;
  Object.assign(session, { running: true }, changes);
  update(changes.mode ? { turn: false } : {});
}

function drawSession(game, now, moves) {
  const { mode, editing } = session;
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-selected", String(mode === name));
  $("panel").setAttribute("aria-labelledby", `mode-${mode}`);
  $("main").className = mode;
  const isPlay = mode === "play";
  const isOwn = isPlay && !isOfOthers(game);
  const noMistakes = isPlay || editing || !mistakesOf(moves).length;
  const hidden = { "graph-part": isPlay || editing || !game.line.length, "moves-part": editing, run: editing,
    totals: !game.reviewed, story: mode !== "review" || state.turn, turn: isPlay || editing, undo: !isOwn && !editing,
    "mistake-back": noMistakes, "mistake-forward": noMistakes, hint: !isOwn || now.over || editing,
    clear: !editing, swap: !editing, discard: !editing, "options-row": isLevel() };
  for (const [id, is] of Object.entries(hidden)) $(id).hidden = is;
  for (const id of ["first", "back", "forward", "last"]) $(id).hidden = Boolean(editing);
  $("undo").disabled = editing?.past.length === 0;
  $("edit").textContent = editing ? "End editing" : "Edit the position";
  if (editing) tellEdited();
  drawRun();
  drawClock();
}

/** Draw the button that stops or goes on. */
function drawRun() {
  const isRested = visibleAnalysis(positionHere().text)?.rested;
  $("run").textContent = session.running && !isRested ? "Stop" : "Go on";
  $("run").disabled = session.running && !isRested && !session.question.abort && !isBroken;
}

function drawClock() {
  const { mode, question, person, time } = session;
  const game = games[state.game];
  const { mover, over } = position(game, game.line);
  const [now, isAsked] = [performance.now(), question.text?.startsWith("move")];
  const since = mover === person ? game.since : isAsked ? question.began : now;
  for (const player of PLAYERS) {
    const used = spent(game, player) + (player === mover && !over ? (now - since) / 1000 : 0);
    const isUsed = player === person || time === null;
    const text = isUsed ? `${used.toFixed(0)} s used` : `${Math.max(0, time - used).toFixed(1)} s left`;
    $(`clock-${player}`).textContent = mode === "play" && !isOfOthers(game) ? text : "";
  }
}

/** Tell whether a move that is made now is one of the game that is played. */
const isPlaying = (game) =>
  session.mode === "play" && !isOfOthers(game) && !state.own && state.ply === game.line.length;

/** Return the fragment of the address: it holds the game that is looked at. */
const addressOf = (game) => `#${new URLSearchParams({ mode: session.mode, ply: String(state.ply),
  partner: $("partner").value, options: $("options").value, you: session.person, text: headed(game) })}`;

/** Make a move of the person's in the game that is played; return how the state changes, or null where it is a try. */
function play(game, move) {
  if (!isPlaying(game)) return null;
  if (position(game, game.line).mover !== session.person) return { cell: null, stone: null };
  append(game, move, (performance.now() - game.since) / 1000);
  session.running = true;
  return { ply: game.line.length };
}

/** Go where the fragment of an address leads; tell whether it holds a game. */
function openGameOf(wanted) {
  const [text, mode, partner, you] = ["text", "mode", "partner", "you"].map((key) => wanted.get(key));
  const ply = parseInt(wanted.get("ply")) || 0;
  if (MODES.includes(mode)) session.mode = mode;
  if (hasOption("partner", partner)) $("partner").value = partner;
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

function startSession({ time, levels, players, fresh, follows }) {
  session = {
    // The seconds that the engine has for a game, null where it counts nodes; and the names of its levels.
    time, levels,
    // One of MODES.
    mode: fresh ? "play" : "review",
    // The player that the person is, and the game in which that was settled.
    person: "red", game: null,
    // Whether the engine may be asked; "Stop" ends that.
    running: true,
    // The question, when it was asked, and the controller that ends it; `text` stays when the answer is complete.
    question: { text: null, began: 0, abort: null },
    // The best moves of which the person was told, by positions; and the position for which a hint is wanted.
    hints: new Map(), hinting: null,
    // The position that is edited (`now`), the `hand` that a stone was chosen from, and what was edited before (`past`).
    editing: null,
  };
  document.body.className = "engine";
  $("panel").role = "tabpanel";
  $("list-title").textContent = "Games";
  $("partner").append(...[...levels, ...players].map((name) => make("option", { value: name }, name)));
  $("partner").value = "expert";
  for (const game of games) Object.assign(game, { seconds: [], since: performance.now(), fresh });
  const have = games.length - 1;
  $("follow").hidden = !follows;
  $("follow").addEventListener("click", () => followFile(have));
  // What a page that is loaded again knew.
  games = optional(keptGames) ?? games;
  listenToControls();
  listenToFiles();
  listenToPresses();
  setInterval(drawClock, 1000);
  // The last game comes again, with the table.
  if (follows) followFile(have);
  addEventListener("beforeprint", drawPaper);
}

function listenToControls() {
  const game = () => games[state.game];
  const fresh = (cells) => begin(cells.join(" "), { fresh: true });
  const boards = { small: () => fresh(CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5)),
    random: () => fresh(CELLS.map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell)),
    same: () => fresh(game().setup), here: () => begin(positionHere().text) };
  const actions = { new: () => boards[$("cells").value](), undo: () => undo(game()), save: () => save(game()),
    edit: () => edit(game()), clear: clearEdited, swap: swapEdited, read: () => load([{ text: $("load").value }], { isTyped: true }),
    discard: () => {
      discardEdited();
      updateQuestion();
    },
    run: () => {
      const told = visibleAnalysis(positionHere().text);
      if (!told?.rested) return turnTo({ running: !session.running });
      // The last search once more.
      Object.assign(told, { rested: false, turns: told.turns - 1 });
      return turnTo({});
    } };
  for (const mode of MODES) actions[`mode-${mode}`] = () => turnTo({ mode });
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  document.addEventListener("click", (event) => {
    const opener = around(event, "[data-opens]");
    if (opener) {
      $("unread").textContent = "";
      $(opener.dataset.opens).showModal();
    }
    if (around(event, "[data-closes]")) closeDialogs();
  });
  const seatAnew = () => {
    if (session.question.text?.startsWith("move")) session.question.text = null;
    session.running = true;
    const [{ raw, final_score, ...names }, theirs] = [game(), other(session.person)];
    if (names[session.person] === "you" && final_score === null) game()[theirs] = raw[theirs] = partner();
    drawList();
    update({});
  };
  for (const id of ["partner", "options"]) $(id).addEventListener("change", seatAnew);
}
const closeDialogs = () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close());

/** Ask for a hint on one's move. */
function askHint() {
  if (session.question.text?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
  Object.assign(session, { hinting: positionHere().text, running: true });
  updateQuestion();
  return session.question.text?.startsWith("hint") && say("Looking for a move.");
}

/** Whether a finger or a button is down on the page, and whether a drawing is due. */
let [isPressed, isDrawing] = [false, false];
function listenToPresses() {
  document.addEventListener("pointerdown", (event) =>
    (isPressed = event.button === 0 && !around(event, "select, input, textarea")));
  // After the click. A menu or a drag may swallow the release.
  const release = () => isPressed && setTimeout(() => {
    isPressed = false;
    draw();
  });
  for (const name of ["pointerup", "pointercancel", "contextmenu", "dragend", "blur"]) addEventListener(name, release);
  addEventListener("pointermove", (event) => event.buttons || release());
}
