//! Edges beside the server and beside each other, on the same data and in turns: what answers cost, what memory they
//! take, and how soon those who listen hear of a change.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    Outcome,
    data::Size,
    measure,
    rows::{self, Row},
    server::Server,
    streams,
};

/// Time for which an edge is left alone before its memory at rest is told.
const REST: Duration = Duration::from_secs(5);
/// Environments whose memory is told together.
const ENVIRONMENTS: [&str; 3] = ["production", "development", "staging"];

/// What is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct Asked {
    /// The program of the field's edge, to be measured beside.
    #[arg(long)]
    field_edge: Option<PathBuf>,
    /// Seconds for each kind of request, number of connections and round.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds, of which the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Streams that are open at once.
    #[arg(long, default_value_t = 1000)]
    streams: usize,
    /// Seconds that they are held open.
    #[arg(long, default_value_t = 60)]
    stream_seconds: u64,
    /// Changes in a minute meanwhile.
    #[arg(long, default_value_t = 50)]
    changes: u32,
}

/// A program that answers programs.
struct Rival<'a> {
    name: &'static str,
    server: &'a Server,
    rows: Vec<Row>,
}

/// Measures, and prints tables.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn edges(server: &Server, flagstone: &Path, directory: &Path, size: Size, asked: &Asked) -> Outcome {
    let mut all = Vec::new();
    for environment in ENVIRONMENTS {
        all.push(server.client_token(environment, "*").await?);
    }
    let start = async |tokens: &[String]| {
        let own = Server::edge(flagstone, server, tokens, &directory.join("edge")).await?;
        let field = match &asked.field_edge {
            None => None,
            Some(program) => Some(Server::edge(program, server, tokens, &directory.join("field-edge")).await?),
        };
        Outcome::Ok((own, field))
    };
    let (own, field) = start(&all).await?;
    tokio::time::sleep(REST).await;
    println!("\nMemory at rest, three environments: Flagstone's edge {:.0} MiB", own.memory().now);
    if let Some(field) = &field {
        println!("the field's edge {:.0} MiB", field.memory().now);
    }
    own.stop().await?;
    if let Some(field) = field {
        field.stop().await?;
    }

    let (own, field) = start(&all[..1]).await?;
    let mut rivals = Vec::new();
    for (name, server) in [("server", Some(server)), ("edge", Some(&own)), ("field's edge", field.as_ref())] {
        if let Some(server) = server {
            rivals.push(Rival { name, server, rows: rows::programs(server).await? });
        }
    }
    table(&rivals, Duration::from_secs_f64(asked.seconds), asked.rounds).await?;
    drop(rivals);
    if let Some(field) = field {
        field.stop().await?;
    }
    let time = Duration::from_secs(asked.stream_seconds);
    let plan = streams::Plan { size, count: asked.streams, time, changes: asked.changes };
    streams::listen(server, &own, plan).await?;
    own.stop().await
}

/// A row for each question and each of those who answer it.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
async fn table(rivals: &[Rival<'_>], time: Duration, rounds: usize) -> Outcome {
    let many = measure::MANY;
    println!("\nProcessor time in ms for each request, at 1 and at {many} connections; times of answers in ms.\n");
    println!("| Request | of | KB | processor | p99 | processor, {many} | p99, {many} | requests/s, {many} |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let Some(first) = rivals.first() else { return Ok(()) };
    for place in 0..first.rows.len() {
        let mut costs: Vec<(usize, Vec<_>, Vec<_>)> = Vec::new();
        for rival in rivals {
            // Who does not answer such a question well has no figures.
            let bytes = measure::warm_up(rival.server, &rival.rows[place]).await.unwrap_or_default();
            costs.push((bytes, Vec::new(), Vec::new()));
        }
        for _ in 0..rounds {
            for (rival, (bytes, alone, together)) in rivals.iter().zip(&mut costs) {
                let row = &rival.rows[place];
                if *bytes > 0 || row.status == 304 {
                    alone.push(measure::cost(rival.server, row, 1, time).await?);
                    together.push(measure::cost(rival.server, row, many, time).await?);
                }
            }
        }
        for (rival, (bytes, alone, together)) in rivals.iter().zip(&costs) {
            let (question, name) = (&rival.rows[place].name, rival.name);
            if alone.is_empty() {
                println!("| {question} | {name} | - | - | - | - | - | - |");
                continue;
            }
            let (one, together) = (measure::median(alone), measure::median(together));
            println!(
                "| {question} | {name} | {:.1} | {:.3} | {:.2} | {:.3} | {:.2} | {:.0} |",
                f64::from(u32::try_from(*bytes)?) / 1000.0,
                one.server_ms,
                one.p99_ms,
                together.server_ms,
                together.p99_ms,
                together.each_second,
            );
        }
    }
    Ok(())
}
