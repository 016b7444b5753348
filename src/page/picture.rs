//! A match as an SVG picture: the histogram of one bot's points, its running mean with the error
//! band, and the course of a sequential test.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::pairs::GamePair;
use crate::arena::report::{NumberedPair, Report};
use crate::arena::sprt::{Sprt, SprtRun};
use crate::arena::stats::{EVEN, Sample, result, stratified_error, student_95};
use crate::text::plural;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const MARGIN: f64 = 46.0;

const MIDDLE: &str = "text-anchor='middle'";
const DASHED: &str = "stroke='#000' stroke-dasharray='4 3'";

/// Follow a dark page; red and green stay what they are.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.88) hue-rotate(180deg) } }</style>\n";

/// The first bytes of a picture, and a text near its beginning: they tell it from other files.
pub const MARK: [&str; 2] = ["<svg ", "<!-- blackhole report -->"];

/// A plotting area with the ranges of both axes; drawing appends to a document.
struct Plot<'a> {
    svg: &'a mut String,
    /// The left and the right end.
    x: [f64; 2],
    /// The lower and the upper end.
    y: [f64; 2],
    /// The edges of the frame in the document: left, right, upper, lower.
    edges: [f64; 4],
}

impl Plot<'_> {
    /// Begin plot number `number` from above: its frame, the title, marks along both axes and the
    /// words below.
    fn new<'a>(
        svg: &'a mut String,
        number: usize,
        [x, y]: [[f64; 2]; 2],
        [title, below]: [&str; 2],
    ) -> Plot<'a> {
        let top = number as f64 * HEIGHT;
        let (left, right) = (MARGIN, WIDTH - MARGIN);
        let (upper, lower) = (top + MARGIN, top + HEIGHT - MARGIN);
        let mut plot = Plot { svg, x, y, edges: [left, right, upper, lower] };
        plot.rect([left, upper], [right, lower], "fill='none' stroke='#888'");
        plot.text([left, upper - 10.0], "font-weight='bold'", title);
        plot.text([(left + right) / 2.0, lower + 34.0], MIDDLE, below);
        for mark in marks(x) {
            plot.text([plot.across(mark), lower + 16.0], MIDDLE, &mark.to_string());
        }
        for mark in marks(y) {
            plot.level(mark, "stroke='#ddd'");
            plot.text([left - 6.0, plot.down(mark) + 4.0], "text-anchor='end'", &mark.to_string());
        }
        plot
    }

    fn text(&mut self, [x, y]: [f64; 2], style: &str, words: &str) {
        *self.svg += &format!("<text x='{x:.1}' y='{y:.1}' {style}>{}</text>\n", escape(words));
    }

    fn rect(&mut self, [left, upper]: [f64; 2], [right, lower]: [f64; 2], style: &str) {
        let (width, height) = (right - left, lower - upper);
        *self.svg += &format!(
            "<rect x='{left:.1}' y='{upper:.1}' width='{width:.1}' height='{height:.1}' {style}/>\n"
        );
    }

    /// Draw a line across at height `y`.
    fn level(&mut self, y: f64, style: &str) {
        let ([left, right, ..], y) = (self.edges, self.down(y));
        *self.svg += &format!("<line x1='{left:.1}' x2='{right:.1}' y1='{y:.1}' y2='{y:.1}' {style}/>\n");
    }

    fn across(&self, x: f64) -> f64 {
        let [left, right, ..] = self.edges;
        left + (x - self.x[0]) / (self.x[1] - self.x[0]) * (right - left)
    }

    fn down(&self, y: f64) -> f64 {
        let [.., upper, lower] = self.edges;
        lower - (y - self.y[0]) / (self.y[1] - self.y[0]) * (lower - upper)
    }

    /// Draw a line, and a band if given, clipped to the frame; `id` is unique among the plots.
    fn path(&mut self, id: &str, band: Option<&str>, line: impl Iterator<Item = [f64; 2]>) {
        let [left, right, upper, lower] = self.edges;
        let (width, height) = (right - left, lower - upper);
        let band = band.map_or(String::new(), |points| {
            format!("<polygon points='{points}' fill='#48c' fill-opacity='0.25'/>\n")
        });
        let line = self.points(line);
        *self.svg += &format!(
            "<clipPath id='{id}'><rect x='{left}' y='{upper:.1}' width='{width:.1}' height='{height:.1}'/></clipPath>\n\
             <g clip-path='url(#{id})'>{band}<polyline points='{line}' fill='none' stroke='#048' stroke-width='1.5'/></g>\n",
        );
    }

    fn points(&self, path: impl Iterator<Item = [f64; 2]>) -> String {
        path.map(|[x, y]| format!("{:.1},{:.1} ", self.across(x), self.down(y))).collect()
    }
}

/// Return about six round numbers within a range.
fn marks(range: [f64; 2]) -> Vec<f64> {
    let rough = (range[1] - range[0]) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough).unwrap_or(rough);
    let [first, last] = [(range[0] / step).ceil() as i64, (range[1] / step).floor() as i64];
    // Rounded, so that 0.1 + 0.2 prints as 0.3.
    (first..=last).map(|n| (n as f64 * step * 1e6).round() / 1e6).collect()
}

