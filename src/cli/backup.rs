//! `flagstone backup`: a copy of a running SQLite database.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::{Outcome, say},
    config::DatabaseChoice,
    store::{
        backup,
        db::{Db, sqlite_path},
    },
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// File to write; it must not exist yet.
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseChoice,
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let source = sqlite_path(&arguments.database.url)
        .ok_or("only SQLite databases are copied by this command; use pg_dump for PostgreSQL")?;
    if !source.try_exists()? {
        return Err(format!("there is no database at {}", source.display()).into());
    }
    let file = arguments.file;
    // Made here, so that the copy is its owner's alone and nothing is ever overwritten.
    let mut new = std::fs::OpenOptions::new();
    new.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    let empty = new.open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let db = Db::open(&arguments.database.url).await?;
    let copied = backup::copy_into(&db, &file).await;
    db.close().await?;
    if let Err(error) = copied {
        std::fs::remove_file(&file)?;
        return Err(error.into());
    }
    empty.sync_all()?;
    say(&format!("{} bytes copied to {}.", std::fs::metadata(&file)?.len(), file.display()))?;
    say("The key file is not part of the copy; keep it elsewhere.")?;
    Ok(())
}
