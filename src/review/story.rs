//! The story of a game in at most three sentences: who won, where the game turned, which other move cost most.
//!
//! A win is settled if the score and its error, within the proven bounds, leave no other result; a draw, if they leave
//! a draw possible. The game turned at the last move that gave something away before.

use std::cmp::Reverse;

use super::judged::{JudgedMove, PlayerSummary, Review};
use crate::games::files::PerPlayer;
use crate::games::record::winner;
use crate::judge::answer::{points_for, result_text};
use crate::judge::worth::Worth;
use crate::player::board::Player;
use crate::player::position::{Score, points};
use crate::text::{about_points, capital, plural};

/// Add the story to a review: the move that the game turned on, with a mark, the costliest moves, and the sums of both.
pub fn with_story(mut review: Review) -> Review {
    review.decided = review.turn();
    let turn = review.decided.and_then(|ply| review.moves.get_mut(ply.checked_sub(1)?));
    turn.filter(|it| it.mark.is_empty()).into_iter().for_each(|it| it.mark = "turn");
    let worst = worst(&review.moves, review.decided);
    let mut story = vec![review.result()];
    if review.points.is_none() {
        story.extend(review.turning());
        let other = worst.first().filter(|&&ply| review.decided != Some(ply));
        story.extend(other.map(|&ply| review.costliest(&review.moves[ply - 1])));
        if story.len() == 1 && review.moves.iter().any(|judged| judged.given_away().is_some()) {
            story.push("No move is known to have given a point away.".to_owned());
        }
    }
    let of_player = |player: Player| review.moves.iter().filter(move |it| it.player == player.to_string());
    let summary = PerPlayer::of(|player| PlayerSummary::of(of_player(player)));
    Review { worst, story, summary, ..review }
}

/// List the plies of the costliest moves; of equals first the game's turn, then exact ones, then in the order of play.
fn worst(moves: &[JudgedMove], decided: Option<usize>) -> Vec<usize> {
    let mut costly: Vec<&JudgedMove> = moves.iter().filter(|judged| judged.cost() > 0.0).collect();
    let tenths = |judged: &JudgedMove| (10.0 * judged.cost()).round() as u32;
    costly.sort_by_key(|it| Reverse((tenths(it), decided == Some(it.ply), it.lost.is_some())));
    costly.iter().take(3).map(|judged| judged.ply).collect()
}

/// Tell whether a score is likely to have this sign, or to be a draw possibly; `None` if that is unknown.
fn is_likely(known: &Worth, sign: Score) -> Option<bool> {
    let [least, most] = known.bounds.map(f64::from);
    let (value, error) = (known.value(), known.mean_error());
    let likely = value.map(|it| [(it - error).max(least), (it + error).min(most)]);
    let [least, most] = likely.or(known.proven_sign().map(|_| [least, most]))?;
    Some(match sign {
        0 => least <= 0.0 && most >= 0.0,
        1 => least > 0.0,
        _ => most < 0.0,
    })
}

impl Review {
    fn known(&self, plies: usize) -> &Worth {
        plies.checked_sub(1).map_or(&self.start, |place| &self.moves[place].after)
    }

