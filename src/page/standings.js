// @ts-check
// The bots of a match by rank: on the page of a tournament, and below a board that follows a match.
/** A column: its title and the unit that a spreadsheet names, from which width on it is shown, what a legend says about
 * it, what it says of a bot, and its number there; of a column of results a `head` of its own, and against whom.
 * @typedef {{ title: string, unit?: string, width?: string, about?: string, of: (bot: any) => any[],
 *   by?: (bot: any) => number, order?: (bot: any) => number, head?: any[], other?: any }} Column */

const errorOf = (error, digits) =>
  (error === null ? [] : [" ", span("faint", `± ${error.toFixed(digits)}`)]);
/** Round halves away from the middle, also those that a binary fraction misses: what two bots share adds up to all. */
const roundedOf = (value, middle, digits) =>
  (middle + Math.sign(value - middle) * Number((Math.abs(value - middle) + 1e-9).toFixed(digits))).toFixed(digits);
const meanOf = ({ total, games }, digits = 2) => (games ? roundedOf(total / games, 75, digits) : "–");
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

const secondsOf = ({ micros, timed }) => micros[0] / 1e6 / timed;
const scoreBy = ({ won, drawn, games }) => (100 * (won + drawn / 2)) / games;

/** @type {Record<string, Column>} */
const COLUMN = {
  points: { title: "Points a game", about: "they rank the bots; 75 is even, ± the standard error",
    of: (bot) => [make("b", {}, meanOf(bot)), ...errorOf(bot.error, 2)], by: ({ total, games }) => total / games },
  total: { title: "Total", width: "wider", of: ({ total }) => [String(total)], by: ({ total }) => total },
  won: { title: "Won", width: "mid", of: ({ won }) => [String(won)], by: ({ won }) => won },
  drawn: { title: "Drawn", width: "mid", of: ({ drawn }) => [String(drawn)], by: ({ drawn }) => drawn },
  lost: { title: "Lost", width: "mid", of: ({ lost }) => [String(lost)], by: ({ lost }) => lost },
  score: { title: "Won %", width: "wider", about: "of its games, a draw as half a win", by: scoreBy,
    of: (bot) => [bot.games ? roundedOf(scoreBy(bot), 50, 1) : "–"] },
  time: { title: "Time", unit: " (s a game)", width: "wider", about: "thinking in a game, on average", by: secondsOf,
    of: (bot) => [secondsOf(bot) < 0.01 ? `${Number((1000 * secondsOf(bot)).toPrecision(1))} ms`
      : `${secondsOf(bot).toFixed(2)} s`] },
  faults: { title: "Faults", width: "wide", of: ({ faults }) => [String(sumOf(Object.values(faults)))],
    by: ({ faults }) => sumOf(Object.values(faults)) },
  elo: { title: "Elo", width: "wider", by: ({ rating }) => rating?.elo ?? NaN,
    about: "counts wins, not points, so its order may differ; 0 is the mean",
    of: ({ rating, error }) => (rating ? [["< ", "", "> "][rating.bound + 1], plain(Math.round(rating.elo)),
      ...errorOf(error === null ? null : rating.error, 0)] : ["–"]),
    // Who lost all is last, who won all first, whatever the bound.
    order: ({ rating }) => (rating ? rating.elo + 1e5 * rating.bound : NaN) },
};

/** Draw a table of bots, with what a narrow screen has no room for under a fold of each row.
 * @type {(bots: any[], columns: Column[], folded?: Column[], name?: (bot: any, n: number) => any) => any} */
function drawBots(bots, columns, folded = [], name = (bot) => bdi(bot.name)) {
  const heads = columns.map(({ title, width = "", head = [title] }) => make("th", { class: `number ${width}`, title }, ...head));
  const more = folded.filter(({ width }) => width?.includes("wider")).map(({ title }) => title).join(", ");
  const bodies = bots.map((bot, n) => {
    const cells = columns.map(({ width = "", of }) => td(`number ${width}`, ...of(bot)));
    const row = make("tr", {}, td("number", String(bot.place)), make("th", { scope: "row", title: bot.name }, name(bot, n)), ...cells);
    if (!folded.length) return make("tbody", {}, row);
    const items = folded.filter(({ other }) => other !== bot).map(({ title, width, of }) =>
      make("div", { class: width }, make("dt", {}, title), make("dd", {}, ...of(bot))));
    const faults = COLUMN.faults.by?.(bot);
    const results = `Won ${bot.won}, drawn ${bot.drawn}, lost ${bot.lost}${faults ? `, ${counted(faults, "fault")}` : ""}`;
    const fold = make("details", {}, make("summary", {}, span("narrow", results), span("mid", more),
      span("hidden", ": more of ", bdi(bot.name))), make("dl", {}, ...items));
    return make("tbody", {}, row, make("tr", { class: "fold" }, td(), make("td", { colspan: columns.length + 1 }, fold)));
  });
  const place = make("th", { class: "number" }, span("hidden", "Place"));
  return make("table", { class: "standings" }, make("thead", {}, make("tr", {}, place, make("th", {}, "Bot"), ...heads)),
    ...bodies);
}

function drawMatch({ bots }) {
  const results = { title: "W – D – L", of: ({ won, drawn, lost }) => [`${won} – ${drawn} – ${lost}`] };
  return drawBots(bots, [COLUMN.points, results, COLUMN.elo]);
}
