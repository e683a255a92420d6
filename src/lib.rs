//! Flagstone: a feature-flag management server, one binary with its database inside.

// A room that is a crate, and whose macro is in reach of all modules.
#[macro_use(opaque_debug)]
pub extern crate flagstone_domain as domain;

pub mod access;
pub mod accounts;
pub mod api;
pub mod audit;
pub mod backups;
mod chance;
pub mod changes;
pub mod cli;
pub mod clock;
pub mod config;
pub mod deliveries;
pub mod edge;
pub mod edges;
pub mod error;
mod files;
pub mod gzip;
pub mod integrations;
pub mod jobs;
pub mod outbound;
pub mod passwords;
pub mod presence;
pub mod providers;
pub mod sdk;
pub mod server;
pub mod sign_in;
pub mod spans;
pub mod start;
pub mod state;
pub mod store;
pub mod telemetry;
pub mod usage;
pub mod vault;

// Further rooms that are crates.
pub use flagstone_comparison as comparison;
pub use flagstone_evaluation as evaluation;
pub use flagstone_moving_in as moving_in;
use flagstone_moving_out as moving_out;
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
