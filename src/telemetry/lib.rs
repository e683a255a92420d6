//! Telemetry for the operator: traces by OpenTelemetry, and the log. Nothing here knows what is asked or stored.

mod collector;
mod log;
mod refusals;
mod sampling;
mod traces;

pub use self::{
    collector::{Counts, Destination},
    log::{ACCESS_LOG, Log},
    refusals::{LogDecision, tell_refusal},
    sampling::Sampling,
    traces::{Settings, Traces, UNKNOWN_METHOD},
};
