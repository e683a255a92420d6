//! From names to addresses. What the policy refuses is not handed out, so there is no second look at a name in which it
//! could have moved.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use ureq::{
    Error,
    config::Config,
    http::{Uri, uri::Scheme},
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

use super::policy::{Policy, is_loopback};

/// Maximum number of addresses of a name that are tried; the list that the client takes has room for no more.
const ADDRESSES: usize = 16;

/// The addresses of a name.
type OfName = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// Resolver of names.
#[derive(Clone, Default)]
pub enum Lookup {
    /// The system.
    #[default]
    System,
    /// A function of the name, asked once for each connection.
    Own(Arc<OfName>),
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::System) { "System" } else { "Own" })
    }
}

/// Hands out the addresses of a name to which the policy permits to connect.
#[derive(Debug)]
pub(super) struct Guarded {
    pub policy: Policy,
    /// Whether plain http may lead to other machines, too.
    pub plain_http: bool,
    pub lookup: Lookup,
}

/// All addresses of a name are refused; this is one of them.
#[derive(Debug)]
pub(super) struct Refused(pub IpAddr);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused", self.0)
    }
}

impl std::error::Error for Refused {}

impl Guarded {
    fn look_up(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<Vec<SocketAddr>, Error> {
        match &self.lookup {
            Lookup::System => {
                let found = DefaultResolver::default().resolve(uri, config, timeout);
                // What the system says of a name that it does not find is an error of its own kind everywhere.
                found.map(|addresses| addresses.to_vec()).map_err(|error| match error {
                    Error::Io(_) => Error::HostNotFound,
                    other => other,
                })
            }
            Lookup::Own(of_name) => {
                let plain = uri.scheme() == Some(&Scheme::HTTP);
                let port = uri.port_u16().unwrap_or(if plain { 80 } else { 443 });
                let name = uri.host().unwrap_or_default();
                let literal = name.trim_matches(['[', ']']).parse().map(|address| vec![address]);
                let addresses = literal.unwrap_or_else(|_| of_name(name));
                Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
            }
        }
    }

    /// Plain http is for this very machine, whatever a name such as `localhost` is made to mean, unless it may go
    /// further.
    fn permits(&self, uri: &Uri, address: IpAddr) -> bool {
        let is_safe = self.plain_http || uri.scheme() == Some(&Scheme::HTTPS) || is_loopback(address);
        self.policy.permits(address) && is_safe
    }
}

impl Resolver for Guarded {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.look_up(uri, config, timeout)?;
        let mut permitted = self.empty();
        for address in found.iter().filter(|address| self.permits(uri, address.ip())).take(ADDRESSES) {
            permitted.push(*address);
        }
        match found.first() {
            _ if !permitted.is_empty() => Ok(permitted),
            Some(refused) => Err(Error::Other(Box::new(Refused(refused.ip())))),
            None => Err(Error::HostNotFound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_leads_to_other_machines_only_where_it_may() {
        for (url, address, plain_http, expected) in [
            ("https://hooks.example.com/", "10.1.2.3", false, true),
            ("http://hooks.example.com/", "10.1.2.3", false, false),
            ("http://hooks.example.com/", "10.1.2.3", true, true),
            ("http://hooks.example.com/", "169.254.169.254", true, false),
            ("http://localhost/", "127.0.0.1", false, true),
        ] {
            let guarded = Guarded { policy: Policy::of_an_operator(), plain_http, lookup: Lookup::System };
            let permitted =
                guarded.permits(&url.parse().expect("an address"), address.parse().expect("an address of a machine"));
            assert_eq!(permitted, expected, "{url} {address} {plain_http}");
        }
    }
}
