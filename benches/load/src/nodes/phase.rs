//! A phase: some of the load for some time, and what nodes, database and load program take meanwhile.

use std::{
    collections::BTreeMap,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    polling::{Polled, Programs},
    streaming::Streams,
    switching::{Switched, Switches, events_after, newest_event},
};
use crate::{
    Outcome,
    measure::float,
    server::{Cpu, Server, machine_ms},
};

/// Time from one look at the connections to the database to the next.
const LOOK: Duration = Duration::from_secs(1);

/// Reasons of failures, each with its number.
pub(super) type Failures = BTreeMap<String, u64>;

/// Notes a failure.
pub(super) fn fail(failures: &mut Failures, of: &str, reason: &str) {
    *failures.entry(format!("{of}: {reason}")).or_default() += 1;
}

/// Number of the nodes, to divide by.
pub(super) fn count_of(servers: &[Server]) -> f64 {
    float(servers.len() as u64)
}

/// Nodes and those who use them.
pub(super) struct Fleet<'a> {
    pub(super) servers: &'a [Server],
    pub(super) programs: Rc<Programs>,
    pub(super) switches: Rc<Switches>,
    pub(super) streams: Rc<Streams>,
}

/// Parts of the load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) name: &'static str,
    /// Whether programs poll.
    pub(super) polls: bool,
    /// Whether streams are open.
    pub(super) streams: bool,
    /// Changes in a second.
    pub(super) changes: u32,
    pub(super) time: Duration,
}

/// Figures of a phase.
pub(super) struct Phase {
    pub(super) parts: Parts,
    /// With the time until all streams had received the last change.
    pub(super) seconds: f64,
    pub(super) spent: Spent,
    /// Most memory of each node, in MiB.
    pub(super) memory: Vec<f64>,
    /// Memory of the database server at the end, in MiB.
    pub(super) database_memory: f64,
    /// Most connections to the database server.
    pub(super) connections: usize,
    pub(super) polled: Polled,
    pub(super) switched: Switched,
    /// Milliseconds from the answer to each change until each node had sent it to its first stream.
    pub(super) known: Vec<f64>,
    /// Milliseconds from the answer to each change until the last stream of each node had received it.
    pub(super) received: Vec<f64>,
    /// Reasons of failures of all kinds, each with its number.
    pub(super) failures: Failures,
}

/// Processor time, in milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Spent {
    pub(super) nodes: Vec<f64>,
    pub(super) database: f64,
    /// Of this program.
    pub(super) load: f64,
    /// Of everybody on this machine.
    pub(super) machine: f64,
}

impl Spent {
    fn of(servers: &[Server]) -> Self {
        let all: Vec<Cpu> = servers.iter().map(Server::cpu).collect();
        let (load, machine) = machine_ms();
        Self {
            nodes: all.iter().map(|cpu| cpu.server_ms).collect(),
            database: all.first().map_or(0.0, |cpu| cpu.database_ms),
            load,
            machine,
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            nodes: self.nodes.iter().zip(&before.nodes).map(|(now, before)| now - before).collect(),
            database: self.database - before.database,
            load: self.load - before.load,
            machine: self.machine - before.machine,
        }
    }

    /// Of all nodes.
    pub(super) fn of_nodes(&self) -> f64 {
        self.nodes.iter().sum()
    }

    /// Of whatever else ran on this machine.
    pub(super) fn of_others(&self) -> f64 {
        (self.machine - self.of_nodes() - self.database - self.load).max(0.0)
    }
}

impl Fleet<'_> {
    /// Runs a phase.
    pub(super) async fn phase(&self, parts: Parts) -> Outcome<Phase> {
        let first = self.servers.first().ok_or("there is no node")?;
        for server in self.servers {
            server.forget_peak();
        }
        let last = newest_event(first).await?;
        let (before, began) = (Spent::of(self.servers), Instant::now());
        let polling =
            async { if parts.polls { self.programs.run(began, parts.time).await } else { Ok(Polled::default()) } };
        let switching = async {
            match parts.changes {
                0 => Ok(Switched::default()),
                rate => self.switches.run(rate, began, parts.time).await,
            }
        };
        let watching = async {
            let mut most = 0;
            while began.elapsed() < parts.time {
                most = most.max(first.database_connections());
                tokio::time::sleep(LOOK.min(parts.time.saturating_sub(began.elapsed()))).await;
            }
            Outcome::Ok(most)
        };
        let (mut polled, mut switched, connections) = tokio::try_join!(polling, switching, watching)?;
        let (mut known, mut received) = (Vec::new(), Vec::new());
        let mut failures = std::mem::take(&mut polled.failures);
        failures.append(&mut switched.failures);
        if parts.streams {
            let events = events_after(first, last).await?;
            if let Some(newest) = events.first() {
                self.streams.settle(newest.id).await;
            }
            let answered = switched.answered(events);
            for (id, at) in &answered {
                let since = |when: Instant| when.saturating_duration_since(*at).as_secs_f64() * 1000.0;
                known.extend(self.streams.known(*id).map(since));
                received.extend(self.streams.received(*id).map(since));
            }
            for _ in received.len()..switched.times.len() {
                fail(&mut failures, "change", "not received by every stream");
            }
            failures.append(&mut self.streams.failures());
        }
        let seconds = began.elapsed().as_secs_f64();
        let spent = Spent::of(self.servers).since(&before);
        for times in [&mut polled.times, &mut switched.times, &mut known, &mut received] {
            times.sort_by(f64::total_cmp);
        }
        Ok(Phase {
            parts,
            seconds,
            spent,
            memory: self.servers.iter().map(|server| server.memory().peak).collect(),
            database_memory: first.memory().database,
            connections,
            polled,
            switched,
            known,
            received,
            failures,
        })
    }
}
