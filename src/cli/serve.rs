//! `flagstone serve`: opens the store, serves, and stops cleanly.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use crate::{
    app,
    cli::{
        Outcome,
        opening::{Opening, open},
        say, service,
    },
    clock::Clock,
    config::{Config, Judgement, Options, Pair, Variables, presets::Presets, providers::FromEnvironment},
    jobs,
    server::{Certificates, Server},
    start,
    state::State,
    store::db::{file_lock, sqlite_path},
    telemetry::{Log, Traces},
};

/// Time limit for background jobs under way after the last request.
const GRACE: Duration = Duration::from_secs(30);

/// Judges the settings, as far as that is possible without starting.
pub(super) fn judge(options: &Options, variables: &Variables) -> Judgement {
    let mut judgement = options.judge();
    judgement.note(options.outbound());
    judgement.note(FromEnvironment::read(variables));
    judgement.note(options.keys.unlock_existing(&options.database).map_err(|error| error.to_string()));
    let presets = Presets::from_variables(|name| variables.get(name));
    judgement.note(presets.judge());
    judgement.doubtful.extend(presets.doubts());
    judgement.doubtful.extend(variables.without_effect().iter().cloned());
    if let Ok(Some(pair)) = options.address.tls.pair() {
        judge_certificate(&mut judgement, pair);
    }
    judgement
}

/// Judges a certificate and its key.
pub(super) fn judge_certificate(judgement: &mut Judgement, pair: Pair) {
    let certificates = judgement.note(Certificates::open(pair));
    judgement.doubtful.extend(certificates.and_then(|certificates| certificates.doubt(&Clock::system())));
}

/// Opens the certificate that these options name, and logs its warning.
pub(super) fn certificates(pair: Option<Pair>) -> Result<Option<Arc<Certificates>>, String> {
    let certificates = pair.map(Certificates::open).transpose()?;
    if let Some(doubt) = certificates.as_ref().and_then(|certificates| certificates.doubt(&Clock::system())) {
        tracing::warn!("{doubt}");
    }
    Ok(certificates)
}

pub(super) async fn run(options: &Options, variables: &Variables, log: Log) -> Outcome {
    options.check()?;
    for doubt in variables.without_effect() {
        tracing::warn!("{doubt}");
    }
    let presets = Presets::from_variables(|name| variables.get(name));
    presets.judge()?;
    let _file_lock = sqlite_path(&options.database.url).map(file_lock::lock).transpose()?;
    let certificates = certificates(options.address.tls.pair()?)?;
    let mut db = open(&options.database, Opening::MayUpgrade).await?;
    if let Some((url, bound)) = options.replica() {
        db = db.with_replica(url, bound).map_err(|error| format!("DATABASE_READ_URL: {error}"))?;
    }
    let vault = options.keys.unlock(&options.database)?;
    let traces = options.telemetry.traces("flagstone", |way| options.outgoing.route.client(way))?;
    let traces = traces.map(Traces::start).unwrap_or_default();
    let config = Config {
        outbound: Some(options.outbound()?),
        providers: FromEnvironment::read(variables)?,
        traces: traces.clone(),
        log,
        ..options.config()
    };
    let state = State::new(db, Clock::system(), config, vault);
    // Bound before anything is announced, so that a taken port is an error and not a surprise.
    let (proxies, figures) = (state.config.trusted_proxies.clone(), Arc::clone(&state.connections));
    let mut server = Server::new(&options.connections, proxies, figures);
    let address = server.open(options.address.listen, certificates).await?;
    if let Some(listen) = options.redirecting.redirect_listen {
        server.redirect(listen, options.address.given_base_url(), address.port()).await?;
    }
    let secrets = start::prepare(&state.db, &state.vault, &state.clock, &state.passwords, &presets).await?;
    for doubt in start::unknown_places(&state.db, &presets).await? {
        tracing::warn!("{doubt}");
    }
    start::note_providers(&state).await?;
    start::forget_token_secrets(&state.db, state.config.api_token_secrets).await?;
    announce(&state, address)?;
    for line in secrets.lines() {
        say(&line)?;
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let jobs = jobs::start(state.clone(), stopped);
    server.run(app(state.clone()), service::serves, stopping(&state)).await;
    stop.send_replace(true);
    if tokio::time::timeout(GRACE, jobs).await.is_err() {
        tracing::warn!("a background job did not end in time; it starts over next time");
    }
    traces.stop().await;
    state.db.close().await?;
    Ok(())
}

fn announce(state: &State, address: SocketAddr) -> Outcome {
    let base_url = &state.config.base_url;
    say(&format!("Flagstone {} listens on {}", env!("CARGO_PKG_VERSION"), address))?;
    say(&format!("  Console    {base_url}/console/"))?;
    say(&format!("  API        {base_url}/api/admin"))?;
    say(&format!("  Read       {base_url}/docs/"))?;
    say(&format!("  Swagger    {base_url}/docs/openapi/"))?;
    say(&format!("  Document   {base_url}/docs/openapi.json"))?;
    Ok(())
}

/// Waits until the process is asked to stop, then notifies the answers that do not end by themselves.
async fn stopping(state: &State) {
    signal().await;
    service::stops();
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
