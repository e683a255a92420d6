//! `flagstone token`: tokens of programs.

use clap::{Args, Subcommand, ValueEnum};

use crate::{
    accounts,
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::DatabaseChoice,
    domain::{
        actor::Actor,
        secret::TokenKind,
        time::Timestamp,
        token::{ALL, Maker, Reach},
    },
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
    /// Make an API token and print its secret, which cannot be shown again.
    Create(Create),
}

#[derive(Debug, Args)]
struct Create {
    /// What the token serves for.
    #[arg(long = "type", value_enum)]
    kind: Kind,
    /// Name of the token, under which events tell what was done with it.
    #[arg(long)]
    name: String,
    /// Project that the token reaches; may be repeated. All of them when absent.
    #[arg(long = "project")]
    projects: Vec<String>,
    /// Environment that a client or frontend token reaches.
    #[arg(long)]
    environment: Option<String>,
    /// When the token ends, as RFC 3339 date and time. Never when absent.
    #[arg(long, value_parser = instant)]
    expires_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Administration, with every permission.
    Admin,
    /// Server-side SDKs.
    Client,
    /// Browsers and apps.
    Frontend,
}

impl From<Kind> for TokenKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Admin => Self::Admin,
            Kind::Client => Self::Client,
            Kind::Frontend => Self::Frontend,
        }
    }
}

fn instant(text: &str) -> Result<Timestamp, &'static str> {
    Timestamp::parse(text).ok_or("not an RFC 3339 date and time, such as 2030-01-31T12:00:00Z")
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let Command::Create(create) = arguments.command;
    let all = || ALL.to_owned();
    let reach = Reach {
        kind: create.kind.into(),
        projects: if create.projects.is_empty() { vec![all()] } else { create.projects },
        environment: create.environment.unwrap_or_else(all),
    };
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let now = Clock::system().now();
    let system = Actor::system();
    let maker = Maker::operator(&system);
    let made = accounts::create_token(&db, &reach, &create.name, create.expires_at, now, maker).await;
    db.close().await?;
    say(&made?)?;
    Ok(())
}
