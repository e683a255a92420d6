//! Limits of the server's connections: their number, and how long one may keep it waiting.

use std::time::Duration;

use clap::Args;

/// Default number of seconds in which a request's head must have arrived.
const HEAD: u64 = 30;
/// Default number of seconds that a connection may rest.
const IDLE: u64 = 75;
/// Default number of seconds in which a reader must have taken something.
const WRITE: u64 = 60;

/// Bounds of connections.
#[derive(Debug, Clone, Args)]
pub struct Connections {
    /// Maximum number of open connections of this node. By default 10000, or less if the limit of open files requires.
    #[arg(
        id = "connections-limit",
        long = "connections-limit",
        env = "FLAGSTONE_CONNECTIONS_LIMIT",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    limit: Option<u32>,
    /// Maximum for one IPv4 address or one IPv6 network (/64). By default half of all, except for this machine itself,
    /// where a proxy may run. Trusted proxies have no limit.
    #[arg(
        id = "connections-per-address-limit",
        long = "connections-per-address-limit",
        env = "FLAGSTONE_CONNECTIONS_PER_ADDRESS_LIMIT",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    per_address_limit: Option<u32>,
    /// Timeout in seconds for receiving the head of a request, on a new connection or from its first byte.
    #[arg(
        long,
        env = "FLAGSTONE_HEAD_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        default_value_t = HEAD,
        value_parser = seconds()
    )]
    head_timeout_seconds: u64,
    /// Timeout in seconds of a connection without a request.
    #[arg(
        long,
        env = "FLAGSTONE_IDLE_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        default_value_t = IDLE,
        value_parser = seconds()
    )]
    idle_timeout_seconds: u64,
    /// Timeout in seconds for clients that read an answer too slowly: less than a kibibyte a second on average.
    #[arg(
        long,
        env = "FLAGSTONE_WRITE_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        default_value_t = WRITE,
        value_parser = seconds()
    )]
    write_timeout_seconds: u64,
}

fn seconds() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=3600)
}

impl Connections {
    /// Most connections, if the operator says so.
    pub fn limit(&self) -> Option<usize> {
        self.limit.map(|limit| limit as usize)
    }

    /// Most connections of one address, if the operator says so.
    pub fn per_address_limit(&self) -> Option<usize> {
        self.per_address_limit.map(|limit| limit as usize)
    }

    /// Maximum time for the head of a request.
    pub const fn head(&self) -> Duration {
        Duration::from_secs(self.head_timeout_seconds)
    }

    /// Maximum time that a connection may rest.
    pub const fn idle(&self) -> Duration {
        Duration::from_secs(self.idle_timeout_seconds)
    }

    /// Maximum time for which a reader may take nothing.
    pub const fn write(&self) -> Duration {
        Duration::from_secs(self.write_timeout_seconds)
    }
}
