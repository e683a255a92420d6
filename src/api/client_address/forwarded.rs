//! Headers of proxies in requests that they pass on: `Forwarded` (RFC 7239) and the `X-Forwarded-…` before it. All of
//! it may be a stranger's; the caller decides how much to believe.

use std::{
    borrow::Cow,
    net::{IpAddr, Ipv6Addr},
};

use poem::http::{HeaderMap, header};

/// The customary header for the clients of proxies.
pub const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// The customary header for the host that was asked for.
const X_FORWARDED_HOST: &str = "x-forwarded-host";

/// Element of a proxy in `Forwarded`.
#[derive(Default)]
struct Element<'a> {
    /// Client of the proxy, unless it hides that.
    node: Option<IpAddr>,
    host: Option<Cow<'a, str>>,
}

/// Clients of the proxies by `Forwarded`, the nearest one last; `None` for a hidden or unreadable one.
pub fn chain(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    elements(headers).map(|element| element.node).collect()
}

/// Clients of the proxies by `X-Forwarded-For`.
pub fn customary_chain(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    lines(headers, X_FORWARDED_FOR).flat_map(|line| line.split(',')).map(node).collect()
}

/// Requested hosts by both kinds of headers.
pub fn hosts(headers: &HeaderMap) -> Vec<Cow<'_, str>> {
    let customary = lines(headers, X_FORWARDED_HOST).flat_map(|line| line.split(',')).map(|host| host.trim().into());
    customary.chain(elements(headers).filter_map(|element| element.host)).collect()
}

/// The lines of a header; one that is not text says nothing.
fn lines<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default())
}

/// Elements of `Forwarded`. A line that breaks the grammar is one element that says nothing.
fn elements(headers: &HeaderMap) -> impl Iterator<Item = Element<'_>> {
    let read = |line| split(line, ',')?.into_iter().map(element).collect::<Option<Vec<_>>>();
    lines(headers, header::FORWARDED.as_str())
        .flat_map(move |line| read(line).unwrap_or_else(|| vec![Element::default()]))
}

fn element(text: &str) -> Option<Element<'_>> {
    let mut element = Element::default();
    let mut seen = Vec::new();
    for pair in split(text, ';')? {
        let (name, value) = pair.split_once('=')?;
        let (name, value) = (name.trim().to_ascii_lowercase(), unquoted(value.trim())?);
        match name.as_str() {
            "for" => element.node = node(&value),
            "host" => element.host = Some(value),
            _ => {}
        }
        if seen.contains(&name) || seen.len() > 16 {
            return None;
        }
        seen.push(name);
    }
    Some(element)
}

/// The parts between separators that stand outside of quotation marks; `None` when a mark stays open.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (place, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if character == separator && !is_quoted => {
                parts.push(&text[start..place]);
                start = place + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (!is_quoted).then_some(parts)
}

/// A value without its quotation marks; `None` when they are not around it.
fn unquoted(value: &str) -> Option<Cow<'_, str>> {
    let Some(rest) = value.strip_prefix('"') else { return (!value.contains('"')).then_some(value.into()) };
    let mut inner = String::with_capacity(rest.len());
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => inner.push(characters.next()?),
            character => inner.push(character),
        }
    }
    characters.as_str().is_empty().then_some(inner.into())
}

/// An address, perhaps with a port; one of IPv6 with a port stands in brackets.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = if let Ok(address) = text.parse() {
        address
    } else if let Some(rest) = text.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        IpAddr::from(address.parse::<Ipv6Addr>().ok().filter(|_| is_port)?)
    } else {
        let (address, port) = text.split_once(':')?;
        address.parse().ok().filter(|_| is_port(port))?
    };
    Some(address.to_canonical())
}

/// A port, or the name that a proxy gives to one which it hides.
fn is_port(text: &str) -> bool {
    text.starts_with('_') || text.parse::<u16>().is_ok()
}
