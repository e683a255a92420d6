//! A log of events that proves itself: its hashes, its signed checkpoints, and its retention.
//!
//! Hashes are made after the events, by whichever node comes first, so that a change pays nothing for them and a log of
//! before is taken in by itself. A checkpoint leaves the database as an event, which integrations carry to other
//! places.

mod archive;
mod chain;
mod checkpoint;
mod request_proof;
mod retention;
mod verification;

pub use self::{
    archive::Archive,
    chain::extend,
    checkpoint::{CHECKPOINT_JOB, make_checkpoint, make_checkpoint_now},
    request_proof::{MOST_EVENTS, request_proof},
    retention::keep_retention,
    verification::{Scope, Trust, Verdict, verify},
};
