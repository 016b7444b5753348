//! Every setting of the engine in one table: name, meaning, range, default. Options and listings
//! read the table; the code reads the fields.

#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name in options and listings.
    pub name: &'static str,
    /// The setting's effect, with the paper's symbol and section if there is one.
    pub meaning: &'static str,
    pub range: (f32, f32),
    /// Whether only whole numbers make sense.
    pub whole: bool,
    pub default: f32,
    write: fn(&mut Params, f32),
}

macro_rules! params {
    ($($(#[doc = $meaning:literal])+ $name:ident : $kind:ident = $default:literal in $least:literal ..= $most:literal;)+) => {
        /// The engine's settings. [`Params::ROWS`] lists them with their ranges.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Params {
            $($(#[doc = $meaning])+ pub $name: $kind,)+
            /// Whether the engine follows the paper's program in everything that no row sets: all of a node's moves are
            /// open and tried from its first visit on, a leaf's value is its playout's outcome, the goal is
            /// kept, moves after the first solved one take longer.
            pub paper: bool,
            /// Whether a node with few visits uses its parent's AMAF statistics (AMAF priming, §3.1).
            pub priming: bool,
            /// Whether optimal moves are told apart by the expected replies.
            pub tell_apart: bool,
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default,)+ paper: false, priming: true, tell_apart: true }
            }
        }

        impl Params {
            /// The table, in the order of the fields.
            pub const ROWS: &'static [Setting] = &[
                $(Setting {
                    name: stringify!($name),
                    meaning: concat!($($meaning),+),
                    range: ($least as f32, $most as f32),
                    whole: params!(@whole $kind),
                    default: $default as f32,
                    write: |params, value| params.$name = value as $kind,
                },)+
            ];
        }
    };
    (@whole u32) => { true };
    (@whole f32) => { false };
}

params! {
    // The formula.
    /// Exploration constant c_e of UCT (§3.0.3).
    exploration: f32 = 0.3 in 0.0..=3.0;

    // A node's moves, and playouts.
    /// Whether opened moves have a prior: 0 no (each is tried once), 1 yes (the network orders them and
    /// values the untried ones; not in trees for believed replies).
    network_prior: u32 = 1 in 0..=1;
    /// Default policy: 1 the paper's lotteries (§4.2), 2 the smallest killing stone.
    policy: u32 = 2 in 1..=2;

    // The target, and moves that are about equally good for it.
    /// γ_m of Algorithm 1: play for the hardest target with at least this chance; late in the game an
    /// easier one is taken when the chance falls below it.
    choose: f32 = 0.45 in 0.0..=1.0;
    /// Share of a move's time for the next harder target, to tell apart moves that are equally good
    /// for the goal; 0 looks at the goal alone, as in the paper.
    ahead: f32 = 0.5 in 0.0..=1.0;
    /// Chance of the goal that may be given up for a better chance of the next harder target.
    ahead_risk: f32 = 0.16 in 0.0..=1.0;

    // The opponent.
    /// Chance, before any reply, that the opponent follows the expected score sharply.
    prior_follower: f32 = 0.1 in 0.0..=0.3;
    /// Chance that the opponent always plays its largest stone.
    prior_largest: f32 = 0.02 in 0.0..=0.3;
    /// Chance that the opponent moves at random.
    prior_random: f32 = 0.1 in 0.0..=0.3;
    /// Draw modelled replies in the trees if the opponent is predictable with at least this chance; above
    /// 1, never. For a stranger that chance is the sum of the three chances above.
    model_from: f32 = 0.2 in 0.001..=2.0;
    /// Most playouts of a search for the best response to a predictable opponent.
    response_playouts: u32 = 200000 in 0..=10000000;

    // The clock and the solver.
    /// Empty cells above which the solver is never tried.
    solve_from: u32 = 25 in 0..=36;
    /// Ratio of each move's time to that of the move before, until the solver can be relied on.
    growth: f32 = 1.3 in 0.1..=10.0;
    /// Seconds of the clock that are kept in reserve.
    margin: f32 = 0.15 in 0.0..=10.0;
}

impl Params {
    /// Set the setting with a name; the error names the expected: a setting's name, or a number of its kind and range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let row = Params::ROWS.iter().find(|row| row.name == name);
        let &Setting { range: (least, most), whole, write, .. } =
            row.ok_or("expected a setting, --set list lists them")?;
        let fits = |value: &f32| (least..=most).contains(value) && (!whole || value.fract() == 0.0);
        let kind = if whole { "a whole number" } else { "a number" };
        let value = text.parse().ok().filter(fits);
        write(self, value.ok_or_else(|| format!("expected {kind} from {least} to {most}"))?);
        Ok(())
    }

    /// Return the visits from which a node's moves are searched; earlier playouts start from the node itself.
    pub fn expand_visits(&self) -> u32 {
        2 - u32::from(self.paper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_sets_its_field_within_its_range() {
        for row in Params::ROWS {
            let (least, most) = row.range;
            let set = |value: f32| {
                let mut params = Params::default();
                params.set(row.name, &value.to_string()).ok().map(|()| params)
            };
            assert!(least <= row.default && row.default <= most, "{}", row.name);
            let other = set(if row.default == most { least } else { most }).expect(row.name);
            assert_ne!(other, Params::default(), "{}", row.name);
            assert_eq!(set(row.default), Some(Params::default()), "{}", row.name);
            let between = if row.whole { least + 0.5 } else { (least + most) / 2.0 };
            assert_eq!(set(between).is_none(), row.whole, "{}", row.name);
            assert_eq!([most + 1.0, least - 1.0, f32::NAN].map(set), [None, None, None], "{}", row.name);
        }
    }
}
