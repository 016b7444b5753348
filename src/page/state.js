// @ts-check
"use strict";
// The games of the page, the shown position, and the knowledge about it.

/** @typedef {"red" | "blue"} Player */
/** The knowledge about a final score, red minus blue.
 * @typedef {{ score?: number | null, estimate?: number | null, error?: number | null, bounds?: number[] | null }} Known */
/** The analysis of a position: the scores after moves are `options`; after its last turn the engine is `rested`.
 * @typedef {Known & { options: Map<string, number>, best?: string | null, solve?: any, lines?: string[][], think?: any,
 *   why?: string, doing?: string, turns?: number, complete?: boolean, rested?: boolean }} Analysis */
/** @typedef {{ ply: number, moves: string[] }} Line moves of one's own after a ply of a game */
/** @typedef {{ judged: number, lost: number, marks: number[], taken_for?: { kind: string, chance: number } }} Tally */
/** A game as mod.rs writes it: `best` and `options` of a move belong to the position before it, the rest to that after.
 * @typedef {{ number: number, title: string, red: string, blue: string, record: string, first: Player,
 *   hands?: Record<Player, number[]>, start: Known, story?: string[], final_score?: number | null,
 *   points?: number[] | null, fault?: string | null, decided?: number | null, summary?: Record<Player, Tally>,
 *   moves?: (Known & { best?: string, options?: Record<string, number>, mark?: string, estimated_lost?: number })[],
 * }} GameData */
/** A game: its data (`raw`), what follows from them, and what the board adds: whether it was begun here (`fresh`), the
 * number of the game that was left for it (`before`), the moves it had then (`begun`) and whether the board was flipped
 * (`turned`); `seconds` of each move, `since` when the next is waited for; whether all of it is `reviewed`.
 * @typedef {Omit<GameData, "hands"> & { line: string[], hands: Record<Player, number[]>,
 *   focus: number, blocked: string[], setup: string[], lost: number, tried: Line[], raw: GameData, fresh?: boolean,
 *   before?: number | null, begun?: number, turned?: boolean, seconds?: number[], since?: number, reviewed?: boolean }} Game */

/** @type {(id: string) => HTMLInputElement & HTMLSelectElement & HTMLDialogElement} */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
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

