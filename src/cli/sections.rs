//! Sections of the options in the help of the server and of the edge.

use clap::Arg;

/// Section of the options that are in no other.
const OTHER: &str = "Options";

/// Sections, and what the long names of their options begin with. The longest beginning counts.
const SECTIONS: [(&str, &[&str]); 13] = [
    ("Settings and database", &["config", "database-", "read-staleness-ms"]),
    (
        "Address and TLS",
        &[
            "listen",
            "base-",
            "port",
            "interface",
            "tls-",
            "redirect-",
            "trusted-proxies",
            "trust-proxy",
            "proxy-trusted-servers",
            "allow-list",
            "deny-list",
        ],
    ),
    ("Upstream", &["upstream", "custom-client-headers", "pkcs8-", "pem-cert-file", "skip-ssl-verification"]),
    ("Tokens", &["tokens", "pretrusted-tokens", "strict", "token-", "edge-auth-header"]),
    (
        "State and fetching",
        &["fetch", "features-", "metrics-interval-seconds", "backup-folder", "oldest-", "streaming", "delta"],
    ),
    ("From a file", &["offline", "client-tokens", "frontend-tokens", "reload-interval"]),
    ("Keys", &["key-file", "secret-key", "previous-"]),
    (
        "Users, events and pages",
        &[
            "session-hours",
            "access-check-minutes",
            "sign-ins-per-minute",
            "new-users-per-minute",
            "password-links-per-minute",
            "personal-token-days",
            "api-tokens",
            "login-history-hours",
            "event-retention-days",
            "sample-contexts-every",
            "cors-origin",
            "unleash-console-",
        ],
    ),
    (
        "Requests and connections",
        &[
            "body-limit-mib",
            "import-limit-mib",
            "streams-limit",
            "connections-",
            "head-timeout-seconds",
            "idle-timeout-seconds",
            "write-timeout-seconds",
        ],
    ),
    ("Outgoing connections", &["outgoing-addresses", "ca-file", "https-proxy", "no-proxy"]),
    (
        "Log, metrics and traces",
        &[
            "log-format",
            "access-log",
            "metrics-token",
            "metrics-open",
            "otel-",
            "trace-",
            "app-name",
            "instance-id",
            "region",
            "disable-",
        ],
    ),
    ("Limits of the instance", &["limit-"]),
    ("Jobs and backups", &["job-", "backup-directory", "backup-keep"]),
];

/// Puts an option into its section.
pub(super) fn placed(option: Arg) -> Arg {
    let Some(name) = option.get_long().map(str::to_owned).filter(|_| !option.is_hide_set()) else { return option };
    option.help_heading(section(&name))
}

fn section(name: &str) -> &'static str {
    let beginnings = SECTIONS.iter().flat_map(|(section, beginnings)| beginnings.iter().map(move |one| (section, one)));
    let fitting = beginnings.filter(|(_, beginning)| name.starts_with(**beginning));
    fitting.max_by_key(|(_, beginning)| beginning.len()).map_or(OTHER, |(section, _)| section)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_option_of_the_server_and_of_the_edge_is_in_a_section() {
        for name in ["serve", "edge"] {
            let program = Cli::command();
            let command = program.find_subcommand(name).expect("a command");
            for option in command.get_arguments().filter(|option| option.get_long().is_some() && !option.is_hide_set())
            {
                let heading = option.get_help_heading().expect("a section");
                assert_ne!(heading, OTHER, "{name} {}", option.get_id());
            }
        }
    }
}
