//! The games of a match, the same in the same order everywhere: shards and resumed runs fit together.

use crate::games::opening::{Opening, mix, random_opening};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// The number of the opening, from 0; pairings share openings.
    pub round: u64,
    pub bots: [usize; 2],
    pub blocked: Opening,
    pub seeds: [u64; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The part's number, 1..=count.
    pub index: u64,
    pub count: u64,
}

impl Shard {
    pub const ALL: Shard = Shard { index: 1, count: 1 };

    /// Read a text such as `2/8`; an error says the expected.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = numbers.filter(|&(index, count)| 1 <= index && index <= count);
        let shard = shard.map(|(index, count)| Shard { index, count });
        shard.ok_or_else(|| "expected I/N with 1 <= I <= N".to_owned())
    }
}

#[derive(Clone, Debug)]
pub struct Schedule {
    /// The seed of random openings and of the bots' seeds.
    pub seed: u64,
    /// The openings to use in turn; empty for random ones.
    pub openings: Vec<Opening>,
    pub pairs: u64,
    pub pairings: Vec<[usize; 2]>,
    pub shard: Shard,
}

/// List the pairings of a round robin, or those of one bot, which is the first in each.
pub fn pairings(count: usize, subject: Option<usize>) -> Vec<[usize; 2]> {
    let subjects = subject.map_or(0..count, |subject| subject..subject + 1);
    let others = |own| (0..count).filter(move |&other| own < other || subject.is_some() && own != other);
    subjects.flat_map(|own| others(own).map(move |other| [own, other])).collect()
}

impl Schedule {
    pub fn shard_pairs(&self) -> u64 {
        let whole = self.pairs.saturating_mul(self.pairings.len() as u64);
        whole.checked_sub(self.shard.index).map_or(0, |rest| rest / self.shard.count + 1)
    }

    pub fn has(&self, round: u64, [red, blue]: [usize; 2]) -> bool {
        let pairing = self.pairings.iter().position(|pair| [[red, blue], [blue, red]].contains(pair));
        pairing.is_some_and(|pairing| {
            let pair = round.saturating_mul(self.pairings.len() as u64).saturating_add(pairing as u64);
            round < self.pairs && pair % self.shard.count == self.shard.index - 1
        })
    }

    /// List the games of the shard, for each opening all pairings; a pair is never split between shards.
    pub fn games(&self) -> impl Iterator<Item = ScheduledGame> {
        (0..self.shard_pairs()).flat_map(|number| {
            let pair = number * self.shard.count + self.shard.index - 1;
            let (round, pairing) = (pair / self.pairings.len() as u64, pair % self.pairings.len() as u64);
            let [a, b] = self.pairings[pairing as usize];
            let blocked = match self.openings.len() as u64 {
                0 => random_opening(self.seed, round),
                count => self.openings[(round % count) as usize],
            };
            [[a, b], [b, a]].map(|bots| {
                // Seeds from places: a name must not change a bot's play.
                let [red, blue] = bots.map(|bot| bot as u64);
                let seeds = [0, 1].map(|side| mix(&[self.seed, round, red, blue, side]));
                ScheduledGame { round, bots, blocked, seeds }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(shard: Shard) -> Schedule {
        Schedule { seed: 7, openings: Vec::new(), pairs: 10, pairings: pairings(3, None), shard }
    }

    #[test]
    fn shards_are_a_partition_that_keeps_pairs_together() {
        let all: Vec<ScheduledGame> = schedule(Shard::ALL).games().collect();
        assert_eq!(all.len(), 60);
        for count in 1..=7 {
            let mut parts = Vec::new();
            for index in 1..=count {
                let shard = schedule(Shard { index, count });
                let part: Vec<ScheduledGame> = shard.games().collect();
                assert_eq!(shard.shard_pairs(), part.len() as u64 / 2);
                assert!(part.chunks(2).all(|pair| pair[0].bots == [pair[1].bots[1], pair[1].bots[0]]
                    && pair[0].blocked == pair[1].blocked));
                assert!(all.iter().all(|game| shard.has(game.round, game.bots) == part.contains(game)));
                parts.extend(part);
            }
            assert_eq!(parts.len(), all.len());
            assert!(all.iter().all(|game| parts.contains(game)));
        }
        let longer = Schedule { pairs: 12, ..schedule(Shard::ALL) };
        assert!(longer.games().take(60).eq(all), "more pairs leave the first games as they are");
        assert!(!schedule(Shard::ALL).has(10, [0, 1]) && !schedule(Shard::ALL).has(0, [0, 3]));
        assert_eq!(pairings(4, Some(1)), [[1, 0], [1, 2], [1, 3]]);
    }
}
