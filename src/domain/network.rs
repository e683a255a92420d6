//! Addresses of the internet.

use std::net::{IpAddr, Ipv6Addr};

/// Address of the sender of a request; unknown on a connection that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(Option<IpAddr>);

/// Addresses that count as one when attempts are limited: of IPv6 a network, as one customer holds all of it. The
/// unknown ones count as one, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientNetwork(Option<IpAddr>);

impl ClientAddress {
    /// The address, an IPv4 one always as such.
    pub const fn ip(self) -> Option<IpAddr> {
        self.0
    }

    /// Returns the network that the address is counted with.
    pub fn network(self) -> ClientNetwork {
        ClientNetwork(self.0.map(client_network))
    }
}

impl ClientNetwork {
    /// Returns the network of an address as it is written down; unknown for another text.
    pub fn of_text(text: Option<&str>) -> Self {
        ClientAddress(text.and_then(|text| text.parse().ok())).network()
    }
}

impl From<Option<IpAddr>> for ClientAddress {
    fn from(address: Option<IpAddr>) -> Self {
        Self(address)
    }
}

/// Returns the range that one customer holds and is counted by: an IPv4 address, in whatever form, or the IPv6 network
/// (/64) of an address.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_and_a_mapped_address_are_one() {
        for (address, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:ffff::9", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("::1", "::"),
        ] {
            let address: IpAddr = address.parse().expect("an address");
            assert_eq!(client_network(address).to_string(), expected);
        }
    }
}
