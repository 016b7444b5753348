// @ts-check
// The engine behind the page: play against it, ask it about any position, have it judge a game.
const MODES = ["play", "analyse", "review"];

/** Why an answer ended before all of it was there. */
const ENDS = {
  "taken over": "Another page of this tab asked the engine.",
  refused: "Another program answers at this address: that of this page has ended. “Save” keeps the game.",
  gone: "The program does not answer: it has ended, or the connection is broken. A program that is started again has "
    + "another address: “Save” keeps the game, “Load” reads it there.",
};
/** The name of this page among those that ask. */
const TAB = Math.random().toString(36).slice(2);
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

/** Leave the question for another, or for none. */
function setQuestion(is, key = null) {
  state.question.abort?.abort();
  clearTimeout(state.question.timer);
  state.question = { is, key, abort: new AbortController() };
}

/** The kind of question that the shown position needs; null if none. */
function wantedHere() {
  const [game, { text, over, mover, analysis }] = [gameHere(), position(gameHere(), lineHere())];
  if (state.edited || state.setup) return null;
  if (state.mode === "play") {
    if (over || isOfOthers(game)) return null;
    if (isTheGame() && mover !== personHere()) return "move";
    return state.hint.text === text && !state.hint.move ? "hint" : null;
  }
  if (state.mode === "review" && game.line.length) {
    if (!game.reviewed) return "review";
    if (game.toldOf !== JSON.stringify(courseOf(game))) return "story";
  }
  const { complete = false, rested = false, effort } = analysis;
  // A review goes no deeper than it went, so that its numbers stay.
  if (state.mode === "review" && effort >= 1) return null;
  return over || complete || rested ? null : "analyse";
}

/** Ask what the shown position needs; drop an outdated question. */
function ask() {
  const [{ question, partner }, game, kind, rival] = [state, gameHere(), wantedHere(), other(personHere())];
  const [line, { text, known, analysis }] = [lineHere(), position(game, lineHere())];
  if (state.hint.text !== text) state.hint = {};
  const course = kind === "story" ? courseOf(game) : [];
  const key = kind && `${kind} ${kind === "review" ? game.record : kind === "story" ? JSON.stringify(course) : text}`;
  if (question.is === "stopped" || key === question.key) return;
  const isRepeated = question.is === "broken";
  setQuestion(kind ? "asking" : "idle", key);
  const left = Math.max(0, (state.time ?? 5) - spent(game, rival));
  if (kind === "move" && !isRepeated) say(`${NAME[rival]} is thinking.`);
  // The first turns give a number at once, and that of a review.
  const turns = analysis.turns ?? (analysis.effort >= 1 ? 2 : Number(numberOf(known) !== null));
  const best = kind === "story" ? movesOf(game).map((it) => it.best ?? null) : [];
  const player = [...choices().partner].some(({ value }) => value === game[rival]) ? game[rival] : partner;
  const asked = { ask: kind, text: ["review", "story"].includes(kind) ? headed(game) : text, turns, player, left,
    known: course, best };
  const take = { move: takeMove, hint: takeHint, review: takeReview, story: takeStory, analyse: takeAnalysis }[kind];
  if (take) hear(asked, (answer) => take(answer, game, line), isRepeated);
}

/** Send the question and follow its answer, unless another takes its place. */
async function hear(asked, take, isRepeated) {
  const { question } = state;
  const ended = await send(asked, (answer) => {
    if (isRepeated) say("");
    isRepeated = false;
    // An estimate has an error, too: a number.
    if (typeof answer.error === "string") {
      say(answer.error);
      question.is = "stopped";
    }
    take(answer);
  }, question.abort.signal);
  if (question !== state.question) return;
  if (ended === "gone") {
    question.is = "broken";
    question.timer = setTimeout(() => {
      question.key = "";
      ask();
    }, RETRY);
    say(`${ENDS.gone} This page tries again by itself.`);
  } else if (ended !== "done") {
    question.is = "stopped";
    say(ENDS[ended] ?? ended);
  } else if (question.is === "asking") {
    question.is = "idle";
    ask();
  }
  draw();
}

let drawing = 0;
/** Draw the news, ten times a second: the solver keeps its core. */
function draw() {
  drawing ||= Number(setTimeout(() => {
    drawing = 0;
    render();
  }, 100));
}

function takeMove({ move: chosen }, game) {
  if (!chosen) return;
  append(game, chosen.move, chosen.seconds);
  update({ ply: game.line.length });
  const { player } = positionHere().last;
  say(`${NAME[player]} plays ${chosen.move}: ${chosen.why}.`);
}

function takeHint({ hint, ended }) {
  if (ended && !state.hint.move) state.hint = {};
  if (!hint) return;
  state.hint.move = hint.move;
  render();
  say(`${hint.move}: ${hint.why}.`);
}

function takeAnalysis(answer, game, line) {
  learn(game, line, newsOf(answer));
  if (state.mode === "review") ask();
  draw();
}

/** Take a story that agrees with the numbers shown now. */
function takeStory(answer, game) {
  if (!answer.story) return;
  Object.assign(game, answer, { toldOf: state.question.key?.slice("story ".length) });
  draw();
}

function takeReview({ judged, review }, game) {
  if (!judged && !review) return;
  const { number, title, red, blue } = game;
  if (judged) (game.moves ??= game.line.map(() => ({})))[judged.ply - 1] = judged.known;
  Object.assign(game, readGame({ ...game, ...review, number, title, red, blue, reviewed: Boolean(review) }));
  if (review) game.toldOf = JSON.stringify(courseOf(game));
  // Where it ended is where it is read from, unless one has looked elsewhere.
  if (review && isTheGame() && game === gameHere() && state.mode === "review") update({ ply: focusOf(game) });
  say(review ? "The game is judged." : `Judged from the end to move ${judged.ply}.`);
  draw();
  if (!review) return;
  drawList();
  ask();
}

