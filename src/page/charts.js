// @ts-check
// The costliest moves of many games.

/** List the costliest moves of each bot. */
function drawCostliest(bots) {
  show($("costliest"), ...bots.flatMap(({ name, costliest }) => {
    const items = costliest.map(({ game, ply, move, mark, lost, estimated_lost: about, best }) => {
      const where = `game ${game}, move ${ply}`;
      const held = games.some(({ number }) => number === game);
      return make("li", {}, held ? make("a", { href: `#game=${game}&ply=${ply}` }, where) : where,
        `: ${move} ${mark.replace("~", "")} lost ${lost === null ? `about ${points(about)}` : points(lost)}; better: ${best}.`);
    });
    return [make("h3", {}, bdi(name)), make("ol", {}, ...items)];
  }));
  $("summary").hidden = !bots.length;
}
