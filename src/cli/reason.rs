//! The reason of a change, as commands take it.

use clap::Args;

use crate::domain::change_reason::ChangeReason;

/// Reason of what a command changes.
#[derive(Debug, Clone, Args)]
pub(super) struct Reason {
    /// Reason for the change, which its events keep: one line of at most 500 characters.
    #[arg(long, value_name = "TEXT", value_parser = parse)]
    pub(super) reason: Option<ChangeReason>,
}

fn parse(text: &str) -> Result<ChangeReason, String> {
    let reason = ChangeReason::parse(text).map_err(|rule| rule.to_string())?;
    reason.ok_or_else(|| "must not be blank".to_owned())
}
