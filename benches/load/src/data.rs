//! The made-up data set: projects, flags with strategies in three environments, tags, segments, and a log of events.
//!
//! It goes in through the API, mostly as imports, so that whatever the server derives from it is as in real use.

use serde_json::{Value, json};

use crate::{
    Outcome,
    http::{Connection, request},
    server::Server,
    words::{flag, pick, scattered, sentence},
};

/// Rises when the data set or the schema changes: files that were kept before are not used any more.
pub(crate) const VERSION: u32 = 2;
/// The environments of every flag.
pub(crate) const ENVIRONMENTS: [&str; 3] = ["development", "staging", "production"];
const SEGMENTS: u64 = 20;
const TEAMS: &[&str] = &["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
const TIERS: &[&str] = &["tier-one", "tier-two", "tier-three"];
const KINDS: &[&str] = &["release", "experiment", "operational", "kill-switch", "permission"];
const REGIONS: &[&str] = &["apac", "emea", "latam", "north", "south"];
const ROLLOUTS: &[&str] = &["5", "25", "50", "75", "100"];
const STICKINESS: &[&str] = &["default", "userId", "sessionId"];

/// Amount of data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Name of the size.
    pub(crate) name: &'static str,
    /// Projects.
    pub(crate) projects: u64,
    /// Flags in each project; one in twenty is archived.
    pub(crate) flags: u64,
    /// Events in the log, at least.
    pub(crate) events: u64,
}

impl Size {
    /// Data of a single team.
    pub(crate) const SMALL: Self = Self { name: "small", projects: 4, flags: 50, events: 2_000 };
    /// Data of a company.
    pub(crate) const MEDIUM: Self = Self { name: "medium", projects: 20, flags: 250, events: 60_000 };
    /// Data of a size that hardly anybody has.
    pub(crate) const LARGE: Self = Self { name: "large", projects: 100, flags: 500, events: 1_000_000 };

    /// The numbers of a project's flags.
    pub(crate) fn flags_of(self, project: u64) -> std::ops::Range<u64> {
        project * self.flags..(project + 1) * self.flags
    }
}

/// Id of a project.
pub(crate) fn project(number: u64) -> String {
    format!("team-{number:03}")
}

/// Name of a segment.
pub(crate) fn segment(number: u64) -> String {
    format!("segment-{number:02}")
}

/// Whether a flag is archived.
pub(crate) const fn is_archived(number: u64) -> bool {
    number % 20 == 19
}

/// Fills an empty server.
#[expect(clippy::print_stderr, reason = "filling takes minutes; somebody waits")]
pub(crate) async fn fill(server: &Server, size: Size) -> Outcome {
    let mut filling = Filling { connection: server.connect().await?, size };
    filling.ground().await?;
    for number in 0..size.projects {
        filling.project(number).await?;
        eprint!("\rproject {} of {}", number + 1, size.projects);
    }
    let mut events = filling.events().await?;
    let mut stale = true;
    while events < size.events {
        for number in 0..size.projects {
            filling.mark(number, stale).await?;
        }
        stale = !stale;
        events = filling.events().await?;
        eprint!("\r{events} events of {}", size.events);
    }
    if !stale {
        for number in 0..size.projects {
            filling.mark(number, stale).await?;
        }
    }
    eprintln!("\r{}: {} flags, {events} events", size.name, size.projects * size.flags);
    Ok(())
}

struct Filling {
    connection: Connection,
    size: Size,
}

impl Filling {
    async fn post(&mut self, path: &str, body: &Value) -> Outcome<Value> {
        self.connection.json(&request("POST", path, &Server::admin(), Some(body))).await
    }

    /// Makes everything that all projects share.
    async fn ground(&mut self) -> Outcome {
        self.post("/api/admin/environments", &json!({ "name": "staging", "type": "pre-production" })).await?;
        for (kind, name) in [("team", "Owning team"), ("tier", "How much depends on it")] {
            self.post("/api/admin/tag-types", &json!({ "name": kind, "description": name })).await?;
        }
        for name in ["region", "plan"] {
            self.post("/api/admin/context", &json!({ "name": name })).await?;
        }
        for number in 0..SEGMENTS {
            let values: Vec<String> = (0..40).map(|user| format!("user-{}", number * 40 + user)).collect();
            let constraint = json!({ "contextName": "userId", "operator": "IN", "values": values });
            let body = json!({ "name": segment(number), "constraints": [constraint] });
            self.post("/api/admin/segments", &body).await?;
        }
        Ok(())
    }

