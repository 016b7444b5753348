//! Several threads that answer one question together.
//!
//! All search the same position, from the root, with the same tables: what one has proven the others find there.
//! Two rules make them share the work instead of doing it twice. At a node where some moves have failed, a move
//! that another thread is searching is put off (most such nodes are lost, so that every move must be refuted).
//! And a thread that is still below a node which another has decided leaves it at once.
//!
//! None of this can change an answer: a move put off is searched in the end, and whoever leaves a node visits it
//! again, to find its certificate in the table or to search on.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::buckets::words_of;
use super::search::MAX_PLIES;
use super::state::State;
use super::tuning::SHARED_AFTER;

/// The low bits of a name that are the ply.
const PLY: u64 = 31;

/// What a thread tells the others.
#[repr(align(64))] // a cache line of its own
struct Post {
    /// The name of the node that it is in at every ply, or 0.
    inside: [AtomicU64; MAX_PLIES],
    /// The move that it is searching there, mixed with the name, or 0.
    searching: [AtomicU64; MAX_PLIES],
    /// The name of a node that another has decided since, or 0.
    decided: AtomicU64,
}

/// The threads at work on a question.
pub struct Crew {
    posts: Vec<Post>,
    /// The empty cells from which a node is shared.
    shared_from: u32,
    finished: AtomicBool,
}

impl Crew {
    /// Make a crew that shares nodes from so many empty cells.
    pub fn new(threads: usize, shared_from: u32) -> Crew {
        let none = || std::array::from_fn(|_| AtomicU64::new(0));
        let post = || Post { inside: none(), searching: none(), decided: AtomicU64::new(0) };
        Crew { posts: (0..threads).map(|_| post()).collect(), shared_from, finished: AtomicBool::new(false) }
    }

    /// Tell everyone to stop.
    pub fn finish(&self) {
        self.finished.store(true, Relaxed);
    }
}

/// A thread of a crew.
pub struct Member {
    crew: Arc<Crew>,
    own: usize,
    /// The name of a node that it is leaving, or 0.
    leaving: u64,
}

impl Member {
    pub fn new(crew: &Arc<Crew>, own: usize) -> Member {
        Member { crew: Arc::clone(crew), own, leaving: 0 }
    }

    fn post(&self) -> &Post {
        &self.crew.posts[self.own]
    }

    fn others(&self) -> impl Iterator<Item = &Post> {
        self.crew.posts.iter().enumerate().filter(|&(n, _)| n != self.own).map(|(_, post)| post)
    }

    /// Tell whether to stop: the question is answered, or a node that this thread is in is decided.
    #[inline(always)]
    pub fn is_stopped(&mut self) -> bool {
        let decided = self.post().decided.load(Relaxed);
        if decided != 0 && self.leaving == 0 {
            if self.post().inside[(decided & PLY) as usize].load(Relaxed) == decided {
                self.leaving = decided;
            } else {
                self.post().decided.store(0, Relaxed);
            }
        }
        self.leaving != 0 || self.crew.finished.load(Relaxed)
    }

    /// Enter a node. Returns its name; 0 when it is too small to be shared.
    pub fn enter(&self, state: &State, ply: usize) -> u64 {
        if state.empty.count_ones() < self.crew.shared_from {
            return 0;
        }
        let name = fingerprint(state) & !PLY | ply as u64;
        self.post().inside[ply].store(name, Relaxed);
        name
    }

    /// Leave a node that is decided, or that a limit was reached in. Tells whether it is to be visited again, as
    /// another has decided it.
    pub fn leave(&mut self, name: u64, decided: bool) -> bool {
        let ply = (name & PLY) as usize;
        self.post().inside[ply].store(0, Relaxed);
        self.post().searching[ply].store(0, Relaxed);
        if decided {
            for post in self.others().filter(|post| post.inside[ply].load(Relaxed) == name) {
                post.decided.store(name, Relaxed);
            }
        }
        let again = !decided && self.leaving == name;
        if again {
            self.leaving = 0;
            self.post().decided.store(0, Relaxed);
        }
        again
    }

    /// Tell whether a move on a cell is to be put off at a node, where some have failed, as another thread is
    /// searching one there.
    pub fn puts_off(&self, name: u64, lane: u8, failed: usize) -> bool {
        let ply = (name & PLY) as usize;
        let busy = |post: &Post| post.searching[ply].load(Relaxed) == mix(name, u64::from(lane) + 1);
        name != 0 && failed >= SHARED_AFTER && self.others().any(busy)
    }

