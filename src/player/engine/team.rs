//! Root parallelization: several searches of one position side by side, each with trees and a seed of its
//! own. They share nothing while they run; what they found at the root is added up.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::search::tree::Proof;
use crate::player::search::{Candidate, Line, Prover, Replies, ReplyModel, Search, rank};
use crate::player::solver::Solver;

/// The searches of one engine, one for each thread.
pub(super) struct Team {
    members: Vec<Member>,
}

/// One search of a team.
pub(super) struct Member {
    /// Its trees.
    pub search: Search,
    /// Its iterations before the current move.
    begin: u64,
}

/// Make a tree search as the engine does: with a solver that proves its nodes, if `prove_effort` is above 0. Both
/// take `bytes` of memory together.
pub fn tree_search(root: &Position, params: &Params, seed: u64, bytes: usize) -> Search {
    if params.prove_effort == 0.0 {
        return Search::new(root, params, seed, bytes);
    }
    let table = (bytes / 8).min(MOST_PROVING_BYTES);
    let mut search = Search::new(root, params, seed, bytes - table);
    search.prove_nodes(Box::new(NodeSolver(Solver::new(table))));
    search
}

/// The most memory for the table of a tree's solver.
const MOST_PROVING_BYTES: usize = 16 << 20;

/// Proves nodes of a tree.
struct NodeSolver(Solver);

impl Prover for NodeSolver {
    fn prove(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let red = self.0.reaches(position, target, limits)?;
        Some(if red { Player::Red } else { Player::Blue })
    }
}

impl Member {
    /// Return limits that count nodes from the start of the current move as [`Search::run`] takes them.
    pub fn limits(&self, limits: &Limits) -> Limits {
        Limits { nodes: self.begin.saturating_add(limits.nodes), ..*limits }
    }

    /// Return the iterations of the current move.
    pub fn iterations(&self) -> u64 {
        self.search.iterations() - self.begin
    }
}

impl Team {
    /// Make searches of `root` for so many threads (0 counts as 1) that take `bytes` of memory together. The
    /// first one has the given seed, the others have seeds drawn from it.
    pub fn new(root: &Position, params: &Params, threads: usize, seed: u64, bytes: usize) -> Team {
        let threads = threads.max(1);
        let mut seeds = Random::new(seed);
        let member = |n| {
            let seed = if n == 0 { seed } else { seeds.bits() };
            Member { search: tree_search(root, params, seed, bytes / threads), begin: 0 }
        };
        Team { members: (0..threads).map(member).collect() }
    }

    /// Do the same with every member at the same time, and return the results in the order of the members.
    ///
    /// A member whose work panics, or that gets no thread, leaves the team; its result is missing.
    ///
    /// # Panics
    /// When nobody is left, with the panic of the first member.
    pub fn each<T: Send>(&mut self, work: impl Fn(&mut Member) -> T + Sync) -> Vec<T> {
        if let [only] = &mut self.members[..] {
            return vec![work(only)];
        }
        let (first, others) = self.members.split_first_mut().expect("a team has a member");
        let work = &work;
        let (own, theirs) = thread::scope(|scope| {
            let start = |member| thread::Builder::new().spawn_scoped(scope, move || work(member)).ok();
            let started: Vec<_> = others.iter_mut().map(start).collect();
            let own = catch_unwind(AssertUnwindSafe(|| work(first)));
            let join = |thread: Option<thread::ScopedJoinHandle<T>>| thread?.join().ok();
            (own, started.into_iter().map(join).collect::<Vec<_>>())
        });
        if theirs.iter().all(Option::is_none)
            && let Err(panic) = own
        {
            resume_unwind(panic);
        }
        let results: Vec<Option<T>> = std::iter::once(own.ok()).chain(theirs).collect();
        let mut stays = results.iter().map(Option::is_some);
        self.members.retain(|_| stays.next() == Some(true));
        results.into_iter().flatten().collect()
    }

    /// Move on to the position of the next move (see [`Search::advance`]), and count iterations from there.
    pub fn advance(&mut self, position: &Position, aim: Target) {
        self.each(|member| {
            member.search.advance(position, aim);
            member.begin = member.search.iterations();
        });
    }

    /// See [`Search::expect_blunders`].
    pub fn expect_blunders(&mut self, share: f32) {
        self.members.iter_mut().for_each(|member| member.search.expect_blunders(share));
    }

    /// See [`Search::foretell`].
    pub fn foretell(&mut self, model: Option<ReplyModel>) {
        self.each(|member| member.search.foretell(model));
    }

    /// Run up to `count` iterations of the tree for a target in every member. The limits count nodes of each
    /// member from the start of the move.
    pub fn run(&mut self, target: Target, count: u64, limits: &Limits) {
        self.run_for(target, Replies::Best, count, limits);
    }

    /// See [`Search::tell_apart`].
    pub fn tell_apart(&mut self, among: &[(Move, f32)]) {
        self.each(|member| member.search.tell_apart(among.to_vec()));
    }

