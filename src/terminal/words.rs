//! Texts for a person at play: help and results.

use crate::games::drawing;
use crate::games::record::{Record, winner};
use crate::player::board::Player;
use crate::player::position::points;
use crate::text::capital;

pub const SETUP: &str = "\
Which five cells are blocked? Enter alone draws them at random. Or name them,
such as E4 B2 C3 A1 H1, or type small (21 cells stay), or paste a record.
";

/// The marks and the commands: at most 22 lines of 60 columns.
pub const HELP: &str = "\
Players put stones on empty cells in turn. The last empty
cell is the hole: the stones next to it are added up, Red's
as +, Blue's as -. Above 0 Red wins.

  A1     an empty cell          ##     a blocked cell
  +7     Red's stone 7          -7     Blue's stone 7
  [+7]   the last move          (A1)   the hole, at the end

  B2 15      put stone 15 on B2 (also B2=15, b2-15)
  undo       take back your last move and the answer to it
  hint       the best move against any opponent, its points
  board      draw the board and the hands again
  save FILE  write a new file; blackhole play FILE goes on
  review     after the end: which moves lost points?
  new        begin another game
  quit       leave (also Ctrl-D)

  Set-up: five cells, random, small or a record; then red,
  blue, start (the opponent begins) or your first move.
  Opponents: --player beginner, casual, advanced or expert
";

/// Describe the end of a game: the hole with its stones, the points and the winner, the record to copy; `None` before it.
pub fn result(record: &Record, person: Player) -> Option<String> {
    let score = record.final_score()?;
    let hole = record.position().empty().first()?;
    let near = record.placements().filter(|(_, mv)| hole.neighbours().contains(mv.cell));
    let stones: Vec<String> = near.map(|(player, mv)| drawing::stone(player, mv.stone)).collect();
    let sum = if stones.is_empty() { "no stone".to_owned() } else { stones.join(" ") };
    let [red, blue] = points(score);
    let end = match winner(score) {
        None => "a draw, nobody wins.".to_owned(),
        Some(winner) if winner == person => format!("{} wins, well played!", capital(winner)),
        Some(winner) => format!("{} wins, you lose.", capital(winner)),
    };
    Some(format!(
        "The hole is {hole}; next to it {sum}: together {score:+}.\nRed has {red} points, Blue {blue}: {end}\n\
         {record}\n"
    ))
}
