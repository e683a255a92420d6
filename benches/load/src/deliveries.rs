//! Costs of deliveries for other requests: memory while much waits, searches while a receiver is slow, and changes of
//! which integrations get the event. Each is measured with integrations and without, by turns.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::{
    Outcome,
    data::{Size, project},
    http::request,
    measure::{Cost, ask, cost, float, median, warm_up},
    receiver::{Integrations, Receiver},
    rows::{Row, rows},
    server::Server,
    words::flag,
};

const STALE: [&str; 2] = ["feature-stale-on", "feature-stale-off"];
const CHANGED: &str = "feature-metadata-updated";
/// Integrations for which much waits.
const MANY: usize = 100;
/// Integrations that a change is told to.
const SOME: usize = 10;
/// Integrations that tell a slow receiver, and changes in a minute, each of which is told to all of them.
const SLOW: (usize, u32) = (2, 540);
/// Time that the slow receiver takes for an answer.
const SLOWNESS: Duration = Duration::from_millis(200);
/// Longer than the server waits for an answer.
const NEVER: Duration = Duration::from_hours(1);
/// Longer than the server leaves its log alone after a change.
const LOOK: Duration = Duration::from_secs(2);
/// Time for which a server is left alone before its memory at rest is told.
const REST: Duration = Duration::from_secs(5);

/// What is to be measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Asked {
    /// Deliveries that wait while memory is measured.
    #[arg(long, default_value_t = 100_000)]
    waiting: u64,
    /// Seconds of each measurement of searches.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Rounds of each, with and without, of which the medians count.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Changes of each round.
    #[arg(long, default_value_t = 3000)]
    changes: u64,
    /// Only this: memory, searches or changes.
    #[arg(long, default_value = "")]
    only: String,
}

/// Measures all of it, and prints what was found.
pub(crate) async fn deliveries(server: &Server, size: Size, asked: &Asked) -> Outcome {
    if "memory".contains(&asked.only) {
        memory(server, size, asked.waiting).await?;
    }
    let rows = rows(size, server).await?;
    let row = |name: &str| rows.iter().find(|row| row.name == name).ok_or("there is no such request");
    if "searches".contains(&asked.only) {
        searches(server, size, row("search, first page of 50")?, asked).await?;
    }
    if "changes".contains(&asked.only) {
        changes(server, row("PATCH with its event")?, asked).await?;
    }
    Ok(())
}

/// Memory while deliveries wait for a receiver that does not answer, and while it takes them at last.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
async fn memory(server: &Server, size: Size, waiting: u64) -> Outcome {
    let receiver = Receiver::start()?;
    receiver.answers_after(NEVER);
    let needed = waiting.div_ceil(MANY as u64);
    // The same changes as later, so that what they take by themselves is there before.
    let mut marks = Marks { size, turn: 0 };
    marks.make(server, needed).await?;
    tokio::time::sleep(REST).await;
    let rest = server.memory().now;
    println!("\n{needed} changes that nobody is told of: {rest:.1} MiB afterwards");
    let integrations = Integrations::make(server, &receiver, MANY, &STALE).await?;
    server.forget_peak();
    marks.make(server, needed).await?;
    let began = Instant::now();
    let mut wait = figure(server, "flagstone_deliveries_waiting").await?;
    while wait < float(waiting) && began.elapsed() < REST * 12 {
        tokio::time::sleep(REST / 10).await;
        wait = figure(server, "flagstone_deliveries_waiting").await?;
    }
    tokio::time::sleep(REST * 3).await;
    let (memory, cpu, since) = (server.memory(), server.cpu(), Instant::now());
    tokio::time::sleep(REST * 3).await;
    let busy = (server.cpu().server_ms - cpu.server_ms) / since.elapsed().as_secs_f64();
    println!(
        "{wait} deliveries wait for a receiver that does not answer: {:.1} MiB, at most {:.1} MiB ({:+.1} MiB); {busy:.0} \
         ms of processor time a second",
        memory.now,
        memory.peak,
        memory.peak - rest,
    );
    receiver.answers_after(Duration::ZERO);
    server.forget_peak();
    let (taken, cpu, since) = (receiver.taken(), server.cpu(), Instant::now());
    tokio::time::sleep(REST * 6).await;
    let taken = receiver.taken() - taken;
    let (memory, after) = (server.memory(), server.cpu());
    println!(
        "It takes them: {:.0} in a second, {:.2} ms of processor time for each (database {:.2} ms); at most {:.1} MiB \
         ({:+.1} MiB)",
        float(taken) / since.elapsed().as_secs_f64(),
        (after.server_ms - cpu.server_ms) / float(taken),
        (after.database_ms - cpu.database_ms) / float(taken),
        memory.peak,
        memory.peak - rest,
    );
    integrations.remove(server).await
}

