//! Everything that the API of a running Unleash shows an administrator, through the gaps of its versions.

mod history;

use std::collections::BTreeSet;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use url::Url;

use crate::{
    cli::{
        opening::{Opening, open},
        progress::Progress,
        remote_server::{RemoteError, RemoteServer},
    },
    clock::Clock,
    config::Hidden,
    domain::{
        address::is_dots,
        ids::{FeatureName, ProjectId},
        repair::Repairs,
    },
    moving_in::{Answers, Counted, EventsPage, Finding, Report, Set, sizes},
    store::{db::Db, moving_in},
};

use super::{Arguments, Moved, compared, keep_what_can_be_sealed, settled, write_set};

/// Features that are asked for at a time.
const AT_ONCE: usize = 4;
/// Features of one page of a search.
const PAGE: usize = 1000;

type Asked<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Takes over the contents of the server at an address, or reports what would come over.
pub(super) async fn move_in(from: &str, arguments: &Arguments) -> Moved {
    let Some(Hidden(token)) = &arguments.from_token else {
        return Err("moving in from an address needs the token of an administrator: FLAGSTONE_FROM_TOKEN".into());
    };
    let repairs = Repairs::default();
    let asking = Asking { server: &RemoteServer::new(from, &arguments.route)?, token, repairs: &repairs };
    let (mut set, mut findings) = answers(&asking).await.map_err(BrokenOff)?.read(Clock::system().now())?;
    if !arguments.with_events {
        let reason = "the API was not asked for it: --with-events does";
        findings.push(Finding::left_out("log of changes", "all", reason));
    }
    keep_what_can_be_sealed(&mut set, &mut findings, arguments);
    let before = sizes(&set);
    let mut judged = settled(set, findings, arguments);
    let mut counted = compared(before, sizes(&judged.set));
    counted.extend(if arguments.dry_run {
        history::bring(&asking, &judged.set, arguments.with_events, None).await?
    } else {
        let db = open(&arguments.database, Opening::MayUpgrade).await?;
        let written = write(&asking, &db, &judged.set, arguments).await;
        db.close().await?;
        written?
    });
    judged.findings.extend(repairs.into_all().into_iter().map(Finding::from));
    Ok(Report { origin: judged.set.origin, dry_run: arguments.dry_run, counted, findings: judged.findings })
}

async fn write(asking: &Asking<'_>, db: &Db, set: &Set, arguments: &Arguments) -> Asked<Vec<Counted>> {
    let tx = moving_in::begin(db).await?;
    write_set(&tx, set, arguments).await?;
    let counted = history::bring(asking, set, arguments.with_events, Some(&tx)).await?;
    moving_in::finish(tx, Clock::system().now()).await?;
    Ok(counted)
}

/// Failure in the midst of reading from the server.
#[derive(Debug)]
struct BrokenOff(Box<dyn std::error::Error + Send + Sync>);

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; nothing came over, and the target is as it was: run the same again", self.0)
    }
}

impl std::error::Error for BrokenOff {}

/// Asks for all of it but the history.
async fn answers(asking: &Asking<'_>) -> Asked<Answers> {
    let ui_config = match asking.json("ui-config").await? {
        config if config["version"].is_string() || config["versionInfo"].is_object() => config,
        _ => return Err("what answers there is no Unleash".into()),
    };
    let mut answers = Answers {
        environments: asking.json("environments").await?,
        segments: asking.maybe("segments").await?,
        context_fields: asking.json("context?include=project").await?,
        strategies: asking.json("strategies").await?,
        tag_types: asking.json("tag-types").await?,
        tags: asking.json("tags").await?,
        feature_types: asking.json("feature-types").await?,
        api_tokens: asking.json("api-tokens").await?,
        users: asking.json("user-admin").await?,
        signup_links: asking.maybe("invite-link/tokens").await?,
        addons: asking.maybe("addons").await?,
        state: asking.maybe("state/export?format=json&download=false").await?,
        oidc: asking.maybe("auth/oidc/settings").await?,
        saml: asking.maybe("auth/saml/settings").await?,
        applications: asking.applications().await?,
        ui_config,
        ..Answers::default()
    };
    if answers.ui_config["version"].is_null() {
        answers.ui_config["version"] = answers.ui_config["versionInfo"]["current"]["oss"].clone();
    }
    answers.found = asking.search("").await?;
    let names = names(&answers);
    for id in projects(&answers, &asking.json("projects").await?, &names) {
        let project = segment(&id)?;
        let overview = match asking.maybe(&format!("projects/{project}/overview")).await? {
            Value::Null => asking.maybe(&format!("projects/{project}")).await?,
            overview => overview,
        };
        answers.projects.insert(id, overview);
    }
    let bar = Progress::new("asking for features {bar:40} {percent:>3}% {elapsed}", 4);
    bar.begin(u64::try_from(names.len()).unwrap_or(u64::MAX));
    let features = stream::iter(&names).map(|(project, name)| {
        let bar = &bar;
        async move {
            let feature = asking.feature(ProjectId::new(project), FeatureName::new(name)).await?;
            let _quarter = bar.advance(1);
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(feature)
        }
    });
    answers.features = features.buffered(AT_ONCE).try_collect().await?;
    bar.end();
    answers.archived = match asking.maybe("archive/features").await? {
        Value::Null => asking.search("&archived=IS:true").await?,
        archived => archived["features"].as_array().cloned().unwrap_or_default(),
    };
    Ok(answers)
}

struct Asking<'a> {
    server: &'a RemoteServer,
    token: &'a str,
    /// Repairs of the answers.
    repairs: &'a Repairs,
}

