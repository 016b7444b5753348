// @ts-check
"use strict";
// The games of the page, the position that is looked at, and what is known of it.

/** @typedef {"red" | "blue"} Player */
/** @typedef {{ score: number | null, estimate: number | null, bounds: number[] | null }} Known of a final score, red minus blue */
/** `best` and `options`, the proven scores after moves, belong to the position before the move, `after` to that after it.
 * @typedef {{ move: string, player: Player, best: string | null, lost: number | null, mark: string,
 *   options: Map<string, number>, after: Known }} Move */
/** @typedef {{ ply: number, moves: string[] }} Line moves of one's own after a ply of a game */
/** A game as mod.rs writes it.
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Partial<Known>, moves: { best?: string, options?: Record<string, number> }[],
 *   final_score?: number | null, points?: number[] | null, fault?: string | null, decided?: number | null,
 *   summary: Record<Player, { judged: number, lost: number, marks: number[], taken_for?: { kind: string, chance: number } }> }} GameData */
/** A game: its data, what follows from them, and what the board adds: `raw`, the data; whether it was begun here
 * (`fresh`), and the number of the game that was left for it (`before`); `seconds` of each move, `since` when the next
 * is waited for; whether all of it is `reviewed`.
 * @typedef {Omit<GameData, "moves" | "hands"> & { moves: Move[], hands: Record<Player, number[]>, standings: Known[],
 *   mistakes: number[], worst: number, blocked: string[], setup: string[], lost: number, tried: Line[],
 *   raw: GameData, fresh?: boolean, before?: number | null, seconds?: number[], since?: number, reviewed?: boolean }} Game */
/** What the engine told of a position; after its last turn it is `rested`.
 * @typedef {{ score: number | null, bounds: number[] | null, options: Map<string, number>, best: string | null, solve?: any,
 *   think?: any, why?: string, doing?: string, turns?: number, complete?: boolean, rested?: boolean }} Analysis */

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
const standing = ({ score = null, estimate = null, bounds = null }) => ({ score, estimate, bounds });

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
    const { best = null, options = {}, ...after } = game.moves[n] ?? {};
    const player = n % 2 ? other(game.first) : game.first;
    const known = standing(after);
    const lost = cost(player, before, known.score);
    before = known.score;
    return { move, player, best, lost, mark: markOf(lost), options: new Map(Object.entries(options)), after: known };
  });
  const all = range(15, (n) => n + 1);
  const mistakes = moves.flatMap(({ lost }, n) => (lost > 0 ? [n + 1] : []));
  const worst = mistakes.reduce((worst, ply) => (moves[ply - 1].lost > (moves[worst - 1]?.lost ?? 0) ? ply : worst), 0);
  const { final_score = null, points = null, decided = null } = game;
  return { ...game, raw: game, final_score, points, decided, moves, mistakes, worst, standings: [start, ...moves.map(({ after }) => after)],
    blocked: items.filter((item) => CELLS.includes(item)), setup: items.filter((item) => !item.includes("=")), hands: game.hands ?? { red: all, blue: all },
    lost: game.summary.red.lost + game.summary.blue.lost, tried: [] };
}

/** @type {Game[]} */
let games = [];
/** The engine behind the page, if there is one: see startSession. */
let session = null;
/** What it has told of positions, by their records.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
/** What is looked at: after `ply` moves of a game and the first `steps` moves of a line of one's own, if there is one; seen
 * from Blue's side or not, with what is best hidden at one's `turn`; the cell and the stone that are chosen.
 * @type {{ game: number, ply: number, own: Line | null, steps: number, flipped: boolean, turn: boolean, cell: string | null,
 *   stone: number | null }} */
const state = { game: 0, ply: 0, own: null, steps: 0, flipped: false, turn: false, cell: null, stone: null };
const ownMoves = () => (state.own ? state.own.moves.slice(0, state.steps) : []);

/** Return the position after so many plies of a game and some moves of one's own. */
function position(game, ply, own) {
  const cells = new Map(game.blocked.map((cell) => [cell, { player: "blocked" }]));
  const left = { red: new Set(game.hands.red), blue: new Set(game.hands.blue) };
  let mover = game.first;
  for (const move of [...game.moves.slice(0, ply).map(({ move }) => move), ...own]) {
    const [cell, stone] = move.split("=");
    cells.set(cell, { player: mover, stone: Number(stone) });
    left[mover].delete(Number(stone));
    mover = other(mover);
  }
  const empty = CELLS.filter((cell) => !cells.has(cell));
  const over = empty.length === 1;
  const known = knownOf(game, ply, own, over ? finalScore(cells, empty[0]) : null);
  const next = own.length ? null : game.moves[ply] ?? null;
  return { cells, left, empty, over, mover, next, known, ...choices(game, ply, own), last: lastMove(game, ply, own, known) };
}

