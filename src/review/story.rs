//! The story of a game in at most three sentences: who won, where the game turned, which other move cost most.
//!
//! A win is settled if the score and its error, within the proven bounds, leave no other result; a draw, if they leave
//! a draw possible. The game turned at the last move that gave something away before.

use std::cmp::Reverse;

use super::judged::{JudgedMove, Review};
use crate::games::record::winner;
use crate::judge::answer::{points_for, result_text};
use crate::judge::worth::Worth;
use crate::player::position::{Score, points};
use crate::text::{about_points, capital, plural};

const MAX_WORST: usize = 3;

/// Add the story to a review, with the move that the game turned on and the costliest ones.
pub fn with_story(review: Review) -> Review {
    let course = Course { review: &review, sign: sign(&review) };
    let decided = course.turn();
    let worst = worst(&review.moves, decided);
    let mut story = vec![result(&review)];
    if review.points.is_none() {
        story.extend(course.turning(decided));
        let other = worst.first().filter(|&&ply| decided != Some(ply));
        story.extend(other.map(|&ply| course.costliest(&review.moves[ply - 1], decided)));
        if story.len() == 1 && review.moves.iter().any(|judged| judged.given_away().is_some()) {
            story.push("No move is known to have given a point away.".to_owned());
        }
    }
    Review { decided, worst, story, ..review }
}

/// List the plies of the costliest moves; among equals first the one that the game turned on, then the exact
/// ones, then in the order of play.
fn worst(moves: &[JudgedMove], decided: Option<usize>) -> Vec<usize> {
    let mut costly: Vec<&JudgedMove> = moves.iter().filter(|judged| judged.cost() > 0.0).collect();
    let tenths = |judged: &JudgedMove| (10.0 * judged.cost()).round() as u32;
    costly.sort_by_key(|it| Reverse((tenths(it), decided == Some(it.ply), it.lost.is_some())));
    costly.iter().take(MAX_WORST).map(|judged| judged.ply).collect()
}

/// Tell the result, or the score of a game that is not over.
fn result(review: &Review) -> String {
    let (last, score) = (last_known(review), review.final_score.or(last_known(review).score));
    let about = last.estimate.map(|it| {
        let side = winner(it.signum() as Score).filter(|_| it.abs() >= 0.05);
        let side = side.map_or(String::new(), |player| format!(" for {}", capital(player)));
        format!("about {:.1} ± {:.1}{side}", it.abs(), last.mean_error())
    });
    match (review.points, review.final_score) {
        (Some([red, blue]), whole) => {
            let by = if whole.is_none() { " by best play" } else { "" };
            let due = score.map(points).map(|[red, blue]| format!(", instead of {red} to {blue}{by}"));
            let stood = due.or(about.map(|about| format!(", when the score was {about}")));
            format!("A forfeit: {red} points for Red, {blue} for Blue{}.", stood.unwrap_or_default())
        }
        (None, Some(0)) => "A draw, 75 to 75.".to_owned(),
        (None, Some(score)) => result_text(score).replacen("wins", "won", 1) + ".",
        (None, None) => {
            let known = score.map(|score| format!("with best play {}", result_text(score)));
            let known = known.or(about.map(|about| format!("the score is {about}")));
            format!("The game is not over{}.", known.map_or(String::new(), |known| format!(": {known}")))
        }
    }
}

fn last_known(review: &Review) -> &Worth {
    review.moves.last().map_or(&review.start, |judged| &judged.after)
}

/// Return the least and the most that the score is likely to be, if that is known.
fn likely(known: &Worth) -> Option<[f64; 2]> {
    let [least, most] = known.bounds.map(f64::from);
    let (value, error) = (known.value(), known.mean_error());
    let likely = value.map(|it| [(it - error).max(least), (it + error).min(most)]);
    likely.or(known.proven_sign().map(|_| [least, most]))
}

/// Return the sign of the result, or in a game that is not over of the proven score; `None` after a forfeit.
fn sign(review: &Review) -> Option<Score> {
    let known = review.final_score.map(Score::signum).or(last_known(review).proven_sign());
    known.filter(|_| review.points.is_none())
}

/// The way of a game to its result.
struct Course<'a> {
    review: &'a Review,
    sign: Option<Score>,
}

