//! Telemetry for the operator: traces by OpenTelemetry, and the log. Nothing here knows what is asked or stored.

mod collector;
mod log;
mod parent;
mod refusals;
mod sampling;
mod spans;
mod statements;
mod traces;

pub use self::{
    collector::{Counts, Destination},
    log::{ACCESS_LOG, Log},
    parent::TRACEPARENT,
    refusals::{LogDecision, tell_refusal},
    sampling::Sampling,
    spans::{Call, RequestSpan, Timed, call},
    statements::statement,
    traces::{Settings, Traces, UNKNOWN_METHOD},
};
