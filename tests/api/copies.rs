//! Copies of features, each of one that has everything: what the list in `docs/copies.md` says of each column.

mod list;
mod snapshot;
mod ways;
mod world;
