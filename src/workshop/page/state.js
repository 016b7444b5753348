// @ts-check
"use strict";
// The games of the page, the position that is looked at, and what is known of it.

/** @typedef {"red" | "blue"} Player */
/** What is known of a final score, red minus blue: an `estimate` may have an `error`.
 * @typedef {{ score: number | null, estimate: number | null, error: number | null, bounds: number[] | null }} Known */
/** `best` and `options`, the proven scores after moves, belong to the position before the move, `after` to that after it.
 * @typedef {{ move: string, player: Player, best: string | null, lost: number | null, mark: string,
 *   options: Map<string, number>, after: Known }} Move */
/** @typedef {{ ply: number, moves: string[] }} Line moves of one's own after a ply of a game */
/** A game as mod.rs writes it.
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Partial<Known>, moves: MoveData[], story?: string[] | null,
 *   final_score?: number | null, points?: number[] | null, fault?: string | null, decided?: number | null,
 *   summary: Record<Player, Tally> }} GameData */
/** @typedef {{ best?: string, options?: Record<string, number>, mark?: string }} MoveData */
/** @typedef {{ judged: number, lost: number, marks: number[], taken_for?: { kind: string, chance: number } }} Tally */
/** A game: its data, what follows from them, and what the board adds: `raw`, the data; whether it was begun here
 * (`fresh`), and the number of the game that was left for it (`before`); `seconds` of each move, `since` when the next
 * is waited for; whether all of it is `reviewed`.
 * @typedef {Omit<GameData, "moves" | "hands"> & { moves: Move[], hands: Record<Player, number[]>, standings: Known[],
 *   mistakes: number[], worst: number, blocked: string[], setup: string[], lost: number, tried: Line[],
 *   raw: GameData, fresh?: boolean, before?: number | null, seconds?: number[], since?: number, reviewed?: boolean }} Game */
/** What the engine told of a position; after its last turn it is `rested`.
 * @typedef {{ score: number | null, estimate: number | null, bounds: number[] | null, options: Map<string, number>,
 *   best: string | null, solve?: any, think?: any, why?: string, doing?: string, turns?: number,
 *   complete?: boolean, rested?: boolean }} Analysis */

/** @type {(id: string) => HTMLInputElement & HTMLSelectElement} */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
const SIGN = { red: 1, blue: -1 };
const NAME = { red: "Red", blue: "Blue" };
const SHAPE = { red: "●", blue: "■" };
/** @type {(player: Player) => Player} */
const other = (player) => (player === "red" ? "blue" : "red");
const range = (count, of) => Array.from({ length: count }, (_, n) => of(n));

/** The cells by ordinal: A1..A8, B1..B7, …, H1. */
const CELLS = [..."ABCDEFGH"].flatMap((column, u) => range(8 - u, (v) => column + (v + 1)));
const place = (cell) => [cell.charCodeAt(0) - 65, Number(cell[1]) - 1];
/** The cell beside one, if there is one. */
function cellBeside(cell, [x, y]) {
  const [u, v] = place(cell);
  return CELLS.find((other) => String(place(other)) === `${u + x},${v + y}`);
}

