//! Client address of a request, for all code that needs it.
//!
//! That is the peer, unless the peer is a trusted proxy. Then it is the address in the headers `Forwarded` or
//! `X-Forwarded-For`: each proxy adds its client on the right, so they are read from there as long as the named ones
//! are trusted proxies themselves, and entries further left may be claims of anybody. Where the next one is hidden or
//! unreadable, and where the two headers contradict each other (a proxy writes one and lets the other pass), it is the
//! proxy that counts.

pub(super) mod forwarded;

use std::net::IpAddr;

use poem::{
    FromRequest, Request, RequestBody,
    http::{HeaderMap, header},
};

pub use crate::domain::network::ClientAddress;
use crate::{
    api::{client_address::forwarded::X_FORWARDED_FOR, http::Attached as _},
    config::TrustedProxies,
    state::Serving,
};

/// Client address of a request, as operations take it.
#[derive(Debug, Clone, Copy)]
pub struct SentFrom(pub ClientAddress);

impl<'a> FromRequest<'a> for SentFrom {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self(of(request)))
    }
}

/// Returns the client address of a request, as far as it is known.
pub fn of(request: &Request) -> ClientAddress {
    before(request, &Serving::of(request).config.trusted_proxies).into()
}

/// The address of the sender of a request that has no state attached yet.
pub fn before(request: &Request, proxies: &TrustedProxies) -> Option<IpAddr> {
    let peer = request.remote_addr().as_socket_addr().map(|peer| peer.ip().to_canonical());
    peer.map(|peer| resolve(peer, request.headers(), proxies))
}

/// Whether the peer is a proxy whose headers are believed.
pub(super) fn is_by_trusted_proxy(request: &Request) -> bool {
    let peer = request.remote_addr().as_socket_addr();
    peer.is_some_and(|peer| Serving::of(request).config.trusted_proxies.include(peer.ip()))
}

fn resolve(peer: IpAddr, headers: &HeaderMap, proxies: &TrustedProxies) -> IpAddr {
    if !proxies.include(peer) {
        return peer;
    }
    let told = |name: &str| headers.contains_key(name);
    let standard = told(header::FORWARDED.as_str()).then(|| nearest(peer, &forwarded::chain(headers), proxies));
    let customary = told(X_FORWARDED_FOR).then(|| nearest(peer, &forwarded::customary_chain(headers), proxies));
    match (standard, customary) {
        (Some(one), Some(other)) if one != other => peer,
        (Some(one), _) | (None, Some(one)) => one,
        (None, None) => peer,
    }
}

