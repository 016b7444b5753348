//! `blackhole completions`: a text made from the description of the command line.

use clap::Args;
use clap_complete::{Shell, generate};

use super::{CommandResult, SUCCESS, command_line, print};

/// Print the completions of the command line for a shell
///
/// In bash: source <(blackhole completions bash)
#[derive(Args)]
pub(super) struct CompletionsOptions {
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(options: &CompletionsOptions) -> CommandResult {
    let mut text = Vec::new();
    generate(options.shell, &mut command_line(), env!("CARGO_PKG_NAME"), &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(SUCCESS)
}
