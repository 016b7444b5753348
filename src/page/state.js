// @ts-check
"use strict";
// The games of the page, what is shown of them, and what is known of their positions. Nothing here touches the page.

/** @typedef {"red" | "blue"} Player */
/** What is known of a final score, red minus blue.
 * @typedef {{ score?: number | null, estimate?: number | null, error?: number | null, bounds?: number[] | null }} Known */
/** What is known of a position: the scores after moves are `options`; after its last turn the engine is `rested`.
 * @typedef {Known & { options?: Map<string, number>, best?: string | null, solve?: any, lines?: string[][], think?: any,
 *   why?: string, turns?: number, complete?: boolean, rested?: boolean }} Analysis */
/** @typedef {{ ply: number, moves: string[] }} Line moves of one's own after a ply of a game */
/** A game. Its data are as mod.rs writes them: `best` and `options` of a move belong to the position before it, the rest
 * to that after. From its record follow `setup`, `blocked` cells and the `line` of moves. The board adds whether it was
 * begun here (`fresh`), the number of the game that was left for it (`parentGame`), the moves it had then (`startPly`),
 * whether the board was flipped (`wasFlipped`), the `seconds` of each move, `since` when the next is waited for, and
 * whether all of it is `reviewed`, and which game of the board's file it is (`fileIndex`, from 0).
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Known, story?: string[], final_score?: number | null,
 *   points?: number[] | null, fault?: string | null, decided?: number | null,
 *   summary?: Record<Player, { judged: number, lost: number }>,
 *   moves?: (Known & { best?: string, options?: Record<string, number>, mark?: string, estimated_lost?: number })[],
 *   setup: string[], blocked: string[], line: string[], tried: Line[], fresh?: boolean, parentGame?: number | null,
 *   startPly?: number, wasFlipped?: boolean, seconds?: number[], since?: number, reviewed?: boolean, fileIndex?: number }} Game */

const SIGN = { red: 1, blue: -1 };
const NAME = { red: "Red", blue: "Blue" };
const SHAPE = { red: "●", blue: "■" };
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
/** What is known of positions, by their records.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
const state = {
  /** Without an engine "record", else "play", "analyse" or "review". */
  mode: "record",
  /** What is shown: a game after `ply` moves, and the first `steps` moves of one's own line, if there is one. */
  game: 0, ply: 0, own: /** @type {Line | null} */ (null), steps: 0,
  /** Whether it is seen from Blue's side, without what is best and what comes, and with what each cell counts. */
  flipped: false, answersHidden: false, counts: false,
  /** The chosen cell and stone; the number of the line on the board. */
  cell: /** @type {string | null} */ (null), stone: /** @type {number | null} */ (null), line: 0,
  /** The position that is edited: see edit.js. */
  edited: /** @type {any} */ (null),
  /** The person's side, the partner, and the game in which that was settled. */
  person: /** @type {Player} */ ("red"), partner: "expert", seated: /** @type {Game | null} */ (null),
  /** The question to the engine: "idle", "asking", "broken" off, "stopped", or "rested" after its last turn.
   * @type {{ is: string, key?: string | null, began?: number, abort?: AbortController, timer?: any }} */
  question: { is: "idle" },
  /** What the board offers: the seconds of the engine for a game, null where it counts nodes; levels and players. */
  time: /** @type {number | null} */ (null), levels: /** @type {string[]} */ ([]), players: /** @type {string[]} */ ([]),
  /** The mode and the position of the last message. */
  lookedAt: "",
  /** The position for which a hint was asked, and the move. */
  hint: /** @type {{ text?: string, move?: string }} */ ({}),
};

const gameHere = () => games[state.game];
/** The moves to the shown position. */
const lineHere = () => [...gameHere().line.slice(0, state.ply), ...(state.own?.moves.slice(0, state.steps) ?? [])];
const textOf = ({ setup }, line) => [...setup, ...line].join(" ");
const playerOf = ({ first }, ply) => (ply % 2 ? other(first) : first);
/** Tell whether others play a game: nobody here goes on with it. */
const isOfOthers = ({ red, blue }) => Boolean(red && blue && red !== "you" && blue !== "you");
const isTheGame = () => !state.own && state.ply === gameHere().line.length;
/** Tell whether a move that is made now is one of the game that is played. */
const isPlaying = () => state.mode === "play" && !state.edited && !isOfOthers(gameHere()) && isTheGame();

