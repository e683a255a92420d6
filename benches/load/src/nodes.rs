//! Several nodes on one database: what they and the database take while many programs poll, many listen and features are
//! switched at any node, and how soon all of them know.
//!
//! Each number of nodes is measured in phases: polls alone, changes alone, changes with open streams, and everything at
//! once. The first three give what one of each costs, so that others can reckon with their own numbers.

mod phase;
mod polling;
mod report;
mod streaming;
mod switching;

use std::{fs, rc::Rc, time::Duration};

use tokio::task::LocalSet;

use self::{
    phase::{Fleet, Parts, Phase},
    polling::Programs,
    streaming::Streams,
    switching::Switches,
};
use crate::{
    Outcome,
    data::Size,
    server::{Place, Server},
};

/// Numbers of nodes that are measured.
const NODES: [u32; 2] = [2, 3];
/// Time for which nodes are left alone before their memory is noted.
const REST: Duration = Duration::from_secs(5);
/// Connections that a node admits by default.
const ADMITTED: u32 = 10_000;
/// Open files of a process besides its streams and those that poll it.
const OTHER_FILES: u32 = 300;
/// The share of each number that is left by `--small`.
const SMALL: u32 = 10;

/// Options of the measurement.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Asked {
    /// Numbers of nodes, each measured by itself.
    #[arg(default_values_t = NODES, value_parser = clap::value_parser!(u32).range(1..=16))]
    nodes: Vec<u32>,
    /// Programs that poll, each of them every 15 seconds.
    #[arg(long, default_value_t = 20_000)]
    programs: u32,
    /// Open streams, spread over the nodes.
    #[arg(long, default_value_t = 5_000)]
    streams: u32,
    /// Switches of features in a second, through each node in turn.
    #[arg(long, default_value_t = 50)]
    changes: u32,
    /// Connections to each node that the programs which poll share.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,
    /// Seconds of everything at once.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Seconds of each other phase.
    #[arg(long, default_value_t = 30)]
    phase_seconds: u64,
    /// A tenth of the programs, streams and changes.
    #[arg(long)]
    small: bool,
}

/// Numbers of programs, streams and changes.
#[derive(Debug, Clone, Copy)]
struct Load {
    programs: u32,
    streams: u32,
    /// Changes in a second.
    changes: u32,
    /// Connections to each node that the programs share.
    connections: u32,
}

/// Figures of one number of nodes.
struct Run {
    nodes: u32,
    load: Load,
    /// Memory of a node that has the features and no caller, in MiB.
    rest_mib: f64,
    /// Memory of an open stream, in KiB.
    stream_kib: f64,
    polls: Phase,
    changes: Phase,
    streams: Phase,
    all: Phase,
}

impl Asked {
    fn load(&self) -> Load {
        let share = if self.small { SMALL } else { 1 };
        Load {
            programs: self.programs / share,
            streams: self.streams / share,
            changes: self.changes.div_ceil(share),
            connections: self.connections,
        }
    }

    /// Refuses what nodes do not admit and what this machine has no open files for, before a database is filled.
    pub(crate) fn check(&self, database: Option<&str>) -> Outcome {
        if database.is_none_or(|url| !url.starts_with("postgres")) {
            return Err("several nodes share a database on PostgreSQL, which --database names".into());
        }
        let (load, files) = (self.load(), open_files());
        let fewest = self.nodes.iter().copied().min().unwrap_or(1);
        let most = self.nodes.iter().copied().max().unwrap_or(1);
        let of_a_node = load.streams.div_ceil(fewest) + load.connections;
        if of_a_node > ADMITTED {
            return Err(format!("a node admits {ADMITTED} connections, not {of_a_node}: use fewer --streams").into());
        }
        let needed = of_a_node.max(load.streams + load.connections * most) + OTHER_FILES;
        if files < needed {
            let advice = "raise it with `ulimit -n`, as root beyond `ulimit -Hn`, or use --small or fewer --streams";
            return Err(format!("{needed} open files are needed, and the limit is {files}: {advice}").into());
        }
        Ok(())
    }
}

/// Measures each number of nodes on the filled database of a server, which stops first, and prints tables.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn nodes(server: Server, size: Size, place: &Place, asked: &Asked) -> Outcome {
    let tokens = polling::tokens(&server, size).await?;
    server.stop().await?;
    let mut runs = Vec::new();
    for count in &asked.nodes {
        let run = measured(*count, place, asked, &tokens).await?;
        println!("{}", report::phases(&run));
        runs.push(run);
    }
    println!("{}", report::summary(&runs));
    Ok(())
}

/// Starts so many nodes, measures them, and stops them.
async fn measured(count: u32, place: &Place, asked: &Asked, tokens: &[String]) -> Outcome<Run> {
    let mut servers = Vec::new();
    for number in 1..=count {
        let directory = place.directory.join(format!("run/node-{number}"));
        fs::create_dir_all(&directory)?;
        let process = place.database_process;
        servers.push(Server::start(&place.program, &place.database, &directory, process, None, None).await?);
    }
    // Streams have no end of their own: they end with the set.
    let outcome = LocalSet::new().run_until(run(&servers, asked, tokens)).await;
    for server in servers {
        server.stop().await?;
    }
    outcome
}

/// All phases, one after the other.
async fn run(servers: &[Server], asked: &Asked, tokens: &[String]) -> Outcome<Run> {
    let load = asked.load();
    let streams = Streams::new(servers);
    let fleet = Fleet {
        servers,
        programs: Programs::new(servers, tokens, load).await?,
        switches: Switches::new(servers).await?,
        streams: Rc::clone(&streams),
    };
    let part =
        |name| Parts { name, polls: false, streams: false, changes: 0, time: Duration::from_secs(asked.phase_seconds) };
    tokio::time::sleep(REST).await;
    let rest_mib = memory(servers);
    let polls = fleet.phase(Parts { polls: true, ..part("polls") }).await?;
    let changes = fleet.phase(Parts { changes: load.changes, ..part("changes") }).await?;
    tokio::time::sleep(REST).await;
    let before = memory(servers);
    streams.open(load.streams).await;
    tokio::time::sleep(REST).await;
    let stream_kib = (memory(servers) - before) * 1024.0 / f64::from(load.streams.max(1)) * phase::count_of(servers);
    let listened = Parts { streams: load.streams > 0, changes: load.changes, ..part("streams") };
    let streamed = fleet.phase(listened).await?;
    let time = Duration::from_secs(asked.seconds);
    let all = fleet.phase(Parts { name: "all", polls: true, time, ..listened }).await?;
    let nodes = u32::try_from(servers.len())?;
    Ok(Run { nodes, load, rest_mib, stream_kib, polls, changes, streams: streamed, all })
}

/// Memory of a node at this moment in MiB, on average.
fn memory(servers: &[Server]) -> f64 {
    servers.iter().map(|server| server.memory().now).sum::<f64>() / phase::count_of(servers)
}

/// The limit of open files of this process, which the nodes inherit.
fn open_files() -> u32 {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let limit = line.and_then(|line| line.split_whitespace().next());
    limit.and_then(|limit| limit.parse().ok()).unwrap_or(u32::MAX)
}
