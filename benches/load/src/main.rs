//! Fills a server with made-up flags and measures what it costs to ask it: `benches/run` says how to start it.

mod attacks;
mod beside;
mod data;
mod day;
mod deliveries;
mod edges;
mod http;
mod measure;
mod nodes;
mod receiver;
mod rows;
mod server;
mod slow;
mod soak;
mod streams;
mod switches;
mod words;

use std::{path::PathBuf, time::Duration};

use clap::{Parser, Subcommand, ValueEnum};

use self::{
    data::Size,
    server::{Place, Server},
};

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
    /// Compares the cost of each kind of request at this program and at another one, in turns.
    Beside(beside::Asked),
    /// What an edge costs before the server, beside the field's edge, and how soon its listeners hear of changes.
    Edge(edges::Asked),
    /// Several nodes on one database: what they take while programs poll and listen, and how soon all know of a change.
    Nodes(nodes::Asked),
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
    if let Task::Nodes(asked) = &cli.task {
        asked.check(cli.database.as_deref())?;
    }
    let filling = Filling::of(&cli, size);
    let server = filled(&filling, size).await?;
    let place = Place {
        program: cli.flagstone.clone(),
        database: filling.database(),
        database_process: cli.database_process,
        directory: cli.data.clone(),
    };
    match cli.task {
        Task::Day(asked) => return day::day(server, size, &place, &asked).await,
        Task::Nodes(asked) => return nodes::nodes(server, size, &place, &asked).await,
        Task::Table { seconds, rounds, only, integrations, told_of } => {
            receiver::tell(&server, integrations, &told_of).await?;
            let rows = rows::rows(size, &server).await?;
            measure::table(&server, &rows, Duration::from_secs_f64(seconds), rounds, &only).await?;
        }
        Task::Beside(ref asked) => {
            let other = filled(&Filling::other(&cli, asked), size).await?;
            beside::beside(&other, &server, size, asked).await?;
            other.stop().await?;
        }
        Task::Edge(asked) => edges::edges(&server, &cli.flagstone, &cli.data.join("run"), size, &asked).await?,
        Task::Deliveries(asked) => deliveries::deliveries(&server, size, &asked).await?,
        Task::Attacks => attacks::attacks(&server).await?,
        Task::Soak { instances, seconds } => soak::soak(&server, size, instances, Duration::from_secs(seconds)).await?,
        Task::Slow { callers, seconds } => slow::slow(&server, callers, Duration::from_secs(seconds)).await?,
    }
    server.stop().await
}

/// A program, and where it keeps what it is filled with.
struct Filling {
    program: PathBuf,
    /// Address of a database server. Absent: an SQLite file.
    server: Option<String>,
    database_process: Option<u32>,
    /// Directory of the running server.
    run: PathBuf,
    /// The filled SQLite file that is kept for the next time.
    kept: Option<PathBuf>,
    /// Limit of open files.
    files: Option<u32>,
}

impl Filling {
    fn of(cli: &Cli, size: Size) -> Self {
        Self {
            program: cli.flagstone.clone(),
            server: cli.database.clone(),
            database_process: cli.database_process,
            run: cli.data.join("run"),
            kept: cli.database.is_none().then(|| cli.data.join(format!("{}-{}.db", size.name, data::VERSION))),
            files: matches!(cli.task, Task::Slow { .. }).then_some(slow::FILES),
        }
    }

    /// The program that is compared with. Its file is not kept: another one may have other migrations.
    fn other(cli: &Cli, asked: &beside::Asked) -> Self {
        Self {
            program: asked.with.clone(),
            server: asked.other_database.clone(),
            database_process: cli.database_process,
            run: cli.data.join("other"),
            kept: None,
            files: None,
        }
    }

    fn database(&self) -> String {
        self.server.clone().unwrap_or_else(|| format!("sqlite://{}", self.run.join("flagstone.db").display()))
    }

    async fn start(&self) -> Outcome<Server> {
        Server::start(&self.program, &self.database(), &self.run, self.database_process, self.files, None).await
    }
}

/// A server with the data of this size, just started.
async fn filled(filling: &Filling, size: Size) -> Outcome<Server> {
    if filling.run.exists() {
        std::fs::remove_dir_all(&filling.run)?;
    }
    std::fs::create_dir_all(&filling.run)?;
    let file = filling.run.join("flagstone.db");
    if let Some(kept) = filling.kept.as_deref().filter(|kept| kept.exists()) {
        std::fs::copy(kept, file)?;
    } else {
        let empty = filling.start().await?;
        empty.report("empty").await?;
        data::fill(&empty, size).await?;
        empty.stop().await?;
        if let Some(kept) = &filling.kept {
            std::fs::copy(file, kept)?;
        }
    }
    let server = filling.start().await?;
    server.report("filled").await?;
    Ok(server)
}
