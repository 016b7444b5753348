//! A board in the browser: what stands between the page and the engine.
//!
//! - [`http`]: requests read and judged with suspicion; who may ask.
//! - [`workers`]: questions, each answered by a process of its own.
//!
//! What the page may rely on:
//!
//! - An answer that begins (status 200) is lines of JSON. The last is `{"ended":"done"}`,
//!   `{"ended":"taken over"}` or `{"ended":"failed","why":SENTENCE}`. Without it the connection broke.
//! - `move`, `hint`, `analyse` and `review` share one engine: a new question ends the one at work, which is
//!   taken over. `read` needs no engine: it ends nothing, nothing ends it, and it may have to wait.
//! - Every response has the header `Server: blackhole`. A refusal has a sentence that says what to do. Status
//!   403 at an address that worked means that the program was started again, with another token.

pub mod http;
pub mod workers;
