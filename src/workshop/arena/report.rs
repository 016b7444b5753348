//! The tables of a match, made from its records alone: a match just played and a journal read back
//! give the same text.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unicode_width::UnicodeWidthStr;

use super::fault::FaultClass;
use super::journal::Entry;
use super::remarks;
use super::sprt::Pair;
use super::stats::{EVEN, Elo, FEWEST_PAIRS, PAIR_NAMES, Pairs, Results, Sample, stratified_error};
use crate::player::board::Player;
use crate::workshop::fnv;

/// One bot's results.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Games played.
    pub games: u64,
    /// Points of all games.
    pub total: u64,
    /// The standard error of its points a game; `None` with too few pairs.
    pub error: Option<f64>,
    /// Won, drawn, lost.
    pub results: Results,
    /// Thinking time of all games, microseconds.
    pub micros: u64,
    /// The longest thinking time of a game, microseconds.
    pub worst_game: u64,
    /// The longest thinking time of a move, microseconds.
    pub worst_move: u64,
    /// Faults by class.
    pub faults: BTreeMap<FaultClass, u64>,
}

impl Row {
    /// Return the points a game.
    pub fn points(&self) -> f64 {
        self.total as f64 / self.games.max(1) as f64
    }

    /// Count the side `player` of a game.
    fn add(&mut self, game: &Entry, player: Player) {
        let side = player.index();
        self.games += 1;
        self.total += u64::from(game.points[side]);
        self.results.add(game.points[side]);
        self.micros = self.micros.saturating_add(game.micros[side]);
        self.worst_game = self.worst_game.max(game.micros[side]);
        self.worst_move = self.worst_move.max(game.worst_micros[side]);
        for fault in game.faults.iter().filter(|fault| fault.player == player) {
            *self.faults.entry(fault.class).or_default() += 1;
        }
    }
}

/// Two bots' results against each other, seen from the first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pairing {
    /// Their names.
    pub names: [String; 2],
    /// Points of the first, every game.
    pub points: Sample,
    /// Points of the first, mean of every whole pair.
    pub pair_means: Sample,
    /// Its results, single games included.
    pub results: Results,
    /// Whole pairs by kind.
    pub pairs: Pairs,
    /// Games whose other colour is missing.
    pub single: u64,
}

impl Pairing {
    fn of(names: [&str; 2], games: &[&Entry]) -> Pairing {
        // The first bot's points in the games of a pair: both, or only one so far.
        let mut found: BTreeMap<(u64, u64), Vec<u8>> = BTreeMap::new();
        let mut pairing = Pairing { names: names.map(str::to_string), ..Pairing::default() };
        for game in games {
            let points = match game.names() {
                players if players == names => game.points[0],
                players if players == [names[1], names[0]] => game.points[1],
                _ => continue,
            };
            pairing.points.add(f64::from(points));
            pairing.results.add(points);
            found.entry((game.settings, game.round)).or_default().push(points);
        }
        for pair in found.values() {
            if let [a, b] = pair[..] {
                pairing.pairs.add([a, b]);
                pairing.pair_means.add((f64::from(a) + f64::from(b)) / 2.0);
            } else {
                pairing.single += pair.len() as u64;
            }
        }
        pairing
    }
}

/// A match in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The bots, ranked.
    pub rows: Vec<Row>,
    /// Whether all bots played equally many games, so that total points rank them.
    pub level: bool,
    /// The pairings, the better ranked bot first, in the order of the ranks.
    pub pairings: Vec<Pairing>,
    /// Records that repeat another game and were left out.
    pub repeated: usize,
    /// What a reader of the tables should know besides: unlike things counted together, games that
    /// repeat others.
    pub remarks: Vec<String>,
}

/// Return what tells a game from all others, and orders them as the schedule does.
fn key(game: &Entry) -> (u64, u64, [&str; 2]) {
    (game.round, game.settings, game.names())
}

