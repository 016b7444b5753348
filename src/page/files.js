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

/** Tell whether a game is another one read again: a round is played once. */
const isSame = (one, other) => ["red", "blue", "record"].every((key) => one[key] === other[key])
  && (!one.title || !other.title || one.title === other.title);

/** Add games that were read, or one that is `begun` here; return those now on the page, added or there already. Without
 * room for all in the browser's storage, add none.
 * @returns {Game[]} */
function takeIn(found, begun, stays = false) {
  if (!found.length) return [];
  const here = begun ? [] : [...games];
  const taken = found.map((data) => {
    const at = here.findIndex((game) => isSame(game, data));
    if (at >= 0) return here.splice(at, 1)[0];
    return Object.assign(readGame(data), begun, { seconds: [] });
  });
  const [old, added, shown] = [games, taken.filter((game) => !games.includes(game)), gameHere()];
  // A game that was begun and not played gives way.
  const isUsed = (it) => !it.fresh || it.line.length || taken.includes(it) || (stays && it === shown);
  const kept = games.filter(isUsed);
  const number = Math.max(0, ...kept.map((game) => game.number)) + 1;
  added.forEach((game, n) => (game.number = number + n));
  games = [...kept, ...added];
  if (!keep(ROOM)) {
    games = old;
    trouble(`This browser has no room for more games than the ${old.length} on this page: `
      + "load them in another tab.");
  }
  state.game = Math.max(0, games.indexOf(shown));
  drawList();
  return taken.filter((game) => games.includes(game));
}

/** Open the form for games; say what was wrong with the last text. */
function openLoading(wrong) {
  $("unread").textContent = wrong;
  $("loading").showModal();
}

/** Load the games of texts or files, or one that is `begun`, and look at the first; tell whether there is one.
 * @returns {Promise<any>} */
async function load(sources, { begun, isTyped } = /** @type {Record<string, any>} */ ({})) {
  $("loading").close();
  if (!mayLeave()) return false;
  trouble("");
  const [found, wrong, old] = [[], [], games];
  let more = 0;
  for (const { name, text } of sources) {
    const { error, isGone, games: own = [], left_out: beyond = 0 } = await read(text);
    // Beside the text it can be mended.
    if (error && isTyped && !isGone) return openLoading(error);
    if (error) wrong.push(name ? `${name}: ${error}` : error);
    for (const data of own.length === 1 ? own : []) data.title = data.title.replace(/^round \d+$/, "");
    found.push(...own);
    more += beyond;
  }
  if (wrong.length) {
    trouble(wrong.join("; "));
    // The page may be scrolled far down.
    $("trouble").scrollIntoView({ block: "nearest" });
  }
  const taken = takeIn(found, begun);
  if (!taken.length) return update({});
  const [[game], known] = [taken, taken.filter((game) => old.includes(game)).length];
  if (begun) state.mode = "play";
  else game.person = playerOf(game, game.line.length);
  state.setup = false;
  update({ game: games.indexOf(game), ply: game.line.length });
  const counts = [`Loaded ${found.length} games, the first is shown`, known && `${known} of them were here already`,
    more && `${more} more are left out`];
  if (!begun) say(found.length === 1 ? "Loaded." : `${counts.filter(Boolean).join("; ")}.`);
  return true;
}

/** Take the file's games from one on in place of those sent before: one that went on goes on here, those that are gone
 * go, but for the one that is looked at. Who looks at the end of the newest game goes on to the next. */
function takeFromFile(from, found) {
  const [shown, old] = [gameHere(), games.filter(({ fileIndex = -1 }) => fileIndex >= from)];
  const isNewest = shown === games.at(-1) && isTheGame() && state.trial === null;
  for (const game of old) {
    const newer = found[(game.fileIndex ?? 0) - from];
    if (!`${newer?.record} `.startsWith(`${game.record} `)) game.fileIndex = undefined;
    else if (newer.record !== game.record) {
      rewrite(game, readGame(newer).line);
      Object.assign(game, { record: newer.record, points: newer.points ?? null, fault: newer.fault ?? null });
    }
  }
  games = games.filter((game) => !old.includes(game) || game.fileIndex !== undefined || game === shown);
  state.game = games.indexOf(shown);
  takeIn(found.map((data, n) => ({ ...data, fileIndex: from + n })), undefined, true);
  drawList();
  if (isNewest) update({ game: games.length - 1, ply: Infinity });
  else render();
}

