// @ts-check
"use strict";
// The games of the page, what is shown of them, and what is known of their positions. Nothing here touches the page.

/** @typedef {"red" | "blue"} Player */
/** Knowledge of a final score, red minus blue.
 * @typedef {{ score?: number | null, estimate?: number | null, error?: number | null, bounds?: number[] | null }} Known */
/** News of a position and its best moves, found with this `effort` (a review's is 1); after the last turn `final`.
 * @typedef {Known & { effort?: number, move?: string, moves?: News[], line?: string[],
 *   turns?: number, complete?: boolean, final?: boolean }} News */
/** A position and those after its `moves`; if `listed`, its value is its best move's. `rank` orders it among its siblings.
 * @typedef {{ mover: Player, parent: Analysis | null, moves: Map<string, Analysis>, bounds: number[], rank: number,
 *   estimate: number | null, error: number | null, effort: number, listed: boolean, line: string[], order?: any,
 *   version?: number, turns?: number, complete?: boolean, final?: boolean }} Analysis */
/** A game as mod.rs writes it: a move's `list` and `line` belong to the position before it, the rest to the one after it.
 * Its record gives the `setup`, the `blocked` cells and the `line` of moves. The board adds: made here (`fresh`), then
 * `begun`, the `seconds` of the engine's moves, the scores that the story of its review was `toldOf`, its
 * number in the board's file (`fileIndex`, from 0), the `person`'s side if no name says it.
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Known, story?: string[], final_score?: number | null,
 *   points?: number[] | null, fault?: string | null, decided?: number | null,
 *   lost?: string | null, moves?: (Known & { list?: any[], line?: string })[],
 *   setup: string[], blocked: string[], line: string[], fresh?: boolean, begun?: boolean,
 *   seconds?: number[], toldOf?: string, fileIndex?: number, person?: Player }} Game */

const SIGN = { red: 1, blue: -1 };
const NAME = { red: "Red", blue: "Blue" };
/** @type {Player[]} */
const PLAYERS = ["red", "blue"];
/** @type {(player: Player) => Player} */
const other = (player) => (player === "red" ? "blue" : "red");
const range = (count, of) => Array.from({ length: count }, (_, n) => of(n));

/** The cells by ordinal: A1..A8, B1..B7, …, H1. */
const CELLS = [..."ABCDEFGH"].flatMap((column, u) => range(8 - u, (v) => column + (v + 1)));
/** A cell's steps from A1 along the two sides of the triangle. */
const coordinates = (cell) => [cell.charCodeAt(0) - 65, Number(cell[1]) - 1];
const cellAt = (u, v) => CELLS.find((cell) => String(coordinates(cell)) === `${u},${v}`);

/** @type {Game[]} */
let games = [];
/** The analyses before a first move, by the setup; all others are reached from them by their moves.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
/** The number of news so far. */
let version = 0;
const state = {
  /** Without an engine "record", else "play", "analyse" or "review". */
  mode: "record",
  /** The shown position: a game after `ply` moves, then the first `steps` of your `own` moves, to which you went `from`. */
  game: 0, ply: 0, own: /** @type {string[]} */ ([]), steps: 0, from: 0,
  /** Whether cells show their counts and the board is turned. The blocked cells that the form for a new game offers. */
  counts: false, flipped: false, setup: /** @type {string[] | null} */ (null),
  /** The ply after which you look for a move: the best and the next ones are hidden until you try one, or are `told`. */
  trial: /** @type {number | null} */ (null), told: false,
  /** The chosen cell and stone. */
  cell: /** @type {string | null} */ (null), stone: /** @type {number | null} */ (null),
  /** The position that is edited: see edit.js. */
  edited: /** @type {any} */ (null),
  /** The person's side and partner that were chosen last. */
  person: /** @type {Player} */ ("red"), partner: "casual",
  /** The question to the engine: "idle", "asking", "broken" off, or "stopped".
   * @type {{ is: string, key?: string | null, abort?: AbortController, timer?: any }} */
  question: { is: "idle" },
  /** The engine's seconds for a game, null if it counts nodes. The reviewed file. The second at which the last game of a
   * followed match ended, null without one. */
  time: /** @type {number | null} */ (null), source: "", lastAt: /** @type {number | null} */ (null),
  /** The position for which a hint was asked, the move, and what is said of it. */
  hint: /** @type {{ text?: string, move?: string, words?: string }} */ ({}),
};

