// @ts-check
"use strict";
// The games of the page, what is shown of them, and what is known of their positions. Nothing here touches the page.

/** @typedef {"red" | "blue"} Player */
/** What is known of a final score, red minus blue.
 * @typedef {{ score?: number | null, estimate?: number | null, error?: number | null, bounds?: number[] | null }} Known */
/** News of a position, and of its best moves, by so much `effort`: that of a review is 1. After its last turn the engine
 * is `rested`.
 * @typedef {{ turns?: number, complete?: boolean, rested?: boolean }} Turns
 * @typedef {Known & { effort?: number, move?: string, moves?: News[], line?: string[] } & Turns} News */
/** A position and those after its `moves`; `listed`, it has the number of the best. It has a `rank` among its siblings.
 * @typedef {{ mover: Player, parent: Analysis | null, moves: Map<string, Analysis>, bounds: number[], rank: number,
 *   estimate: number | null, error: number | null, effort: number, listed: boolean, line: string[], order?: any,
 *   version?: number } & Turns} Analysis */
/** A game. Its data are as mod.rs writes them: the `list` and the `line` of a move belong to the position before it, the
 * rest to that after. From its record follow `setup`, `blocked` cells and the `line` of moves. The board adds whether it was
 * begun here (`fresh`), the `seconds` of the engine's moves, whether all of it is `reviewed`, the numbers that its story
 * was `toldOf`, which game of the board's file it is (`fileIndex`, from 0), and the `person`'s side if no name tells it.
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Known, story?: string[], final_score?: number | null,
 *   points?: number[] | null, fault?: string | null, decided?: number | null,
 *   lost?: number | null, moves?: (Known & { list?: any[], line?: string })[],
 *   setup: string[], blocked: string[], line: string[], fresh?: boolean,
 *   seconds?: number[], reviewed?: boolean, toldOf?: string, fileIndex?: number, person?: Player }} Game */

const SIGN = { red: 1, blue: -1 };
const NAME = { red: "Red", blue: "Blue" };
/** @type {Player[]} */
const PLAYERS = ["red", "blue"];
/** @type {(player: Player) => Player} */
const other = (player) => (player === "red" ? "blue" : "red");
const range = (count, of) => Array.from({ length: count }, (_, n) => of(n));

/** The cells by ordinal: A1..A8, B1..B7, …, H1. */
const CELLS = [..."ABCDEFGH"].flatMap((column, u) => range(8 - u, (v) => column + (v + 1)));
const place = (cell) => [cell.charCodeAt(0) - 65, Number(cell[1]) - 1];
const cellAt = (u, v) => CELLS.find((cell) => String(place(cell)) === `${u},${v}`);

/** @type {Game[]} */
let games = [];
/** What is known of the positions before a first move, by their records; of all others it hangs from there.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
/** The number of news so far. */
let version = 0;
const state = {
  /** Without an engine "record", else "play", "analyse" or "review". */
  mode: "record",
  /** What is shown: a game after `ply` moves, and the first `steps` moves of one's `own` that go on from there. */
  game: 0, ply: 0, own: /** @type {string[]} */ ([]), steps: 0,
  /** Whether the cells tell what they count, on a triangle that stands on its tip, beside a form for a new game. */
  counts: false, flipped: false, setup: false,
  /** The ply after which the person looks for a move: what is best and what comes is hidden until one is tried. */
  trial: /** @type {number | null} */ (null),
  /** The chosen cell and stone. */
  cell: /** @type {string | null} */ (null), stone: /** @type {number | null} */ (null),
  /** The position that is edited: see edit.js. */
  edited: /** @type {any} */ (null),
  /** The person's side and partner that were chosen last. */
  person: /** @type {Player} */ ("red"), partner: "casual",
  /** The question to the engine: "idle", "asking", "broken" off, or "stopped".
   * @type {{ is: string, key?: string | null, abort?: AbortController, timer?: any }} */
  question: { is: "idle" },
  /** The seconds of the engine for a game, null where it counts nodes. The file that was reviewed. Whether the board's
   * file is followed, and the second at which the last game of its match ended, null if it is none. */
  time: /** @type {number | null} */ (null), source: "", follows: false, lastAt: /** @type {number | null} */ (null),
  /** The position for which a hint was asked, and the move. */
  hint: /** @type {{ text?: string, move?: string }} */ ({}),
};

