// @ts-check
// What the page reads, keeps over a reload, and saves.
/** The bytes that the program takes at once. */
const LARGEST = 1 << 20;

/** Read the games of a text: `{ games, left_out }`, or `{ error }`. */
async function read(text) {
  const { size } = new Blob([JSON.stringify(text)]);
  if (size > LARGEST - 100) return { error: "the text is larger than 1 MB: load a part of it" };
  const found = {};
  const ended = await send({ ask: "read", text }, (answer) => Object.assign(found, answer));
  return found.games || found.error ? found : { error: ENDS[ended] ?? ended, isGone: true };
}

/** Read files; a folder is none. */
async function readFiles(files) {
  if (!files.length) return;
  await load(await Promise.all([...files].map(async (file) => {
    const text = file.size < LARGEST ? await file.text().catch(() => null) : "x".repeat(LARGEST);
    return { name: file.name, text, error: text === null && "a folder, or a file that cannot be read" };
  })));
}

/** Add games; return those now on the page, added or there already. Without room for all in the browser's storage,
 * add none.
 * @returns {Game[]} */
function takeIn(raws, { fresh, before, stays } = /** @type {Record<string, any>} */ ({})) {
  if (!raws.length) return [];
  const here = fresh === undefined ? [...games] : [];
  const taken = raws.map((raw) => {
    const at = here.findIndex((game) => ["red", "blue", "record"].every((key) => game[key] === raw[key]));
    if (at >= 0) return here.splice(at, 1)[0];
    const game = readGame(raw);
    return { ...game, fresh, before, begun: before ? game.line.length : 0, seconds: [], since: performance.now() };
  });
  const [old, added] = [games, taken.filter((game) => !games.includes(game))];
  // A game that was begun and not played gives way.
  const kept = games.filter((it, n) => !it.fresh || it.line.length || it.tried.length || taken.includes(it)
    || (stays && n === state.game));
  const number = Math.max(0, ...kept.map((game) => game.number)) + 1;
  added.forEach((game, n) => (game.number = game.raw.number = number + n));
  games = [...kept, ...added];
  if (!keep(ROOM)) {
    games = old;
    trouble(`This browser has no room for more games than the ${old.length} on this page: `
      + "load them in another tab.");
  }
  state.game = Math.max(0, games.indexOf(old[state.game]));
  drawList();
  return taken.filter((game) => games.includes(game));
}

/** Load the games of texts or files and look at the first; tell whether there is one.
 * @returns {Promise<any>} */
async function load(sources, { ply, you, mode, fresh, before, isTyped } = /** @type {Record<string, any>} */ ({})) {
  closeDialogs();
  if (!mayLeave()) return false;
  trouble("");
  const [raws, wrong, old] = [[], [], games];
  let more = 0;
  for (const { name, text, error } of sources) {
    const found = error ? { error } : await read(text);
    // Beside the text it can be mended.
    if (found.error && isTyped && !found.isGone) {
      $("unread").textContent = found.error;
      return $("loading").showModal();
    }
    if (found.error) wrong.push(name ? `${name}: ${found.error}` : found.error);
    const own = found.games ?? [];
    for (const raw of own.length === 1 ? own : []) raw.title = raw.title.replace(/^round \d+$/, "");
    raws.push(...own);
    more += found.left_out ?? 0;
  }
  if (wrong.length) {
    trouble(wrong.join("; "));
    // A text may be pasted far below.
    $("trouble").scrollIntoView({ block: "nearest" });
  }
  const taken = takeIn(raws, { fresh, before });
  if (!taken.length) return update({});
  const [[game], known] = [taken, taken.filter((game) => old.includes(game)).length];
  const person = Object.hasOwn(SIGN, you) ? you : playerOf(game, game.line.length);
  Object.assign(session, { person, mode: mode ?? session.mode });
  update({ game: games.indexOf(game), ply: ply ?? game.line.length, turn: state.turn && !mode });
  const counts = [`Loaded ${raws.length} games, the first is shown`, known && `${known} of them were here already`,
    more && `${more} more are left out`];
  if (more || fresh === undefined) say(raws.length === 1 ? "Loaded." : `${counts.filter(Boolean).join("; ")}.`);
  return true;
}

/** The controller that stops following; null if the file is not followed. */
let following = null;
/** Start or stop following the board's file: show its new games and the table of its match. */
async function followFile(have) {
  const abort = following ? following.abort() ?? null : new AbortController();
  following = abort;
  $("follow").textContent = abort ? "Stop following" : "Follow the file";
  if (!abort) return;
  await send({ ask: "follow", have }, ({ games: raws, table, left_out: more }) => {
    if (more) trouble(`Left out: ${more} of the file's games.`);
    takeIn(raws, { stays: true });
    render();
    $("match").textContent = table ?? "";
  }, abort.signal);
  // Unless it was stopped meanwhile, or is stopped before.
  const retry = () => {
    if (following !== abort) return;
    following = null;
    followFile(have);
  };
  if (following === abort) setTimeout(retry, RETRY);
}

/** Characters that the games may grow by. */
const ROOM = 100_000;

/** Keep the games over a reload, with room for some characters more; false where the browser has not so much. */
function keep(room) {
  const kept = games.map(({ raw, tried, fresh, before, begun, seconds, reviewed, since }) =>
    ({ raw, tried, fresh, before, begun, seconds, reviewed, used: Math.round(performance.now() - since) }));
  try {
    sessionStorage.setItem(location.pathname, JSON.stringify(kept) + " ".repeat(room));
    sessionStorage.setItem(`${location.pathname}#`, location.hash);
  } catch (error) {
    // Where nothing may be kept at all, the page works without it.
    return error.name !== "QuotaExceededError";
  }
  return true;
}

/** Return the games that were kept. */
const keptGames = () => JSON.parse(sessionStorage.getItem(location.pathname))
  .map(({ raw, used, ...more }) => ({ ...readGame(raw), ...more, since: performance.now() - used }));

/** A game as text, as it is saved and as the log of a match has it.
 * @param {Pick<Game, "red" | "blue" | "number" | "record"> & Partial<Game>} game */
function headed({ red, blue, title, number, record, points, fault }) {
  const round = /^round (\d+)$/.exec(title)?.[1] ?? number;
  const [redName, blueName] = [red, blue].map((name) => name.replaceAll(",", ",,"));
  const lines = [`# red ${redName}, blue ${blueName}, round ${round}`, record, points && `# points ${points.join(" to ")}`,
    points && fault && `# fault of ${fault}`];
  return lines.filter(Boolean).map((line) => `${line.replace(/\s+/g, " ")}\n`).join("");
}

function save(game) {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(headed(game))}`;
  make("a", { href, download: "blackhole.txt" }).click();
}

function listenToFiles() {
  $("file").addEventListener("change", () => {
    const files = [...$("file").files];
    // The same file can be chosen again.
    $("file").value = "";
    readFiles(files);
  });
  for (const name of /** @type {("dragover" | "drop")[]} */ (["dragover", "drop"])) {
    document.addEventListener(name, (event) => {
      // Text is dropped into fields.
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      if (name === "drop") readFiles(event.dataTransfer.files);
    });
  }
  document.addEventListener("paste", (event) => {
    const { files } = event.clipboardData;
    if (around(event, "input, textarea")) return;
    if (files.length) readFiles(files);
    else load([{ text: event.clipboardData.getData("text") }]);
  });
  // The browser asks whether to leave what is edited.
  addEventListener("beforeunload", (event) => session.editing?.past.length && event.preventDefault());
  addEventListener("pagehide", () => keep(0));
  document.addEventListener("visibilitychange", () => keep(0));
}
