//! Whether the program speaks TLS itself.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

/// Fault of redirecting to an address that is not there.
pub(super) const NOWHERE_TO: &str =
    "FLAGSTONE_REDIRECT_LISTEN leads to https, which needs FLAGSTONE_TLS_CERTIFICATE and FLAGSTONE_TLS_KEY";

/// The files of a certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// File with the certificate of the server, and those that lead to its authority, as PEM.
    pub certificate: PathBuf,
    /// File with its key, as PEM.
    pub key: PathBuf,
}

/// Whether the server speaks https.
#[derive(Debug, Clone, Args)]
pub struct Tls {
    /// File with the certificate of the server, followed by intermediate certificates, as PEM. It enables https, and is
    /// reloaded when it changes.
    #[arg(long, env = "FLAGSTONE_TLS_CERTIFICATE", value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// File with the key of the certificate, as PEM.
    #[arg(long, env = "FLAGSTONE_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
}

/// Redirection of requests without TLS to https.
#[derive(Debug, Clone, Args)]
pub struct Redirecting {
    /// Address and port to listen on without TLS, which redirect every request to https.
    #[arg(long, env = "FLAGSTONE_REDIRECT_LISTEN", value_name = "ADDRESS")]
    pub redirect_listen: Option<SocketAddr>,
}

impl Tls {
    /// Whether https is meant to be spoken.
    pub const fn is_on(&self) -> bool {
        self.tls_certificate.is_some()
    }

    /// The files, if https is to be spoken.
    pub fn pair(&self) -> Result<Option<Pair>, String> {
        match (self.tls_certificate.clone(), self.tls_key.clone()) {
            (Some(certificate), Some(key)) => Ok(Some(Pair { certificate, key })),
            (None, None) => Ok(None),
            (Some(_), None) => Err("FLAGSTONE_TLS_CERTIFICATE needs its key: FLAGSTONE_TLS_KEY".to_owned()),
            (None, Some(_)) => Err("FLAGSTONE_TLS_KEY needs its certificate: FLAGSTONE_TLS_CERTIFICATE".to_owned()),
        }
    }
}

/// Whether an edge speaks https, by our names and by those of Unleash Edge.
#[derive(Debug, Clone, Args)]
pub struct EdgeTls {
    /// Whether it does.
    #[command(flatten)]
    pub tls: Tls,
    /// Redirection of requests without TLS.
    #[command(flatten)]
    pub redirecting: Redirecting,
    /// Speak https on a port of its own, in addition to plain http: `--tls-server-port`.
    #[arg(long, env = "TLS_ENABLE", value_parser = clap::builder::FalseyValueParser::new())]
    tls_enable: bool,
    /// File with the certificate for that port, and after it those that lead to its authority, as PEM.
    #[arg(long, env = "TLS_SERVER_CERT", value_name = "FILE")]
    tls_server_cert: Option<PathBuf>,
    /// File with the key of that certificate, as PEM.
    #[arg(long, env = "TLS_SERVER_KEY", value_name = "FILE")]
    tls_server_key: Option<PathBuf>,
    /// The port.
    #[arg(long, env = "TLS_SERVER_PORT", value_name = "PORT", default_value_t = 3043)]
    tls_server_port: u16,
    /// Redirect from plain http to that port, instead of answering there.
    #[arg(long, env = "REDIRECT_HTTP_TO_HTTPS", value_parser = clap::builder::FalseyValueParser::new())]
    redirect_http_to_https: bool,
}

/// Addresses where an edge listens.
#[derive(Debug)]
pub struct EdgeDoors {
    /// Address for plain http.
    pub plain: Option<SocketAddr>,
    /// Address for TLS, with its certificate and key.
    pub secure: Option<(SocketAddr, Pair)>,
    /// Address where all requests are redirected to https.
    pub redirect: Option<SocketAddr>,
}