/// Marks features as stale and as not stale by turns, many in one request: each is an event.
struct Marks {
    size: Size,
    turn: u64,
}

impl Marks {
    async fn make(&mut self, server: &Server, events: u64) -> Outcome {
        let mut connection = server.connect().await?;
        let mut made = 0;
        while made < events {
            let (number, stale) = (self.turn / 2 % self.size.projects, self.turn.is_multiple_of(2));
            let living = self.size.flags_of(number).filter(|flag| flag % 20 != 19 && flag % 10 != 3);
            let names: Vec<String> = living.take(usize::try_from(events - made)?).map(flag).collect();
            let body = json!({ "features": names, "stale": stale });
            let path = format!("/api/admin/projects/{}/stale", project(number));
            connection.json(&request("POST", &path, &Server::admin(), Some(&body))).await?;
            made += names.len() as u64;
            self.turn += 1;
        }
        // What was marked in part is left alone, so that each of the next requests changes all that it names.
        self.turn = self.turn.next_multiple_of(2);
        Ok(())
    }
}

/// Searches while a slow receiver is told of changes, and while there are the same changes and it is told of none.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
async fn searches(server: &Server, size: Size, row: &Row, asked: &Asked) -> Outcome {
    let receiver = Receiver::start()?;
    receiver.answers_after(SLOWNESS);
    let mut integrations = Integrations::make(server, &receiver, SLOW.0, &[CHANGED]).await?;
    warm_up(server, row).await?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    let (mut taken, mut seconds) = (0, 0.0);
    for round in 0..asked.rounds {
        for is_told in [round % 2 > 0, round % 2 == 0] {
            integrations.switch(server, is_told).await?;
            let (before, since) = (receiver.taken(), Instant::now());
            let searching = cost(server, row, 1, Duration::from_secs_f64(asked.seconds));
            let measured = tokio::select! {
                cost = searching => cost?,
                ended = change(server, size) => return ended,
            };
            if is_told {
                taken += receiver.taken() - before;
                seconds += since.elapsed().as_secs_f64();
                with.push(measured);
            } else {
                without.push(measured);
            }
        }
    }
    println!("\nSearches with {} changes a minute, {}", SLOW.1, row.name);
    print("told to nobody", &without);
    let each_minute = float(taken) * 60.0 / seconds;
    print(&format!("told to {} integrations of a receiver that takes {SLOWNESS:?} each", SLOW.0), &with);
    println!("It took {each_minute:.0} a minute.");
    integrations.remove(server).await
}

/// Changes a feature again and again, at an even pace.
async fn change(server: &Server, size: Size) -> Outcome {
    let (mut connection, began) = (server.connect().await?, Instant::now());
    let path = format!("/api/admin/projects/{}/features/{}", project(1), flag(size.flags + 1));
    for number in 0_u32.. {
        let due = Duration::from_mins(1) * number / SLOW.1;
        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
        let value = format!("change {number} after {:?}", began.elapsed());
        let body = json!([{ "op": "replace", "path": "/description", "value": value }]);
        connection.json(&request("PATCH", &path, &Server::admin(), Some(&body))).await?;
    }
    Ok(())
}