/** Do what no browser must allow: the page works without it. */
function optional(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Return the community's string of a game with the usual hands, Red to move and some blocked cells. */
function base36Of({ setup, blocked, moves }) {
  const code = (cell, stone) => CELLS.indexOf(cell).toString(36) + stone.toString(36);
  if (setup.length !== blocked.length || !blocked.length) return null;
  return [...blocked.map((cell) => code(cell, 0)), ...moves.map(({ move, player }) =>
    code(move.slice(0, 2), Number(move.slice(3)) + (player === "blue" ? 15 : 0)))].join("");
}

/** @type {(known: Partial<Known>) => Known} */
const standing = ({ score = null, estimate = null, error = null, bounds = null }) =>
  ({ score, estimate, error, bounds });

/** The points that a player gave away between two scores, if both are known. */
const cost = (player, before, after) => (before === null || after === null ? null : (before - after) * SIGN[player] || 0);
const winnerOf = (score) => (score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw");
const markOf = (lost) => (lost >= 4 ? "??" : lost >= 2 ? "?" : lost >= 1 ? "?!" : "");

/** Make a game of its data.
 * @param {GameData} game
 * @returns {Game} */
function readGame(game) {
  const items = game.record.split(" ");
  const start = standing(game.start);
  let before = start.score;
  const moves = items.filter((item) => item.includes("=")).map((move, n) => {
    const { best = null, options = {}, mark = null, ...after } = game.moves[n] ?? {};
    const player = n % 2 ? other(game.first) : game.first;
    const known = standing(after);
    const lost = cost(player, before, known.score);
    before = known.score;
    return { move, player, best, lost, mark: mark ?? markOf(lost), options: new Map(Object.entries(options)), after: known };
  });
  const all = range(15, (n) => n + 1);
  const mistakes = moves.flatMap(({ mark }, n) => (mark ? [n + 1] : []));
  const worst = mistakes.reduce((worst, ply) => (moves[ply - 1].lost > (moves[worst - 1]?.lost ?? 0) ? ply : worst), 0);
  const { final_score = null, points = null, decided = null } = game;
  return { ...game, raw: game, final_score, points, decided, moves, mistakes, worst,
    standings: [start, ...moves.map(({ after }) => after)], setup: items.filter((item) => !item.includes("=")),
    blocked: items.filter((item) => CELLS.includes(item)), hands: game.hands ?? { red: all, blue: all },
    lost: game.summary.red.lost + game.summary.blue.lost, tried: [] };
}

/** @type {Game[]} */
let games = [];
/** The engine behind the page, if there is one: see startSession. */
let session = null;
/** What it has told of positions, by their records.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
/** Return what the engine told of a position; to who plays it tells nothing. */
const toldOf = (text) => (session?.mode === "play" ? null : analyses.get(text));
/** What is looked at: after `ply` moves of a game and the first `steps` moves of a line of one's own, if there is one;
 * seen from Blue's side or not, with what is best hidden at one's `turn`; the cell and the stone that are chosen; the
 * `line` of the best ones that is drawn; whether each cell shows what it counts.
 * @type {{ game: number, ply: number, own: Line | null, steps: number, flipped: boolean, turn: boolean,
 *   cell: string | null, stone: number | null, line: number, counts: boolean }} */
const state = { game: 0, ply: 0, own: null, steps: 0, flipped: false, turn: false, cell: null, stone: null, line: 0,
  counts: false };
const ownMoves = () => (state.own ? state.own.moves.slice(0, state.steps) : []);

/** Return the position after `ply` plies of a game and some moves of one's own. */
function position(game, ply, own) {
  const cells = new Map(game.blocked.map((cell) => [cell, { player: "blocked" }]));
  const left = { red: new Set(game.hands.red), blue: new Set(game.hands.blue) };
  const moves = [...game.moves.slice(0, ply).map(({ move }) => move), ...own];
  let mover = game.first;
  for (const move of moves) {
    const [cell, stone] = move.split("=");
    cells.set(cell, { player: mover, stone: Number(stone) });
    left[mover].delete(Number(stone));
    mover = other(mover);
  }
  const empty = CELLS.filter((cell) => !cells.has(cell));
  const over = empty.length === 1;
  const known = knownOf(game, ply, own, over ? countOf(cells, empty[0]) : null);
  const text = [...game.setup, ...moves].join(" ");
  return { text, cells, left, empty, over, mover, known, ...choices(game, ply, own),
    last: lastMove(game, ply, own, known) };
}
/** The position that is looked at. */
const positionHere = () => session?.editing?.now ?? position(games[state.game], state.ply, ownMoves());

const textOf = (game, ply, own) =>
  [...game.setup, ...game.moves.slice(0, ply).map(({ move }) => move), ...own].join(" ");

/** The known scores after moves, and the best move: as the engine tells them, or the page holds them. */
function choices(game, ply, own) {
  const text = textOf(game, ply, own);
  // Who plays is told only what he asked for.
  const isPlayed = session?.mode === "play" && !own.length && ply === game.moves.length;
  if (isPlayed) return { options: new Map(), best: session.hints.get(text) ?? null };
  const [told, held] = [analyses.get(text), own.length ? null : game.moves[ply]];
  const options = told?.options.size ? told.options : held?.options ?? new Map();
  return { options, best: session?.hints.get(text) ?? told?.best ?? held?.best ?? null };
}

/** What is known of the position: the page holds the scores of the game and of moves instead of the game's. */
function knownOf(game, ply, own, final) {
  const held = own.length ? standing({}) : game.standings[ply];
  const told = analyses.get(textOf(game, ply, own));
  const before = own.length ? choices(game, ply, own.slice(0, -1)).options.get(own[own.length - 1]) : null;
  return { ...held, score: held.score ?? told?.score ?? before ?? final, bounds: told?.bounds ?? held.bounds,
    estimate: told?.estimate ?? held.estimate };
}

const standingOf = (game, ply) => knownOf(game, ply, [], ply === game.moves.length ? game.final_score : null);
const movesOf = (game) => game.moves.map((_, n) => {
  const known = standingOf(game, n + 1);
  return { ...lastMove(game, n + 1, [], known), known, ply: n + 1 };
});

/** The last move, with what it cost. */
function lastMove(game, ply, own, known) {
  const played = own.length ? null : game.moves[ply - 1] ?? null;
  if (!own.length && (!played || played.lost !== null)) return played;
  const player = (ply + own.length) % 2 ? game.first : other(game.first);
  const before = own.length ? [game, ply, own.slice(0, -1)] : [game, ply - 1, []];
  const lost = cost(player, knownOf(...before, null).score, known.score);
  const move = own.length ? own[own.length - 1] : played.move;
  const mark = played?.mark || markOf(lost);
  return { own: own.length > 0, move, player, lost, mark, best: choices(...before).best };
}

/** The stones next to a cell. */
const besides = (cells, cell) => [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]]
  .map((way) => cellBeside(cell, way)).filter((near) => SIGN[cells.get(near)?.player])
  .map((near) => ({ cell: near, count: cells.get(near).stone * SIGN[cells.get(near).player] }));
/** What a cell counts as the hole: the red stones next to it minus the blue ones. */
const countOf = (cells, cell) => besides(cells, cell).reduce((sum, { count }) => sum + count, 0);

/** The best moves, each with what is expected after it: by exact scores, else by the chances of a search. */
function linesOf(now) {
  const told = toldOf(now.text);
  const exact = [...now.options].map(([move, score]) => ({ move, score }))
    .sort((a, b) => (b.score - a.score) * SIGN[now.mover]);
  const found = told?.think?.candidates.filter(({ visits, secures }) => visits || secures !== null) ?? [];
  const rows = now.known.score !== null && exact.length ? exact : found;
  const isBest = ({ move }) => Number(move === now.best);
  if (now.best && !rows.some(isBest)) rows.unshift({ move: now.best });
  return rows.sort((a, b) => isBest(b) - isBest(a)).slice(0, 5).map((row) => {
    const after = toldOf(`${now.text} ${row.move}`);
    const whole = [told?.solve?.line, row.line, told?.think?.line].find((line) => line?.[0] === row.move);
    return { ...row, line: whole ?? [row.move, ...(after?.solve?.line ?? after?.think?.line ?? [])] };
  });
}

/** Play moves on the board: the game's own, some tried before, or new ones. */
function tryMoves(game, moves) {
  let [{ ply }, line] = [state, [...ownMoves(), ...moves]];
  for (; !state.own && line.length && game.moves[ply]?.move === line[0]; line = line.slice(1)) ply += 1;
  if (!line.length) return { ply };
  const begins = (one, other) => other.every((move, n) => one[n] === move);
  const tried = game.tried.filter((own) => own.ply === ply);
  // A line that this one goes on with goes on; all others stay as they are.
  let own = tried.find(({ moves }) => begins(moves, line)) ?? tried.find(({ moves }) => begins(line, moves));
  if (!own) game.tried.push((own = { ply, moves: [] }));
  if (own.moves.length < line.length) own.moves = line;
  return { ply, own, steps: line.length };
}

// Numbers as the viewer's side sees them.
const side = () => (state.flipped ? "blue" : "red");
const plain = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));
const seen = (score) => plain(score * SIGN[side()] || 0);
const points = (count) => `${count} point${count === 1 ? "" : "s"}`;
const span = (bounds) => bounds.map((bound) => bound * SIGN[side()]).sort((a, b) => a - b).map(plain).join(" to ");
const off = (error) => (error ? ` ± ${Number(error.toFixed(1))}` : "");
function shown({ score, estimate, error }) {
  if (score !== null) return seen(score);
  return estimate === null ? "–" : `≈ ${seen(Number(estimate.toFixed(1)))}${off(error)}`;
}
/** One number for a position, in words. */
function inWords({ known: { score, estimate, error, bounds }, last }) {
  if (score !== null) return `${seen(score)} exact`;
  const certain = bounds && `certain: ${span(bounds)}`;
  if (estimate === null) return certain ?? (last?.own ? "not judged" : "not proven");
  return `about ${seen(Math.round(estimate))}${off(error)}${certain ? ` (${certain})` : ""}`;
}

