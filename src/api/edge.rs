//! Operations of an edge: those of a server for programs, and the further ones of Unleash Edge.

mod access;
mod backstage;
mod frontend;
mod tokens;

use poem_openapi::OpenApi;

pub use self::access::{Backstage, EdgeAccess, guarded};
use crate::api::programs::{
    delta::ClientDeltaApi, edge::EdgeReportsApi, features::ClientFeaturesApi, frontend::FrontendApi, ofrep::OfrepApi,
    usage::ClientUsageApi,
};

/// Every operation of an edge.
pub fn operations() -> impl OpenApi {
    (
        (ClientDeltaApi, ClientFeaturesApi, ClientUsageApi, EdgeReportsApi),
        (FrontendApi, OfrepApi, frontend::EdgeFrontendApi),
        (tokens::EdgeTokensApi, backstage::BackstageApi),
    )
}
