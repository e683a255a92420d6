//! `flagstone compare`: requests the answers for programs from two servers, and lists every difference.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use url::form_urlencoded;

use super::{
    Outcome,
    remote_server::{RemoteError, RemoteServer},
    say,
};
use crate::{
    clock::Clock,
    comparison::{self, Decisions, Difference, Differences, Served},
    config::Route,
    domain::{
        evaluation::Subject,
        repair::{self, Repair},
        secret,
        time::Timestamp,
    },
    files,
};

/// Most bytes of a file with tokens.
const MOST_BYTES: u64 = 16 << 20;
/// Requests that are under way at each server at a time.
const AT_ONCE: usize = 4;
/// Differences of a token that are printed; the report has all.
const SHOWN: usize = 20;
/// Statuses of a server that does not take this token for this question.
const NOT_FOR_THIS: [u16; 3] = [401, 403, 404];

/// Servers to compare, and ways to do it.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Address of the server that programs ask now, such as `https://unleash.internal`.
    #[arg(long, value_name = "URL")]
    old: String,
    /// Address of the server that they are to ask.
    #[arg(long, value_name = "URL")]
    new: String,
    /// File with the tokens of programs, one a line, which both servers know; `-` is standard input. Each environment
    /// whose token is among them is compared: those of clients by what SDKs of servers are told, those of frontends by
    /// what browsers are.
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
    /// For how many made-up people to ask, 1 to 10000. Their context is made from what the rules look for.
    #[arg(long, value_name = "NUMBER", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    contexts: u32,
    /// File for everything that differs, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    route: Route,
}

/// Differences for the holder of one token.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfToken {
    /// The token without its secret part.
    token: String,
    /// `client` or `frontend`.
    kind: &'static str,
    /// Number of features, on either side.
    features: usize,
    /// For how many people each was asked about.
    people: usize,
    /// Features that only the old server serves.
    missing: Vec<String>,
    /// Features that only the new server serves.
    added: Vec<String>,
    /// Features that are served differently, each with the members that differ.
    told: Vec<ChangedFeature>,
    /// Features that are decided differently.
    decided: Vec<Difference>,
    /// Features of which chance decides, and which were decided differently: that proves nothing.
    by_chance: usize,
    /// Values that were put right or left out to read the old answer.
    repaired_in_old: Vec<Repair>,
    /// Values that were put right or left out to read the new answer.
    repaired_in_new: Vec<Repair>,
}

/// A feature that is served differently, and the members that differ.
#[derive(Debug, Serialize)]
struct ChangedFeature {
    feature: String,
    members: Vec<String>,
}

impl OfToken {
    const fn is_equal(&self) -> bool {
        self.missing.is_empty() && self.added.is_empty() && self.told.is_empty() && self.decided.is_empty()
    }
}

/// Compares. It fails when anything differs, so that scripts notice.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let tokens = read_tokens(&arguments.tokens)?;
    let old = RemoteServer::new(&arguments.old, &arguments.route)?;
    let new = RemoteServer::new(&arguments.new, &arguments.route)?;
    let comparing = Comparing { old, new, count: usize::try_from(arguments.contexts)?, now: Clock::system().now() };
    // Tokens of clients first: their rules say whom to ask about.
    let (mut of_clients, mut of_frontends) = (Vec::new(), Vec::new());
    for token in &tokens {
        match comparing.clients(token).await? {
            Some((old, new)) => of_clients.push((token, old, new)),
            None => of_frontends.push(token),
        }
    }
    let all: Vec<&Served> = of_clients.iter().flat_map(|(_, old, new)| [old, new]).collect();
    let people = comparison::people(&all, comparing.count, comparing.now);
    let by_chance = all.iter().flat_map(|served| served.by_chance()).collect();
    let mut found = Vec::new();
    for (token, old, new) in &of_clients {
        let of_token = comparing.judged(token, old, new, &people);
        tell(&of_token)?;
        found.push(of_token);
    }
    for token in of_frontends {
        let of_token = comparing.frontends(token, &people, &by_chance).await?;
        tell(&of_token)?;
        found.push(of_token);
    }
    if let Some(path) = &arguments.report {
        let text = serde_json::to_string_pretty(&found)? + "\n";
        files::replace_private(path, |file| file.write_all(text.as_bytes()))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let differing = found.iter().filter(|of_token| !of_token.is_equal()).count();
    if differing > 0 {
        return Err(format!("{differing} of {} tokens are not told the same", found.len()).into());
    }
    say(&format!("Both tell the same to the holders of {} tokens.", found.len()))?;
    Ok(())
}

fn read_tokens(path: &Path) -> Result<Vec<String>, String> {
    let is_standard = path.as_os_str() == "-";
    let bytes =
        if is_standard { files::bounded(std::io::stdin(), MOST_BYTES) } else { files::read_bounded(path, MOST_BYTES) };
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{} is no text", path.display()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let tokens: Vec<String> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if tokens.is_empty() { Err(format!("{} holds no token", path.display())) } else { Ok(tokens) }
}

struct Comparing {
    old: RemoteServer,
    new: RemoteServer,
    count: usize,
    now: Timestamp,
}

