//! Outgoing connections of the server: where they may lead, and how.

use std::path::PathBuf;

use clap::Args;
use flagstone_files as files;
use flagstone_outbound::{Options, Outbound, Policy, Roots};

use crate::Hidden;

/// Most bytes of a file of certificates.
const MOST_BYTES: u64 = 16 << 20;

/// Outgoing connections of the server: where they may lead, and how.
#[derive(Debug, Clone, Args)]
pub struct Outgoing {
    /// Addresses that the server may connect to, separated by commas: `public`, `private`, `loopback`, and networks
    /// such as `10.1.0.0/16`. By default `public,private`, and `loopback` if the public URL of the server is one.
    #[arg(long, env = "FLAGSTONE_OUTGOING_ADDRESSES", value_name = "ADDRESSES")]
    pub outgoing_addresses: Option<String>,
    /// The way there.
    #[command(flatten)]
    pub route: Route,
}

/// Route of outgoing connections.
#[derive(Debug, Clone, Args)]
pub struct Route {
    /// File with the certificate authorities for outgoing connections, such as to login providers, as PEM, instead of
    /// the public ones.
    #[arg(long, env = "FLAGSTONE_CA_FILE", value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Proxy for outgoing connections, such as to login providers.
    #[arg(long, env = "HTTPS_PROXY", hide_env_values = true, value_name = "URL")]
    pub https_proxy: Option<Hidden>,
    /// Hosts to reach without the proxy, separated by commas.
    #[arg(long, env = "NO_PROXY", value_name = "HOSTS")]
    pub no_proxy: Option<String>,
}

impl Outgoing {
    /// The client for a server with this public address. The error says what is wrong, and no secret.
    pub fn client(&self, base_url: &str) -> Result<Outbound, String> {
        let addresses = self.outgoing_addresses.as_deref().filter(|list| !list.trim().is_empty());
        let policy = match addresses {
            Some(list) => list.parse().map_err(|error| format!("FLAGSTONE_OUTGOING_ADDRESSES: {error}"))?,
            None => Policy::for_base(base_url),
        };
        self.route.client(Options::new(policy))
    }
}

impl Route {
    /// A client that goes this way. The error says what is wrong, and no secret.
    pub fn client(&self, options: Options) -> Result<Outbound, String> {
        let roots = match self.ca_file.as_ref().filter(|file| !file.as_os_str().is_empty()) {
            Some(file) => {
                let pem = files::read_bounded(file, MOST_BYTES);
                Roots::Pem(pem.map_err(|error| format!("FLAGSTONE_CA_FILE: {}: {error}", file.display()))?)
            }
            None => Roots::Public,
        };
        let proxy = self.https_proxy.as_ref().map(|Hidden(url)| url.clone()).filter(|url| !url.trim().is_empty());
        let no_proxy = self.no_proxy.clone().filter(|hosts| !hosts.trim().is_empty());
        Outbound::new(Options { proxy, no_proxy, roots, ..options })
    }
}
