//! A board in the browser: the way between the page and the engine.
//!
//! - [`http`]: untrusted requests, and the permission to ask.
//! - [`server`]: requests and their answers. [`answers`]: the questions, and their answers as lines of JSON.
//! - [`tabs`]: questions to the engines, those of each tab answered one at a time.
//! - [`following`]: a file of games that grows. [`memory`]: the memory of the engines.
//! - [`opener`]: the way of the address to a browser.
//!
//! The page may rely on this:
//!
//! - An answer with status 200 is lines of JSON. The last is `{"ended":"done"}`, `{"ended":"taken over"}` or
//!   `{"ended":"failed","why":SENTENCE}`; without it the connection broke.
//! - `move`, `hint`, `analyse`, `review` and `story` are for the engine of their `tab`: a tab's new question ends
//!   its question at work. `read` and `follow` need no engine: they end no question, and no question ends them.
//! - `analyse` answers in turns: the judge's analysis with its `effort` (1: the default), then the solver's `bounds`,
//!   scores and rows of `moves` when proven, at the end of a turn all of them with the number of `turns`.
//! - `story` tells a reviewed game anew by what is `known` before its first move and after each, and its `best` moves.
//! - `follow` sends the match's report, the file's `age` and its games from number `from` (counted from 0) on, which
//!   replace those sent before: first from the last game of `have`, then after every change.
//! - Every response has the header `Server: blackhole`. A refusal has a sentence of advice. Status 403 at an
//!   address that worked before means that the program was started again, with another token.

pub mod answers;
pub mod following;
pub mod http;
pub mod memory;
pub mod opener;
pub mod server;
pub mod tabs;
