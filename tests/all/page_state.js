// The state of the page, without a page: run by page_state.rs after the page's own scripts.
const [assert, { test, mock }] = [require("node:assert/strict"), require("node:test")];
const BOARD = "E4 A1 C4 G2 D2";
const gameOf = (moves, data = {}) => readGame({ number: 1, title: "", red: "a", blue: "b", first: "red", start: {},
  record: [BOARD, ...moves].join(" "), ...data });
const goTo = (...all) => {
  analyses.clear();
  games = all;
  Object.assign(state, { mode: "analyse", game: 0, ply: 0, own: [], steps: 0, hint: {},
    trial: null, setup: null, stone: null, from: 0 });
};

const here = (line = []) => knownOf(games[0], line);
const tell = (news, line = []) => learn(games[0], line, news);
const told = ({ error, bounds, ...known }) => [brief(known), error, ...bounds];
/** News as the judge sends them: moves with their values and errors; the position's value is the best one's. */
const judged = (rows, effort = 1, error = 0.5) => ({ effort, error, estimate: Object.values(rows)[0],
  moves: Object.entries(rows).map(([move, estimate]) => ({ move, estimate, error })) });
const numbers = (line = []) => listOf(find(games[0], line)).map(({ move, known }) => [move, valueOf(known)]);

test("news only narrow what is known: a review loosens no bounds", () => {
  goTo(gameOf([]));
  for (const [news, numbers] of [
    [{ bounds: [0, 3] }, ["–", null, 0, 3]],
    [{ bounds: [-9, 12], estimate: 1, error: 0.5, effort: 1 }, ["≈+1.0", 0.5, 0, 3]],
    // An estimate lies within what is proven, before it or after it.
    [{ estimate: 7, error: 2, effort: 1 }, ["≈+3.0", 2, 0, 3]],
    [{ bounds: [2, 2] }, ["+2", null, 2, 2]],
    [{ estimate: -5, error: 1, effort: 9 }, ["+2", null, 2, 2]],
  ]) {
    tell(news);
    assert.deepEqual(told(here()), numbers);
  }
  // The same by way of a record: the second judged game has wider bounds after the same move.
  analyses.clear();
  [[0, 3], [-9, 12]].map((bounds) => gameOf(["B2=15"], { moves: [{ bounds, estimate: 1, error: 1 }] }));
  assert.deepEqual(here(["B2=15"]).bounds, [0, 3]);
});

test("more effort beats less, the newer of equals the older, and moves of a shorter search are outdated", () => {
  goTo(gameOf([]));
  tell(judged({ "B2=15": 3, "G1=1": 2 }));
  tell(judged({ "B2=15": 1 }, 0.3));
  assert.deepEqual(numbers(), [["B2=15", 3], ["G1=1", 2]]);
  tell(judged({ "B2=15": 1, "H1=3": 0.5 }));
  assert.deepEqual(numbers(), [["B2=15", 1], ["H1=3", 0.5]]);
  // A look at the position after a move beats as much effort for all moves, and four times as much.
  tell(judged({ "C1=1": -2 }), ["B2=15"]);
  tell(judged({ "B2=15": 1, "H1=3": 0.5 }, 4));
  assert.deepEqual(numbers(), [["H1=3", 0.5], ["B2=15", -2]]);
  tell(judged({ "B2=15": 1, "H1=3": 0.5 }, 16));
  assert.deepEqual([numbers(), here(["B2=15"]).estimate], [[["B2=15", 1], ["H1=3", 0.5]], 1]);
});

