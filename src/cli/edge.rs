//! `flagstone edge`: serves programs as a replica of another server, without a database.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use super::serve::{certificates, judge_certificate, signal};
use crate::{
    api::edge::{Backstage, EdgeAccess},
    cli::{Outcome, say, service},
    clock::{self, Clock},
    config::{Config, EdgeDoors, EdgeOptions, Hidden, Judgement},
    domain::{secret::TokenKind, token::Reach},
    edge::{Edge, FetchMode, Settings, Upstream, trusted},
    edge_app,
    sdk::Source,
    server::Server,
    state::Serving,
    telemetry::Traces,
    usage::Usage,
};

/// Requests upstream at a time.
const REQUESTS: usize = 16;
/// Time between two reports of the edge about itself.
const ABOUT_ITSELF: Duration = Duration::from_mins(1);

/// Judges the settings, as far as that is possible without starting.
pub(super) fn judge(options: &EdgeOptions) -> Judgement {
    let mut judgement = Judgement::default();
    judgement.note(options.check());
    let needless = options.needless().map(|(name, reason)| format!("{name} changes nothing here: {reason}"));
    judgement.doubtful.extend(needless);
    judgement.note(options.telemetry.traces("flagstone-edge", |way| options.client(way)));
    judgement.note(options.outbound());
    judgement.note(options.headers());
    judgement.note(settings(options));
    if let Some((_, pair)) = judgement.note(options.doors()).and_then(|doors| doors.secure) {
        judge_certificate(&mut judgement, pair);
    }
    judgement
}

