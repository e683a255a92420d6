//! `flagstone check`: whether a server or an edge runs, or can do its work, for containers that ask so.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use crate::{
    cli::{Outcome, say},
    outbound::{Options, Outbound, Policy, Request, Roots},
};

/// How long the answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of an answer that are read.
const BEGINNING: usize = 4096;

/// Whether a server or an edge runs, or can do its work.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What is asked.
    #[arg(value_enum)]
    question: Question,
    #[command(flatten)]
    whom: Whom,
}

/// What is asked.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Question {
    /// Whether it runs.
    Health,
    /// Whether it can do its work.
    Ready,
}

/// Who is asked.
#[derive(Debug, Args)]
pub(super) struct Whom {
    /// Address of the server or edge, with its base path.
    #[arg(short = 'e', long = "url", alias = "edge-url", env = "EDGE_URL", default_value = "http://localhost:3063")]
    url: String,
    /// File with the certificate authorities that it is trusted by, as PEM.
    #[arg(short = 'c', long, visible_alias = "ca-file", env = "CA_CERTIFICATE_FILE", value_name = "FILE")]
    ca_certificate_file: Option<PathBuf>,
    /// Take its certificate for what it says: for asking on its own machine, where it is not known by its public name.
    #[arg(long)]
    skip_ssl_verification: bool,
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    ask(arguments.question, arguments.whom).await
}

/// Asks, and fails when the answer is no or there is none.
pub(super) async fn ask(question: Question, whom: Whom) -> Outcome {
    let roots = match &whom.ca_certificate_file {
        Some(file) => Roots::Pem(std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?),
        None => Roots::Public,
    };
    let options = Options {
        plain_http: true,
        roots,
        trusts_everybody: whom.skip_ssl_verification,
        connect_timeout: PATIENCE,
        call_timeout: PATIENCE,
        ..Options::new(Policy::of_an_operator())
    };
    let path = match question {
        Question::Health => "health",
        Question::Ready => "ready",
    };
    let url = format!("{}/{path}", whom.url.trim_end_matches('/'));
    let answer =
        Outbound::new(options)?.send(Request::get(&url, BEGINNING)).await.map_err(|failure| failure.to_string())?;
    let text = String::from_utf8_lossy(&answer.body);
    if answer.status == 200 {
        return Ok(say(text.trim())?);
    }
    Err(format!("{path}: {} {}", answer.status, text.trim()).into())
}