impl Asking<'_> {
    async fn json(&self, path: &str) -> Asked<Value> {
        let answer = self.server.get(&format!("/api/admin/{path}"), self.token).await?;
        self.repairs
            .parse("answers", &answer, |_| path.to_owned())
            .map_err(|error| format!("the answer about {path} does not have the form of one: {error}").into())
    }

    /// Requests JSON that not every version or edition has: null where it is not there.
    async fn maybe(&self, path: &str) -> Asked<Value> {
        match self.json(path).await {
            Err(error) if is_missing(&*error) => Ok(Value::Null),
            found => found,
        }
    }

    /// A page of the log, whose JSON stays as it was written. An empty one where there is none.
    async fn events(&self, path: &str) -> Asked<EventsPage> {
        let answer = match self.server.get(&format!("/api/admin/{path}"), self.token).await {
            Ok(answer) => answer,
            Err(error) => {
                let error: Box<dyn std::error::Error + Send + Sync> = error.into();
                return if is_missing(&*error) { Ok(EventsPage::default()) } else { Err(error) };
            }
        };
        EventsPage::read(&answer, self.repairs)
            .map_err(|error| format!("the answer about {path} does not have the form of one: {error}").into())
    }

    /// Applications that have connected. The list lacks their running copies, so each is asked for its own.
    async fn applications(&self) -> Asked<Vec<Value>> {
        let listed: Value = self.maybe("metrics/applications").await?;
        let listed = listed["applications"].as_array().cloned().unwrap_or_default();
        let each = stream::iter(listed).map(|mut application| async move {
            if let Some(name) = application["appName"].as_str()
                && let Ok(name) = segment(name)
            {
                let own: Value = self.maybe(&format!("metrics/applications/{name}")).await?;
                application["instances"] = own["instances"].clone();
            }
            Asked::Ok(application)
        });
        each.buffered(AT_ONCE).try_collect().await
    }

    /// A feature with its environments. It has the variants of all of them together, so each is asked for its own.
    async fn feature(&self, project: ProjectId<'_>, name: FeatureName<'_>) -> Asked<Value> {
        let path = format!("projects/{}/features/{}", segment(project.as_str())?, segment(name.as_str())?);
        let mut feature: Value = self.json(&path).await?;
        if feature["variants"].as_array().is_none_or(Vec::is_empty) {
            return Ok(feature);
        }
        for environment in feature["environments"].as_array_mut().into_iter().flatten() {
            if environment["variants"].is_null()
                && let Some(name) = environment["name"].as_str()
            {
                let own: Value = self.maybe(&format!("{path}/environments/{}/variants", segment(name)?)).await?;
                environment["variants"] = own["variants"].clone();
            }
        }
        Ok(feature)
    }

    /// All results of a search; none where there is no search yet.
    async fn search(&self, filter: &str) -> Asked<Vec<Value>> {
        let mut found = Vec::new();
        loop {
            let path = format!("search/features?limit={PAGE}&offset={}{filter}", found.len());
            let page: Value = self.maybe(&path).await?;
            let (total, page) = (page["total"].as_u64(), page["features"].as_array().cloned().unwrap_or_default());
            let is_last = page.is_empty();
            found.extend(page);
            if is_last || total.is_none_or(|total| u64::try_from(found.len()).is_ok_and(|count| count >= total)) {
                return Ok(found);
            }
        }
    }
}

/// Whether a server has nothing at a path, in its version or edition.
fn is_missing(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let refusal = error.downcast_ref::<RemoteError>();
    matches!(refusal.and_then(RemoteError::status), Some(402..=404))
}

/// Projects and names of features in use, from the search or from the state of old versions.
fn names(answers: &Answers) -> Vec<(String, String)> {
    let listed = if answers.found.is_empty() {
        answers.state["features"].as_array().map(Vec::as_slice).unwrap_or_default()
    } else {
        &answers.found
    };
    let in_use = listed.iter().filter(|feature| feature["archived"] != true && feature["archivedAt"].is_null());
    let named = in_use
        .filter_map(|feature| Some((feature["project"].as_str()?.to_owned(), feature["name"].as_str()?.to_owned())));
    named.collect()
}

/// Every project that anything names: lists of the open edition leave some out.
fn projects(answers: &Answers, listed: &Value, names: &[(String, String)]) -> BTreeSet<String> {
    let of_list = listed["projects"].as_array().into_iter().flatten().filter_map(|project| project["id"].as_str());
    let of_state =
        answers.state["projects"].as_array().into_iter().flatten().filter_map(|project| project["id"].as_str());
    let of_tokens = answers.api_tokens["tokens"].as_array().into_iter().flatten();
    let of_tokens =
        of_tokens.flat_map(|token| token["projects"].as_array().into_iter().flatten()).filter_map(Value::as_str);
    let all = of_list.chain(of_state).chain(of_tokens.filter(|id| *id != "*")).map(str::to_owned);
    all.chain(names.iter().map(|(project, _)| project.clone())).collect()
}

/// A name as a part of a path, unless its dots would be resolved on the way, which would ask for something else.
fn segment(name: &str) -> Asked<String> {
    if is_dots(name) {
        let reason = "has a name that no address can hold, so that nobody can ask the server for it";
        return Err(format!("\"{name}\" {reason}: move from its database, or give it another name there").into());
    }
    let Ok(mut url) = Url::parse("http://localhost") else { return Ok(name.to_owned()) };
    if let Ok(mut path) = url.path_segments_mut() {
        path.clear().push(name);
    }
    Ok(url.path().trim_start_matches('/').to_owned())
}
