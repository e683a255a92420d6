//! `flagstone serve`: opens the store, serves, and stops cleanly.

use std::time::Duration;

use poem::{
    Server,
    http::uri::Scheme,
    listener::{Acceptor, Listener, TcpAcceptor, TcpListener},
    web::{LocalAddr, RemoteAddr},
};
use tokio::net::TcpStream;

use crate::{
    api::state::State,
    app,
    cli::{Outcome, say},
    clock::Clock,
    config::{Options, presets::Presets},
    jobs, start,
    store::{StoreError, db::Db, migrate},
};

/// How long requests under way may take after the signal to stop.
const GRACE: Duration = Duration::from_secs(30);

/// How long a connection may stay open without a request.
const IDLE: Duration = Duration::from_secs(75);

/// Opens the database and brings it to the schema of this version.
pub(super) async fn open(options: &Options) -> Result<Db, StoreError> {
    let db = Db::open(&options.database_url).await?;
    migrate::migrate(&db).await?;
    Ok(db)
}

pub(super) async fn run(options: &Options) -> Outcome {
    options.check()?;
    let mut db = open(options).await?;
    if let Some((url, bound)) = options.replica() {
        db = db.with_replica(url, bound).map_err(|error| format!("DATABASE_READ_URL: {error}"))?;
    }
    let vault = options.unlock()?;
    let state = State::new(db, Clock::system(), options.config(), vault);
    // Bound before anything is announced, so that a taken port is an error and not a surprise.
    let acceptor = Prompt(TcpListener::bind(options.listen).into_acceptor().await?);
    let presets = Presets::from_environment();
    let secrets = start::prepare(&state.db, &state.vault, &state.clock, &state.passwords, &presets).await?;
    announce(&state, &acceptor)?;
    for line in secrets.lines() {
        say(&line)?;
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let jobs = jobs::start(state.clone(), stopped);
    let served = Server::new_with_acceptor(acceptor)
        .idle_timeout(IDLE)
        .run_with_graceful_shutdown(app(state.clone()), stopping(&state), Some(GRACE))
        .await;
    stop.send_replace(true);
    if tokio::time::timeout(GRACE, jobs).await.is_err() {
        tracing::warn!("a background job did not end in time; it starts over next time");
    }
    state.db.close().await?;
    served?;
    Ok(())
}

/// Connections whose pieces go out at once: the system would keep the last one of an answer until the reader has
/// confirmed the others, which readers do not hurry with.
struct Prompt(TcpAcceptor);

impl Acceptor for Prompt {
    type Io = TcpStream;

    fn local_addr(&self) -> Vec<LocalAddr> {
        self.0.local_addr()
    }

    async fn accept(&mut self) -> std::io::Result<(TcpStream, LocalAddr, RemoteAddr, Scheme)> {
        let accepted = self.0.accept().await?;
        if let Err(error) = accepted.0.set_nodelay(true) {
            tracing::debug!(%error, "a connection was gone before it was used");
        }
        Ok(accepted)
    }
}

fn announce(state: &State, acceptor: &impl Acceptor) -> Outcome {
    let base_url = &state.config.base_url;
    for address in acceptor.local_addr().iter().filter_map(|address| address.as_socket_addr()) {
        say(&format!("Flagstone {} listens on {address}", env!("CARGO_PKG_VERSION")))?;
    }
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
async fn signal() {
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