const gameHere = () => games[state.game];
const yourSide = (game) => PLAYERS.find((player) => game[player] === "you");
const personHere = () => yourSide(gameHere()) ?? gameHere().person ?? state.person;
const lineHere = () => [...gameHere().line.slice(0, state.ply), ...state.own.slice(0, state.steps)];
const textOf = ({ setup }, line) => [...setup, ...line].join(" ");
const playerOf = ({ first }, ply) => (ply % 2 ? other(first) : first);
/** Tell whether both players are others: nobody here continues the game. */
const isOfOthers = ({ red, blue }) => Boolean(red && blue && red !== "you" && blue !== "you");
const isAtEnd = () => !state.steps && state.ply === gameHere().line.length;
/** Tell whether a move made now continues the played game. */
const isPlaying = () => state.mode === "play" && !isOfOthers(gameHere()) && isAtEnd();
/** Tell whether no move is to come: at the end, and in Play anywhere in a game that is over. */
const isDone = (now) => now.over || (state.mode === "play" && !state.setup && isOver(gameHere(), gameHere().line));
/** The number of moves before the person's last one; -1 without one. */
const pliesBeforeOwn = (game) => game.line.findLastIndex((_, n) => playerOf(game, n) === personHere());
const hasTried = () => state.trial !== null && lineHere().length > state.trial;

/** Return the shown position, in Play with the hint that was asked for. */
function positionHere() {
  if (state.edited) return state.edited.now;
  const { setup } = state;
  if (setup) return { ...position({ ...gameHere(), setup, blocked: setup, first: "red", hands: undefined }, []), hint: "" };
  const now = position(gameHere(), lineHere());
  const hint = state.mode === "play" && now.text === state.hint.text && state.hint.move;
  return { ...now, hint };
}

function position(game, line) {
  const text = textOf(game, line);
  const cells = cellsOf(game, line);
  const handLeft = (player) => new Set(handOf(game, player).filter((stone) => !isOn(cells, player, stone)));
  return { text, cells, left: { red: handLeft("red"), blue: handLeft("blue") }, over: isOver(game, line),
    empty: CELLS.filter((cell) => !cells.has(cell)), mover: playerOf(game, line.length), known: knownOf(game, line),
    analysis: find(game, line), last: lastMove(game, line), game };
}
/** The stones and blocks on the cells after some moves.
 * @returns {Map<string, { player: string, stone?: number }>} */
const cellsOf = (game, line) => new Map([...game.blocked.map((cell) => [cell, { player: "blocked" }]),
  ...line.map((move, n) => [move.slice(0, 2), { player: playerOf(game, n), stone: Number(move.slice(3)) }])]);
const isOn = (cells, player, stone) => [...cells.values()].some((it) => it.player === player && it.stone === stone);
const handOf = ({ hands, blocked }, side) => hands?.[side] ?? range((CELLS.length - blocked.length) >> 1, (n) => n + 1);
const isOver = ({ blocked }, line) => blocked.length + line.length === CELLS.length - 1;

/** The stones next to a cell, and what each counts. */
function nextTo(cells, cell) {
  const [u, v] = coordinates(cell);
  return [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]].map(([x, y]) => cellAt(u + x, v + y))
    .map((near) => ({ cell: near, count: (cells.get(near)?.stone ?? 0) * SIGN[cells.get(near)?.player] }))
    .filter(({ count }) => count);
}
/** The count of a cell as the hole: the red stones next to it minus the blue ones. */
const countOf = (cells, cell) => nextTo(cells, cell).reduce((sum, { count }) => sum + count, 0);
/** Write this count, with its parts if there are several. */
function summed(cells, cell) {
  const parts = nextTo(cells, cell).map(({ count }) => plain(count));
  return (parts.length > 1 ? `${parts.join(" ")} = ` : "") + plain(countOf(cells, cell));
}

/** @type {(mover: Player, parent: Analysis | null, bounds: number[]) => Analysis} */
const nothing = (mover, parent, bounds) => ({ mover, parent, moves: new Map(), bounds, estimate: null, error: null,
  effort: 0, listed: false, rank: 99, line: [] });
const NOTHING = nothing("red", null, [-75, 75]);
/** Find what is known of the position after some moves. */
const find = (game, line) => line.reduce((now, move) => now?.moves.get(move), analyses.get(textOf(game, []))) ?? NOTHING;
/** Open the position after a move.
 * @type {(now: Analysis, move: string) => Analysis} */
const opened = (now, move) => now.moves.get(move)
  ?? now.moves.set(move, nothing(other(now.mover), now, oneWay(other(now.mover), now.bounds))).get(move);
/** Keep the bound that `mover` secures, Red's the lower, Blue's the upper; open the other.
 * @type {(mover: Player, bounds: number[]) => number[]} */
