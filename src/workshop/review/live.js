// The engine behind the page: play against it, ask it about any position, have it judge a game.
const LARGEST = 1 << 20;
const MODES = ["play", "analyse", "review"];
const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };
const say = (text) => ($("said").textContent = text);
const partner = () => [$("partner").value, $("options").hidden ? "" : $("options").value.trim()].filter(Boolean).join(",");

/** Ask the engine, which leaves what it was asked before, and take its answers as they come. */
async function ask(question, take) {
  stop();
  const abort = (live.abort = new AbortController());
  let ended = null;
  const hear = (line) => {
    const answer = JSON.parse(line);
    ended = answer.ended ?? ended;
    if (answer.error && question.ask !== "read") {
      say(answer.error);
      Object.assign(live, { running: false, asked: null });
    }
    // What fails here is no fault of the connection.
    queueMicrotask(() => abort.signal.aborted || take(answer));
  };
  try {
    const body = JSON.stringify(question);
    const { ok, body: stream } = await fetch(`${location.pathname.replace(/\/$/, "")}/ask`, { method: "POST", body, signal: abort.signal });
    if (!ok) throw new Error("refused");
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach(hear);
    }
  } catch (error) {
    ended ??= "gone";
  }
  if (live.abort !== abort || abort.signal.aborted) return;
  if (ended === "taken over" && question.ask === "read") return ask(question, take);
  live.abort = null;
  if (ended !== "done") {
    live.running = false;
    say({ "taken over": "Another page has taken over the engine. “Go on” takes it back.",
      failed: "The engine failed at this position." }[ended] ?? "The program does not answer any more: start it again.");
  }
  draw();
}

const stop = () => (live.abort = live.abort?.abort() ?? null);

/** Draw what has come, ten times a second, but not under a pressed finger or button: its click would be lost. */
function draw() {
  if (live.drawing || live.pressed) return;
  live.drawing = true;
  setTimeout(() => {
    live.drawing = false;
    if (live.pressed) return;
    const tables = () => [...document.querySelectorAll(".scroll")];
    const places = new Map(tables().map(({ id, scrollTop }) => [id, scrollTop]));
    render();
    for (const table of tables()) table.scrollTop = places.get(table.id);
  }, 100);
}

/** Ask what the position that is looked at asks for; leave what no longer does. */
function look() {
  // What is read comes first; then it is looked again.
  if (live.asked === "read") return;
  const [game, own] = [games[state.game], ownMoves()];
  const [text, now] = [textOf(game, state.ply, own), position(game, state.ply, own)];
  if (live.game !== game) seat(game);
  const review = live.mode === "review" && !game.reviewed && game.moves.length > 0;
  const turn = !own.length && state.ply === game.moves.length && now.mover !== live.person;
  let wanted = null;
  const here = `${live.mode} ${text}`;
  if (here !== live.here) say("");
  live.here = here;
  if (live.mode === "play" && !now.over) wanted = turn ? "move" : live.hinting === text ? "hint" : null;
  else if (review) wanted = "review";
  else if (live.mode !== "play" && !now.over && !heard.get(text)?.complete) wanted = "analyse";
  if (!live.running || live.editing) wanted = null;
  const asked = wanted && `${wanted} ${wanted === "review" ? game.record : text}`;
  if (asked === live.asked) return;
  Object.assign(live, { asked, began: Date.now() });
  if (!asked) stop();
  if (wanted === "move") askMove(game, text);
  if (wanted === "hint") ask({ ask: "hint", text }, ({ hint, ended }) => takeHint(text, hint, ended));
  if (wanted === "review") ask({ ask: "review", text: game.record }, (answer) => takeReview(game, answer));
  const turns = heard.get(text)?.turns;
  if (wanted === "analyse") ask({ ask: "analyse", text, turns }, (answer) => takeAnalysis(text, choices(game, state.ply, own), answer));
}

/** Sit down at a game: on one's side, before its partner. */
function seat(game) {
  const player = ["red", "blue"].find((it) => game[it] === "you");
  Object.assign(live, { game, person: player ?? live.person });
  $("person").value = live.person;
  const [name, ...options] = player ? game[other(player)].split(",") : [];
  const isKnown = [...$("partner").options].some(({ value }) => value === name);
  if (isKnown) [$("partner").value, $("options").value] = [name, options.join(",")];
  if (live.mode === "play" && live.person !== side()) update({ flipped: !state.flipped });
}

function askMove(game, text) {
  say(`${NAME[other(live.person)]} is thinking.`);
  const left = Math.max(0, (live.time ?? 5) - spent(game, other(live.person)));
  ask({ ask: "move", text, player: partner(), left }, ({ move: chosen }) => {
    if (!chosen) return;
    append(game, chosen.move, chosen.seconds);
    update({ ply: game.moves.length });
    say(`${NAME[other(live.person)]} plays ${chosen.move}: ${chosen.why}.${result(game)}`);
  });
}