impl Course<'_> {
    fn known(&self, plies: usize) -> &Worth {
        plies.checked_sub(1).map_or(&self.review.start, |place| &self.review.moves[place].after)
    }

    /// Tell whether the result was settled after this many moves; `None` if that is unknown.
    fn is_settled(&self, plies: usize) -> Option<bool> {
        let [least, most] = likely(self.known(plies))?;
        Some(match self.sign? {
            0 => least <= 0.0 && most >= 0.0,
            1 => least > 0.0,
            _ => most < 0.0,
        })
    }

    /// Return the number of moves before the result was settled for good; `None` if it always was.
    fn open_until(&self) -> Option<usize> {
        (0..=self.review.moves.len()).rev().find(|&plies| self.is_settled(plies) != Some(true))
    }

    /// Return the number of the loser's move that the game turned on; 0 if the result was settled from the start.
    fn turn(&self) -> Option<usize> {
        let Some(open) = self.open_until() else { return Some(0) };
        self.is_settled(open)?;
        // A shrinking error settles a result, too: the loss was some move before.
        let turned = |judged: &&JudgedMove| {
            let is_losers =
                self.sign.and_then(|sign| winner(-sign)).is_none_or(|it| it.to_string() == judged.player);
            is_losers && judged.given_away() > Some(0.0) && self.is_settled(judged.ply - 1) == Some(false)
        };
        self.review.moves.iter().take(open + 1).rfind(turned).map(|judged| judged.ply)
    }

    fn turning(&self, decided: Option<usize>) -> Option<String> {
        let sign = self.sign?;
        // The score before the first judged move is unknown.
        let judged_from = || Some(self.open_until().filter(|&open| self.is_settled(open).is_none())? + 1);
        let Some(ply) = decided.filter(|&ply| ply > 0) else {
            let plies =
                decided.or_else(judged_from).filter(|&plies| plies < self.review.moves.len().max(1))?;
            let probably = if self.known(plies).proven_sign() == Some(sign) { "" } else { "probably " };
            let [who, stood] = winner(sign).map_or(["The game", "level"], |it| [capital(it), "winning"]);
            let since = format!("after {} already", plural(plies as u64, "move"));
            let since = if plies == 0 { "from the start" } else { &since };
            return Some(format!("{who} was {probably}{stood} {since}."));
        };
        let judged = &self.review.moves[ply - 1];
        let (mv, best) = (named(judged), judged.best.as_deref().unwrap_or("another move"));
        Some(match (judged.lost, judged.marked_loss()) {
            (Some(lost), _) => {
                let [before, after] = [ply - 1, ply].map(|plies| self.known(plies).score.unwrap_or(0));
                format!(
                    "The game turned at move {ply}: {mv} gave away {}, from {} to {}; {best} was better.",
                    plural(lost, "point"),
                    points_for(before),
                    points_for(after)
                )
            }
            (None, Some(lost)) => format!(
                "The game probably turned at move {ply}: {mv} gave away about {}; {best} looked better.",
                about_points(lost)
            ),
            // Smaller than its error.
            (None, None) => match judged.given_away().filter(|&lost| lost >= 0.5) {
                Some(lost) => {
                    format!(
                        "The game probably turned at move {ply}: {mv} looked about {lost:.1} worse than {best}."
                    )
                }
                None => format!("The game probably turned at move {ply}, {mv}."),
            },
        })
    }

    /// Tell the costliest move, and why the game did not turn on it.
    fn costliest(&self, judged: &JudgedMove, decided: Option<usize>) -> String {
        let lost = judged.lost.map_or_else(|| format!("about {:.1}", judged.cost()), |lost| lost.to_string());
        let reason = self.reason(judged, decided);
        format!("Move {} cost most: {} gave away {lost}{reason}.", judged.ply, named(judged))
    }

    fn reason(&self, judged: &JudgedMove, decided: Option<usize>) -> String {
        let around = [judged.ply - 1, judged.ply].map(|plies| self.is_settled(plies));
        let [Some(before), Some(after)] = around else { return String::new() };
        let Some(player) = self.sign.and_then(winner) else {
            let other = if judged.player == "red" { "Blue" } else { "Red" };
            let given_back = format!(", but {other} gave the win back");
            return if before { given_back } else { ", when nothing was settled yet".to_owned() };
        };
        let (is_losers, winner) = (judged.player != player.to_string(), capital(player));
        match (is_losers, before, after) {
            (true, true, _) if decided.is_none_or(|turn| turn < judged.ply) => {
                ", when the game was lost already".to_owned()
            }
            (true, false, false) => ", but the game could still be held".to_owned(),
            (true, ..) => format!(", but {winner} let the game slip again"),
            (false, _, true) => format!(", but {winner} was still winning"),
            (false, true, false) => format!(", and {} could hold again", capital(player.opponent())),
            (false, false, false) => ", when the game was still open".to_owned(),
        }
    }
}

/// Name a move with its player: "Blue's E3=3".
fn named(JudgedMove { player, r#move, .. }: &JudgedMove) -> String {
    format!("{} {move}", if player == "red" { "Red's" } else { "Blue's" })
}
