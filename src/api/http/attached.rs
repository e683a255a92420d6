//! State that the server attaches to each request, for its handlers.

use poem::Request;

use crate::state::{Serving, State};

/// State that the server attaches to each request.
pub trait Attached: Sized + Send + Sync + 'static {
    /// Returns the state that the server attached to the request.
    fn of(request: &Request) -> &Self {
        request.data().expect("the server attaches its state to every request")
    }
}

impl Attached for Serving {}

impl Attached for State {}
