//! What an edge answers: all that a server answers to programs, by the same operations, and what Unleash Edge answers
//! besides.

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
