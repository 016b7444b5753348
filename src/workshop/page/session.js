// @ts-check
// The engine behind the page: play against it, ask it about any position, have it judge a game.
const MODES = ["play", "analyse", "review"];
const say = (text) => ($("said").textContent = text);
const partner = () => [$("partner").value, $("options").hidden ? "" : $("options").value.trim()].filter(Boolean).join(",");

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
    say(`${NAME[other(session.person)]} plays ${chosen.move}: ${chosen.why}.${result(game)}`);
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
async function begin(record, fresh) {
  const [red, blue] = $("person").value === "red" ? ["you", partner()] : [partner(), "you"];
  const left = games[state.game];
  const before = left.moves.length && left.final_score === null ? left.number : null;
  session.running = true;
  const began = await load([{ text: headed({ red, blue, number: 1, record }) }], { fresh: Boolean(fresh), before });
  if (began && before && !session.question.abort) say(`A new game. “Undo” goes back to game ${before}.`);
}

/** Go back to before one's last move; what is taken back stays as a line to look at. */
function undo(game) {
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

/** Begin or end editing: what is edited is a game of its own then, with the moves made so far. */
async function edit(game) {
  if (!session.editing) {
    const moves = [...game.moves.slice(0, state.ply).map(({ move }) => move), ...ownMoves()];
    const none = { over: false, next: null, last: null, options: new Map(), best: null, known: standing({}) };
    session.editing = { ...position(game, state.ply, ownMoves()), ...none, moves, first: game.first, changed: false };
    return update({ cell: null, stone: null });
  }
  const missing = missingOf(session.editing);
  if (missing) return say(`This is no position yet: ${missing}.`);
  const { editing } = session;
  const { cells, left, moves, first } = editing;
  const stones = (player) => [...left[player], ...[...cells.values()].filter((it) => it.player === player).map(({ stone }) => stone)];
  const [red, blue] = [stones("red"), stones("blue")];
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const toMove = red.length === blue.length && `to-move:${first}`;
  const record = [...blocked, `red:${red.join(",")}`, `blue:${blue.join(",")}`, toMove, ...moves].filter(Boolean).join(" ");
  session.editing = null;
  if (await load([{ text: headed({ red: game.red, blue: game.blue, number: game.number, record }) }])) return null;
  session.editing = editing;
  return update({});
}

/** Leave what is edited, unless that would lose it. */
function mayLeave() {
  if (session.editing?.changed) say("First end editing, or discard what you edited.");
  else session.editing = null;
  return !session.editing;
}

/** Block a cell or free it; put a stone of a player into the hand or take it out. */
function toggle(set, item) {
  const { cells, left } = session.editing;
  if (set === "blocked") cells.delete(item) || cells.set(item, { player: "blocked" });
  else left[set].delete(item) || left[set].add(item);
  edited({});
}

/** Draw what was edited, and who is to move then. */
function edited(change) {
  const { moves, left, cells } = Object.assign(session.editing, change, { changed: true });
  const more = left.red.size - left.blue.size;
  if (more && !moves.length) session.editing.mover = session.editing.first = more > 0 ? "red" : "blue";
  session.editing.empty = CELLS.filter((cell) => !cells.has(cell));
  say("");
  render();
}

function tellEdited() {
  const { left, empty } = session.editing;
  $("answer").textContent = "Click cells to block or free them, stones to take them out of a hand or put them in. Now "
    + `${empty.length} cells are empty, ${left.red.size} red and ${left.blue.size} blue stones in hand: ${missingOf(session.editing) || "ready"}.`;
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
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-pressed", String(session.mode === name));
  const play = session.mode === "play";
  const hidden = { "graph-part": play, totals: play || !game.reviewed, "mistake-back": play, "mistake-forward": play, turn: play,
    partners: !play, helps: !play || session.editing, hint: now.over, run: session.editing, clear: !session.editing, swap: !session.editing, discard: !session.editing,
    options: session.levels.includes($("partner").value) };
  for (const [id, is] of Object.entries(hidden)) $(id).hidden = is;
  if (session.editing) $("swap").disabled = session.editing.moves.length > 0 || session.editing.left.red.size !== session.editing.left.blue.size;
  drawRun();
  $("edit").textContent = session.editing ? "End editing" : "Edit cells and hands";
  drawClock();
  const told = session.editing ? null : toldHere();
  $("thoughts").replaceChildren(...(told && !state.turn ? thoughts(told, now) : []));
  if (session.editing) tellEdited();
}

/** Return what the engine told of the position that is looked at; to who plays it tells nothing. */
const toldHere = () => (session.mode === "play" ? null : analyses.get(textOf(games[state.game], state.ply, ownMoves())));

/** Draw the button that stops or goes on. */
function drawRun() {
  const isRested = toldHere()?.rested;
  $("run").textContent = session.running && !isRested ? "Stop" : "Go on";
  $("run").disabled = session.running && !isRested && !session.question.abort && !isBroken;
}

function drawClock() {
  const game = games[state.game];
  const { mover, over } = position(game, game.moves.length, []);
  const since = mover === session.person ? game.since : session.question.text?.startsWith("move") ? session.question.began : performance.now();
  const used = (player) => spent(game, player) + (player === mover && !over ? (performance.now() - since) / 1000 : 0);
  const clock = (player) => (player === session.person ? `you used ${used(player).toFixed(0)} s`
    : `${game[player] || partner()} ${session.time === null ? `${used(player).toFixed(1)} s` : `${Math.max(0, session.time - used(player)).toFixed(1)} s left`}`);
  const text = `Clock: Red, ${clock("red")}; Blue, ${clock("blue")}.${result(game)}`;
  $("clock").textContent = session.mode === "play" ? text : "";
}

/** Say what the engine thinks of a position: chances of the targets, moves, lines.
 * @param {Analysis} told */
function thoughts({ think, solve, score, why, doing }, now) {
  const parts = session.question.abort && doing ? [make("p", { class: "legend" }, `Now: ${doing}.`)] : [];
  const lineOf = (text, { line: moves, nodes, seconds }) =>
    make("p", {}, `${text}: ${moves.join(" ")} (${nodes.toLocaleString("en")} nodes, ${seconds.toFixed(2)} s)`);
  if (score !== null || !think) return solve && score !== null ? [lineOf("Proven; best play", solve)] : parts;
  const percent = (chance) => (chance === null ? "" : `${(100 * chance).toFixed(0)} %`);
  const reached = (target) => 75 + (now.mover === "red" ? target : 1 - target);
  parts.push(lineOf(`It would play ${think.move} and expects`, think), make("p", { class: "legend" }, why));
  const targets = think.targets.map(({ target, chance }) => `${reached(target)}: ${percent(chance)}`);
  if (targets.length) parts.push(make("p", {}, `Chance of ${NAME[now.mover]} to get so many points or more: ${targets.join(", ")}.`));
  const rows = think.candidates.filter(({ visits, secures }) => visits || secures !== null).slice(0, 8).map(({ move, chance, visits, secures }) =>
    make("tr", {}, td("whole", move), td("number", percent(chance)), td("number", String(visits || "")),
      td("number", secures === null ? "" : seen(secures))));
  if (rows.length) parts.push(scrollable("Moves of the search", make("table", {}, head(["Move", think.target === null ? "Chance" : `${reached(think.target)} or more`,
    "Visits", "Secures"], [1, 2, 3]), make("tbody", {}, ...rows))), make("p", { class: "legend" }, "The chance to get what it aims "
    + "at. Visits: how often the search tried the move. Secures: the score that it is proven to reach, or better."));
  return parts;
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
  $("now").after($("thoughts"));
  $("answer").before($("clock"), $("said"), $("helps"));
  $("game").after($("list"));
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
  const here = () => textOf(at(), state.ply, ownMoves());
  const small = CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5);
  const random = () => [...CELLS].map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell);
  const boards = { random: () => begin(random().join(" "), true), small: () => begin(small.join(" "), true),
    same: () => begin(textOf(at(), 0, []), true), here: () => begin(here()) };
  const actions = { new: () => boards[$("cells").value](), undo: () => undo(at()), save: () => save(at()),
    edit: () => edit(at()), clear: () => session.editing && edited({ cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])),
      left: { red: new Set(), blue: new Set() }, moves: [] }),
    swap: () => session.editing && edited({ mover: other(session.editing.mover), first: other(session.editing.mover) }),
    discard: () => {
      session.editing = null;
      update({ cell: null, stone: null });
    },
    read: () => load([{ text: $("load").value }]), ...Object.fromEntries(MODES.map((name) => [`mode-${name}`, () => restart({ mode: name, running: true })])),
    hint: () => {
      if (session.question.text?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
      Object.assign(session, { hinting: here(), running: true });
      return updateQuestion();
    },
    run: () => {
      const told = toldHere();
      if (!told?.rested) return restart({ running: !session.running });
      // The last search once more.
      Object.assign(told, { rested: false, turns: told.turns - 1 });
      return restart({ running: true });
    } };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
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