/** Do what no browser must allow: the page works without it. */
function optional(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Return the community's string of a game with the usual hands, Red to move and some blocked cells. */
function base36Of({ setup, blocked, line }) {
  const code = (cell, stone) => CELLS.indexOf(cell).toString(36) + stone.toString(36);
  if (setup.length !== blocked.length || !blocked.length) return null;
  return [...blocked.map((cell) => code(cell, 0)),
    ...line.map((move, n) => code(move.slice(0, 2), Number(move.slice(3)) + 15 * (n % 2)))].join("");
}

/** The points that a player gave away between two scores, if both are known. */
const cost = (player, before, after) => (before == null || after == null ? null : (before - after) * SIGN[player] || 0);
/** Say who wins, with the points of both. */
function resultOf(score) {
  const winner = score > 0 ? "Red wins" : score < 0 ? "Blue wins" : "A draw,";
  return `${winner} ${75 + Math.abs(score)} to ${75 - Math.abs(score)}`;
}
const markOf = (lost) => (lost >= 4 ? "??" : lost >= 2 ? "?" : lost >= 1 ? "?!" : "");

/** Make a game of its data, and note what they tell of its positions.
 * @param {GameData} data
 * @returns {Game} */
function readGame(data) {
  const items = data.record.split(" ");
  const [setup, line] = [false, true].map((isMove) => items.filter((item) => item.includes("=") === isMove));
  data.moves ??= line.map(() => ({}));
  // In a game that goes on the last move decides nothing.
  const isOpen = (data.final_score ?? null) === null && data.decided === line.length;
  const { final_score = null, points = null, decided = null, summary = { red: NO_TALLY, blue: NO_TALLY } } = data;
  const hands = data.hands ?? { red: range(15, (n) => n + 1), blue: range(15, (n) => n + 1) };
  const game = { ...data, raw: data, final_score, points, decided: isOpen ? null : decided, summary, line, setup, hands, tried: [],
    lost: summary.red.lost + summary.blue.lost, blocked: setup.filter((item) => CELLS.includes(item)), focus: 0 };
  const at = (ply) => analysisOf(textOf(game, line.slice(0, ply)));
  if (final_score !== null) at(line.length).score = final_score;
  if (Object.keys(data.start).length) Object.assign(at(0), data.start);
  data.moves.forEach(({ best, options, mark, estimated_lost, ...after }, n) => {
    // Thousands of games may have nothing to keep.
    if (!best && !options && !Object.keys(after).length) return;
    const before = at(n);
    for (const [move, score] of Object.entries(options ?? {})) before.options.set(move, score);
    if (best) before.best = best;
    if (best && before.score != null) before.options.set(best, before.score);
    if (Object.keys(after).length) Object.assign(at(n + 1), after);
  });
  if (!data.moves.some((it) => "score" in it || it.mark)) return game;
  const marked = mistakesOf(movesOf(game));
  // The mistake that decided the game comes first, else the costliest.
  const costOf = ({ ply, lost, estimated }) => (ply === decided ? Infinity : lost ?? estimated);
  const focus = marked.reduce((most, move) => (most && costOf(most) >= costOf(move) ? most : move), null);
  return Object.assign(game, { focus: focus?.ply ?? 0 });
}

/** @type {Game[]} */
let games = [];
/** The engine behind the page, if there is one: see startSession. */
let session = null;
/** The analyses of positions, by their records.
 * @type {Map<string, Analysis>} */
const analyses = new Map();
/** The view: a game after `ply` moves, and the first `steps` moves of one's own line, if there is one; whether it is
 * `flipped` to Blue's side, hides the answers at one's `turn`, and shows what each cell counts; the chosen cell and
 * stone; the number of the drawn line.
 * @type {{ game: number, ply: number, own: Line | null, steps: number, flipped: boolean, turn: boolean,
 *   cell: string | null, stone: number | null, line: number, counts: boolean }} */
const state = { game: 0, ply: 0, own: null, steps: 0, flipped: false, turn: false, cell: null, stone: null, line: 0,
  counts: false };

const ownMoves = () => (state.own ? state.own.moves.slice(0, state.steps) : []);
/** The moves to the shown position. */
const lineHere = () => [...games[state.game].line.slice(0, state.ply), ...ownMoves()];
const positionHere = () => session?.editing?.now ?? position(games[state.game], lineHere());
const textOf = ({ setup }, line) => [...setup, ...line].join(" ");
const playerOf = ({ first }, ply) => (ply % 2 ? other(first) : first);

/** The analysis of a position, to add to. */
function analysisOf(text) {
  if (!analyses.has(text)) analyses.set(text, { options: new Map() });
  return analyses.get(text);
}
/** The analysis of a position that may be shown: none to a player. */
const visibleAnalysis = (text) => (session?.mode === "play" ? undefined : analyses.get(text));

/** Return the position after some moves. */
function position(game, line) {
  const cells = new Map(game.blocked.map((cell) => [cell, { player: "blocked" }]));
  const left = { red: new Set(game.hands.red), blue: new Set(game.hands.blue) };
  line.forEach((move, n) => {
    const [player, [cell, stone]] = [playerOf(game, n), move.split("=")];
    cells.set(cell, { player, stone: Number(stone) });
    left[player].delete(Number(stone));
  });
  const [text, empty] = [textOf(game, line), CELLS.filter((cell) => !cells.has(cell))];
  const over = empty.length === 1;
  if (over) analysisOf(text).score = countOf(cells, empty[0]);
  // Who plays is told only what he asked for.
  const isPlayed = session?.mode === "play" && line.length === game.line.length;
  const told = isPlayed ? undefined : analyses.get(text);
  return { text, cells, left, empty, over, mover: playerOf(game, line.length), known: knownOf(game, line),
    options: told?.options ?? new Map(), best: session?.hints.get(text) ?? told?.best ?? null, last: lastMove(game, line) };
}

/** The knowledge about the score after some moves.
 * @returns {Known} */
function knownOf(game, line) {
  const before = line.length ? analyses.get(textOf(game, line.slice(0, -1)))?.options.get(line.at(-1)) : null;
  const { score, estimate = null, error = null, bounds = null } = analyses.get(textOf(game, line)) ?? {};
  const [least, most] = bounds ?? [-75, 75];
  const within = estimate === null ? null : Math.max(least, Math.min(most, estimate));
  return { score: score ?? before ?? null, estimate: within, error, bounds };
}

/** The last of some moves, with what it cost. */
function lastMove(game, line) {
  if (!line.length) return null;
  const [ply, player, before] = [line.length, playerOf(game, line.length - 1), line.slice(0, -1)];
  const [known, isOwn] = [knownOf(game, line), line.some((move, n) => move !== game.line[n])];
  const lost = cost(player, knownOf(game, before).score, known.score);
  const [{ moves, start }, earlier] = [game.raw, knownOf(game, before)];
  // A mark by estimates falls with the first of them that is solved.
  const isNews = (known, then) => known.score !== null && (then?.score ?? null) === null;
  const isOld = isNews(known, moves[ply - 1]) || isNews(earlier, ply > 1 ? moves[ply - 2] : start);
  const judged = isOwn || isOld || lost !== null ? {} : moves[ply - 1] ?? {};
  const { mark = markOf(lost), estimated_lost: estimated = null } = judged;
  const best = analyses.get(textOf(game, before))?.best;
  // A loss by estimates stays beside the estimate that it came from.
  const { estimate, error } = moves[ply - 1] ?? {};
  const told = isOwn || known.score !== null || estimate == null ? known : { ...known, estimate, error };
  return { move: line.at(-1), ply, player, known: told, isOwn, lost, estimated, mark, best };
}
const movesOf = (game) => game.line.map((_, n) => lastMove(game, game.line.slice(0, n + 1)));
const mistakesOf = (moves) => moves.filter(({ mark }) => mark);

/** The stones next to a cell, and what each counts. */
function besides(cells, cell) {
  const [u, v] = place(cell);
  return [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]].map(([x, y]) => cellAt(u + x, v + y))
    .map((near) => ({ cell: near, count: (cells.get(near)?.stone ?? 0) * SIGN[cells.get(near)?.player] }))
    .filter(({ count }) => count);
}
/** What a cell counts as the hole: the red stones next to it minus the blue ones. */
const countOf = (cells, cell) => besides(cells, cell).reduce((sum, { count }) => sum + count, 0);

