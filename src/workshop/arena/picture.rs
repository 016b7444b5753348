//! A match as a picture: the histogram of one bot's points, and its running mean with the error band.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::journal::Entry;
use super::report::distinct;
use super::stats::Sample;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const MARGIN: f64 = 46.0;

/// A plotting area with the ranges of both axes.
struct Plot {
    top: f64,
    x: [f64; 2],
    y: [f64; 2],
}

impl Plot {
    fn across(&self, x: f64) -> f64 {
        MARGIN + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - 2.0 * MARGIN)
    }

    fn down(&self, y: f64) -> f64 {
        self.top + HEIGHT - MARGIN - (y - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - 2.0 * MARGIN)
    }

    /// Draw the frame, the title, marks along both axes and the words below.
    fn frame(&self, svg: &mut String, title: &str, below: &str) {
        let (left, right) = (self.across(self.x[0]), self.across(self.x[1]));
        let (bottom, top) = (self.down(self.y[0]), self.down(self.y[1]));
        let (width, height) = (right - left, bottom - top);
        let _ = writeln!(
            svg,
            "<rect x='{left:.1}' y='{top:.1}' width='{width:.1}' height='{height:.1}' fill='none' stroke='#888'/>\n\
             <text x='{left:.1}' y='{:.1}' font-weight='bold'>{}</text>\n\
             <text x='{:.1}' y='{:.1}' text-anchor='middle'>{below}</text>",
            top - 10.0,
            escape(title),
            (left + right) / 2.0,
            bottom + 34.0,
        );
        for mark in marks(self.x) {
            let x = self.across(mark);
            let _ =
                writeln!(svg, "<text x='{x:.1}' y='{:.1}' text-anchor='middle'>{mark}</text>", bottom + 16.0);
        }
        for mark in marks(self.y) {
            let y = self.down(mark);
            let _ = writeln!(
                svg,
                "<line x1='{left:.1}' x2='{right:.1}' y1='{y:.1}' y2='{y:.1}' stroke='#ddd'/>\n\
                 <text x='{:.1}' y='{:.1}' text-anchor='end'>{mark}</text>",
                left - 6.0,
                y + 4.0,
            );
        }
    }
}

/// Return up to about six round numbers within a range.
fn marks(range: [f64; 2]) -> Vec<f64> {
    let rough = (range[1] - range[0]) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough).unwrap_or(rough);
    let first = (range[0] / step).ceil() as i64;
    let last = (range[1] / step).floor() as i64;
    // Rounded, so that 0.1 + 0.2 prints as 0.3.
    (first..=last).map(|n| (n as f64 * step * 1e6).round() / 1e6).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draw the games of the bot `name` as an SVG document; `None` when it has none.
pub fn draw(records: &[Entry], name: &str) -> Option<String> {
    // In the order of the schedule: for each opening, both games of a pair.
    let mut pairs: BTreeMap<(u64, u64), Sample> = BTreeMap::new();
    let mut points = Vec::new();
    for game in distinct(records) {
        for (other, &own) in game.names().iter().zip(&game.points) {
            if *other == name {
                points.push(own);
                pairs.entry((game.round, game.settings)).or_default().add(f64::from(own));
            }
        }
    }
    let (low, high) = (f64::from(*points.iter().min()?), f64::from(*points.iter().max()?));

    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {0}' width='{WIDTH}' height='{0}' \
         font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
        2.0 * HEIGHT,
    );
    histogram(&mut svg, &points, [low, high], &format!("{name}: points of {} games", points.len()));
    running_mean(&mut svg, &pairs.into_values().collect::<Vec<_>>());
    svg.push_str("</svg>\n");
    Some(svg)
}

