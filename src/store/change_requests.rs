//! Change requests: their rows, who holds them, and what is found by them.
//!
//! A transaction that locks features or segments as well locks these first: direct changes lock them, and then suspend
//! schedules that are about them.

mod belongings;
pub mod configuration;
pub mod discussion;
mod people;
pub mod project_list;
mod read;
pub mod reviewer_rules;
pub mod reviewers;
mod rows;
pub mod scheduled;
pub mod schedules;
pub mod search;
pub mod segment_uses;
mod states;
pub mod suspension;
pub mod targets;
mod write;

pub(crate) use self::rows::{change_row, target_rows};
pub use self::{
    read::{all_open, find, find_project, of_feature, pending_of},
    states::{Head, add_review, drop_approvals, enter, find_head, hold, note_applied},
    write::{NewChange, NewChangeRequest, append, count_open, delete_draft, discard, edit, join_or_create, retitle},
};