/** The moves by which the stones of both came on the cells, each player's own in order. */
function placedOf(cells) {
  const of = (player) => [...cells].filter(([, it]) => it.player === player)
    .map(([cell, { stone }]) => `${cell}=${stone}`);
  return { red: of("red"), blue: of("blue") };
}

/** The best moves, each with its expected line of play: by exact scores, else by the chances of a search. */
function linesOf({ text, options, best, known, mover }) {
  const told = visibleAnalysis(text);
  // Of equals those with a line come first.
  const rank = ({ move }) => (told?.lines ?? []).findIndex(([first]) => first === move) >>> 0;
  const exact = [...options].map(([move, score]) => ({ move, score }))
    .sort((a, b) => (b.score - a.score) * SIGN[mover] || rank(a) - rank(b));
  const isBest = ({ move }) => Number(move === best);
  const rows = [...(known.score !== null && exact.length ? exact : told?.think?.candidates ?? [])];
  if (best && !rows.some(isBest)) rows.unshift({ move: best, score: known.score });
  const first = rows.sort((a, b) => isBest(b) - isBest(a)).slice(0, 5);
  const hopeful = first.filter((row) => isBest(row) || (row.chance ?? 1) >= 0.05);
  hopeful.sort((a, b) => isBest(b) - isBest(a) || (b.chance ?? 0) - (a.chance ?? 0));
  return hopeful.map((row) => {
    const after = visibleAnalysis(`${text} ${row.move}`);
    const searched = (told?.think?.candidates ?? []).map(({ line }) => line);
    const lines = [told?.solve?.line, ...(told?.lines ?? []), ...searched, told?.think?.line];
    const whole = lines.find((line) => line?.[0] === row.move && line.length > 1);
    return { ...row, line: whole ?? [row.move, ...(after?.solve?.line ?? after?.think?.line ?? [])] };
  });
}

