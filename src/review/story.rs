//! A game in at most three sentences, made from its judged moves: who won by what, and where it turned.

use std::cmp::Reverse;

use super::judged::{JudgedMove, Review};
use crate::games::drawing::winner;
use crate::judge::answer::result_text;
use crate::judge::worth::Worth;
use crate::player::position::Score;
use crate::text::{capital, plural};

const MAX_WORST: usize = 3;

/// List the plies of the costliest moves by whole points: of equals first the move that decided the game, then the
/// exact ones, then by tenths and in the order of play.
pub fn worst(moves: &[JudgedMove], decided: Option<usize>) -> Vec<usize> {
    let mut costly: Vec<&JudgedMove> = moves.iter().filter(|judged| judged.cost() > 0.0).collect();
    let rank = |judged: &JudgedMove| {
        let (cost, is_decisive) = (judged.cost(), decided == Some(judged.ply));
        (cost.round() as u32, is_decisive, judged.lost.is_some(), (10.0 * cost) as u32)
    };
    costly.sort_by_key(|judged| Reverse(rank(judged)));
    costly.iter().take(MAX_WORST).map(|judged| judged.ply).collect()
}

pub fn story(review: &Review) -> Vec<String> {
    match (review.points, review.final_score) {
        (Some([red, blue]), score) => {
            let points = |score: Score| [75 + i32::from(score), 75 - i32::from(score)];
            let played = score.map(points).map(|[red, blue]| format!(", instead of {red} to {blue}"));
            let played = played.unwrap_or_default();
            vec![format!("A forfeit: {red} points for Red, {blue} for Blue{played}.")]
        }
        (None, None) => {
            let last = last_known(review);
            let sure = last.number().filter(|score| score.abs() > 2.0 * last.error.unwrap_or(0.0));
            let sign = sure.map_or(0, |score| score.signum() as Score * Score::from(score != 0.0));
            [Some(standing(last)), turn(review, sign)].into_iter().flatten().collect()
        }
        (None, Some(score)) => {
            let result = result_text(score).replacen('a', "A", usize::from(score == 0)) + ".";
            let ahead = winner(score)
                .map_or("the game was level".to_owned(), |player| format!("{} was winning", capital(player)));
            let always = format!("With best play {ahead} from the start.");
            let always = Some(always).filter(|_| review.decided == Some(0));
            [Some(result), turn(review, score.signum()), always].into_iter().flatten().collect()
        }
    }
}

fn last_known(review: &Review) -> &Worth {
    review.moves.last().map_or(&review.start, |judged| &judged.after)
}

/// Tell what a game that is not over has come to.
fn standing(last: &Worth) -> String {
    let known = match (last.score, last.estimate) {
        (Some(score), _) => format!(": with best play of both {}", result_text(score)),
        (None, Some(score)) => format!(": the score is about {score:.1}"),
        (None, None) => String::new(),
    };
    format!("The game is not over{known}.")
}

/// Tell the move with which the winner (its sign; 0 of none) got ahead, or a game that ends level became level, if
/// it is known to have cost something, else the costliest move of those who did not win.
fn turn(review: &Review, sign: Score) -> Option<String> {
    let loser = winner(-sign).map(|player| player.to_string());
    let own = |judged: &&JudgedMove| loser.as_ref().is_none_or(|loser| *loser == judged.player);
    let before = |judged: &JudgedMove| known_before(review, judged);
    let is_draw = last_known(review).score == Some(0);
    // An estimate tells who is ahead beyond twice its error.
    let ahead = |known: &Worth| {
        let surely = |score| f64::from(sign) * score > 2.0 * known.error.unwrap_or(0.0);
        if is_draw { known.score == Some(0) } else { known.number().is_some_and(surely) }
    };
    let costly: Vec<&JudgedMove> =
        review.moves.iter().filter(own).filter(|judged| judged.cost() > 0.0).collect();
    let turned = costly.iter().rfind(|judged| !ahead(before(judged)) && ahead(&judged.after));
    let worst = || worst(&review.moves.iter().filter(own).cloned().collect::<Vec<_>>(), review.decided);
    let told = turned.map(|judged| judged.ply).or_else(|| worst().first().copied());
    let Some(ply) = told else {
        let is_judged = |judged: &JudgedMove| judged.lost.is_some() || judged.estimated_lost.is_some();
        let whose =
            winner(-sign).map_or("No move".to_owned(), |player| format!("No move of {}", capital(player)));
        let all = review.moves.iter().filter(own).any(is_judged);
        return all.then(|| format!("{whose} is known to have given a point away."));
    };
    let judged = &review.moves[ply - 1];
    let whose = if judged.player == "red" { "Red's" } else { "Blue's" };
    let (lost, is) = match (judged.lost, judged.estimated_lost) {
        (Some(lost), _) => (plural(lost, "point"), ["turned at", "was", "was"]),
        (None, lost) => {
            let lost = format!("about {:.1} points", lost.unwrap_or(0.0));
            (lost, ["seems to have turned at", "seems to be", "looks"])
        }
    };
    let what = match turned {
        Some(_) => format!("The game {} move {ply}", is[0]),
        None => format!("The costliest {} move {ply}", is[1]),
    };
    let change = before(judged).score.zip(judged.after.score).filter(|_| turned.is_some());
    let change = change.map_or(String::new(), |(before, after)| {
        format!(", from {} to {}", points_for(before), points_for(after))
    });
    let better = judged.best.as_ref().map_or(String::new(), |best| format!("; {best} {} better", is[2]));
    Some(format!("{what}: {whose} {} gave away {lost}{change}{better}.", judged.r#move))
}

/// Say the points of both after a score: "77 to 73 for Red".
fn points_for(score: Score) -> String {
    let points = i32::from(score.abs());
    winner(score).map_or("a draw".to_owned(), |player| {
        format!("{} to {} for {}", 75 + points, 75 - points, capital(player))
    })
}

fn known_before<'a>(review: &'a Review, judged: &JudgedMove) -> &'a Worth {
    judged.ply.checked_sub(2).map_or(&review.start, |place| &review.moves[place].after)
}