    /// Tell the result, or the score of a game that is not over.
    fn result(&self) -> String {
        let last = self.known(self.moves.len());
        let score = self.final_score.or(last.score);
        let about = last.estimate.map(|it| {
            let side = winner(it.signum() as Score).filter(|_| it.abs() >= 0.05);
            let side = side.map_or(String::new(), |player| format!(" for {}", capital(player)));
            format!("about {:.1} ± {:.1}{side}", it.abs(), last.mean_error())
        });
        match (self.points, self.final_score) {
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

    /// Return the sign of the result, or in a game that is not over of the proven score; `None` after a forfeit.
    fn sign(&self) -> Option<Score> {
        let last = self.known(self.moves.len());
        let sign = self.final_score.map(Score::signum).or(last.proven_sign());
        sign.filter(|_| self.points.is_none())
    }

    /// Tell whether the result was settled after this many moves; `None` if that is unknown.
    fn is_settled(&self, plies: usize) -> Option<bool> {
        is_likely(self.known(plies), self.sign()?)
    }

    /// Return the number of moves before the result was settled for good; `None` if it always was.
    fn open_until(&self) -> Option<usize> {
        (0..=self.moves.len()).rev().find(|&plies| self.is_settled(plies) != Some(true))
    }

    /// Return the number of the loser's move that the game turned on; 0 if the result was settled from the start.
    fn turn(&self) -> Option<usize> {
        let Some(open) = self.open_until() else { return Some(0) };
        self.is_settled(open)?;
        let loser = self.sign().and_then(|sign| winner(-sign));
        // A shrinking error settles a result, too: the loss was some move before.
        let turned = |judged: &&JudgedMove| {
            let is_losers = loser.is_none_or(|it| it.to_string() == judged.player);
            is_losers && judged.given_away() > Some(0.0) && self.is_settled(judged.ply - 1) == Some(false)
        };
        self.moves.iter().take(open + 1).rfind(turned).map(|judged| judged.ply)
    }

    fn turning(&self) -> Option<String> {
        let sign = self.sign()?;
        // The score before the first judged move is unknown.
        let judged_from = || Some(self.open_until().filter(|&open| self.is_settled(open).is_none())? + 1);
        let Some(ply) = self.decided.filter(|&ply| ply > 0) else {
            let plies = self.decided.or_else(judged_from).filter(|&plies| plies < self.moves.len().max(1))?;
            let probably = if self.known(plies).proven_sign() == Some(sign) { "" } else { "probably " };
            let [who, stood] = winner(sign).map_or(["The game", "level"], |it| [capital(it), "winning"]);
            let since = format!("after {} already", plural(plies as u64, "move"));
            let since = if plies == 0 { "from the start" } else { &since };
            return Some(format!("{who} was {probably}{stood} {since}."));
        };
        let judged = &self.moves[ply - 1];
        let (mv, best) = (named(judged), judged.best.as_deref().unwrap_or("another move"));
        Some(if let Some(lost) = judged.lost {
            let [before, after] =
                [ply - 1, ply].map(|plies| points_for(self.known(plies).score.unwrap_or(0)));
            let lost = plural(lost, "point");
            format!(
                "The game turned at move {ply}: {mv} gave away {lost}, and {before} became {after}; {best} was better."
            )
        } else {
            let sure = if self.known(ply).proven_sign() == Some(sign) { "certain" } else { "likely" };
            let by = about_points(judged.given_away().unwrap_or(0.0));
            // The winner may have been ahead before, within the error.
            let ahead = self.known(ply - 1).value().map_or(0.0, |value| value * f64::from(sign));
            let how = match winner(sign).map(capital) {
                Some(leader) if ahead >= 0.05 => {
                    format!("{leader} was only about {ahead:.1} ahead before it, and {sure} to win after it")
                }
                Some(leader) => format!("after it {leader} was {sure} to win"),
                None => format!("after it a draw was {sure}"),
            };
            format!("The game probably turned at move {ply}, {mv}: {how}; {best} looked about {by} better.")
        })
    }

    /// Tell the costliest move, and why the game did not turn on it.
    fn costliest(&self, judged: &JudgedMove) -> String {
        let lost = judged.lost.map_or_else(|| format!("about {:.1}", judged.cost()), |lost| lost.to_string());
        let reason = self.reason(judged);
        format!("Move {} cost most: {} gave away {lost}{reason}.", judged.ply, named(judged))
    }

    fn reason(&self, judged: &JudgedMove) -> String {
        let around = [judged.ply - 1, judged.ply].map(|plies| self.is_settled(plies));
        let [Some(before), Some(after)] = around else { return String::new() };
        let mover = if judged.player == "red" { Player::Red } else { Player::Blue };
        let [own, other] = [mover, mover.opponent()].map(capital);
        let is_ahead = |player: Player| is_likely(self.known(judged.ply), player.sign()) == Some(true);
        match (self.sign().and_then(winner).map(|winner| winner == mover), before, after) {
            (None, false, true) => ", and the game was level".to_owned(),
            (None, false, false) if is_ahead(mover) => format!(", but {own} was still winning"),
            (None, ..) => format!(", but {other} gave the win back"),
            (Some(false), true, _) if self.decided.is_none_or(|turn| turn < judged.ply) => {
                ", when the game was lost already".to_owned()
            }
            (Some(false), false, false) => ", but the game could still be held".to_owned(),
            (Some(true), _, true) => format!(", but {own} was still winning"),
            (Some(true), true, _) if !is_ahead(mover.opponent()) => format!(", and {other} could hold again"),
            (Some(true), ..) if !is_ahead(mover.opponent()) => ", when the game was still open".to_owned(),
            _ => format!(", but {other} lost that lead again"),
        }
    }
}

/// Name a move with its player: "Blue's E3=3".
fn named(JudgedMove { player, r#move, .. }: &JudgedMove) -> String {
    format!("{} {move}", if player == "red" { "Red's" } else { "Blue's" })
}
