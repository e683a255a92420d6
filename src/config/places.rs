//! Where things are: the settings, the database, and the server itself.

use std::{fmt, net::SocketAddr, path::PathBuf};

use clap::Args;

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
    /// Where this and more may stand.
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

/// The URL may hold a password.
impl fmt::Debug for DatabaseChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseChoice")
    }
}

/// Where the server listens, and where others reach it.
#[derive(Debug, Clone, Args)]
pub struct Address {
    /// Address and port to listen on.
    #[arg(long, env = "FLAGSTONE_LISTEN", default_value = "127.0.0.1:4242")]
    pub listen: SocketAddr,
    /// Public URL of the server, if it differs from the listening address.
    #[arg(long, env = "FLAGSTONE_BASE_URL", value_parser = public_address)]
    pub base_url: Option<String>,
    /// Whether it speaks https.
    #[command(flatten)]
    pub tls: Tls,
}

/// Links are made of it, and its scheme tells how browsers keep a session.
fn public_address(text: &str) -> Result<String, &'static str> {
    let begins = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let url = url::Url::parse(text).ok().filter(|url| begins && url.has_host());
    if url.is_some_and(|url| url.query().is_none() && url.fragment().is_none()) {
        Ok(text.to_owned())
    } else {
        Err(
            "a public address is http:// or https:// and a host, perhaps a port and a path, such as https://flags.example.com",
        )
    }
}

impl Address {
    /// The public address, without a slash at its end.
    pub fn base_url(&self) -> String {
        match self.given_base_url() {
            Some(base_url) => base_url.to_owned(),
            None if self.tls.is_on() => format!("https://{}", self.listen),
            None => format!("http://{}", self.listen),
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
            "",
        ] {
            public_address(text).expect_err(text);
        }
    }
}
