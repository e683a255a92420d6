//! Edges as programs, before servers as programs and before servers that misbehave.

#[path = "../support/address.rs"]
mod address;
mod answers;
mod hostile;
mod kills;
mod offline;
mod persistence;
mod program;
mod rehearsal;
mod settings;
mod several;
mod tokens;
mod traces;
mod upstream;
mod usage;