/// Changes that ten integrations are told of, beside those that nobody is told of. The receiver answers none, so that what
/// they pay for is that the deliveries are noted; what a delivery costs is told beside memory.
///
/// A machine that others use gives one round more of its pace than the next one, and never less than what it costs. Each
/// round with integrations is therefore compared with the one without that came just before or after it, and what the
/// cheapest quarter of either took at most with that of the other.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
async fn changes(server: &Server, row: &Row, asked: &Asked) -> Outcome {
    let receiver = Receiver::start()?;
    receiver.answers_after(NEVER);
    let mut integrations = Integrations::make(server, &receiver, SOME, &[CHANGED]).await?;
    warm_up(server, row).await?;
    let (mut without, mut with, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..asked.rounds {
        let mut ms = [0.0; 2];
        for is_told in [round % 2 > 0, round % 2 == 0] {
            integrations.switch(server, is_told).await?;
            ms[usize::from(is_told)] = cost_of_changes(server, row, asked.changes).await?;
        }
        without.push(ms[0]);
        with.push(ms[1]);
        more.push((ms[1] / ms[0] - 1.0) * 100.0);
    }
    let ([none, ..], [ten, ..]) = (quarters(without.clone()), quarters(with.clone()));
    println!(
        "\nChanges: {}, {} rounds of {} changes, in ms of processor time for each: the middle, and between which half of \
         the rounds were",
        row.name, asked.rounds, asked.changes,
    );
    let names =
        ["told to nobody".to_owned(), format!("told to {SOME} integrations of a receiver that does not answer")];
    for (name, rounds) in names.into_iter().zip([without, with]) {
        let [low, middle, high] = quarters(rounds);
        println!("{name}: {middle:.3} ({low:.3} to {high:.3})");
    }
    let [low, middle, high] = quarters(more);
    println!(
        "more, side by side: {middle:+.1} % ({low:+.1} to {high:+.1}); in the cheapest quarters: {:+.1} %",
        (ten / none - 1.0) * 100.0
    );
    integrations.remove(server).await
}

/// Processor time of one of so many changes, with what the server does because of it once it has answered.
async fn cost_of_changes(server: &Server, row: &Row, changes: u64) -> Outcome<f64> {
    let mut connection = server.connect().await?;
    let before = server.cpu();
    for number in 0..changes {
        ask(&mut connection, row, number).await?;
    }
    tokio::time::sleep(LOOK).await;
    let after = server.cpu();
    Ok((after.server_ms + after.database_ms - before.server_ms - before.database_ms) / float(changes))
}

/// The lower quarter of some figures ends at the first of these, half of them at the next one, three quarters at the last.
fn quarters(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| figures.get(figures.len() * quarter / 4).copied().unwrap_or_default())
}

/// The median of some rounds, and the range of what one in a hundred waited longer than.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
fn print(name: &str, costs: &[Cost]) {
    let middle = median(costs);
    let (least, most) =
        costs.iter().fold((f64::MAX, 0.0_f64), |(least, most), cost| (least.min(cost.p99_ms), most.max(cost.p99_ms)));
    println!(
        "{name}: {:.3} ms of processor time (database {:.3} ms), p50 {:.2} ms, p99 {:.2} ms ({least:.2} to {most:.2}), \
         {:.0} a second",
        middle.server_ms, middle.database_ms, middle.p50_ms, middle.p99_ms, middle.each_second,
    );
}

/// A figure of the server, by its name; 0 when there is none.
async fn figure(server: &Server, name: &str) -> Outcome<f64> {
    let mut connection = server.connect().await?;
    connection.send(&request("GET", "/internal-backstage/prometheus", &Server::admin(), None)).await?;
    let text = String::from_utf8_lossy(connection.body()).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line.map_or(Ok(0.0), str::parse)?)
}
