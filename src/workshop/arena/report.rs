//! The tables of a match, made from its records alone: a match just played and a journal read back give
//! the same text.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use super::fault::FaultClass;
use super::journal::Entry;
use super::stats::{EVEN, Elo, PAIR_NAMES, Pairs, Results, Sample};
use crate::player::board::Player;

/// One bot's results.
#[derive(Clone, PartialEq, Debug)]
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
    /// Mean thinking time of a game, seconds.
    pub mean_time: f64,
    /// The longest thinking time of a game, seconds.
    pub worst_game: f64,
    /// The longest thinking time of a move, seconds.
    pub worst_move: f64,
    /// Faults by class.
    pub faults: BTreeMap<FaultClass, u64>,
}

impl Row {
    /// Return the points a game.
    pub fn points(&self) -> f64 {
        self.total as f64 / self.games.max(1) as f64
    }
}

/// Two bots' results against each other, seen from the first.
#[derive(Clone, PartialEq, Debug)]
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
}

/// What makes two records the same game.
fn key(record: &Entry) -> (u64, u64, &[String; 2]) {
    (record.settings, record.round, &record.names)
}

/// A bot's points in the games of a pair: both, or only one so far.
type Pair = Vec<u8>;

impl Report {
    /// Count the records. Their order does not matter; a game recorded twice counts once.
    pub fn of(records: &[Entry]) -> Report {
        let mut seen = BTreeSet::new();
        let mut games: Vec<&Entry> = records.iter().filter(|record| seen.insert(key(record))).collect();
        let repeated = records.len() - games.len();
        games.sort_by_key(|record| key(record));

        let names: BTreeSet<&String> = games.iter().flat_map(|record| &record.names).collect();
        let mut rows: Vec<Row> = names.iter().map(|name| row(name, &games)).collect();
        let level = rows.windows(2).all(|two| two[0].games == two[1].games);
        rows.sort_by(|a, b| {
            let rank = if level { b.total.cmp(&a.total) } else { b.points().total_cmp(&a.points()) };
            rank.then_with(|| a.name.cmp(&b.name))
        });
        let mut pairings = Vec::new();
        for (i, first) in rows.iter().enumerate() {
            for second in &rows[i + 1..] {
                let pairing = pairing([&first.name, &second.name], &games);
                if pairing.points.count() > 0 {
                    pairings.push(pairing);
                }
            }
        }
        for row in &mut rows {
            row.error = stratified_error(&row.name, &pairings);
        }
        Report { rows, level, pairings, repeated }
    }
}

fn row(name: &str, games: &[&Entry]) -> Row {
    let mut row = Row {
        name: name.to_string(),
        games: 0,
        total: 0,
        error: None,
        results: Results::default(),
        mean_time: 0.0,
        worst_game: 0.0,
        worst_move: 0.0,
        faults: BTreeMap::new(),
    };
    let mut time = 0.0;
    for record in games {
        for player in Player::BOTH {
            let side = player.index();
            if record.names[side] != name {
                continue;
            }
            row.games += 1;
            row.total += u64::from(record.points[side]);
            row.results.add(record.points[side]);
            let spent = record.spent[side];
            time += spent.total.as_secs_f64();
            row.worst_game = row.worst_game.max(spent.total.as_secs_f64());
            row.worst_move = row.worst_move.max(spent.worst.as_secs_f64());
            for fault in record.faults.iter().filter(|fault| fault.player == player) {
                *row.faults.entry(fault.class).or_default() += 1;
            }
        }
    }
    row.mean_time = time / row.games.max(1) as f64;
    row
}

fn pairing(names: [&String; 2], games: &[&Entry]) -> Pairing {
    let mut found: BTreeMap<(u64, u64), Pair> = BTreeMap::new();
    let mut points = Sample::default();
    let mut results = Results::default();
    for record in games {
        let [red, blue] = &record.names;
        let side = match (red == names[0] && blue == names[1], blue == names[0] && red == names[1]) {
            (true, _) => 0,
            (_, true) => 1,
            _ => continue,
        };
        points.add(f64::from(record.points[side]));
        results.add(record.points[side]);
        found.entry((record.settings, record.round)).or_default().push(record.points[side]);
    }
    let (mut pairs, mut pair_means, mut single) = (Pairs::default(), Sample::default(), 0);
    for pair in found.values() {
        match pair[..] {
            [a, b] => {
                pairs.add([a, b]);
                pair_means.add((f64::from(a) + f64::from(b)) / 2.0);
            }
            _ => single += pair.len() as u64,
        }
    }
    Pairing { names: names.map(String::clone), points, pair_means, results, pairs, single }
}