/** Begin a game where another begins or has come to; one that is left stays in the list. */
async function begin(record, { fresh = false } = {}) {
  const [red, blue] = state.person === "red" ? ["you", state.partner] : [state.partner, "you"];
  setQuestion("idle");
  await load([{ text: headed({ red, blue, number: 1, record }) }], { begun: { fresh } });
  $("table").scrollIntoView({ block: "nearest" });
}

/** Take back one's last move. */
function undo() {
  if (state.edited) {
    state.edited.now = state.edited.past.pop();
    return showEdited();
  }
  // First what was tried beside the game.
  if (state.steps) return step(-1);
  const game = gameHere();
  if (state.ply < game.line.length) return update({ ply: Infinity });
  state.hint = {};
  const own = game.line.findLastIndex((_, n) => playerOf(game, n) === personHere());
  if (own < 0) return say("There is no move of yours to take back.");
  rewrite(game, game.line.slice(0, own));
  update({ ply: own });
  return say("Taken back.");
}

/** Ask anew, in this mode or another, or beside the form for a new game. */
function turnTo(mode, setup = false) {
  say("");
  // What was wrong with a text is past.
  trouble("");
  setQuestion("idle", "");
  if (mode) Object.assign(state, { mode, trial: null, setup, cell: null, stone: null });
  if (mode) $("best").open = mode === "analyse";
  update({});
}

/** Stop the question, or go on. */
function stopOrGoOn() {
  if (state.question.is === "stopped") return turnTo();
  setQuestion("stopped");
  return render();
}

function drawSession() {
  const { mode, edited, setup, question: { is } } = state;
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-selected", String(mode === name));
  $("cols").setAttribute("aria-labelledby", `mode-${mode}`);
  $("undo").hidden ||= edited ? !edited.past.length : !gameHere().line.length;
  $("edit").textContent = edited ? "Done" : "Edit";
  $("swap").hidden ||= !edited || unevenOf(edited.now).some(Boolean);
  // The form offers what was chosen last.
  for (const name of setup ? [] : ["partner", "person"]) choices()[name].value = state[name];
  $("cells-here").hidden = !gameHere().line.length;
  $("run").textContent = is !== "stopped" ? "Stop" : wantedHere() === "review" ? "Judge this game" : "Go on";
  // Of a game that is judged, beside what it is about.
  $("run").hidden ||= is === "idle" || setup || (mode === "review" && gameHere().reviewed && !$("best").open);
  for (const [id, of] of /** @type {[string, Game[]][]} */ ([["save", [gameHere()]], ["save-all", games]])) {
    $(id).textContent = `Save ${of.length > 1 ? `all ${of.length} games` : `game ${of[0].number}`} as ${fileOf(of)}`;
  }
  if (state.follows) drawFollowed();
}

/** The choices in the form for a new game. */
const choices = () => /** @type {any} */ ($("setup")).elements;

/** Make a move of the person's in the game that is played; return how the state changes, or null where it is a try. */
function play(move) {
  const game = gameHere();
  if (!isPlaying()) return null;
  if (position(game, game.line).mover !== personHere()) return { cell: null, stone: null };
  append(game, move);
  if (state.question.is === "stopped") setQuestion("idle");
  return { ply: game.line.length };
}

/** Ask for a hint on one's move. */
function askHint() {
  if (state.question.key?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
  state.hint = { text: positionHere().text };
  setQuestion("idle");
  ask();
  return state.question.key?.startsWith("hint") && say("Looking for a move.");
}

/** @param {Record<string, any>} board what answers.rs offers */
function startSession({ fresh, follows, match, time }) {
  Object.assign(state, { time, follows, mode: fresh ? "play" : "review", setup: fresh });
  engine = { ask, play, hint: askHint, draw: drawSession };
  $("cols").role = "tabpanel";
  // Of a match that may run, the newest game; the engine leaves the cores to the match until it is asked.
  if (match) Object.assign(state, { game: games.length - 1, ply: games.at(-1).line.length, question: { is: "stopped" } });
  games.forEach((game, n) => Object.assign(game, { seconds: [], fresh, fileIndex: follows ? n : undefined }));
  const have = games.length - 1;
  // What a page that is loaded again knew.
  optional(recall);
  listenToControls();
  listenToFiles();
  if (!follows) return;
  setInterval(draw, 1000);
  // The last game comes again, with the table.
  follow(have);
}

function listenToControls() {
  const fresh = (cells) => begin(cells.join(" "), { fresh: true });
  const boards = { small: () => fresh(CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5)),
    // A board that is shown and not used yet stays as it is.
    full: () => fresh(gameHere().fresh && !gameHere().line.length && gameHere().blocked.length === 5 ? gameHere().blocked
      : CELLS.map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell)),
    here: () => begin(positionHere().text) };
  const actions = { undo, save: () => save([gameHere()]), "save-all": () => save(games), run: stopOrGoOn,
    edit: startOrEndEditing, clear: clearEdited, swap: swapEdited, discard: discardEdited,
    "setup-open": () => turnTo("play", true), "setup-close": () => turnTo("play"),
    "loading-open": () => mayLeave() && openLoading(""), "loading-close": () => $("loading").close(),
    read: () => load([{ text: $("load").value }], { isTyped: true }) };
  for (const mode of MODES) actions[`mode-${mode}`] = () => turnTo(mode);
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  $("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    Object.assign(state, { person: choices().person.value, partner: choices().partner.value });
    boards[choices().cells.value]();
  });
}
