// @ts-check
// Games that the page reads, keeps over a reload, follows, and saves.
/** The most bytes that the program takes at once. */
const LARGEST = 1 << 20;

/** Read the games of a text: `{ games, left_out }`, or `{ error }`. */
async function read(text) {
  const { size } = new Blob([JSON.stringify(text)]);
  if (size > LARGEST - 100) return { error: "the text is larger than 1 MB: load a part of it" };
  const found = {};
  const ended = await send({ ask: "read", text }, (answer) => Object.assign(found, answer));
  return found.games || found.error ? found : { error: ENDS[ended] ?? ended, isGone: true };
}

/** Tell whether two games are the same one, read twice: a round is played once. */
const isSame = (one, other) => ["red", "blue", "record"].every((key) => one[key] === other[key])
  && (!one.title || !other.title || one.title === other.title);

/** Add games that were read, or one that is `begun` here; return those now on the page, added or there already. Add none
 * if the browser's storage has no room for all.
 * @returns {Game[]} */
function takeIn(found, begun, stays = false) {
  if (!found.length) return [];
  const here = begun ? [] : [...games];
  const taken = found.map((data) => {
    const at = here.findIndex((game) => isSame(game, data));
    if (at >= 0) return here.splice(at, 1)[0];
    return Object.assign(readGame(data), begun, { seconds: [] });
  });
  const old = games;
  const shown = gameHere();
  const added = taken.filter((game) => !old.includes(game));
  // A game that was begun and not played is dropped.
  const isUsed = (it) => !it.fresh || it.line.length || taken.includes(it) || (stays && it === shown);
  const kept = games.filter(isUsed);
  const number = Math.max(0, ...kept.map((game) => game.number)) + 1;
  added.forEach((game, n) => (game.number = number + n));
  games = [...kept, ...added];
  // The games may grow.
  if (!keep(100_000)) {
    games = old;
    trouble(`This browser has no room for more games than the ${old.length} on this page: `
      + "load them in another tab.");
  }
  state.game = Math.max(0, games.indexOf(shown));
  drawList();
  return taken.filter((game) => games.includes(game));
}

function openLoading(wrong) {
  $("unread").textContent = wrong;
  $("loading").showModal();
}

/** Load the games of texts or files, or one that is `begun` here, and show the first; tell whether there is one.
 * @returns {Promise<any>} */
async function load(sources, { begun, isTyped } = /** @type {Record<string, any>} */ ({})) {
  $("loading").close();
  if (!mayLeave()) return false;
  trouble("");
  const old = games;
  const found = [];
  const wrong = [];
  let more = 0;
  for (const { name, text } of sources) {
    const { error, isGone, games: own = [], left_out: beyond = 0 } = await read(text);
    // The form still has the text, to be mended.
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
  const [game] = taken;
  const known = taken.filter((it) => old.includes(it)).length;
  if (begun) state.mode = "play";
  else game.person = playerOf(game, game.line.length);
  state.setup = null;
  update({ game: games.indexOf(game), ply: game.line.length });
  const counts = [`Loaded ${found.length} games, the first is shown`, known && `${known} of them were here already`,
    more && `${more} more are left out`];
  if (!begun) say(found.length === 1 ? "Loaded." : `${counts.filter(Boolean).join("; ")}.`);
  return true;
}

/** Replace the file's games from number `from` on: update those that grew, drop those gone except the shown one. A view
 * at the newest game's end moves on to the next. */
function takeFromFile(from, found) {
  const shown = gameHere();
  const old = games.filter(({ fileIndex = -1 }) => fileIndex >= from);
  const isNewest = shown === games.at(-1) && isAtEnd() && state.trial === null;
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

/** Follow the board's file: show its games as they grow, and the standings of the match. */
async function follow(have) {
  await send({ ask: "follow", have }, ({ from, games: found, report, age, left_out: more }) => {
    if (more) trouble(`Left out: ${more} of the file's games.`);
    if (found) takeFromFile(from, found);
    state.lastAt = report ? performance.now() / 1000 - age : null;
    show($("match"), ...(report ? [drawMatch(report)] : []));
    drawFollowed();
  });
  setTimeout(() => follow(have), RETRY);
}

function drawFollowed() {
  const count = games.filter(({ fileIndex }) => fileIndex !== undefined).length;
  const ago = Math.floor(performance.now() / 1000 - (state.lastAt ?? 0));
  const [what, last] = ago < 120 ? ["This match runs", `${ago} s`] : ["A match", `${Math.floor(ago / 60)} min`];
  $("followed").textContent = state.lastAt === null ? ""
    : `${what}: ${counted(count, "game")}, the last one ${last} ago. New games appear here.`;
}

/** Keep the games and the view over a reload; false if they and `room` characters more do not fit. */
function keep(room) {
  const { game, ply, own, steps, trial, told, mode, person, partner, flipped, setup } = state;
  const kept = [{ game, ply, own, steps, trial, told, mode, person, partner, flipped, setup },
    games.map(({ setup, line, blocked, ...data }) => data)];
  try {
    sessionStorage.setItem(location.pathname, JSON.stringify(kept) + " ".repeat(room));
  } catch (error) {
    // If the browser may keep nothing at all, the page works without it.
    return error.name !== "QuotaExceededError";
  }
  return true;
}

/** Take what was kept; an address that names a game opens it. */
function recall() {
  const [view, kept] = JSON.parse(sessionStorage.getItem(location.pathname));
  games = kept.map(readGame);
  const { game, ply } = location.hash ? viewOf(location.hash) : view;
  const isOther = game !== view.game || ply !== view.ply;
  Object.assign(state, view, isOther && { game, ply, own: [], steps: 0, trial: null });
}

/** Write a game as text, as the log of a match has it; saved games are such texts.
 * @param {Pick<Game, "red" | "blue" | "number" | "record"> & Partial<Game>} game */
function asText({ red, blue, title, number, record, points, fault }) {
  const round = /^round (\d+)$/.exec(title)?.[1] ?? number;
  const names = [red, blue].map((name) => name.replaceAll(",", ",,"));
  const lines = [`# ${red || blue ? `red ${names[0]}, blue ${names[1]}, ` : ""}round ${round}`, record,
    points && `# points ${points.join(" to ")}`, points && fault && `# fault of ${fault}`];
  return lines.filter(Boolean).map((line) => `${line.replace(/\s+/g, " ")}\n`).join("");
}

const fileOf = (saved) => `black-hole${saved.length > 1 ? "" : `-${saved[0].number}`}.txt`;
const save = (saved) => download(fileOf(saved), saved.map(asText).join(""));

function listenToFiles() {
  $("file").addEventListener("change", async () => {
    const files = [...$("file").files];
    // The same file can be chosen again.
    $("file").value = "";
    const textOf = (file) => file.slice(0, LARGEST).text().catch(() => "");
    load(await Promise.all(files.map(async (file) => ({ name: file.name, text: await textOf(file) }))));
  });
  // Text may still be dropped into fields.
  document.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    $("file").files = event.dataTransfer.files;
    $("file").dispatchEvent(new Event("change"));
  });
  // The browser asks before it leaves an edited position.
  addEventListener("beforeunload", (event) => state.edited?.past.length && event.preventDefault());
  addEventListener("pagehide", () => keep(0));
  document.addEventListener("visibilitychange", () => keep(0));
}