/// Return the standard error of a bot's points a game over all its pairings.
///
/// Opponents differ in strength, which is no chance: the spread is taken within each pairing. With n_k of
/// the n pairs against opponent k and e_k the standard error against it, `e² = Σ (n_k / n)² e_k²`.
fn stratified_error(name: &str, pairings: &[Pairing]) -> Option<f64> {
    let own: Vec<&Sample> = pairings
        .iter()
        .filter(|pairing| pairing.names.iter().any(|other| other == name))
        .map(|pairing| &pairing.pair_means)
        .filter(|sample| sample.count() > 0)
        .collect();
    let total: u64 = own.iter().map(|sample| sample.count()).sum();
    let squares: Option<f64> = own
        .iter()
        .map(|sample| {
            sample.standard_error().map(|error| (error * sample.count() as f64 / total as f64).powi(2))
        })
        .sum();
    squares.filter(|_| total > 0).map(f64::sqrt)
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return f.write_str("no games\n");
        }
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(3);
        writeln!(
            f,
            "{:width$}  {:>14}  {:>6}  {:>5}  {:>5}  {:>5}  {:>17}  faults",
            "bot", "points a game", "games", "won", "drawn", "lost", "mean/worst/move s",
        )?;
        for row in &self.rows {
            let points = format!("{:.2} {}", row.points(), plus_minus(row.error));
            let time = format!("{:.2}/{:.2}/{:.2}", row.mean_time, row.worst_game, row.worst_move);
            let Results { wins, draws, losses } = row.results;
            writeln!(
                f,
                "{:width$}  {points:>14}  {:>6}  {wins:>5}  {draws:>5}  {losses:>5}  {time:>17}  {}",
                row.name,
                row.games,
                fault_text(&row.faults),
            )?;
        }
        if self.rows.len() > 2 {
            self.cross_table(f, width)?;
        }
        for pairing in &self.pairings {
            writeln!(f, "\n{pairing}")?;
        }
        if self.repeated > 0 {
            let records = if self.repeated == 1 { "record" } else { "records" };
            writeln!(f, "\n{} repeated {records} left out", self.repeated)?;
        }
        Ok(())
    }
}

impl Report {
    fn cross_table(&self, f: &mut fmt::Formatter<'_>, width: usize) -> fmt::Result {
        let rule = if self.level { "total points" } else { "points a game (not all played equally often)" };
        writeln!(f, "\npoints a game against each, ranked by {rule}")?;
        let mut head = format!("{:>4}  {:width$}  {:>8}", "", "", "total");
        for rank in 1..=self.rows.len() {
            write!(head, "  {rank:>6}")?;
        }
        writeln!(f, "{head}")?;
        for (i, row) in self.rows.iter().enumerate() {
            write!(f, "{:>4}  {:width$}  {:>8}", i + 1, row.name, row.total)?;
            for other in &self.rows {
                match self.mean_against(&row.name, &other.name) {
                    Some(mean) => write!(f, "  {mean:>6.2}")?,
                    None => write!(f, "  {:>6}", "-")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
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
    use super::super::journal::tests::record;
    use super::*;

    fn games(first: &str, second: &str, points: &[[u8; 2]]) -> Vec<Entry> {
        let pair = |(round, &[red, blue]): (usize, &[u8; 2])| {
            let round = round as u64;
            [record(round, [first, second], red), record(round, [second, first], 150 - blue)]
        };
        points.iter().enumerate().flat_map(pair).collect()
    }

    #[test]
    fn two_bots() {
        let records = games("new", "old", &[[76, 75], [80, 70], [75, 75], [90, 77]]);
        let text = Report::of(&records).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("new    77.25 ± 2.09       8      4      3      1"), "{text}");
        assert!(lines[2].starts_with("old    72.75 ± 2.09       8      1      3      4"), "{text}");
        assert!(text.contains("pairs LL 0 LD 0 WL 1 DD 1 WD 1 WW 1"), "{text}");
        let mut reversed = records.clone();
        reversed.reverse();
        assert_eq!(Report::of(&reversed).to_string(), text);
    }

    #[test]
    fn repeated_and_single_games_are_left_out_of_pairs() {
        let mut records = games("new", "old", &[[76, 75], [80, 70]]);
        records.push(records[0].clone());
        records.remove(3);
        let report = Report::of(&records);
        assert_eq!((report.repeated, report.pairings[0].single), (1, 1));
        assert_eq!(report.pairings[0].pairs.total(), 1);
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