/// Count the records that repeat a game with other cells, moves or points.
fn unlike(records: &[Entry]) -> usize {
    let mut first: BTreeMap<_, &Entry> = BTreeMap::new();
    let mut count = 0;
    for record in records {
        let kept = first.entry(key(record)).or_insert(record);
        let same =
            kept.blocked == record.blocked && kept.moves == record.moves && kept.points == record.points;
        count += usize::from(!same);
    }
    count
}

/// Return every game once, as it was recorded first, in the order of the schedule.
pub fn distinct(records: &[Entry]) -> Vec<&Entry> {
    let mut seen = BTreeSet::new();
    let mut games: Vec<&Entry> = records.iter().filter(|record| seen.insert(key(record))).collect();
    games.sort_by_key(|game| key(game));
    games
}

/// Return a hash of a game's moves, to be added to that of the other game of its pair.
pub fn game_hash(game: &Entry) -> u64 {
    let mut blocked = game.blocked;
    blocked.sort_unstable();
    fnv::text(&format!("{} {blocked:?} {:?}", game.red, game.moves))
}

/// Return a bot's whole pairs in the order of the schedule, each with the opponent.
pub fn pairs_of<'a>(records: &'a [Entry], name: &str) -> Vec<(&'a str, Pair)> {
    type Games = Vec<(u8, u64)>;
    let mut pairs: BTreeMap<(u64, u64, &str), Games> = BTreeMap::new();
    for game in distinct(records) {
        for side in (0..2).filter(|&side| game.names()[side] == name) {
            let other = game.names()[1 - side];
            pairs
                .entry((game.round, game.settings, other))
                .or_default()
                .push((game.points[side], game_hash(game)));
        }
    }
    let whole = pairs.iter().filter_map(|(key, pair)| match pair[..] {
        [one, other] => Some((key.2, Pair::of(one, other))),
        _ => None,
    });
    whole.collect()
}

