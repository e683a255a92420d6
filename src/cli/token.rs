//! `flagstone token`: tokens of programs.

use clap::{Args, Subcommand, ValueEnum};

use crate::{
    accounts::{self, AccountError},
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::{DatabaseChoice, Hidden},
    domain::{
        actor::Actor,
        secret::TokenKind,
        time::Timestamp,
        token::{ALL, ApiToken, Maker, Reach},
    },
    store::{self, db::Db, tokens::api::Which},
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
    /// List the API tokens: what stands for the secret, type, name, when it ends, and when it was last used.
    List,
    /// Revoke an API token, so that it gives access no more.
    Revoke(Revoke),
}

#[derive(Debug, Args)]
struct Revoke {
    /// The token as `token list` shows it, its name if no other has it, or its secret.
    token: Hidden,
}

#[derive(Debug, Args)]
struct Create {
    /// Use of the token.
    #[arg(long = "type", value_enum)]
    kind: Kind,
    /// Name of the token, as events show it.
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
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let lines = carry_out(&db, arguments.command).await;
    db.close().await?;
    for line in lines? {
        say(&line)?;
    }
    Ok(())
}

async fn carry_out(db: &Db, command: Command) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
    let (now, system) = (Clock::system().now(), Actor::system());
    match command {
        Command::Create(create) => Ok(vec![make(db, create, now, &system).await?]),
        Command::List => {
            let tokens = store::tokens::api::list(db, Which::All).await?;
            Ok(tokens.iter().map(|token| line(token, now)).collect())
        }
        Command::Revoke(Revoke { token: Hidden(named) }) => {
            let token = accounts::revoke_token(db, &named, now, &system).await?;
            Ok(vec![format!("The token {} ({}) is revoked.", token.handle(), token.name)])
        }
    }
}

fn line(token: &ApiToken, now: Timestamp) -> String {
    let ends = match token.expires_at {
        Some(end) if end <= now => format!("ended {end}"),
        Some(end) => format!("ends {end}"),
        None => "never ends".to_owned(),
    };
    let seen = token.seen_at.map_or_else(|| "never used".to_owned(), |seen| format!("used {seen}"));
    format!("{}\t{}\t{}\t{ends}\t{seen}", token.handle(), token.reach.kind.as_str(), token.name)
}

async fn make(db: &Db, create: Create, now: Timestamp, system: &Actor) -> Result<String, AccountError> {
    let all = || ALL.to_owned();
    let reach = Reach {
        kind: create.kind.into(),
        projects: if create.projects.is_empty() { vec![all()] } else { create.projects },
        environment: create.environment.unwrap_or_else(all),
    };
    accounts::create_token(db, &reach, &create.name, create.expires_at, now, Maker::operator(system)).await
}
