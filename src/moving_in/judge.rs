//! Judgement of a set: parts that do not fit here are changed or left out, and reported.
//!
//! What serves today goes on serving: nothing is held to the rules of the forms. Only what could not be stored or read
//! here is touched.

mod change_requests;
mod flags;
mod login;
mod names;
mod people;

pub use self::people::reader_id;
use super::{Finding, neutral::Set};

/// A set that can be written as it is, and what had to be done for that.
#[derive(Debug)]
pub struct Judged {
    /// The set that is written.
    pub set: Set,
    /// Findings of what is not the same afterwards.
    pub findings: Vec<Finding>,
}

/// Makes a set fit. What the reader found already goes before.
pub fn judge(mut set: Set, mut findings: Vec<Finding>) -> Judged {
    names::judge(&mut set, &mut findings);
    people::judge(&mut set, &mut findings);
    flags::judge(&mut set, &mut findings);
    change_requests::judge(&mut set, &mut findings);
    Judged { set, findings }
}

#[cfg(test)]
mod tests;
