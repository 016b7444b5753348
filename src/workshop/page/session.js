// The engine behind the page: play against it, ask it about any position, have it judge a game.
const LARGEST = 1 << 20;
const MODES = ["play", "analyse", "review"];
const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };
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
  stop();
  const abort = (session.abort = new AbortController());
  const ended = await send(question, (answer) => {
    if (session.broken) say("");
    session.broken = false;
    if (answer.error) {
      say(answer.error);
      Object.assign(session, { running: false, asked: null });
    }
    take(answer);
  }, abort.signal);
  if (session.abort !== abort || abort.signal.aborted) return;
  session.abort = null;
  if (ended === "gone") {
    Object.assign(session, { asked: null, broken: true });
    setTimeout(updateQuestion, RETRY);
    say(`${ENDS.gone} This page tries again by itself.`);
  } else if (ended !== "done") {
    session.running = false;
    say(ENDS[ended] ?? ended);
  }
  draw();
}

const stop = () => (session.abort = session.abort?.abort() ?? null);

/** Draw what has come, ten times a second, but not under a pressed finger or button: its click would be lost. */
function draw() {
  if (session.drawing || session.pressed) return;
  session.drawing = true;
  setTimeout(() => {
    session.drawing = false;
    if (session.pressed) return;
    const tables = () => [...document.querySelectorAll(".scroll")];
    const places = new Map(tables().map(({ id, scrollTop }) => [id, scrollTop]));
    render();
    for (const table of tables()) table.scrollTop = places.get(table.id);
  }, 100);
}

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
  if (here !== session.here) say("");
  session.here = here;
  if (session.mode === "play" && !now.over) wanted = turn ? "move" : session.hinting === text ? "hint" : null;
  else if (review) wanted = "review";
  else if (session.mode !== "play" && !now.over && !told?.complete && !told?.rested) wanted = "analyse";
  if (!session.running || session.editing) wanted = null;
  const asked = wanted && `${wanted} ${wanted === "review" ? game.record : text}`;
  if (asked === session.asked) return;
  Object.assign(session, { asked, began: performance.now() });
  if (!asked) stop();
  if (wanted === "move") askMove(game, text);
  if (wanted === "hint") ask({ ask: "hint", text }, ({ hint, ended }) => takeHint(text, hint, ended));
  if (wanted === "review") ask({ ask: "review", text: game.record }, (answer) => takeReview(game, answer));
  const { turns } = told ?? {};
  if (wanted === "analyse") ask({ ask: "analyse", text, turns }, (answer) => takeAnalysis(text, choices(game, state.ply, own), answer));
  drawRun();
}

/** Sit down at a game: on one's side, before its partner. */
function seat(game) {
  const player = ["red", "blue"].find((it) => game[it] === "you");
  Object.assign(session, { game, person: player ?? session.person });
  $("person").value = session.person;
  const [name, ...options] = player ? game[other(player)].split(",") : [];
  const isKnown = [...$("partner").options].some(({ value }) => value === name);
  if (isKnown) [$("partner").value, $("options").value] = [name, options.join(",")];
  if (session.mode === "play" && session.person !== side()) update({ flipped: !state.flipped });
}

function askMove(game, text) {
  if (!session.broken) say(`${NAME[other(session.person)]} is thinking.`);
  const left = Math.max(0, (session.time ?? 5) - spent(game, other(session.person)));
  ask({ ask: "move", text, player: partner(), left }, ({ move: chosen }) => {
    if (!chosen) return;
    append(game, chosen.move, chosen.seconds);
    update({ ply: game.moves.length });
    say(`${NAME[other(session.person)]} plays ${chosen.move}: ${chosen.why}.${result(game)}`);
  });
}

function takeHint(text, hint, ended) {
  if (ended) Object.assign(session, { asked: null, hinting: null });
  if (!hint) return;
  session.hints.set(text, hint.move);
  render();
  say(`${hint.move}: ${hint.why}`);
}

const result = ({ final_score: score }) => (score === null ? "" : ` ${winnerOf(score)}: Red has ${75 + score} points, Blue ${75 - score}.`);

const spent = (game, player) => game.moves.reduce((sum, move, n) => sum + (move.player === player && game.seconds[n] || 0), 0);

