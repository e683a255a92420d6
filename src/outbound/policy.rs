//! Policy of the addresses of the internet that the server connects to.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use flagstone_domain::settings::is_local;
use ipnet::{IpNet, Ipv4Net};
use url::Url;

/// Addresses where cloud machines learn the secrets of their own account. No provider is there, in any network.
const METADATA: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// The addresses to which the server connects because a setting names them, or a name that leads there.
///
/// Some are refused whatever the policy says: link-local ones and others where cloud machines learn their secrets,
/// unspecified, multicast and broadcast ones. An IPv4 address is judged as such in whatever form of IPv6 it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    public: bool,
    private: bool,
    loopback: bool,
    networks: Vec<IpNet>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Never,
    Loopback,
    Private,
    Public,
}

impl Policy {
    /// Default policy: public and private addresses, and those of this machine only while the server's own public
    /// address is here too, as on a trial.
    pub fn for_base(base_url: &str) -> Self {
        let loopback = Url::parse(base_url).is_ok_and(|base| is_local(&base));
        Self { public: true, private: true, loopback, networks: Vec::new() }
    }

    /// Policy for an address that was typed on the machine itself.
    pub const fn of_an_operator() -> Self {
        Self { public: true, private: true, loopback: true, networks: Vec::new() }
    }

    /// Whether the server may connect to an address.
    pub fn permits(&self, address: IpAddr) -> bool {
        let address = unwrapped(address);
        let of_a_kind = match kind(address) {
            Kind::Never => return false,
            Kind::Loopback => self.loopback,
            Kind::Private => self.private,
            Kind::Public => self.public,
        };
        of_a_kind || self.networks.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Policy {
    type Err = String;

    /// Reads `public`, `private`, `loopback`, networks and single addresses with commas between them. The error names
    /// the entry that is none of these, or that would have no effect.
    fn from_str(list: &str) -> Result<Self, String> {
        let mut policy = Self { public: false, private: false, loopback: false, networks: Vec::new() };
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry.to_ascii_lowercase().as_str() {
                "public" => policy.public = true,
                "private" => policy.private = true,
                "loopback" => policy.loopback = true,
                _ => policy.networks.push(network(entry)?),
            }
        }
        if policy == (Self { public: false, private: false, loopback: false, networks: Vec::new() }) {
            return Err(
                "it names nothing; write public, private, loopback, networks such as 10.0.0.0/8, or several of these"
                    .into(),
            );
        }
        Ok(policy)
    }
}

/// Whether an address is of this very machine, in whatever form.
pub(super) fn is_loopback(address: IpAddr) -> bool {
    kind(unwrapped(address)) == Kind::Loopback
}

fn network(entry: &str) -> Result<IpNet, String> {
    let address = |_| entry.parse().map(|address: IpAddr| IpNet::from(unwrapped(address)));
    let Ok(network) = entry.parse::<IpNet>().or_else(address) else {
        return Err(format!(
            "{entry:?} is none of public, private, loopback, a network such as 10.0.0.0/8, and an address such as ::1"
        ));
    };
    let network = of_mapped(network);
    if network.prefix_len() == 0 {
        return Err(format!("{entry} is everywhere; write public,private,loopback if that is what you want"));
    }
    let ends = [network.network(), network.broadcast()];
    if ends.into_iter().all(|end| kind(unwrapped(end)) == Kind::Never) {
        return Err(format!("{entry} is where the server never connects to"));
    }
    Ok(network)
}

/// A network of IPv4 addresses that is written as IPv6 (`::ffff:10.0.0.0/104`), which otherwise no address would be in.
fn of_mapped(network: IpNet) -> IpNet {
    let IpNet::V6(long) = network else { return network };
    let short = long.network().to_ipv4_mapped().zip(long.prefix_len().checked_sub(96));
    short.and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok()).map_or(network, IpNet::V4)
}

/// The address that is behind one that only wraps an IPv4 address: mapped, compatible, 6to4 and NAT64, both the
/// well-known prefix and the one for local use (RFC 8215) in the form that ends in the address.
fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(long) = address.to_canonical() else { return address.to_canonical() };
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match long.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => long.into(),
        [0, 0, 0, 0, 0 | 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..] => of(high, low),
        _ => long.into(),
    }
}

