// @ts-check
// Editing a position: the stones and the blocked cells on the board, and the hands. `state.edited` holds the position
// (`now`; its `toMove` is to move if the stones leave that open), the `hand` of the chosen stone, and the `past` positions.
/** Begin editing the position, or end it: a position that the program accepts becomes a game of its own. */
async function startOrEndEditing() {
  const { edited } = state;
  const now = positionHere();
  if (!edited) {
    const nothing = { over: false, last: null, analysis: NOTHING, known: NOTHING, hint: undefined };
    state.edited = { now: { ...now, ...nothing, toMove: now.mover }, hand: null, past: [] };
    return showEdited();
  }
  // The colour of a stone on a cell follows from its turn.
  if (Math.abs(unevenOf(now)[0]) > 1) return say("One side may have at most one stone more on the cells.");
  const missing = missingOf(now);
  const cells = counted(Math.abs(missing), "cell");
  const rule = "each stone in hand needs an empty cell, and so does the hole";
  if (missing) return say(`${missing > 0 ? "Free" : "Block"} ${cells}, or change the hands: ${rule}.`);
  state.edited = null;
  if (await load([{ text: textOfEdited(now) }])) return say("The edited position is a game of its own.");
  state.edited = edited;
  return update({});
}

function textOfEdited({ cells, left, mover }) {
  const [red, blue, blocked] = ["red", "blue", "blocked"].map((player) => on(cells, player));
  const first = red.length === blue.length ? mover : other(mover);
  const stones = (player, placed) => `${player}:${[...left[player], ...placed.map(([, { stone }]) => stone)]}`;
  const moves = range(red.length + blue.length, (n) => (playerOf({ first }, n) === "red" ? red : blue)[n >> 1]);
  return [...blocked.map(([cell]) => cell), stones("red", red), stones("blue", blue), `to-move:${first}`,
    ...moves.map(([cell, { stone }]) => `${cell}=${stone}`)].join(" ");
}

/** Leave the edited position, unless changes would be lost; tell whether it is left. */
function mayLeave() {
  if (state.edited?.past.length) say("“Done” keeps your changes, “Discard” drops them.");
  else if (state.edited) discardEdited();
  return !state.edited;
}

function discardEdited() {
  say("");
  trouble("");
  state.edited = null;
  update({ cell: null, stone: null });
}

/** Choose a stone, also one that left its hand; chosen again it leaves it. Or choose a cell: the chosen stone goes
 * there; if none is chosen, the cell's stone goes back to its hand, or the cell is blocked or freed. */
function chooseEdited({ cell, stone }, player) {
  const { edited, stone: chosen } = state;
  const { hand, now: { cells, left } } = edited;
  if (stone) edited.hand = player;
  if (stone && !left[player].has(stone)) editNow(() => left[player].add(stone));
  if (stone && (hand !== player || chosen !== stone)) return update({ stone });
  return editNow(() => {
    if (stone) return left[player].delete(stone);
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

function editNow(how) {
  state.edited.past.push(structuredClone(state.edited.now));
  how(state.edited.now);
  showEdited();
}

const on = (cells, player) => [...cells].filter(([, it]) => it.player === player);
/** Red's stones minus Blue's: on the cells, in hand. */
const unevenOf = ({ cells, left }) =>
  [on(cells, "red").length - on(cells, "blue").length, left.red.size - left.blue.size];

/** The cells that the stones in hand and the hole lack. */
const missingOf = ({ left: { red, blue }, empty }) => red.size + blue.size + 1 - empty.length;

/** Show the edited position. The player with fewer stones on the cells is to move, else the one with more in hand. */
function showEdited() {
  const { now } = state.edited;
  const [placed, held] = unevenOf(now);
  now.mover = (placed || -held) < 0 ? "red" : placed || held ? "blue" : now.toMove;
  now.empty = CELLS.filter((cell) => !now.cells.has(cell));
  say("");
  trouble("");
  update({ cell: null, stone: null });
}

function tellEdited() {
  const { empty, left: { red, blue } } = state.edited.now;
  const missing = missingOf(state.edited.now);
  const next = state.stone ? "Choose its cell, or the stone again to take it out of the hand."
    : "Choose a stone for a cell, or a cell alone to take its stone off, to block it or to free it.";
  const stones = `${red.size} red, ${counted(blue.size, "blue stone")} and the hole`;
  const fit = missing ? `: ${Math.abs(missing)} too ${missing > 0 ? "few" : "many"}` : "";
  return `${counted(empty.length, "empty cell")} for ${stones}${fit}. ${next}`;
}