function takeHint(text, hint, ended) {
  if (ended) Object.assign(live, { asked: null, hinting: null });
  if (!hint) return;
  live.hints.set(text, hint.move);
  render();
  say(`${hint.move}: ${hint.why}`);
}

const result = ({ final_score: score }) => (score === null ? "" : ` ${winnerOf(score)}: Red has ${75 + score} points, Blue ${75 - score}.`);

const spent = (game, player) => game.moves.reduce((sum, move, n) => sum + (move.player === player && game.seconds[n] || 0), 0);

function takeAnalysis(text, held, { bounds, solve, moves, think, turns, why, doing }) {
  const told = heard.get(text) ?? { score: null, bounds: null, options: new Map(held.options), best: null };
  heard.set(text, told);
  // A question that is asked again begins with wider ones.
  const tightest = (bounds) => told.bounds ? [Math.max(bounds[0], told.bounds[0]), Math.min(bounds[1], told.bounds[1])] : bounds;
  if (bounds) told.bounds = tightest(bounds);
  if (solve) {
    Object.assign(told, { score: solve.score, bounds: solve.score === null ? tightest(solve.bounds) : null, solve });
    told.complete = solve.complete && Boolean(solve.moves);
    if (solve.score !== null) solve.best.forEach((move) => told.options.set(move, solve.score));
  }
  for (const { move, score } of moves ?? solve?.moves ?? []) if (score !== null) told.options.set(move, score);
  Object.assign(told, think && { think }, turns && { turns }, why && { why }, doing && { doing });
  told.best = told.solve?.best[0] ?? told.think?.move ?? held.best;
  draw();
}

function takeReview(game, { judged, review }) {
  if (!judged && !review) return;
  if (judged) game.raw.moves[judged.ply - 1] = judged.row;
  else Object.assign(game.raw, review, { number: game.number, title: game.title, red: game.red, blue: game.blue });
  Object.assign(game, readGame(game.raw), { tried: game.tried, reviewed: Boolean(review) });
  say(review ? "The game is judged." : `Judged from the end to ply ${judged.ply}.`);
  drawn = "";
  draw();
  if (!review) return;
  drawList();
  live.asked = null;
  look();
}

function append(game, move, seconds) {
  game.seconds[game.moves.length] = seconds;
  rewrite(game, [...game.moves.map(({ move }) => move), move]);
}

/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, moves) {
  const { raw, setup, tried } = game;
  Object.assign(raw, { record: [...setup, ...moves].join(" "), moves: moves.map((_, n) => raw.moves[n] ?? []),
    summary: { red: NO_TALLY, blue: NO_TALLY }, final_score: null, decided: null, points: null });
  Object.assign(game, readGame(raw), { tried, reviewed: false, since: Date.now() });
  const { over, cells, empty } = position(game, moves.length, []);
  if (over) game.final_score = raw.final_score = finalScore(cells, empty[0]);
  drawn = "";
}

/** Begin a game where another begins or has come to. */
function begin(record, fresh) {
  const [red, blue] = $("person").value === "red" ? ["you", partner()] : [partner(), "you"];
  live.running = true;
  load(headed({ red, blue, number: 1, record }), { fresh: Boolean(fresh) });
}

/** Read games from text, and look at the first; `kept` is what a page that was loaded again knew of it. */
function load(text, { ply, you, kept, fresh } = {}) {
  if (live.pending && !kept) return location.reload();
  if (new Blob([JSON.stringify(text)]).size > LARGEST - 100) return say("The text is larger than 1 MB: load a part of it.");
  live.asked = "read";
  $("trouble").hidden = true;
  return ask({ ask: "read", text }, ({ games: read, left_out: left, error }) => {
    if (error) {
      trouble(error);
      live.asked = null;
      update({});
    }
    if (!read) return;
    // A game that was begun and not played gives way.
    games = kept ? [] : games.filter((game) => !game.fresh || game.moves.length || game.tried.length);
    const first = games.length + Math.min(kept?.game ?? 0, read.length - 1);
    const number = Math.max(0, ...games.map((game) => game.number)) + 1;
    read.forEach((raw, n) => {
      const title = read.length > 1 ? raw.title : raw.title.replace(/^round \d+$/, "");
      Object.assign(raw, { number: number + n, title: kept?.games[n].title ?? title });
      games.push({ ...readGame(raw), raw, fresh, seconds: [], since: Date.now(), ...kept?.games[n] });
    });
    drawn = "";
    drawList();
    const game = games[first];
    live.person = Object.hasOwn(SIGN, you) ? you : position(game, game.moves.length, []).mover;
    Object.assign(live, { asked: null, editing: null, pending: null });
    update({ game: first, ply: ply ?? game.moves.length });
    const many = `Loaded ${read.length} games, the first is shown${left ? `; ${left} more are left out` : ""}.`;
    if (left || !kept && fresh === undefined) say(read.length === 1 ? "Loaded." : many);
  });
}