/** The game of which another plays a move again, from the same position; null if there is none. */
function triedFrom(game) {
  const from = game.before && games.find(({ number }) => number === game.before);
  const [own, old] = [game, from || game].map((it) => textOf(it, it.line.slice(0, game.begun)));
  return from && own === old && from.line.length > game.begun ? from : null;
}

/** Play the first `count` moves of some on the board: the game's own, some tried before, or new ones. */
function tryMoves(game, moves, count = moves.length) {
  let [{ ply }, line, steps] = [state, [...ownMoves(), ...moves], state.steps + count];
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

// Numbers as the viewer's side sees them.
const side = () => (state.flipped ? "blue" : "red");
const plain = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));
const seen = (score) => plain(score * SIGN[side()] || 0);
const viewed = () => (state.flipped ? ", seen from Blue" : "");
/** The points of a player who reaches a target. */
const reached = (target, player) => 75 + (player === "red" ? target : 1 - target);
const goalOf = (target, player) =>
  `${reached(target, player)} points${reached(target, player) === 75 ? " (a draw)" : ""} or more`;
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const points = (count) => counted(count, "point");
const percent = (chance) => `${(100 * chance).toFixed(0)}\u00a0%`;
const span = (bounds) => bounds.map((it) => it * SIGN[side()]).sort((a, b) => a - b).map(plain).join(" to ");
const rounded = (number) => Number(number.toFixed(1));
const margin = (error) => (error ? ` ± ${rounded(error)}` : "");
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

const spent = (game, player) =>
  game.line.reduce((sum, _, n) => sum + (playerOf(game, n) === player && game.seconds[n] || 0), 0);

/** Add a move that took some seconds. */
function append(game, move, seconds) {
  game.seconds[game.line.length] = seconds;
  rewrite(game, [...game.line, move]);
}

const NO_TALLY = { judged: 0, lost: 0, marks: [0, 0, 0] };
/** Give a game other moves: what was judged of the game as a whole holds no more. */
function rewrite(game, line) {
  const { raw, tried } = game;
  const { over, known } = position(game, line);
  Object.assign(raw, { record: textOf(game, line), moves: raw.moves.slice(0, line.length), decided: null,
    summary: { red: NO_TALLY, blue: NO_TALLY }, points: null, fault: null, story: null,
    final_score: over ? known.score : null });
  Object.assign(game, readGame(raw), { tried, reviewed: false, since: performance.now() });
}

/** Add an answer of the engine to the analysis of a position. */
function learn(text, { bounds, solve, moves, lines, think, turns, why, doing, estimate, error = null, ended }) {
  const analysis = analysisOf(text);
  // A question that is asked again begins with wider ones.
  const [least, most] = analysis.bounds ?? [-75, 75];
  const tightest = ([low, high]) => (analysis.bounds = [Math.max(low, least), Math.min(high, most)]);
  if (bounds) tightest(bounds);
  if (think) Object.assign(analysis, { think, why, bounds: tightest(think.bounds) });
  // A solved position has none.
  const guess = think ?? { estimate, error };
  if ((guess.estimate ?? null) !== null) Object.assign(analysis, { estimate: guess.estimate, error: guess.error });
  if (solve) {
    Object.assign(analysis, { solve, score: analysis.score ?? solve.score, complete: solve.complete && Boolean(solve.moves) });
    analysis.bounds = analysis.score === null ? tightest(solve.bounds) : null;
    for (const move of solve.score === null ? [] : solve.best) analysis.options.set(move, solve.score);
  }
  for (const { move, score } of moves ?? solve?.moves ?? []) if (score !== null) analysis.options.set(move, score);
  Object.assign(analysis, turns && { turns }, lines && { lines }, doing && { doing });
  const proven = [...analysis.options].find(([, score]) => score === analysis.score);
  // Of a solved position only a proven move is the best.
  analysis.best = (analysis.score ?? null) === null ? analysis.think?.move ?? analysis.best : analysis.solve?.best[0] ?? proven?.[0] ?? null;
  analysis.rested = ended === "done" && !analysis.complete;
  return analysis;
}
