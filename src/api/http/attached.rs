//! State that the server attaches to each request, for its handlers.

use poem::Request;

use crate::state::{Serving, State};

impl Serving {
    /// The state that the server attached to the request.
    pub fn of(request: &Request) -> &Self {
        request.data().expect("everything that answers has it beside the request")
    }
}

impl State {
    /// The state that the server attached to the request.
    pub fn of(request: &Request) -> &Self {
        request.data().expect("the server attaches its state to every request")
    }
}
