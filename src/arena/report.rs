//! The tables of a match, made only from its records: a match and its journal give the same text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::iter;

use serde::Serialize;

use super::fault::{FaultClass, FaultCounts, fault_table};
use super::journal::Entry;
use super::pairs::{GamePair, PairFinder, repetition};
use super::ratings::{Rating, difference, ratings};
use super::schedule;
use super::sprt::{SprtPlan, SprtRun};
use super::stats::{FEWEST_PAIRS, PairKinds, Sample, result, rounded, stratified_error};
use crate::player::board::Player;
use crate::player::position::MAX_POINTS;
use crate::text::{fitting, hanging, plural};

/// The results of one bot in whole pairs of games: in a single game the colour would count.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Tally {
    games: u64,
    total: u64,
    won: u64,
    drawn: u64,
    lost: u64,
}

impl Tally {
    fn add(&mut self, points: [u8; 2]) {
        for points in points {
            self.games += 1;
            self.total += u64::from(points);
            *[&mut self.lost, &mut self.drawn, &mut self.won][result(points)] += 1;
        }
    }

    /// Return the mean points; 0 without games.
    fn mean(&self) -> f64 {
        self.total as f64 / self.games.max(1) as f64
    }

    /// Write the mean with its error, if it is known; a dash without games.
    fn with_error(&self, error: Option<f64>) -> String {
        let mean = if self.games == 0 { "-".to_owned() } else { rounded(self.mean(), 2) };
        mean + &error.map_or(String::new(), |error| format!(" ± {error:.2}"))
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct BotResult {
    pub name: String,
    #[serde(flatten)]
    tally: Tally,
    /// The standard error of the points a game; `None` with too few pairs.
    pub error: Option<f64>,
    /// The Elo of its pairs; `None` if nothing compares it with the others.
    rating: Option<Rating>,
    /// The rank by points a game, from 1; equal ones share it.
    place: usize,
    /// The bot's first place on the command line of a match; `None` if no journal tells.
    #[serde(skip)]
    slot: Option<u64>,
    /// Games without the other colour; only their times and faults count.
    single: u64,
    /// The number of all games, single ones among them: these are timed.
    timed: u64,
    /// Thinking time of all games, of the longest game and of the longest move, microseconds.
    micros: [u64; 3],
    faults: BTreeMap<FaultClass, u64>,
}

impl BotResult {
    fn add(&mut self, game: &Entry, player: Player) {
        let side = player.index();
        self.slot = self.slot.into_iter().chain(game.places.map(|places| places[side])).min();
        self.timed += 1;
        let [all, longest, longest_move] = self.micros;
        let (micros, worst) = (game.micros[side], game.worst_micros[side]);
        self.micros = [all.saturating_add(micros), longest.max(micros), longest_move.max(worst)];
        for fault in game.faults.iter().filter(|fault| fault.player == player) {
            *self.faults.entry(fault.class).or_default() += 1;
        }
    }

    fn cells(&self) -> Vec<String> {
        let [all, longest, _] = self.micros.map(|micros| micros as f64 / 1e6);
        let Tally { games, won, drawn, lost, .. } = self.tally;
        let mut cells = vec![self.name.clone(), self.tally.with_error(self.error)];
        cells.extend([games, won, drawn, lost].map(|count| count.to_string()));
        cells.extend([all / self.timed as f64, longest].map(|seconds| format!("{seconds:.3}")));
        cells.push(self.faults.values().sum::<u64>().to_string());
        cells
    }
}

/// The results of two bots against each other, from the view of the first.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Pairing {
    pub names: [String; 2],
    #[serde(flatten)]
    tally: Tally,
    /// The first bot's mean points of every pair.
    pairs: Sample,
    kinds: PairKinds,
    single: u64,
}

impl Pairing {
    /// Add up the games of two bots; `None` if they never met.
    fn of(names: [&str; 2], games: &[&Entry], pairs: &[GamePair]) -> Option<Pairing> {
        let mut pairing = Pairing { names: names.map(str::to_owned), ..Pairing::default() };
        let own = pairs.iter().filter_map(|pair| pair.seen_by(names[0]));
        for pair in own.filter(|pair| pair.names == names) {
            pairing.tally.add(pair.points);
            pairing.kinds.add(pair.points);
            pairing.pairs.add(pair.mean());
        }
        let of_both = |game: &&&Entry| names.iter().all(|name| game.names().contains(name));
        let count = games.iter().filter(of_both).count() as u64;
        pairing.single = count - pairing.tally.games;
        (count > 0).then_some(pairing)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Report<'a> {
    /// Every game once, from its first record, by rounds, in each by the ranks of the bots.
    #[serde(skip)]
    pub games: Vec<&'a Entry>,
    /// The number of games in the match's plan, if it has more.
    #[serde(skip)]
    pub planned: Option<u64>,
    pub bots: Vec<BotResult>,
    /// In the order of the ranks; in each the bot that comes first on the command line is the first.
    pub pairings: Vec<Pairing>,
    /// What to know before the figures are believed.
    pub notes: Vec<String>,
    /// A row for each bot and cause of faults: the bot, the number, the moves before, an example.
    pub faults: Vec<[String; 4]>,
    /// If every game was lost by a fault, the losing bots: the figures then mean nothing.
    pub broken: Vec<&'a str>,
    /// The test of two bots, by the latest terms.
    pub sprt: Option<SprtRun>,
}

impl<'a> Report<'a> {
    /// Count entries in any order, each game once.
    pub fn of(entries: impl IntoIterator<Item = &'a Entry>) -> Report<'a> {
        let (mut games, mut latest) = (BTreeMap::new(), None);
        for entry in entries {
            latest = entry.sprt.as_ref();
            games.entry((entry.round, &entry.settings, entry.names())).or_insert(entry);
        }
        let mut games: Vec<&Entry> = games.into_values().collect();
        let mut finder = PairFinder::default();
        let pairs: Vec<GamePair> = games.iter().filter_map(|game| finder.add(game)).collect();
        let (mut faults, mut bots) = (FaultCounts::default(), BTreeMap::<&str, BotResult>::new());
        for game in &games {
            for fault in &game.faults {
                faults.add(game.names()[fault.player.index()], fault, game.moves.len() as u64);
            }
            for (player, name) in Player::BOTH.into_iter().zip(game.names()) {
                let begin = || BotResult { name: name.to_owned(), ..BotResult::default() };
                bots.entry(name).or_insert_with(begin).add(game, player);
            }
        }
        for (name, bot) in &mut bots {
            let own = pairs.iter().filter_map(|pair| pair.seen_by(name));
            own.for_each(|pair| bot.tally.add(pair.points));
            bot.single = bot.timed - bot.tally.games;
        }
        let mut bots: Vec<BotResult> = bots.into_values().collect();
        // Stable: bots of the same mean and place stay in the order of their names.
        bots.sort_by(|a, b| b.tally.mean().total_cmp(&a.tally.mean()).then(a.slot.cmp(&b.slot)));
        let mut pairings = Vec::new();
        for two in schedule::pairings(bots.len(), None) {
            let mut two = two.map(|rank| &bots[rank]);
            two.sort_by_key(|bot| bot.slot);
            pairings.extend(Pairing::of(two.map(|bot| &*bot.name), &games, &pairs));
        }
        let index = |name: &str| bots.iter().position(|bot| bot.name == name).unwrap_or_default();
        games.sort_by_cached_key(|game| {
            let [red, blue] = game.names().map(index);
            (game.round, red.min(blue), red.max(blue))
        });
        let results: Vec<_> =
            pairings.iter().map(|it| (it.names.each_ref().map(|name| index(name)), it.kinds)).collect();
        let means: Vec<f64> = bots.iter().map(|bot| bot.tally.mean()).collect();
        for (bot, rating) in bots.iter_mut().zip(ratings(means.len(), &results)) {
            let own = pairings.iter().filter(|pairing| pairing.names.contains(&bot.name));
            bot.error = stratified_error(own.map(|pairing| &pairing.pairs));
            bot.place = 1 + means.iter().filter(|&&mean| mean > bot.tally.mean()).count();
            bot.rating = rating;
        }
        let few = format!("fewer than {FEWEST_PAIRS} pairs in a pairing");
        let few = few + ": no ±, and small differences may be chance";
        let few = bots.iter().any(|bot| bot.error.is_none()).then_some(few);
        let (repetition, broken) = (repetition(&games), broken(&games));
        let none = format!("first place: none, every game was lost by a fault of {}", broken.join(" or "));
        let winner =
            if broken.is_empty() { winner(&bots, &pairings, repetition.is_none()) } else { Some(none) };
        // Two bots, or all against one, have it at their pairing.
        let single: u64 = pairings.iter().map(|pairing| pairing.single).sum();
        let single = (single > 0 && pairings.len() >= bots.len())
            .then(|| format!("left out: {} without the other colour", plural(single, "game")));
        let notes = [few, single, repetition, winner].into_iter().flatten().collect();
        let sprt = latest.filter(|_| bots.len() == 2).map(|plan| test(&games, &pairs, plan));
        Report { games, planned: None, bots, pairings, notes, faults: faults.rows(), broken, sprt }
    }

    /// Tell the number of games, and of how many if the match goes on.
    pub fn count(&self) -> String {
        let games = self.games.len() as u64;
        self.planned.map_or(plural(games, "game"), |planned| format!("{games} of {planned} games"))
    }

    /// Return the bot in all pairings, of two the first on the command line, if there is one.
    fn center(&self) -> Option<&BotResult> {
        let is_in_all = |bot: &&BotResult| self.pairings.iter().all(|it| it.names.contains(&bot.name));
        // Unknown slots come last.
        self.bots.iter().filter(is_in_all).min_by_key(|bot| bot.slot.unwrap_or(u64::MAX))
    }

    /// Return the name of the bot of the test; else of the one in all pairings; else of the leader.
    pub fn subject(&self) -> Option<&str> {
        let test = self.sprt.as_ref().map(|test| &*test.name);
        test.or(self.center().or(self.bots.first()).map(|bot| &*bot.name))
    }

    /// Return the table of the bots against each other, its titles first; of many bots in whole points, for a terminal.
    fn cross_table(&self) -> Vec<Vec<String>> {
        let digits = [2, 1, 0][usize::from(self.bots.len() > 5) + usize::from(self.bots.len() > 7)];
        let places = self.bots.iter().map(|bot| bot.place.to_string());
        let mut rows = vec![["", "", "total"].map(str::to_owned).into_iter().chain(places.clone()).collect()];
        rows.extend(places.zip(&self.bots).map(|(place, bot)| {
            let head = [place, bot.name.clone(), bot.tally.total.to_string()];
            head.into_iter().chain(vec!["-".to_owned(); self.bots.len()]).collect::<Vec<_>>()
        }));
        let index = |name: &String| self.bots.iter().position(|bot| bot.name == *name).unwrap_or_default();
        for Pairing { names, pairs, .. } in &self.pairings {
            let [own, other] = names.each_ref().map(index);
            let Some(mean) = pairs.mean() else { continue };
            rows[own + 1][other + 3] = rounded(mean, digits);
            rows[other + 1][own + 3] = rounded(f64::from(MAX_POINTS) - mean, digits);
        }
        rows
    }
}

/// Run the test of a match again. Its pairs have their places in the schedule if all games are of one match and
/// shard, with gaps for missing pairs; else they are counted.
fn test(games: &[&Entry], pairs: &[GamePair], SprtPlan { bot, means, shards }: &SprtPlan) -> SprtRun {
    let (mut run, shards) = (SprtRun::new(*means, bot), shards.get());
    let part = |game: &Entry| (game.settings.clone(), game.round % shards);
    let is_one = games.windows(2).all(|two| part(two[0]) == part(two[1]));
    for (count, pair) in (0..).zip(pairs.iter().filter_map(|pair| pair.seen_by(bot))) {
        run.add(if is_one { pair.round / shards } else { count }, pair.mean(), pair.moves);
    }
    run
}

/// Return the bots that lost by a fault, if a fault ended every game.
fn broken<'a>(games: &[&'a Entry]) -> Vec<&'a str> {
    let loser = |game: &&'a Entry| {
        let fault = game.faults.first().filter(|_| game.score.is_none())?;
        Some(game.names()[fault.player.index()])
    };
    let losers: Option<BTreeSet<&str>> = games.iter().map(loser).collect();
    losers.unwrap_or_default().into_iter().collect()
}

