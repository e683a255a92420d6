//! Data for programs, and their reports.

pub mod features;
pub mod unknown_flags;
pub mod usage;
pub mod usage_history;
