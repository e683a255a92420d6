//! Flagstone: a feature-flag management server, one binary with its database inside.

// A room that is a crate, and whose macro is in reach of all modules.
#[macro_use(opaque_debug)]
pub extern crate flagstone_domain as domain;

pub mod api;
pub mod cli;

// The other rooms are crates.
pub use flagstone_access as access;
pub use flagstone_accounts as accounts;
pub use flagstone_audit as audit;
pub use flagstone_backups as backups;
pub use flagstone_changes as changes;
pub use flagstone_clock as clock;
pub use flagstone_comparison as comparison;
pub use flagstone_config as config;
pub use flagstone_deliveries as deliveries;
pub use flagstone_edge as edge;
pub use flagstone_edges as edges;
pub use flagstone_error as error;
pub use flagstone_evaluation as evaluation;
use flagstone_files as files;
pub use flagstone_gzip as gzip;
pub use flagstone_integrations as integrations;
pub use flagstone_jobs as jobs;
pub use flagstone_moving_in as moving_in;
use flagstone_moving_out as moving_out;
pub use flagstone_outbound as outbound;
pub use flagstone_passwords as passwords;
pub use flagstone_presence as presence;
pub use flagstone_providers as providers;
pub use flagstone_sdk as sdk;
pub use flagstone_server as server;
pub use flagstone_sign_in as sign_in;
pub use flagstone_spans as spans;
pub use flagstone_start as start;
pub use flagstone_state as state;
pub use flagstone_store as store;
pub use flagstone_telemetry as telemetry;
pub use flagstone_usage as usage;
pub use flagstone_vault as vault;
pub use flagstone_wire as wire;
use poem::{Endpoint, EndpointExt, Response, Route};
use poem_openapi::OpenApiService;

use crate::{
    api::http,
    edge::Edge,
    state::{Serving, State},
};

/// The whole server: all routes with their layers.
pub fn app(state: State) -> impl Endpoint<Output = Response> {
    serving(routes(), state)
}

/// All routes, for servers to share: making them takes longer than most requests.
pub fn routes() -> Route {
    let operations = OpenApiService::new(api::operations(), "Flagstone", env!("CARGO_PKG_VERSION"));
    let elsewhere = operations.around(api::docs::from_the_root);
    Route::new()
        .nest_no_strip("/docs", api::docs::routes())
        .nest_no_strip("/console", api::console::routes())
        .at("/new-user", api::console::to_link)
        .at("/reset-password", api::console::to_link)
        .nest_no_strip("/", elsewhere)
}

/// A server with these routes.
pub fn serving(routes: impl Endpoint<Output = Response> + 'static, state: State) -> impl Endpoint<Output = Response> {
    let (proxies, base_path) = (state.config.trusted_proxies.clone(), state.config.base_path().to_owned());
    let prefix = state.config.prefix.clone();
    http::below(prefix, http::access_logged(http::around(routes, state), proxies, base_path.trim_matches('/')))
}

/// The whole edge, below the path that the operator chose.
pub fn edge_app(
    edge: std::sync::Arc<Edge>,
    serving: Serving,
    access: api::edge::EdgeAccess,
) -> impl Endpoint<Output = Response> {
    let operations = OpenApiService::new(api::edge::operations(), "Flagstone edge", env!("CARGO_PKG_VERSION"));
    let routes = Route::new().nest_no_strip("/", operations.data(edge));
    let (proxies, base_path) = (access.proxies.clone(), access.base_path.clone());
    http::access_logged(api::edge::guarded(access, http::around_programs(routes, serving)), proxies, &base_path)
}
