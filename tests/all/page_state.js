// The state of the page, without a page: run by page_state.rs after the page's own scripts.
const [assert, { test, mock }] = [require("node:assert/strict"), require("node:test")];
const BOARD = "E4 A1 C4 G2 D2";
const gameOf = (moves, data = {}) => readGame({ number: 1, title: "", red: "a", blue: "b", first: "red", start: {},
  record: [BOARD, ...moves].join(" "), ...data });
const goTo = (...all) => {
  analyses.clear();
  games = all;
  Object.assign(state, { mode: "analyse", game: 0, ply: 0, own: null, edited: null, hint: {}, seated: all[0] });
};

test("news only narrow what is known: a review loosens no bounds (W11)", () => {
  goTo(gameOf([]));
  const told = (news) => inWords({ known: learn(BOARD, news) });
  assert.equal(told({ bounds: [0, 3] }), "certain: 0 to +3");
  assert.equal(told({ bounds: [-9, 12], estimate: 1, error: 0.5 }), "about +1 ± 0.5 (certain: 0 to +3)");
  // An estimate lies within what is proven, before it or after it.
  assert.equal(told({ estimate: 7, error: 2 }), "about +3 ± 2 (certain: 0 to +3)");
  assert.equal(told({ bounds: [2, 2] }), "+2 exact");
  assert.equal(told({ estimate: -5, error: 1 }), "+2 exact");
  // The same by way of a record: the second judged game has wider bounds after the same move.
  const judged = (bounds) => gameOf(["B2=15"], { moves: [{ bounds, estimate: 1 }] });
  analyses.clear();
  [[0, 3], [-9, 12]].map(judged);
  assert.deepEqual(knownOf(games[0], ["B2=15"]).bounds, [0, 3]);
});

test("the best move of a solved position is a proven one", () => {
  goTo(gameOf([]));
  learn(BOARD, newsOf({ think: { move: "B2=15", bounds: [-20, 20], estimate: 1.5, error: 1 } }));
  assert.equal(analyses.get(BOARD).best, "B2=15");
  learn(BOARD, newsOf({ solve: { score: 4, best: ["G1=1"], bounds: [4, 4] } }));
  learn(BOARD, newsOf({ moves: [{ move: "B2=15", score: 2 }] }));
  const { score, best, estimate } = analyses.get(BOARD);
  assert.deepEqual([score, best, estimate], [4, "G1=1", 4]);
});

test("the best move of a record's solved position has its score", () => {
  analyses.clear();
  gameOf(["B2=15"], { start: { score: 2 }, moves: [{ score: 1, best: "C1=3" }] });
  assert.equal(analyses.get(BOARD).options.get("C1=3"), 2);
});

test("a mark by estimates falls with the first of them that is solved", () => {
  const moves = [{ estimate: 1, error: 1 }, { estimate: 4, error: 1, estimated_lost: 3, mark: "~?" }];
  goTo(gameOf(["B2=15", "G1=1"], { moves }));
  const mark = () => movesOf(games[0]).map(({ mark }) => mark);
  assert.deepEqual(mark(), ["", "~?"]);
  learn(`${BOARD} B2=15 G1=1`, { score: 4 });
  assert.deepEqual(mark(), ["", ""]);
  learn(`${BOARD} B2=15`, { score: 1 });
  assert.deepEqual(mark(), ["", "?"]);
});

test("a round is played once: equal moves of another round are another game", () => {
  const [one, two] = ["round 1", "round 2"].map((title) => gameOf(["B2=15"], { title }));
  assert.equal(isSame(one, two), false);
  assert.equal(isSame(one, { ...one }), true);
  // A saved game has no title of its own.
  assert.equal(isSame(one, { ...two, title: "" }), true);
});

test("a followed game that goes on is one game, a cut file's games go, but for the one that is looked at", () => {
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
});

test("a game of others is looked at, not played on", () => {
  goTo(gameOf(["B2=15"]), gameOf(["B2=15"], { blue: "you" }));
  state.mode = "play";
  Object.assign(state, { ply: 1, person: "blue" });
  assert.deepEqual([isPlaying(), wantedHere()], [false, null]);
  Object.assign(state, { game: 1, person: "red" });
  assert.deepEqual([isPlaying(), wantedHere()], [true, "move"]);
});

test("a second try is judged only where it is one's own, by more than the error of an estimate", () => {
  const tried = gameOf(["B2=14"], { number: 2, red: "you", parentGame: 1, startPly: 0 });
  goTo(gameOf(["B2=15"]), tried);
  assert.match(compared(tried), /^Not judged yet/);
  learn(`${BOARD} B2=15`, { estimate: 1, error: 0.5 });
  learn(`${BOARD} B2=14`, { estimate: 1.4, error: 0.5 });
  assert.equal(compared(tried), "Your B2=14 is about as good as B2=15.");
  learn(`${BOARD} B2=14`, { score: 3 });
  assert.equal(compared(tried), "Your B2=14 is about 2 points better than B2=15.");
  assert.equal(compared({ ...tried, red: "expert" }), "");
});

test("a broken connection is tried again once in a while, whatever is pressed (W12)", async () => {
  let asked = 0;
  const page = { textContent: "", hidden: false, classList: { toggle() {} } };
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
  globalThis.fetch = async () => new Response('{"estimate":1,"error":0.5}\n{"ended":"done"}\n', { headers: { server: "blackhole" } });
  setQuestion("idle", "");
  ask();
  while (state.question.is === "asking") await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual([state.question.is, analyses.get(BOARD).estimate], ["rested", 1]);
  clearTimeout(drawing);
});