/** Return the shown position; while a game is played, without its analysis except a hint that was asked for. */
function positionHere() {
  if (state.edited) return state.edited.now;
  const now = position(gameHere(), lineHere());
  const analysis = isPlaying() ? NOTHING : now.analysis;
  return { ...now, analysis, best: (now.text === state.hint.text && state.hint.move) || analysis.best };
}

/** Return the position after some moves. */
function position(game, line) {
  const [text, cells] = [textOf(game, line), cellsOf(game, line)];
  const handLeft = (player) => {
    const played = stonesOn(cells, player);
    return new Set(handOf(game, player).filter((stone) => !played.includes(stone)));
  };
  return { text, cells, left: { red: handLeft("red"), blue: handLeft("blue") }, over: isOver(game, line),
    empty: CELLS.filter((cell) => !cells.has(cell)), mover: playerOf(game, line.length), known: knownOf(game, line),
    analysis: analyses.get(text) ?? NOTHING, last: lastMove(game, line) };
}
/** What is on the cells after some moves.
 * @returns {Map<string, { player: string, stone?: number }>} */
const cellsOf = (game, line) => new Map([...game.blocked.map((cell) => [cell, { player: "blocked" }]),
  ...line.map((move, n) => [move.slice(0, 2), { player: playerOf(game, n), stone: Number(move.slice(3)) }])]);
/** A player's stones on the cells, in the order of play. */
const stonesOn = (cells, player) => [...cells.values()].filter((it) => it.player === player).map(({ stone }) => stone);
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

/** @type {Analysis} */
const NOTHING = { score: null, estimate: null, error: null, bounds: null, options: new Map(), best: null };
const WIDEST = [-75, 75];
/** Add news to what is known of a position: bounds only narrow, a proven score stays, an estimate lies within bounds.
 * @type {(known: Analysis, news: Analysis) => Analysis} */
function merge(known, news) {
  const spanOf = ({ score = null, bounds = null }) => (score === null ? bounds ?? WIDEST : [score, score]);
  const [[low, high], [from, to]] = [spanOf(known), spanOf(news)];
  const bounds = [Math.max(low, from), Math.min(high, to)];
  const score = known.score ?? news.score ?? (bounds[0] === bounds[1] ? bounds[0] : null);
  const { estimate = null, error = null } = (news.estimate ?? null) === null ? known : news;
  const options = new Map([...known.options ?? [], ...news.options ?? []]);
  // The best move of a record that has the position's score has that score.
  if (news.best && (news.score ?? null) !== null) options.set(news.best, news.score);
  const given = Object.fromEntries(Object.entries(news).filter(([, value]) => value != null));
  // Of a solved position only a proven move is the best.
  const named = [news.solve?.best[0], news.best, known.best, ...options.keys()];
  const proven = named.find((move) => options.get(move) === score);
  const best = (score === null ? news.think?.move ?? news.best ?? known.best : proven) ?? null;
  return { ...known, ...given, score, error, options, best,
    bounds: score === null && String(bounds) !== String(WIDEST) ? bounds : null,
    estimate: estimate === null ? null : Math.max(bounds[0], Math.min(bounds[1], estimate)) };
}

/** Add news to the analysis of a position. */
function learn(text, news) {
  const analysis = merge(analyses.get(text) ?? NOTHING, news);
  analyses.set(text, analysis);
  return analysis;
}

/** Turn an answer of the engine into news about its position.
 * @returns {Analysis} */
function newsOf({ bounds, solve, moves, lines, think, turns, why, estimate, error, ended }) {
  const best = solve ? solve.best.map((move) => ({ move, score: solve.score })) : [];
  const scores = [...best, ...(moves ?? solve?.moves ?? [])].filter(({ score }) => score !== null);
  return { think, why, solve, lines, turns, score: solve?.score, bounds: solve?.bounds ?? think?.bounds ?? bounds,
    options: new Map(scores.map(({ move, score }) => [move, score])), estimate: (think ?? { estimate }).estimate,
    error: (think ?? { error }).error,
    complete: solve && solve.complete && Boolean(solve.moves), rested: ended === "done" };
}

/** What is known of the score after some moves.
 * @returns {Known} */
