
// The summary over many games: points lost a move by empty cells, as a picture and as figures.
const SIGNS = "●■▲◆";

function drawSummary({ bots }) {
  drawChart(bots);
  const legend = bots.map(({ name }, n) => make("span", { class: `bot${n % 4}` }, `${SIGNS[n % 4]} ${name}   `));
  $("chart-legend").replaceChildren(...legend);
  $("figures").replaceChildren(...bots.map(figures));
  $("costliest").replaceChildren(...bots.filter((bot) => bot.costliest.length).flatMap((bot) => {
    const items = bot.costliest.map(({ game, ply, move, lost, best }) => make("li", {},
      make("a", { href: `#game=${game}&ply=${ply}` }, `game ${game}, ply ${ply}`),
      `: ${move} lost ${points(lost)}; best was ${best}.`));
    return [make("h3", {}, `The costliest moves of ${bot.name}`), make("ol", {}, ...items)];
  }));
  $("summary").hidden = false;
}

function drawChart(bots) {
  const known = ({ lost }) => lost !== null;
  const judged = bots.map(({ rows }) => rows.filter(known).sort((a, b) => b.empty - a.empty));
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
  const head = ["Empty cells", "Moves", "Judged", "Points lost a move", "Losing moves"];
  const titles = head.map((text) => make("th", { class: "number" }, text));
  const body = rows.map(({ empty, moves, judged, lost, error, losing }) => {
    const cells = [String(empty), String(moves), `${judged} (${Math.round((100 * judged) / Math.max(moves, 1))} %)`,
      lost === null ? "–" : `${lost.toFixed(2)} ± ${(error ?? 0).toFixed(2)}`,
      losing === null ? "–" : `${(100 * losing).toFixed(0)} %`];
    return make("tr", {}, ...cells.map((text) => td("number", text)));
  });
  return make("table", {}, make("caption", {}, name), make("thead", {}, make("tr", {}, ...titles)),
    make("tbody", {}, ...body));
}
