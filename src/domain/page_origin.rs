//! Origin of the pages that may act for a signed-in user: the server's own.
//!
//! A browser sends the session along with requests that any page makes it send, and says whose page it was in headers
//! that pages cannot write: `Origin`, and where a request has none of that, `Sec-Fetch-Site`. A program that is no
//! browser sends neither, and is not led astray by pages.

use url::Url;

/// Headers by which a browser describes the page that sent a request.
#[derive(Debug)]
pub struct Page<'a> {
    /// Values of `Origin`; a request has at most one unless it is forged.
    pub origins: Vec<&'a str>,
    /// The value of `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
}

/// Origin of the server, as the page may know it.
#[derive(Debug)]
pub struct Place<'a> {
    /// The public address.
    pub base_url: &'a str,
    /// The hosts, perhaps with a port, that the request asks for: its own, and what trusted proxies say it was before.
    pub hosts: Vec<&'a str>,
}

impl Page<'_> {
    /// Returns the header, and its value, that names another origin; `None` for a page of the server, and where no
    /// header says anything.
    ///
    /// Every header has to speak for the page: the opaque origin `null` does not, nor does another port, nor plain http
    /// where the public address is https. Where a proxy hides the host that was asked for, the browser's own word that
    /// the page has the origin of the request counts.
    pub fn foreign_by(&self, place: &Place<'_>) -> Option<(&'static str, String)> {
        let is_own = |origin: &str| place.has(origin) || (self.site == Some("same-origin") && is_trustworthy(origin));
        if let Some(origin) = self.origins.iter().find(|origin| !is_own(origin)) {
            return Some(("Origin", shortened(origin)));
        }
        let site = self.site.filter(|site| !matches!(*site, "same-origin" | "none"))?;
        Some(("Sec-Fetch-Site", shortened(site)))
    }
}

impl Place<'_> {
    fn has(&self, origin: &str) -> bool {
        let Some((scheme, _)) = origin.split_once("://") else { return false };
        let is_public = origin_of(self.base_url).as_deref() == Some(origin);
        let is_allowed = scheme == "https" || (scheme == "http" && !is_https(self.base_url));
        let mut asked = self.hosts.iter().filter_map(|host| origin_of(&format!("{scheme}://{host}")));
        is_public || (is_allowed && asked.any(|asked| asked == origin))
    }
}

/// Whether an address is reached over https alone.
pub fn is_https(address: &str) -> bool {
    address.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
}

/// The origin of an address, spelled as browsers do.
fn origin_of(address: &str) -> Option<String> {
    Some(Url::parse(address).ok()?.origin().ascii_serialization())
}

/// Whether browsers add `Sec-Fetch-Site` to requests to an origin: those over https, and to the machine itself. To others
/// they send none, so that it is no browser's word there.
fn is_trustworthy(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    let is_local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.origin().ascii_serialization() == origin && (url.scheme() == "https" || (url.scheme() == "http" && is_local))
}

fn shortened(value: &str) -> String {
    value.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_the_server_s_own_when_every_header_says_so() {
        const PLAIN: &str = "http://127.0.0.1:4242";
        const SECURE: &str = "HTTPS://Flags.example.com/team";
        for (base_url, host, origins, site, foreign) in [
            (PLAIN, "127.0.0.1:4242", &[][..], None, None),
            (PLAIN, "127.0.0.1:4242", &["http://127.0.0.1:4242"], Some("same-origin"), None),
            (PLAIN, "proxy", &["http://127.0.0.1:4242"], None, None),
            (PLAIN, "flags.internal:80", &["http://flags.internal"], None, None),
            (PLAIN, "Flags.internal", &["https://flags.internal"], None, None),
            (PLAIN, "[::1]:4242", &["http://[::1]:4242"], None, None),
            (PLAIN, "flags.internal", &[], Some("none"), None),
            (PLAIN, "flags.internal", &[], Some("cross-site"), Some("Sec-Fetch-Site")),
            (PLAIN, "flags.internal", &[], Some("same-site"), Some("Sec-Fetch-Site")),
            (PLAIN, "flags.internal", &[], Some(""), Some("Sec-Fetch-Site")),
            (PLAIN, "flags.internal", &["http://flags.internal"], Some("cross-site"), Some("Sec-Fetch-Site")),
            (PLAIN, "flags.internal", &["http://flags.internal:8080"], None, Some("Origin")),
            (PLAIN, "flags.internal", &["http://evil.example"], Some("same-origin"), Some("Origin")),
            (PLAIN, "flags.internal", &["http://flags.internal", "http://evil.example"], None, Some("Origin")),
            (PLAIN, "flags.internal", &["http://flags.internal.evil.example"], None, Some("Origin")),
            (PLAIN, "flags.internal", &["null"], None, Some("Origin")),
            (PLAIN, "flags.internal", &[""], None, Some("Origin")),
            (PLAIN, "flags.internal", &["file://"], None, Some("Origin")),
            (PLAIN, "null", &["null"], None, Some("Origin")),
            (PLAIN, "", &["http://"], None, Some("Origin")),
            (SECURE, "proxy", &["https://flags.example.com"], None, None),
            (SECURE, "flags.example.com", &["http://flags.example.com"], None, Some("Origin")),
            (SECURE, "other.example.com", &["https://other.example.com"], None, None),
            ("", "", &["null"], None, Some("Origin")),
            // A proxy that does not pass the host on.
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com"], Some("same-origin"), None),
            (PLAIN, "proxy", &["http://localhost:8080"], Some("same-origin"), None),
            (PLAIN, "proxy", &["http://[::1]"], Some("same-origin"), None),
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com"], None, Some("Origin")),
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com"], Some("none"), Some("Origin")),
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com"], Some("same-site"), Some("Origin")),
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com/"], Some("same-origin"), Some("Origin")),
            (PLAIN, "127.0.0.1:4242", &["https://flags.example.com", "null"], Some("same-origin"), Some("Origin")),
            (PLAIN, "127.0.0.1:4242", &["null"], Some("same-origin"), Some("Origin")),
            (SECURE, "127.0.0.1:4242", &["https://other.example.com"], Some("same-origin"), None),
            (SECURE, "127.0.0.1:4242", &["http://flags.example.com"], Some("same-origin"), Some("Origin")),
        ] {
            let page = Page { origins: origins.to_vec(), site };
            let said = page.foreign_by(&Place { base_url, hosts: vec![host] });
            assert_eq!(said.map(|(header, _)| header), foreign, "{base_url} {host} {origins:?} {site:?}");
        }
    }
}