function takeAnalysis(text, held, { bounds, solve, moves, think, turns, why, doing, ended }) {
  const told = analyses.get(text) ?? { score: null, bounds: null, options: new Map(held.options), best: null };
  analyses.set(text, told);
  // A question that is asked again begins with wider ones.
  const tightest = (bounds) => told.bounds ? [Math.max(bounds[0], told.bounds[0]), Math.min(bounds[1], told.bounds[1])] : bounds;
  if (bounds) told.bounds = tightest(bounds);
  if (solve) {
    Object.assign(told, { score: solve.score, bounds: solve.score === null ? tightest(solve.bounds) : null, solve });
    told.complete = solve.complete && Boolean(solve.moves);
    if (solve.score !== null) solve.best.forEach((move) => told.options.set(move, solve.score));
  }
  for (const { move, score } of moves ?? solve?.moves ?? []) if (score !== null) told.options.set(move, score);
  Object.assign(told, think && { think, why }, turns && { turns }, doing && { doing });
  told.best = told.solve?.best[0] ?? told.think?.move ?? held.best;
  told.rested = ended === "done" && !told.complete;
  if (told.rested) say("The longest search has ended: “Go on” repeats it.");
  draw();
}

function takeReview(game, { judged, review }) {
  if (!judged && !review) return;
  if (judged) game.raw.moves[judged.ply - 1] = judged.known;
  else Object.assign(game.raw, review, { number: game.number, title: game.title, red: game.red, blue: game.blue });
  Object.assign(game, readGame(game.raw), { tried: game.tried, reviewed: Boolean(review) });
  say(review ? "The game is judged." : `Judged from the end to ply ${judged.ply}.`);
  drawn = "";
  draw();
  if (!review) return;
  drawList();
  session.asked = null;
  updateQuestion();
}

function append(game, move, seconds) {
  game.seconds[game.moves.length] = seconds;
  rewrite(game, [...game.moves.map(({ move }) => move), move]);
}

/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, moves) {
  const { raw, setup, tried } = game;
  Object.assign(raw, { record: [...setup, ...moves].join(" "), moves: moves.map((_, n) => raw.moves[n] ?? {}),
    summary: { red: NO_TALLY, blue: NO_TALLY }, final_score: null, decided: null, points: null, fault: null });
  Object.assign(game, readGame(raw), { tried, reviewed: false, since: performance.now() });
  const { over, cells, empty } = position(game, moves.length, []);
  if (over) game.final_score = raw.final_score = finalScore(cells, empty[0]);
  drawn = "";
}

/** Begin a game where another begins or has come to; a game that is left in its middle can be gone back to. */
async function begin(record, fresh) {
  const [red, blue] = $("person").value === "red" ? ["you", partner()] : [partner(), "you"];
  const left = games[state.game];
  const before = left.moves.length && left.final_score === null ? left.number : null;
  session.running = true;
  const began = await load([{ text: headed({ red, blue, number: 1, record }) }], { fresh: Boolean(fresh), before });
  if (began && before && !session.abort) say(`A new game. “Undo” goes back to game ${before}.`);
}

/** Read the games of a text: `{ games, left_out }`, or `{ error }`. */
async function read(text) {
  if (new Blob([JSON.stringify(text)]).size > LARGEST - 100) return { error: "the text is larger than 1 MB: load a part of it" };
  const found = {};
  const ended = await send({ ask: "read", text }, (answer) => Object.assign(found, answer));
  return found.games || found.error ? found : { error: ENDS[ended] ?? ended };
}

/** Read files; a folder is none. */
async function readFiles(files) {
  if (!files.length) return;
  await load(await Promise.all([...files].map(async (file) => {
    const text = file.size < LARGEST ? await file.text().catch(() => null) : "x".repeat(LARGEST);
    return text === null ? { name: file.name, error: "a folder, or a file that cannot be read" } : { name: file.name, text };
  })));
}

/** Take in the games of texts or files and look at the first; tell whether there is one. Those of which the page
 * has the same already, as of a journal that has grown, are not taken again. */