const oneWay = (mover, [low, high]) => (mover === "red" ? [low, 75] : [-75, high]);
/** Narrow a position's bounds, and with them those before it and after its moves. */
function narrow(now, news) {
  const bounds = [Math.max(now.bounds[0], news[0]), Math.min(now.bounds[1], news[1])];
  if (String(bounds) === String(now.bounds) || bounds[0] > bounds[1]) return;
  now.bounds = bounds;
  now.moves.forEach((after) => narrow(after, oneWay(other(now.mover), bounds)));
  if (now.parent) narrow(now.parent, oneWay(now.parent.mover, bounds));
}

/** Take news of a position: bounds intersect, a proof beats an estimate, at least as much effort beats an older search.
 * @type {(now: Analysis, news: News) => void} */
function merge(now, { score = null, bounds = null, estimate = null, error = null, effort = 0, moves = [], line = [], ...on }) {
  narrow(now, score === null ? bounds ?? [-75, 75] : [score, score]);
  const isNew = effort > 0 && effort >= now.effort && (estimate !== null || moves.length > 0);
  if (isNew) {
    // Moves that a shorter search listed have outdated estimates.
    const isOld = (after) => !after.listed && after.effort < effort;
    [...now.moves.values()].filter(isOld).forEach((it) => Object.assign(it, { estimate: null, error: null, effort: 0 }));
    Object.assign(now, { estimate, error, effort, listed: moves.length > 0 });
  }
  if (isNew || !now.line.length) now.line = line;
  moves.forEach(({ move, ...row }, rank) => {
    const after = opened(now, move);
    if (isNew) after.rank = rank;
    // The moves of a position share its effort.
    merge(after, { ...row, effort: effort / 5, line: row.line?.slice(1) });
  });
  Object.assign(now, on);
}

/** Add news to what is known of the position after some moves; return all that is known. */
function learn(game, line, news) {
  const root = textOf(game, []);
  if (!analyses.has(root)) analyses.set(root, nothing(game.first, null, [-75, 75]));
  const now = line.reduce(opened, analyses.get(root));
  merge(now, news);
  version += 1;
  return now;
}

const valueOf = ({ score = null, estimate = null }) => score ?? estimate;
/** @type {(value: number, range: number[]) => number} */
const within = (value, [low, high]) => Math.max(low, Math.min(high, value));
/** Rank the moves of a position that have a value, proven ones before equal others; the best one's is the position's.
 * @type {(now: Analysis) => { list: { move: string, after: Analysis }[], value: number | null, error: number | null }} */
function ranked(now) {
  if (now.version === version && now.order) return now.order;
  const sign = SIGN[now.mover];
  const valueAfter = ({ after }) => ranked(after).value;
  const isOpen = ({ after: { bounds } }) => bounds[0] < bounds[1];
  const moves = [...now.moves].map(([move, after]) => ({ move, after }));
  const list = moves.filter((it) => valueAfter(it) !== null).sort((a, b) => (valueAfter(b) - valueAfter(a)) * sign
    || Number(isOpen(a)) - Number(isOpen(b)) || a.after.rank - b.after.rank);
  const [low, high] = now.bounds;
  let value = low === high ? low : now.estimate;
  let { error } = now;
  if (list.length && (now.listed || (value !== null && (valueAfter(list[0]) - value) * sign > 0))) {
    value = valueAfter(list[0]);
    // An unproven move may be better than the proven best.
    error = list.filter(isOpen).map(({ after }) => ranked(after).error)[0] ?? 0.5;
  }
  now.version = version;
  return (now.order = { list, value: value === null ? null : within(value, now.bounds), error });
}

/** The range of a position's value: its bounds, and its parent's: both after the best move, one after another. */
function roomOf(now) {
  const { bounds, parent } = now;
  if (!parent) return bounds;
  const room = roomOf(parent);
  const [low, high] = ranked(parent).list[0]?.after === now ? room : oneWay(now.mover, room);
  return low <= bounds[1] && bounds[0] <= high ? [Math.max(low, bounds[0]), Math.min(high, bounds[1])] : bounds;
}

const exact = (score) => ({ score, estimate: null, error: null, bounds: [score, score] });
/** @type {(now: Analysis) => Known} */
function knownHere(now) {
  const { bounds } = now;
  if (bounds[0] === bounds[1]) return exact(bounds[0]);
  const { value, error } = ranked(now);
  return { score: null, estimate: value === null ? null : within(value, roomOf(now)), error, bounds };
}
const listOf = (now) => (ranked(now).value === null ? []
  : ranked(now).list.map(({ move, after }) => ({ move, after, known: knownHere(after) })));
