//! The page of `review` and `board`: one HTML file, no network, the data inside.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::player::position::MAX_SCORE;
use crate::workshop::games::{PerPlayer, RecordedGame};
use crate::workshop::review::game::{ReviewSettings, Reviewer};
use crate::workshop::review::judged::{JudgedMove, KnownScore, Review};
use crate::workshop::review::summary::{BotSummary, Summary};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("state.js"),
    include_str!("view.js"),
    include_str!("charts.js"),
    include_str!("page.js")
);
const SESSION_SCRIPT: &str =
    concat!(include_str!("files.js"), include_str!("edit.js"), include_str!("session.js"));

/// What a page begins with, and has near its beginning, where other files do not.
pub const MARK: [&str; 2] = ["<!DOCTYPE html>", "<meta name=\"generator\" content=\"blackhole review\">"];

/// The bytes above which a page leaves out games.
const LARGEST: usize = 3_000_000;

/// The bots that are shown at most.
const BOTS: usize = 100;

/// The characters of a name or a title that are kept.
const NAME: usize = 100;

/// A page, and what it does not hold for want of room.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    pub html: String,
    /// A sentence without its full stop; empty where all is there.
    pub left_out: String,
}

/// Make the page of reviewed games, each with its number, the costliest first.
///
/// Above 3,000,000 bytes the games with the fewest points lost are left out, above 100 bots those with
/// the fewest games.
pub fn page(reviews: &[(usize, Review)], summary: Option<&Summary>) -> Page {
    let mut bots: Vec<&BotSummary> = summary.iter().flat_map(|summary| &summary.bots).collect();
    let fewer_bots = bots.len().saturating_sub(BOTS);
    if fewer_bots > 0 {
        bots.sort_by_key(|bot| Reverse(bot.games));
        bots.truncate(BOTS);
    }
    let bots: Vec<Value> = bots.into_iter().map(bot_data).collect();
    let mut order: Vec<&(usize, Review)> = reviews.iter().collect();
    order.sort_by_key(|(_, game)| Reverse(game.summary.red.lost + game.summary.blue.lost));
    let all = order.into_iter().map(|(number, review)| escaped(&game_data(*number, review)));
    // The sentence needs some room itself.
    let mut room = LARGEST - fill(&[], &bots, "", None).len() - 200;
    let games: Vec<String> = all
        .map_while(|game| {
            room = room.checked_sub(game.len() + ",\n".len())?;
            Some(game)
        })
        .collect();
    let counts = [
        (reviews.len() - games.len(), "games with fewer points lost"),
        (fewer_bots, "bots with fewer games"),
    ];
    let left_out =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let left_out = left_out.collect::<Vec<_>>().join(" and ");
    let left_out = if left_out.is_empty() { left_out } else { left_out + " are left out" };
    Page { html: fill(&games, &bots, &left_out, None), left_out }
}

/// Fill the template with games and bots, and with what belongs to the engine where it may be asked.
fn fill(games: &[String], bots: &[Value], left_out: &str, board: Option<&Value>) -> String {
    let (games, bots) = (games.join(",\n"), escaped(&json!(bots)));
    let (left_out, own) = (json!(left_out), escaped(&json!(board)));
    let data = format!("{{\"games\":[{games}],\"bots\":{bots},\"left_out\":{left_out},\"board\":{own}}}");
    let board_parts = ["board", "connect-src 'self'; ", SESSION_SCRIPT];
    let [title, source, script] = if board.is_some() { board_parts } else { ["a record", "", ""] };
    let page = TEMPLATE.replace("/*title*/", title).replace("/*source*/", source);
    let script = [SCRIPT, script, "start();\n"].concat();
    page.replace("/*style*/", STYLE).replace("/*script*/", &script).replace("/*data*/", &data)
}

/// Make the page with the engine behind it, which begins with some games of more; `board` is what it can
/// choose from.
pub fn board(games: &[RecordedGame], more: usize, board: &Value) -> String {
    let left_out = if more > 0 { format!("{more} more games are left out") } else { String::new() };
    let games = (1..).zip(games).map(|(number, game)| escaped(&unjudged(number, game)));
    fill(&games.collect::<Vec<_>>(), &[], &left_out, Some(board))
}

