//! What the server puts beside each request, for whatever answers it.

use poem::Request;

use crate::state::{Serving, State};

impl Serving {
    /// What was put beside the request.
    pub fn of(request: &Request) -> &Self {
        request.data().expect("everything that answers has it beside the request")
    }
}

impl State {
    /// The state that the server put beside the request.
    pub fn of(request: &Request) -> &Self {
        request.data().expect("the server attaches its state to every request")
    }
}
