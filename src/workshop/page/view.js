// @ts-check
// What is drawn. Everything that comes from the data enters the page as a text node or an input's value.
/** Make an element; an attribute that is null or false is left out.
 * @returns {any} */
function make(tag, attributes, ...children) {
  const svg = ["svg", "g", "title", "polygon", "polyline", "circle", "rect", "line", "text", "path"].includes(tag);
  const element = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const line = (name, x1, y1, x2, y2) => make("line", { class: name, x1, y1, x2, y2 });
const label = (x, y, text, name) => make("text", { x, y, class: name }, text);
const paragraph = (name, ...children) => make("p", { class: name }, ...children);
/** Text of others, which may not turn ours around. */
const bdi = (text) => make("bdi", {}, text);
const td = (name, ...children) => make("td", { class: name }, ...children);
function button(attributes, text, action) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", action);
  return element;
}
const say = (text) => ($("said").textContent = text);
function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = false;
}

/** Make a table; `numbers` are the columns that hold numbers. */
function table(titles, numbers, rows, ...before) {
  const head = titles.map((text, n) => make("th", { class: numbers.includes(n) && "number" }, text));
  return make("table", {}, ...before, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}
const scrollable = (name, ...children) =>
  make("div", { id: name.replaceAll(" ", "-"), class: "scroll", tabindex: 0, role: "group", "aria-label": name }, ...children);

/** Join moves: each set of stones with the cells that have just these, `A4 B1=2,4,5`. */
function joined(moves) {
  const [stones, cells] = [new Map(), new Map()];
  const add = (map, key, item) => map.set(key, [...(map.get(key) ?? []), item]);
  for (const [cell, stone] of moves.map((move) => move.split("="))) add(stones, cell, stone);
  for (const [cell, own] of stones) add(cells, own.sort((a, b) => a - b).join(","), cell);
  return [...cells].map(([own, names]) => make("div", {}, `${names.join(" ")}=${own}`));
}

function drawBoard(now) {
  const lines = state.turn || now.over || session?.editing ? [] : linesOf(now);
  // The moves of the chosen line, by their cells.
  const ghosts = new Map((lines[state.line] ?? lines[0])?.line.slice(0, 6).map((move, n) => [move.slice(0, 2), [move, n]]));
  const near = now.over ? besides(now.cells, now.empty[0]).map(({ cell }) => cell) : [];
  $("board").replaceChildren(...CELLS.map((cell) => {
    const { player, stone } = now.cells.get(cell) ?? {};
    const isHole = now.over && !player;
    const canChoose = session?.editing || (!player && !now.over);
    const isChosen = canChoose && state.cell === cell;
    const isLast = now.last?.move.startsWith(`${cell}=`);
    // What the cell counts, or the score that the chosen stone brings here.
    const score = state.turn ? undefined : now.options.get(`${cell}=${state.stone}`);
    const worth = state.counts && !player ? countOf(now.cells, cell) : score;
    const [ghost, step] = (worth === undefined && !isChosen && !player && ghosts.get(cell)) || [];
    const what = isHole ? "the hole" : player === "blocked" ? "blocked" : player ? `${NAME[player]} ${stone}` : "empty";
    const isTold = worth !== undefined && !now.over;
    const told = isTold ? `, ${state.counts ? "counts" : `score after ${state.stone}:`} ${seen(worth)}` : "";
    const text = `${cell}: ${what}${isLast ? ", last move" : ""}${near.includes(cell) ? ", beside the hole" : ""}${told}`;
    const classes = { cell: true, [player]: player, free: !player && !ghost, hole: isHole, last: isLast, chosen: isChosen,
      near: near.includes(cell) };
    const [x, y] = centreOf(cell);
    const group = make("g", { id: `cell-${cell}`, class: Object.keys(classes).filter((name) => classes[name]).join(" "),
      transform: `translate(${x} ${y})`, role: canChoose && "button", tabindex: canChoose && 0,
      "aria-label": canChoose && text, "aria-pressed": canChoose && String(isChosen), "data-cell": canChoose && cell });
    group.append(make("title", {}, text), make("polygon", { class: "hex", points: "0,-30 26,-15 26,15 0,30 -26,15 -26,-15" }));
    if (player === "blocked") group.append(make("path", { class: "cross", d: "M-13 -13 13 13M13 -13-13 13" }));
    if (isHole) group.append(make("circle", { r: 21 }), label(0, 6, seen(now.known.score), "number"));
    if (SIGN[player]) group.append(drawStone(player, stone));
    if (ghost) {
      group.append(make("g", { class: step ? "ghost later" : "ghost" },
        drawStone(step % 2 ? other(now.mover) : now.mover, ghost.slice(3))));
    }
    if (isTold) group.append(label(0, 22, seen(worth), score === now.known.score ? "worth best" : "worth"));
    if (!isHole && player !== "blocked") group.append(label(0, player || ghost ? -16 : 5, step ? `${step + 1}. ${cell}` : cell, "name"));
    return group;
  }));
  const stones = [...now.cells].filter(([, { stone }]) => stone)
    .map(([cell, { player, stone }]) => `${cell} ${NAME[player]} ${stone}`);
  const blocked = [...now.cells.keys()].filter((cell) => now.cells.get(cell).player === "blocked");
  const text = [stones.join(", ") || "no stones", `blocked ${blocked.join(", ") || "none"}`,
    `${now.over ? "hole" : "empty"} ${now.empty.join(", ")}`];
  $("board").setAttribute("aria-label", `Board: ${text.join("; ")}`);
}

function centreOf(cell) {
  const [u, v] = place(cell);
  return state.flipped ? [(u - v) * 26, 315 - (u + v) * 45] : [(v - u) * 26, (u + v) * 45];
}

function drawStone(player, stone) {
  const shape = player === "red" ? make("circle", { class: "stone", cy: 5, r: 16 })
    : make("rect", { class: "stone", x: -15, y: -10, width: 30, height: 30, rx: 3 });
  return make("g", {}, shape, label(0, 11, String(stone), "number"));
}

/** Draw a player's name, clock and hand. */
function drawHand(place, player, game, now) {
  const isMover = !now.over && player === now.mover;
  const { editing } = session ?? {};
  const all = editing ? range(15, (n) => n + 1) : [...game.hands[player]].sort((a, b) => a - b);
  const buttons = all.map((stone) => {
    const isHeld = now.left[player].has(stone);
    const isFree = editing ? !placedOf(now.cells)[player].some((move) => move.endsWith(`=${stone}`)) : isMover && isHeld;
    const isChosen = state.stone === stone && (!editing || editing.hand === player);
    return button({ id: `${player}-${stone}`, class: isHeld ? player : "played", disabled: isFree ? null : "",
      "aria-label": `${NAME[player]} ${stone}${isHeld ? "" : editing ? ", not in hand" : ", played"}`,
      "aria-pressed": isFree && String(isChosen) }, String(stone), () => (editing ? pick(player, stone) : update({ stone })));
  });
  place.classList.toggle("mover", isMover);
  const text = `${NAME[player]}'s hand: ${[...now.left[player]].join(", ") || "empty"}`;
  place.replaceChildren(make("div", { class: "label" }, make("b", {}, `${SHAPE[player]} ${NAME[player]}${isMover ? " to move" : ""}`),
    bdi(game[player]), make("span", { id: `clock-${player}`, class: "clock" })),
  make("div", { class: "hand", role: "group", "aria-label": text }, ...buttons));
}

/** Draw one number for the position, and a bar with the limits that are certain. */
function drawStanding(now) {
  $("standing").hidden = now.over || Boolean(session?.editing) || Boolean(session && isPlaying(games[state.game]));
  $("value").textContent = inWords(now);
  const { score, estimate, bounds } = now.known;
  // Small scores have more room.
  const at = (score) => 75 * Math.sign(score) * Math.sqrt(Math.abs(score) / 75) * SIGN[side()];
  const value = at(score ?? estimate ?? 0);
  const [low, high] = (bounds ?? [-75, 75]).map(at).sort((a, b) => a - b);
  $("bar").replaceChildren(make("rect", { class: other(side()), x: -75, width: 150, height: 10 }),
    make("rect", { class: side(), x: -75, width: 75 + value, height: 10 }),
    // Pale: what is not certain.
    make("rect", { class: "open", x: score === null ? low : 0, width: score === null ? high - low : 0, height: 10 }),
    line("zero", 0, 0, 0, 10), line("here", value, 0, value, 10));
}

/** Say how the game ended, what the last move did, and what the moves bring. */
function describe(game, now) {
  const parts = [];
  const isPlayed = session && isPlaying(game);
  const isLast = !state.own && state.ply === game.moves.length;
  const forfeit = isLast && game.points;
  if (now.over) {
    const { score } = now.known;
    const [red, blue] = forfeit || [75 + score, 75 - score];
    const near = besides(now.cells, now.empty[0]).map(({ count }) => seen(count)).join(" ");
    parts.push(paragraph("result", `${forfeit ? "A forfeit" : winnerOf(score)}: final score ${seen(score)}`),
      paragraph("", `Red ${red} points, Blue ${blue} points; the hole is ${now.empty[0]}: ${near || 0} = ${seen(score)}.`));
    if (isPlayed) parts.push(button({ id: "review-game" }, "Review this game", () => restart({ mode: "review", running: true })));
  } else if ((!session || forfeit) && isLast) {
    const end = forfeit ? `a forfeit, Red ${forfeit[0]} points, Blue ${forfeit[1]}` : "no final score";
    parts.push(paragraph("", `The game was not played to its end: ${end}.`));
  }
  if (forfeit && game.fault) parts.push(paragraph("", "Reason, by the match: ", bdi(game.fault)));
  if (now.last) {
    const { own, player, move, lost, mark, best } = now.last;
    const unknown = session ? "" : ", what it lost is not judged";
    const loss = lost === null ? mark && ` ${mark}` || unknown : `, lost ${points(lost)}${mark && ` ${mark}`}`;
    const better = lost && best && !(state.turn && own) ? `; best was ${best}` : "";
    parts.push(paragraph("", `${own ? "Your move" : "Last move"}: ${NAME[player]} ${move}${loss}${better}. `,
      ...(mark && !own && !isPlayed ? [button({ id: "again" }, "Try it again", again)] : [])));
  }
  $("now").replaceChildren(...parts);
  const told = session?.editing ? null : toldOf(now.text);
  $("thoughts").replaceChildren(...(state.turn || now.over || isPlayed || session?.editing ? [] : [...drawLines(now),
    ...thoughts(told, now), ...bestMoves(now)]));
}

/** List the best lines, each of whose moves can be clicked to try. */
function drawLines(now) {
  const lines = linesOf(now);
  const worth = ({ score = null, chance = null }) => (score !== null ? seen(score) : chance === null ? "" : percent(chance));
  const items = lines.map(({ line: moves, ...row }, n) => make("li", { "aria-current": n === state.line && "true" },
    make("b", { class: "value" }, worth(row)), ...moves.slice(0, 10).map((move, step) => button({ id: `line-${n}-${step}` }, move,
      () => update(tryMoves(games[state.game], moves.slice(0, step + 1)))))));
  return items.length ? [make("h3", {}, "Best moves, and what is expected after them"), make("ol", { id: "lines" }, ...items)] : [];
}

/** Draw the line under the pointer or the focus on the board. */
function chooseLine(event) {
  const item = around(event, "#lines li");
  if (!item) return;
  const items = [...item.parentNode.children];
  state.line = items.indexOf(item);
  items.forEach((it) => (it === item ? it.setAttribute("aria-current", "true") : it.removeAttribute("aria-current")));
  drawBoard(positionHere());
}

const percent = (chance) => `${(100 * chance).toFixed(0)} %`;

/** Say what the engine thinks of a position: chances of the targets and of the moves.
 * @param {Analysis} told */
function thoughts(told, now) {
  const { think, solve, score, why, doing } = told ?? {};
  const work = ({ nodes, seconds }) => `${nodes.toLocaleString("en")} nodes, ${seconds.toFixed(2)} s`;
  const parts = session?.question.abort && doing ? [paragraph("legend", `Now: ${doing}.`)] : [];
  if (!told || score !== null || !think) return solve && score !== null ? [paragraph("legend", `Proven in ${work(solve)}.`)] : parts;
  const reached = (target) => 75 + (now.mover === "red" ? target : 1 - target);
  parts.push(paragraph("legend", `It would play ${think.move}: ${why} (${work(think)})`));
  const targets = think.targets.map(({ target, chance }) => `${reached(target)}: ${percent(chance)}`);
  if (targets.length) parts.push(paragraph("", `Chance of ${NAME[now.mover]} to get so many points or more: ${targets.join(", ")}.`));
  // Only columns that say something.
  const columns = [["chance", think.target === null ? "Chance" : `${reached(think.target)} or more`, percent], ["ahead", "One more", percent],
    ["expected", "Expected", (score) => seen(Number(score.toFixed(1)))], ["secures", "Secures", seen], ["visits", "Visits", String]]
    .filter(([key]) => think.candidates.some((row) => row[key]));
  const rows = think.candidates.slice(0, 12).map((row) => make("tr", {}, td("whole", row.move),
    ...columns.map(([key, , show]) => td("number", row[key] == null ? "" : show(row[key])))));
  if (rows.length) parts.push(make("details", { id: "searched", open: "" }, make("summary", {}, "Moves of the search"),
    scrollable("Moves of the search", table(["Move", ...columns.map(([, title]) => title)], [1, 2, 3, 4, 5], rows)),
    paragraph("legend", "Chances are those to get what it aims at, and one point more. Expected: the mean score against this opponent. "
      + "Secures: the score that is proven for the move, or better. Visits: how often the search tried it.")));
  return parts;
}

/** List the moves with known scores. */
function bestMoves({ options, best, known, mover }) {
  const groups = new Map();
  for (const [move, score] of options) groups.set(score, [...(groups.get(score) ?? []), move]);
  if (known.score === null || !groups.size) return best && !session ? [paragraph("", `Best known move: ${best}.`)] : [];
  const rows = [...groups].map(([score, moves]) => [cost(mover, known.score, score), score, moves])
    .sort(([a], [b]) => a - b).map(([lost, score, moves]) => make("tr", {}, td("number", seen(score)),
      td("number", String(lost)), td(null, ...(lost ? joined(moves) : [make("b", {}, ...joined(moves))]))));
  return [scrollable("Moves of known score", table(["Score after", "Lost", "Moves (optimal first)"], [0, 1], rows)),
    paragraph("legend", "“A1 B2=3,4” is stone 3 or 4 on A1 or on B2. Moves not listed are not judged.")];
}

/** Say how to try a move, and list the lines that were tried. */
function drawOwn(game, now) {
  const { cell, stone } = session?.editing ? {} : state;
  const isPlayed = session && isPlaying(game);
  const whose = state.turn || isPlayed ? `Your turn as ${NAME[now.mover]}` : `To try a move of ${NAME[now.mover]}`;
  let wanted = stone === null ? "a cell on the board and a stone" : `a cell for ${stone}`;
  if (cell !== null) wanted = `a stone for ${cell}`;
  const back = button({ id: "return" }, "Back to the game", () => update({ ply: state.ply }));
  const isTheirs = now.over || (isPlayed && now.mover !== session.person);
  $("answer").replaceChildren(isTheirs ? "" : `${whose}: choose ${wanted}. `, ...(state.own ? [back] : []));
  const plies = [...new Set(game.tried.map(({ ply }) => ply))].sort((a, b) => a - b);
  $("tried").replaceChildren(...plies.map((ply) =>
    make("li", {}, `After ply ${ply}: `, ...branches(game, game.tried.filter((own) => own.ply === ply), 0))));
  $("tried").querySelectorAll("button").forEach((link, n) => (link.id = `own-${n}`));
  $("own").hidden = !game.tried.length;
}

/** Draw lines that begin alike, from a step on: a move once, and a list where they part. */
function branches(game, lines, step) {
  const next = new Map(lines.filter(({ moves }) => moves.length > step).map((own) => [own.moves[step], own]));
  const items = [...next].map(([move, own]) => {
    const made = own.moves.slice(0, step + 1);
    const { score } = knownOf(game, own.ply, made, null);
    const isHere = state.own?.ply === own.ply && String(ownMoves()) === String(made);
    const link = button({ "aria-pressed": String(isHere) }, `${move}${score === null ? "" : ` (${seen(score)})`}`,
      () => update({ ply: own.ply, own, steps: step + 1 }));
    return [link, " ", ...branches(game, lines.filter(({ moves }) => moves[step] === move), step + 1)];
  });
  return items.length < 2 ? items.flat() : [make("ul", {}, ...items.map((item) => make("li", {}, ...item)))];
}

/** Name a game and its players. */
function titleOf(game) {
  const title = games.length > 1 ? [`Game ${game.number}`, game.title && " ", bdi(game.title)] : [bdi(game.title || "Game")];
  const names = [": ", bdi(game.red || "?"), " (Red) – ", bdi(game.blue || "?"), " (Blue)"];
  return game.red || game.blue ? [...title, ...names] : title;
}

/** Say what the players of a game gave away. */
function totalsOf(game) {
  const totals = ["red", "blue"].map((player) => {
    const { judged, lost, marks } = game.summary[player];
    const counts = ["?!", "?", "??"].map((mark, n) => `${marks[n]}\u00a0${mark}`).join(", ");
    return `${NAME[player]} lost ${points(lost)} in ${judged} judged move${judged === 1 ? "" : "s"} (${counts})`;
  });
  const forfeit = game.points ? ` A forfeit: Red ${game.points[0]} points, Blue ${game.points[1]}.` : "";
  return `${totals.join("; ")}.${forfeit}${game.decided === null ? "" : ` Decided after ply ${game.decided}.`}`;
}

function drawMoves(game) {
  $("moves").replaceChildren(...movesOf(game).map(({ ply, move, player, known, lost, mark }) => {
    const text = `Ply ${ply}, ${NAME[player]} ${move}`;
    const link = button({ id: `ply-${ply}`, "aria-label": text }, move, () => update({ ply }));
    return make("tr", { hidden: state.turn && ply > state.ply }, td("number", String(ply)), td(null, SHAPE[player]),
      td("whole", link), td("number", shown(known)), td("number", String(lost ?? "")), td(null, make("b", {}, mark)));
  }));
  const row = $("moves").children[state.ply - 1];
  if (row) mark(row, true, "step");
}

/** Make what belongs to a whole game. */
function drawGame(game) {
  $("game-title").replaceChildren(...titleOf(game));
  $("totals").textContent = totalsOf(game);
  $("story").replaceChildren(...(game.story?.length ? [make("ul", {}, ...game.story.map((text) => make("li", {}, text)))] : []));
  const styles = ["red", "blue"].map((player) => [player, game.summary[player].taken_for]).filter(([, style]) => style);
  $("styles").textContent = styles.map(([player, { kind, chance }]) =>
    `${NAME[player]} perhaps ${kind} (chance ${chance.toFixed(2)}). `).join("");
  $("styles-legend").hidden = !styles.length;
  $("graph-title").textContent = `Score after each move, seen from ${NAME[side()]}`;
  $("record").value = game.record;
  $("base36").value = base36Of(game) ?? "";
  $("base36-row").hidden = !$("base36").value;
  $("copied").textContent = "";
  [...$("games").children].forEach((row, n) => mark(row, n === state.game, "true"));
}

/** Mark a row as the current one, in sight within its table, or not. */
function mark(row, isCurrent, kind) {
  row.removeAttribute("aria-current");
  if (!isCurrent) return;
  row.setAttribute("aria-current", kind);
  const table = row.closest(".scroll");
  table.scrollTop = row.offsetTop - table.clientHeight / 2;
}

function drawList() {
  const rows = games.map((game) => {
    const link = make("a", { id: `game-${game.number}`, href: `#game=${game.number}&ply=${game.worst}` }, `${game.number} `, bdi(game.title));
    const score = game.points ? game.points.join(":") : "–";
    return make("tr", {}, td("who", link), td("who", bdi(game.red)), td("who", bdi(game.blue)),
      td("number", game.points || game.final_score === null ? score : plain(game.final_score)),
      td("number", game.summary.red.judged + game.summary.blue.judged ? String(game.lost) : "–"));
  });
  $("games").replaceChildren(...rows);
  drawn = "";
  $("list").hidden = games.length < 2;
}
