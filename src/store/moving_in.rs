//! Moving in: reading another server's database, and writing what was found into an empty one of ours.

mod change_requests;
mod error;
mod features;
mod history;
mod lists;
mod people;
mod target;
pub mod unleash;

pub use self::{
    error::MoveInError,
    history::{write_events, write_usage},
    lists::write_sealed,
    target::{begin, finish, write},
};
