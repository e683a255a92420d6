//! Requests of each kind, and what must be remembered to ask the next one.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use serde_json::{Value, json};

use super::plan::What;
use crate::{
    Outcome,
    data::{self, ENVIRONMENTS, Size, is_archived, project, segment},
    http::{Answer, if_none_match, request},
    server::Server,
    soak, switches,
    words::{flag, scattered},
};

/// Running copies of programs that ask for features.
const COPIES: usize = 80;
/// The project whose features are switched, and that in which nothing but descriptions changes.
const SWITCHED: u64 = 1;
const DESCRIBED: u64 = 2;
/// The project whose features come and go.
const COMING: u64 = 3;

/// A switch that streams should tell of.
pub(crate) struct Switch {
    /// Text that an event about it holds.
    pub(crate) marker: Vec<u8>,
    /// When it was meant to happen.
    pub(crate) at: Duration,
}

/// A request with what becomes of its answer.
pub(crate) struct Asked {
    pub(crate) bytes: Vec<u8>,
    /// Note to make when it is answered well.
    note: Note,
}

enum Note {
    Nothing,
    Etag(usize),
    Switched(usize),
    Made(String),
}

/// The memory of all who ask.
pub(crate) struct World {
    size: Size,
    person: String,
    etags: RefCell<Vec<Option<String>>>,
    /// Features that are switched, and whether they are on.
    switches: RefCell<Vec<(String, bool)>>,
    made: RefCell<Vec<String>>,
    imports: Cell<u64>,
    pub(crate) switched: RefCell<Vec<Switch>>,
}

impl World {
    /// Looks around on the server.
    pub(crate) async fn new(server: &Server, size: Size) -> Outcome<Self> {
        Ok(Self {
            size,
            person: server.person().await?,
            etags: RefCell::new(vec![None; COPIES]),
            switches: RefCell::new(switches::of_project(server, SWITCHED).await?),
            made: RefCell::default(),
            imports: Cell::new(0),
            switched: RefCell::default(),
        })
    }

    /// Programs begin anew and know nothing.
    pub(crate) fn deploy(&self) {
        self.etags.borrow_mut().fill(None);
    }

    /// The project of an import, which must be made before it: none when it is there.
    pub(crate) fn project_of_import(&self) -> Option<Value> {
        let number = self.imports.get();
        let id = project(self.size.projects + number / 3);
        number
            .is_multiple_of(3)
            .then(|| json!({ "id": id, "name": format!("Brought by import {number}"), "environments": ENVIRONMENTS }))
    }