/// The nearest address in the chain that is no trusted proxy, as far as the chain can be read.
fn nearest(peer: IpAddr, chain: &[Option<IpAddr>], proxies: &TrustedProxies) -> IpAddr {
    let mut nearest = peer;
    for hop in chain.iter().rev() {
        let Some(address) = hop else { break };
        nearest = *address;
        if !proxies.include(nearest) {
            break;
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use poem::http::{HeaderName, HeaderValue};

    use super::*;

    fn resolved(peer: &str, headers: &[(&str, &str)]) -> String {
        let proxies = "10.0.0.0/8, ::1, fd00::/8".parse().expect("networks");
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                let name: HeaderName = name.parse().expect("a name");
                (name, HeaderValue::from_str(value).expect("a value"))
            })
            .collect();
        resolve(peer.parse().expect("an address"), &headers, &proxies).to_string()
    }

    #[test]
    fn the_chain_is_read_from_the_right_as_far_as_it_is_trusted() {
        const STANDARD: &str = "forwarded";
        const CUSTOMARY: &str = X_FORWARDED_FOR;
        for (peer, headers, expected) in [
            ("192.0.2.1", &[(CUSTOMARY, "192.0.2.9"), (STANDARD, "for=192.0.2.9")][..], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &[(CUSTOMARY, "1.1.1.1, 192.0.2.9")], "192.0.2.9"),
            ("10.0.0.1", &[(CUSTOMARY, "1.1.1.1, 192.0.2.9, 10.2.0.1,10.3.0.1")], "192.0.2.9"),
            ("10.0.0.1", &[(CUSTOMARY, "10.9.0.1, 10.2.0.1")], "10.9.0.1"),
            ("10.0.0.1", &[(CUSTOMARY, "1.1.1.1"), (CUSTOMARY, "192.0.2.9"), (CUSTOMARY, "10.2.0.1")], "192.0.2.9"),
            ("::1", &[(CUSTOMARY, "2001:db8::7")], "2001:db8::7"),
            ("::1", &[(CUSTOMARY, "[2001:db8::7]:443")], "2001:db8::7"),
            ("::1", &[(CUSTOMARY, "192.0.2.9:443")], "192.0.2.9"),
            ("::1", &[(CUSTOMARY, "::ffff:192.0.2.9")], "192.0.2.9"),
            ("::1", &[(STANDARD, "for=192.0.2.9")], "192.0.2.9"),
            ("::1", &[(STANDARD, r#"For="[2001:db8::7]:4711";proto=https;by=203.0.113.43"#)], "2001:db8::7"),
            ("::1", &[(STANDARD, r#"for="[2001:db8::7]:_port" , for=10.0.0.1"#)], "2001:db8::7"),
            ("::1", &[(STANDARD, r#"for=1.1.1.1;host="a,b;c\"d", for="192.0.2.9""#)], "192.0.2.9"),
            // For a hidden or unreadable client, the proxy that passed it on counts.
            ("::1", &[(STANDARD, "for=192.0.2.9, for=_hidden, for=10.0.0.1")], "10.0.0.1"),
            ("::1", &[(STANDARD, "for=192.0.2.9, for=unknown")], "::1"),
            ("::1", &[(STANDARD, "for=192.0.2.9, proto=https")], "::1"),
            ("::1", &[(STANDARD, "for=192.0.2.9;for=192.0.2.8")], "::1"),
            ("::1", &[(STANDARD, "")], "::1"),
            ("::1", &[(CUSTOMARY, "192.0.2.9,")], "::1"),
            ("::1", &[(CUSTOMARY, "192.0.2.9, localhost")], "::1"),
            ("::1", &[(CUSTOMARY, "192.0.2.9:65536")], "::1"),
            ("::1", &[(CUSTOMARY, "[192.0.2.9]")], "::1"),
            // A mark that a stranger leaves open swallows what the proxy adds on the same line, but not on its own.
            ("::1", &[(STANDARD, r#"for=1.1.1.1, for=", for=192.0.2.9"#)], "::1"),
            ("::1", &[(STANDARD, r#"for=1.1.1.1, for=", for="[2001:db8::7]""#)], "::1"),
            ("::1", &[(STANDARD, r#"for=1.1.1.1, for=""#), (STANDARD, "for=192.0.2.9")], "192.0.2.9"),
            // Of two headers one may be a stranger's.
            ("::1", &[(STANDARD, "for=1.1.1.1"), (CUSTOMARY, "192.0.2.9")], "::1"),
            ("::1", &[(STANDARD, "for=192.0.2.9"), (CUSTOMARY, "1.1.1.1, 192.0.2.9")], "192.0.2.9"),
            ("::1", &[(STANDARD, "garbage"), (CUSTOMARY, "192.0.2.9")], "::1"),
        ] {
            assert_eq!(resolved(peer, headers), expected, "{peer} {headers:?}");
        }
    }

    #[test]
    fn no_chain_is_too_long_or_too_strange() {
        for piece in ["1.1.1.1, ", ", ", "\"", "for=\"", "for=1.1.1.1;", "\\", "[", "é"] {
            let bytes = HeaderValue::from_bytes(piece.repeat(8192 / piece.len()).as_bytes()).expect("a value");
            for name in [header::FORWARDED, HeaderName::from_static(X_FORWARDED_FOR)] {
                let headers: HeaderMap = [(name, bytes.clone())].into_iter().collect();
                let proxies = "::1".parse().expect("a network");
                let address = resolve(Ipv6Addr::LOCALHOST.into(), &headers, &proxies);
                assert_eq!(address, IpAddr::from(Ipv6Addr::LOCALHOST), "{piece}");
            }
        }
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one() {
        let of = |address: &str| ClientAddress::from(address.parse().ok()).network();
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_ne!(of("::1"), ClientAddress::from(None).network());
    }
}
