// The engine behind the page: play against it, ask it about any position, have it judge a game.
/** What the program takes at once, in bytes. */
const LARGEST = 1 << 20;
const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };
const say = (text) => ($("said").textContent = text);
/** Who one plays against: a level, or a built-in player with options. */
const partner = () => [$("partner").value, $("options").hidden ? "" : $("options").value.trim()].filter(Boolean).join(",");

/** Ask the engine, which leaves what it was asked before, and take its answers as they come. */
async function ask(question, take) {
  live.abort?.abort();
  const abort = (live.abort = new AbortController());
  let ended = null;
  const hear = (line) => {
    const answer = JSON.parse(line);
    ended = answer.ended ?? ended;
    if (answer.error) say(answer.error);
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
  live.abort = null;
  if (ended !== "done") {
    live.running = false;
    say({ "taken over": "Another page has taken over the engine. “Go on” takes it back.",
      failed: "The engine failed at this position." }[ended] ?? "The program does not answer any more: start it again.");
  }
  draw();
}

/** Draw what has come, but not under a pressed finger or button: its click would be lost. */
function draw() {
  if (live.drawing || live.pressed) return;
  live.drawing = true;
  requestAnimationFrame(() => {
    live.drawing = false;
    if (live.pressed) return;
    const tables = () => [...document.querySelectorAll(".scroll")];
    const places = new Map(tables().map(({ id, scrollTop }) => [id, scrollTop]));
    render();
    for (const table of tables()) table.scrollTop = places.get(table.id);
  });
}

/** Ask what the position that is looked at asks for; leave what no longer does. */
function look() {
  const game = games[state.game];
  const own = ownMoves();
  const text = textOf(game, state.ply, own);
  const now = position(game, state.ply, own);
  const review = live.mode === "review" && !game.reviewed && game.moves.length > 0;
  const turn = !own.length && state.ply === game.moves.length && now.mover !== live.person;
  let wanted = null;
  const here = `${live.mode} ${text}`;
  if (here !== live.here) say("");
  live.here = here;
  if (live.mode === "play") wanted = turn && !now.over ? "move" : null;
  else if (review) wanted = "review";
  else if (!now.over && !heard.get(text)?.complete) wanted = "analyse";
  if (!live.running || live.editing) wanted = null;
  const asked = wanted && `${wanted} ${wanted === "review" ? game.record : text}`;
  if (asked === live.asked) return;
  live.asked = asked;
  live.since = performance.now();
  if (!asked) live.abort?.abort();
  if (wanted === "move") askMove(game, text);
  if (wanted === "review") ask({ ask: "review", text: game.record }, (answer) => takeReview(game, answer));
  const turns = heard.get(text)?.turns;
  if (wanted === "analyse") ask({ ask: "analyse", text, turns }, (answer) => takeAnalysis(text, choices(game, state.ply, own), answer));
}

function askMove(game, text) {
  say(`${NAME[other(live.person)]} is thinking.`);
  const left = live.time - spent(game, other(live.person));
  ask({ ask: "move", text, player: partner(), left: Math.max(0, left) }, ({ move: chosen }) => {
    if (!chosen) return;
    append(game, chosen.move, chosen.seconds);
    update({ ply: game.moves.length });
    say(`${NAME[other(live.person)]} plays ${chosen.move}: ${chosen.why}.${result(game)}`);
  });
}

/** Say how a game ended, if it did. */
function result(game) {
  if (game.final_score === null) return "";
  const score = game.final_score;
  const winner = score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw";
  return ` ${winner}: Red has ${75 + score} points, Blue ${75 - score}.`;
}

const spent = (game, player) => game.moves.reduce((sum, move) => sum + (move.player === player ? move.seconds ?? 0 : 0), 0);

/** Take in what is found out about a position. */
function takeAnalysis(text, held, { bounds, solve, moves, think, turns, why, doing }) {
  const told = heard.get(text) ?? { score: null, bounds: null, options: new Map(held.options), best: null };
  heard.set(text, told);
  if (bounds) told.bounds = bounds;
  if (solve) {
    Object.assign(told, { score: solve.score, bounds: solve.score === null ? solve.bounds : null, solve });
    told.complete = solve.complete && Boolean(solve.moves);
    if (solve.score !== null) solve.best.forEach((move) => told.options.set(move, solve.score));
  }
  for (const { move, score } of moves ?? solve?.moves ?? []) if (score !== null) told.options.set(move, score);
  Object.assign(told, think && { think }, turns && { turns }, why && { why }, doing && { doing });
  told.best = told.solve?.best[0] ?? told.think?.move ?? held.best;
  draw();
}

/** Take in a judged move, or the whole review. */
function takeReview(game, { judged, review }) {
  if (judged) {
    game.raw.moves[judged.ply - 1] = judged.row;
    say(`Judged from the end to ply ${judged.ply}.`);
  }
  if (review) {
    Object.assign(game.raw, review, { number: game.number, title: game.title, red: game.red, blue: game.blue });
    game.reviewed = true;
    say("The game is judged.");
  }
  if (judged || review) Object.assign(game, readGame(game.raw), { tried: game.tried });
  if (review) {
    drawList();
    live.asked = null;
    look();
  }
  drawn = "";
  draw();
}

/** Add a game under a number of its own, in place of one that was begun and not played. */
function addGame(raw, fresh) {
  games = games.filter((game) => !game.fresh || game.moves.length || game.tried.length);
  raw.number = Math.max(0, ...games.map((game) => game.number)) + 1;
  games.push({ ...readGame(raw), raw, fresh });
  drawn = "";
  drawList();
  return games.length - 1;
}

/** Play a move in the game itself. */
function append(game, move, seconds) {
  const { mover } = position(game, game.moves.length, []);
  game.moves.push({ move, player: mover, best: null, lost: null, mark: "", options: new Map(), after: standing([]), seconds });
  game.standings.push(standing([]));
  changed(game);
}

/** Write the game's texts again after a change. */
function changed(game) {
  const { over, cells, empty } = position(game, game.moves.length, []);
  const code = (cell, stone) => CELLS.indexOf(cell).toString(36) + stone.toString(36);
  const usual = game.setup.length === 5 && game.blocked.length === 5;
  game.record = textOf(game, game.moves.length, []);
  game.base36 = usual ? [...game.blocked.map((cell) => code(cell, 0)), ...game.moves.map(({ move, player }) =>
    code(move.slice(0, 2), Number(move.slice(3)) + (player === "blue" ? 15 : 0)))].join("") : null;
  game.final_score = over ? finalScore(cells, empty[0]) : null;
  game.reviewed = false;
  Object.assign(game.raw, { record: game.record, base36: game.base36, moves: game.moves.map(() => []), final_score: game.final_score });
  drawn = "";
}

/** Begin a game on some blocked cells. */
function begin(blocked) {
  const hand = range(Math.floor((36 - blocked.length) / 2), (n) => n + 1);
  live.person = $("person").value;
  const names = { [live.person]: "you", [other(live.person)]: partner() };
  const game = addGame({ title: "", ...names, first: "red", start: [], moves: [], final_score: null,
    decided: null, summary: { red: NO_TALLY, blue: NO_TALLY }, record: blocked.join(" "), base36: null,
    hands: { red: hand, blue: hand } }, true);
  Object.assign(live, { running: true, asked: null, since: performance.now() });
  if (live.person !== side()) state.flipped = !state.flipped;
  update({ game, ply: 0 });
}

function randomCells() {
  const cells = [...CELLS];
  return range(5, () => cells.splice(Math.floor(Math.random() * cells.length), 1)[0]);
}

/** Read games from text, and look at the first; `kept` is what a page that was loaded again knew of it. */
function load(text, { ply, you, kept } = {}) {
  if (new Blob([JSON.stringify(text)]).size > LARGEST - 100) return say("The text is larger than 1 MB: load a part of it.");
  live.asked = "read";
  $("trouble").hidden = true;
  let left = 0;
  return ask({ ask: "read", text }, ({ games: read, left_out: count = 0, error }) => {
    left += count;
    if (error) {
      trouble(error);
      live.asked = null;
      update({});
    }
    if (!read) return;
    if (kept) games = [];
    // As a game is saved whose players have no names.
    for (const raw of read) for (const player of ["red", "blue"]) if (raw[player] === "?") raw[player] = "";
    if (read.length === 1) read[0].title = read[0].title.replace(/^round \d+$/, "");
    kept?.games.forEach(({ title }, n) => (read[n].title = title));
    const first = read.map((raw) => addGame(raw))[0] + (kept?.game ?? 0);
    kept?.games.forEach(({ tried, fresh, seconds }, n) => {
      Object.assign(games[n], { tried, fresh });
      games[n].moves.forEach((move, ply) => (move.seconds = seconds[ply]));
    });
    const game = games[first];
    const named = game.blue === "you" ? "blue" : game.red === "you" ? "red" : position(game, game.moves.length, []).mover;
    live.person = Object.hasOwn(SIGN, you) ? you : named;
    $("person").value = live.person;
    Object.assign(live, { asked: null, editing: null });
    update({ game: first, ply: ply ?? game.moves.length });
    const more = left ? `; ${left} more are left out` : "";
    say(`${read.length === 1 ? "Loaded" : `Loaded ${read.length} games, the first is shown`}${more}.`);
  });
}

/** Go back to before one's last move; what is taken back stays as a line to look at. */
function undo(game) {
  const own = game.moves.map(({ player }) => player).lastIndexOf(live.person);
  if (own < 0) return say("There is no move of yours to take back.");
  game.tried.push({ ply: own, moves: game.moves.slice(own).map(({ move }) => move) });
  game.moves.length = own;
  game.standings.length = own + 1;
  changed(game);
  update({ ply: own });
  return say("Taken back.");
}

const headed = (game) => `# red ${game.red || "?"}, blue ${game.blue || "?"}, round ${game.number}\n${game.record}\n`;
function save(game) {
  const url = URL.createObjectURL(new Blob([headed(game)], { type: "text/plain" }));
  make("a", { href: url, download: "blackhole.txt" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Begin or end editing: what is edited is a game of its own then, with the moves made so far. */
function edit(game) {
  if (!live.editing) {
    const moves = [...game.moves.slice(0, state.ply).map(({ move }) => move), ...ownMoves()];
    const none = { over: false, next: null, last: null, options: new Map(), best: null, known: standing([]) };
    live.editing = { ...position(game, state.ply, ownMoves()), ...none, moves, first: game.first };
    return update({ cell: null, stone: null });
  }
  const { cells, left, moves, first } = live.editing;
  const stones = (player) => [...left[player], ...[...cells.values()].filter((it) => it.player === player).map(({ stone }) => stone)];
  const [red, blue] = [stones("red"), stones("blue")];
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const toMove = red.length === blue.length ? [`to-move:${first}`] : [];
  return load([...blocked, `red:${red.join(",")}`, `blue:${blue.join(",")}`, ...toMove, ...moves].join(" "));
}

/** Draw what was edited, and who is to move then. */
function edited(change) {
  const { moves, left, cells } = Object.assign(live.editing, change);
  const more = left.red.size - left.blue.size;
  if (more && !moves.length) live.editing.mover = live.editing.first = more > 0 ? "red" : "blue";
  live.editing.empty = CELLS.filter((cell) => !cells.has(cell));
  render();
}

/** Say what is edited, and whether it is a position. */
function tellEdited() {
  const { left, empty, mover, moves } = live.editing;
  const more = left[mover].size - left[other(mover)].size;
  const ready = empty.length === left.red.size + left.blue.size + 1 && (more === 0 || more === 1 || !moves.length && more === -1);
  const stones = `${left.red.size} red and ${left.blue.size} blue stones in hand`;
  $("answer").textContent = "Click cells to block or free them, stones to take them out of a hand or put them in. "
    + `Now ${empty.length} cells are empty, ${stones}: ${ready ? "ready."
      : "needed are one cell more than stones, and as many stones of both, or one more of who is to move."}`;
}

function mode(name) {
  Object.assign(live, { mode: name, asked: null, running: true, editing: null });
  update({});
}

/** Draw what belongs to the engine. */
function drawLive(game, now) {
  for (const name of ["play", "analyse", "review"]) $(`mode-${name}`).setAttribute("aria-pressed", String(live.mode === name));
  const play = live.mode === "play";
  for (const id of ["graph-part", "totals"]) $(id).hidden = play || id === "totals" && !game.reviewed;
  for (const id of ["mistake-back", "mistake-forward", "turn"]) $(id).hidden = play;
  for (const id of ["partners", "helps"]) $(id).hidden = !play;
  for (const id of ["clear", "swap"]) $(id).hidden = !live.editing;
  $("options").hidden = live.levels.includes($("partner").value);
  $("run").textContent = live.running ? "Stop" : "Go on";
  $("edit").textContent = live.editing ? "End editing" : "Edit cells and hands";
  drawClock();
  const told = play || live.editing ? null : heard.get(textOf(game, state.ply, ownMoves()));
  $("thoughts").replaceChildren(...(told && !state.turn ? thoughts(told, now) : []));
  if (live.editing) tellEdited();
}

/** Tell both clocks: one's own runs up, the partner's down. */
function drawClock() {
  const game = games[state.game];
  const { mover, over } = position(game, game.moves.length, []);
  const used = (player) => spent(game, player) + (player === mover && !over ? (performance.now() - live.since) / 1000 : 0);
  const clock = (player) => (player === live.person ? `you ${used(player).toFixed(0)} s`
    : `${partner()} ${Math.max(0, live.time - used(player)).toFixed(1)} s left`);
  const text = `Clock: Red, ${clock("red")}; Blue, ${clock("blue")}.${result(game)}`;
  $("clock").textContent = live.mode === "play" ? text : "";
}

/** Say what the engine thinks of a position: chances of the targets, moves, lines. */
function thoughts({ think, solve, score, why, doing }, now) {
  const parts = live.abort && doing ? [make("p", { class: "legend" }, `Now: ${doing}.`)] : [];
  const lineOf = (text, { line: moves, nodes, seconds }) =>
    make("p", {}, `${text}: ${moves.join(" ")} (${nodes.toLocaleString("en")} nodes, ${seconds.toFixed(2)} s)`);
  if (solve && score !== null) return [lineOf("Proven; best play", solve)];
  if (!think) return parts;
  const percent = (chance) => (chance === null ? "" : `${(100 * chance).toFixed(0)} %`);
  const reached = (target) => 75 + (now.mover === "red" ? target : 1 - target);
  parts.push(lineOf(`It would play ${think.move} and expects`, think), make("p", { class: "legend" }, why));
  const targets = think.targets.map(({ target, chance }) => `${reached(target)}: ${percent(chance)}`);
  if (targets.length) parts.push(make("p", {}, `Chance of ${NAME[now.mover]} to get so many points or more: ${targets.join(", ")}.`));
  const rows = think.candidates.slice(0, 8).map(({ move, chance, visits, secures }) =>
    make("tr", {}, td("whole", move), td("number", percent(chance)), td("number", String(visits || "")),
      td("number", secures === null ? "" : seen(secures))));
  parts.push(scroll("Moves of the search", make("table", {}, head(["Move", "Chance", "Visits", "Secures"], [1, 2, 3]),
    make("tbody", {}, ...rows))), make("p", { class: "legend" }, "Chance: to reach what is aimed at. Visits: how often the "
    + "search tried the move. Secures: the score that it is proven to reach, or better."));
  return parts;
}

/** Take the page over for the engine. */
function startLive({ time, levels, players }) {
  const at = () => games[state.game];
  // What a page that is loaded again knew.
  let kept = optional(() => history.state);
  live = { time, levels, mode: "play", person: "red", running: true, editing: null, hints: new Map(), asked: null, abort: null, since: 0,
    look, draw: drawLive,
    isPlaying: (game) => live.mode === "play" && !state.own && state.ply === game.moves.length,
    address: (game) => `#${new URLSearchParams({ mode: live.mode, ply: state.ply, partner: $("partner").value,
      options: $("options").value, you: live.person, text: headed(game) })}`,
    kept: () => ({ text: games.map(headed).join(""), game: state.game, games: games.map(({ title, tried, fresh, moves }) =>
      ({ title, tried, fresh, seconds: moves.map(({ seconds }) => seconds) })) }),
    play: (game, move) => {
      const { mover } = position(game, state.ply, ownMoves());
      if (!live.isPlaying(game)) return null;
      if (mover !== live.person) return { cell: null, stone: null };
      append(game, move, (performance.now() - live.since) / 1000);
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
      if (["play", "analyse", "review"].includes(name)) live.mode = name;
      if ([...levels, ...players].includes(partner)) $("partner").value = partner;
      $("options").value = wanted.get("options") ?? "";
      const found = games.findIndex((game) => [game.record, headed(game)].includes(text));
      if (text === null) return false;
      live.editing = null;
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
  if (games.length) {
    live.mode = "review";
    const raws = JSON.parse($("data").textContent).games;
    for (const game of games) game.raw = raws.find(({ number }) => number === game.number);
  } else begin(randomCells());
  const small = () => CELLS.filter((cell) => place(cell)[0] + place(cell)[1] > 5);
  const boards = { random: randomCells, small, same: () => at().blocked };
  const here = () => textOf(at(), state.ply, ownMoves());
  const playOn = () => {
    const players = $("person").value === "red" ? ["you", partner()] : [partner(), "you"];
    load(headed({ red: players[0], blue: players[1], number: 1, record: here() }));
  };
  const fresh = () => ($("cells").value === "here" ? playOn() : begin(boards[$("cells").value]()));
  const actions = { new: fresh, undo: () => undo(at()), save: () => save(at()),
    edit: () => edit(at()), clear: () => edited({ cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])),
      left: { red: new Set(), blue: new Set() }, moves: [] }),
    swap: () => live.editing.moves.length || edited({ mover: other(live.editing.mover), first: other(live.editing.mover) }), read: () => load($("load").value), "mode-play": () => mode("play"),
    "mode-analyse": () => mode("analyse"), "mode-review": () => mode("review"),
    hint: () => {
      if (live.asked) say("It is the other's turn: ask for a hint on yours.");
      else ask({ ask: "hint", text: here() }, ({ hint }) => {
        if (!hint) return;
        live.hints.set(here(), hint.split(":")[0]);
        render();
        say(hint);
      });
    },
    run: () => {
      Object.assign(live, { running: !live.running, asked: null });
      if (!live.running) live.abort?.abort();
      update({});
    } };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  const take = async (file) => file && load(file.size < LARGEST ? await file.text() : "x".repeat(LARGEST));
  for (const id of ["partner", "options"]) {
    $(id).addEventListener("change", () => {
      if (live.asked?.startsWith("move")) live.asked = null;
      const [game, theirs] = [at(), other(live.person)];
      if (game[live.person] === "you") game[theirs] = game.raw[theirs] = partner();
      drawn = "";
      drawList();
      update({});
    });
  }
  $("file").addEventListener("change", () => take($("file").files[0]));
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      if (name === "drop") take(event.dataTransfer.files[0]);
    });
  }
  setInterval(drawClock, 1000);
  addEventListener("beforeprint", drawPaper);
  document.addEventListener("pointerdown", () => (live.pressed = true));
  for (const name of ["pointerup", "pointercancel"]) {
    document.addEventListener(name, () => {
      live.pressed = false;
      // After the click.
      setTimeout(draw);
    });
  }
}