/// Name the winner of two bots, or of all against all, once each two have as many games. In a league tell whether its lead is
/// more than chance: more than twice its error. The error of a difference of independent means is good enough, though
/// the two share the games against each other.
fn winner(bots: &[BotResult], pairings: &[Pairing], has_errors: bool) -> Option<String> {
    let [first, second, ..] = bots else { return None };
    let games = || pairings.iter().map(|it| it.tally.games);
    let (fewest, most) = (games().min()?, games().max()?);
    if most == 0 || pairings.len() < schedule::pairings(bots.len(), None).len() {
        return None;
    }
    if fewest < most {
        return Some(format!("no first place: some two bots have played {most} games, others {fewest}"));
    }
    let tied: Vec<&str> = bots.iter().filter(|bot| bot.place == 1).map(|bot| &*bot.name).collect();
    if tied.len() > 1 {
        return Some(format!("first place: shared by {}", tied.join(", ")));
    }
    let [name, other] = [first, second].map(|bot| &bot.name);
    let lead = first.tally.mean() - second.tally.mean();
    // Of two bots the one gets what the other loses.
    let error = |(one, two): (f64, f64)| if bots.len() == 2 { one + two } else { one.hypot(two) };
    let Some(error) = first.error.zip(second.error).filter(|_| has_errors).map(error) else {
        return Some(format!("first place: {name}, {lead:.2} points a game ahead of {other}"));
    };
    let ahead = format!("first place: {name}, {lead:.2} ± {error:.2} points a game ahead of {other}");
    let own = pairings.iter().find(|it| it.names.contains(name) && it.names.contains(other))?;
    let (mean, own_error) = (own.pairs.mean()?, own.pairs.standard_error()?);
    let mean = if own.names[0] == *name { mean } else { f64::from(MAX_POINTS) - mean };
    let verdict = if lead > 2.0 * error { "more than chance" } else { "may be chance" };
    let mean = rounded(mean, 2);
    let league = format!(" ({verdict}); in their own games {name} got {mean} ± {own_error:.2}");
    Some(if bots.len() == 2 { ahead } else { ahead + &league })
}

