//! The cookies that a request carries, and those that an answer sets.

use poem::{Request, http::header};

use crate::{config::Config, domain::page_origin::is_https};

/// The cookies of a request, by name, in their order.
pub fn of(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    let headers = request.headers().get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// The header that sets a cookie for so many seconds; that takes it away with 0.
pub fn set(config: &Config, name: &str, value: &str, max_age_seconds: i64) -> String {
    // Browsers send a secure cookie over https only, and not at all where a server is tried out over http. One whose
    // name begins with `__Host-` they take for the whole host or not at all.
    let (secure, path) = match (is_https(&config.base_url), config.base_path()) {
        (true, _) => ("; Secure", "/"),
        (false, "") => ("", "/"),
        (false, path) => ("", path),
    };
    format!("{name}={value}; Path={path}; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}")
}