test("a position has the value of its best move, up and down the line, and no loss is negative", () => {
  const moves = ["B2=15", "G1=1", "H1=3", "C1=3"];
  goTo(gameOf(moves));
  let seed = 7;
  const random = (count) => (seed = (seed * 48271) % 2147483647) % count;
  for (let n = 0; n < 3000; n += 1) {
    const [ply, low] = [random(5), random(40) - 30];
    const rows = Object.fromEntries([moves[ply] ?? "A2=9", "A3=8", "B1=7", "F1=2"].slice(random(2), 2 + random(3))
      .map((move) => [move, random(200) / 10 - 10]));
    const sorted = Object.fromEntries(Object.entries(rows).sort(([, a], [, b]) => (b - a) * (ply % 2 ? -1 : 1)));
    const bounds = () => tell({ bounds: [low, low + 20 + random(9)] }, moves.slice(0, ply));
    const [before] = [moves.map((_, at) => find(games[0], moves.slice(0, at)).bounds)];
    if (random(40)) tell(judged(sorted, 4 ** random(3)), moves.slice(0, ply));
    else bounds();
    for (const [at, [least, most]] of before.entries()) {
      const now = find(games[0], moves.slice(0, at));
      assert.ok(now.bounds[0] >= least && now.bounds[1] <= most, "bounds only narrow");
      const [best] = listOf(now);
      // Proven to be worse than the position, no listed move is the best.
      const isOut = best && (now.bounds[0] > best.after.bounds[1] || now.bounds[1] < best.after.bounds[0]);
      if (now.listed && !isOut) assert.equal(valueOf(knownHere(now)), valueOf(best.known));
      const { loss } = lastMove(games[0], moves.slice(0, at + 1));
      assert.ok(loss === null || loss >= 0, `${loss}`);
    }
    if (n % 100 === 99) analyses.clear();
  }
});

test("the best move of a solved position is a proven one, and none is better", () => {
  goTo(gameOf([]));
  tell(judged({ "B2=15": 1.5, "G1=1": 1 }));
  assert.equal(expected(find(games[0], []))[0], "B2=15");
  tell(newsOf({ score: 4, best: ["G1=1"], bounds: [4, 4], line: ["G1=1", "B2=3"] }));
  tell(newsOf({ moves: [{ move: "B2=15", score: 2 }, { move: "H1=3", score: null, bounds: [-9, 20] }] }));
  assert.deepEqual([here().score, here().estimate, numbers()], [4, null, [["G1=1", 4], ["B2=15", 2]]]);
  assert.deepEqual(find(games[0], ["H1=3"]).bounds, [-9, 4]);
  assert.deepEqual(expected(find(games[0], [])), ["G1=1"]);
});

test("a mark follows the numbers that are shown", () => {
  const [list, line] = [[["G1=1", 1, 1], ["G1=2", 2, 1]], "G1=1 C1=3"];
  goTo(gameOf(["B2=15", "G1=3"], { moves: [{ estimate: 1, error: 1 }, { estimate: 4, error: 1, list, line }] }));
  readGame(games[0]);
  const last = () => (({ mark, lost, estimated, best }) => [mark, lost, estimated, best])(movesOf(games[0])[1]);
  assert.deepEqual(last(), ["~?", null, 3, "G1=1"]);
  assert.deepEqual(expected(find(games[0], ["B2=15"])), ["G1=1", "C1=3"]);
  tell({ score: 4 }, ["B2=15", "G1=3"]);
  assert.deepEqual(last(), ["~?", null, 3, "G1=1"]);
  tell({ score: 1 }, ["B2=15"]);
  assert.deepEqual(last().slice(0, 3), ["?", 3, null]);
});

test("a round is played once: equal moves of another round are another game", () => {
  const [one, two] = ["round 1", "round 2"].map((title) => gameOf(["B2=15"], { title }));
  assert.equal(isSame(one, two), false);
  assert.equal(isSame(one, { ...one }), true);
  // A saved game has no title of its own.
  assert.equal(isSame(one, { ...two, title: "" }), true);
});

