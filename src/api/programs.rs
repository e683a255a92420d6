//! Operations for programs: features and their results, and reports.

pub mod caller;
pub mod delta;
pub mod edge;
pub mod features;
pub mod frontend;
pub mod ofrep;
pub mod usage;

use poem_openapi::OpenApi;

/// The operations in this folder.
pub fn operations() -> impl OpenApi {
    (
        delta::ClientDeltaApi,
        edge::EdgeApi,
        edge::EdgeReportsApi,
        features::ClientFeaturesApi,
        frontend::FrontendApi,
        ofrep::OfrepApi,
        usage::ClientUsageApi,
    )
}
