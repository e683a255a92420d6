//! Asks through `unleash-api-client`, as a server in Rust does.

use std::{
    collections::{BTreeMap, HashMap},
    env,
    io::Write,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use unleash_api_client::{
    client::{Client, ClientBuilder, FeatureKey},
    context::{Context, IPAddress},
};

/// Flags are asked by name; the library wants a list of them nevertheless.
#[derive(Debug, Clone, Copy)]
enum NoFlag {}

impl FeatureKey for NoFlag {
    fn name(self) -> &'static str {
        match self {}
    }
}

#[derive(Deserialize)]
struct Story {
    questions: Vec<Question>,
    moving: Option<Moving>,
}

#[derive(Deserialize)]
struct Question {
    name: String,
    context: Asker,
    flags: Vec<String>,
}

#[derive(Deserialize)]
struct Moving {
    appears: String,
    goes: String,
    segment: String,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Asker {
    user_id: Option<String>,
    session_id: Option<String>,
    remote_address: Option<String>,
    current_time: Option<chrono::DateTime<chrono::Utc>>,
    properties: HashMap<String, String>,
}

impl Asker {
    fn context(self, application: &str) -> Context {
        Context {
            user_id: self.user_id,
            session_id: self.session_id,
            remote_address: self.remote_address.map(|address| IPAddress(address.parse().expect("an address"))),
            properties: self.properties,
            app_name: application.to_owned(),
            environment: "development".to_owned(),
            current_time: self.current_time,
        }
    }
}

#[derive(Default, Serialize)]
struct Counts {
    yes: u64,
    no: u64,
    variants: BTreeMap<String, u64>,
}

impl Counts {
    fn add(&mut self, enabled: bool) {
        *(if enabled { &mut self.yes } else { &mut self.no }) += 1;
    }
}

fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("somebody listens");
}

fn setting(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

type Counted = BTreeMap<String, Counts>;

fn ask_all(client: &Client<NoFlag>, questions: &[Question], application: &str, counted: &mut Counted) {
    for Question { name, context, flags } in questions {
        let context = context.clone().context(application);
        for flag in flags {
            let enabled = client.is_enabled_str(flag, Some(&context), false);
            let variant = client.get_variant_str(flag, &context);
            let payload = (!variant.payload.is_empty()).then_some(variant.payload);
            say(&json!({
                "flag": flag, "context": name, "enabled": enabled, "variant": variant.name, "payload": payload,
            }));
            let counts = counted.entry(flag.clone()).or_default();
            // Asking for the variant counts as asking whether the flag is on.
            counts.add(enabled);
            counts.add(enabled);
            *counts.variants.entry(variant.name).or_default() += 1;
        }
    }
}

/// A story in which nothing moves is told round after round.
async fn repeat(client: &Client<NoFlag>, questions: &[Question], application: &str, mut counted: Counted) {
    for round in 1_u64.. {
        say(&json!({ "round": round }));
        tokio::time::sleep(Duration::from_millis(50)).await;
        ask_all(client, questions, application, &mut counted);
    }
}

async fn go_through(client: &Client<NoFlag>, story: Story, application: &str) {
    let mut counted = Counted::new();
    ask_all(client, &story.questions, application, &mut counted);
    say(&json!({ "asked": true }));
    let Some(Moving { appears, goes, segment }) = story.moving else {
        return repeat(client, &story.questions, application, counted).await;
    };

    let somebody = Asker { user_id: Some("somebody".to_owned()), ..Asker::default() }.context(application);
    let mut awaited = vec![(appears, true), (goes, false), (segment, true)];
    while !awaited.is_empty() {
        awaited.retain(|(flag, expected)| {
            let enabled = client.is_enabled_str(flag, Some(&somebody), false);
            counted.entry(flag.clone()).or_default().add(enabled);
            enabled != *expected
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    say(&json!({ "arrived": true, "counted": counted }));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let story = std::fs::read_to_string(setting("LIBRARY_STORY")).expect("the story");
    let story: Story = serde_json::from_str(&story).expect("the story");
    let application = setting("LIBRARY_APPLICATION");
    let city_shop = |parameters: Option<HashMap<String, String>>| -> unleash_api_client::strategy::Evaluate {
        let city = parameters.and_then(|mut parameters| parameters.remove("city"));
        Box::new(move |context: &Context| city.is_some() && context.properties.get("city") == city.as_ref())
    };
    let client: Client<NoFlag> = ClientBuilder::default()
        .interval(1000)
        .enable_string_features()
        .strategy("cityShop", Box::new(city_shop))
        .into_client(
            &format!("{}/api", setting("LIBRARY_URL")),
            &application,
            &setting("LIBRARY_INSTANCE"),
            Some(setting("LIBRARY_TOKEN")),
        )
        .expect("a client");
    client.register().await.expect("the server takes the registration");

    let story = async {
        while client.cached_state().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        go_through(&client, story, &application).await;
        std::future::pending().await
    };
    // Until nobody reads any more what the program says.
    let dismissed = async { tokio::io::stdin().read_to_end(&mut Vec::new()).await.expect("standard input") };
    tokio::select! {
        () = client.poll_for_updates() => panic!("the client stopped by itself"),
        () = story => {}
        _ = dismissed => {}
    }
}
