//! A tournament as a page: tournament.js draws the report, and every game opens on the board of the review.

use std::collections::BTreeSet;

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::arena::journal::{MatchLine, PlayedBy};
use crate::arena::report::Report;
use crate::arena::sprt::SprtRun;
use crate::page::{self, Page, Parts, escape, escaped};
use crate::review::judged::Review;

const MAX_TOURNAMENT_BYTES: usize = 5_000_000;

/// Make the page of a report with its numbered games; for readers without a script its tables are there as text.
pub fn tournament(title: &str, matches: &[MatchLine], report: &Report, games: &[(usize, Review)]) -> Page {
    let played =
        report.games.iter().flat_map(|game| game.names().into_iter().zip(game.sides.iter().flatten()));
    // A hash alone tells a reader nothing.
    let version = |side: &PlayedBy| side.version.rsplit_once(' ').map(|(version, _)| version.to_owned());
    let players: BTreeSet<_> =
        played.map(|(name, side)| (name, side.seconds.to_string(), version(side))).collect();
    let matches: Vec<_> = matches.iter().map(|line| (line.began, &line.machine)).collect();
    let data = escaped(&json!({
        "title": title, "subject": report.subject(), "matches": matches, "players": players,
        "count": report.count(), "report": report, "test": report.sprt.as_ref().map(SprtRun::to_string),
    }));
    let text: String = report.to_string().lines().map(|line| escape(line) + "\n").collect();
    let html = format!(
        "<div id=\"tournament\"><pre id=\"tables\">{text}</pre></div>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n"
    );
    // The page's policy lets no element have a style of its own.
    let width = |name: &str| name.width() + (2 * name.matches(['m', 'w', 'M', 'W']).count()).div_ceil(3);
    let name = report.bots.iter().map(|bot| width(&bot.name).min(16)).max().unwrap_or_default();
    let numbers = format!(":root {{ --bots: {}; --name: {name}; }}\n", report.bots.len());
    let (style, script) = (numbers + include_str!("tournament.css"), include_str!("tournament.js"));
    let parts = Parts { title: &page::short(title), above: &html, style: &style, script, ..Parts::default() };
    let games: Vec<_> = games.iter().collect();
    page::fitting(&parts, &games, MAX_TOURNAMENT_BYTES, ", as the page would be too large")
}
