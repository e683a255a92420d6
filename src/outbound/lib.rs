//! Outgoing requests of the server: to providers of sign-in and to other systems that a setting names. Each goes where
//! the policy allows and no further, and takes no more time and room than it was given. Nothing here knows what is
//! asked.

mod answer;
mod client;
mod failure;
mod lines;
mod policy;
mod proxy;
mod resolver;

pub use answer::Answer;
pub use client::{ANSWER_LIMIT, DOCUMENT_LIMIT, Options, Outbound, Request, Roots};
pub use failure::{Failure, FailureKind};
pub use lines::{Lines, Opened};
pub use policy::Policy;
pub use resolver::Lookup;