/// Make a page of at most `most` bytes that shows a tournament, an element of HTML, above games in their order. If
/// some do not fit, the last ones are left out.
pub fn tournament(element: &str, games: &[(usize, Review)], most: usize) -> Page {
    let fill = |games: &[String], left_out: &str| {
        let page = fill(games, &[], left_out, None).replace("<main id", &format!("{element}\n<main id"));
        let page = page.replace("Games, by points lost", "Games").replace("a record", "a tournament");
        // A link to a game leads to its board; pictures are within the page.
        let follow = "const toBoard = () => location.hash && $(\"main\").scrollIntoView();\n\
                      addEventListener(\"hashchange\", toBoard);\ntoBoard();\n</script>\n</body>";
        let page = page.replace("</script>\n</body>", follow);
        page.replace("default-src 'none';", "default-src 'none'; img-src data:;")
    };
    let mut room = most.saturating_sub(fill(&[], "").len() + 200);
    let all = games.iter().map(|(number, review)| escaped(&game_data(*number, review)));
    let shown: Vec<String> = all
        .map_while(|game| {
            room = room.checked_sub(game.len() + ",\n".len())?;
            Some(game)
        })
        .collect();
    let left_out = match games.len() - shown.len() {
        0 => String::new(),
        count => format!("{count} games are left out, as the page would be too large"),
    };
    Page { html: fill(&shown, &left_out), left_out }
}

/// Return the data of a game that nobody has judged.
pub fn unjudged(number: usize, game: &RecordedGame) -> Value {
    game_data(number, &Reviewer::new(ReviewSettings::UNJUDGED).review(game, &mut |_| {}))
}

/// Write JSON that an element may hold: `<` stands in strings only; written so, no text can end or
/// open an element.
fn escaped(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Cut a name that would fill the page.
fn short(text: &str) -> String {
    let cut = text.char_indices().nth(NAME).map(|(place, _)| &text[..place]);
    cut.map_or_else(|| text.to_owned(), |begun| format!("{begun}…"))
}

/// Return the data of a game: the record tells its moves, from which the page derives the rest.
pub fn game_data(number: usize, review: &Review) -> Value {
    let is_judged = review.moves.iter().any(|judged| judged.after.likely().is_some());
    let [story, worst] = [json!(review.story), json!(review.worst)].map(|told| is_judged.then_some(told));
    let hands = Some(&review.hands).filter(|hands| **hands != PerPlayer::of(|_| (1..=15).collect()));
    object([
        ("number", json!(number)),
        ("title", json!(short(&review.title))),
        ("red", json!(short(&review.red))),
        ("blue", json!(short(&review.blue))),
        ("record", json!(review.record)),
        ("hands", json!(hands)),
        ("story", json!(story)),
        ("worst", json!(worst)),
        ("first", json!(review.first)),
        ("start", object(known_score(&review.start))),
        ("moves", review.moves.iter().map(move_data).collect()),
        ("final_score", json!(review.final_score)),
        ("points", json!(review.points)),
        ("fault", json!(review.fault.as_deref().map(short))),
        ("decided", json!(review.decided)),
        ("summary", json!(review.summary)),
    ])
}

/// Return what is known after a move, what it gave away by estimates if they tell, and before it the best
/// move and the scores after moves.
pub fn move_data(judged: &JudgedMove) -> Value {
    let options = Some(&judged.options).filter(|options| !options.is_empty());
    let told = judged.estimated_lost.filter(|_| judged.lost.is_none() && !judged.mark.is_empty());
    let [score, estimate, error, bounds] = known_score(&judged.after);
    object([
        ("best", json!(judged.best)),
        ("options", json!(options)),
        ("estimated_lost", json!(told)),
        ("mark", json!(told.map(|_| judged.mark))),
        score,
        estimate,
        error,
        bounds,
    ])
}

fn bot_data(bot: &BotSummary) -> Value {
    json!({"name": short(&bot.name), "rows": bot.rows, "costliest": bot.costliest})
}

/// Return what is known of a position; bounds only where they say more than the rules.
fn known_score(KnownScore { score, bounds, estimate, error }: &KnownScore) -> [(&'static str, Value); 4] {
    let open = Some(bounds).filter(|bounds| score.is_none() && **bounds != [-MAX_SCORE, MAX_SCORE]);
    [("score", json!(score)), ("estimate", json!(estimate)), ("error", json!(error)), ("bounds", json!(open))]
}

/// Make an object of what is known.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let known = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(known.map(|(name, value)| (name.to_owned(), value)).collect())
}
