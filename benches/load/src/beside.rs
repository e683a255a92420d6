//! Comparison of two builds of the program, measured in turns on the same made-up data.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;

use crate::{
    Outcome,
    data::Size,
    measure::{Cost, MANY, cost, median, warm_up},
    rows::{self, Row},
    server::Server,
};

/// Options of the comparison.
#[derive(Debug, Args)]
pub(crate) struct Asked {
    /// The program to compare with, such as an earlier build. It fills a database of its own.
    #[arg(long)]
    pub(crate) with: PathBuf,
    /// The database of that program, empty: `postgres://…`. Absent: an SQLite file in the directory for data.
    #[arg(long)]
    pub(crate) other_database: Option<String>,
    /// Seconds for each kind of request, program, number of connections and round.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds, of which the median counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only requests whose name holds this text.
    #[arg(long, default_value = "")]
    only: String,
}

/// Costs of one kind of request at one program, a round each.
#[derive(Debug, Default)]
struct Rounds {
    alone: Vec<Cost>,
    together: Vec<Cost>,
}

impl Rounds {
    async fn measure(&mut self, server: &Server, row: &Row, time: Duration) -> Outcome {
        self.alone.push(cost(server, row, 1, time).await?);
        self.together.push(cost(server, row, MANY, time).await?);
        Ok(())
    }

    /// Median processor time of the server and its database, alone and with many connections, in milliseconds.
    fn total_ms(&self) -> [f64; 2] {
        [&self.alone, &self.together].map(|costs| {
            let cost = median(costs);
            cost.server_ms + cost.database_ms
        })
    }
}

/// Prints a table of both programs' processor time for each request, in milliseconds, and of their ratios.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn beside(other: &Server, this: &Server, size: Size, asked: &Asked) -> Outcome {
    let (others, own) = (rows::rows(size, other).await?, rows::rows(size, this).await?);
    let time = Duration::from_secs_f64(asked.seconds);
    println!(
        "\nProcessor time in ms for each request, with that of the database server: 1 connection / {MANY} connections.\n"
    );
    println!("| Request | KB | {} | this program | ratio |", asked.with.display());
    println!("|---|---:|---:|---:|---:|");
    let began = Instant::now();
    let (mut most_of_other, mut most) = (other.memory().peak, this.memory().peak);
    for (theirs, row) in others.iter().zip(&own).filter(|(_, row)| row.name.contains(&asked.only)) {
        let Ok(_) = warm_up(other, theirs).await else {
            println!("| {} | | not answered | | |", row.name);
            continue;
        };
        let bytes = warm_up(this, row).await?;
        let (mut before, mut now) = (Rounds::default(), Rounds::default());
        for round in 0..asked.rounds {
            // Who goes first changes, since the machine's speed does as well.
            if round % 2 == 0 {
                before.measure(other, theirs, time).await?;
                now.measure(this, row, time).await?;
            } else {
                now.measure(this, row, time).await?;
                before.measure(other, theirs, time).await?;
            }
        }
        let (before, now) = (before.total_ms(), now.total_ms());
        let [alone, together] = [now[0] / before[0], now[1] / before[1]];
        println!(
            "| {} | {:.1} | {:.3} / {:.3} | {:.3} / {:.3} | {alone:.2} / {together:.2} |",
            row.name,
            f64::from(u32::try_from(bytes)?) / 1000.0,
            before[0],
            before[1],
            now[0],
            now[1],
        );
        (most_of_other, most) = (most_of_other.max(other.memory().peak), most.max(this.memory().peak));
    }
    let (rest_of_other, rest) = (other.memory().now, this.memory().now);
    println!("| memory at most, MiB | | {most_of_other:.0} | {most:.0} | {:.2} |", most / most_of_other);
    println!("| memory afterwards, MiB | | {rest_of_other:.0} | {rest:.0} | {:.2} |", rest / rest_of_other);
    println!("\n{:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}