/** Go back to before one's last move; what is taken back stays as a line to look at. */
function undo(game) {
  const own = game.moves.map(({ player }) => player).lastIndexOf(live.person);
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

/** A game as text, as it is saved. */
const headed = ({ red, blue, number, record }) =>
  `${`# red ${red}, blue ${blue}, round ${number}`.replace(/\s+/g, " ")}\n${record}\n`;

function save(game) {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(headed(game))}`;
  make("a", { href, download: "blackhole.txt" }).click();
}

/** Begin or end editing: what is edited is a game of its own then, with the moves made so far. */
function edit(game) {
  if (!live.editing) {
    const moves = [...game.moves.slice(0, state.ply).map(({ move }) => move), ...ownMoves()];
    const none = { over: false, next: null, last: null, options: new Map(), best: null, known: standing([]) };
    live.editing = { ...position(game, state.ply, ownMoves()), ...none, moves, first: game.first };
    return update({ cell: null, stone: null });
  }
  if (!isReady(live.editing)) return null;
  const { cells, left, moves, first } = live.editing;
  const stones = (player) => [...left[player], ...[...cells.values()].filter((it) => it.player === player).map(({ stone }) => stone)];
  const [red, blue] = [stones("red"), stones("blue")];
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const toMove = red.length === blue.length ? [`to-move:${first}`] : [];
  const record = [...blocked, `red:${red.join(",")}`, `blue:${blue.join(",")}`, ...toMove, ...moves].join(" ");
  return load(headed({ ...game, record }));
}

/** Draw what was edited, and who is to move then. */
function edited(change) {
  const { moves, left, cells } = Object.assign(live.editing, change);
  const more = left.red.size - left.blue.size;
  if (more && !moves.length) live.editing.mover = live.editing.first = more > 0 ? "red" : "blue";
  live.editing.empty = CELLS.filter((cell) => !cells.has(cell));
  render();
}

/** Tell whether what is edited is a position. */
function isReady({ left, empty, mover, moves }) {
  const more = left[mover].size - left[other(mover)].size;
  return empty.length === left.red.size + left.blue.size + 1 && (more === 0 || more === 1 || !moves.length && more === -1);
}

function tellEdited() {
  const { left, empty } = live.editing;
  const needed = "needed are one cell more than stones, and as many stones of both, or one more of who is to move.";
  $("answer").textContent = "Click cells to block or free them, stones to take them out of a hand or put them in. Now "
    + `${empty.length} cells are empty, ${left.red.size} red and ${left.blue.size} blue stones in hand: ${isReady(live.editing) ? "ready." : needed}`;
}

function begun(change) {
  say("");
  stop();
  Object.assign(live, { asked: null, editing: null }, change);
  update(change.mode ? { turn: false } : {});
}

function drawLive(game, now) {
  for (const name of MODES) $(`mode-${name}`).setAttribute("aria-pressed", String(live.mode === name));
  const play = live.mode === "play";
  const hidden = { "graph-part": play, totals: play || !game.reviewed, "mistake-back": play, "mistake-forward": play, turn: play,
    partners: !play, helps: !play || live.editing, hint: now.over, run: live.editing, clear: !live.editing, swap: !live.editing,
    options: live.levels.includes($("partner").value) };
  for (const [id, is] of Object.entries(hidden)) $(id).hidden = is;
  $("run").textContent = live.running ? "Stop" : "Go on";
  $("edit").textContent = live.editing ? "End editing" : "Edit cells and hands";
  drawClock();
  const told = play || live.editing ? null : heard.get(textOf(game, state.ply, ownMoves()));
  $("thoughts").replaceChildren(...(told && !state.turn ? thoughts(told, now) : []));
  if (live.editing) tellEdited();
}

function drawClock() {
  const game = games[state.game];
  const { mover, over } = position(game, game.moves.length, []);
  const since = mover === live.person ? game.since : live.asked?.startsWith("move") ? live.began : Date.now();
  const used = (player) => spent(game, player) + (player === mover && !over ? (Date.now() - since) / 1000 : 0);
  const clock = (player) => (player === live.person ? `you used ${used(player).toFixed(0)} s`
    : `${game[player] || partner()} ${live.time === null ? `${used(player).toFixed(1)} s` : `${Math.max(0, live.time - used(player)).toFixed(1)} s left`}`);
  const text = `Clock: Red, ${clock("red")}; Blue, ${clock("blue")}.${result(game)}`;
  $("clock").textContent = live.mode === "play" ? text : "";
}

/** Say what the engine thinks of a position: chances of the targets, moves, lines. */
function thoughts({ think, solve, score, why, doing }, now) {
  const parts = live.abort && doing ? [make("p", { class: "legend" }, `Now: ${doing}.`)] : [];
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

function startLive({ time, levels, players, fresh }) {
  const at = () => games[state.game];
  // What a page that is loaded again knew.
  let kept = optional(() => history.state);
  live = { time, levels, mode: fresh ? "play" : "review", person: "red", running: true, editing: null,
    hints: new Map(), asked: null, abort: null, pending: null, look, draw: drawLive,
    isPlaying: (game) => live.mode === "play" && !state.own && state.ply === game.moves.length,
    address: (game) => `#${new URLSearchParams({ mode: live.mode, ply: state.ply, partner: $("partner").value,
      options: $("options").value, you: live.person, text: headed(game) })}`,
    kept: () => live.pending ?? { text: games.map(headed).join(""), game: state.game,
      games: games.map(({ title, tried, fresh, seconds, points, fault, since }) =>
        ({ title, tried, fresh, seconds, points, fault, since })) },
    play: (game, move) => {
      const { mover } = position(game, state.ply, ownMoves());
      if (!live.isPlaying(game)) return null;
      if (mover !== live.person) return { cell: null, stone: null };
      append(game, move, (Date.now() - game.since) / 1000);
      live.running = true;
      return { ply: game.moves.length };
    },
    toggle: (set, item) => {
      const { cells, left } = live.editing;
      if (set === "blocked") cells.delete(item) || cells.set(item, { player: "blocked" });
      else left[set].delete(item) || left[set].add(item);
      edited({});
    },
    follow: (wanted) => {
      const [text, name, partner, you] = ["text", "mode", "partner", "you"].map((key) => wanted.get(key));
      const ply = parseInt(wanted.get("ply")) || 0;
      if (MODES.includes(name)) live.mode = name;
      if ([...levels, ...players].includes(partner)) $("partner").value = partner;
      const found = games.findIndex((game) => [game.record, headed(game)].includes(text));
      if (text === null) return false;
      $("options").value = wanted.get("options") ?? "";
      Object.assign(live, { editing: null, pending: kept });
      if (kept || found < 0) load(kept?.text ?? text, { ply, you, kept });
      else update({ game: found, ply });
      kept = null;
      return true;
    } };
  $("now").after($("thoughts"));
  $("answer").before($("clock"), $("said"), $("helps"));
  $("game").after($("list"));
  $("list-title").textContent = "Games";
  $("partner").append(...[...levels, ...players].map((name) => make("option", { value: name }, name)));
  $("partner").value = "expert";
  const raws = JSON.parse($("data").textContent).games;
  for (const game of games) Object.assign(game, { raw: raws.find(({ number }) => number === game.number), seconds: [], since: Date.now(), fresh });
  const here = () => textOf(at(), state.ply, ownMoves());
  const small = CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5);
  const random = () => [...CELLS].map((cell) => [Math.random(), cell]).sort().slice(0, 5).map(([, cell]) => cell);
  const boards = { random: () => begin(random().join(" "), true), small: () => begin(small.join(" "), true),
    same: () => begin(textOf(at(), 0, []), true), here: () => begin(here()) };
  const actions = { new: () => boards[$("cells").value](), undo: () => undo(at()), save: () => save(at()),
    edit: () => edit(at()), clear: () => live.editing && edited({ cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])),
      left: { red: new Set(), blue: new Set() }, moves: [] }),
    swap: () => live.editing?.moves.length === 0 && edited({ mover: other(live.editing.mover), first: other(live.editing.mover) }),
    read: () => load($("load").value), ...Object.fromEntries(MODES.map((name) => [`mode-${name}`, () => begun({ mode: name, running: true })])),
    hint: () => {
      if (live.asked?.startsWith("move")) return say("It is the other's turn: ask for a hint on yours.");
      Object.assign(live, { hinting: here(), running: true });
      return look();
    },
    run: () => begun({ running: !live.running }) };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  const take = async (file) => file && load(file.size < LARGEST ? await file.text() : "x".repeat(LARGEST));
  const change = () => {
    if (live.asked?.startsWith("move") || !live.running) Object.assign(live, { asked: null, running: true });
    const [game, theirs] = [at(), other(live.person)];
    if (game[live.person] === "you" && game.final_score === null) game[theirs] = game.raw[theirs] = partner();
    drawn = "";
    drawList();
    update({});
  };
  for (const id of ["partner", "options"]) $(id).addEventListener("change", change);
  $("file").addEventListener("change", () => take($("file").files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  setInterval(drawClock, 1000);
  addEventListener("beforeprint", drawPaper);
  document.addEventListener("pointerdown", () => (live.pressed = true));
  // After the click.
  const release = () => setTimeout(() => draw((live.pressed = false)));
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, release);
}
