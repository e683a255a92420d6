//! `flagstone restore`: a copy in the place of the SQLite database.

use std::path::PathBuf;

use clap::Args;

use crate::{
    backups::{self, Wanted},
    cli::{Outcome, backup, say},
    clock::Clock,
    config::{DatabaseChoice, Keys},
    store::db::sqlite_path,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// File that `flagstone backup` made.
    file: PathBuf,
    /// Put the database that is there aside, under a name that is printed, and keep it.
    #[arg(long)]
    replace: bool,
    /// Restore although the key of the login settings is lost; `flagstone settings forget` deletes them then.
    #[arg(long)]
    key_is_lost: bool,
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(flatten)]
    keys: Keys,
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let Arguments { file, replace, key_is_lost, database, keys } = arguments;
    let target = sqlite_path(&database.url).ok_or(
        "only SQLite databases are restored by this command; use pg_restore for PostgreSQL, and then `flagstone backup \
         verify`",
    )?;
    let vault = keys.unlock_existing(&database)?;
    let wanted = Wanted { copy: &file, database: target, replace, key_is_lost };
    let restored = backups::restore(wanted, vault.as_ref(), Clock::system().now()).await?;
    say(&format!("{} is restored to {}.", file.display(), target.display()))?;
    say(&backup::found(&restored.report))?;
    for note in &restored.report.notes {
        say(note)?;
    }
    if let Some(aside) = &restored.aside {
        say(&format!("The database of before is kept as {}; remove it when you miss nothing.", aside.display()))?;
    }
    Ok(())
}