const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };

const spent = (game, player) =>
  game.moves.reduce((sum, move, n) => sum + (move.player === player && game.seconds[n] || 0), 0);

/** Add a move that took some seconds. */
function append(game, move, seconds) {
  game.seconds[game.moves.length] = seconds;
  rewrite(game, [...game.moves.map(({ move }) => move), move]);
}

/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, moves) {
  const { raw, setup, tried } = game;
  Object.assign(raw, { record: [...setup, ...moves].join(" "), moves: moves.map((_, n) => raw.moves[n] ?? {}),
    summary: { red: NO_TALLY, blue: NO_TALLY }, final_score: null, decided: null, points: null, fault: null, story: null });
  Object.assign(game, readGame(raw), { tried, reviewed: false, since: performance.now() });
  const { over, cells, empty } = position(game, moves.length, []);
  if (over) game.final_score = raw.final_score = countOf(cells, empty[0]);
}

/** Add what the engine tells of a position to what it told before; what the page held of it goes first. */
function learn(text, held, { bounds, solve, moves, think, turns, why, doing, ended }) {
  const fresh = { score: null, bounds: null, options: new Map(held.options), best: null, estimate: null };
  const told = analyses.get(text) ?? fresh;
  analyses.set(text, told);
  // A question that is asked again begins with wider ones.
  const tightest = ([least, most]) =>
    told.bounds ? [Math.max(least, told.bounds[0]), Math.min(most, told.bounds[1])] : [least, most];
  if (bounds) told.bounds = tightest(bounds);
  if (solve) {
    const { score } = solve;
    Object.assign(told, { score, bounds: score === null ? tightest(solve.bounds) : null, solve });
    told.complete = solve.complete && Boolean(solve.moves);
    if (score !== null) solve.best.forEach((move) => told.options.set(move, score));
  }
  for (const { move, score } of moves ?? solve?.moves ?? []) if (score !== null) told.options.set(move, score);
  if (think) Object.assign(told, { think, why, bounds: tightest(think.bounds), estimate: expectedScore(think) });
  Object.assign(told, turns && { turns }, doing && { doing });
  told.best = told.solve?.best[0] ?? told.think?.move ?? held.best;
  told.rested = ended === "done" && !told.complete;
  return told;
}