/// Escape text for XML; forbidden characters become replacement characters.
pub fn escape(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(forbidden, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draw the games of the bot `name`, with the course of a sequential test of its mean if given. `None`
/// without games of the bot.
pub fn draw(report: &Report, name: &str, test: Option<Sprt>) -> Option<String> {
    let bot = report.bots.iter().find(|bot| bot.name == name)?;
    let pairs = report.pairs_of(name);
    let points: Vec<u8> = counted(&pairs).flat_map(|pair| pair.points).collect();
    let others: BTreeSet<&str> = pairs.iter().map(|(_, pair)| pair.names[1]).collect();
    let against = match others.first() {
        Some(other) if others.len() == 1 => (*other).to_owned(),
        _ => format!("{} others", others.len()),
    };
    let height = if test.is_some() { 3.0 } else { 2.0 } * HEIGHT;
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' \
         font-family='sans-serif' font-size='12'>{}\n{DARK}<rect width='100%' height='100%' fill='white'/>\n",
        MARK[1],
    );
    let left_out = pairs.len() as u64 - counted(&pairs).count() as u64;
    let apart = [(bot.single, "single game", ""), (left_out, "pair", " with a fault")].into_iter();
    let apart = apart.filter(|it| it.0 > 0).map(|(count, what, how)| plural(count, what) + how);
    let apart = apart.collect::<Vec<_>>().join(" and ");
    let apart = if apart.is_empty() { apart } else { format!(" (left out: {apart})") };
    let title = format!("{name} against {against}: points of {} games{apart}", points.len());
    histogram(&mut svg, &points, &title);
    let band = if bot.error.is_some() { ", band of 95 %" } else { "" };
    running_mean(&mut svg, &pairs, &format!("mean points a game: {}{band}", bot.tally.with_error(bot.error)));
    if let Some(test) = test {
        course(&mut svg, &pairs, test, SprtRun::new(test, name));
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// List the pairs that are not left out.
fn counted<'a>(pairs: &[NumberedPair<'a>]) -> impl Iterator<Item = GamePair<'a>> {
    pairs.iter().map(|(_, pair)| *pair).filter(|pair| !pair.is_left_out)
}

fn histogram(svg: &mut String, points: &[u8], title: &str) {
    let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
    points.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let [low, high] = [points.iter().min(), points.iter().max()].map(|end| f64::from(*end.unwrap_or(&EVEN)));
    let mut plot = Plot::new(svg, 0, [[low - 1.0, high + 1.0], [0.0, most * 1.05]], [title, "points"]);
    for (&value, &count) in &counts {
        let colour = ["#c55", "#999", "#3a7"][result(value)];
        let [left, right] = [-0.45, 0.45].map(|half| plot.across(f64::from(value) + half));
        plot.rect([left, plot.down(count as f64)], [right, plot.down(0.0)], &format!("fill='{colour}'"));
    }
}

fn running_mean(svg: &mut String, pairs: &[NumberedPair], title: &str) {
    let mut all = Sample::default();
    let mut against: BTreeMap<&str, Sample> = BTreeMap::new();
    // Pairs so far, mean, half width of the band: 0 while there are too few pairs for an error.
    let mut path: Vec<[f64; 3]> = Vec::new();
    // The plot is less than 1000 points wide.
    let (last, step) = (counted(pairs).count(), pairs.len() / 1_000 + 1);
    for (count, pair) in (1..).zip(counted(pairs)) {
        all.add(pair.mean());
        against.entry(pair.names[1]).or_default().add(pair.mean());
        if count % step > 0 && count < last {
            continue;
        }
        let error = stratified_error(against.values());
        let half = error.map_or(0.0, |error| student_95(all.count() - 1) * error);
        path.push([all.count() as f64, all.mean().unwrap_or_default(), half]);
    }
    let even = f64::from(EVEN);
    let [low, high] = range(&path, [even; 2], |[_, mean, half]| [mean - half, mean + half]);
    let room = (high - low).max(1.0) * 0.05;
    let ranges = [[0.0, pairs.len().max(2) as f64], [low - room, high + room]];
    let mut plot = Plot::new(svg, 1, ranges, [title, "pairs played"]);
    plot.level(even, DASHED);
    let wide = || path.iter().filter(|[_, _, half]| *half > 0.0);
    let above = wide().map(|[n, mean, half]| [*n, mean + half]);
    let below = wide().rev().map(|[n, mean, half]| [*n, mean - half]);
    let band = plot.points(above.chain(below));
    plot.path("mean", Some(&band), path.iter().map(|&[n, mean, _]| [n, mean]));
}

/// Widen a range by the later nine tenths of a path: the first pairs swing wildly.
fn range<T: Copy>(path: &[T], [low, high]: [f64; 2], ends: impl Fn(T) -> [f64; 2]) -> [f64; 2] {
    let settled = || path[path.len() / 10..].iter().map(|&point| ends(point));
    [settled().map(|[low, _]| low).fold(low, f64::min), settled().map(|[_, high]| high).fold(high, f64::max)]
}

/// Draw the log-likelihood ratio of a sequential test between its bounds.
fn course(svg: &mut String, pairs: &[NumberedPair], sprt: Sprt, mut run: SprtRun) {
    let mut path: Vec<[f64; 2]> = Vec::new();
    for (count, (number, pair)) in (1..).zip(pairs) {
        run.add(*number, pair.tested());
        path.push([f64::from(count), run.llr()]);
    }
    let bounds = sprt.bounds();
    let ratios = range(&path, bounds, |[_, ratio]| [ratio; 2]).map(|end| end * 1.1);
    let words = run.to_string();
    let verdict = words.lines().next().unwrap_or_default();
    let ranges = [[0.0, pairs.len().max(2) as f64], ratios];
    let mut plot = Plot::new(svg, 2, ranges, [verdict, &format!("pairs played ({})", run.terms())]);
    bounds.into_iter().for_each(|bound| plot.level(bound, DASHED));
    plot.path("course", None, path.into_iter());
}

#[test]
fn marks_are_round_numbers_within_the_range() {
    assert_eq!(marks([0.0, 10.0]), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(marks([74.93, 75.41]), [75.0, 75.1, 75.2, 75.3, 75.4]);
}