function expected(now) {
  const [best] = ranked(now).list;
  const isBest = best && valueOf(knownHere(best.after)) === valueOf(knownHere(now));
  return isBest ? [best.move, ...expected(best.after)] : now.line;
}

function newsOf({ score, bounds, estimate, error, effort, line, best = [], moves = [], turns, complete, ended }) {
  const rows = best.filter((move) => !moves.some((row) => row.move === move)).map((move) => ({ move, score }));
  const rest = ended === "done" ? { final: true } : turns === undefined ? {} : { turns, complete };
  return { score, bounds, estimate, error, effort, line, moves: [...rows, ...moves], ...rest };
}

/** @returns {Known} */
function knownOf(game, line) {
  if (!isOver(game, line)) return knownHere(find(game, line));
  const cells = cellsOf(game, line);
  return exact(countOf(cells, CELLS.find((cell) => !cells.has(cell))));
}

const rounded = (number) => Number(number.toFixed(1));
/** The mark of a loss with this error, null if it is proven: see judged.rs. */
function markOf(lost, error = null) {
  const sign = lost >= 4 ? "??" : lost >= 2 ? "?" : lost >= 1 ? "?!" : "";
  return error === null ? sign : lost - error < 0.5 ? "" : `~${sign || "?!"}`;
}

/** The last of some moves, and its `loss`, null if unknown: `lost` if proven, else `estimated` if marked, as the turn is. */
function lastMove(game, line) {
  if (!line.length) return null;
  const move = line.at(-1);
  const player = playerOf(game, line.length - 1);
  const before = find(game, line.slice(0, -1));
  const earlier = knownHere(before);
  const known = knownOf(game, line);
  const isKnown = valueOf(earlier) !== null && valueOf(known) !== null;
  const loss = isKnown ? rounded((valueOf(earlier) - valueOf(known)) * SIGN[player]) || 0 : null;
  const lost = earlier.score !== null && known.score !== null ? loss : null;
  const isOwn = line.some((it, n) => it !== game.line[n]);
  const turn = line.length === game.decided && !isOwn ? "turn" : "";
  const mark = loss ? markOf(loss, lost === null ? (earlier.error ?? 0) + (known.error ?? 0) : null) || turn : "";
  const estimated = lost === null && mark ? loss : null;
  return { move, ply: line.length, player, known, before, isOwn, loss, mark, lost, estimated,
    best: loss === 0 ? move : expected(before)[0] };
}

/** Tell the estimate after a move, its error, and a loss within the errors, which has no mark. */
function estimateOf({ known, loss, mark, best }) {
  const within = loss && !mark ? `, about ${loss} worse than ${best}, within the errors` : "";
  return known.error ? ` Score ${brief(known)} ± ${rounded(known.error)}${within}.` : "";
}

/** What the best move of a position is called: if it is proven and the position is not, another may be better. */
const bestOf = (before, known) => (known.score != null && knownHere(before).score === null ? "the best known" : "the best");
/** The sign of a mark; "" if it is a word. */
const signOf = (mark) => mark.replace(/~|turn/, "");

/** Praise or correct a move by the list before it, with what the best one leaves if that is not hidden; "" without a list. */
function verdictOn({ move, loss, lost, mark, known, before }) {
  const list = before.listed ? listOf(before) : [];
  if (!list.length) return "";
  if (loss === 0) return `Right: ${move} is ${move === list[0].move ? bestOf(before, known) : "as good as the best"}`;
  // Within the errors.
  if (loss !== null && lost === null && !mark) return `Right: ${move} is about as good as ${list[0].move}`;
  const best = state.trial === null ? `${list[0].move}, which leaves ${pointsOf(list[0].known)}` : "the best";
  if (loss !== null) return `${move} is ${lost === null ? "about " : ""}${points(loss)} worse than ${best}`;
  // A move that is not in the list is at most as good as its last one.
  const [first, last] = [list[0].known, list.at(-1).known];
  const least = rounded(Math.abs(valueOf(first) - valueOf(last)));
  const about = first.score === null || last.score === null ? "about " : "";
  return least ? `${move} is at least ${about}${points(least)} worse than ${best}`
    : `${move} is not among the ${list.length} best, which are equal`;
}
/** The known scores of a game, before its first move and after each. */
const courseOf = (game) => range(game.line.length + 1, (ply) => knownOf(game, game.line.slice(0, ply)));
const movesOf = (game) => game.line.map((_, n) => lastMove(game, game.line.slice(0, n + 1)));