test("the dashed stone is the better move in a review, the best in an analysis, the hint in a game", () => {
  goTo(gameOf(["B2=15", "G1=1"], { red: "you", blue: "casual" }));
  tell(judged({ "H1=3": 6, "B2=15": 1 }));
  tell(judged({ "G1=1": 1, "F1=2": 3 }), ["B2=15"]);
  const ghosts = () => ["review", "record", "analyse", "play"].map((mode) => ghostOf((state.mode = mode, positionHere())).move || "");
  assert.deepEqual(ghosts(), ["", "", "H1=3", ""]);
  state.ply = 1;
  assert.deepEqual(ghosts(), ["H1=3", "H1=3", "G1=1", ""]);
  // It covered the number of the hole.
  state.mode = "review";
  assert.deepEqual([ghostOf({ ...positionHere(), over: true }).move, betterHere(positionHere())], [undefined, "H1=3"]);
  state.hint = { text: positionHere().text, move: "F1=2" };
  assert.deepEqual(ghosts(), ["H1=3", "H1=3", "G1=1", "F1=2"]);
  // A click plays it, in a review as “Try again” with this move does.
  const said = { textContent: "", scrollIntoView() {} };
  globalThis.document = { getElementById: () => said };
  render = () => {};
  Object.assign(state, { mode: "review", ply: 2, from: 2 });
  update({ ply: 1 });
  choose({ cell: "H1" });
  assert.deepEqual([state.ply, state.own, state.steps, state.trial, state.told], [0, ["H1=3"], 1, 0, true]);
  Object.assign(state, { mode: "analyse", ply: 1, own: [], steps: 0, trial: null });
  choose({ cell: "G1" });
  assert.deepEqual([state.ply, state.steps], [2, 0]);
  // A hint's words stay while one chooses.
  Object.assign(state, { mode: "play", hint: { text: positionHere().text, move: "H1=3", words: "H1=3: Red gets" } });
  choose({ stone: 14 });
  assert.deepEqual([state.stone, said.textContent], [14, "H1=3: Red gets"]);
});

test("a game that is played on after a review is judged again", () => {
  goTo(gameOf(["B2=15", "G1=1"], { seconds: [], moves: [{ score: 1 }, { score: 1 }], decided: 1 }));
  append(games[0], "H1=3");
  assert.equal(games[0].decided, null);
  append(games[0], "A2=9");
  globalThis.document = { getElementById: () => ({}) };
  takeReview({ judged: { ply: 4, known: { score: 2 } } }, games[0]);
  assert.deepEqual([games[0].moves.length, here(games[0].line).score], [4, 2]);
});

test("a followed game that goes on is one game, a cut file's games go, except the shown one", () => {
  drawList = render = () => {};
  const inFile = (moves, fileIndex) => gameOf(moves, { number: fileIndex + 1, fileIndex });
  goTo(inFile(["B2=1"], 0), inFile(["B2=2"], 1), gameOf(["G1=1"], { number: 3 }));
  const shown = () => games.map(({ line }) => line.join(" "));
  takeFromFile(1, [gameOf(["B2=2", "G1=2"]), gameOf(["B2=3"])]);
  assert.deepEqual(shown(), ["B2=1", "B2=2 G1=2", "G1=1", "B2=3"]);
  // B2=1 is no beginning of B2=12.
  takeFromFile(0, [gameOf(["B2=12"]), gameOf(["B2=2", "G1=2"])]);
  assert.deepEqual(shown(), ["B2=1", "B2=2 G1=2", "G1=1", "B2=12"]);
  takeFromFile(1, []);
  assert.deepEqual(shown(), ["B2=1", "G1=1", "B2=12"]);
  assert.equal(state.game, 0);
  // A view at the newest game's end moves on to the next.
  update = (changes) => Object.assign(state, changes);
  Object.assign(state, { game: 2, ply: 1 });
  takeFromFile(1, [gameOf(["C1=3"])]);
  assert.deepEqual([state.game, shown().at(-1)], [3, "C1=3"]);
});

