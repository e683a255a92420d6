//! `flagstone migrate`: the database, created or brought to the schema of this version.

use crate::{
    cli::{Outcome, opening::upgrade, say},
    config::DatabaseChoice,
    store::{db::shown, migrate::Standing},
};

/// Upgrades, and prints what was done.
pub(super) async fn run(database: &DatabaseChoice) -> Outcome {
    let (db, before) = upgrade(database).await?;
    db.close().await?;
    Ok(say(&told(&shown(&database.url), &before))?)
}

fn told(name: &str, before: &Standing) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match before {
        Standing::Current => format!("The database {name} has the schema of version {version} already."),
        Standing::Older(missing) => {
            let (first, last) = (missing.first(), missing.last());
            let [first, last] = [first, last].map(|migration| migration.map_or("", String::as_str));
            format!(
                "The database {name} is upgraded to the schema of version {version}: {} migrations, from {first} to {last}.",
                missing.len()
            )
        }
        Standing::Empty | Standing::Foreign | Standing::Newer(_) => {
            format!("The database {name} is set up with the schema of version {version}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_told_by_how_it_was_before() {
        let version = env!("CARGO_PKG_VERSION");
        let missing = ["m1", "m2", "m3"].map(str::to_owned).to_vec();
        for (before, expected) in [
            (Standing::Current, format!("has the schema of version {version} already.")),
            (
                Standing::Older(missing),
                format!("is upgraded to the schema of version {version}: 3 migrations, from m1 to m3."),
            ),
            (Standing::Empty, format!("is set up with the schema of version {version}.")),
        ] {
            assert_eq!(told("a.db", &before), format!("The database a.db {expected}"));
        }
    }
}
