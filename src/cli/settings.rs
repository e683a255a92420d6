//! `flagstone settings`: what to do when the key of the login settings is lost.

use clap::{Args, Subcommand};

use crate::{
    cli::{Outcome, say, serve},
    clock::Clock,
    config::Options,
    start,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Delete the encrypted login settings, because their key is lost. The next start takes the key that it finds.
    Forget,
}

pub(super) async fn run(options: &Options, arguments: Arguments) -> Outcome {
    let Command::Forget = arguments.command;
    let db = serve::open(options).await?;
    let gone = start::forget_sealed(&db, Clock::system().now()).await;
    db.close().await?;
    say(&format!("{} login settings are deleted.", gone?.len()))?;
    Ok(())
}
