//! What programs are told, and what they report.

pub mod features;
pub mod unknown_flags;
pub mod usage;
pub mod usage_history;