function knownOf(game, line) {
  const analysis = analyses.get(textOf(game, line)) ?? NOTHING;
  if (isOver(game, line)) {
    const cells = cellsOf(game, line);
    return merge(analysis, { score: countOf(cells, CELLS.find((cell) => !cells.has(cell))) });
  }
  const after = line.length ? analyses.get(textOf(game, line.slice(0, -1)))?.options.get(line.at(-1)) : undefined;
  return after === undefined ? analysis : merge(analysis, { score: after });
}

/** The points that a player gave away between two scores, if both are known. */
const cost = (player, before, after) => (before == null || after == null ? null : (before - after) * SIGN[player] || 0);
const markOf = (lost) => (lost >= 4 ? "??" : lost >= 2 ? "?" : lost >= 1 ? "?!" : "");

/** The last of some moves, with what it cost. */
function lastMove(game, line) {
  if (!line.length) return null;
  const [ply, player, before] = [line.length, playerOf(game, line.length - 1), line.slice(0, -1)];
  const [earlier, known] = [knownOf(game, before), knownOf(game, line)];
  const isOwn = line.some((move, n) => move !== game.line[n]);
  const lost = cost(player, earlier.score, known.score);
  const then = game.moves?.[ply - 1] ?? {};
  // A mark by estimates falls with the first of them that is solved.
  const solved = (/** @type {Known[]} */ ...all) => all.filter((it) => (it?.score ?? null) !== null).length;
  const isOld = solved(earlier, known) > solved(ply > 1 ? game.moves?.[ply - 2] : game.start, then);
  const { mark = markOf(lost), estimated_lost: estimated = null } = isOwn || isOld || lost !== null ? {} : then;
  // A loss by estimates stays beside the estimate that it came from.
  const isKept = !isOwn && known.score === null && then.estimate != null;
  const after = isKept ? { ...known, estimate: then.estimate, error: then.error } : known;
  const { best } = analyses.get(textOf(game, before)) ?? NOTHING;
  return { move: line.at(-1), ply, player, known: after, isOwn, lost, estimated, mark, best };
}
const movesOf = (game) => game.line.map((_, n) => lastMove(game, game.line.slice(0, n + 1)));
const mistakesOf = (moves) => moves.filter(({ mark }) => mark);

/** Make a game of its data, and note what they tell of its positions.
 * @returns {Game} */
function readGame(data) {
  const items = data.record.split(" ");
  const [setup, line] = [false, true].map((isMove) => items.filter((item) => item.includes("=") === isMove));
  const game = { tried: [], ...data, setup, line, blocked: setup.filter((item) => CELLS.includes(item)) };
  // In a game that goes on the last move decides nothing.
  if (!isOver(game, line) && game.decided === line.length) game.decided = null;
  const judgements = [game.start, ...(game.moves ?? [])];
  judgements.forEach(({ score, estimate, error, bounds }, ply) => {
    const { best, options } = judgements[ply + 1] ?? {};
    // Thousands of games may have nothing to keep.
    if ((score ?? estimate ?? bounds ?? best ?? options ?? null) === null) return;
    learn(textOf(game, line.slice(0, ply)),
      { score, estimate, error, bounds, best, options: new Map(Object.entries(options ?? {})) });
  });
  return game;
}

/** The ply at which a game is opened: the mistake that decided it, else the costliest. */
function focusOf(game) {
  if (!game.moves?.some((it) => "score" in it || it.mark)) return 0;
  const costOf = ({ ply, lost, estimated }) => (ply === game.decided ? Infinity : lost ?? estimated);
  const most = (one, next) => (one && costOf(one) >= costOf(next) ? one : next);
  return mistakesOf(movesOf(game)).reduce(most, null)?.ply ?? 0;
}

/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, line) {
  Object.assign(game, { line, record: textOf(game, line), moves: game.moves?.slice(0, line.length), decided: null,
    summary: null, points: null, fault: null, story: null, reviewed: false, since: performance.now(),
    final_score: isOver(game, line) ? knownOf(game, line).score : null });
}

/** Add a move that took some seconds. */
function append(game, move, seconds) {
  game.seconds[game.line.length] = seconds;
  rewrite(game, [...game.line, move]);
}
const spent = (game, player) =>
  game.line.reduce((sum, _, n) => sum + (playerOf(game, n) === player && game.seconds[n] || 0), 0);

