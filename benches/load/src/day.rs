//! A mixed day of a company: people, programs, streams, imports, exports, a backup and an upgrade, in some minutes.
//!
//! Requests arrive whether or not earlier ones are answered, and count from the moment for which they were meant: a server
//! that stalls for a second is seen by all that came in this second.

mod arrivals;
mod chart;
mod listening;
mod plan;
mod record;
mod report;
mod watch;
mod world;

use std::{
    cell::{Cell, RefCell},
    path::PathBuf,
    process::Command,
    rc::Rc,
    time::Duration,
};

use tokio::{sync::Semaphore, task::LocalSet};

use self::{
    plan::{KINDS, Plan},
    record::{Happening, Record},
    watch::Watched,
    world::World,
};
use crate::{
    Outcome,
    data::Size,
    http::{Connection, request},
    receiver,
    server::{Place, Server},
};

/// Integrations that are told of switches.
const INTEGRATIONS: usize = 2;
/// Programs that listen.
const LISTENING: usize = 60;
/// Connections of all who ask. Who finds none waits, and that counts.
const CONNECTIONS: usize = 1000;
/// Time limit for what is under way at the end.
const LAST: Duration = Duration::from_secs(35);

/// What is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct Asked {
    /// Minutes that the day takes.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Factor for how many come.
    #[arg(long, default_value_t = 1.0)]
    rate: f64,
    /// The program that replaces the first one in the middle of the day. Absent: the same once more.
    #[arg(long)]
    next: Option<PathBuf>,
}

/// State that all tasks of the day share.
struct Day {
    plan: Plan,
    port: u16,
    world: World,
    /// None while it is replaced.
    server: RefCell<Option<Server>>,
    record: RefCell<Record>,
    watched: RefCell<Watched>,
    kept: RefCell<Vec<Connection>>,
    room: Semaphore,
    reconnected: Cell<usize>,
}

/// Runs it; prints the table and writes the page.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn day(server: Server, size: Size, place: &Place, asked: &Asked) -> Outcome {
    if !(0.1..=600.0).contains(&asked.minutes) || !(0.001..=1000.0).contains(&asked.rate) {
        return Err("a day takes 0.1 to 600 minutes, at 0.001 to 1000 times the rate".into());
    }
    receiver::tell(&server, INTEGRATIONS, "feature-environment-enabled").await?;
    let plan = Plan { time: Duration::from_secs_f64(asked.minutes * 60.0), rate: asked.rate };
    let day = Rc::new(Day {
        plan,
        port: server.port(),
        world: World::new(&server, size).await?,
        server: RefCell::new(Some(server)),
        record: RefCell::new(Record::new(plan.time)),
        watched: RefCell::default(),
        kept: RefCell::default(),
        room: Semaphore::new(CONNECTIONS),
        reconnected: Cell::new(0),
    });
    println!("\na day in {} minutes", asked.minutes);
    let everybody = LocalSet::new();
    for kind in &KINDS {
        everybody.spawn_local(arrivals::come(Rc::clone(&day), kind));
    }
    for place in 0..LISTENING {
        everybody.spawn_local(listening::listen(Rc::clone(&day), place));
    }
    everybody.spawn_local(watch::watch(Rc::clone(&day)));
    let running = async {
        tokio::try_join!(backup(&day, place), deploy(&day), upgrade(&day, place, asked.next.as_ref()))?;
        until(&day, plan.time).await;
        let over = Duration::from_millis(50);
        let mut left = LAST;
        while day.record.borrow().is_busy() && left > over {
            tokio::time::sleep(over).await;
            left -= over;
        }
        Outcome::Ok(())
    };
    everybody.run_until(running).await?;
    // Listeners have no end of their own.
    drop(everybody);
    let database = if place.database.starts_with("postgres") { "postgres" } else { "sqlite" };
    let page = place.directory.join(format!("day-{}-{database}.html", size.name));
    println!("{}", report::table(&day));
    std::fs::write(&page, report::page(&day, size, database))?;
    println!("\n{}", page.display());
    let server = day.server.borrow_mut().take();
    match server {
        Some(server) => server.stop().await,
        None => Ok(()),
    }
}

/// Waits for a moment of the day.
async fn until(day: &Day, moment: Duration) {
    let began = day.record.borrow().began;
    tokio::time::sleep_until((began + moment).into()).await;
}

/// A copy of the database, made from beside.
async fn backup(day: &Day, place: &Place) -> Outcome {
    until(day, day.plan.moment(plan::BACKUP)).await;
    let from = day.plan.moment(plan::BACKUP);
    let copies = place.directory.join("run/copies");
    std::fs::create_dir_all(&copies)?;
    let mut command = if place.database.starts_with("postgres") {
        let mut command = Command::new("pg_dump");
        command.arg("--format=custom").arg("--file").arg(copies.join("flagstone.dump")).arg(&place.database);
        command
    } else {
        let mut command = Server::command(&place.program, &place.database)?;
        command.arg("backup").arg("--directory").arg(&copies);
        command
    };
    let mut child = command.stdout(std::process::Stdio::null()).spawn().map_err(|error| format!("backup: {error}"))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let outcome = if status.success() { "made".to_owned() } else { format!("failed: {status}") };
    happened(day, "backup", from, outcome);
    Ok(())
}

/// Programs begin anew: their memory of what they were told is gone.
async fn deploy(day: &Day) -> Outcome {
    let from = day.plan.moment(plan::DEPLOY);
    until(day, from).await;
    day.world.deploy();
    Ok(())
}

/// The server is asked to stop, and another program takes its place.
async fn upgrade(day: &Day, place: &Place, next: Option<&PathBuf>) -> Outcome {
    let from = day.plan.moment(plan::UPGRADE);
    until(day, from).await;
    let Some(server) = day.server.borrow_mut().take() else { return Ok(()) };
    day.record.borrow_mut().upgrade.0 = Some(from);
    let began = std::time::Instant::now();
    server.stop().await?;
    let stopped = began.elapsed();
    let (program, run) = (next.unwrap_or(&place.program), place.directory.join("run"));
    let server = Server::start(program, &place.database, &run, place.database_process, None, Some(day.port)).await?;
    let started = server.started_in();
    day.server.replace(Some(server));
    let now = day.record.borrow().began.elapsed();
    day.record.borrow_mut().upgrade.1 = Some(now);
    let outcome = format!(
        "stopped in {:.0} ms, the next answered {:.0} ms after its start",
        stopped.as_secs_f64() * 1000.0,
        started.as_secs_f64() * 1000.0
    );
    happened(day, "upgrade", from, outcome);
    Ok(())
}

fn happened(day: &Day, name: &'static str, from: Duration, outcome: String) {
    let mut record = day.record.borrow_mut();
    let until = record.began.elapsed();
    record.happenings.push(Happening { name, from, until, outcome });
}

/// Makes what an import needs. It is no part of the import.
async fn prepare_import(day: &Day) -> Result<(), String> {
    let Some(body) = day.world.project_of_import() else { return Ok(()) };
    let asked = request("POST", "/api/admin/projects", &Server::admin(), Some(&body));
    let made = async { Connection::open(day.port).await?.json(&asked).await };
    made.await.map(drop).map_err(|error| error.to_string())
}