impl EdgeTls {
    /// Returns the addresses where an edge listens that is to be at this address.
    pub fn doors(&self, address: SocketAddr) -> Result<EdgeDoors, String> {
        let redirect = self.redirecting.redirect_listen;
        if self.redirect_http_to_https && !self.tls_enable {
            let reason = "REDIRECT_HTTP_TO_HTTPS needs TLS_ENABLE; with FLAGSTONE_TLS_CERTIFICATE it is \
                          FLAGSTONE_REDIRECT_LISTEN that redirects";
            return Err(reason.to_owned());
        }
        match (self.tls.pair()?, self.tls_enable) {
            (Some(_), true) => {
                Err("FLAGSTONE_TLS_CERTIFICATE and TLS_ENABLE: either says where https is spoken".to_owned())
            }
            (Some(pair), false) => Ok(EdgeDoors { plain: None, secure: Some((address, pair)), redirect }),
            (None, true) => match (self.tls_server_cert.clone(), self.tls_server_key.clone()) {
                (Some(certificate), Some(key)) => {
                    let secure = Some((SocketAddr::new(address.ip(), self.tls_server_port), Pair { certificate, key }));
                    if !self.redirect_http_to_https {
                        return Ok(EdgeDoors { plain: Some(address), secure, redirect });
                    }
                    if redirect.is_some() {
                        let reason = "REDIRECT_HTTP_TO_HTTPS and FLAGSTONE_REDIRECT_LISTEN: either says where to \
                                      redirect from";
                        return Err(reason.to_owned());
                    }
                    Ok(EdgeDoors { plain: None, secure, redirect: Some(address) })
                }
                _ => Err("TLS_ENABLE needs TLS_SERVER_CERT and TLS_SERVER_KEY".to_owned()),
            },
            (None, false) if redirect.is_some() => Err(NOWHERE_TO.to_owned()),
            (None, false) => Ok(EdgeDoors { plain: Some(address), secure: None, redirect }),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Edge {
        #[command(flatten)]
        tls: EdgeTls,
    }

    #[test]
    fn an_edge_listens_where_either_set_of_names_says() {
        let address: SocketAddr = "10.0.0.1:3063".parse().expect("an address");
        let doors = |flags: &[&str]| {
            let edge = Edge::try_parse_from([&["edge"], flags].concat()).expect("flags");
            edge.tls.doors(address).map(|doors| {
                let secure = doors.secure.map(|(address, pair)| (address.to_string(), pair.key.display().to_string()));
                (doors.plain.map(|address| address.to_string()), secure, doors.redirect.is_some())
            })
        };
        let plain = || Some(address.to_string());
        let ours = ["--tls-certificate", "c", "--tls-key", "k"];
        let fields = ["--tls-enable", "--tls-server-cert", "c", "--tls-server-key", "k"];
        let redirect = ["--redirect-listen", "10.0.0.1:80"];
        let secure = |port: u16| Some((format!("10.0.0.1:{port}"), "k".to_owned()));
        assert_eq!(doors(&[]), Ok((plain(), None, false)));
        assert_eq!(doors(&ours), Ok((None, secure(3063), false)));
        assert_eq!(doors(&fields), Ok((plain(), secure(3043), false)));
        assert_eq!(doors(&[&fields[..], &["--tls-server-port", "8443"]].concat()), Ok((plain(), secure(8443), false)));
        assert_eq!(doors(&[&ours[..], &redirect].concat()), Ok((None, secure(3063), true)));
        let onwards = [&fields[..], &["--redirect-http-to-https"]].concat();
        assert_eq!(doors(&onwards), Ok((None, secure(3043), true)));
        // Files without the switch are as good as none, as in Unleash Edge.
        assert_eq!(doors(&fields[1..]), Ok((plain(), None, false)));
        for (flags, named) in [
            (&ours[..2], "FLAGSTONE_TLS_KEY"),
            (&ours[2..], "FLAGSTONE_TLS_CERTIFICATE"),
            (&fields[..3], "TLS_SERVER_KEY"),
            (&[&ours[..], &fields].concat()[..], "TLS_ENABLE"),
            (&redirect, "FLAGSTONE_REDIRECT_LISTEN"),
            (&["--redirect-http-to-https"], "REDIRECT_HTTP_TO_HTTPS needs TLS_ENABLE"),
            (&[&ours[..], &["--redirect-http-to-https"]].concat(), "REDIRECT_HTTP_TO_HTTPS needs TLS_ENABLE"),
            (&[&onwards[..], &redirect].concat(), "REDIRECT_HTTP_TO_HTTPS and FLAGSTONE_REDIRECT_LISTEN"),
        ] {
            let refused = doors(flags).expect_err(named);
            assert!(refused.contains(named), "{refused}");
        }
    }
}
