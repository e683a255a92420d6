//! The proxies before the server, whose word counts about where a request comes from.

use std::{net::IpAddr, str::FromStr};

use ipnet::IpNet;

/// Networks in which every address is a trustworthy proxy. By default there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Whether this is the address of such a proxy. An IPv4 address is the same in its spelling as IPv6.
    pub fn include(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    /// Reads networks and single addresses with commas between them; nothing names none. The error names the entry.
    fn from_str(list: &str) -> Result<Self, String> {
        list.split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(network)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn network(entry: &str) -> Result<IpNet, String> {
    let address = |_| entry.parse().map(|address: IpAddr| IpNet::from(address.to_canonical()));
    match entry.parse::<IpNet>().or_else(address) {
        Ok(network) if network.prefix_len() == 0 => {
            Err(format!("{entry} is everybody, who could then claim any address; name the networks of your proxies"))
        }
        Ok(network) => Ok(network),
        Err(_) => Err(format!("{entry:?} is neither a network such as 10.0.0.0/8 nor an address such as ::1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_and_addresses_are_read_and_what_is_neither_is_named() {
        let proxies: TrustedProxies = " 10.0.0.0/8, ::1,,192.0.2.7 ,fd00::/8,".parse().expect("networks");
        for (address, expected) in [
            ("10.255.0.1", true),
            ("::ffff:10.1.2.3", true),
            ("11.0.0.1", false),
            ("::1", true),
            ("::2", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
            ("fd12::1", true),
            ("2001:db8::1", false),
        ] {
            assert_eq!(proxies.include(address.parse().expect("an address")), expected, "{address}");
        }
        assert_eq!("".parse(), Ok(TrustedProxies::default()));
        assert!(!TrustedProxies::default().include("127.0.0.1".parse().expect("an address")));
        for (list, named) in [
            ("10.0.0.0/33", "\"10.0.0.0/33\""),
            ("::1,proxy.internal", "\"proxy.internal\""),
            ("10.0.0.1:80", "\"10.0.0.1:80\""),
            ("fe80::1%eth0", "\"fe80::1%eth0\""),
            ("0.0.0.0/0", "0.0.0.0/0 is everybody"),
            ("10.0.0.0/8,::/0", "::/0 is everybody"),
        ] {
            let refused = list.parse::<TrustedProxies>().expect_err(list);
            assert!(refused.contains(named), "{refused}");
        }
    }
}
