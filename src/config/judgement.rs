//! Judgement of options that are valid each by itself: combinations that do not go together, and secrets, which are not
//! judged where a complaint would quote them.

use std::time::Duration;

use flagstone_domain::secret::{self, Strength, WEAK};
use flagstone_store::db::is_postgres;

use super::{Hidden, Options};

/// Errors and warnings about the options. Neither holds a secret.
#[derive(Debug, Default)]
pub struct Judgement {
    /// Errors, with which nothing starts.
    pub wrong: Vec<String>,
    /// Warnings, with which it does.
    pub doubtful: Vec<String>,
}

impl Judgement {
    /// Takes what is wrong, and goes on.
    pub fn note<T>(&mut self, outcome: Result<T, impl Into<String>>) -> Option<T> {
        outcome.map_err(|reason| self.wrong.push(reason.into())).ok()
    }

    /// Returns the first of the errors, and logs the warnings.
    pub fn into_result(self) -> Result<(), String> {
        for doubt in &self.doubtful {
            tracing::warn!(target: "flagstone::config::judgement", "{doubt}");
        }
        self.wrong.into_iter().next().map_or(Ok(()), Err)
    }
}

impl Options {
    /// The replica that heavy reads go to, and how far behind it may be.
    pub fn replica(&self) -> Option<(&str, Duration)> {
        let url = self.database_read_url.as_deref().filter(|url| !url.is_empty())?;
        Some((url, Duration::from_millis(self.read_staleness_ms)))
    }

    /// Judges the options.
    pub fn judge(&self) -> Judgement {
        let mut judgement = Judgement::default();
        if let Some((url, _)) = self.replica() {
            if !is_postgres(&self.database.url) {
                let reason = "DATABASE_READ_URL names a replica of a PostgreSQL database, so DATABASE_URL must begin \
                              with postgres://, too";
                judgement.wrong.push(reason.to_owned());
            } else if !is_postgres(url) {
                judgement.wrong.push("DATABASE_READ_URL must begin with postgres://".to_owned());
            }
        }
        if self.backups.wanted().is_some() && is_postgres(&self.database.url) {
            let reason = "FLAGSTONE_BACKUP_DIRECTORY is for a SQLite database; copy PostgreSQL with its own tools";
            judgement.wrong.push(reason.to_owned());
        }
        if let Some(Hidden(token)) = &self.metrics_token {
            match secret::judge_given(token) {
                Ok(Strength::Strong) => {}
                Ok(Strength::Weak) => judgement.doubtful.push(format!("FLAGSTONE_METRICS_TOKEN {WEAK}")),
                Err(short) => judgement.wrong.push(format!("FLAGSTONE_METRICS_TOKEN {short}")),
            }
        }
        let pair = judgement.note(self.address.tls.pair());
        if pair.is_some_and(|pair| pair.is_none()) && self.redirecting.redirect_listen.is_some() {
            judgement.wrong.push(super::tls::NOWHERE_TO.to_owned());
        }
        if self.address.tls.is_on() && self.address.base_url().starts_with("http:") {
            let doubt = "FLAGSTONE_BASE_URL begins with http:// though the server speaks https: browsers are given a \
                         session cookie that they send without TLS, too";
            judgement.doubtful.push(doubt.to_owned());
        }
        judgement
    }

    /// The first of what is wrong with them. Warnings go to the log.
    pub fn check(&self) -> Result<(), String> {
        self.judge().into_result()
    }
}
