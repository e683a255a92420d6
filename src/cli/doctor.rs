//! `flagstone doctor`.
use clap::Args;
#[derive(Debug, Args)]
pub(super) struct Arguments {}
pub(super) async fn run(_arguments: &Arguments) -> super::Outcome {
    Ok(())
}