fn kind(address: IpAddr) -> Kind {
    let is_never = address.is_unspecified() || address.is_multicast() || METADATA.contains(&address);
    let (is_never, is_private) = match address {
        IpAddr::V4(short) => {
            let [a, b, c, _] = short.octets();
            let never = is_never || a == 0 || short.is_link_local() || short.is_broadcast();
            // Those of carriers, of benchmarks and of the protocol's own are no more public than those of RFC 1918.
            let private = short.is_private() || matches!((a, b, c), (100, 64..128, _) | (198, 18..20, _) | (192, 0, 0));
            (never, private)
        }
        IpAddr::V6(long) => {
            let first = long.segments()[0];
            (is_never || first & 0xffc0 == 0xfe80, first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0)
        }
    };
    match () {
        () if is_never => Kind::Never,
        () if address.is_loopback() => Kind::Loopback,
        () if is_private => Kind::Private,
        () => Kind::Public,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn permits(policy: &Policy, address: &str) -> bool {
        policy.permits(address.parse().expect("an address"))
    }

    #[test]
    fn what_is_said_nowhere_allows_providers_in_private_networks_and_here_only_for_a_server_that_is_here() {
        let elsewhere = Policy::for_base("https://flags.example.com/team");
        let here = Policy::for_base("http://127.0.0.1:4242");
        assert_eq!(here, Policy::for_base("http://localhost:4242/team"));
        assert_eq!(elsewhere, Policy::for_base("no address"));
        for address in ["192.0.2.7", "8.8.8.8", "2001:db8::1", "10.1.2.3", "192.168.0.1", "172.31.0.1", "fd12::1"] {
            assert!(permits(&elsewhere, address) && permits(&here, address), "{address}");
        }
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::127.0.0.1"] {
            assert!(!permits(&elsewhere, address) && permits(&here, address), "{address}");
        }
    }

    #[test]
    fn o33_what_is_never_allowed_is_not_in_any_form_nor_by_any_policy() {
        let everything: Policy =
            "public,private,loopback,169.0.0.0/8,100.64.0.0/10,fd00::/8,fe00::/7".parse().expect("a policy");
        for address in [
            "169.254.169.254",
            "169.254.0.1",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "::ffff:0:169.254.169.254",
            "2002:a9fe:a9fe::1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "::ffff:100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "0.0.0.0",
            "0.1.2.3",
            "::",
            "::ffff:0.0.0.0",
            "224.0.0.1",
            "239.255.255.255",
            "ff02::1",
            "255.255.255.255",
            "64:ff9b::ffff:ffff",
        ] {
            assert!(!permits(&everything, address), "{address}");
        }
        for address in ["169.253.0.1", "100.100.100.201", "fd00:ec2::255", "223.255.255.255", "::1", "2002:a00:1::"] {
            assert!(permits(&everything, address), "{address}");
        }
    }

    #[test]
    fn a_policy_allows_the_kinds_and_networks_that_it_names() {
        let kinds = ["192.0.2.7", "10.1.2.3", "100.64.0.1", "198.18.0.1", "fec0::1", "127.0.0.1", "10.9.0.1"];
        for (list, expected) in [
            ("public", [true, false, false, false, false, false, false]),
            ("private", [false, true, true, true, true, false, true]),
            (" Loopback ,", [false, false, false, false, false, true, false]),
            ("public,10.1.0.0/16", [true, true, false, false, false, false, false]),
            ("10.9.0.1, 127.0.0.1", [false, false, false, false, false, true, true]),
            ("::ffff:10.9.0.0/112", [false, false, false, false, false, false, true]),
            ("::ffff:10.9.0.1", [false, false, false, false, false, false, true]),
        ] {
            let policy: Policy = list.parse().expect(list);
            assert_eq!(kinds.map(|address| permits(&policy, address)), expected, "{list}");
        }
        let local: Policy = "fd12::/16".parse().expect("a policy");
        assert!(permits(&local, "fd12::9") && !permits(&local, "fd13::9"));
    }

    #[test]
    fn what_is_no_policy_is_named() {
        for (list, named) in [
            ("", "names nothing"),
            (" , ", "names nothing"),
            ("public,everything", "\"everything\""),
            ("id.example.com", "\"id.example.com\""),
            ("10.0.0.0/33", "\"10.0.0.0/33\""),
            ("0.0.0.0/0", "0.0.0.0/0 is everywhere"),
            ("::/0", "::/0 is everywhere"),
            ("::ffff:0.0.0.0/96", "is everywhere"),
            ("169.254.0.0/16", "169.254.0.0/16 is where the server never connects to"),
            ("::ffff:169.254.169.254", "never connects"),
            ("fe80::/10", "never connects"),
        ] {
            let refused = list.parse::<Policy>().expect_err(list);
            assert!(refused.contains(named), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn o33_an_address_is_judged_alike_in_every_form(
            address in prop_oneof![
                any::<Ipv4Addr>(),
                any::<[u8; 2]>().prop_map(|[c, d]| Ipv4Addr::new(169, 254, c, d)),
                any::<[u8; 3]>().prop_map(|[b, c, d]| Ipv4Addr::new(10, b, c, d)),
                any::<[u8; 3]>().prop_map(|[b, c, d]| Ipv4Addr::new(127, b, c, d)),
            ],
            list in prop_oneof![Just("public"), Just("private"), Just("loopback"), Just("10.0.0.0/9,127.0.0.1")],
            [x, y]: [u16; 2],
        ) {
            let policy: Policy = list.parse().expect("a policy");
            let expected = policy.permits(address.into());
            let [high, low] = [u16::from_be_bytes([address.octets()[0], address.octets()[1]]), u16::from_be_bytes([address.octets()[2], address.octets()[3]])];
            let forms = [
                [0, 0, 0, 0, 0, 0xffff, high, low],
                [0, 0, 0, 0, 0xffff, 0, high, low],
                [0x64, 0xff9b, 0, 0, 0, 0, high, low],
                [0x64, 0xff9b, 1, x, y, 0, high, low],
                [0x2002, high, low, x, y, 0, 0, 1],
            ];
            for form in forms {
                prop_assert_eq!(policy.permits(Ipv6Addr::from(form).into()), expected, "{}", Ipv6Addr::from(form));
            }
        }
    }
}
