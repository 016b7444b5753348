// @ts-check
// The scores of a game as a picture, the costliest moves of many games, the games for a printer.

/** List the costliest moves of each bot. */
function drawCostliest(bots) {
  show($("costliest"), ...bots.flatMap(({ name, costliest }) => {
    const items = costliest.map(({ game, ply, move, mark, lost, estimated_lost, best }) => {
      const where = `game ${game}, move ${ply}`;
      const held = games.some(({ number }) => number === game);
      return make("li", {}, held ? make("a", { href: `#game=${game}&ply=${ply}` }, where) : where,
        `: ${move} lost ${lost === null ? `about ${points(estimated_lost)}` : points(lost)} ${mark}; best was ${best}.`);
    });
    return [make("h3", {}, bdi(name)), make("ol", {}, ...items)];
  }));
  $("summary").hidden = !bots.length;
}

/** Draw the part for paper only: all moves of the games, as Red sees them; of many games the judged ones. */
function drawPaper() {
  const isRecord = state.mode === "record";
  const printed = games.filter(({ story }, n) => (isRecord ? games.length < 200 || story : n === state.game));
  const head = ["No.", "Move", "Score after", "Lost", "Best"]
    .map((text, n) => make("th", { class: ![1, 4].includes(n) && "number" }, text));
  $("paper").replaceChildren(...printed.map((game) => {
    const moves = movesOf(game);
    const rows = moves.map(({ ply, player, move, lost, mark, best, known }) => make("tr", {},
      td("number", String(ply)), td(null, `${SHAPE[player]} ${move}`), td("number", shown(known)),
      td("number", `${lost ?? ""} ${mark}`), td(null, lost ? best ?? "" : "")));
    return make("article", {}, make("h2", {}, ...titleOf(game)), p("", game.setup.join(" ")),
      p("", `${totalsOf(game, moves)} `, ...faultOf(game)),
      game.story || !isRecord ? make("table", {}, make("tr", {}, ...head), make("tbody", {}, ...rows))
        : p("", game.line.map((move, n) => `${n + 1}. ${move}`).join(" ")));
  }));
}

/** Draw the scores of a game. */
function drawGraph(game, moves) {
  const count = game.line.length;
  // What comes would tell what the played move cost.
  const known = [knownOf(game, []), ...moves.map(({ known }) => known)].map((known, n) =>
    (state.answersHidden && n > state.ply ? { at: null } : { exact: known.score !== null, at: numberOf(known) }));
  const top = Math.max(4, ...known.map(({ at }) => Math.abs(at ?? 0))) + 1;
  const x = (n) => 30 + (n * 360) / Math.max(count, 1);
  const y = (score) => 105 - (Math.max(-top, Math.min(top, score * SIGN[side()])) * 95) / top;
  const parts = [segment("axis", 30, 10, 30, 200), segment("zero", 30, 105, 390, 105), label(25, 109, "0", "right"),
    label(25, 18, plain(Math.floor(top)), "right"), label(25, 202, plain(-Math.floor(top)), "right")];
  for (let n = 0; n <= count; n += 5) parts.push(label(x(n), 216, String(n)));
  parts.push(label(210, 229, "move"), segment("here", x(state.ply), 10, x(state.ply), 200));
  if (game.decided != null && !(state.answersHidden && game.decided > state.ply)) {
    parts.push(segment("decided", x(game.decided), 10, x(game.decided), 200));
  }
  known.forEach(({ at, exact }, n) => {
    const next = known[n + 1];
    if (at !== null && next && next.at !== null) {
      parts.push(segment(exact && next.exact ? "exact-line" : "estimate-line", x(n), y(at), x(n + 1), y(next.at)));
    }
  });
  known.forEach(({ at, exact }, n) => {
    if (at === null) return;
    parts.push(exact ? make("rect", { class: "exact", x: x(n) - 4, y: y(at) - 4, width: 8, height: 8 })
      : make("circle", { class: "estimate-dot", cx: x(n), cy: y(at), r: 4 }));
    const text = moves[n - 1]?.mark.replace("~?!", "");
    const below = text && (y(at) > y(known[n - 1].at) || y(at) < 28);
    if (text) parts.push(label(x(n), below ? Math.min(y(at) + 18, 198) : y(at) - 8, text, "mark"));
  });
  const graph = $("graph");
  show(graph, ...parts, label(36, 18, `${NAME[side()]} wins`, "left over"),
    label(36, 200, `${NAME[other(side())]} wins`, "left over"));
  graph.setAttribute("aria-valuemax", String(count));
  graph.setAttribute("aria-valuenow", String(state.ply));
  const score = shown(knownOf(game, game.line.slice(0, state.ply)));
  graph.setAttribute("aria-valuetext", `After move ${state.ply} of ${count}: score ${score}`);
}