    /// Begin to search moves on a cell at a node.
    pub fn search(&self, name: u64, lane: u8) {
        if name != 0 {
            let searching = &self.post().searching[(name & PLY) as usize];
            searching.store(mix(name, u64::from(lane) + 1), Relaxed);
        }
    }
}

fn mix(sum: u64, word: u64) -> u64 {
    let sum = (sum.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    sum ^ sum >> 29
}

/// Mix all that a state is. Two of the same would only be taken for one another here, where nothing but work
/// can be lost.
fn fingerprint(state: &State) -> u64 {
    let hands = state.hands.map(|hand| hand.iter().fold(0, |set, stone| set | 1 << stone.value()));
    let start = mix(u64::from(state.empty), hands[0] | hands[1] << 32);
    words_of(&state.scores.0).into_iter().fold(start, mix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::alpha::Target;
    use crate::player::position::Position;
    use crate::player::solver::state::Frame;

    const LANE: u8 = 3;

    /// Two threads of a crew, and two nodes: one at ply 5, the other below it at ply 6.
    fn pair() -> ([Member; 2], [State; 2], Arc<Crew>) {
        let position = Position::classic();
        let mut frame = Frame::new();
        frame.admit(position.empty());
        let state = frame.state(&position, Target::new(0));
        let stone = crate::player::board::Stone::new(7).expect("a stone");
        let crew = Arc::new(Crew::new(2, 20));
        ([0, 1].map(|own| Member::new(&crew, own)), [state, state.after(&frame, 0, stone)], crew)
    }

    #[test]
    fn a_move_that_another_thread_searches_is_put_off() {
        let ([one, two], [state, below], _) = pair();
        let name = one.enter(&state, 5);
        assert_eq!(two.enter(&state, 5), name);
        one.search(name, LANE);
        assert!(two.puts_off(name, LANE, SHARED_AFTER));
        assert!(!two.puts_off(name, LANE, SHARED_AFTER - 1), "too early");
        assert!(!two.puts_off(name, LANE + 1, SHARED_AFTER), "another cell");
        assert!(!one.puts_off(name, LANE, SHARED_AFTER), "its own");
        let elsewhere = two.enter(&below, 5);
        assert!(!two.puts_off(elsewhere, LANE, SHARED_AFTER), "another node");
        let mut one = one;
        assert!(!one.leave(name, true));
        assert!(!two.puts_off(name, LANE, SHARED_AFTER), "no longer");
    }

    #[test]
    fn small_nodes_are_not_shared() {
        let ([one, two], [_, below], _) = pair();
        let stone = crate::player::board::Stone::new(8).expect("a stone");
        let mut frame = Frame::new();
        frame.admit(Position::classic().empty());
        let name = one.enter(&below.after(&frame, 1, stone), 7);
        assert_eq!(name, 0, "19 cells");
        one.search(name, LANE);
        assert!(!two.puts_off(name, LANE, SHARED_AFTER));
    }

    #[test]
    fn a_node_that_another_thread_decides_is_left_and_visited_again() {
        let ([mut one, mut two], [state, below], _) = pair();
        let name = one.enter(&state, 5);
        let name_below = one.enter(&below, 6);
        two.enter(&state, 5);
        assert!(!one.is_stopped());
        assert!(!two.leave(name, true), "decided is decided");
        assert!(!two.is_stopped());
        assert!(one.is_stopped());
        assert!(!one.leave(name_below, false), "on the way out");
        assert!(one.is_stopped());
        assert!(one.leave(name, false), "to be visited again");
        assert!(!one.is_stopped());
    }

    #[test]
    fn nodes_that_a_thread_is_no_longer_in_do_not_stop_it() {
        let ([mut one, two], [state, below], _) = pair();
        let name = one.enter(&below, 6);
        two.enter(&below, 6);
        two.crew.posts[0].decided.store(name, Relaxed);
        assert!(!one.leave(name, true));
        one.enter(&state, 5);
        assert!(!one.is_stopped());
        assert_eq!(one.post().decided.load(Relaxed), 0, "forgotten");
    }

    #[test]
    fn everyone_stops_when_the_question_is_answered() {
        let ([mut one, _], [state, _], crew) = pair();
        let name = one.enter(&state, 5);
        crew.finish();
        assert!(one.is_stopped());
        assert!(!one.leave(name, false));
    }
}
