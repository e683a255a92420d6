//! `flagstone serve`: opens the store, serves, and stops cleanly.

use std::{sync::Arc, time::Duration};

use crate::{
    app,
    cli::{Outcome, say},
    clock::Clock,
    config::{Config, DatabaseChoice, Options, presets::Presets, providers::FromEnvironment},
    jobs,
    server::Server,
    start,
    state::State,
    store::{StoreError, db::Db, migrate},
    telemetry::{Log, Traces},
};

/// How long background jobs under way may take after the last request.
const GRACE: Duration = Duration::from_secs(30);

/// Opens the database and brings it to the schema of this version.
pub(super) async fn open(database: &DatabaseChoice) -> Result<Db, StoreError> {
    let db = Db::open(&database.url).await?;
    migrate::migrate(&db).await?;
    Ok(db)
}

pub(super) async fn run(options: &Options, log: Log) -> Outcome {
    options.check()?;
    let mut db = open(&options.database).await?;
    if let Some((url, bound)) = options.replica() {
        db = db.with_replica(url, bound).map_err(|error| format!("DATABASE_READ_URL: {error}"))?;
    }
    let vault = options.keys.unlock(&options.database)?;
    let traces = options.telemetry.traces("flagstone", |way| options.outgoing.route.client(way))?;
    let traces = traces.map(Traces::start).unwrap_or_default();
    let config = Config {
        outbound: Some(options.outbound()?),
        providers: FromEnvironment::read()?,
        traces: traces.clone(),
        log,
        ..options.config()
    };
    let state = State::new(db, Clock::system(), config, vault);
    // Bound before anything is announced, so that a taken port is an error and not a surprise.
    let (proxies, figures) = (state.config.trusted_proxies.clone(), Arc::clone(&state.connections));
    let server = Server::bind(options.address.listen, &options.connections, proxies, figures).await;
    let server = server.map_err(|error| format!("cannot listen on {}: {error}", options.address.listen))?;
    let presets = Presets::from_environment();
    let secrets = start::prepare(&state.db, &state.vault, &state.clock, &state.passwords, &presets).await?;
    start::note_providers(&state).await?;
    announce(&state, &server)?;
    for line in secrets.lines() {
        say(&line)?;
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let jobs = jobs::start(state.clone(), stopped);
    server.run(app(state.clone()), stopping(&state)).await;
    stop.send_replace(true);
    if tokio::time::timeout(GRACE, jobs).await.is_err() {
        tracing::warn!("a background job did not end in time; it starts over next time");
    }
    traces.stop().await;
    state.db.close().await?;
    Ok(())
}

fn announce(state: &State, server: &Server) -> Outcome {
    let base_url = &state.config.base_url;
    say(&format!("Flagstone {} listens on {}", env!("CARGO_PKG_VERSION"), server.local_addr()?))?;
    say(&format!("  API        {base_url}/api/admin"))?;
    say(&format!("  Read       {base_url}/docs/"))?;
    say(&format!("  Swagger    {base_url}/docs/openapi/"))?;
    say(&format!("  Document   {base_url}/docs/openapi.json"))?;
    Ok(())
}

/// Ends when the process is asked to stop, and says so to whoever answers without end.
async fn stopping(state: &State) {
    signal().await;
    state.stopping.send_replace(true);
}

/// Ends when the process is asked to stop.
pub(super) async fn signal() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "cannot listen for Ctrl-C");
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::error!(%error, "cannot listen for SIGTERM");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
    tracing::info!("stopping");
}
