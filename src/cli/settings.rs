//! `flagstone settings`: the key of the login settings, when it is to be changed and when it is lost.

use clap::{Args, Subcommand, ValueEnum};

use crate::{
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::{DatabaseChoice, Keys},
    start,
    store::db::Db,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Delete the encrypted login settings, because their key is lost. The next start takes the key that it finds.
    Forget,
    /// Let people sign in with a password again, when signing in through a login provider fails.
    Passwords(Passwords),
    /// Encrypt everything with the key that is encrypted with the previous one, also while servers run that have both.
    Rekey(Keys),
}

#[derive(Debug, Args)]
struct Passwords {
    /// New state.
    #[arg(value_enum)]
    switch: Switch,
}

/// The way back is one way: switching passwords off is for who has signed in without one.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Switch {
    /// Users who have a password can sign in with it.
    On,
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::Forget => forget(&arguments.database).await,
        Command::Passwords(Passwords { switch: Switch::On }) => passwords_on(&arguments.database).await,
        Command::Rekey(keys) => rekey(&arguments.database, &keys).await,
    }
}

async fn forget(database: &DatabaseChoice) -> Outcome {
    let db = open(database, Opening::OnlyCurrent).await?;
    let gone = start::forget_sealed(&db, Clock::system().now()).await;
    db.close().await?;
    say(&format!("{} login settings are deleted.", gone?.len()))?;
    Ok(())
}

async fn passwords_on(database: &DatabaseChoice) -> Outcome {
    let db = open(database, Opening::OnlyCurrent).await?;
    let switched = start::switch_passwords_on(&db, Clock::system().now()).await;
    db.close().await?;
    let told = if switched? {
        "People can sign in with a password again."
    } else {
        "People can sign in with a password already."
    };
    say(told)?;
    Ok(())
}

async fn renew(
    db: &Db,
    database: &DatabaseChoice,
    keys: &Keys,
) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
    let vault = keys.unlock(database)?;
    Ok(start::rekey(db, &vault, Clock::system().now()).await?)
}

async fn rekey(database: &DatabaseChoice, keys: &Keys) -> Outcome {
    // First, so that no key is made for a database that is none.
    let db = open(database, Opening::OnlyCurrent).await?;
    let done = renew(&db, database, keys).await;
    db.close().await?;
    match &*done? {
        [] => say("Everything is encrypted with this key already.")?,
        [one] => say(&format!("1 entry is now encrypted with the new key: {one}."))?,
        ids => say(&format!("{} entries are now encrypted with the new key: {}.", ids.len(), ids.join(", ")))?,
    }
    say("Servers can do without the previous key; keep it with backups of before.")?;
    Ok(())
}
