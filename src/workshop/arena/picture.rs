//! A match as a picture: the histogram of one bot's points, and its running mean with the error
//! band.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::journal::Entry;
use super::report::{Report, distinct, pairs_of};
use super::sprt::{Pair, Sprt, SprtRun};
use super::stats::{Sample, stratified_error, student_95};

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
             <text x='{:.1}' y='{:.1}' text-anchor='middle'>{}</text>",
            top - 10.0,
            escape(title),
            (left + right) / 2.0,
            bottom + 34.0,
            escape(below),
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

impl Plot {
    /// Draw a dashed line across at height `y`.
    fn level(&self, svg: &mut String, y: f64) {
        let (left, right, y) = (self.across(self.x[0]), self.across(self.x[1]), self.down(y));
        let _ = writeln!(
            svg,
            "<line x1='{left:.1}' x2='{right:.1}' y1='{y:.1}' y2='{y:.1}' stroke='#000' stroke-dasharray='4 3'/>"
        );
    }

    /// Draw what lies within the frame of something; `id` is used by no other.
    fn clipped(&self, svg: &mut String, id: &str, drawing: &str) {
        let (bottom, top) = (self.down(self.y[0]), self.down(self.y[1]));
        let _ = writeln!(
            svg,
            "<clipPath id='{id}'><rect x='{MARGIN}' y='{top:.1}' width='{:.1}' height='{:.1}'/></clipPath>\n\
             <g clip-path='url(#{id})'>{drawing}</g>",
            WIDTH - 2.0 * MARGIN,
            bottom - top,
        );
    }