    async fn project(&mut self, number: u64) -> Outcome {
        let id = project(number);
        let body = json!({ "id": id, "name": format!("Team {number}"), "environments": ENVIRONMENTS });
        self.post("/api/admin/projects", &body).await?;
        for environment in ENVIRONMENTS {
            let body = import(self.size, number, environment);
            self.post("/api/admin/features-batch/import", &body).await?;
        }
        let archived: Vec<String> = self.size.flags_of(number).filter(|flag| is_archived(*flag)).map(flag).collect();
        self.post(&format!("/api/admin/projects/{id}/archive"), &json!({ "features": archived })).await?;
        Ok(())
    }

    /// Marks the flags of a project as stale, or no longer so: an event for each.
    async fn mark(&mut self, number: u64, stale: bool) -> Outcome {
        let living = self.size.flags_of(number).filter(|flag| !is_archived(*flag) && !is_stale(*flag));
        let body = json!({ "features": living.map(flag).collect::<Vec<_>>(), "stale": stale });
        self.post(&format!("/api/admin/projects/{}/stale", project(number)), &body).await?;
        Ok(())
    }

    async fn events(&mut self) -> Outcome<u64> {
        let path = "/api/admin/search/events?limit=1";
        let answer = self.connection.json(&request("GET", path, &Server::admin(), None)).await?;
        answer["total"].as_u64().ok_or_else(|| "the log has no total".into())
    }
}

const fn is_stale(number: u64) -> bool {
    number % 10 == 3
}

/// A project's flags as an export of them would be.
pub(crate) fn import(size: Size, number: u64, environment: &str) -> Value {
    let flags = || size.flags_of(number);
    let features: Vec<Value> = flags()
        .map(|number| {
            json!({
                "name": flag(number), "type": pick(KINDS, number * 3), "description": sentence(number),
                "project": project(number / size.flags), "stale": is_stale(number), "impressionData": number % 8 == 0,
            })
        })
        .collect();
    let strategies: Vec<Value> =
        flags().flat_map(|flag| [strategy(flag, environment, 0), strategy(flag, environment, 1)]).collect();
    let environments: Vec<Value> = flags()
        .map(|number| {
            let enabled = !scattered(number * 5 + environment.len() as u64).is_multiple_of(3);
            let name = flag(number);
            json!({ "name": name, "featureName": name, "environment": environment, "enabled": enabled, "variants": [] })
        })
        .collect();
    let tags: Vec<Value> = flags()
        .flat_map(|number| {
            let name = flag(number);
            [
                json!({ "featureName": name, "tagType": "team", "tagValue": pick(TEAMS, number) }),
                json!({ "featureName": name, "tagType": "tier", "tagValue": pick(TIERS, number) }),
            ]
        })
        .collect();
    let dependencies: Vec<Value> = flags()
        .filter(|number| number % 40 == 1)
        .map(|number| json!({ "feature": flag(number), "dependencies": [{ "feature": flag(number + 1) }] }))
        .collect();
    let segments: Vec<Value> = (0..SEGMENTS).map(|id| json!({ "id": id + 1, "name": segment(id) })).collect();
    let data = json!({
        "features": features, "featureStrategies": strategies, "featureEnvironments": environments,
        "featureTags": tags, "segments": segments, "dependencies": dependencies, "contextFields": [], "tagTypes": [],
    });
    json!({ "project": project(number), "environment": environment, "data": data })
}

fn strategy(number: u64, environment: &str, place: u64) -> Value {
    let (name, chance) = (flag(number), number * 16 + environment.len() as u64 + place * 7);
    let constraint = json!({
        "contextName": "region", "operator": "IN", "inverted": false, "caseInsensitive": false,
        "values": [pick(REGIONS, chance), pick(REGIONS, chance + 1)],
    });
    let uses_segment = scattered(chance).is_multiple_of(5);
    json!({
        "name": "flexibleRollout", "featureName": name, "sortOrder": place, "title": sentence(chance),
        "parameters": {
            "groupId": name, "rollout": pick(ROLLOUTS, chance), "stickiness": pick(STICKINESS, chance),
        },
        "constraints": if scattered(chance + 3).is_multiple_of(3) { vec![] } else { vec![constraint] },
        "segments": if uses_segment { vec![scattered(chance) / 5 % SEGMENTS + 1] } else { vec![] },
        "variants": if number.is_multiple_of(10) { variants() } else { vec![] },
    })
}

fn variants() -> Vec<Value> {
    let variant = |name: &str| {
        json!({
            "name": name, "weight": 500, "weightType": "variable", "stickiness": "default",
            "payload": { "type": "string", "value": name },
        })
    };
    vec![variant("blue"), variant("green")]
}
