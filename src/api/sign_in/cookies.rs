//! The cookies that a request carries, and those that an answer sets.

use poem::{Request, http::header};

/// The cookies of a request, by name, in their order.
pub fn of(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    let headers = request.headers().get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// The header that sets a cookie for so many seconds; that takes it away with 0.
pub fn set(name: &str, value: &str, max_age_seconds: i64, is_secure: bool) -> String {
    // Browsers send a secure cookie over https only, and not at all where a server is tried out over http.
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}")
}