fn histogram(svg: &mut String, points: &[u8], [low, high]: [f64; 2], title: &str) {
    let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
    points.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let plot = Plot { top: 0.0, x: [low - 1.0, high + 1.0], y: [0.0, most * 1.05] };
    plot.frame(svg, title, "points");
    for (&value, &count) in &counts {
        let value = f64::from(value);
        let (x, y) = (plot.across(value - 0.45), plot.down(count as f64));
        let _ = writeln!(
            svg,
            "<rect x='{x:.1}' y='{y:.1}' width='{:.1}' height='{:.1}' fill='{}'/>",
            plot.across(value + 0.45) - x,
            plot.down(0.0) - y,
            if value > 75.0 {
                "#3a7"
            } else if value < 75.0 {
                "#c55"
            } else {
                "#999"
            },
        );
    }
}

fn running_mean(svg: &mut String, pairs: &[Sample]) {
    let mut sample = Sample::default();
    // Pairs so far, mean, standard error.
    let mut path: Vec<(f64, f64, f64)> = Vec::new();
    for pair in pairs {
        sample.add(pair.mean().unwrap_or(75.0));
        if let (Some(mean), Some(error)) = (sample.mean(), sample.standard_error()) {
            path.push((sample.count() as f64, mean, error));
        }
    }
    // The first pairs swing wildly: the range is that of the later nine tenths.
    let settled = &path[path.len() / 10..];
    let low = settled.iter().map(|&(_, mean, error)| mean - 1.96 * error).fold(75.0, f64::min);
    let high = settled.iter().map(|&(_, mean, error)| mean + 1.96 * error).fold(75.0, f64::max);
    let room = (high - low).max(0.1) * 0.05;
    let most = pairs.len().max(2) as f64;
    let plot = Plot { top: HEIGHT, x: [0.0, most], y: [low - room, high + room] };
    let title = path.last().map_or_else(
        || "mean points a game: too few pairs".to_string(),
        |(_, mean, error)| format!("mean points a game: {mean:.2} ± {error:.2}, band of 95 %"),
    );
    plot.frame(svg, &title, "pairs played");
    let even = plot.down(75.0);
    let _ = writeln!(
        svg,
        "<clipPath id='c'><rect x='{MARGIN}' y='{:.1}' width='{:.1}' height='{:.1}'/></clipPath>\n\
         <line x1='{:.1}' x2='{:.1}' y1='{even:.1}' y2='{even:.1}' stroke='#000' stroke-dasharray='4 3'/>",
        plot.down(plot.y[1]),
        WIDTH - 2.0 * MARGIN,
        plot.down(plot.y[0]) - plot.down(plot.y[1]),
        plot.across(0.0),
        plot.across(most),
    );
    let point = |x: f64, y: f64| format!("{:.1},{:.1} ", plot.across(x), plot.down(y));
    let mean: String = path.iter().map(|&(n, mean, _)| point(n, mean)).collect();
    let above = path.iter().map(|&(n, mean, error)| point(n, mean + 1.96 * error));
    let below = path.iter().rev().map(|&(n, mean, error)| point(n, mean - 1.96 * error));
    let band: String = above.chain(below).collect();
    let _ = writeln!(
        svg,
        "<g clip-path='url(#c)'><polygon points='{band}' fill='#48c' fill-opacity='0.25'/>\n\
         <polyline points='{mean}' fill='none' stroke='#048' stroke-width='1.5'/></g>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::arena::journal::tests::entry;

    #[test]
    fn a_picture_has_a_bar_for_every_score_and_no_broken_number() {
        let mut records = Vec::new();
        for round in 0..40 {
            let points = 70 + (round * 7 % 11) as u8;
            records.push(entry(round, ["a", "<b>"], points));
            records.push(entry(round, ["<b>", "a"], 75));
        }
        let svg = draw(&records, "a").expect("games");
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 1 + 11);
        for one in [&records[..1], &records[..2], &records[..]] {
            let svg = draw(one, "<b>").expect("games");
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<b>"), "{svg}");
        }
        assert_eq!(draw(&records, "c"), None);
    }

    #[test]
    fn marks_are_round_numbers_within_the_range() {
        assert_eq!(marks([0.0, 10.0]), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(marks([74.93, 75.41]), [75.0, 75.1, 75.2, 75.3, 75.4]);
    }
}