impl Comparing {
    /// Returns what either server serves to programs on servers; `None` for a token of another kind.
    async fn clients(&self, token: &str) -> Result<Option<(Served, Served)>, Box<dyn std::error::Error + Send + Sync>> {
        let ask = async |server: &RemoteServer| match server.get("/api/client/features", token).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.status().is_some_and(|status| NOT_FOR_THIS.contains(&status)) => Ok(None),
            Err(error) => Err(error),
        };
        let (old, new) = tokio::try_join!(ask(&self.old), ask(&self.new))?;
        let shown = secret::shown(token);
        match (old, new) {
            (Some(old), Some(new)) => Ok(Some((Served::read(&old)?, Served::read(&new)?))),
            (None, None) => Ok(None),
            (Some(_), None) => Err(format!("the new server does not know the token {shown}").into()),
            (None, Some(_)) => Err(format!("the old server does not know the token {shown}").into()),
        }
    }

    fn judged(&self, token: &str, old: &Served, new: &Served, people: &[Subject]) -> OfToken {
        let mut by_chance = old.by_chance();
        by_chance.append(&mut new.by_chance());
        let (decided, chance) = comparison::judge(old, new, people, self.now).told(&by_chance);
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let told = old
            .names()
            .map(|name| ChangedFeature { feature: name.to_owned(), members: old.differing_members(new, name) });
        OfToken {
            token: secret::shown(token),
            kind: "client",
            features: old.names().chain(new.names()).collect::<BTreeSet<_>>().len(),
            people: people.len(),
            missing: owned(old.names().filter(|name| !new.has(name)).collect()),
            added: owned(new.names().filter(|name| !old.has(name)).collect()),
            told: told.filter(|told| !told.members.is_empty()).collect(),
            decided,
            by_chance: chance,
            repaired_in_old: old.repairs().to_vec(),
            repaired_in_new: new.repairs().to_vec(),
        }
    }

    /// Compares the servers' answers to browsers.
    async fn frontends(
        &self,
        token: &str,
        people: &[Subject],
        by_chance: &BTreeSet<String>,
    ) -> Result<OfToken, Box<dyn std::error::Error + Send + Sync>> {
        let answers = stream::iter(people).map(|person| async move {
            let path = format!("/api/frontend?{}", query(person));
            let (old, new) = tokio::try_join!(self.old.get(&path, token), self.new.get(&path, token))?;
            Ok::<_, RemoteError>((person, old, new))
        });
        let (mut differences, mut names) = (Differences::default(), BTreeSet::new());
        let mut answers = std::pin::pin!(answers.buffer_unordered(AT_ONCE));
        while let Some((person, old, new)) = answers.try_next().await? {
            let (old, new) = (decisions(&old)?, decisions(&new)?);
            names.extend(old.keys().chain(new.keys()).cloned());
            differences.note(person, &old, &new);
        }
        let (decided, chance) = differences.told(by_chance);
        Ok(OfToken {
            token: secret::shown(token),
            kind: "frontend",
            features: names.len(),
            people: people.len(),
            missing: Vec::new(),
            added: Vec::new(),
            told: Vec::new(),
            decided,
            by_chance: chance,
            repaired_in_old: Vec::new(),
            repaired_in_new: Vec::new(),
        })
    }
}

/// A context as browsers send it: at the present, since some servers take no other time.
fn query(person: &Subject) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in person.0.iter().filter(|(name, _)| *name != "currentTime") {
        let is_known = ["userId", "sessionId", "remoteAddress", "appName"].contains(&name.as_str());
        let name = if is_known { name.clone() } else { format!("properties[{name}]") };
        query.append_pair(&name, value);
    }
    query.finish()
}

/// Reads the decisions of an answer to a browser. Features that are off are not in it.
fn decisions(answer: &[u8]) -> Result<Decisions, String> {
    let answer = repair::parse(answer).map_err(|error| format!("the answer is no JSON: {error}"))?;
    let Some(toggles) = answer["toggles"].as_array() else {
        return Err("the answer to a browser lists no features".to_owned());
    };
    let decided = toggles.iter().filter_map(|toggle| {
        let variant = &toggle["variant"];
        let given = variant["name"].as_str().filter(|_| variant["enabled"] == true);
        let given = given.map(|name| (name, variant["payload"]["value"].as_str()));
        Some((toggle["name"].as_str()?.to_owned(), comparison::decision(given)))
    });
    Ok(decided.collect())
}

fn tell(of_token: &OfToken) -> std::io::Result<()> {
    let OfToken { token, kind, features, people, .. } = of_token;
    let outcome = if of_token.is_equal() { "the same" } else { "not the same" };
    say(&format!("{token} ({kind}): {features} features, {people} people: {outcome}"))?;
    let lists = [("only the old server has", &of_token.missing), ("only the new server has", &of_token.added)];
    for (what, names) in lists {
        for name in names.iter().take(SHOWN) {
            say(&format!("  {what} {name}"))?;
        }
    }
    for told in of_token.told.iter().take(SHOWN) {
        say(&format!("  {} is told differently: {}", told.feature, told.members.join(", ")))?;
    }
    for difference in of_token.decided.iter().take(SHOWN) {
        let Some(example) = difference.examples.first() else { continue };
        let context: Vec<String> = example.context.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let (old, new) = (&example.old, &example.new);
        say(&format!(
            "  {} differs for {} people, such as {}: {old} → {new}",
            difference.feature,
            difference.people,
            context.join(" ")
        ))?;
    }
    for (server, repairs) in [("old", &of_token.repaired_in_old), ("new", &of_token.repaired_in_new)] {
        for repair in repairs.iter().take(SHOWN) {
            say(&format!("  the {server} server answers {repair}"))?;
        }
    }
    if of_token.by_chance > 0 {
        say(&format!("  {} features are decided by chance: nothing can be said about them", of_token.by_chance))?;
    }
    Ok(())
}
