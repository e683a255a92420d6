//! `flagstone doctor`: what is wrong with a machine, a configuration and a database, and what to do about it. Only
//! looks.

mod contents;
mod database;
mod machine;
mod providers;

use std::{collections::BTreeSet, path::PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{
    cli::{Outcome, say},
    clock::Clock,
    config::{Options, Variables},
    store::db::Db,
};

/// The options are those of the server, so that it is looked at what that would work with.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A line for each.
    Text,
    /// A list of objects.
    Json,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Level {
    Ok,
    /// A problem in future.
    Warn,
    /// A problem now.
    Fail,
}

/// Finding about one thing.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    level: Level,
    /// Subject of the check.
    about: &'static str,
    found: String,
    /// Advice: how to put it right.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// Findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub(super) fn ok(&mut self, about: &'static str, found: impl Into<String>) {
        self.0.push(Finding { level: Level::Ok, about, found: found.into(), advice: None });
    }

    pub(super) fn warn(&mut self, about: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        self.0.push(Finding { level: Level::Warn, about, found: found.into(), advice: Some(advice.into()) });
    }

    pub(super) fn fail(&mut self, about: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        self.0.push(Finding { level: Level::Fail, about, found: found.into(), advice: Some(advice.into()) });
    }

    fn count(&self, level: Level) -> usize {
        self.0.iter().filter(|finding| finding.level == level).count()
    }

    /// Lines for a terminal.
    fn lines(&self) -> Vec<String> {
        let width = self.0.iter().map(|finding| finding.about.len()).max().unwrap_or_default();
        let line = |finding: &Finding| {
            let level = match finding.level {
                Level::Ok => "OK  ",
                Level::Warn => "WARN",
                Level::Fail => "FAIL",
            };
            let advice = finding.advice.as_ref().map(|advice| format!(" Do: {advice}")).unwrap_or_default();
            // What a database says may have lines of its own.
            format!("{level}  {:width$}  {}.{advice}", finding.about, finding.found).replace(['\n', '\r'], " ")
        };
        let mut lines: Vec<String> = self.0.iter().map(line).collect();
        let [ok, warn, fail] = [Level::Ok, Level::Warn, Level::Fail].map(|level| self.count(level));
        lines.push(format!("{ok} in order, {warn} to look after, {fail} to mend."));
        lines
    }
}

pub(super) async fn run(arguments: &Arguments, variables: &Variables, secret_files: &BTreeSet<PathBuf>) -> Outcome {
    let Arguments { format, options } = arguments;
    let clock = Clock::system();
    let mut findings = Findings::default();
    findings.ok("version", format!("Flagstone {}", env!("CARGO_PKG_VERSION")));
    machine::look(&mut findings, options, &clock);
    machine::settings(&mut findings, secret_files);
    let vault = machine::key(&mut findings, options);
    if let Some(db) = database::open(&mut findings, &options.database).await {
        database::look(&mut findings, options, &db, &clock).await;
        contents::look(&mut findings, (options, variables), &db, vault.as_ref(), &clock).await;
        close(db).await;
    }
    if let Some((url, _)) = options.replica() {
        database::replica(&mut findings, url, options.read_staleness_ms).await;
    }
    machine::backups(&mut findings, options, &clock);
    match format {
        Format::Text => findings.lines().iter().try_for_each(|line| say(line))?,
        Format::Json => say(&serde_json::to_string_pretty(&findings.0)?)?,
    }
    match findings.count(Level::Fail) {
        0 => Ok(()),
        1 => Err("1 thing is to be mended".into()),
        many => Err(format!("{many} things are to be mended").into()),
    }
}

/// Nothing was written, so nothing is lost where that fails.
async fn close(db: Db) {
    let _closed = db.close().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finding_is_a_line_with_what_to_do() {
        let mut findings = Findings::default();
        findings.ok("version", "Flagstone 1");
        findings.fail("disk", "0 bytes are free\nat /x", "make room");
        let expected = [
            "OK    version  Flagstone 1.",
            "FAIL  disk     0 bytes are free at /x. Do: make room",
            "1 in order, 0 to look after, 1 to mend.",
        ];
        assert_eq!(findings.lines(), expected);
    }
}
