//! `blackhole bench`: how fast the searches are on this machine, and a signature of what they do.

use clap::Args;
use serde_json::json;

use super::{Failure, Outcome, SUCCESS, json_object, print};

/// Run a fixed set of seeded searches; print their rates, and a signature that changes only when the
/// program's behaviour does
#[derive(Args)]
pub(super) struct BenchOptions {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Work done and the seconds it took.
struct Figure {
    count: u64,
    seconds: f64,
}

impl Figure {
    fn rate(&self) -> f64 {
        self.count as f64 / self.seconds.max(1e-9)
    }
}

struct Figures {
    iterations: Figure,
    playouts: Figure,
    solver_nodes: Figure,
    /// A hash of every move, value and count of the searches.
    signature: u64,
}

/// Run the searches.
fn measure() -> Result<Figures, Failure> {
    Err(Failure::Input("this build has no searches to measure".to_owned()))
}

/// Print the figures.
pub(super) fn run(options: &BenchOptions) -> Outcome {
    let Figures { iterations, playouts, solver_nodes, signature } = measure()?;
    let rows = [("iterations", &iterations), ("playouts", &playouts), ("solver nodes", &solver_nodes)];
    if options.json {
        let rate = |figure: &Figure| json!(figure.rate().round());
        print(&json_object(&[
            ("iterations_per_second", rate(&iterations)),
            ("playouts_per_second", rate(&playouts)),
            ("solver_nodes_per_second", rate(&solver_nodes)),
            ("signature", json!(format!("{signature:016x}"))),
        ]))?;
    } else {
        let lines: Vec<String> = rows
            .iter()
            .map(|(name, f)| {
                format!("{:>12} {name:<12} {:>8.3} s {:>12.0} a second\n", f.count, f.seconds, f.rate())
            })
            .collect();
        print(&format!("{}signature {signature:016x}\n", lines.concat()))?;
    }
    Ok(SUCCESS)
}