test("a game of others is looked at, not played on", () => {
  goTo(gameOf(["B2=15"]), gameOf(["B2=15"], { blue: "you" }));
  state.mode = "play";
  state.ply = 1;
  assert.deepEqual([isPlaying(), wantedHere()], [false, null]);
  state.game = 1;
  assert.deepEqual([isPlaying(), wantedHere()], [true, null]);
  games[1].red = "you";
  games[1].blue = "b";
  assert.deepEqual([isPlaying(), wantedHere()], [true, "move"]);
});

test("a game that is over is not played on, and the form for a new game shows its own board", () => {
  const moves = CELLS.filter((cell) => !BOARD.includes(cell)).map((cell, n) => `${cell}=${(n >> 1) + 1}`).slice(0, 30);
  goTo(gameOf(moves, { red: "you", blue: "casual" }));
  Object.assign(state, { mode: "play", ply: 9 });
  assert.deepEqual([acts(positionHere()), whyNot(positionHere(), { cell: "H1" })], [false, "The game is over."]);
  state.mode = "analyse";
  assert.equal(acts(positionHere()), true);
  Object.assign(state, { mode: "play", setup: ["A1", "A2", "A3", "A4", "A5"] });
  const { empty, left, last } = positionHere();
  assert.deepEqual([empty.length, left.red.size, last, acts(positionHere())], [31, 15, null, false]);
  // A small board came with the hands of a full one.
  state.setup = CELLS.slice(0, 15);
  const hands = PLAYERS.map((player) => [...handOf(positionHere().game, player)].length);
  assert.deepEqual([hands, positionHere().left.blue.size], [[10, 10], 10]);
});

test("a tried move is judged by the list before it", () => {
  const verdict = (move) => verdictOn(lastMove(games[0], [move]));
  goTo(gameOf(["B2=15"]));
  assert.equal(verdict("B2=14"), "");
  tell(judged({ "H1=3": 1.4, "B2=14": 1.4, "A2=1": 1, "A3=1": 0, "B2=15": -2.1 }));
  assert.equal(verdict("B2=14"), "Right: B2=14 is as good as the best");
  assert.equal(verdict("H1=3"), "Right: H1=3 is the best");
  assert.equal(verdict("B2=15"), "B2=15 is about 3.5 points worse than H1=3, which leaves ≈76.4 : 73.6");
  // Within the errors: the review's own advice was called wrong by a tenth.
  assert.equal(verdict("A2=1"), "Right: A2=1 is about as good as H1=3");
  assert.equal(verdict("C1=9"), "C1=9 is at least about 3.5 points worse than H1=3, which leaves ≈76.4 : 73.6");
  tell({ score: 1, moves: [{ move: "H1=3", score: 1 }, { move: "B2=15", score: -1 }], effort: 1 });
  assert.equal(verdict("B2=15"), "B2=15 is 2 points worse than H1=3, which leaves 76 : 74");
  // While you look for a move, the best one is not named.
  state.trial = 0;
  assert.equal(verdict("B2=15"), "B2=15 is 2 points worse than the best");
  // A proven best move beside a position's estimate looked like two numbers for one thing.
  goTo(gameOf(["B2=15"]));
  tell(judged({ "H1=3": 1.4, "B2=15": -2.1 }));
  learn(games[0], ["H1=3"], { score: 2 });
  assert.equal(verdict("H1=3"), "Right: H1=3 is the best known");
});

test("while you look for a better move nothing tells it, and a try leaves nothing behind", () => {
  goTo(gameOf(["B2=15", "G1=1"]));
  tell(judged({ "H1=3": 3, "B2=15": 1 }));
  Object.assign(state, { mode: "review", trial: 0 });
  assert.equal(hasTried(), false);
  Object.assign(state, tryMoves(games[0], ["A2=4"]));
  assert.deepEqual([hasTried(), state.trial, lineHere()], [true, 0, ["A2=4"]]);
  assert.match(whyNot(positionHere(), { cell: "A2" }), /Another try/);
  // The game's own move is a try, too.
  Object.assign(state, { ply: 0, own: [], steps: 0 });
  Object.assign(state, tryMoves(games[0], ["B2=15"]));
  assert.deepEqual([hasTried(), state.trial, state.ply, state.steps], [true, 0, 1, 0]);
});

