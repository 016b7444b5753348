//! `blackhole-trainer label`: positions with exact scores, to learn an evaluation from.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

use blackhole::system::lines::LineFile;
use blackhole::text::progress_bar;
use clap::Args;
use rayon::prelude::*;

use crate::data::LabelledGame;
use crate::labeller::Labeller;
use crate::{Failure, at};

/// Make games of the engine against itself, with exact scores of their positions
///
/// Each line is one game: records up to some of its positions, with their scores. At least one game in five
/// also has exact scores after other plausible moves. A file with fewer games is continued, also after Ctrl-C. A game depends only on the seed and its number. All cores make games, or
/// RAYON_NUM_THREADS of them.
#[derive(Args)]
#[command(after_help = "\
Example:
  blackhole-trainer label labels.jsonl --games 50000 --seed 1")]
pub struct LabelOptions {
    /// The file of labelled games, one JSON object a line
    pub file: PathBuf,
    /// Number of games in the file at the end
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub games: u64,
    /// Seed of all games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

pub fn run(options: &LabelOptions) -> Result<(), Failure> {
    let (file, lines) =
        LineFile::open::<LabelledGame>(&options.file).map_err(|error| at(&options.file, error))?;
    if let Some(other) = lines.records.iter().find(|line| line.seed != options.seed) {
        let why = format!("found games of the seed {}, expected {}", other.seed, options.seed);
        return Err(at(&options.file, why));
    }
    file.remarks(&lines).iter().for_each(|remark| eprintln!("{remark}"));
    let known: HashSet<u64> = lines.records.iter().map(|line| line.game).collect();
    let bar = progress_bar(options.games, "{wide_bar} {pos}/{len} games  {eta} left");
    bar.set_position(known.iter().filter(|&&game| game < options.games).count() as u64);
    let (file, games) = (Mutex::new(file), (0..options.games).into_par_iter());
    let missing = games.filter(|game| !known.contains(game));
    missing.try_for_each(|game| {
        let line = Labeller::new(options.seed, game).label();
        bar.inc(1);
        file.lock().expect("whole lines").append(&line)
    })?;
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use blackhole::system::lines::parse;
    use blackhole_player::limits::Limits;
    use blackhole_player::solver::Solver;

    use super::*;
    use crate::data::EXACT_CELLS;

    #[test]
    fn games_are_labelled_right_and_the_same_each_time() {
        let folder = std::env::temp_dir().join(format!("blackhole-label-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a place for files");
        let fill = |name: &str, seed| run(&LabelOptions { file: folder.join(name), games: 2, seed });
        let read = |name: &str| fs::read(folder.join(name)).expect("a file");
        let label = |name: &str| {
            fill(name, 8).expect("a file of games");
            let mut games = parse::<LabelledGame>(&read(name)).expect("games").records;
            games.sort_by_key(|line| line.game);
            games
        };
        let games = label("one");
        let mut solver = Solver::default();
        for (line, count) in games.iter().zip([(0, 7, 0), (1, 1, 6)]) {
            let examples = line.examples().expect("legal moves");
            // The first is the first solved position of the game itself; up to there a weak player made moves of game 0.
            let first = examples[0].value;
            let (exact, early): (Vec<_>, Vec<_>) =
                examples.into_iter().partition(|it| it.position.empty().len() <= EXACT_CELLS);
            for it in &exact {
                let value = solver.value(&it.position, 0, &Limits::NONE).exact();
                assert_eq!(value, Some(it.value), "{it:?}");
            }
            assert!(early.iter().all(|it| it.value == first), "{early:?}");
            assert_eq!((line.game, exact.len(), early.len()), count);
        }

        assert_eq!(label("two"), games);
        // A run that was cut off in the middle of a line.
        let whole = read("one");
        let first = whole.iter().position(|&byte| byte == b'\n').expect("a line");
        fs::write(folder.join("cut"), &whole[..first + 40]).expect("a place for files");
        assert_eq!(label("cut"), games);

        let other = fill("one", 7).unwrap_err().to_string();
        assert!(other.ends_with("found games of the seed 8, expected 7") && read("one") == whole, "{other}");
        fs::remove_dir_all(folder).expect("its files are closed");
    }
}
