//! Fills a server with made-up flags and measures what it costs to ask it: `benches/run` says how to start it.

mod attacks;
mod data;
mod day;
mod deliveries;
mod edges;
mod http;
mod measure;
mod receiver;
mod rows;
mod server;
mod slow;
mod soak;
mod streams;
mod words;

use std::{path::PathBuf, time::Duration};

use clap::{Parser, Subcommand, ValueEnum};

use self::{data::Size, server::Server};

/// Whatever goes wrong ends the program with a sentence.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures a Flagstone server.
#[derive(Debug, Parser)]
struct Cli {
    /// The program to measure.
    #[arg(long)]
    flagstone: PathBuf,
    /// The program's database, empty: `postgres://…`. Absent: an SQLite file in the directory for data.
    #[arg(long)]
    database: Option<String>,
    /// Process id of the database server, whose processor time counts as well.
    #[arg(long)]
    database_process: Option<u32>,
    /// Where filled SQLite files are kept for the next time.
    #[arg(long)]
    data: PathBuf,
    /// How much data.
    #[arg(long, value_enum, default_value_t = SizeName::Medium)]
    size: SizeName,
    /// What to do.
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// A mixed day of a company in some minutes: how soon whoever asks is answered, as a page with pictures.
    Day(day::Asked),
    /// What each kind of request costs, as a table.
    Table {
        /// Seconds for each kind of request, number of connections and round.
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
        /// Rounds, of which the median counts.
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Only requests whose name holds this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Integrations that are told of events meanwhile.
        #[arg(long, default_value_t = 0)]
        integrations: usize,
        /// The type of the events that they are told of.
        #[arg(long, default_value = "feature-metadata-updated")]
        told_of: String,
    },
    /// What an edge costs before the server, beside the field's edge, and how soon its listeners hear of changes.
    Edge(edges::Asked),
    /// Memory, searches and changes while others are told of events, and while nobody is.
    Deliveries(deliveries::Asked),
    /// Memory and answers while the server is sent what means harm.
    Attacks,
    /// Memory while many running copies of programs ask and report.
    Soak {
        /// Running copies.
        #[arg(long, default_value_t = 2000)]
        instances: usize,
        /// Seconds that it takes.
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
    /// What ordinary requests notice of callers that never finish what they say.
    Slow {
        /// Slow callers.
        #[arg(long, default_value_t = 10_000)]
        callers: usize,
        /// Seconds that they take.
        #[arg(long, default_value_t = 120)]
        seconds: u64,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SizeName {
    Small,
    Medium,
    Large,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let cli = Cli::parse();
    let size = match cli.size {
        SizeName::Small => Size::SMALL,
        SizeName::Medium => Size::MEDIUM,
        SizeName::Large => Size::LARGE,
    };
    let database = cli
        .database
        .clone()
        .unwrap_or_else(|| format!("sqlite://{}", cli.data.join("run").join("flagstone.db").display()));
    let server = filled(&cli, size, &database).await?;
    match cli.task {
        Task::Day(asked) => {
            let place = day::Place {
                program: cli.flagstone,
                database,
                database_process: cli.database_process,
                directory: cli.data,
            };
            return day::day(server, size, &place, &asked).await;
        }
        Task::Table { seconds, rounds, only, integrations, told_of } => {
            receiver::tell(&server, integrations, &told_of).await?;
            let rows = rows::rows(size, &server).await?;
            measure::table(&server, &rows, Duration::from_secs_f64(seconds), rounds, &only).await?;
        }
        Task::Edge(asked) => edges::edges(&server, &cli.flagstone, &cli.data.join("run"), size, &asked).await?,
        Task::Deliveries(asked) => deliveries::deliveries(&server, size, &asked).await?,
        Task::Attacks => attacks::attacks(&server).await?,
        Task::Soak { instances, seconds } => soak::soak(&server, size, instances, Duration::from_secs(seconds)).await?,
        Task::Slow { callers, seconds } => slow::slow(&server, callers, Duration::from_secs(seconds)).await?,
    }
    server.stop().await
}

/// A server with the data of this size, just started.
async fn filled(cli: &Cli, size: Size, database: &str) -> Outcome<Server> {
    std::fs::create_dir_all(&cli.data)?;
    let run = cli.data.join("run");
    if run.exists() {
        std::fs::remove_dir_all(&run)?;
    }
    std::fs::create_dir(&run)?;
    let kept = cli.data.join(format!("{}-{}.db", size.name, data::VERSION));
    let files = matches!(cli.task, Task::Slow { .. }).then_some(slow::FILES);
    let start = || Server::start(&cli.flagstone, database, &run, cli.database_process, files, None);
    if cli.database.is_some() || !kept.exists() {
        let empty = start().await?;
        empty.report("empty").await?;
        data::fill(&empty, size).await?;
        empty.stop().await?;
        if cli.database.is_none() {
            std::fs::copy(run.join("flagstone.db"), &kept)?;
        }
    } else {
        std::fs::copy(&kept, run.join("flagstone.db"))?;
    }
    let server = start().await?;
    server.report("filled").await?;
    Ok(server)
}
