//! Timing: processor time of the server and its database, times of answers as the client sees them.

use std::time::{Duration, Instant};

use crate::{Outcome, http::Connection, rows::Row, server::Server};

/// Requests that go ahead untimed.
const WARM_UP: u64 = 10;
/// Connections at the same time, in the second half of the table.
pub(crate) const MANY: usize = 32;

/// Costs of some requests of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time of the server for each.
    pub(crate) server_ms: f64,
    /// Processor time of the database server for each.
    pub(crate) database_ms: f64,
    /// Time that half waited longer than.
    pub(crate) p50_ms: f64,
    /// Time that one in a hundred waited longer than.
    pub(crate) p99_ms: f64,
    /// Number that were answered in a second.
    pub(crate) each_second: f64,
}

/// Measures rows, and prints a table.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn table(server: &Server, rows: &[Row], time: Duration, rounds: usize, only: &str) -> Outcome {
    println!(
        "\nProcessor time in ms for each request; times of answers in ms, at 1 and at {MANY} connections; most memory of \
         the server meanwhile in MiB.\n"
    );
    println!(
        "| Request | KB | server | database | p50 | p99 | requests/s | server, {MANY} | database, {MANY} | p50, {MANY} \
         | p99, {MANY} | requests/s, {MANY} | memory |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut peak = server.memory().peak;
    for row in rows.iter().filter(|row| row.name.contains(only)) {
        server.forget_peak();
        let bytes = warm_up(server, row).await?;
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            alone.push(cost(server, row, 1, time).await?);
            together.push(cost(server, row, MANY, time).await?);
        }
        let (one, many) = (median(&alone), median(&together));
        let peak_now = server.memory().peak;
        peak = peak.max(peak_now);
        println!(
            "| {} | {:.1} | {:.3} | {:.3} | {:.2} | {:.2} | {:.0} | {:.3} | {:.3} | {:.2} | {:.2} | {:.0} | {peak_now:.0} |",
            row.name,
            f64::from(u32::try_from(bytes)?) / 1000.0,
            one.server_ms,
            one.database_ms,
            one.p50_ms,
            one.p99_ms,
            one.each_second,
            many.server_ms,
            many.database_ms,
            many.p50_ms,
            many.p99_ms,
            many.each_second,
        );
    }
    let memory = server.memory();
    println!(
        "\nMemory afterwards {:.0} MiB, at most {:.0} MiB; database server {:.0} MiB",
        memory.now, peak, memory.database
    );
    Ok(())
}

/// Asks some times untimed; gives the bytes of the answer.
pub(crate) async fn warm_up(server: &Server, row: &Row) -> Outcome<usize> {
    let mut connection = server.connect().await?;
    for number in 0..WARM_UP {
        ask(&mut connection, row, number).await?;
    }
    Ok(connection.body().len())
}

/// Asks once.
pub(crate) async fn ask(connection: &mut Connection, row: &Row, number: u64) -> Outcome {
    let status = connection.send(&(row.request)(number)).await?.status;
    if status == row.status {
        return Ok(());
    }
    let body = String::from_utf8_lossy(connection.body());
    Err(format!("{} was answered {status}: {body:.500}", row.name).into())
}

/// Asks over so many connections for so long.
pub(crate) async fn cost(server: &Server, row: &Row, connections: usize, time: Duration) -> Outcome<Cost> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(server.connect().await?);
    }
    let (before, began) = (server.cpu(), Instant::now());
    let asking = open.into_iter().zip(0_u64..).map(|(mut connection, place)| async move {
        let mut times = Vec::new();
        while began.elapsed() < time {
            let sent = Instant::now();
            // The numbers of several connections do not meet, nor those of several rounds.
            let number = u64::try_from(began.elapsed().as_nanos())? * 64 + place;
            ask(&mut connection, row, number).await?;
            times.push(sent.elapsed().as_secs_f64() * 1000.0);
        }
        Outcome::Ok(times)
    });
    let mut times = Vec::new();
    for outcome in all(asking.collect()).await {
        times.extend(outcome?);
    }
    let (after, took) = (server.cpu(), began.elapsed());
    times.sort_by(f64::total_cmp);
    let count = f64::from(u32::try_from(times.len())?);
    let at = |share| quantile(&times, share);
    Ok(Cost {
        server_ms: (after.server_ms - before.server_ms) / count,
        database_ms: (after.database_ms - before.database_ms) / count,
        p50_ms: at(50),
        p99_ms: at(99),
        each_second: count / took.as_secs_f64(),
    })
}

/// The time that this share in hundredths took at most, of times in their order.
pub(crate) fn quantile(times: &[f64], share: usize) -> f64 {
    times.get(times.len() * share / 100).copied().unwrap_or_default()
}

/// Returns a count as a number to divide by; `f64::MAX` above 32 bits.
pub(crate) fn float(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Runs futures side by side on this thread.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| Some(Box::pin(future))).collect();
    let mut outcomes: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, outcome) in waiting.iter_mut().zip(&mut outcomes) {
            if let Some(running) = future
                && let std::task::Poll::Ready(value) = running.as_mut().poll(context)
            {
                (*future, *outcome) = (None, Some(value));
            }
        }
        if waiting.iter().all(Option::is_none) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    outcomes.into_iter().flatten().collect()
}

/// The median of each figure.
pub(crate) fn median(costs: &[Cost]) -> Cost {
    let of = |value: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Cost {
        server_ms: of(|cost| cost.server_ms),
        database_ms: of(|cost| cost.database_ms),
        p50_ms: of(|cost| cost.p50_ms),
        p99_ms: of(|cost| cost.p99_ms),
        each_second: of(|cost| cost.each_second),
    }
}