test("the sum of a hole has no parts if one stone counts", () => {
  const cells = (...moves) => cellsOf({ blocked: [], first: "red" }, moves);
  assert.deepEqual([cells("A1=9"), cells("A1=9", "B1=2"), cells("H1=9")].map((it) => summed(it, "A2")), ["+9", "+9 −2 = +7", "0"]);
});

test("a click that does nothing says why", () => {
  const game = gameOf(["B2=15"], { red: "you", blue: "casual", hands: { red: [3, 15], blue: [2, 9] } });
  goTo(game);
  state.ply = 1;
  const why = (chosen) => whyNot(positionHere(), chosen);
  for (const [chosen, words] of [
    [{ cell: "B2" }, "B2 holds Red's 15: choose an empty cell."],
    [{ cell: "E4" }, "E4 is blocked: no stone goes there."],
    [{ cell: "A2" }, ""],
    [{ stone: 3, player: "red" }, "That is Red's stone: Blue is to move."],
    [{ stone: 9, player: "blue" }, ""],
    [{ stone: 4, player: "blue" }, "Blue has no 4 any more."],
  ]) assert.equal(why(chosen), words);
  state.mode = "play";
  assert.equal(why({ cell: "A2" }), "It is Blue's turn: wait for casual.");
  state.setup = game.blocked;
  assert.equal(why({ cell: "A2" }), "“Start” begins the game.");
});

test("a page opens where the game turned, and lists the costliest moves, the proven first", () => {
  analyses.clear();
  const scores = [-2, -2, -7, -2, -4, -4].map((score) => ({ score }));
  const game = gameOf(["B2=15", "G1=1", "H1=3", "C1=3", "C2=4", "D1=8"], { start: { score: 0 }, moves: scores, decided: 1 });
  assert.equal(focusOf(game), 1);
  assert.deepEqual(costliestOf(game).map(({ ply, loss }) => [ply, loss]), [[3, 5], [4, 5], [1, 2]]);
  // A game without a turn opened on the empty board; a draw, though its story told the turn, at its end.
  assert.deepEqual([{ decided: null }, { decided: 0 }, { final_score: 0 }].map((it) => focusOf({ ...game, ...it })), [6, 6, 1]);
});

test("of a match of two the page says who won how many games: it said so of one game only", () => {
  const result = (red, blue, points) => gameOf([], { red, blue, points });
  const games = [result("a", "b", [80, 70]), result("b", "a", [60, 90]), result("a", "b", [75, 75]), gameOf([])];
  assert.deepEqual(winsOf(games), { names: ["a", "b"], won: [2, 0], drawn: 1 });
});

test("the move that the game turned on tells its loss, also within the error, with a mark: the sums left it out", () => {
  analyses.clear();
  const game = gameOf(["B2=15", "G1=1"], { start: { estimate: 0, error: 1 }, moves: [{ estimate: -1.4, error: 1 }], decided: 1 });
  const [{ mark, estimated }] = movesOf(game);
  assert.deepEqual([mark, estimated, costliestOf(game).map(({ ply }) => ply)], ["turn", 1.4, [1]]);
  // Nothing near a move told why its loss had no mark.
  const unmarked = { ...movesOf(game)[0], mark: "", best: "H1=3" };
  assert.equal(estimateOf(unmarked), " Score ≈−1.4 ± 1, about 1.4 worse than H1=3, within the errors.");
  assert.deepEqual(["~?", "??", "turn", ""].map(signOf), ["?", "??", "", ""]);
});

