//! `blackhole completions` and `blackhole man`: texts made from the description of the command line.

use clap::Args;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::{CommandResult, Failure, SUCCESS, command_line, print};

/// Print the completions of the command line for a shell
///
/// In bash: source <(blackhole completions bash)
#[derive(Args)]
pub(super) struct CompletionsOptions {
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page of the program or of a command
///
/// To read it: blackhole man match | man -l -
#[derive(Args)]
pub(super) struct ManOptions {
    /// A command, such as match
    command: Option<String>,
}

/// Print the completions.
pub(super) fn complete(options: &CompletionsOptions) -> CommandResult {
    let mut text = Vec::new();
    generate(options.shell, &mut command_line(), env!("CARGO_PKG_NAME"), &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(SUCCESS)
}

/// Print a manual page.
pub(super) fn man(options: &ManOptions) -> CommandResult {
    let mut command = command_line();
    command.build();
    if let Some(name) = &options.command {
        let commands = command.get_subcommands().map(|known| known.get_name().to_owned());
        let expected = commands.collect::<Vec<_>>().join(", ");
        let found = command.find_subcommand(name).cloned();
        let found =
            found.ok_or_else(|| Failure::input(format!("found {name}, expected one of {expected}")))?;
        command = found.display_name(format!("{}-{name}", env!("CARGO_PKG_NAME")));
    }
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    print(&String::from_utf8_lossy(&text))?;
    Ok(SUCCESS)
}
