// @ts-check
// Editing a position: the stones and the blocked cells on the board, and the hands. `state.edited` holds the position
// (`now`; its `toMove` is to move where the stones leave that open), the `hand` of the chosen stone, and the `past`.
/** Begin editing the position, or end it: the result becomes a game of its own. */
async function startOrEndEditing() {
  const { edited } = state;
  if (!edited) {
    const nothing = { text: null, over: false, last: null, analysis: NOTHING, known: NOTHING, hint: undefined };
    state.edited = { now: { ...positionHere(), ...nothing, toMove: positionHere().mover }, hand: null, past: [] };
    return showEdited();
  }
  const { cells, left, mover } = edited.now;
  if (missingOf(edited.now)) return say("This is no position yet.");
  const placed = { red: [], blue: [] };
  for (const [cell, { player, stone }] of cells) placed[player]?.push(`${cell}=${stone}`);
  const first = placed.red.length === placed.blue.length ? mover : other(mover);
  const stones = (player) => [...left[player], ...stonesOn(cells, player)];
  const moves = range(placed.red.length + placed.blue.length, (n) => placed[playerOf({ first }, n)][n >> 1]);
  const toMove = stones("red").length === stones("blue").length ? [`to-move:${first}`] : [];
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const record = [...blocked, `red:${stones("red")}`, `blue:${stones("blue")}`, ...toMove, ...moves].join(" ");
  const game = gameHere();
  const [red, blue] = isOfOthers(game) ? ["", ""] : [game.red, game.blue];
  state.edited = null;
  if (await load([{ text: headed({ red, blue, number: game.number, record }) }])) {
    return say(`The edited position is a game of its own; game ${game.number} is as it was.`);
  }
  state.edited = edited;
  return update({});
}

/** Leave the edited position, unless changes would be lost; tell whether it is left. */
function mayLeave() {
  if (state.edited?.past.length) say("You are editing: “End editing” keeps it, “Discard” drops it.");
  else if (state.edited) discardEdited();
  return !state.edited;
}

function discardEdited() {
  say("");
  state.edited = null;
  update({ cell: null, stone: null });
}

/** Choose a stone: a chosen one leaves its hand, one that is not there comes back. Or a cell: for the chosen stone;
 * without one the cell's stone comes off, or it is blocked or freed. */
function chooseEdited({ cell, stone }, player) {
  const { edited, stone: chosen } = state;
  const { hand, now: { cells, left } } = edited;
  if (stone) edited.hand = player;
  if (stone && left[player].has(stone) && (hand !== player || chosen !== stone)) return update({ stone });
  return editNow(() => {
    if (stone) return left[player].delete(stone) || left[player].add(stone);
    const old = cells.get(cell);
    if (old?.stone) left[old.player].add(old.stone);
    cells.delete(cell);
    if (chosen) left[hand].delete(chosen);
    return chosen ? cells.set(cell, { player: hand, stone: chosen }) : old || cells.set(cell, { player: "blocked" });
  });
}
const clearEdited = () => editNow((now) => Object.assign(now, { left: { red: new Set(), blue: new Set() },
  cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])) }));
const swapEdited = () => editNow((now) => (now.toMove = other(now.mover)));

/** Change the edited position, so that it can be undone. */
function editNow(how) {
  state.edited.past.push(structuredClone(state.edited.now));
  how(state.edited.now);
  showEdited();
}
function undoEdit() {
  state.edited.now = state.edited.past.pop();
  showEdited();
}

/** By how many stones Red has more than Blue: on the cells, in hand. */
const unevenOf = ({ cells, left }) =>
  [stonesOn(cells, "red").length - stonesOn(cells, "blue").length, left.red.size - left.blue.size];

/** Show the edited position. The player with fewer stones on the cells is to move, else the one with more in hand. */
function showEdited() {
  const { now } = state.edited;
  const [placed, held] = unevenOf(now);
  const uneven = (placed ? placed < 0 : held > 0) ? "red" : "blue";
  now.mover = placed || held ? uneven : now.toMove;
  now.empty = CELLS.filter((cell) => !now.cells.has(cell));
  say("");
  update({ cell: null, stone: null });
}

/** Say what the edited position lacks; "" if nothing. */
function missingOf(now) {
  const { left: { red, blue }, empty, mover } = now;
  const [placed, held] = unevenOf(now);
  const [many, few] = placed > 0 ? ["Red", "Blue"] : ["Blue", "Red"];
  if (Math.abs(placed) > 1) return `${many} may have one stone more on the cells than ${few}, not ${Math.abs(placed)}`;
  if (![0, SIGN[mover]].includes(held)) {
    return `${NAME[mover]}, who is to move, needs as many stones in hand as ${NAME[other(mover)]} or one more`;
  }
  const free = empty.length - red.size - blue.size - 1;
  const orStones = red.size + blue.size < -free ? "" : `, or take ${counted(-free, "stone")} out of the hands`;
  if (free < 0) return `free ${counted(-free, "more cell")}${orStones}`;
  return free > 0 ? `block ${counted(free, "more cell")}, or put ${counted(free, "more stone")} into the hands` : "";
}

/** Say what the edited position lacks, and what a click does. */
function tellEdited() {
  const { now, now: { left: { red, blue }, empty } } = state.edited;
  const next = state.stone ? "Choose its cell, or the stone again to take it out of the hand."
    : "Choose a stone for a cell, or a cell alone to take its stone off, to block it or to free it.";
  return `${counted(empty.length, "empty cell")}, ${red.size} red and ${blue.size} blue stones in hand: ${
    missingOf(now) || "ready"}. ${next}`;
}