    /// The request of this kind with this number; none when there is nothing to ask for.
    pub(crate) fn ask(&self, what: What, number: u64, at: Duration) -> Option<Asked> {
        let chance = scattered(number * 31 + 7);
        let plain = |bytes| Some(Asked { bytes, note: Note::Nothing });
        let get = |path: &str| plain(request("GET", path, &self.person, None));
        let post = |path: &str, body: &Value| plain(request("POST", path, &self.person, Some(body)));
        let any_project = project(chance % self.size.projects);
        match what {
            What::Search => get(&format!("/api/admin/search/features{}", self.search(chance))),
            What::Overview => get(&format!("/api/admin/projects/{any_project}")),
            What::Feature => {
                let feature = self.living(DESCRIBED, chance);
                get(&format!("/api/admin/projects/{}/features/{feature}", project(DESCRIBED)))
            }
            What::Health => get(&format!("/api/admin/projects/{any_project}/health-report")),
            What::Events => get(&format!("/api/admin/search/events{}", self.events(chance))),
            What::Playground => {
                let context = json!({ "appName": "console", "userId": number.to_string() });
                let body = json!({ "environment": "production", "projects": [any_project], "context": context });
                post("/api/admin/playground", &body)
            }
            What::Patch => {
                let path =
                    format!("/api/admin/projects/{}/features/{}", project(DESCRIBED), self.living(DESCRIBED, chance));
                let steps = json!([{ "op": "replace", "path": "/description", "value": format!("day {number}") }]);
                plain(request("PATCH", &path, &self.person, Some(&steps)))
            }
            What::Toggle => self.switch(number, at),
            What::Create => {
                let name = format!("made-this-day-{number}");
                let body = json!({ "name": name, "type": "release", "description": "came with the day" });
                let path = format!("/api/admin/projects/{}/features", project(COMING));
                let bytes = request("POST", &path, &self.person, Some(&body));
                Some(Asked { bytes, note: Note::Made(name) })
            }
            What::Archive => {
                let name = self.made.borrow_mut().pop()?;
                post(&format!("/api/admin/projects/{}/archive", project(COMING)), &json!({ "features": [name] }))
            }
            What::Export => {
                let body = json!({ "environment": "production", "project": any_project });
                post("/api/admin/features-batch/export", &body)
            }
            What::Import => {
                let turn = self.imports.replace(self.imports.get() + 1);
                let environment = ENVIRONMENTS[usize::try_from(turn % 3).unwrap_or(0)];
                let data = data::import(self.size, self.size.projects + turn / 3, environment);
                post("/api/admin/features-batch/import", &data)
            }
            What::Features => {
                let copy = usize::try_from(number).unwrap_or(0) % COPIES;
                let known = if_none_match(self.etags.borrow()[copy].as_deref());
                let headers = format!("{}Accept-Encoding: gzip\r\n{known}", Server::client());
                let bytes = request("GET", "/api/client/features", &headers, None);
                Some(Asked { bytes, note: Note::Etag(copy) })
            }
            What::Frontend => {
                let path = format!("/api/frontend?userId={number}&sessionId=s{number}&properties[region]=north");
                plain(request("GET", &path, &format!("{}Accept-Encoding: gzip\r\n", Server::browser()), None))
            }
            What::OpenFeature => {
                let body = json!({ "context": { "targetingKey": number.to_string(), "region": "north" } });
                plain(request("POST", "/ofrep/v1/evaluate/flags", &Server::browser(), Some(&body)))
            }
            What::Usage => {
                let body = soak::report(self.size, usize::try_from(number).unwrap_or(0) % COPIES, number);
                plain(request("POST", "/api/client/metrics", &Server::client(), Some(&body)))
            }
            What::Register => {
                let body = soak::registration(usize::try_from(number).unwrap_or(0) % COPIES);
                plain(request("POST", "/api/client/register", &Server::client(), Some(&body)))
            }
            What::StreamOpened | What::StreamTold => None,
        }
    }

    /// Remembers what a good answer says.
    pub(crate) fn answered(&self, asked: Asked, answer: Answer) {
        match asked.note {
            Note::Nothing => {}
            Note::Etag(copy) => {
                if answer.etag.is_some() {
                    self.etags.borrow_mut()[copy] = answer.etag;
                }
            }
            Note::Switched(place) => {
                let on = &mut self.switches.borrow_mut()[place].1;
                *on = !*on;
            }
            Note::Made(name) => self.made.borrow_mut().push(name),
        }
    }

    fn switch(&self, number: u64, at: Duration) -> Option<Asked> {
        let switches = self.switches.borrow();
        let place = usize::try_from(number).ok()? % switches.len().max(1);
        let (name, is_on) = switches.get(place)?;
        self.switched.borrow_mut().push(Switch { marker: format!("\"name\":\"{name}\"").into_bytes(), at });
        let bytes = switches::switch(SWITCHED, name, !is_on, &self.person);
        Some(Asked { bytes, note: Note::Switched(place) })
    }

    /// A feature of a project that is not archived.
    fn living(&self, number: u64, chance: u64) -> String {
        let first = self.size.flags_of(number).start + chance % self.size.flags;
        flag(if is_archived(first) { first - 1 } else { first })
    }

    fn search(&self, chance: u64) -> String {
        match chance % 6 {
            0 | 1 => String::new(),
            2 => "?query=carousel".to_owned(),
            3 => format!("?project=IS%3A{}&state=IS%3Aactive", project(chance % self.size.projects)),
            4 => format!("?status=production%3Aenabled&segment=INCLUDE%3A{}", segment(chance % 20)),
            _ => format!("?sortBy=lastSeenAt&offset={}", chance % (self.size.projects * self.size.flags / 2)),
        }
    }

    fn events(&self, chance: u64) -> String {
        match chance % 3 {
            0 => String::new(),
            1 => "?type=IS%3Afeature-created&createdAtFrom=IS%3A2020-01-01&createdAtTo=IS%3A2099-12-31".to_owned(),
            _ => format!("?query={}", self.living(DESCRIBED, chance)),
        }
    }
}
