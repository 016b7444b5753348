// @ts-check
// The bots of a match by rank: on the page of a tournament, and where the board follows a match.
/** A column: its title, from which width on it is shown, what it says of a bot, and a `head` of its own.
 * @typedef {{ title: string, width?: string, of: (bot: any) => any[], head?: any[] }} Column */

const errorOf = (error, digits) =>
  (error === null ? [] : [" ", span("faint", `± ${error.toFixed(digits)}`)]);
const meanOf = ({ total, games }, digits = 2) => (games ? (total / games).toFixed(digits) : "–");
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** @type {Record<string, Column>} */
const COLUMN = {
  points: { title: "Points a game", of: (bot) => [make("b", {}, meanOf(bot)), ...errorOf(bot.error, 2)] },
  won: { title: "Won", width: "wider", of: ({ won }) => [String(won)] },
  drawn: { title: "Drawn", width: "wider", of: ({ drawn }) => [String(drawn)] },
  lost: { title: "Lost", width: "wider", of: ({ lost }) => [String(lost)] },
  score: { title: "Score", width: "wider",
    of: ({ won, drawn, games }) => [games ? `${Math.round((100 * (won + drawn / 2)) / games)} %` : "–"] },
  elo: { title: "Elo", of: ({ rating }) => (rating
    ? [["< ", "", "> "][rating.bound + 1], plain(Math.round(rating.elo)), ...errorOf(rating.error, 0)] : ["–"]) },
  time: { title: "Time", width: "wider", of: ({ micros, timed }) => [`${(micros[0] / 1e6 / timed).toFixed(2)} s`] },
  faults: { title: "Faults", width: "wide", of: ({ faults }) => [String(sumOf(Object.values(faults)))] },
};

/** Draw a table of bots, with what a narrow screen has no room for under a fold of each row.
 * @type {(bots: any[], columns: Column[], folded?: Column[], name?: (bot: any, n: number) => any) => any} */
function drawBots(bots, columns, folded = [], name = (bot) => bdi(bot.name)) {
  const heads = columns.map(({ title, width = "", head = [title] }) => make("th", { class: `number ${width}`, title }, ...head));
  const rows = bots.flatMap((bot, n) => {
    const cells = columns.map(({ width = "", of }) => td(`number ${width}`, ...of(bot)));
    const row = make("tr", {}, td("number", String(n + 1)), make("th", { scope: "row", title: bot.name }, name(bot, n)), ...cells);
    if (!folded.length) return [row];
    const items = folded.map(({ title, width, of }) =>
      make("div", { class: width }, make("dt", {}, title), make("dd", {}, ...of(bot))));
    const { won, drawn, lost } = bot;
    const fold = make("details", {}, make("summary", {}, `Won ${won}, drawn ${drawn}, lost ${lost}`,
      span("hidden", ": more of ", bdi(bot.name))), make("dl", {}, ...items));
    return [row, make("tr", { class: "fold" }, td(), make("td", { colspan: columns.length + 1 }, fold))];
  });
  const place = make("th", { class: "number" }, span("hidden", "Place"));
  return make("table", { class: "standings" }, make("thead", {}, make("tr", {}, place, make("th", {}, "Bot"), ...heads)),
    make("tbody", {}, ...rows));
}

/** Draw the table of a match that is followed, beside the board. */
function drawMatch({ bots }) {
  const results = { title: "W – D – L", of: ({ won, drawn, lost }) => [`${won} – ${drawn} – ${lost}`] };
  return drawBots(bots, [COLUMN.points, results, COLUMN.elo]);
}