const gameHere = () => games[state.game];
/** The person's side in the shown game. */
const personHere = () => PLAYERS.find((player) => gameHere()[player] === "you") ?? gameHere().person ?? state.person;
/** The moves to the shown position. */
const lineHere = () => [...gameHere().line.slice(0, state.ply), ...state.own.slice(0, state.steps)];
const textOf = ({ setup }, line) => [...setup, ...line].join(" ");
const playerOf = ({ first }, ply) => (ply % 2 ? other(first) : first);
/** Tell whether others play a game: nobody here goes on with it. */
const isOfOthers = ({ red, blue }) => Boolean(red && blue && red !== "you" && blue !== "you");
const isTheGame = () => !state.steps && state.ply === gameHere().line.length;
/** Tell whether a move that is made now is one of the game that is played. */
const isPlaying = () => state.mode === "play" && !state.edited && !isOfOthers(gameHere()) && isTheGame();
/** Tell whether a move was tried, where one is looked for. */
const hasTried = () => state.trial !== null && lineHere().length > state.trial;

/** Return the shown position; while a game is played, without its analysis except a hint that was asked for. */
function positionHere() {
  if (state.edited) return state.edited.now;
  const now = position(gameHere(), lineHere());
  const hint = state.mode === "play" && now.text === state.hint.text && state.hint.move;
  return { ...now, ...(isPlaying() && { analysis: NOTHING }), hint };
}

/** Return the position after some moves. */
function position(game, line) {
  const [text, cells] = [textOf(game, line), cellsOf(game, line)];
  const handLeft = (player) => new Set(handOf(game, player).filter((stone) => !isOn(cells, player, stone)));
  return { text, cells, left: { red: handLeft("red"), blue: handLeft("blue") }, over: isOver(game, line),
    empty: CELLS.filter((cell) => !cells.has(cell)), mover: playerOf(game, line.length), known: knownOf(game, line),
    analysis: find(game, line), last: lastMove(game, line) };
}
/** What is on the cells after some moves.
 * @returns {Map<string, { player: string, stone?: number }>} */
const cellsOf = (game, line) => new Map([...game.blocked.map((cell) => [cell, { player: "blocked" }]),
  ...line.map((move, n) => [move.slice(0, 2), { player: playerOf(game, n), stone: Number(move.slice(3)) }])]);
const isOn = (cells, player, stone) => [...cells.values()].some((it) => it.player === player && it.stone === stone);
const handOf = ({ hands = null }, player) => hands?.[player] ?? range(15, (n) => n + 1);
const isOver = ({ blocked }, line) => blocked.length + line.length === CELLS.length - 1;

/** The stones next to a cell, and what each counts. */
function besides(cells, cell) {
  const [u, v] = place(cell);
  return [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]].map(([x, y]) => cellAt(u + x, v + y))
    .map((near) => ({ cell: near, count: (cells.get(near)?.stone ?? 0) * SIGN[cells.get(near)?.player] }))
    .filter(({ count }) => count);
}
/** What a cell counts as the hole: the red stones next to it minus the blue ones. */
const countOf = (cells, cell) => besides(cells, cell).reduce((sum, { count }) => sum + count, 0);

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
/** Of bounds after a move those before it: its player secures so much. Or those after another's move: it wins no more.
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

/** Take news of a position: bounds intersect, a proof beats an estimate, more effort beats less, of equals the newer.
 * @type {(now: Analysis, news: News) => void} */
