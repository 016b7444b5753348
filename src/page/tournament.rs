//! A tournament as a page: its tables and pictures, and every game on the board of the review.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::picture::{element, escape};
use crate::arena::report::Report;
use crate::arena::sprt::SprtRun;
use crate::arena::stats::Sample;
use crate::page::{self, Page};
use crate::review::judged::Review;

const MAX_TOURNAMENT_BYTES: usize = 5_000_000;

const STYLE: &str = "
#tournament, #tournament .scroll { margin-bottom: 0.6rem; }
#tournament svg { width: 45rem; }
#cross th { vertical-align: bottom; }
/* Turned within their cells: WebKit puts a turned cell beside the wrong column. */
#cross th:nth-child(n + 4) span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg);
  max-height: 10rem; overflow: hidden; text-overflow: ellipsis; }
@media screen {
  #tournament .scroll { max-height: 36rem; }
  #tournament td, #tournament th { white-space: nowrap; }
}
/* The games follow the tables; their moves come last. */
@media print {
  #tournament svg { width: 60%; }
  #tournament pre { white-space: pre-wrap; font-size: 0.85em; }
  details:nth-of-type(2) pre { columns: 2; }
  #tournament details[open] { display: block; }
  main#main, #panel > #list { display: block; }
  #main > :not(#panel), #panel > :not(#list), #filter { display: none; }
  #list .who { max-width: none; white-space: normal; }
  tr[aria-current] td { background: none; box-shadow: none; }
  #paper { break-before: page; }
}
";

/// Say what the tables of a report mean.
pub const LEGEND: &str = "\
The table (all figures but times and faults are over pairs; games without the
other colour are counted below it):
  points a game       mean
  ±                   standard error, from the spread between pairs of games
  mean/worst/move s   seconds: mean game, longest game, longest move
  faults              number by class; one after the last move costs no points
  above 75 with 97 %  the probability that the true mean is above 75
  pairs LL 3 LD 1 …   both games lost in 3 pairs, one lost and one drawn in 1;
                      W is won
  SPRT                the test of --sprt, between a lower and a higher mean
  LLR                 log-likelihood ratio: its lower bound accepts the lower
                      mean, its upper bound the higher one
  α, β                --alpha and --beta";

/// Make the page of a report from a source, with its test and its games, each with its number. The bot `subject` is
/// drawn first.
pub fn tournament(
    source: &str,
    report: &Report,
    subject: &str,
    test: Option<&SprtRun>,
    games: &[(usize, Review)],
) -> Page {
    let mut html = "<section id=\"tournament\">\n".to_owned() + &table(&report.standings(), &[0, 7]);
    if report.bots.len() > 2 {
        html += "<h2>Points a game against each</h2>
";
        let mut rows = report.cross_table();
        rows[0][3..].iter_mut().zip(&report.bots).for_each(|(rank, bot)| *rank += &format!(" {}", bot.name));
        let _ = writeln!(html, "<div id=\"cross\">{}</div>", table(&rows, &[1]));
    }
    for line in test.map(SprtRun::to_string).unwrap_or_default().lines() {
        let _ = writeln!(html, "<p>{}</p>", escape(line));
    }
    html += &report.notes().iter().map(|note| format!("<p>{}</p>\n", escape(note))).collect::<String>();
    html += &element(report, subject);
    let others = report.bots.iter().map(|bot| &*bot.name).filter(|name| *name != subject);
    let others: String = others.map(|name| element(report, name)).collect();
    let pairings: Vec<String> = report.pairings.iter().map(ToString::to_string).collect();
    let lines = |text: &str| text.lines().map(escape).collect::<Vec<_>>().join("\n");
    let text = |text: &str| format!("<pre class=\"scroll\">{}</pre>\n", lines(text));
    for (class, title, part) in [
        ("printed", "The bots and their time", table(&players(report), &[0, 3])),
        ("printed", "Bot against bot", text(&pairings.join("\n\n"))),
        ("printed", "What the figures mean", text(LEGEND)),
        ("printed", "Points by colour, over all games", table(&by_colour(report), &[0])),
        ("", "Pictures of the others", others),
    ] {
        let _ = writeln!(html, "<details class=\"{class}\"><summary>{title}</summary>\n{part}</details>");
    }
    let (count, bots) = (report.games.len(), report.bots.len());
    let title = format!("{count} games of {bots} bots, {}", page::short(source));
    page::tournament(&title, [&(html + "</section>"), STYLE], games, MAX_TOURNAMENT_BYTES)
}

/// Write rows, the titles first; columns are to the right but for those of words.
fn table(rows: &[Vec<String>], words: &[usize]) -> String {
    let mut html = "<div class=\"scroll\" tabindex=\"0\"><table>\n".to_owned();
    for (n, row) in rows.iter().enumerate() {
        let (part, tag) = [("<thead>", "th"), ("<tbody>", "td"), ("", "td")][n.min(2)];
        let cell = |(column, text): (usize, &String)| {
            let class = if words.contains(&column) { "" } else { " class=\"number\"" };
            let text = escape(text);
            let text = if tag == "th" { format!("<span>{text}</span>") } else { text };
            format!("<{tag}{class}>{text}</{tag}>")
        };
        let _ = writeln!(html, "{part}<tr>{}</tr>", row.iter().enumerate().map(cell).collect::<String>());
    }
    html + "</table></div>\n"
}

/// Write a mean with its standard error.
fn mean(sample: &Sample) -> [String; 2] {
    let error = sample.standard_error().map_or(String::new(), |error| format!(" ± {error:.2}"));
    let mean = sample.mean().map_or("-".to_owned(), |mean| format!("{mean:.2}{error}"));
    [sample.count().to_string(), mean]
}

/// List the terms of each bot, by its rank.
fn players(report: &Report) -> Vec<Vec<String>> {
    let mut known: BTreeMap<&str, BTreeSet<(String, &str)>> = BTreeMap::new();
    for game in &report.games {
        for (name, side) in game.names().into_iter().zip(game.sides.iter().flatten()) {
            known.entry(name).or_default().insert((side.seconds.to_string(), &side.command));
        }
    }
    let mut rows = vec![["bot", "pairs of games", "seconds a game", "command"].map(str::to_owned).to_vec()];
    for bot in &report.bots {
        let pairs = report.pairs_of(&bot.name).len().to_string();
        for (seconds, command) in known.get(&*bot.name).into_iter().flatten() {
            rows.push(vec![bot.name.clone(), pairs.clone(), seconds.clone(), (*command).to_owned()]);
        }
    }
    rows
}

fn by_colour(report: &Report) -> Vec<Vec<String>> {
    let mut rows =
        vec![["bot", "as Red", "points a game", "as Blue", "points a game"].map(str::to_owned).to_vec()];
    for bot in &report.bots {
        let own = |side: usize| -> Sample {
            let games = report.games.iter().filter(|game| game.names()[side] == bot.name);
            games.map(|game| f64::from(game.points[side])).collect()
        };
        rows.push([vec![bot.name.clone()], mean(&own(0)).to_vec(), mean(&own(1)).to_vec()].concat());
    }
    rows
}
