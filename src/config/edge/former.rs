//! Settings that Unleash Edge calls otherwise than Flagstone does, and those that Flagstone's edge has in another way.

use std::path::PathBuf;

use clap::{Args, builder::FalseyValueParser};

use super::without::Without;
use crate::LogFormat;

/// Settings under their names of Unleash Edge.
#[derive(Clone, Args)]
pub struct Former {
    /// The form of the log under its former name.
    #[arg(id = "former-log-format", long = "former-log-format", env = "LOG_FORMAT", hide = true)]
    pub(super) log_format: Option<LogFormat>,
    /// Former name of `--fetch stream`.
    #[arg(long, env = "STREAMING", value_parser = FalseyValueParser::new())]
    pub(super) streaming: bool,
    /// Former name of `--fetch delta`, unless streaming is set, too.
    #[arg(long, env = "DELTA", value_parser = FalseyValueParser::new())]
    pub(super) delta: bool,
    /// File with the client certificate of this edge for the upstream and its key, as PEM.
    #[arg(long, env = "PEM_CERT_FILE", value_name = "FILE")]
    pub(super) pem_cert_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) without: Without,
}
