//! What an iteration reads of the parameter table.

use super::playout::Policy;
use crate::player::params::Params;

/// The settings an iteration reads, taken from the parameter table once a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub exploration: f32,
    pub equivalence: f32,
    pub first_play: f32,
    pub horizon: usize,
    pub source: AmafSource,
    pub amaf_ref: u32,
    pub amaf_from: u32,
    pub policy: Policy,
    pub ordered: bool,
    pub open_base: f32,
    pub open_rate: f32,
    pub prior_visits: f32,
    pub expand_visits: u32,
    pub leaf_static: f32,
    pub leaf_playout: f32,
    pub share: i32,
    pub prove_effort: f32,
    pub targets_kept: usize,
}

/// Whose AMAF statistics a node's selection uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AmafSource {
    /// Nobody's: plain UCT.
    Nobody,
    /// Its own: RAVE.
    Own,
    /// Its own from the ref threshold on, its parent's below (§3.1).
    Priming,
    /// Those of the deepest ancestor at or above the ref threshold.
    Grave,
}

impl Settings {
    pub fn new(params: &Params) -> Settings {
        let source = match params.amaf_source {
            0 => AmafSource::Nobody,
            1 => AmafSource::Own,
            2 => AmafSource::Priming,
            _ => AmafSource::Grave,
        };
        Settings {
            exploration: params.exploration,
            equivalence: params.equivalence,
            first_play: params.first_play,
            horizon: params.horizon as usize,
            source,
            amaf_ref: params.amaf_ref,
            amaf_from: if source == AmafSource::Own { 1 } else { params.amaf_from },
            policy: Policy::of(params),
            ordered: params.ordered != 0,
            open_base: params.open_base,
            open_rate: params.open_rate,
            prior_visits: params.prior_visits,
            expand_visits: params.expand_visits,
            leaf_static: params.leaf_static,
            leaf_playout: params.leaf_playout,
            share: params.share as i32,
            prove_effort: params.prove_effort,
            targets_kept: params.targets_kept as usize,
        }
    }
}
