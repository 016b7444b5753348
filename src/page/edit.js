// @ts-check
// Editing a position: the stones and the blocked cells on the board, and the hands.
/** Begin editing the position, or end it: the result becomes a game of its own. */
async function edit(game) {
  const { editing } = session;
  if (!editing) {
    const known = { score: null, estimate: null, bounds: null };
    const nothing = { over: false, last: null, options: new Map(), best: null, known };
    const now = positionHere();
    session.editing = { now: { ...now, ...nothing }, mover: now.mover, hand: null, past: [] };
    say("");
    return update({ cell: null, stone: null });
  }
  const { cells, left, mover } = editing.now;
  const missing = missingOf(editing.now);
  if (missing) return say("This is no position yet.");
  const placed = placedOf(cells);
  const first = placed.red.length === placed.blue.length ? mover : other(mover);
  const stones = (player) => [...left[player], ...placed[player].map((move) => move.slice(3))];
  const moves = range(placed.red.length + placed.blue.length, (n) => placed[playerOf({ first }, n)][n >> 1]);
  const toMove = stones("red").length === stones("blue").length ? [`to-move:${first}`] : [];
  const blocked = [...cells.keys()].filter((cell) => !cells.get(cell).stone);
  const record = [...blocked, `red:${stones("red")}`, `blue:${stones("blue")}`, ...toMove, ...moves].join(" ");
  session.editing = null;
  const [red, blue] = isOfOthers(game) ? ["", ""] : [game.red, game.blue];
  if (await load([{ text: headed({ red, blue, number: game.number, record }) }])) {
    return say(`The edited position is a game of its own; game ${game.number} is as it was.`);
  }
  session.editing = editing;
  return update({});
}

/** Leave the edited position, unless changes would be lost; tell whether it is left. */
function mayLeave() {
  if (session.editing?.past.length) say("You are editing: “End editing” keeps it, “Discard” drops it.");
  else if (session.editing) discardEdited();
  return !session.editing;
}

function discardEdited() {
  say("");
  session.editing = null;
  Object.assign(state, { cell: null, stone: null });
  render();
}

/** Choose a stone of a hand; a chosen one leaves the hand, and one that is not there comes back. */
function pick(player, stone) {
  const { editing } = session;
  const isHeld = editing.now.left[player].has(stone);
  const isChosen = editing.hand === player && state.stone === stone;
  editing.hand = player;
  if (isHeld && !isChosen) return update({ stone });
  return editNow(({ left }) => (isHeld ? left[player].delete(stone) : left[player].add(stone)));
}

/** Put the chosen stone on a cell; without one take the cell's stone off, block it or free it. */
function editCell(cell) {
  const [{ hand }, chosen] = [session.editing, state.stone];
  editNow(({ cells, left }) => {
    const { player, stone } = cells.get(cell) ?? {};
    if (stone) left[player].add(stone);
    cells.delete(cell);
    if (chosen) cells.set(cell, { player: hand, stone: chosen });
    else if (!player) cells.set(cell, { player: "blocked" });
    if (chosen) left[hand].delete(chosen);
  });
}
const clearEdited = () => editNow((now) => Object.assign(now, { left: { red: new Set(), blue: new Set() },
  cells: new Map(CELLS.map((cell) => [cell, { player: "blocked" }])) }));
const swapEdited = () => editNow(({ mover }) => (session.editing.mover = other(mover)));

/** Change the edited position, so that it can be undone. */
function editNow(how) {
  const { now, past } = session.editing;
  const { cells, left, mover } = now;
  past.push(structuredClone({ cells, left, mover }));
  how(now);
  drawEdited(now);
}
function undoEdit() {
  const { now, past } = session.editing;
  const before = past.pop();
  session.editing.mover = before.mover;
  drawEdited(Object.assign(now, before));
}

/** By how many stones Red has more than Blue: on the cells, in hand. */
function unevenOf({ cells, left }) {
  const { red, blue } = placedOf(cells);
  return [red.length - blue.length, left.red.size - left.blue.size];
}

/** Draw the edited position. The player with fewer stones on the cells is to move, else the one with more in hand. */
function drawEdited(now) {
  const [placed, held] = unevenOf(now);
  const uneven = (placed ? placed < 0 : held > 0) ? "red" : "blue";
  now.mover = placed || held ? uneven : session.editing.mover;
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

function tellEdited() {
  const { now, now: { left: { red, blue }, empty } } = session.editing;
  $("swap").disabled = unevenOf(now).some(Boolean);
  const next = state.stone ? "Choose its cell, or the stone again to take it out of the hand."
    : "Choose a stone for a cell, or a cell alone to take its stone off, to block it or to free it.";
  $("answer").textContent = `${counted(empty.length, "empty cell")}, ${red.size} red and ${blue.size} blue stones in hand: ${
    missingOf(now) || "ready"}. ${next}`;
}