    fn points(&self, path: impl Iterator<Item = [f64; 2]>) -> String {
        path.map(|[x, y]| format!("{:.1},{:.1} ", self.across(x), self.down(y))).collect()
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

/// Write text as XML takes it: characters that no document may hold become replacement characters.
fn escape(text: &str) -> String {
    let allowed = |c: char| !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'));
    let text: String =
        text.chars().map(|c| if allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// What a picture begins with, and has near its beginning, where other files do not.
pub const MARK: [&str; 2] = ["<svg ", "<!-- blackhole report -->"];

/// Draw the games of the bot `name` as an SVG document, with the course of a sequential test of its
/// means if one is given; `None` when it has no games.
pub fn draw(records: &[Entry], name: &str, test: Option<Sprt>) -> Option<String> {
    let report = Report::of(records);
    let row = report.rows.iter().find(|row| row.name == name)?;
    let (mut points, mut others) = (Vec::new(), BTreeSet::new());
    for game in distinct(records) {
        for side in (0..2).filter(|&side| game.names()[side] == name) {
            points.push(game.points[side]);
            others.insert(game.names()[1 - side]);
        }
    }
    let count = others.len();
    let against = others.pop_first().filter(|_| count == 1).map_or(format!("{count} others"), str::to_owned);
    let pairs = pairs_of(records, name);

    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {0}' width='{WIDTH}' height='{0}' \
         font-family='sans-serif' font-size='12'>{1}\n<rect width='100%' height='100%' fill='white'/>\n",
        if test.is_some() { 3.0 } else { 2.0 } * HEIGHT,
        MARK[1],
    );
    histogram(&mut svg, &points, &format!("{name} against {against}: points of {} games", points.len()));
    let error = row.error.map_or("?".to_string(), |error| format!("{error:.2}, band of 95 %"));
    running_mean(&mut svg, &pairs, &format!("mean points a game: {:.2} ± {error}", row.points()));
    if let Some(test) = test {
        course(&mut svg, name, &pairs, test);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn histogram(svg: &mut String, points: &[u8], title: &str) {
    let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
    points.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let [low, high] =
        [counts.first_key_value(), counts.last_key_value()].map(|end| end.map_or(75, |(&p, _)| p));
    let plot = Plot { top: 0.0, x: [f64::from(low) - 1.0, f64::from(high) + 1.0], y: [0.0, most * 1.05] };
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

fn running_mean(svg: &mut String, pairs: &[(&str, Pair)], title: &str) {
    let mut all = Sample::default();
    let mut against: BTreeMap<&str, Sample> = BTreeMap::new();
    // Pairs so far, mean, half width of the band: 0 while there are too few pairs for an error.
    let mut path: Vec<[f64; 3]> = Vec::new();
    for &(other, Pair { mean, .. }) in pairs {
        all.add(mean);
        against.entry(other).or_default().add(mean);
        if let Some(mean) = all.mean() {
            let error = stratified_error(against.values());
            let half = error.map_or(0.0, |error| student_95(all.count() - 1) * error);
            path.push([all.count() as f64, mean, half]);
        }
    }
    let settled = settled(&path);
    let low = settled.iter().map(|[_, mean, half]| mean - half).fold(75.0, f64::min);
    let high = settled.iter().map(|[_, mean, half]| mean + half).fold(75.0, f64::max);
    let room = (high - low).max(1.0) * 0.05;
    let plot = Plot { top: HEIGHT, x: [0.0, pairs.len().max(2) as f64], y: [low - room, high + room] };
    plot.frame(svg, title, "pairs played");
    plot.level(svg, 75.0);
    let wide = || path.iter().filter(|[_, _, half]| *half > 0.0);
    let above = wide().map(|[n, mean, half]| [*n, mean + half]);
    let below = wide().rev().map(|[n, mean, half]| [*n, mean - half]);
    let (band, mean) =
        (plot.points(above.chain(below)), plot.points(path.iter().map(|&[n, mean, _]| [n, mean])));
    let band = format!("<polygon points='{band}' fill='#48c' fill-opacity='0.25'/>\n");
    plot.clipped(svg, "mean", &format!("{band}{}", line(&mean)));
}

/// Return the later nine tenths of a path: the first pairs swing wildly, the range is that of the rest.
fn settled<T>(path: &[T]) -> &[T] {
    &path[path.len() / 10..]
}

/// Return a line through points.
fn line(points: &str) -> String {
    format!("<polyline points='{points}' fill='none' stroke='#048' stroke-width='1.5'/>")
}

/// Draw the log-likelihood ratio of a sequential test between its bounds.
fn course(svg: &mut String, name: &str, pairs: &[(&str, Pair)], sprt: Sprt) {
    let mut run = SprtRun::new(sprt, name);
    let path: Vec<[f64; 2]> = (0..)
        .zip(pairs)
        .map(|(number, &(_, pair))| {
            run.add(number, pair);
            [(number + 1) as f64, run.llr()]
        })
        .collect();
    let bounds = sprt.bounds();
    let ratios = || settled(&path).iter().map(|&[_, ratio]| ratio);
    let low = ratios().fold(bounds[0], f64::min) * 1.1;
    let high = ratios().fold(bounds[1], f64::max) * 1.1;
    let plot = Plot { top: 2.0 * HEIGHT, x: [0.0, pairs.len().max(2) as f64], y: [low, high] };
    // One line is too short for all of it.
    let words = run.to_string();
    let (verdict, terms) = words.split_once(" (").unwrap_or((&words, ""));
    plot.frame(svg, verdict, &format!("pairs played ({terms}"));
    bounds.into_iter().for_each(|bound| plot.level(svg, bound));
    let path = plot.points(path.into_iter());
    plot.clipped(svg, "course", &line(&path));
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
        let svg = draw(&records, "a", None).expect("games");
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 1 + 11);
        for one in [&records[..1], &records[..2], &records[..]] {
            let sprt = Sprt { low: 75.0, high: 76.0, alpha: 0.05, beta: 0.05 };
            let svg = draw(one, "<b>", Some(sprt)).expect("games");
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<b>"), "{svg}");
        }
        let one_pair = draw(&records[..2], "a", None).expect("games");
        assert!(one_pair.contains("<polyline") && !one_pair.contains("<polyline points=''"), "{one_pair}");
        assert!(one_pair.contains("<polygon points=''"), "there is no band yet");
        assert_eq!(draw(&records, "c", None), None);
    }

    #[test]
    fn marks_are_round_numbers_within_the_range() {
        assert_eq!(marks([0.0, 10.0]), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(marks([74.93, 75.41]), [75.0, 75.1, 75.2, 75.3, 75.4]);
    }
}
