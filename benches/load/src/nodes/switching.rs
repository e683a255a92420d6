//! Switches of features at an even pace, through each node in turn, and the events that they leave.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    rc::Rc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::task::spawn_local;

use super::phase::{Failures, fail};
use crate::{
    Outcome,
    data::project,
    http::{Connection, request},
    server::Server,
    switches,
};

/// The project whose features are switched.
const PROJECT: u64 = 1;
/// Switches that are under way at once, at most: each of another feature.
const CALLERS: u32 = 16;
/// Events that are read at once.
const PAGE: usize = 1000;

/// Features and their switches.
pub(super) struct Switches {
    ports: Vec<u16>,
    /// Each with whether it is on.
    features: RefCell<Vec<(String, bool)>>,
    switched: RefCell<Switched>,
}

/// Switches that were made.
#[derive(Default)]
pub(super) struct Switched {
    /// Milliseconds until each answer.
    pub(super) times: Vec<f64>,
    made: Vec<Made>,
    /// Reasons of failures, each with its number.
    pub(super) failures: Failures,
}

struct Made {
    feature: String,
    on: bool,
    answered: Instant,
}

/// An event of a switch.
pub(super) struct Event {
    pub(super) id: i64,
    feature: String,
    on: bool,
}

impl Switches {
    /// Features of a server as they are.
    pub(super) async fn new(servers: &[Server]) -> Outcome<Rc<Self>> {
        let first = servers.first().ok_or("there is no node")?;
        let features = switches::of_project(first, PROJECT).await?;
        if features.is_empty() {
            return Err("there is nothing to switch".into());
        }
        Ok(Rc::new(Self {
            ports: servers.iter().map(Server::port).collect(),
            features: RefCell::new(features),
            switched: RefCell::default(),
        }))
    }

    /// Switches features for so long, so many in a second; returns what was made.
    pub(super) async fn run(self: &Rc<Self>, rate: u32, began: Instant, time: Duration) -> Outcome<Switched> {
        let callers = CALLERS.min(u32::try_from(self.features.borrow().len())?);
        let tasks = (0..callers).map(|caller| {
            let switches = Rc::clone(self);
            spawn_local(async move { switches.take_turns(caller, callers, rate, (began, time)).await })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await?;
        }
        Ok(self.switched.take())
    }

    /// Switches the features of one caller, one after the other.
    async fn take_turns(&self, caller: u32, callers: u32, rate: u32, (began, time): (Instant, Duration)) {
        let count = self.features.borrow().len();
        let own = (caller as usize..count).step_by(callers as usize).cycle();
        let mut connections: Vec<Option<Connection>> = self.ports.iter().map(|_| None).collect();
        for (turn, feature) in (0_u32..).zip(own) {
            let due = Duration::from_secs(1) * (turn * callers + caller) / rate;
            if due >= time {
                return;
            }
            tokio::time::sleep_until((began + due).into()).await;
            let node = (turn + caller) as usize % self.ports.len();
            let asked = Instant::now();
            let (name, on) = self.features.borrow()[feature].clone();
            let outcome = switch(&mut connections[node], self.ports[node], &name, !on).await;
            let (answered, mut switched) = (Instant::now(), self.switched.borrow_mut());
            match outcome {
                Ok(()) => {
                    self.features.borrow_mut()[feature].1 = !on;
                    switched.times.push(answered.saturating_duration_since(asked).as_secs_f64() * 1000.0);
                    switched.made.push(Made { feature: name, on: !on, answered });
                }
                Err(error) => {
                    connections[node] = None;
                    fail(&mut switched.failures, "change", &error.to_string());
                }
            }
        }
    }
}

impl Switched {
    /// When each switch was answered, with the id of its event; in the order of the answers, without those that left none.
    /// `events` are those since before the first switch, newest first.
    pub(super) fn answered(&self, events: Vec<Event>) -> Vec<(i64, Instant)> {
        let mut ids: HashMap<(String, bool), VecDeque<i64>> = HashMap::new();
        for event in events.into_iter().rev() {
            ids.entry((event.feature, event.on)).or_default().push_back(event.id);
        }
        let id_of = |made: &Made| ids.get_mut(&(made.feature.clone(), made.on))?.pop_front();
        let ids: Vec<Option<i64>> = self.made.iter().map(id_of).collect();
        ids.into_iter().zip(&self.made).filter_map(|(id, made)| Some((id?, made.answered))).collect()
    }
}

async fn switch(kept: &mut Option<Connection>, port: u16, name: &str, on: bool) -> Outcome {
    if kept.is_none() {
        *kept = Some(Connection::open(port).await?);
    }
    let connection = kept.as_mut().ok_or("no connection")?;
    let status = connection.send(&switches::switch(PROJECT, name, on, &Server::admin())).await?.status;
    if status == 200 { Ok(()) } else { Err(format!("answered {status}").into()) }
}

/// The id of the newest event of the log.
pub(super) async fn newest_event(server: &Server) -> Outcome<i64> {
    let answer = events(&mut server.connect().await?, "limit=1").await?;
    Ok(answer["events"][0]["id"].as_i64().unwrap_or_default())
}

/// The events of switches after this one, newest first.
pub(super) async fn events_after(server: &Server, last: i64) -> Outcome<Vec<Event>> {
    let (mut connection, mut found) = (server.connect().await?, Vec::new());
    let types = "IS_ANY_OF%3Afeature-environment-enabled,feature-environment-disabled";
    let query = format!("type={types}&project=IS%3A{}&limit={PAGE}", project(PROJECT));
    loop {
        let answer = events(&mut connection, &format!("{query}&offset={}", found.len())).await?;
        let page = answer["events"].as_array().ok_or("a search has no events")?;
        let new = page.iter().filter_map(event).take_while(|event| event.id > last);
        let before = found.len();
        found.extend(new);
        if found.len() < before + PAGE {
            return Ok(found);
        }
    }
}

async fn events(connection: &mut Connection, query: &str) -> Outcome<Value> {
    connection.json(&request("GET", &format!("/api/admin/search/events?{query}"), &Server::admin(), None)).await
}

fn event(event: &Value) -> Option<Event> {
    let on = event["type"] == "feature-environment-enabled";
    Some(Event { id: event["id"].as_i64()?, feature: event["featureName"].as_str()?.to_owned(), on })
}
