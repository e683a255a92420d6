//! Change requests: what users do with them, and what becomes of them.

pub mod application;
pub mod configuration;
pub mod discussion;
pub mod edits;
pub mod judging;
pub mod preview;
pub mod record;
pub mod standing;
pub mod states;