impl Report {
    /// Count the records. A game recorded twice counts once, as the first record says; else their
    /// order does not matter.
    pub fn of(records: &[Entry]) -> Report {
        let games = distinct(records);
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for game in &games {
            for (player, name) in Player::BOTH.into_iter().zip(game.names()) {
                let row =
                    rows.entry(name).or_insert_with(|| Row { name: name.to_string(), ..Row::default() });
                row.add(game, player);
            }
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        let level = rows.windows(2).all(|two| two[0].games == two[1].games);
        rows.sort_by(|a, b| {
            let rank = if level { b.total.cmp(&a.total) } else { b.points().total_cmp(&a.points()) };
            rank.then_with(|| a.name.cmp(&b.name))
        });
        let mut pairings = Vec::new();
        for (i, first) in rows.iter().enumerate() {
            let others = rows[i + 1..].iter().map(|second| Pairing::of([&first.name, &second.name], &games));
            pairings.extend(others.filter(|pairing| pairing.points.count() > 0));
        }
        for row in &mut rows {
            let own = pairings.iter().filter(|pairing| pairing.names.contains(&row.name));
            row.error = stratified_error(own.map(|pairing| &pairing.pair_means));
        }
        let mut remarks = remarks::of(&games);
        remarks.extend(match unlike(records) {
            0 => None,
            1 => Some("a repeated record differs from the first one of its game, which counts".to_owned()),
            count => Some(format!(
                "{count} repeated records differ from the first ones of their games, which count"
            )),
        });
        Report { rows, level, pairings, repeated: records.len() - games.len(), remarks }
    }
}

fn plus_minus(error: Option<f64>) -> String {
    error.map_or_else(|| "± ?".to_string(), |error| format!("± {error:.2}"))
}

/// Say an Elo estimate in words or numbers.
fn elo_text(elo: Elo) -> String {
    match elo {
        Elo::TooFew => "Elo: too few pairs".to_string(),
        Elo::NoSpread => "Elo: no spread between pairs yet".to_string(),
        Elo::OneSided(Ordering::Less) => "Elo: lost every game, no upper bound on the difference".to_string(),
        Elo::OneSided(_) => "Elo: won every game, no bound on the difference".to_string(),
        Elo::Known { difference, low, high, superiority } => {
            let interval = match (low, high) {
                (Some(low), Some(high)) => {
                    format!("± {:.1} (95 %: {low:+.1} to {high:+.1})", (high - low) / 2.0)
                }
                (Some(low), None) => format!("(95 %: above {low:+.1})"),
                (None, Some(high)) => format!("(95 %: below {high:+.1})"),
                (None, None) => "(95 %: no bounds)".to_string(),
            };
            format!("Elo {difference:+.1} {interval}, superior with {}", percent(superiority))
        }
    }
}

/// Print a probability in percent, without claiming certainty.
fn percent(probability: f64) -> String {
    let sign = match probability {
        p if p > 0.9995 => "> ",
        p if p < 0.0005 => "< ",
        _ => "",
    };
    format!("{sign}{:.2} %", (100.0 * probability).clamp(0.05, 99.95))
}

fn fault_text(faults: &BTreeMap<FaultClass, u64>) -> String {
    let parts: Vec<String> = faults.iter().map(|(class, count)| format!("{class} {count}")).collect();
    if parts.is_empty() { "none".to_string() } else { parts.join(", ") }
}

/// Lay out cells in columns two blanks apart: the columns marked `<` in `aligned` to the left,
/// others to the right.
fn table(aligned: &str, rows: &[Vec<String>]) -> String {
    let width = |text: &String| text.width();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((column, side), cell) in aligned.chars().enumerate().zip(row) {
            let widest = rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
            let room = " ".repeat(widest - width(cell));
            let cell = if side == '<' { format!("{cell}{room}") } else { format!("{room}{cell}") };
            line += &format!("{}{cell}", if column == 0 { "" } else { "  " });
        }
        text += &format!("{}\n", line.trim_end());
    }
    text
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return f.write_str("no games\n");
        }
        let head = ["bot", "points a game", "games", "won", "drawn", "lost", "mean/worst/move s", "faults"];
        let mut rows = vec![head.map(str::to_string).to_vec()];
        for row in &self.rows {
            let seconds = |micros: u64| micros as f64 / 1e6;
            let mean = seconds(row.micros) / row.games as f64;
            let (game, longest) = (seconds(row.worst_game), seconds(row.worst_move));
            let Results { wins, draws, losses } = row.results;
            let mut cells = vec![row.name.clone(), format!("{:.2} {}", row.points(), plus_minus(row.error))];
            cells.extend([row.games, wins, draws, losses].map(|count| count.to_string()));
            cells.extend([format!("{mean:.2}/{game:.2}/{longest:.2}"), fault_text(&row.faults)]);
            rows.push(cells);
        }
        f.write_str(&table("<>>>>>><", &rows))?;
        if self.rows.len() > 2 {
            let rule =
                if self.level { "total points" } else { "points a game (not all played equally often)" };
            write!(f, "\npoints a game against each, ranked by {rule}\n{}", self.cross_table())?;
        }
        for pairing in &self.pairings {
            writeln!(f, "\n{pairing}")?;
        }
        if self.repeated > 0 {
            let records = if self.repeated == 1 { "record" } else { "records" };
            writeln!(f, "\n{} repeated {records} left out", self.repeated)?;
        }
        self.remarks.iter().try_for_each(|remark| writeln!(f, "\nnote: {remark}"))
    }
}

impl Report {
    fn cross_table(&self) -> String {
        let ranks = 1..=self.rows.len();
        let mut rows = vec![vec![String::new(), String::new(), "total".to_string()]];
        rows[0].extend(ranks.clone().map(|rank| rank.to_string()));
        for (rank, row) in ranks.zip(&self.rows) {
            let mut cells = vec![rank.to_string(), row.name.clone(), row.total.to_string()];
            cells.extend(self.rows.iter().map(|other| {
                let mean = self.mean_against(&row.name, &other.name);
                mean.map_or_else(|| "-".to_string(), |mean| format!("{mean:.2}"))
            }));
            rows.push(cells);
        }
        table(&format!("><>{}", ">".repeat(self.rows.len())), &rows)
    }

