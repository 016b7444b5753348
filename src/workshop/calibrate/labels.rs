//! Exact values of recorded positions, kept on disk: one JSON object a line.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::position::{MAX_SCORE, Score};
use crate::player::record::Record;
use crate::player::solver::Solver;
use crate::workshop::lines::{JsonLine, LineFile};
use crate::workshop::notation::Notation;

/// What is known of a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    /// The game that leads to it.
    record: String,
    /// Its value; `None` when it was not found.
    value: Option<Score>,
    /// The solver nodes that did not find it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

impl JsonLine for Label {
    const WHAT: &'static str = r#"a label such as {"record":"E2 A1 C4 G2 D2 B1=3","value":-2}"#;
    const FIRST: &'static str = "record";

    fn check(&self) -> Result<(), String> {
        let range = -MAX_SCORE..=MAX_SCORE;
        let fits = self.value.map_or(self.nodes.is_some(), |value| range.contains(&value));
        if fits && Record::parse(&self.record).is_ok() { Ok(()) } else { Err(Label::WHAT.to_owned()) }
    }
}

/// Exact values, found by the solver or remembered from an earlier run.
#[derive(Default)]
pub struct Labels {
    known: HashMap<String, Label>,
    file: Option<LineFile>,
    /// Why labels are no longer written to the file.
    pub failure: Option<io::Error>,
    solver: Solver,
}

impl Labels {
    /// Make labels that remember those of a file, which is created if there is none, and append new
    /// ones to it. Of several for one position the last counts. The torn end of an interrupted
    /// write is cut off.
    ///
    /// # Errors
    /// When the file cannot be opened or read, or holds something else (kind `InvalidData`).
    pub fn open(path: &Path) -> io::Result<Labels> {
        let (file, lines) = LineFile::open::<Label>(path)?;
        let known = lines.records.into_iter().map(|label| (label.record.clone(), label)).collect();
        Ok(Labels { known, file: Some(file), ..Labels::default() })
    }

    /// Return the value of the position at the end of a record; `None` when `nodes` solver nodes do
    /// not find it. Every position is solved by itself, so that the answer does not depend on those
    /// before.
    pub fn value(&mut self, record: &Record, nodes: u64) -> Option<Score> {
        let name = record.to_string();
        if let Some(label) = self.known.get(&name)
            && (label.value.is_some() || label.nodes.is_some_and(|tried| tried >= nodes))
        {
            return label.value;
        }
        self.solver.clear();
        let guess = evaluation::likely_score(record.position());
        let value = self.solver.value(record.position(), guess, &Limits::nodes(nodes)).exact();
        let nodes = value.is_none().then_some(nodes);
        let label = Label { record: name.clone(), value, nodes };
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.append(&label)) {
            (self.file, self.failure) = (None, Some(error));
        }
        self.known.insert(name, label);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::lines::parse;

    #[test]
    fn lines_that_are_no_labels_are_named() {
        let read = |text: String| parse::<Label>(text.as_bytes()).map(|lines| lines.records);
        let good = r#"{"record":"E2 A1 C4 G2 D2 B1=3","value":-2}"#;
        let unsolved = r#"{"nodes":7,"record":"E2 A1 C4 G2 D2","value":null}"#;
        let known = read(format!("{good}\n{unsolved}\n")).expect("labels");
        assert_eq!(
            known.iter().map(|label| (label.value, label.nodes)).collect::<Vec<_>>(),
            [(Some(-2), None), (None, Some(7))]
        );
        assert_eq!(serde_json::to_string(&known[0]).expect("JSON"), good);
        let error = read(format!("{good}\nno\n")).expect_err("no").to_string();
        assert!(error.starts_with("line 2: found \"no\", expected a label"), "{error}");
        for bad in [
            "{}",
            &good.replace("-2", "76"),
            &good.replace("-2", "null"),
            &good.replace("-2", "1.5"),
            &good.replace("B1=3", "A1=3"),
        ] {
            let error = read(format!("{good}\n{bad}\n")).expect_err(bad).to_string();
            assert!(error.starts_with("line 2: expected a label"), "{error}");
        }
    }
}
