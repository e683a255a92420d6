//! `flagstone check`: whether a server or an edge runs, or can do its work, for containers that ask so.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::{Args, ValueEnum};

use crate::{
    cli::{Outcome, say},
    config::SettingsFile,
    files,
    outbound::{Options, Outbound, Policy, Request, Roots},
};

/// Most bytes of a file of certificates.
const MOST_BYTES: u64 = 16 << 20;
/// Time limit for the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The default address: the port is that of Unleash Edge.
const NEAREST: &str = "http://localhost:3063";
/// Bytes of an answer that are read.
const BEGINNING: usize = 4096;

/// Whether a server or an edge runs, or can do its work.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Question to ask.
    #[arg(value_enum)]
    question: Question,
    /// Callers that a server is to be ready for. An edge knows only programs.
    #[arg(long = "for", value_enum, default_value = "administration")]
    callers: Callers,
    #[command(flatten)]
    whom: Whom,
}

/// Callers that a server can be ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Callers {
    /// Callers of the administration API.
    Administration,
    /// Programs that evaluate flags, which are served from memory also while the database is unreachable.
    Programs,
}

/// Questions that a server answers about itself.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Question {
    /// Whether it runs.
    Health,
    /// Whether it can do its work.
    Ready,
}

/// Server or edge to ask.
#[derive(Debug, Args)]
pub(super) struct Whom {
    /// Address of the server or edge, with its base path. Absent: that at which it listens on this machine by these
    /// settings, and otherwise `http://localhost:3063`.
    #[arg(short = 'e', long = "url", alias = "edge-url", env = "EDGE_URL")]
    url: Option<String>,
    /// Address and port at which it listens on this machine.
    #[arg(long, env = "FLAGSTONE_LISTEN", value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// File with the certificate with which it speaks https there. It is not read: on its own machine the server is not
    /// known by its public name.
    #[arg(long, env = "FLAGSTONE_TLS_CERTIFICATE", value_name = "FILE")]
    tls_certificate: Option<PathBuf>,
    /// File that may hold these settings.
    #[command(flatten)]
    settings: SettingsFile,
    /// File with the certificate authorities that it is trusted by, as PEM.
    #[arg(short = 'c', long, visible_alias = "ca-file", env = "CA_CERTIFICATE_FILE", value_name = "FILE")]
    ca_certificate_file: Option<PathBuf>,
    /// Take its certificate for what it says: for asking on its own machine, where it is not known by its public name.
    #[arg(long)]
    skip_ssl_verification: bool,
}

impl Whom {
    /// The address, and whether its certificate is to be taken for what it says.
    fn address(&self) -> (String, bool) {
        match (&self.url, self.listen) {
            (Some(url), _) => (url.trim_end_matches('/').to_owned(), false),
            (None, Some(listen)) => {
                let is_secure = self.tls_certificate.is_some();
                let scheme = if is_secure { "https" } else { "http" };
                (format!("{scheme}://{}", reachable(listen)), is_secure)
            }
            (None, None) => (NEAREST.to_owned(), false),
        }
    }
}

/// The address at which a listener is reached: that of this machine alone for one that listens at every address.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    ask_for(arguments.callers, arguments.question, arguments.whom).await
}

/// Asks about administration.
pub(super) async fn ask(question: Question, whom: Whom) -> Outcome {
    ask_for(Callers::Administration, question, whom).await
}

/// Asks, and fails when the answer is no or there is none.
async fn ask_for(callers: Callers, question: Question, whom: Whom) -> Outcome {
    let (address, is_own) = whom.address();
    let roots = match &whom.ca_certificate_file {
        Some(file) => {
            Roots::Pem(files::read_bounded(file, MOST_BYTES).map_err(|error| format!("{}: {error}", file.display()))?)
        }
        None => Roots::Public,
    };
    let options = Options {
        plain_http: true,
        roots,
        trusts_everybody: whom.skip_ssl_verification || is_own,
        connect_timeout: PATIENCE,
        call_timeout: PATIENCE,
        ..Options::new(Policy::of_an_operator())
    };
    let path = match (question, callers) {
        (Question::Health, _) => "health",
        (Question::Ready, Callers::Administration) => "ready",
        (Question::Ready, Callers::Programs) => "ready?for=programs",
    };
    let url = format!("{address}/{path}");
    let answer = Outbound::new(options)?
        .send(Request::get(&url, BEGINNING))
        .await
        .map_err(|failure| format!("{url}: {failure}"))?;
    let text = String::from_utf8_lossy(&answer.body);
    if answer.status == 200 {
        return Ok(say(text.trim())?);
    }
    Err(format!("{path}: {} {}", answer.status, text.trim()).into())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        whom: Whom,
    }

    #[test]
    fn whoever_is_named_first_is_asked() {
        let cases: [(&[&str], (&str, bool)); 6] = [
            (&[], (NEAREST, false)),
            (&["--listen", "127.0.0.1:4242"], ("http://127.0.0.1:4242", false)),
            (&["--listen", "0.0.0.0:4242"], ("http://127.0.0.1:4242", false)),
            (&["--listen", "[::]:4242"], ("http://[::1]:4242", false)),
            (&["--listen", "127.0.0.1:1", "--tls-certificate", "x"], ("https://127.0.0.1:1", true)),
            (
                &["--listen", "127.0.0.1:1", "--url", "https://flags.example.com/x/"],
                ("https://flags.example.com/x", false),
            ),
        ];
        for (given, (url, is_own)) in cases {
            let cli = Cli::try_parse_from([&["check"], given].concat()).expect("arguments");
            assert_eq!(cli.whom.address(), (url.to_owned(), is_own), "{given:?}");
        }
    }
}