/// Writes the tables, with a width for a terminal of as many columns.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bots.is_empty() {
            return f.write_str("no games\n");
        }
        let head = ["bot", "points a game", "games", "won", "drawn", "lost", "mean s", "max s", "faults"];
        let rows = iter::once(head.map(str::to_owned).to_vec()).chain(self.bots.iter().map(BotResult::cells));
        // Without faults there is no column of them.
        let aligned = if self.faults.is_empty() { "<>>>>>>>" } else { "<>>>>>>>>" };
        // A pipe's reader gets whole names, but lines of text.
        let (columns, room) = (f.width().unwrap_or(usize::MAX), f.width().unwrap_or(80).saturating_sub(2));
        let error = if self.bots.iter().any(|bot| bot.error.is_some()) { "±: standard error; " } else { "" };
        let legend = format!("{error}s: seconds a game, with the program's start\n");
        // The standings are to be seen in a terminal without scrolling.
        let standings = fitting(columns, aligned, &rows.collect::<Vec<_>>(), 0) + &legend;
        let mut parts = vec![fault_table(&self.faults, room), standings];
        if self.bots.len() > 2 {
            // A terminal has room for ten columns of numbers.
            let (rows, end) = (self.cross_table(), self.bots.len() + 3);
            let some = self.bots.len().div_ceil(self.bots.len().div_ceil(10));
            for (from, to) in (3..end).step_by(some).map(|from| (from, end.min(from + some))) {
                let part: Vec<_> = rows.iter().map(|row| [&row[..3], &row[from..to]].concat()).collect();
                let part = fitting(columns, &format!("><>{}", ">".repeat(to - from)), &part, 1);
                parts.push(format!("points a game against each\n{part}"));
            }
        }
        // The others are for the cross table, the page and --json.
        if self.center().is_some() {
            parts.push(self.pairings.iter().map(|pairing| format!("{pairing}\n")).collect());
        }
        parts.push(self.notes.iter().map(|note| hanging("", note, 2, room) + "\n").collect());
        parts.extend(self.sprt.iter().map(|test| format!("{test}\n")));
        parts.retain(|part| !part.is_empty());
        f.write_str(&parts.join("\n"))
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.names;
        let Tally { won, drawn, lost, .. } = self.tally;
        let mean = self.tally.with_error(self.pairs.standard_error());
        write!(f, "{first} against {second}: {mean} points a game, +{won} ={drawn} -{lost}")?;
        write!(f, "\n  pairs {}", self.kinds)?;
        if let Some(elo) = difference(self.kinds).filter(|_| self.pairs.count() >= FEWEST_PAIRS) {
            write!(f, ", Elo {elo}")?;
        }
        if self.single > 0 {
            write!(f, "\n  left out: {} without the other colour", plural(self.single, "game"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::arena::journal::tests::entry;
    use crate::arena::sprt::Sprt;

    fn games(first: &str, second: &str, points: &[[u8; 2]]) -> Vec<Entry> {
        let pair = |(round, &[red, blue]): (u64, &[u8; 2])| {
            [entry(round, [first, second], red), entry(round, [second, first], MAX_POINTS - blue)]
        };
        (0..).zip(points).flat_map(pair).collect()
    }

    #[test]
    fn two_bots() {
        let mut records = games("new", "old", &[[76, 75], [80, 70], [75, 75], [90, 77], [77, 77]]);
        let text = Report::of(&records).to_string();
        for words in [
            "\nnew   77.20 ± 1.62     10    6      3     1",
            "\nold   72.80 ± 1.62     10    1      3     6",
            "pairs LL 0 LD 0 WL 1 DD 1 WD 1 WW 2",
            "\nfirst place: new, 4.40 ± 3.23 points a game ahead of old\n",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        records.reverse();
        // A game that was recorded twice counts once, as it was recorded first.
        records.push(Entry { points: [150, 0], ..records[0].clone() });
        assert_eq!(Report::of(&records).to_string(), text);
        // Times that a file only claims do not overflow.
        records.iter_mut().for_each(|game| game.micros = [u64::MAX; 2]);
        assert!(Report::of(&records).to_string().contains("77.20 ± 1.62"));
    }

    #[test]
    fn pairs_of_two_matches_do_not_share_numbers() {
        let means = Sprt { low: 75.0, high: 76.0, alpha: 0.05, beta: 0.05 };
        let plan = SprtPlan { bot: "a".to_owned(), means, shards: NonZeroU64::MIN };
        let one = games("a", "b", &[[76, 75], [80, 70]]);
        let two = one.iter().map(|game| Entry { settings: "other".to_owned(), ..game.clone() });
        let mut records: Vec<Entry> = one.iter().cloned().chain(two).collect();
        records.iter_mut().for_each(|game| game.sprt = Some(plan.clone()));
        let told =
            |records: &[Entry]| Report::of(records).sprt.map_or(String::new(), |test| test.to_string());
        assert!(told(&records).starts_with("SPRT: undecided after 4 pairs"));
        assert!(told(&records[2..4]).ends_with("\n  1 later pair waits for pair 1"));
    }

    #[test]
    fn a_lead_is_more_than_chance_beyond_twice_its_error() {
        // Errors of a: the root of 1/2, of b: 1/2; or none.
        for (means, verdict, own) in [
            ([75, 75, 75, 75, 80], "0.87 points a game ahead of b (may be chance)", "1.00"),
            ([76; 5], "0.00 points a game ahead of b (more than chance)", "0.00"),
        ] {
            let pairs = means.map(|mean| [mean; 2]);
            let records =
                [games("a", "b", &pairs), games("a", "c", &pairs), games("b", "c", &[[75; 2]; 5])].concat();
            let note = format!("first place: a, 1.50 ± {verdict}; in their own games a got 76.00 ± {own}");
            assert_eq!(Report::of(&records).notes, [note]);
            assert_eq!(Report::of(&records[..20]).notes, [""; 0], "no league");
            let uneven = "no first place: some two bots have played 10 games, others 2";
            assert_eq!(Report::of(&records[..22]).notes[1..], [uneven]);
        }
        assert_eq!(Report::of(&games("a", "b", &[[75, 75]])).notes[1..], ["first place: shared by a, b"]);
    }

    #[test]
    fn three_bots_are_ranked_by_total_points() {
        let mut records = games("a", "b", &[[76, 75], [76, 75]]);
        records.extend(games("a", "c", &[[76, 76], [76, 76]]));
        records.extend(games("b", "c", &[[150, 150], [150, 140]]));
        let text = Report::of(&records).to_string();
        assert_eq!([55.625, 94.375, 69.75].map(|it| rounded(it, 2)), ["55.62", "94.38", "69.75"]);
        assert_eq!([69.75, 80.25].map(|it| rounded(it, 1)), ["69.7", "80.3"]);
        // Thousandths are no binary fractions: the page rounded them otherwise.
        assert_eq!([52.825, 78.475, 79.525].map(|it| rounded(it, 2)), ["52.82", "78.48", "79.53"]);
        let rows = "1  b    888      -  74.50  147.50\n2  a    606  75.50      -   76.00\n3  c    306   2.50  74.00       -\n";
        assert!(text.contains(rows), "{text}");
    }
}