    /// See [`Search::run_for`].
    pub fn run_for(&mut self, target: Target, replies: Replies, count: u64, limits: &Limits) {
        self.each(|member| {
            let limits = member.limits(limits);
            member.search.run_for(target, replies, count, &limits);
        });
    }

    /// Return a number of iterations of each member after which to compare notes: `least` for one alone, so
    /// many more for several that starting their threads costs little.
    pub fn round(&self, least: u64) -> u64 {
        match &self.members[..] {
            [_] => least,
            members => (8 * least).max(self.iterations() / (16 * members.len() as u64)),
        }
    }

    /// Tell whether every member has reached the limits.
    pub fn has_reached(&self, limits: &Limits) -> bool {
        self.members.iter().all(|member| limits.reached(member.iterations()))
    }

    /// Return the iterations of the current move.
    pub fn iterations(&self) -> u64 {
        self.sum(Member::iterations)
    }

    /// Add up a number over the members.
    pub fn sum(&self, number: impl Fn(&Member) -> u64) -> u64 {
        self.members.iter().map(number).fold(0, u64::saturating_add)
    }

    /// Return the iterations of all trees for a target.
    pub fn visits(&self, target: Target) -> u32 {
        self.sum(|member| u64::from(member.search.visits(target))).try_into().unwrap_or(u32::MAX)
    }

    /// Return what any of the trees for a target proves.
    pub fn proof(&self, target: Target) -> Proof {
        self.proof_for(target, Replies::Best)
    }

    /// See [`Search::proof_for`].
    pub fn proof_for(&self, target: Target, replies: Replies) -> Proof {
        any_proof(self.members.iter().map(|member| member.search.proof_for(target, replies)))
    }

    /// Return Red's chance of a target, 0..=1: the result that any tree proves, or the mean of the trees by
    /// visits. `None` without any iteration.
    pub fn red_value(&self, target: Target) -> Option<f32> {
        match self.proof(target) {
            Proof::Red => return Some(1.0),
            Proof::Blue => return Some(0.0),
            Proof::Unknown => {}
        }
        let of = |member: &Member| Some((member.search.red_value(target)?, member.search.visits(target)));
        mean(self.members.iter().filter_map(of))
    }

    /// List the root moves of all trees for a target, added up, in the order of [`Search::candidates`].
    pub fn candidates(&self, target: Target, mover: Player) -> Vec<Candidate> {
        self.candidates_for(target, Replies::Best, mover)
    }

    /// See [`Search::candidates_for`].
    pub fn candidates_for(&self, target: Target, replies: Replies, mover: Player) -> Vec<Candidate> {
        let of = |member: &Member| member.search.candidates_for(target, replies);
        match &self.members[..] {
            [only] => of(only),
            members => merge(members.iter().flat_map(of).collect(), mover),
        }
    }

    /// Return the line that begins with root move `first`, as the tree expects it that has searched this move
    /// most.
    pub fn variation(&self, target: Target, first: Move) -> Line {
        let visits = |member: &&Member| {
            let candidates = member.search.candidates(target);
            candidates.iter().find(|candidate| candidate.mv == first).map_or(0, |candidate| candidate.visits)
        };
        // Of equals the first one, as everywhere.
        let most = self.members.iter().rev().max_by_key(visits);
        most.map_or(Line::new(), |member| member.search.variation_after(target, first))
    }
}

/// Return the first proof there is.
fn any_proof(mut proofs: impl Iterator<Item = Proof>) -> Proof {
    proofs.find(|&proof| proof != Proof::Unknown).unwrap_or(Proof::Unknown)
}

/// Return the mean of values by visits, exactly the value if there is but one; `None` of nothing.
fn mean(values: impl Iterator<Item = (f32, u32)>) -> Option<f32> {
    let (sum, visits) = values.fold((0.0, 0.0), |(sum, all), (value, visits)| {
        (sum + f64::from(value) * f64::from(visits), all + f64::from(visits))
    });
    (visits > 0.0).then(|| (sum / visits) as f32)
}