pub(super) async fn run(options: &EdgeOptions) -> Outcome {
    options.check()?;
    let doors = options.doors()?;
    for (name, reason) in options.needless() {
        tracing::warn!("{name} changes nothing here: {reason}");
    }
    let outbound = options.outbound()?.in_plain_http_too(REQUESTS);
    let base = options.upstream.as_deref().unwrap_or_default();
    let traces = options.telemetry.traces("flagstone-edge", |way| options.client(way))?;
    let traces = traces.map(Traces::start).unwrap_or_default();
    let upstream = Upstream::new(outbound, base, options.token_goes_in(), options.headers()?).traced(traces.clone());
    let clock = Clock::system();
    let settings = settings(options)?;
    let file = options.offline.clone();
    let edge = match &file {
        Some(file) => Edge::offline(settings, upstream, clock.clone(), file)?,
        None => Edge::new(settings, upstream, clock.clone())?,
    };
    let config = Arc::new(Config { traces: traces.clone(), ..options.config() });
    let serving = Serving {
        usage: Arc::new(Usage::of_edge()),
        ..Serving::new(Arc::clone(&edge) as Arc<dyn Source>, clock, config)
    };
    let (proxies, figures) = (options.proxies(), Arc::clone(&serving.connections));
    let mut server = Server::new(&options.connections, proxies, figures);
    let address = open(&mut server, doors).await?;
    announce(options, address, &edge)?;
    if let Some(file) = file.filter(|_| options.reload_interval > 0) {
        follow(&edge, file, Duration::from_secs(options.reload_interval));
    }
    let (stop, mut stopped) = tokio::sync::watch::channel(false);
    let work = tokio::spawn(Arc::clone(&edge).run(serving.clone(), async move {
        // Also when the sender is gone.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    }));
    let app = edge_app(edge, serving.clone(), access(options));
    let stopping = async {
        signal().await;
        service::stops();
        serving.stopping.send_replace(true);
    };
    server.run(app, service::serves, stopping).await;
    // What the last requests reported is sent, too.
    stop.send_replace(true);
    work.await?;
    traces.stop().await;
    Ok(())
}

/// Opens every listener, and returns the address of the first.
async fn open(server: &mut Server, doors: EdgeDoors) -> Result<SocketAddr, String> {
    let (address, pair) = doors.secure.unzip();
    let mut bound = Vec::new();
    if let Some(address) = address {
        bound.push(server.open(address, certificates(pair)?).await?);
    }
    if let (Some(listen), Some(secure)) = (doors.redirect, bound.first()) {
        server.redirect(listen, None, secure.port()).await?;
    }
    if let Some(address) = doors.plain {
        bound.insert(0, server.open(address, None).await?);
    }
    bound.into_iter().next().ok_or_else(|| "the edge listens nowhere".to_owned())
}

fn follow(edge: &Arc<Edge>, file: PathBuf, interval: Duration) {
    let edge = Arc::clone(edge);
    tokio::spawn(async move { edge.follow_file(&file, interval).await });
}

fn announce(options: &EdgeOptions, address: SocketAddr, edge: &Edge) -> Outcome {
    say(&format!("Flagstone {} serves as the edge {} on {address}", env!("CARGO_PKG_VERSION"), edge.instance_id()))?;
    match (&options.upstream, &options.offline) {
        (_, Some(file)) => say(&format!("  Features   {}", file.display()))?,
        (Some(url), None) => say(&format!("  Upstream   {}", shown(url)))?,
        (None, None) => {}
    }
    Ok(())
}

/// An address without what may be secret in it.
fn shown(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| "…".to_owned(), |url| url.origin().ascii_serialization())
}

fn access(options: &EdgeOptions) -> EdgeAccess {
    EdgeAccess {
        base_path: options.base_path.trim_matches('/').to_owned(),
        token_header: options.token_comes_in(),
        allowed: options.allow_list.clone(),
        denied: options.deny_list.clone(),
        proxies: options.proxies(),
        backstage: Backstage {
            metrics: !options.disable_metrics_endpoint,
            metrics_batch: !options.disable_metrics_batch_endpoint,
            features: !options.disable_features_endpoint,
            tokens: !options.disable_tokens_endpoint,
            instance_data: !options.disable_instance_data_endpoint,
        },
    }
}

fn settings(options: &EdgeOptions) -> Result<Settings, String> {
    let seconds = Duration::from_secs;
    let tokens = options.tokens.iter().map(|Hidden(token)| token.trim().to_owned()).filter(|token| !token.is_empty());
    let mut vouched = listed("PRETRUSTED_TOKENS", &options.pretrusted_tokens, TokenKind::Frontend)?;
    if options.offline.is_some() {
        vouched.extend(listed("CLIENT_TOKENS", &options.client_tokens, TokenKind::Client)?);
        vouched.extend(listed("FRONTEND_TOKENS", &options.frontend_tokens, TokenKind::Frontend)?);
    }
    Ok(Settings {
        tokens: tokens.collect(),
        trusted: vouched,
        is_strict: options.strict,
        best_mode: match options.best_fetch() {
            "poll" => FetchMode::Poll,
            "delta" => FetchMode::Delta,
            _ => FetchMode::Stream,
        },
        refresh: seconds(options.features_refresh_interval_seconds),
        reports: seconds(options.metrics_interval_seconds),
        about_itself: ABOUT_ITSELF,
        revalidation: seconds(options.token_revalidation_interval_seconds),
        folder: options.backup_folder.clone(),
        oldest: options.oldest_seconds.map(seconds),
        instance_id: options
            .instance_id
            .clone()
            .unwrap_or_else(|| format!("{}@{}", options.app_name, clock::new_uuid())),
        app_name: options.app_name.clone(),
        region: options.region.clone().filter(|region| !region.is_empty()),
    })
}

fn listed(variable: &str, tokens: &[Hidden], kind: TokenKind) -> Result<Vec<(String, Reach)>, String> {
    let read = |(place, Hidden(text)): (usize, &Hidden)| {
        trusted(text.trim(), kind).map_err(|reason| format!("{variable}: number {} {reason}", place + 1))
    };
    tokens.iter().filter(|Hidden(text)| !text.trim().is_empty()).enumerate().map(read).collect()
}
