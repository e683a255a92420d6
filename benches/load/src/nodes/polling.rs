//! Programs that poll the client features as SDKs do, each at its turn, over connections that they share.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{task::spawn_local, time::timeout};

use super::{
    Load,
    phase::{Failures, fail},
};
use crate::{
    Outcome,
    data::{Size, project},
    http::{Connection, if_none_match, request},
    server::Server,
};

/// Interval at which a program polls.
const INTERVAL: Duration = Duration::from_secs(15);
/// Longest time that a program waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The environment of the programs.
const ENVIRONMENT: &str = "production";

/// Programs, each of which reads the features of one project.
pub(super) struct Programs {
    ports: Vec<u16>,
    /// Header lines, one for each project.
    tokens: Vec<String>,
    count: u32,
    /// Connections to all nodes together.
    connections: u32,
    /// Entity tag of the features that each program has.
    etags: RefCell<Vec<String>>,
    polled: RefCell<Polled>,
}

/// Answers to polls.
#[derive(Debug, Default)]
pub(super) struct Polled {
    /// Milliseconds until each answer.
    pub(super) times: Vec<f64>,
    /// Answers without features, since those had not changed.
    pub(super) unchanged: u64,
    /// Longest time from a poll to the answer to the next one of the same program.
    pub(super) longest_gap: Duration,
    /// Reasons of failures, each with its number.
    pub(super) failures: Failures,
}

/// Makes a client token for each project; returns them as header lines.
pub(super) async fn tokens(server: &Server, size: Size) -> Outcome<Vec<String>> {
    let mut tokens = Vec::new();
    for number in 0..size.projects {
        let secret = server.client_token(ENVIRONMENT, &project(number)).await?;
        tokens.push(format!("Authorization: {secret}\r\n"));
    }
    Ok(tokens)
}

impl Programs {
    /// Programs that have the features as they are, which all nodes have read.
    pub(super) async fn new(servers: &[Server], tokens: &[String], load: Load) -> Outcome<Rc<Self>> {
        let mut known = Vec::new();
        for server in servers {
            let mut connection = server.connect().await?;
            known.clear();
            for token in tokens {
                let answer = connection.send(&poll(token, None)).await?;
                known.push(answer.etag.ok_or("client features have no entity tag")?);
            }
        }
        let etags = known.iter().cycle().take(load.programs as usize).cloned().collect();
        Ok(Rc::new(Self {
            ports: servers.iter().map(Server::port).collect(),
            tokens: tokens.to_vec(),
            count: load.programs,
            connections: load.connections * u32::try_from(servers.len())?,
            etags: RefCell::new(etags),
            polled: RefCell::default(),
        }))
    }

    /// Polls for so long; returns the answers.
    pub(super) async fn run(self: &Rc<Self>, began: Instant, time: Duration) -> Outcome<Polled> {
        let connections = (0..self.connections.min(self.count)).map(|place| {
            let programs = Rc::clone(self);
            spawn_local(async move { programs.take_turns(place, began, time).await })
        });
        for connection in connections.collect::<Vec<_>>() {
            connection.await?;
        }
        Ok(self.polled.take())
    }

    /// Polls for the programs of one connection, in their order. A poll that waits for the one before counts from the
    /// moment for which it was meant.
    async fn take_turns(&self, place: u32, began: Instant, time: Duration) {
        let port = self.ports[place as usize % self.ports.len()];
        let own: Vec<u32> = (place..self.count).step_by(self.connections as usize).collect();
        let mut asked: Vec<Option<Instant>> = vec![None; own.len()];
        let mut connection = None;
        for round in 0_u32.. {
            for (program, asked) in own.iter().zip(&mut asked) {
                let due = INTERVAL * round + INTERVAL * *program / self.count;
                if due >= time {
                    return;
                }
                let is_late = began.elapsed() >= due;
                tokio::time::sleep_until((began + due).into()).await;
                // Otherwise the lateness of the timer, up to a millisecond, would count.
                let from = if is_late { began + due } else { Instant::now() };
                let outcome = timeout(PATIENCE, self.ask(&mut connection, port, *program)).await;
                let outcome = outcome.unwrap_or_else(|_| Err("no answer in time".into()));
                let (ended, mut polled) = (Instant::now(), self.polled.borrow_mut());
                match outcome {
                    Ok(is_changed) => {
                        polled.times.push(ended.saturating_duration_since(from).as_secs_f64() * 1000.0);
                        polled.unchanged += u64::from(!is_changed);
                        if let Some(before) = asked.replace(from) {
                            let gap = ended.saturating_duration_since(before);
                            polled.longest_gap = polled.longest_gap.max(gap);
                        }
                    }
                    Err(error) => {
                        connection = None;
                        fail(&mut polled.failures, "poll", &error.to_string());
                    }
                }
            }
        }
    }

    /// Polls once; returns whether the features have changed.
    async fn ask(&self, kept: &mut Option<Connection>, port: u16, program: u32) -> Outcome<bool> {
        let place = program as usize;
        let asked = poll(&self.tokens[place % self.tokens.len()], Some(&self.etags.borrow()[place]));
        if kept.is_none() {
            *kept = Some(Connection::open(port).await?);
        }
        let connection = kept.as_mut().ok_or("no connection")?;
        let answer = connection.send(&asked).await?;
        match answer.status {
            304 => Ok(false),
            200 => {
                self.etags.borrow_mut()[place] = answer.etag.ok_or("no entity tag")?;
                Ok(true)
            }
            status => Err(format!("answered {status}").into()),
        }
    }
}

/// A request with the token of a program that has the features with this entity tag.
fn poll(token: &str, etag: Option<&str>) -> Vec<u8> {
    let headers = format!("{token}Accept-Encoding: gzip\r\n{}", if_none_match(etag));
    request("GET", "/api/client/features", &headers, None)
}
