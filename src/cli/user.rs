//! `flagstone user`: people who sign in.

use std::io::Read as _;

use clap::{Args, Subcommand};

use crate::{
    accounts,
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::{Address, DatabaseChoice, Keys},
    domain::{
        actor::Actor,
        password::{self, Cost, MAX_CHARACTERS},
        role::RootRole,
    },
    passwords::Passwords,
    sign_in::link,
    store::{
        self,
        access::people::{Account, NewUser},
        db::Db,
    },
};

/// Most bytes of a password on standard input.
const MAX_INPUT_BYTES: u64 = 4 * MAX_CHARACTERS as u64 + 2;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a user.
    Create(Create),
    /// List the users: id, user name, email, root role, when they were last active, and `deactivated` for who is.
    List,
    /// Give a user another password, and end their sessions and personal tokens.
    SetPassword(SetPassword),
    /// Remove the second factor and the recovery codes of a user who has lost them, and end their sessions.
    ResetSecondFactor(ResetSecondFactor),
    /// Keep a user out: they cannot sign in any more, and their sessions and personal tokens end. Their roles stay.
    Deactivate(Deactivate),
    /// Make a link that signs a user in once, within ten minutes, and print it.
    SignInLink(Box<SignInLink>),
}

#[derive(Debug, Args)]
struct Create {
    /// Name to sign in with.
    #[arg(long, required_unless_present = "email")]
    username: Option<String>,
    /// Email, which serves to sign in too.
    #[arg(long)]
    email: Option<String>,
    /// Display name.
    #[arg(long)]
    name: Option<String>,
    /// Root role of the user, for the whole instance.
    #[arg(long, value_enum, default_value = "viewer")]
    role: RootRole,
    #[command(flatten)]
    password: PasswordChoice,
}

#[derive(Debug, Args)]
struct SetPassword {
    /// User name or email.
    login: String,
    #[command(flatten)]
    password: PasswordChoice,
}

#[derive(Debug, Args)]
struct ResetSecondFactor {
    /// User name or email.
    login: String,
}

#[derive(Debug, Args)]
struct Deactivate {
    /// User name or email.
    login: String,
}

#[derive(Debug, Args)]
struct SignInLink {
    /// User name or email.
    login: String,
    #[command(flatten)]
    address: Address,
    #[command(flatten)]
    keys: Keys,
}

#[derive(Debug, Args)]
struct PasswordChoice {
    /// Read the password from standard input. Otherwise one is generated and printed, and cannot be shown again.
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordChoice {
    /// The password, and whether it is a generated one that must be shown.
    fn take(&self) -> std::io::Result<(String, bool)> {
        if !self.password_stdin {
            return Ok((password::generate(), true));
        }
        let mut text = String::new();
        std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_string(&mut text)?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        Ok((line.strip_suffix('\r').unwrap_or(line).to_owned(), false))
    }
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let done = carry_out(&arguments.database, &db, arguments.command).await;
    db.close().await?;
    done
}

async fn carry_out(database: &DatabaseChoice, db: &Db, command: Command) -> Outcome {
    let (passwords, now, actor) = (Passwords::new(Cost::Full), Clock::system().now(), Actor::system());
    match command {
        Command::Create(create) => {
            let (password, generated) = create.password.take()?;
            let new = NewUser {
                username: create.username,
                email: create.email,
                name: create.name,
                root_role_id: create.role.id(),
                ..NewUser::default()
            };
            let id = accounts::create_user(db, &passwords, new, &password, now, &actor).await?;
            say(&format!("User {id} is made."))?;
            show(generated, &password)
        }
        Command::List => {
            for account in store::access::people::list_accounts(db).await? {
                say(&line(db, &account).await?)?;
            }
            Ok(())
        }
        Command::SignInLink(link_for) => {
            let SignInLink { login, address, keys } = *link_for;
            let token = link::make(db, &keys.unlock(database)?, &login, now).await?;
            say(&format!("{}/auth/link?token={token}", address.base_url()))?;
            Ok(())
        }
        Command::ResetSecondFactor(ResetSecondFactor { login }) => {
            let is_changed = accounts::reset_second_factor(db, &login, now, &actor).await?;
            Ok(say(&if is_changed {
                format!("The second factor of {login} is removed.")
            } else {
                format!("The user {login} has no second factor.")
            })?)
        }
        Command::Deactivate(Deactivate { login }) => {
            let is_changed = accounts::deactivate_user(db, &login, now, &actor).await?;
            let how = if is_changed { "deactivated" } else { "deactivated already" };
            Ok(say(&format!("The user {login} is {how}."))?)
        }
        Command::SetPassword(set) => {
            let (password, generated) = set.password.take()?;
            accounts::set_password(db, &passwords, &set.login, &password, now, &actor).await?;
            say(&format!("The password of {} is set.", set.login))?;
            show(generated, &password)
        }
    }
}

fn show(generated: bool, password: &str) -> Outcome {
    if generated {
        say(&format!("Password, shown only now: {password}"))?;
    }
    Ok(())
}

async fn line(db: &Db, account: &Account) -> Result<String, store::StoreError> {
    let role = store::roles::find(db, account.root_role_id).await?;
    let seen = account.seen_at.map_or_else(|| "never".to_owned(), |seen| seen.to_string());
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let role = role.map_or_else(|| "-".to_owned(), |role| role.name);
    let deactivated = if account.deactivated_at.is_some() { "\tdeactivated" } else { "" };
    let names = format!("{}\t{}", text(&account.username), text(&account.email));
    Ok(format!("{}\t{names}\t{role}\t{seen}{deactivated}", account.id))
}
