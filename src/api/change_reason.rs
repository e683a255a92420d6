//! The header `X-Change-Reason` for the reason of a change. It is of every request that may change something and so, like
//! `X-Request-Id`, no parameter of single operations, which generated clients would have to pass in each call.

use poem::{Request, http::Method};

use crate::{domain::change_reason::ChangeReason, error::Error};

const HEADER: &str = "X-Change-Reason";

/// Reads the header of a request that may change something: 400 unless it is one line of percent-encoded text.
pub fn of(request: &Request) -> Result<Option<ChangeReason>, Error> {
    let mut given = request.headers().get_all(HEADER).iter();
    let Some(value) = given.next().filter(|_| *request.method() != Method::GET) else { return Ok(None) };
    let refused = |rule: &dyn std::fmt::Display| {
        Error::invalid(format!("/header/{HEADER}"), format!("The header `{HEADER}` {rule}."))
    };
    if given.next().is_some() {
        return Err(refused(&"must be given only once"));
    }
    ChangeReason::decode(value.as_bytes()).map_err(|rule| refused(&rule))
}
