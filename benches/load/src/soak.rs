//! Many running copies of programs, each asking for features every fifteen seconds and reporting every minute, as SDKs
//! do: what that does to the server's memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::{sync::mpsc, task::LocalSet};

use crate::{
    Outcome,
    data::Size,
    http::{Connection, if_none_match, request},
    server::Server,
    words::{flag, scattered},
};

const ASKING: Duration = Duration::from_secs(15);
const REPORTING: Duration = Duration::from_mins(1);
/// Flags in one report.
const EVALUATED: u64 = 50;
/// Programs that the copies are of.
const PROGRAMS: usize = 40;
/// Connections that the copies share: files that one process may open are few on some machines.
const CONNECTIONS: usize = 64;
/// Time for which the server is left alone afterwards: the next writing of what was reported falls into it.
const QUIET: Duration = Duration::from_secs(90);

/// Runs it, and prints memory as it goes.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn soak(server: &Server, size: Size, instances: usize, time: Duration) -> Outcome {
    let (before, cpu, began) = (server.memory(), server.cpu(), Instant::now());
    println!("before: {:.0} MiB, at most {:.0} MiB", before.now, before.peak);
    let (failures, mut failed) = mpsc::unbounded_channel();
    let copies = LocalSet::new();
    for connection in 0..CONNECTIONS {
        let mut open = server.connect().await?;
        let failures = failures.clone();
        copies.spawn_local(async move {
            let own = (connection..instances).step_by(CONNECTIONS).collect();
            if let Err(error) = live(&mut open, size, own, instances, began, time).await {
                // Nobody listens any more once the first failure is told.
                failures.send(error).ok();
            }
        });
    }
    drop(failures);
    let watching = async {
        let mut samples = Vec::new();
        while began.elapsed() < time {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let memory = server.memory();
            samples.push(memory.now);
            if samples.len().is_multiple_of(30) {
                println!("after {:3} s: {:.0} MiB", samples.len(), memory.now);
            }
        }
        samples
    };
    let samples = copies.run_until(watching).await;
    copies.await;
    if let Some(error) = failed.recv().await {
        return Err(error);
    }
    let (during, spent) = (server.memory(), server.cpu().server_ms - cpu.server_ms);
    let highest = samples.into_iter().fold(0.0, f64::max);
    println!("during: {highest:.0} MiB sampled at most, {:.0} MiB by the kernel", during.peak);
    println!("processor time: {:.1} ms a second", spent / began.elapsed().as_secs_f64());
    tokio::time::sleep(QUIET).await;
    println!("after: {:.0} MiB", server.memory().now);
    Ok(())
}

/// The lives of some copies, which take turns on one connection.
async fn live(
    connection: &mut Connection,
    size: Size,
    copies: Vec<usize>,
    instances: usize,
    began: Instant,
    time: Duration,
) -> Outcome {
    let client = Server::client();
    let mut due = Vec::new();
    for copy in copies {
        connection.json(&request("POST", "/api/client/register", &client, Some(&registration(copy)))).await?;
        // Copies do not all speak at once.
        let share = u32::try_from(copy)?;
        let of = u32::try_from(instances)?;
        due.push((ASKING * share / of, None::<String>, copy));
        due.push((REPORTING * share / of, None, copy + instances));
    }
    let mut turn = 0;
    while began.elapsed() < time {
        let Some(next) = due.iter_mut().min_by_key(|(at, ..)| *at) else { return Ok(()) };
        tokio::time::sleep(next.0.saturating_sub(began.elapsed())).await;
        if next.2 < instances {
            let known = if_none_match(next.1.as_deref());
            let asked = request("GET", "/api/client/features", &format!("{client}{known}"), None);
            next.1 = connection.send(&asked).await?.etag.or(next.1.take());
            next.0 += ASKING;
        } else {
            turn += 1;
            let body = report(size, next.2 - instances, turn);
            connection.json(&request("POST", "/api/client/metrics", &client, Some(&body))).await?;
            next.0 += REPORTING;
        }
    }
    Ok(())
}

fn names(copy: usize) -> (String, String) {
    (format!("program-{:02}", copy % PROGRAMS), format!("copy-{copy:05}"))
}

/// Registration that a copy sends when it starts.
pub(crate) fn registration(copy: usize) -> Value {
    let (app, instance) = names(copy);
    json!({
        "appName": app, "instanceId": instance, "sdkVersion": "unleash-client-node:6.0.0",
        "strategies": ["default", "flexibleRollout"], "started": "2026-01-01T00:00:00.000Z", "interval": 60_000,
    })
}

/// Report of a copy on its minute.
pub(crate) fn report(size: Size, copy: usize, turn: u64) -> Value {
    let (app, instance) = names(copy);
    let first = scattered(copy as u64 * 1000 + turn);
    let evaluations = (0..EVALUATED).map(|place| {
        let number = first.wrapping_add(place * 17) % (size.projects * size.flags);
        (flag(number), json!({ "yes": place + 1, "no": turn % 7, "variants": {} }))
    });
    let toggles: serde_json::Map<String, Value> = evaluations.collect();
    json!({ "appName": app, "instanceId": instance, "bucket": { "toggles": toggles } })
}