    fn mean_against(&self, name: &str, other: &str) -> Option<f64> {
        self.pairings.iter().find_map(|pairing| {
            let mean = pairing.points.mean()?;
            match &pairing.names {
                [a, b] if a == name && b == other => Some(mean),
                [a, b] if a == other && b == name => Some(150.0 - mean),
                _ => None,
            }
        })
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.names;
        let Results { wins, draws, losses } = self.results;
        let mean = self.points.mean().unwrap_or(0.0);
        let error = plus_minus(self.pair_means.standard_error());
        write!(f, "{first} against {second}: {mean:.2} {error} points a game")?;
        if let Some(likelihood) = self.pair_means.likelihood_above(f64::from(EVEN)) {
            write!(f, " (more with {})", percent(likelihood))?;
        }
        writeln!(f, ", +{wins} ={draws} -{losses}")?;
        if self.pairs.total() < FEWEST_PAIRS {
            writeln!(f, "  too few pairs for an error: {} of {FEWEST_PAIRS}", self.pairs.total())?;
        }
        write!(f, "  pairs")?;
        for (name, count) in PAIR_NAMES.iter().zip(self.pairs.counts) {
            write!(f, " {name} {count}")?;
        }
        if self.single > 0 {
            let games = if self.single == 1 { "game without its" } else { "games without their" };
            write!(f, " ({} {games} other colour left out)", self.single)?;
        }
        write!(f, "\n  {}", elo_text(Elo::estimate(&self.pairs.sample())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::arena::journal::tests::entry;

    fn games(first: &str, second: &str, points: &[[u8; 2]]) -> Vec<Entry> {
        let pair = |(round, &[red, blue]): (usize, &[u8; 2])| {
            let round = round as u64;
            [entry(round, [first, second], red), entry(round, [second, first], 150 - blue)]
        };
        points.iter().enumerate().flat_map(pair).collect()
    }

    #[test]
    fn two_bots() {
        let records = games("new", "old", &[[76, 75], [80, 70], [75, 75], [90, 77], [77, 77]]);
        let text = Report::of(&records).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("new   77.20 ± 1.62     10    6      3     1"), "{text}");
        assert!(lines[2].starts_with("old   72.80 ± 1.62     10    1      3     6"), "{text}");
        assert!(text.contains("pairs LL 0 LD 0 WL 1 DD 1 WD 1 WW 2"), "{text}");
        let mut reversed = records.clone();
        reversed.reverse();
        assert_eq!(Report::of(&reversed).to_string(), text);
        // Times that a file only claims do not overflow.
        reversed.iter_mut().for_each(|game| game.micros = [u64::MAX; 2]);
        assert!(Report::of(&reversed).to_string().contains("77.20 ± 1.62"));
    }

    #[test]
    fn repeated_and_single_games_are_left_out_of_pairs() {
        let mut records = games("new", "old", &[[76, 75], [80, 70]]);
        records.push(records[0].clone());
        records.remove(3);
        let report = Report::of(&records);
        assert_eq!((report.repeated, report.pairings[0].single), (1, 1));
        assert_eq!(report.pairings[0].pairs.total(), 1);
        assert_eq!(report.remarks.iter().filter(|remark| remark.contains("differs")).count(), 0);
        records.push(entry(0, ["new", "old"], 150));
        let contradicted = Report::of(&records);
        assert_eq!((contradicted.repeated, &contradicted.rows), (2, &report.rows));
        assert_eq!(contradicted.remarks.iter().filter(|remark| remark.contains("differs")).count(), 1);
    }

    #[test]
    fn three_bots_are_ranked_by_total_points() {
        let mut records = games("a", "b", &[[76, 75], [76, 75]]);
        records.extend(games("a", "c", &[[76, 76], [76, 76]]));
        records.extend(games("b", "c", &[[150, 150], [150, 140]]));
        let report = Report::of(&records);
        let names: Vec<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        assert!(report.to_string().contains("ranked by total points"));
        assert_eq!(report.mean_against("a", "b"), Some(75.5));
    }

    #[test]
    fn words_where_numbers_would_not_be_finite() {
        for points in [&[][..], &[[150, 150]], &[[150, 150], [150, 150]], &[[0, 0], [0, 0]], &[[75, 75]; 3]] {
            let text = Report::of(&games("x", "y", points)).to_string();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