/// Add up what several trees say of the same moves: visits are summed, values and AMAF values (where there
/// are any) averaged by visits; a move that any tree proves is proven.
fn merge(mut all: Vec<Candidate>, mover: Player) -> Vec<Candidate> {
    // A stable sort: the trees' order, and with it the sums, do not depend on who was ready first.
    all.sort_by_key(|candidate| candidate.mv);
    let merged = all.chunk_by(|a, b| a.mv == b.mv).map(|same| {
        let proof = any_proof(same.iter().map(|candidate| candidate.proof));
        let values = same.iter().map(|candidate| (candidate.value, candidate.visits));
        let amaf = same.iter().filter_map(|candidate| Some((candidate.amaf?, candidate.visits)));
        Candidate {
            mv: same[0].mv,
            visits: same.iter().fold(0, |sum: u32, candidate| sum.saturating_add(candidate.visits)),
            value: match proof.winner() {
                Some(winner) => f32::from(u8::from(winner == mover)),
                None => mean(values).unwrap_or(0.0),
            },
            amaf: mean(amaf),
            proof,
        }
    });
    let mut merged: Vec<Candidate> = merged.collect();
    merged.sort_by_key(|candidate| rank(candidate, mover));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::record::Record;

    fn team(threads: usize) -> Team {
        let root = *Record::parse("C2 C6 B5 C1 A8").expect("a record").position();
        Team::new(&root, &Params::default(), threads, 7, 32 << 20)
    }

    #[test]
    fn root_statistics_are_sums() {
        let mut team = team(3);
        let target = Target::new(0);
        team.run(target, 2_000, &Limits::NONE);
        team.members[2].search.run(target, 1_000, &Limits::NONE);
        assert_eq!((team.visits(target), team.iterations()), (7_000, 7_000));
        let lists: Vec<Vec<Candidate>> =
            team.members.iter().map(|member| member.search.candidates(target)).collect();
        let visits = |list: &[Candidate]| list.iter().map(|candidate| candidate.visits).collect::<Vec<_>>();
        assert_ne!(visits(&lists[0]), visits(&lists[1]), "the seeds differ");
        let merged = team.candidates(target, Player::Red);
        for candidate in &merged {
            let of_move = || lists.iter().flatten().filter(|other| other.mv == candidate.mv);
            let visits: u32 = of_move().map(|other| other.visits).sum();
            let wins: f64 = of_move().map(|other| f64::from(other.value) * f64::from(other.visits)).sum();
            assert_eq!(candidate.visits, visits);
            assert!((f64::from(candidate.value) - wins / f64::from(visits)).abs() < 1e-6);
        }
        let sum = |list: &[Candidate]| list.iter().map(|candidate| candidate.visits).sum::<u32>();
        assert_eq!(sum(&merged), lists.iter().map(|list| sum(list)).sum::<u32>());
        assert!(merged.windows(2).all(|pair| pair[0].visits >= pair[1].visits));
        let wins: f64 = (team.members.iter())
            .map(|member| f64::from(member.search.red_value(target).unwrap()) * member.iterations() as f64)
            .sum();
        assert!((f64::from(team.red_value(target).unwrap()) - wins / 7_000.0).abs() < 1e-6);
        assert_eq!(team.variation(target, merged[0].mv)[0], merged[0].mv);
    }

    #[test]
    fn one_member_is_the_search_itself() {
        let mut team = team(1);
        let target = Target::new(0);
        team.run(target, 3_000, &Limits::NONE);
        let search = &team.members[0].search;
        assert_eq!(team.red_value(target), search.red_value(target));
        let merged = merge(search.candidates(target), Player::Red);
        assert_eq!(merged.len(), search.candidates(target).len());
        for other in search.candidates(target) {
            let one = merged.iter().find(|one| one.mv == other.mv).expect("no move is lost");
            assert_eq!((one.visits, one.value, one.proof), (other.visits, other.value, other.proof));
        }
        assert_eq!(
            team.variation(target, search.candidates(target)[0].mv),
            search.principal_variation(target)
        );
    }

    #[test]
    fn a_proof_of_one_tree_counts_for_all() {
        let candidate = |mv: &str, visits, value, proof| {
            let mv = Move::parse(mv).expect("a move");
            Candidate { mv, visits, value, amaf: None, proof }
        };
        let merged = merge(
            vec![
                candidate("A1=1", 900, 0.8, Proof::Unknown),
                candidate("A2=1", 10, 0.5, Proof::Unknown),
                candidate("A1=1", 30, 0.0, Proof::Red),
                candidate("A2=1", 30, 1.0, Proof::Unknown),
                candidate("A3=1", 5, 0.1, Proof::Unknown),
                candidate("A3=1", 5, 1.0, Proof::Blue),
            ],
            Player::Blue,
        );
        let found: Vec<_> = merged.iter().map(|c| (c.mv.to_string(), c.visits, c.value, c.proof)).collect();
        assert_eq!(
            found,
            [
                ("A3=1".to_owned(), 10, 1.0, Proof::Blue),
                ("A2=1".to_owned(), 40, 0.875, Proof::Unknown),
                ("A1=1".to_owned(), 930, 0.0, Proof::Red),
            ]
        );
    }

    #[test]
    fn a_member_that_fails_leaves_the_rest_at_work() {
        for failing in 0..3 {
            let mut team = team(3);
            team.members.iter_mut().enumerate().for_each(|(n, member)| {
                member.search.run(Target::new(0), n as u64 + 1, &Limits::NONE);
            });
            let counts = team.each(|member| {
                assert_ne!(member.iterations(), failing + 1, "this member is to fail");
                member.iterations()
            });
            let rest: Vec<u64> = (1..=3).filter(|&n| n != failing + 1).collect();
            assert_eq!(counts, rest);
            team.run(Target::new(0), 100, &Limits::NONE);
            assert_eq!(team.visits(Target::new(0)) as u64, 200 + rest.iter().sum::<u64>());
        }
    }

    #[test]
    fn a_team_that_fails_as_a_whole_says_so() {
        for threads in [1, 2] {
            let mut team = team(threads);
            let outcome = catch_unwind(AssertUnwindSafe(|| team.each(|_| panic!("on purpose"))));
            assert!(outcome.is_err(), "{threads} threads");
        }
    }
}
