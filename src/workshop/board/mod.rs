//! A board in the browser: the way between the page and the engine.
//!
//! - [`http`]: untrusted requests, and the permission to ask.
//! - [`workers`]: questions, each answered by a process of its own.
//!
//! The page may rely on this:
//!
//! - An answer with status 200 is lines of JSON. The last is `{"ended":"done"}`, `{"ended":"taken over"}` or
//!   `{"ended":"failed","why":SENTENCE}`; without it the connection broke.
//! - `move`, `hint`, `analyse` and `review` share one engine: a new question takes over, and ends the
//!   question at work. `read` needs no engine: it ends no question and no question ends it, but it may wait.
//! - Every response has the header `Server: blackhole`. A refusal has a sentence of advice. Status 403 at an
//!   address that worked before means that the program was started again, with another token.

pub mod http;
pub mod workers;
