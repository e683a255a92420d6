//! `flagstone settings`: the key of the login settings, when it is to be changed and when it is lost.

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
    /// Encrypt everything with the key that is encrypted with the previous one, also while servers run that have both.
    Rekey,
}

pub(super) async fn run(options: &Options, arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::Forget => forget(options).await,
        Command::Rekey => rekey(options).await,
    }
}

async fn forget(options: &Options) -> Outcome {
    let db = serve::open(options).await?;
    let gone = start::forget_sealed(&db, Clock::system().now()).await;
    db.close().await?;
    say(&format!("{} login settings are deleted.", gone?.len()))?;
    Ok(())
}

async fn rekey(options: &Options) -> Outcome {
    // First, so that the database is left alone when a key is none.
    let vault = options.unlock()?;
    let db = serve::open(options).await?;
    let done = start::rekey(&db, &vault, Clock::system().now()).await;
    db.close().await?;
    match &*done? {
        [] => say("Everything is encrypted with this key already.")?,
        [one] => say(&format!("1 entry is now encrypted with the new key: {one}."))?,
        ids => say(&format!("{} entries are now encrypted with the new key: {}.", ids.len(), ids.join(", ")))?,
    }
    say("Servers can do without the previous key; keep it with backups of before.")?;
    Ok(())
}
