//! A picture of a bot's games: the histogram of its points.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::report::{BotResult, Report};
use crate::arena::stats::result;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
/// The edges of the frame: left, right, upper, lower.
const EDGES: [f64; 4] = [30.0, WIDTH - 30.0, 30.0, HEIGHT - 44.0];

/// Escape text for XML; forbidden characters become replacement characters.
pub fn escape(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(forbidden, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Draw the bot `name` as an element of a page. Empty without games of the bot.
pub fn element(report: &Report, name: &str) -> String {
    let Some(bot) = report.bots.iter().find(|bot| bot.name == name) else { return String::new() };
    let (drawn, label) = (histogram(report, bot), escape(name));
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Points of {label}\">\n{drawn}</svg></div>\n"
    )
}

/// Write words at a place; the style centres them unless `class` is `left` or `right`.
fn text([x, y]: [f64; 2], class: &str, words: &str) -> String {
    format!("<text x='{x:.1}' y='{y:.1}' class='{class}'>{}</text>\n", escape(words))
}

fn rect([left, upper]: [f64; 2], [right, lower]: [f64; 2], style: &str) -> String {
    let (width, height) = (right - left, lower - upper);
    format!("<rect x='{left:.1}' y='{upper:.1}' width='{width:.1}' height='{height:.1}' {style}/>\n")
}

/// Draw how often a bot got which points, in the pairs that are not left out.
fn histogram(report: &Report, bot: &BotResult) -> String {
    let name = &bot.name;
    let pairs = report.pairs_of(name);
    let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
    for points in pairs.iter().filter(|(_, pair)| !pair.is_left_out).flat_map(|(_, pair)| pair.points) {
        *counts.entry(points).or_default() += 1;
    }
    let games: u64 = counts.values().sum();
    let others: BTreeSet<&str> = pairs.iter().map(|(_, pair)| pair.names[1]).collect();
    let against = match others.first() {
        Some(other) if others.len() == 1 => (*other).to_owned(),
        _ => format!("{} others", others.len()),
    };

    let [left, right, upper, lower] = EDGES;
    // Between whole tens.
    let tens = [counts.keys().next(), counts.keys().next_back()].map(|end| end.unwrap_or(&70) / 10);
    let [low, high] = [f64::from(tens[0]) * 10.0 - 1.0, f64::from(tens[1]) * 10.0 + 11.0];
    let most = counts.values().copied().max().unwrap_or(1);
    let across = |points: f64| left + (points - low) / (high - low) * (right - left);
    let mut svg = rect([left, upper], [right, lower], "fill='none' stroke='#888'");
    svg += &text([left, upper - 10.0], "left", &format!("{name} against {against}: points of {games} games"));
    svg += &text([left - 6.0, upper + 8.0], "right", &most.to_string());
    for ten in tens[0]..=tens[1] + 1 {
        svg += &text([across(f64::from(ten) * 10.0), lower + 16.0], "", &(u16::from(ten) * 10).to_string());
    }
    let mean = format!("mean points a game: {}", bot.tally.with_error(bot.error));
    svg += &text([(left + right) / 2.0, lower + 34.0], "", &mean);
    for (points, count) in counts {
        let colour = ["#c55", "#999", "#3a7"][result(points)];
        let [from, to] = [-0.45, 0.45].map(|half| across(f64::from(points) + half));
        let top = lower - count as f64 / most as f64 * (lower - upper);
        svg += &rect([from, top], [to, lower], &format!("fill='{colour}'"));
    }
    svg
}
