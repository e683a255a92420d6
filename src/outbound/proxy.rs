//! Choice of the requests that go through the proxy.

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

/// The places that are reached without the proxy: what `NO_PROXY` holds.
#[derive(Debug, Clone, Default)]
pub(super) struct NoProxy(Vec<Entry>);

#[derive(Debug, Clone)]
enum Entry {
    Everything,
    Network(IpNet),
    /// A name and those below it, perhaps at one port.
    Name(String, Option<u16>),
}

impl NoProxy {
    /// Reads what other programs read: `*`, names that stand for those below them too, with or without a leading `.` or
    /// `*.` and a port, addresses and networks, with commas or blanks between them.
    pub fn parse(list: &str) -> Self {
        Self(list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).map(Entry::parse).collect())
    }

    pub fn includes(&self, url: &Url) -> bool {
        self.0.iter().any(|entry| entry.includes(url))
    }
}

impl Entry {
    fn parse(text: &str) -> Self {
        if text == "*" {
            return Self::Everything;
        }
        let bare = text.trim_matches(['[', ']']);
        if let Ok(network) = text.parse::<IpNet>().or_else(|_| bare.parse::<IpAddr>().map(IpNet::from)) {
            return Self::Network(network);
        }
        let (name, port) = match text.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
            Some((name, Ok(port))) => (name, Some(port)),
            _ => (text, None),
        };
        let name = name.strip_prefix('*').unwrap_or(name);
        Self::Name(name.strip_prefix('.').unwrap_or(name).to_ascii_lowercase(), port)
    }

    fn includes(&self, url: &Url) -> bool {
        match (self, url.host()) {
            (Self::Everything, _) => true,
            (Self::Network(network), Some(Host::Ipv4(address))) => network.contains(&IpAddr::from(address)),
            (Self::Network(network), Some(Host::Ipv6(address))) => network.contains(&IpAddr::from(address)),
            (Self::Name(name, port), Some(host)) => {
                let host = host.to_string();
                let is_named =
                    host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                is_named && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_addresses_and_networks_do_without_the_proxy() {
        for (list, address, expected) in [
            ("", "https://id.example.com", false),
            ("*", "https://id.example.com", true),
            ("example.com", "https://id.example.com", true),
            ("example.com", "https://EXAMPLE.com", true),
            ("example.com", "https://an-example.com", false),
            ("example.com", "https://example.com.evil.example", false),
            (".example.com, *.internal", "https://id.example.com", true),
            (".example.com, *.internal", "https://id.internal", true),
            ("Example.com:8443", "https://example.com:8443", true),
            ("example.com:8443", "https://example.com", false),
            ("example.com:443", "https://example.com", true),
            ("10.0.0.0/8 192.168.1.1", "https://10.2.3.4", true),
            ("10.0.0.0/8 192.168.1.1", "https://192.168.1.1", true),
            ("10.0.0.0/8 192.168.1.1", "https://192.168.1.2", false),
            ("[fd12::1],fd13::/16", "https://[fd12::1]", true),
            ("[fd12::1],fd13::/16", "https://[fd13::9]", true),
            ("10.0.0.0/8", "https://10.example.com", false),
        ] {
            let url = Url::parse(address).expect("an address");
            assert_eq!(NoProxy::parse(list).includes(&url), expected, "{list:?} {address}");
        }
    }
}
