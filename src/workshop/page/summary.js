// The summary over many games, points lost a move by empty cells, as a picture and as figures; and the games on paper.
const SIGNS = "●■▲◆";

function drawSummary(all) {
  const bots = all.filter(({ rows }) => rows.length);
  if (!bots.length) return;
  drawChart(bots);
  const legend = bots.map(({ name }, n) => make("span", { class: `bot${n % 4}` }, `${SIGNS[n % 4]} `, bdi(name), "   "));
  $("chart-legend").replaceChildren(...legend);
  $("figures").replaceChildren(...bots.map(figures));
  $("costliest").replaceChildren(...bots.filter((bot) => bot.costliest.length).flatMap((bot) => {
    const items = bot.costliest.map(({ game, ply, move, lost, best }) => {
      const where = `game ${game}, ply ${ply}`;
      const held = games.some(({ number }) => number === game);
      return make("li", {}, held ? make("a", { href: `#game=${game}&ply=${ply}` }, where) : where,
        `: ${move} lost ${points(lost)} ${markOf(lost)}; best was ${best}.`);
    });
    return [make("h3", {}, "The costliest moves of ", bdi(bot.name)), make("ol", {}, ...items)];
  }));
  $("summary").hidden = false;
}

function drawChart(bots) {
  const judged = bots.map(({ rows }) => rows);
  const [most, least] = [Math.max, Math.min].map((pick) => pick(...judged.flat().map(({ empty }) => empty)));
  const top = Math.max(0.1, ...judged.flat().map(({ lost, error }) => lost + (error ?? 0)));
  const x = (empty) => 46 + ((most - empty) * 344) / Math.max(most - least, 1);
  const y = (lost) => 195 - (Math.max(0, Math.min(top, lost)) * 180) / top;
  const parts = [line("axis", 38, 15, 38, 195), line("axis", 38, 195, 396, 195)];
  parts.push(label(218, 228, "empty cells before the move"));
  for (const part of [0, 0.5, 1]) parts.push(label(34, y(part * top) + 4, (part * top).toFixed(2), "right"));
  const step = most - least > 12 ? 2 : 1;
  for (let empty = most; empty >= least; empty -= step) parts.push(label(x(empty), 211, String(empty)));
  judged.forEach((rows, n) => {
    const errors = rows.filter(({ error }) => error)
      .map(({ empty, lost, error }) => line("bounds", x(empty), y(lost - error), x(empty), y(lost + error)));
    const course = rows.map(({ empty, lost }) => `${x(empty)},${y(lost)}`).join(" ");
    const signs = rows.map(({ empty, lost }) => label(x(empty), y(lost) + 4, SIGNS[n % 4], "sign"));
    const series = make("polyline", { class: "series", points: course });
    parts.push(make("g", { class: `bot${n % 4}` }, ...errors, series, ...signs));
  });
  $("chart").replaceChildren(...parts);
}

function figures({ name, rows }) {
  const titles = ["Empty cells", "Moves", "Judged", "Points lost a move", "Moves that lose"];
  const body = rows.map(({ empty, moves, judged, lost, error, losing }) => {
    const cells = [String(empty), String(moves), `${judged} (${Math.round((100 * judged) / moves)} %)`,
      lost.toFixed(2) + (error === null ? "" : ` ± ${error.toFixed(2)}`), `${(100 * losing).toFixed(0)} %`];
    return make("tr", {}, ...cells.map((text) => td("number", text)));
  });
  return make("table", {}, make("caption", {}, bdi(name)), head(titles, [0, 1, 2, 3, 4]), make("tbody", {}, ...body));
}

/** Make what only paper shows: all moves of all games, as Red sees them. */
function drawPaper() {
  $("paper").replaceChildren(...(session ? [games[state.game]] : games).map((game) => {
    const rows = movesOf(game).map(({ ply, player, move, lost, mark, best, known }) => make("tr", {},
      td("number", String(ply)), td(null, `${SHAPE[player]} ${move}`), td("number", shown(known)),
      td("number", `${lost ?? ""} ${mark}`), td(null, lost ? best : "")));
    return make("article", {}, make("h2", {}, ...titleOf(game)), make("p", {}, session && !game.reviewed ? "" : totalsOf(game)),
      make("p", {}, game.record.split(" ").filter((item) => !item.includes("=")).join(" ")),
      make("table", {}, head(["Ply", "Move", "Score after", "Lost", "Best"], [0, 2, 3]), make("tbody", {}, ...rows)));
  }));
}

