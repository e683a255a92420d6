//! Places of things: the settings, the database, and the server itself.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use flagstone_domain::opaque_debug;

use super::Tls;

/// The file that settings are read from, before the rest of the options is.
#[derive(Debug, Clone, Default, Args)]
pub struct SettingsFile {
    /// Settings file in TOML: the options of the server, or of an edge, by their long names. A flag takes precedence
    /// over its variable, and the variable over the file. By default no file is read.
    #[arg(id = "config", long = "config", env = "FLAGSTONE_CONFIG", value_name = "FILE", global = true)]
    pub path: Option<PathBuf>,
}

/// The database that a command works on.
#[derive(Clone, Args)]
pub struct DatabaseChoice {
    /// File in which this and more may stand.
    #[command(flatten)]
    pub settings: SettingsFile,
    /// Database: `sqlite://PATH` (created when absent) or `postgres://…`.
    #[arg(
        id = "database-url",
        long = "database-url",
        value_name = "URL",
        env = "DATABASE_URL",
        default_value = "sqlite://flagstone.db",
        hide_env_values = true,
        global = true
    )]
    pub url: String,
}

impl DatabaseChoice {
    /// The database at a URL, whatever settings say.
    pub fn at(url: String) -> Self {
        Self { settings: SettingsFile::default(), url }
    }
}

// The URL may hold a password.
opaque_debug!(DatabaseChoice);

/// Addresses where the server listens, and where others reach it.
#[derive(Debug, Clone, Args)]
pub struct Address {
    /// Address and port to listen on.
    #[arg(long, env = "FLAGSTONE_LISTEN", default_value = "127.0.0.1:4242")]
    pub listen: SocketAddr,
    /// Public URL of the server, if it differs from the listening address.
    #[arg(long, env = "FLAGSTONE_BASE_URL", value_parser = public_address)]
    pub base_url: Option<String>,
    /// Path prefix below which the server answers, such as `/flags`. The same requests without it are answered, too, as
    /// a proxy that strips the prefix sends them.
    #[arg(long, env = "FLAGSTONE_BASE_PATH", value_name = "PATH", default_value = "", value_parser = path_prefix)]
    pub base_path: String,
    /// Whether it speaks https.
    #[command(flatten)]
    pub tls: Tls,
}

/// Reads the public address, from which links are made, and whose scheme decides how browsers keep a session.
fn public_address(text: &str) -> Result<String, &'static str> {
    let begins = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let url = url::Url::parse(text).ok().filter(|url| begins && url.has_host());
    // As it was given: a parsed one has other signs written out.
    let path = text.splitn(4, '/').nth(3).unwrap_or_default();
    let is_plain = |url: url::Url| url.query().is_none() && url.fragment().is_none() && is_plain_path(path);
    if url.is_some_and(is_plain) {
        Ok(text.to_owned())
    } else {
        Err(
            "a public address is http:// or https:// and a host, perhaps a port and a path, such as https://flags.example.com",
        )
    }
}

/// Whether links and cookies can have a path.
fn is_plain_path(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._~%!$&()*+=:@".contains(&byte))
}

/// First segments of the paths of the server, which a prefix may not have: `/api/admin` below `/api` would be two
/// addresses in one.
pub const ROOTS: [&str; 14] = [
    "api",
    "auth",
    "console",
    "docs",
    "edge",
    "health",
    "internal-backstage",
    "invite",
    "logout",
    "new-user",
    "ofrep",
    "ready",
    "reset-password",
    "scim",
];

/// Returns a prefix with a slash at its beginning and none at its end; empty for none.
fn path_prefix(text: &str) -> Result<String, String> {
    let path = text.trim().trim_matches('/');
    if path.is_empty() {
        return Ok(String::new());
    }
    let is_segment = |segment: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        !matches!(segment, "" | "." | "..") && segment.bytes().all(is_sign)
    };
    if !path.split('/').all(is_segment) {
        return Err("a path prefix is segments of letters, digits, -, ., _ and ~, such as /flags".to_owned());
    }
    match path.split('/').next().filter(|first| ROOTS.contains(first)) {
        Some(first) => Err(format!("a path prefix cannot begin with /{first}, which the server has paths below")),
        None => Ok(format!("/{path}")),
    }
}

impl Address {
    /// The public address, without a slash at its end. A given one without a path gets the prefix.
    pub fn base_url(&self) -> String {
        let prefix = &self.base_path;
        match self.given_base_url() {
            Some(base_url) if url::Url::parse(base_url).is_ok_and(|url| url.path() == "/") => {
                format!("{base_url}{prefix}")
            }
            Some(base_url) => base_url.to_owned(),
            None if self.tls.is_on() => format!("https://{}{prefix}", self.listen),
            None => format!("http://{}{prefix}", self.listen),
        }
    }

    /// The public address that the operator gave, without a slash at its end.
    pub fn given_base_url(&self) -> Option<&str> {
        self.base_url.as_deref().map(|base_url| base_url.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_has_a_scheme_and_a_host() {
        for text in
            ["https://flags.example.com", "http://127.0.0.1:4242/", "https://example.com/flags", "http://[::1]:80"]
        {
            assert_eq!(public_address(text), Ok(text.to_owned()));
        }
        for text in [
            "flags.example.com",
            "flags.example.com:443",
            "//flags",
            "https:flags",
            "https://",
            "ftp://flags",
            "https://flags?a",
            "https://flags/a;b",
            "https://flags/a\"b",
            "",
        ] {
            public_address(text).expect_err(text);
        }
    }

    #[test]
    fn a_prefix_is_brought_to_one_form_and_hides_no_path_of_the_server() {
        for (text, prefix) in [
            ("", ""),
            ("/", ""),
            ("flags", "/flags"),
            ("/flags/", "/flags"),
            ("/tools/flags.v2", "/tools/flags.v2"),
            ("/apis", "/apis"),
        ] {
            assert_eq!(path_prefix(text).as_deref(), Ok(prefix), "{text}");
        }
        for text in ["/a//b", "/..", "/a/./b", "/a b", "/a?b", "/a;b", "/ü", "/%20", "http://x", "/api", "health/x"] {
            path_prefix(text).expect_err(text);
        }
    }

    #[test]
    fn the_public_address_has_the_prefix_unless_it_has_a_path() {
        let address = |base_url: Option<&str>| Address {
            listen: SocketAddr::from(([127, 0, 0, 1], 4242)),
            base_url: base_url.map(str::to_owned),
            base_path: "/flags".to_owned(),
            tls: Tls { tls_certificate: None, tls_key: None },
        };
        for (given, expected) in [
            (None, "http://127.0.0.1:4242/flags"),
            (Some("https://example.com"), "https://example.com/flags"),
            (Some("https://example.com/"), "https://example.com/flags"),
            (Some("https://example.com/flags/"), "https://example.com/flags"),
            (Some("https://example.com/tools"), "https://example.com/tools"),
        ] {
            assert_eq!(address(given).base_url(), expected);
        }
    }
}