/** The mean of the final score by a search: the sum of the chances to reach each score, which fall along straight
 * lines between those that are told. */
function expectedScore({ targets, to_move, bounds: [least, most] }) {
  const told = targets.map(({ target, chance }) => [target, to_move === "red" ? chance : 1 - chance]);
  const chance = (score) => {
    const n = told.findIndex(([target]) => target >= score);
    if (n < 1) return n < 0 ? 0 : score < told[0][0] ? 1 : told[0][1];
    const [[low, more], [high, less]] = [told[n - 1], told[n]];
    return more + ((less - more) * (score - low)) / (high - low);
  };
  const mean = range(151, (n) => chance(n - 75)).reduce((sum, chance) => sum + chance) - 76;
  return told.length ? Math.max(least, Math.min(most, mean)) : null;
}

/** Say what is missing in what is edited; "" where it is a position. */
function missingOf({ left, cells, empty, mover }) {
  const player = other(mover);
  const [placed, more] = [placedOf(cells), left[mover].size - left[player].size];
  const uneven = placed.red.length - placed.blue.length;
  if (Math.abs(uneven) > 1) {
    const [many, few] = uneven > 0 ? ["Red", "Blue"] : ["Blue", "Red"];
    return `${many} has ${Math.abs(uneven)} stones more on the cells: one more is the most. Put stones of ${few} there`;
  }
  if (more < 0 || more > 1) return `${NAME[mover]}, who is to move, needs as many stones in hand as ${NAME[player]} or one more`;
  const free = empty.length - left.red.size - left.blue.size - 1;
  if (free < 0) return `free ${-free} more of the cells, or take as many stones out of the hands`;
  return free > 0 ? `block ${free} more of the cells, or put as many stones into the hands` : "";
}
/** The moves by which the stones of both came on the cells, each player's own in order. */
function placedOf(cells) {
  const of = (player) => [...cells].filter(([, it]) => it.player === player).map(([cell, { stone }]) => `${cell}=${stone}`);
  return { red: of("red"), blue: of("blue") };
}