async function load(sources, { ply, you, fresh, before } = {}) {
  if (!mayLeave()) return false;
  $("trouble").hidden = true;
  const [raws, wrong] = [[], []];
  let more = 0;
  for (const { name, text, error } of sources) {
    const found = error ? { error } : await read(text);
    if (found.error) wrong.push(name ? `${name}: ${found.error}` : found.error);
    const own = found.games ?? [];
    for (const raw of own.length === 1 ? own : []) raw.title = raw.title.replace(/^round \d+$/, "");
    raws.push(...own);
    more += found.left_out ?? 0;
  }
  if (wrong.length) trouble(wrong.join("; "));
  if (!raws.length) {
    update({});
    return false;
  }
  const here = fresh === undefined ? [...games] : [];
  const taken = raws.map((raw) => {
    const at = here.findIndex((game) => ["red", "blue", "record"].every((key) => game[key] === raw[key]));
    return at < 0 ? { ...readGame(raw), raw, fresh, before, seconds: [], since: performance.now() } : here.splice(at, 1)[0];
  });
  const added = taken.filter((game) => !games.includes(game));
  const old = games;
  // A game that was begun and not played gives way.
  const kept = games.filter((game) => !game.fresh || game.moves.length || game.tried.length || taken.includes(game));
  const number = Math.max(0, ...kept.map((game) => game.number)) + 1;
  added.forEach((game, n) => (game.number = game.raw.number = number + n));
  games = [...kept, ...added];
  const isFull = !keep(ROOM);
  if (isFull) {
    games = old;
    trouble(`This browser has no room for ${added.length} games more beside the ${old.length} on this page: load them in another tab.`);
  }
  state.game = Math.max(0, games.indexOf(old[state.game]));
  drawn = "";
  drawList();
  const game = taken.find((game) => games.includes(game));
  if (!game) {
    update({});
    return false;
  }
  session.person = Object.hasOwn(SIGN, you) ? you : position(game, game.moves.length, []).mover;
  update({ game: games.indexOf(game), ply: ply ?? game.moves.length });
  const counts = [`Loaded ${raws.length} games, the first is shown`, added.length < taken.length && `${taken.length - added.length} of them were here already`,
    more && `${more} more are left out`];
  if (more || fresh === undefined) say(raws.length === 1 ? "Loaded." : `${counts.filter(Boolean).join("; ")}.`);
  return true;
}

/** Characters that the games may grow by. */
const ROOM = 100_000;

/** Keep the games over a reload, with room for some characters more; false where the browser has not so much. */
function keep(room) {
  const kept = games.map(({ raw, tried, fresh, before, seconds, reviewed, since }) =>
    ({ raw, tried, fresh, before, seconds, reviewed, used: Math.round(performance.now() - since) }));
  try {
    sessionStorage.setItem(location.pathname, JSON.stringify(kept) + " ".repeat(room));
  } catch (error) {
    // Where nothing may be kept at all, the page works without it.
    return error.name !== "QuotaExceededError";
  }
  return true;
}

/** Return the games that were kept. */
const keptGames = () => JSON.parse(sessionStorage.getItem(location.pathname))
  .map(({ raw, used, ...more }) => ({ ...readGame(raw), raw, ...more, since: performance.now() - used }));

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

/** A game as text, as it is saved and as the log of a match has it. */
function headed({ red, blue, title, number, record, points, fault }) {
  const round = /^round (\d+)$/.exec(title)?.[1] ?? number;
  const lines = [`# red ${red}, blue ${blue}, round ${round}`, record, points && `# points ${points.join(" to ")}`, points && fault && `# fault of ${fault}`];
  return lines.filter(Boolean).map((line) => `${line.replace(/\s+/g, " ")}\n`).join("");
}