/** Follow the board's file: show its games as they go on and end, and the standings of the match. */
async function follow(have) {
  await send({ ask: "follow", have }, ({ from, games: found, report, age, left_out: more }) => {
    if (more) trouble(`Left out: ${more} of the file's games.`);
    if (found) takeFromFile(from, found);
    state.lastAt = report ? performance.now() / 1000 - age : null;
    show($("match"), ...(report ? [drawMatch(report)] : []));
    draw();
  });
  setTimeout(() => follow(have), RETRY);
}

/** Say that a match is followed, and whether it runs. */
function drawFollowed() {
  const count = games.filter(({ fileIndex }) => fileIndex !== undefined).length;
  const ago = Math.floor(performance.now() / 1000 - (state.lastAt ?? 0));
  const [what, last] = [ago < 900 ? "This match runs" : "A match", ago < 120 ? `${ago} s` : `${Math.floor(ago / 60)} min`];
  $("followed").textContent = state.lastAt === null ? ""
    : `${what}: ${counted(count, "game")}, the last one ${last} ago. New games appear here.`;
}

/** Characters that the games may grow by. */
const ROOM = 100_000;

/** Keep the games and the view over a reload, with room for some characters more; false without so much room. */
function keep(room) {
  const { game, ply, mode, person, partner, flipped, setup } = state;
  const kept = [{ game, ply, mode, person, partner, flipped, setup },
    games.map(({ setup, line, blocked, ...data }) => data)];
  try {
    sessionStorage.setItem(location.pathname, JSON.stringify(kept) + " ".repeat(room));
  } catch (error) {
    // Where nothing may be kept at all, the page works without it.
    return error.name !== "QuotaExceededError";
  }
  return true;
}

/** Take what was kept; an address that names a game leads there. */
function recall() {
  const [view, kept] = JSON.parse(sessionStorage.getItem(location.pathname));
  games = kept.map(readGame);
  Object.assign(state, view, location.hash && placeOf(location.hash));
}

/** A game as text, as it is saved and as the log of a match has it.
 * @param {Pick<Game, "red" | "blue" | "number" | "record"> & Partial<Game>} game */
function headed({ red, blue, title, number, record, points, fault }) {
  const round = /^round (\d+)$/.exec(title)?.[1] ?? number;
  const names = [red, blue].map((name) => name.replaceAll(",", ",,"));
  const lines = [`# red ${names[0]}, blue ${names[1]}, round ${round}`, record,
    points && `# points ${points.join(" to ")}`, points && fault && `# fault of ${fault}`];
  return lines.filter(Boolean).map((line) => `${line.replace(/\s+/g, " ")}\n`).join("");
}

/** The name of the file in which games are saved. */
const fileOf = (saved) => `black-hole${saved.length > 1 ? "" : `-${saved[0].number}`}.txt`;
const save = (saved) => download(fileOf(saved), saved.map(headed).join(""));

function listenToFiles() {
  $("file").addEventListener("change", async () => {
    const files = [...$("file").files];
    // The same file can be chosen again.
    $("file").value = "";
    const textOf = (file) => file.slice(0, LARGEST).text().catch(() => "");
    load(await Promise.all(files.map(async (file) => ({ name: file.name, text: await textOf(file) }))));
  });
  // Text is dropped into fields.
  document.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    $("file").files = event.dataTransfer.files;
    $("file").dispatchEvent(new Event("change"));
  });
  // The browser asks whether to leave what is edited.
  addEventListener("beforeunload", (event) => state.edited?.past.length && event.preventDefault());
  addEventListener("pagehide", () => keep(0));
  document.addEventListener("visibilitychange", () => keep(0));
}