test("a hint goes when the position changes", () => {
  goTo(gameOf(["B2=15", "G1=1"], { red: "you", blue: "expert", seconds: [] }));
  globalThis.document = { getElementById: () => ({ elements: { partner: [] } }) };
  globalThis.fetch = async () => new Response("");
  Object.assign(state, { mode: "play", ply: 2 });
  state.hint = { text: positionHere().text, move: "H1=3" };
  ask();
  assert.equal(positionHere().hint, "H1=3");
  // It had hidden the best moves of an analysis.
  state.mode = "analyse";
  assert.equal(positionHere().hint, false);
  state.mode = "play";
  state.ply = 1;
  ask();
  state.ply = 2;
  assert.ok(!positionHere().hint);
});

test("a broken connection is tried again once in a while, whatever is pressed", async () => {
  let asked = 0;
  const page = { textContent: "", hidden: false, classList: { toggle() {} }, elements: { partner: [] } };
  render = () => {};
  Object.assign(globalThis, { location: { pathname: "/" }, document: { getElementById: () => page },
    fetch: async () => {
      asked += 1;
      throw new TypeError("broken");
    } });
  goTo(gameOf([]));
  mock.timers.enable({ apis: ["setTimeout"] });
  const answers = async () => { for (let n = 0; n < 20; n += 1) await null; };
  ask();
  await answers();
  assert.deepEqual([state.question.is, asked], ["broken", 1]);
  // Drawn and moved about, it waits for its one timer.
  for (let n = 0; n < 9; n += 1) ask();
  for (let n = 0; n < 3; n += 1) {
    mock.timers.tick(RETRY);
    await answers();
  }
  assert.deepEqual([state.question.is, asked], ["broken", 4]);
  // Stopped, it asks no more.
  setQuestion("stopped");
  mock.timers.tick(9 * RETRY);
  await answers();
  assert.deepEqual([state.question.is, asked], ["stopped", 4]);
  mock.timers.reset();
  // An estimate's error is no message that ends a question.
  globalThis.fetch = async () => new Response('{"estimate":1,"error":0.5,"effort":1}\n{"ended":"done"}\n', { headers: { server: "blackhole" } });
  setQuestion("idle", "");
  ask();
  while (state.question.is === "asking") await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual([state.question.is, here().estimate], ["idle", 1]);
  clearTimeout(drawing);
});

test("mistakes are your own in a game that you played, else those of both; the last stone needs no choice", () => {
  goTo();
  const moves = [-2, 1, -2, 1].map((score) => ({ score }));
  games = [gameOf(["B2=15", "G1=1", "H1=3", "C1=3"], { start: { score: 0 }, moves })];
  const plies = (names) => (Object.assign(games[0], names), range(5, (ply) => ((state.ply = ply), nextMistake())));
  assert.deepEqual([{}, { blue: "you" }, { red: "you", blue: "b" }].map(plies), [[1, 2, 3, 4, 1], [2, 2, 4, 4, 2], [1, 3, 3, 1, 1]]);
  const choices = [gameOf([]), gameOf([], { hands: { red: [3], blue: [] } })].map((game) => whatToChoose(position(game, [])));
  assert.deepEqual(choices, ["a cell and a stone", "a cell"]);
});

test("who is ahead and who won is told in words", () => {
  const [you, bot] = [{ red: "you", blue: "casual" }, { red: "casual", blue: "you" }];
  assert.deepEqual([winnerOf(3, {}), winnerOf(3, you), winnerOf(3, bot), winnerOf(0, you)], ["Red wins", "You won", "You lost", "A draw"]);
  // Within the error one was ahead, and a proven win was no more.
  const known = [{ estimate: -1.1, error: 0.4 }, { estimate: 0.2, error: 0.8 }, { score: 2, estimate: null }, { score: 0 }, {}];
  assert.deepEqual(known.map(inWords), ["Blue is ahead", "About level", "Red wins by best play", "A draw by best play", "not judged"]);
  // Words of a fault are those of a tournament's page.
  const faults = ["red: crash: it ended", "blue: time", null].map((fault) => faultOf({ red: "a", blue: "", fault }));
  assert.deepEqual(faults, ["a: crashed", "Blue: moved too late", ""]);
});