/** Play the first `count` moves of some on the board: the game's own, some tried before, or new ones. */
function tryMoves(game, moves, count = moves.length) {
  let [{ ply }, line, steps] = [state, [...lineHere().slice(state.ply), ...moves], state.steps + count];
  for (; !state.own && steps && game.line[ply] === line[0]; line = line.slice(1)) [ply, steps] = [ply + 1, steps - 1];
  if (!steps) return { ply };
  const begins = (one, other) => other.every((move, n) => one[n] === move);
  const tried = game.tried.filter((own) => own.ply === ply);
  // A line that this one goes on with goes on; all others stay as they are.
  let own = tried.find(({ moves }) => begins(moves, line)) ?? tried.find(({ moves }) => begins(line, moves));
  if (!own) game.tried.push((own = { ply, moves: [] }));
  if (own.moves.length < line.length) own.moves = line;
  return { ply, own, steps };
}

/** The game of which another plays a move again, from the same position; null if there is none. */
function triedFrom(game) {
  const from = game.parentGame && games.find(({ number }) => number === game.parentGame);
  const [own, old] = [game, from || game].map((it) => textOf(it, it.line.slice(0, game.startPly)));
  return from && own === old && from.line.length > game.startPly ? from : null;
}

/** The best moves, each with its expected line of play: by exact scores, else by the chances of a search. */
function linesOf({ text, analysis, best, known, mover }) {
  const candidates = analysis.think?.candidates ?? [];
  // Of equals those with a line come first.
  const rank = ({ move }) => (analysis.lines ?? []).findIndex(([first]) => first === move) >>> 0;
  const exact = [...analysis.options].map(([move, score]) => ({ move, score }))
    .sort((a, b) => (b.score - a.score) * SIGN[mover] || rank(a) - rank(b));
  const isBest = ({ move }) => Number(move === best);
  const rows = [...(known.score !== null && exact.length ? exact : candidates)];
  if (best && !rows.some(isBest)) rows.unshift({ move: best, score: known.score });
  const hopeful = rows.sort((a, b) => isBest(b) - isBest(a)).slice(0, 5)
    .filter((row) => isBest(row) || (row.chance ?? 1) >= 0.05)
    .sort((a, b) => isBest(b) - isBest(a) || (b.chance ?? 0) - (a.chance ?? 0));
  const lines = [analysis.solve?.line, ...(analysis.lines ?? []), ...candidates.map(({ line }) => line),
    analysis.think?.line];
  return hopeful.map((row) => {
    const after = analysis === NOTHING ? NOTHING : analyses.get(`${text} ${row.move}`);
    const whole = lines.find((line) => line?.[0] === row.move && line.length > 1);
    return { ...row, line: whole ?? [row.move, ...(after?.solve?.line ?? after?.think?.line ?? [])] };
  });
}

// Numbers as the viewer's side sees them.
const side = () => (state.flipped ? "blue" : "red");
const plain = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));
const seen = (score) => plain(score * SIGN[side()] || 0);
const viewed = () => (state.flipped ? ", seen from Blue" : "");
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const points = (count) => counted(count, "point");
const percent = (chance) => `${(100 * chance).toFixed(0)}\u00a0%`;
const span = (bounds) => bounds.map((it) => it * SIGN[side()]).sort((a, b) => a - b).map(plain).join(" to ");
const rounded = (number) => Number(number.toFixed(1));
const margin = (error) => (error ? ` ± ${rounded(error)}` : "");
/** The points of a player who reaches a target. */
const reached = (target, player) => 75 + (player === "red" ? target : 1 - target);
const goalOf = (target, player) =>
  `${reached(target, player)} points${reached(target, player) === 75 ? " (a draw)" : ""} or more`;
/** Say who wins, with the points of both. */
function resultOf(score) {
  const winner = score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw,";
  return `${winner} ${75 + Math.abs(score)} to ${75 - Math.abs(score)}`;
}
/** @type {(known: Known) => string} */
function shown({ score, estimate, error }) {
  if (score !== null) return seen(score);
  return estimate === null ? "–" : `≈ ${seen(rounded(estimate))}${margin(error)}`;
}
/** One number for a position, in words. */
function inWords({ known: { score, estimate, error, bounds } }) {
  if (score !== null) return `${seen(score)} exact${viewed()}`;
  // Wide bounds tell nothing.
  const certain = bounds?.some((it) => Math.abs(it) < 40) && `certain: ${span(bounds)}`;
  if (estimate === null) return certain ? certain + viewed() : "not judged";
  return `about ${seen(rounded(estimate))}${margin(error)}${certain ? ` (${certain})` : ""}${viewed()}`;
}