function save(game) {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(headed(game))}`;
  make("a", { href, download: "blackhole.txt" }).click();
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
  const toMove = red.length === blue.length ? [`to-move:${first}`] : [];
  const record = [...blocked, `red:${red.join(",")}`, `blue:${blue.join(",")}`, ...toMove, ...moves].join(" ");
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

/** Draw what was edited, and who is to move then. */
function edited(change) {
  const { moves, left, cells } = Object.assign(session.editing, change, { changed: true });
  const more = left.red.size - left.blue.size;
  if (more && !moves.length) session.editing.mover = session.editing.first = more > 0 ? "red" : "blue";
  session.editing.empty = CELLS.filter((cell) => !cells.has(cell));
  say("");
  render();
}

/** Say what is missing in what is edited; "" where it is a position. */
function missingOf({ left, empty, mover }) {
  const [more, cells] = [left[mover].size - left[other(mover)].size, empty.length - left.red.size - left.blue.size - 1];
  if (more < 0 || more > 1) return `${NAME[mover]}, who is to move, needs as many stones as ${NAME[other(mover)]} or one more`;
  if (cells < 0) return `free ${-cells} more of the cells, or take as many stones out of the hands`;
  return cells > 0 ? `block ${cells} more of the cells, or put as many stones into the hands` : "";
}

function tellEdited() {
  const { left, empty } = session.editing;
  $("answer").textContent = "Click cells to block or free them, stones to take them out of a hand or put them in. Now "
    + `${empty.length} cells are empty, ${left.red.size} red and ${left.blue.size} blue stones in hand: ${missingOf(session.editing) || "ready"}.`;
}

function restart(change) {
  say("");
  stop();
  // What was wrong with a text is past.
  $("trouble").hidden = true;
  Object.assign(session, { asked: null }, change);
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
  const told = play || session.editing ? null : analyses.get(textOf(game, state.ply, ownMoves()));
  $("thoughts").replaceChildren(...(told && !state.turn ? thoughts(told, now) : []));
  if (session.editing) tellEdited();
}

/** Draw the button that stops or goes on. */
function drawRun() {
  const isRested = session.mode !== "play" && analyses.get(textOf(games[state.game], state.ply, ownMoves()))?.rested;
  $("run").textContent = session.running && !isRested ? "Stop" : "Go on";
  $("run").disabled = session.running && !isRested && !session.abort && !session.broken;
}

function drawClock() {
  const game = games[state.game];
  const { mover, over } = position(game, game.moves.length, []);
  const since = mover === session.person ? game.since : session.asked?.startsWith("move") ? session.began : performance.now();
  const used = (player) => spent(game, player) + (player === mover && !over ? (performance.now() - since) / 1000 : 0);
  const clock = (player) => (player === session.person ? `you used ${used(player).toFixed(0)} s`
    : `${game[player] || partner()} ${session.time === null ? `${used(player).toFixed(1)} s` : `${Math.max(0, session.time - used(player)).toFixed(1)} s left`}`);
  const text = `Clock: Red, ${clock("red")}; Blue, ${clock("blue")}.${result(game)}`;
  $("clock").textContent = session.mode === "play" ? text : "";
}

/** Say what the engine thinks of a position: chances of the targets, moves, lines. */
function thoughts({ think, solve, score, why, doing }, now) {
  const parts = session.abort && doing ? [make("p", { class: "legend" }, `Now: ${doing}.`)] : [];
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
  if (rows.length) parts.push(scroll("Moves of the search", make("table", {}, head(["Move", think.target === null ? "Chance" : `${reached(think.target)} or more`,
    "Visits", "Secures"], [1, 2, 3]), make("tbody", {}, ...rows))), make("p", { class: "legend" }, "The chance to get what it aims "
    + "at. Visits: how often the search tried the move. Secures: the score that it is proven to reach, or better."));
  return parts;
}

function startSession({ time, levels, players, fresh }) {
  const at = () => games[state.game];
  session = { time, levels, mode: fresh ? "play" : "review", person: "red", running: true, editing: null,
    hints: new Map(), asked: null, abort: null, broken: false, mayLeave, updateQuestion, draw: drawSession,
    isPlaying: (game) => session.mode === "play" && !state.own && state.ply === game.moves.length,
    address: (game) => `#${new URLSearchParams({ mode: session.mode, ply: state.ply, partner: $("partner").value,
      options: $("options").value, you: session.person, text: headed(game) })}`,
    play: (game, move) => {
      const { mover } = position(game, state.ply, ownMoves());
      if (!session.isPlaying(game)) return null;
      if (mover !== session.person) return { cell: null, stone: null };
      append(game, move, (performance.now() - game.since) / 1000);
      session.running = true;
      return { ply: game.moves.length };
    },
    toggle: (set, item) => {
      const { cells, left } = session.editing;
      if (set === "blocked") cells.delete(item) || cells.set(item, { player: "blocked" });
      else left[set].delete(item) || left[set].add(item);
      edited({});
    },
    follow: (wanted) => {
      const [text, name, partner, you] = ["text", "mode", "partner", "you"].map((key) => wanted.get(key));
      const ply = parseInt(wanted.get("ply")) || 0;
      if (MODES.includes(name)) session.mode = name;
      if ([...levels, ...players].includes(partner)) $("partner").value = partner;
      const found = games.findIndex((game) => [game.record, headed(game)].includes(text));
      if (text === null) return false;
      $("options").value = wanted.get("options") ?? "";
      if (found < 0) load([{ text }], { ply, you });
      else {
        if (Object.hasOwn(SIGN, you)) session.person = you;
        update({ game: found, ply });
      }
      return true;
    } };
  $("now").after($("thoughts"));
  $("answer").before($("clock"), $("said"), $("helps"));
  $("game").after($("list"));
  $("list-title").textContent = "Games";
  $("partner").append(...[...levels, ...players].map((name) => make("option", { value: name }, name)));
  $("partner").value = "expert";
  const raws = JSON.parse($("data").textContent).games;
  for (const game of games) Object.assign(game, { raw: raws.find(({ number }) => number === game.number), seconds: [], since: performance.now(), fresh });
  // What a page that is loaded again knew.
  if (new URLSearchParams(location.hash.slice(1)).has("text")) games = optional(keptGames) ?? games;
  const here = () => textOf(at(), state.ply, ownMoves());
  const small = CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5);
  const random = () => [...CELLS].map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell);
  const boards = { random: () => begin(random().join(" "), true), small: () => begin(small.join(" "), true),
    same: () => begin(textOf(at(), 0, []), true), here: () => begin(here()) };
  const actions = { new: () => boards[$("cells").value](), undo: () => undo(at()), save: () => save(at()),
    edit: () => edit(at()), clear: () => session.editing && edited({ cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])),
      left: { red: new Set(), blue: new Set() }, moves: [] }),
    swap: () => session.editing && edited({ mover: other(session.editing.mover), first: other(session.editing.mover) }),
    discard: () => update({ ply: state.ply }, (session.editing = null)),
    read: () => load([{ text: $("load").value }]), ...Object.fromEntries(MODES.map((name) => [`mode-${name}`, () => restart({ mode: name, running: true })])),
    hint: () => {
      if (session.asked?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
      Object.assign(session, { hinting: here(), running: true });
      return updateQuestion();
    },
    run: () => {
      const told = session.mode === "play" ? null : analyses.get(here());
      // The last search once more.
      if (told?.rested) Object.assign(told, { rested: false, turns: told.turns - 1 });
      restart({ running: told?.rested === false && $("run").textContent === "Go on" || !session.running });
    } };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  const change = () => {
    if (session.asked?.startsWith("move") || !session.running) Object.assign(session, { asked: null, running: true });
    const [game, theirs] = [at(), other(session.person)];
    if (game[session.person] === "you" && game.final_score === null) game[theirs] = game.raw[theirs] = partner();
    drawn = "";
    drawList();
    update({});
  };
  for (const id of ["partner", "options"]) $(id).addEventListener("change", change);
  $("file").addEventListener("change", () => {
    const files = [...$("file").files];
    // The same file can be chosen again.
    $("file").value = "";
    readFiles(files);
  });
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      // Text is dropped into fields.
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      if (name === "drop") readFiles(event.dataTransfer.files);
    });
  }
  for (const [target, name] of [[window, "pagehide"], [document, "visibilitychange"]]) target.addEventListener(name, () => keep(0));
  setInterval(drawClock, 1000);
  addEventListener("beforeprint", drawPaper);
  document.addEventListener("pointerdown", (event) => (session.pressed = event.button === 0 && !event.target.closest("select, input, textarea")));
  // After the click. A menu or a drag may swallow the release.
  const release = () => session.pressed && setTimeout(() => draw((session.pressed = false)));
  for (const name of ["pointerup", "pointercancel", "contextmenu", "dragend", "blur"]) addEventListener(name, release);
  addEventListener("pointermove", (event) => event.buttons || release());
}
