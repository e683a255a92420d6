//! Whether a database is whole: its file, its schema, its rows, its log of events, and whether the key fits.

use std::path::Path;

use flagstone_audit::{self as audit, Scope, Trust};
use flagstone_domain::time::Timestamp;
use flagstone_store::{
    backup::{self, Counts},
    db::Db,
    events::{chain, revisions},
    migrate::{self, Standing},
    schema,
    settings::{self, KeyFit},
};
use flagstone_vault::Vault;

use super::BackupError;

/// Report of the verification of a database.
#[derive(Debug)]
pub struct Report {
    /// Faults, each a sentence without its end. Nothing is when there are none.
    pub faults: Vec<String>,
    /// Further notes.
    pub notes: Vec<String>,
    /// Rows of each table.
    pub tables: Counts,
    /// Standing of the schema to that of this program.
    pub standing: Standing,
    /// Whether the key fits.
    pub key: KeyFit,
    /// When the newest event happened.
    pub newest: Option<Timestamp>,
}

impl Report {
    /// All rows.
    pub fn rows(&self) -> u64 {
        self.tables.values().sum()
    }
}

/// Opens a file for reading alone, and verifies it.
pub async fn verify_file(file: &Path, expected: Option<&Counts>, vault: Option<&Vault>) -> Result<Report, BackupError> {
    if !file.is_file() {
        return Err(BackupError::new(format!("there is no file {}", file.display())));
    }
    let unreadable = |error: &dyn std::fmt::Display| {
        BackupError::new(format!("{} is no database that can be read: {error}", file.display()))
    };
    let db = Db::open_file_read_only(file).await.map_err(|error| unreadable(&error))?;
    let report = verify(&db, expected, vault).await.map_err(|error| unreadable(&error));
    // Nothing was written, so nothing is lost if that fails.
    let _closed = db.close().await;
    report
}

/// Verifies a database of either kind. The rows of each table are compared where it is known what they should be.
pub async fn verify(db: &Db, expected: Option<&Counts>, vault: Option<&Vault>) -> Result<Report, BackupError> {
    let faults = backup::faults(db).await?;
    let mut report = Report {
        faults,
        notes: Vec::new(),
        tables: Counts::new(),
        standing: migrate::standing(db).await?,
        key: KeyFit::NothingSealed,
        newest: None,
    };
    // What follows would only fail on pages that cannot be read.
    if !report.faults.is_empty() {
        return Ok(report);
    }
    let is_ours = match &report.standing {
        Standing::Current | Standing::Older(_) => true,
        Standing::Newer(newer) => {
            report.faults.push(newer.to_string());
            true
        }
        Standing::Empty | Standing::Foreign => {
            report.faults.push("it is no database of Flagstone".to_owned());
            false
        }
    };
    if !is_ours {
        return Ok(report);
    }
    if !matches!(report.standing, Standing::Newer(_)) {
        let differences = schema::differences(db).await?;
        report.faults.extend(differences.into_iter().map(|one| format!("its schema was changed: {one}")));
    }
    report.tables = backup::counts(db).await?;
    report.key = match settings::key_fit(db, vault).await {
        Ok(found) => found,
        // The settings of another schema may look different.
        Err(_) if report.standing != Standing::Current => KeyFit::NothingSealed,
        Err(error) => return Err(error.into()),
    };
    if report.key == KeyFit::Foreign {
        report.faults.push(
            "its login settings are encrypted with another key: give the key that belongs to it with FLAGSTONE_KEY_FILE \
             or FLAGSTONE_SECRET_KEY"
                .to_owned(),
        );
    }
    if let Some(expected) = expected {
        report.faults.extend(differences(expected, &report.tables));
    }
    if let Standing::Older(missing) = &report.standing {
        let (many, first) = (missing.len(), missing.first().map_or("", String::as_str));
        report.notes.push(format!(
            "Its schema is older than this program ({many} migrations, from {first} on): the next start upgrades it, and \
             its log is verified after that."
        ));
    }
    if report.standing == Standing::Current {
        follow_the_log(db, vault, &mut report).await?;
    }
    Ok(report)
}

async fn follow_the_log(db: &Db, vault: Option<&Vault>, report: &mut Report) -> Result<(), BackupError> {
    // With another key than that of the database nothing would count.
    let trusted = vault.filter(|_| report.key != KeyFit::Foreign).map(Trust::in_vault).unwrap_or_default();
    let verdict = audit::verify(db, &trusted, &[], Scope::default()).await?;
    let reach = chain::reach(db).await?;
    report.newest = revisions::newest_time(db).await?;
    match verdict.fault {
        Some(fault) => report.faults.push(format!("its log of events does not hold: {fault}")),
        None => report.notes.push(format!("Its log holds, up to event {}.", verdict.at.event_id)),
    }
    if reach.newest > verdict.head.event_id {
        let from = verdict.head.event_id + 1;
        report.notes.push(format!("Events from {from} to {} have no hash yet; a server gives it.", reach.newest));
    }
    Ok(())
}

fn differences(expected: &Counts, found: &Counts) -> Vec<String> {
    let mut differences = Vec::new();
    for (table, rows) in expected {
        match found.get(table) {
            Some(there) if there == rows => {}
            Some(there) => differences.push(format!("{table} has {there} rows and not {rows}")),
            None => differences.push(format!("{table} is missing")),
        }
    }
    differences
        .extend(found.keys().filter(|table| !expected.contains_key(*table)).map(|table| format!("{table} is new")));
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_in_rows_is_told() {
        let counts = |rows: &[(&str, u64)]| rows.iter().map(|(table, rows)| ((*table).to_owned(), *rows)).collect();
        let expected: Counts = counts(&[("event", 3), ("feature", 1), ("tag", 0)]);
        assert_eq!(differences(&expected, &expected), Vec::<String>::new());
        let found = counts(&[("event", 2), ("feature", 1), ("visitor", 1)]);
        let told = ["event has 2 rows and not 3", "tag is missing", "visitor is new"];
        assert_eq!(differences(&expected, &found), told);
    }
}
