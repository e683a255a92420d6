//! The rows of all operations, room by room.

mod access;
mod change_requests;
mod console;
mod environments;
mod features;
mod instance;
mod integrations;
mod lists;
mod people;
mod projects;
mod scim;
mod sdk;
mod strategies;
mod users;

use super::row::Row;

/// Every operation of the document.
pub fn all() -> Vec<Row> {
    [
        access::rows(),
        change_requests::rows(),
        console::rows(),
        environments::rows(),
        features::rows(),
        instance::rows(),
        integrations::rows(),
        lists::rows(),
        people::rows(),
        projects::rows(),
        scim::rows(),
        sdk::rows(),
        strategies::rows(),
        users::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