const textOf = (game, ply, own) =>
  [...game.setup, ...game.moves.slice(0, ply).map(({ move }) => move), ...own].join(" ");

/** The known scores after moves, and the best move: as the engine tells them, or the page holds them. */
function choices(game, ply, own) {
  // Who plays is told what he asked for alone.
  const played = session?.mode === "play" && !own.length && ply === game.moves.length;
  if (played) return { options: new Map(), best: session.hints.get(textOf(game, ply, own)) ?? null };
  const [told, held] = [analyses.get(textOf(game, ply, own)), own.length ? null : game.moves[ply]];
  const options = told?.options.size ? told.options : held?.options ?? new Map();
  return { options, best: session?.hints.get(textOf(game, ply, own)) ?? told?.best ?? held?.best ?? null };
}

/** What is known of the position: the page holds the scores of the game and of moves instead of the game's. */
function knownOf(game, ply, own, final) {
  const held = own.length ? standing({}) : game.standings[ply];
  const told = analyses.get(textOf(game, ply, own));
  const before = own.length ? choices(game, ply, own.slice(0, -1)).options.get(own[own.length - 1]) : null;
  return { ...held, score: held.score ?? told?.score ?? before ?? final, bounds: told?.bounds ?? held.bounds };
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
  return { own: own.length > 0, move, player, lost, mark: markOf(lost), best: choices(...before).best };
}

/** The red stones next to the hole minus the blue ones. */
function finalScore(cells, hole) {
  const [u, v] = place(hole);
  const near = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]]
    .map(([x, y]) => cells.get(CELLS.find((cell) => String(place(cell)) === `${u + x},${v + y}`)));
  return near.reduce((sum, stone) => sum + (SIGN[stone?.player] ?? 0) * (stone?.stone ?? 0), 0);
}

/** Play a move on the board: the game's own, one tried before, or a new one. */
function tryMove(game, move) {
  const played = ownMoves();
  if (!played.length && game.moves[state.ply]?.move === move) return { ply: state.ply + 1 };
  const line = [...played, move];
  const begins = (one, other) => other.every((move, n) => one[n] === move);
  let own = game.tried.find(({ ply, moves }) => ply === state.ply && begins(moves, line));
  // A line that ends here goes on; all others stay as they are.
  own ??= game.tried.find(({ ply, moves }) => ply === state.ply && moves.length === played.length && begins(line, moves));
  if (!own) game.tried.push((own = { ply: state.ply, moves: [] }));
  if (own.moves.length < line.length) own.moves = line;
  return { own, steps: line.length };
}

// Numbers as the viewer's side sees them.
const side = () => (state.flipped ? "blue" : "red");
const plain = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));
const seen = (score) => plain(score * SIGN[side()] || 0);
const about = (score) => `≈ ${plain(Number((score * SIGN[side()]).toFixed(1)) || 0)}`;
const points = (count) => `${count} point${count === 1 ? "" : "s"}`;
const span = (bounds) => bounds.map((bound) => bound * SIGN[side()]).sort((a, b) => a - b).map(plain).join(" to ");
function shown({ score, estimate }) {
  if (score !== null) return seen(score);
  return estimate === null ? "–" : about(estimate);
}

const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };
/** @type {(game: Game) => string} */
const result = ({ final_score: score }) => (score === null ? "" : ` ${winnerOf(score)}: Red has ${75 + score} points, Blue ${75 - score}.`);

const spent = (game, player) => game.moves.reduce((sum, move, n) => sum + (move.player === player && game.seconds[n] || 0), 0);

/** Add a move that took some seconds. */
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
}

/** Add what the engine tells of a position to what it told before; what the page held of it goes first. */
function learn(text, held, { bounds, solve, moves, think, turns, why, doing, ended }) {
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
  return told;
}

/** Say what is missing in what is edited; "" where it is a position. */
function missingOf({ left, empty, mover }) {
  const [more, cells] = [left[mover].size - left[other(mover)].size, empty.length - left.red.size - left.blue.size - 1];
  if (more < 0 || more > 1) return `${NAME[mover]}, who is to move, needs as many stones as ${NAME[other(mover)]} or one more`;
  if (cells < 0) return `free ${-cells} more of the cells, or take as many stones out of the hands`;
  return cells > 0 ? `block ${cells} more of the cells, or put as many stones into the hands` : "";
}
