// @ts-check
// The engine behind the page: it plays, analyses any position, and judges games.
const MODES = ["play", "analyse", "review"];

/** Sentences about an answer that broke off. */
const ENDS = {
  "taken over": "Another page of this tab asked the engine.",
  refused: "Another program answers at this address: that of this page has ended. “Save” keeps the game.",
  gone: "The program does not answer: it has ended, or the connection is broken. A program that is started again has "
    + "another address: “Save” keeps the game, “Load” reads it there.",
};
/** This page's name: all pages share the program's engines. */
const TAB = Math.random().toString(36).slice(2);
/** Milliseconds from a broken connection to the next try. */
const RETRY = 3000;

/** Send a question and `take` each line of its answer; return "done", a key of ENDS or a sentence. */
async function send(question, take, signal) {
  let ended = "gone";
  const hear = (line) => {
    const answer = JSON.parse(line);
    if (answer.ended) ended = answer.why ?? answer.ended;
    // Later, so that an error of `take` is not taken for a broken connection.
    queueMicrotask(() => signal?.aborted || take(answer));
  };
  try {
    const address = `${location.pathname.replace(/\/$/, "")}/ask`;
    const body = JSON.stringify({ ...question, tab: TAB });
    const response = await fetch(address, { method: "POST", body, signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const isOurs = response.status !== 403 && response.headers.get("server") === "blackhole";
    if (!response.ok) return isOurs ? (await reader.read()).value : "refused";
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach(hear);
    }
  } catch {
    // A connection that breaks after the last line does no harm.
  }
  return ended;
}

function setQuestion(is, key = null) {
  state.question.abort?.abort();
  clearTimeout(state.question.timer);
  state.question = { is, key, abort: new AbortController() };
}

/** The kind of question that the shown position needs; null if none. */
function wantedHere() {
  if (state.edited || state.setup) return null;
  const game = gameHere();
  const { text, over, mover, analysis } = position(game, lineHere());
  if (state.mode === "play") {
    if (over || isOfOthers(game)) return null;
    if (isAtEnd() && mover !== personHere()) return "move";
    return state.hint.text === text && !state.hint.move ? "hint" : null;
  }
  if (state.mode === "review") {
    if (!game.line.length) return null;
    if (!game.toldOf) return "review";
    if (game.toldOf !== JSON.stringify(courseOf(game))) return "story";
  }
  const { complete = false, final = false, effort } = analysis;
  // A judged position is not analysed more deeply, so that the review's scores stay.
  if (state.mode === "review" && effort >= 1) return null;
  return over || complete || final ? null : "analyse";
}

/** Ask what the shown position needs; drop an outdated question. */
function ask() {
  const { question, partner } = state;
  const game = gameHere();
  const line = lineHere();
  const kind = wantedHere();
  const { text, known, analysis } = position(game, line);
  if (state.hint.text !== text) state.hint = {};
  const course = kind === "story" ? courseOf(game) : [];
  const key = kind && `${kind} ${kind === "review" ? game.record : kind === "story" ? JSON.stringify(course) : text}`;
  if (question.is === "stopped" || key === question.key) return;
  const isRepeated = question.is === "broken";
  setQuestion(kind ? "asking" : "idle", key);
  const rival = other(personHere());
  const left = Math.max(0, (state.time ?? 5) - spent(game, rival));
  // Skip the first turn of an analysis if there is a score, the second, too, if it is a review's.
  const turns = analysis.turns ?? (analysis.effort >= 1 ? 2 : Number(valueOf(known) !== null));
  const best = kind === "story" ? movesOf(game).map((it) => it.best ?? null) : [];
  const player = [...choices().partner].some(({ value }) => value === game[rival]) ? game[rival] : partner;
  const asked = { ask: kind, text: ["review", "story"].includes(kind) ? asText(game) : text, turns, player, left,
    known: course, best };
  const take = { move: takeMove, hint: takeHint, review: takeReview, analyse: takeAnalysis,
    story: (answer) => answer.story && Object.assign(game, answer, { toldOf: JSON.stringify(course) }) }[kind];
  if (take) pose(asked, (answer) => take(answer, game, line), isRepeated);
}

/** Send the question and follow its answer, unless another takes its place. */
async function pose(asked, take, isRepeated) {
  const { question } = state;
  const ended = await send(asked, (answer) => {
    if (isRepeated) say("");
    isRepeated = false;
    // A number is the error of an estimate.
    if (typeof answer.error === "string") {
      say(answer.error);
      question.is = "stopped";
    }
    take(answer);
    draw();
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
/** Draw the news at most ten times a second: more would slow the solver. */
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
}

function takeHint({ hint, ended }) {
  if (ended && !state.hint.move) state.hint = {};
  if (!hint) return;
  Object.assign(state.hint, { move: hint.move, words: `${hint.move}: ${hint.why}. A click on ${hint.move.slice(0, 2)} plays it.` });
  say(state.hint.words);
}

function takeAnalysis(answer, game, line) {
  learn(game, line, newsOf(answer));
  if (state.mode === "review") ask();
}

function takeReview({ judged, review }, game) {
  if (!judged && !review) return;
  const { number, title, red, blue } = game;
  if (judged) (game.moves ??= game.line.map(() => ({})))[judged.ply - 1] = judged.known;
  Object.assign(game, readGame({ ...game, ...review, number, title, red, blue }));
  if (review) game.toldOf = JSON.stringify(courseOf(game));
  // The review opens where the game turned, unless you left the game's end.
  if (review && isAtEnd() && game === gameHere() && state.mode === "review") update({ ply: focusOf(game) });
  say(review ? "The game is judged." : `Judged: moves ${judged.ply} to ${game.line.length}.`);
  if (!review) return;
  drawList();
  ask();
}

/** Begin a game from a position's record; the game shown before stays in the list. */
async function begin(record, person, fresh = false, partner = state.partner) {
  const [red, blue] = person === "red" ? ["you", partner] : [partner, "you"];
  setQuestion("idle");
  await load([{ text: asText({ red, blue, number: 1, record }) }], { begun: { fresh, begun: true } });
  $("table").scrollIntoView({ block: "nearest" });
}

/** Play on from the shown position as the side to move, or the one whose move you tried, against the game's partner. */
function playOn() {
  const { text, mover } = positionHere();
  const you = yourSide(gameHere());
  const partner = you && [...choices().partner].find(({ value }) => value === gameHere()[other(you)])?.value;
  return begin(text, state.trial === null ? mover : other(mover), false, partner || state.partner);
}

function undo() {
  if (state.edited) {
    state.edited.now = state.edited.past.pop();
    return showEdited();
  }
  // Moves tried beside the game go first.
  if (state.steps) return step(-1);
  const game = gameHere();
  rewrite(game, game.line.slice(0, pliesBeforeOwn(game)));
  update({ ply: Infinity });
  return say("Taken back.");
}

/** Ask anew, in this mode, another, or with the form for a new game. Play shows a game's end, where it goes on. */
function turnTo(mode, setup = /** @type {string[] | null} */ (null)) {
  if (!mayLeave()) return;
  say("");
  trouble("");
  setQuestion("idle", "");
  if (mode) Object.assign(state, { mode, trial: null, setup, cell: null, stone: null });
  if (mode) $("best").open = mode === "analyse";
  update(mode === "play" ? { ply: Infinity } : {});
}

function stopOrGoOn() {
  if (state.question.is === "stopped") return turnTo();
  setQuestion("stopped");
  return render();
}

function drawSession() {
  const { mode, edited, setup, question: { is } } = state;
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-selected", String(mode === name));
  $("cols").setAttribute("aria-labelledby", `mode-${mode}`);
  $("undo").hidden ||= edited && !edited.past.length;
  $("edit").textContent = edited ? "Done" : "Edit";
  $("swap").hidden ||= !edited || unevenOf(edited.now).some(Boolean);
  // The form offers what was chosen last.
  for (const name of setup || isOffered() ? [] : ["partner", "person"]) choices()[name].value = state[name];
  $("run").textContent = is !== "stopped" ? "Stop" : wantedHere() === "review" ? "Judge this game" : "Go on";
  // In a review it stops the judging, or the analysis whose list is open.
  $("run").hidden ||= is === "idle" || !wantedHere() || (mode === "review" && gameHere().toldOf && !$("best").open);
  $("save").textContent = `Save game ${gameHere().number} as ${fileOf([gameHere()])}`;
  $("save-all").textContent = `Save all ${games.length} games as ${fileOf(games)}`;
}

const choices = () => /** @type {any} */ ($("setup")).elements;
/** Tell whether the shown game is the first one, which "Start" did not begin yet. */
const isOffered = () => gameHere().fresh && !gameHere().begun;
/** The player of a side in the game that the form offers. */
const chosen = (player) => (choices().person.value === player ? "you" : choices().partner.value);

/** Make the person's move in the played game; return the change of the state, or null if the move is a try. */
function play(move) {
  const game = gameHere();
  if (!isPlaying()) return null;
  if (position(game, game.line).mover !== personHere()) return { cell: null, stone: null };
  append(game, move);
  if (state.question.is === "stopped") setQuestion("idle");
  return { ply: game.line.length };
}

function askHint() {
  state.hint = { text: positionHere().text };
  setQuestion("idle");
  ask();
  if (state.question.key?.startsWith("hint")) say("Looking for a move.");
}

/** @param {Record<string, any>} board what answers.rs offers */
function startSession({ fresh, follows, match, time }) {
  Object.assign(state, { time, mode: fresh ? "play" : "review", setup: fresh ? gameHere().blocked : null });
  engine = { ask, play, hint: askHint, draw: drawSession, playOn, chosen };
  $("cols").role = "tabpanel";
  // Open a match, which may run, at its newest game; the engine leaves it the cores until you ask.
  if (match) Object.assign(state, { game: games.length - 1, ply: games.at(-1).line.length, question: { is: "stopped" } });
  games.forEach((game, n) => Object.assign(game, { seconds: [], fresh, fileIndex: follows ? n : undefined }));
  const have = games.length;
  // After a reload, the games and the view that were kept.
  optional(recall);
  listenToControls();
  listenToFiles();
  if (!follows) return;
  setInterval(drawFollowed, 1000);
  follow(have);
}

function listenToControls() {
  const blocked = { small: () => CELLS.filter((cell) => coordinates(cell)[0] + coordinates(cell)[1] > 5),
    full: () => CELLS.map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell) };
  const next = () => blocked[choices().cells.value]();
  const actions = { undo, save: () => save([gameHere()]), "save-all": () => save(games), run: stopOrGoOn,
    edit: startOrEndEditing, clear: clearEdited, swap: swapEdited, discard: discardEdited,
    "play-on": playOn,
    "setup-open": () => turnTo("play", next()), "setup-close": () => turnTo("play"),
    "loading-open": () => mayLeave() && openLoading(""), "loading-close": () => $("loading").close(),
    read: () => load([{ text: $("load").value }], { isTyped: true }) };
  for (const mode of MODES) actions[`mode-${mode}`] = () => turnTo(mode);
  // The form stays until its game begins.
  actions["mode-play"] = () => turnTo("play", isOffered() ? gameHere().blocked : null);
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  $("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    Object.assign(state, { person: choices().person.value, partner: choices().partner.value, counts: false });
    begin(state.setup.join(" "), state.person, true);
  });
  // The board beside the form is that of the game which it offers.
  $("setup").addEventListener("change", (event) => update(around(event, "[name=cells]") ? { setup: next() } : {}));
}
