//! A number that changes if the player's choices do: the same on every machine and instruction path.

use std::env;
use std::process::Command;

use crate::prelude::*;

/// To be replaced, with the reason, by a change of the player's choices; other changes leave it as it is.
const SIGNATURE: u64 = 0xc517_40bb_84d4_1559;

/// Games between strong players: the source of the positions.
const GAMES: [&str; 3] = [
    "E4 F2 A5 A7 C1 D3=15 B1=9 C5=14 B4=15 B3=13 D4=14 E1=12 B2=6 A2=11 E3=3 B5=10 E2=4 B7=9 A3=10 G1=8",
    "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11 C1=10 A4=10 A2=9 F3=9",
    "A1 C4 G2 B3 D1 E3=15 B5=15 C2=14 D4=13 A5=12 F1=14 B6=13 A3=12 F3=10 D3=11 A7=11 B1=10 G1=1 E1=9",
];
/// Empty cells of the positions searched, and of those solved.
const SEARCHED: [usize; 3] = [31, 25, 19];
const SOLVED: [usize; 2] = [17, 18];
const ITERATIONS: u64 = 300;
const SOLVER_NODES: u64 = 50_000;
const GAME_ITERATIONS: u64 = 250;

/// A running hash.
struct Signature(u64);

impl Signature {
    fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }

    fn add_move(&mut self, mv: Move) {
        self.add(u64::from(mv.packed()));
    }

    fn add_tree(&mut self, search: &mut Search, target: Target, replies: Replies) {
        search.run(target, replies, &Limits::nodes(ITERATIONS));
        for candidate in search.candidates(target, replies) {
            self.add_move(candidate.mv);
            self.add(u64::from(candidate.visits));
        }
    }

    /// Search a position for several targets, and as in the engine's look ahead: some of the moves for the
    /// next harder target, against a strong opponent and against one that follows the expected score.
    fn add_searches(&mut self, position: &Position, params: &Params) {
        let mut search = Search::new(position, params, 1, 64 << 20);
        (-1..=1).for_each(|alpha| self.add_tree(&mut search, Target::new(alpha), Replies::Strong));
        let candidates = search.candidates(Target::new(1), Replies::Strong);
        let among = candidates.iter().step_by(3).map(|candidate| (candidate.mv, candidate.value));
        let next = Target::new(1).harder(position.to_move(), 1);
        search.restrict_root(next, &among.collect::<Vec<_>>());
        self.add_tree(&mut search, next, Replies::Believed);
        search.model_replies(Some(ReplyModel::of(Kind::Follows(8.0), 0.9)));
        self.add_tree(&mut search, next, Replies::Strong);
    }

    fn add_solution(&mut self, position: &Position) {
        let mut solver = Solver::new(16 << 20);
        let solution = solver.solve(position, 0, &Limits::nodes(SOLVER_NODES));
        self.add(solution.bounds.lower as u64);
        self.add(solution.bounds.upper as u64);
        solution.optimal.iter().for_each(|&mv| self.add_move(mv));
        self.add(solver.nodes());
    }

    /// Play a whole game, which covers the choice of targets, the model of the opponent and the memory
    /// between moves; without a second engine against a follower of the expected score.
    fn add_game(&mut self, mut position: Position, params: &Params, seed: u64, alone: bool) {
        let mut engines = [seed, seed + 1].map(|seed| {
            let (params, nodes, memory) = (params.clone(), Some(GAME_ITERATIONS), 64 << 20);
            Engine::new(Options { params, seed, nodes, memory, ..Options::default() })
        });
        for ply in 0.. {
            if position.final_score().is_some() {
                break;
            }
            let mv = if alone && ply % 2 == 1 {
                greedy_move(&position)
            } else {
                let choice = engines[ply % 2].choose(&position, Duration::MAX);
                self.add(choice.nodes);
                self.add(choice.target.map_or(0, |target| target.index() as u64 + 1));
                choice.mv
            };
            self.add_move(mv);
            position.try_play(mv).expect("a legal move");
        }
    }
}

/// The settings of the paper's program.
fn paper() -> Params {
    let ours = Params { prior_follower: 0.0, prior_largest: 0.0, prior_random: 0.0, ..Params::default() };
    let target = Params { choose: 0.5, ahead: 0.0, solve_from: 19, growth: 1.0, ..ours };
    Params { paper: true, tell_apart: false, exploration: 0.15, policy: 1, ..target }
}

fn signature() -> u64 {
    let mut signature = Signature(0);
    let (ours, paper) = (Params::default(), paper());
    for (seed, game) in (1..).step_by(2).zip(GAMES) {
        let game = replay(game);
        for position in SEARCHED.map(|empty| game[31 - empty]) {
            signature.add_searches(&position, &ours);
            signature.add_searches(&position, &paper);
        }
        SOLVED.iter().for_each(|&empty| signature.add_solution(&game[31 - empty]));
        signature.add_game(game[0], if seed == 3 { &paper } else { &ours }, seed, seed == 5);
    }
    signature.0
}

/// A path without the processor's support leaves the best of the others.
#[test]
fn every_instruction_path_makes_the_same_choices() {
    let found = signature();
    assert_eq!(found, SIGNATURE, "found {found:#x}");
    // The path is chosen once for a process: this test, begun anew.
    if env::var_os("BLACKHOLE_SIMD").is_none() {
        for path in ["portable", "sse4.1"] {
            let mut test = Command::new(env::current_exe().expect("a test has a file"));
            let run = test.args(["signature::"]).env("BLACKHOLE_SIMD", path).output();
            let run = run.expect("it starts");
            assert!(run.status.success(), "{path}: {}", String::from_utf8_lossy(&run.stdout));
        }
    }
}