/** Read a row of best moves as mod.rs writes it: equal moves, then their score, or their estimate, its error and bounds. */
const readRow = ([moves, value, error = null, ...bounds], line) => moves.split(" ").map((move) => ({ move, error,
  [error === null ? "score" : "estimate"]: value, bounds: bounds.length ? bounds : null,
  line: line.startsWith(`${move} `) ? line.split(" ") : [] }));

/** Make a game of its data, and note what they tell of its positions.
 * @returns {Game} */
function readGame(data) {
  const items = data.record.split(" ");
  const setup = items.filter((item) => !item.includes("="));
  const line = items.filter((item) => item.includes("="));
  const game = { ...data, setup, line, blocked: setup.filter((item) => CELLS.includes(item)) };
  // The last move of an unfinished game decides nothing.
  if (!isOver(game, line) && game.decided === line.length) game.decided = null;
  const judgements = [game.start, ...(game.moves ?? [])];
  judgements.forEach(({ list, line: _, ...known }, ply) => {
    const { list: rows = [], line: best = "" } = judgements[ply + 1] ?? {};
    // Thousands of games may have nothing to keep.
    if (!rows.length && !Object.keys(known).length) return;
    const moves = rows.flatMap((row) => readRow(row, best));
    learn(game, line.slice(0, ply), { ...known, moves, effort: 1 });
  });
  return game;
}

/** The key moves of a game: the costliest, and its turn; equal losses begin with that, then come proven ones. */
function costliestOf(game, moves = movesOf(game)) {
  const rank = ({ ply, lost }) => 2 * Number(ply === game.decided) + Number(lost !== null);
  const costly = moves.filter(({ lost, estimated }) => lost || estimated);
  return costly.sort((a, b) => b.loss - a.loss || rank(b) - rank(a)).filter(({ ply }, n) => n < 3 || ply === game.decided);
}

/** The ply at which a game is opened: where it turned; a game without a turn at its end. */
const focusOf = (game) => game.decided || game.line.length;

/** Give a game other moves: judgements of the whole game no longer hold. */
function rewrite(game, line) {
  const moves = game.moves && line.map((_, n) => game.moves[n] ?? {});
  Object.assign(game, { line, record: textOf(game, line), moves, decided: null, lost: null, points: null,
    fault: null, story: null, toldOf: undefined, final_score: isOver(game, line) ? knownOf(game, line).score : null });
}

/** Add a move that took the engine some seconds. */
function append(game, move, seconds = 0) {
  game.seconds[game.line.length] = seconds;
  rewrite(game, [...game.line, move]);
}
const spent = (game, player) =>
  game.line.reduce((sum, _, n) => sum + (playerOf(game, n) === player && game.seconds[n] || 0), 0);

/** Return the state after the first `count` of some moves: along the game while they are its own, else beside it. */
function tryMoves(game, moves, count = moves.length) {
  const own = [...state.own.slice(0, state.steps), ...moves];
  const steps = state.steps + count;
  let along = 0;
  while (along < steps && game.line[state.ply + along] === own[along]) along += 1;
  return { ply: state.ply + along, own: own.slice(along), steps: steps - along, trial: state.trial };
}

/** Write a score, red minus blue. */
const plain = (score) => (score > 0 ? `+${score}` : String(score || 0).replace("-", "−"));
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const points = (count) => counted(count, "point");
/** The points of Red and Blue: "79 : 71". */
const pointsOf = (known) => (known.score == null ? "≈" : "")
  + [1, -1].map((sign) => rounded(75 + sign * valueOf(known))).join(" : ");
const winnerOf = (score, game) => (!score ? "A draw" : yourSide(game) ? `You ${SIGN[yourSide(game)] * score > 0 ? "won" : "lost"}`
  : `${score > 0 ? "Red" : "Blue"} wins`);
/** @type {(known: Known) => string} */
const brief = ({ score, estimate }) =>
  (score !== null ? plain(score) : estimate === null ? "–" : `≈${plain(rounded(estimate))}`.replace(/^[^.]+$/, "$&.0"));
/** Write a loss by estimates; "" if there is none. */
const about = (loss) => (loss ? `≈${loss.toFixed(1)}` : "");
function inWords(known) {
  const value = valueOf(known);
  if (value === null) return state.question.is === "asking" ? "being judged …" : "not judged";
  const [side, { score, error }] = [value > 0 ? "Red" : "Blue", known];
  if (score != null) return score ? `${side} wins by best play` : "A draw by best play";
  return Math.abs(value) > error ? `${side} is ahead` : "About level";
}