function merge(now, { score = null, bounds = null, estimate = null, error = null, effort = 0, moves = [], line = [], ...on }) {
  narrow(now, score === null ? bounds ?? [-75, 75] : [score, score]);
  const isNew = effort > 0 && effort >= now.effort && (estimate !== null || moves.length > 0);
  if (isNew) {
    // What a shorter look at this position listed is out of date.
    const isOld = (after) => !after.listed && after.effort < effort;
    [...now.moves.values()].filter(isOld).forEach((after) => Object.assign(after, { estimate: null, effort: 0 }));
    Object.assign(now, { estimate, error, effort, listed: moves.length > 0 });
  }
  if (isNew || !now.line.length) now.line = line;
  moves.forEach(({ move, ...row }, rank) => {
    const after = opened(now, move);
    if (isNew) after.rank = rank;
    // The look at a position is shared by its moves.
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

const numberOf = ({ score = null, estimate = null }) => score ?? estimate;
/** Rank the moves of a position that have a number, of equals the proven one first; the best gives the position its own.
 * @type {(now: Analysis) => { list: { move: string, after: Analysis }[], number: number | null, error: number | null }} */
function ranked(now) {
  if (now.version === version && now.order) return now.order;
  const [{ moves, bounds: [low, high] }, sign] = [now, SIGN[now.mover]];
  const [number, isOpen] = [({ after }) => ranked(after).number, ({ after: { bounds } }) => bounds[0] < bounds[1]];
  const list = [...moves].map(([move, after]) => ({ move, after })).filter((it) => number(it) !== null).sort((a, b) =>
    (number(b) - number(a)) * sign || Number(isOpen(a)) - Number(isOpen(b)) || a.after.rank - b.after.rank);
  let [told, error] = [low === high ? low : now.estimate, now.error];
  if (list.length && (now.listed || (told !== null && (number(list[0]) - told) * sign > 0))) {
    // A better move may hide as long as the bounds allow it.
    [told, error] = [number(list[0]), list.filter(isOpen).map(({ after }) => ranked(after).error)[0] ?? 0.5];
  }
  now.version = version;
  return (now.order = { list, number: told === null ? null : Math.max(low, Math.min(high, told)), error });
}

/** The room of a position's number: its bounds, and those before its move, where the best move fills them. */
function roomOf(now) {
  const [{ bounds, parent, mover }, room] = [now, now.parent && roomOf(now.parent)];
  if (!parent) return bounds;
  const [low, high] = ranked(parent).list[0]?.after === now ? room : oneWay(mover, room);
  return low <= bounds[1] && bounds[0] <= high ? [Math.max(low, bounds[0]), Math.min(high, bounds[1])] : bounds;
}

/** What is known of a position.
 * @type {(now: Analysis) => Known} */
function knownHere(now) {
  const [{ bounds }, { number, error }, [low, high]] = [now, ranked(now), roomOf(now)];
  if (bounds[0] === bounds[1]) return { score: bounds[0], estimate: null, error: null, bounds: null };
  const estimate = number === null ? null : Math.max(low, Math.min(high, number));
  return { score: null, estimate, error: estimate === null ? null : error, bounds: `${bounds}` === "-75,75" ? null : bounds };
}
const listOf = (now) => ranked(now).list.map(({ move, after }) => ({ move, after, known: knownHere(after) }));
/** The moves expected from a position on. */
function expected(now) {
  const [best] = ranked(now).list;
  const isBest = best && numberOf(knownHere(best.after)) === numberOf(knownHere(now));
  return isBest ? [best.move, ...expected(best.after)] : now.line;
}

/** Turn an answer of the engine into news about its position. */
function newsOf({ score, bounds, estimate, error, effort, line, best = [], moves = [], turns, complete, ended }) {
  const rows = best.filter((move) => !moves.some((row) => row.move === move)).map((move) => ({ move, score }));
  const rest = ended === "done" ? { rested: true } : turns === undefined ? {} : { turns, complete };
  return { score, bounds, estimate, error, effort, line, moves: [...rows, ...moves], ...rest };
}

/** What is known of the score after some moves.
 * @returns {Known} */
function knownOf(game, line) {
  if (!isOver(game, line)) return knownHere(find(game, line));
  const cells = cellsOf(game, line);
  return { score: countOf(cells, CELLS.find((cell) => !cells.has(cell))), estimate: null, error: null, bounds: null };
}

const rounded = (number) => Number(number.toFixed(1));
/** The mark of a loss, proven or by estimates of so much error: see judged.rs. */
function markOf(lost, error = null) {
  const sign = lost >= 4 ? "??" : lost >= 2 ? "?" : lost >= 1 ? "?!" : "";
  return error === null ? sign : lost - error < 0.5 ? "" : `~${sign || "?!"}`;
}

/** The last of some moves, with what it gave away: `lost` if that is proven, `estimated` if only marked, `loss` at all. */
function lastMove(game, line) {
  if (!line.length) return null;
  const [ply, player, before] = [line.length, playerOf(game, line.length - 1), find(game, line.slice(0, -1))];
  const [earlier, known, move] = [knownHere(before), knownOf(game, line), line.at(-1)];
  const isKnown = numberOf(earlier) !== null && numberOf(known) !== null;
  const loss = isKnown ? rounded((numberOf(earlier) - numberOf(known)) * SIGN[player]) || 0 : null;
  const lost = earlier.score !== null && known.score !== null ? loss : null;
  const mark = loss === null ? "" : markOf(loss, lost === null ? (earlier.error ?? 0) + (known.error ?? 0) : null);
  return { move, ply, player, known, before, isOwn: line.some((it, n) => it !== game.line[n]), loss, mark, lost,
    estimated: mark && lost === null ? loss : null, best: loss === 0 ? move : expected(before)[0] };
}

/** Praise or correct a move by the list before it: what it gives away and, beside a game, what the best one keeps; "" without
 * a list. */
function verdictOn({ move, player, loss, lost, mark, before }) {
  const list = before.listed ? listOf(before) : [];
  if (!list.length || loss === 0) return list.length ? `Right: ${move} is as good as the best` : "";
  // Within the errors.
  if (loss !== null && lost === null && !mark) return `Right: ${move} is about as good as ${list[0].move}`;
  const count = list.length < 5 ? list.length : "five";
  if (loss === null) return `${move} is not among the ${count} best: it keeps at most ${pointsOf(list.at(-1).known)}`;
  const keeps = state.trial === null ? `: ${list[0].move} keeps ${pointsOf(list[0].known)}` : "";
  return `${lost === null ? "About " : ""}${points(loss)} worse${keeps}`;
}
/** What is known before a game's first move and after each. */
const courseOf = (game) => range(game.line.length + 1, (ply) => {
  const { bounds, ...known } = knownOf(game, game.line.slice(0, ply));
  return { ...known, bounds: bounds ?? (known.score === null ? [-75, 75] : [known.score, known.score]) };
});
const movesOf = (game) => game.line.map((_, n) => lastMove(game, game.line.slice(0, n + 1)));
const mistakesOf = (moves) => moves.filter(({ mark }) => mark);

/** Make a game of its data, and note what they tell of its positions.
 * @returns {Game} */
function readGame(data) {
  const items = data.record.split(" ");
  const [setup, line] = [false, true].map((isMove) => items.filter((item) => item.includes("=") === isMove));
  const game = { ...data, setup, line, blocked: setup.filter((item) => CELLS.includes(item)) };
  // In a game that goes on the last move decides nothing.
  if (!isOver(game, line) && game.decided === line.length) game.decided = null;
  const judgements = [game.start, ...(game.moves ?? [])];
  judgements.forEach(({ list, line: _, ...known }, ply) => {
    const { list: rows = [], line: best = "" } = judgements[ply + 1] ?? {};
    // Thousands of games may have nothing to keep.
    if (!rows.length && !Object.keys(known).length) return;
    const moves = rows.flatMap(([equals, number, error = null, ...bounds]) => equals.split(" ").map((move) => ({ move, error,
      [error === null ? "score" : "estimate"]: number, bounds: bounds.length ? bounds : null,
      line: best.startsWith(`${move} `) ? best.split(" ") : [] })));
    learn(game, line.slice(0, ply), { ...known, moves, effort: 1 });
  });
  return game;
}

/** The costliest moves of a game: of equals first the one that the game turned on, then the proven ones. */
function costliestOf(game, moves = movesOf(game)) {
  const rank = ({ ply, lost }) => 2 * Number(ply === game.decided) + Number(lost !== null);
  return mistakesOf(moves).sort((a, b) => b.loss - a.loss || rank(b) - rank(a)).slice(0, 3);
}

/** The ply at which a game is opened: where it turned, if the story can tell, else the costliest move. */
function focusOf(game) {
  if (!game.moves?.some((it) => "score" in it || "estimate" in it)) return 0;
  const moves = movesOf(game);
  const turn = mistakesOf(moves).find(({ ply }) => ply === game.decided);
  return (turn ?? costliestOf(game, moves)[0])?.ply ?? 0;
}

/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, line) {
  Object.assign(game, { line, record: textOf(game, line), moves: game.moves?.slice(0, line.length), decided: null,
    lost: null, points: null, fault: null, story: null, reviewed: false,
    final_score: isOver(game, line) ? knownOf(game, line).score : null });
}

/** Add a move that took the engine some seconds. */
function append(game, move, seconds = 0) {
  game.seconds[game.line.length] = seconds;
  rewrite(game, [...game.line, move]);
}
const spent = (game, player) =>
  game.line.reduce((sum, _, n) => sum + (playerOf(game, n) === player && game.seconds[n] || 0), 0);

/** Play the first `count` moves of some on the board: the game's own, or one's own beside it. */
function tryMoves(game, moves, count = moves.length) {
  let [{ ply, trial }, own, steps] = [state, [...state.own.slice(0, state.steps), ...moves], state.steps + count];
  for (; steps && game.line[ply] === own[0]; own = own.slice(1)) [ply, steps] = [ply + 1, steps - 1];
  return { ply, own, steps, trial };
}

/** The best moves, each with its number. */
const linesOf = ({ analysis, known }) => (numberOf(known) === null ? [] : listOf(analysis));

/** Write a score, red minus blue. */
const plain = (score) => (score > 0 ? `+${score}` : String(score || 0).replace("-", "−"));
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const points = (count) => counted(count, "point");
const margin = (error) => (error ? ` ± ${rounded(error)}` : "");
/** The points of Red and Blue: "79 : 71". */
const pointsOf = (known) => (known.score == null ? "≈" : "")
  + [1, -1].map((sign) => rounded(75 + sign * numberOf(known))).join(" : ");
/** Say who wins. */
const winnerOf = (score) => (score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw");
/** @type {(known: Known) => string} */
const brief = ({ score, estimate }) =>
  (score !== null ? plain(score) : estimate === null ? "–" : `≈${plain(rounded(estimate))}`);
/** One number for a position, in words.
 * @param {{ known: any }} now */
function inWords({ known: { score, estimate, error, bounds } }) {
  if (score !== null) return `${plain(score)} exact`;
  // Wide bounds tell nothing.
  const certain = bounds?.some((it) => Math.abs(it) < 40) && `certain: ${bounds.map(plain).join(" to ")}`;
  if (estimate === null) return certain || (state.question.is === "asking" ? "being judged …" : "not judged");
  return `${brief({ score, estimate })}${margin(error)}${certain ? `, ${certain}` : ""}`;
}
