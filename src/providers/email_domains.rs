//! Domains of the emails that may become users by signing in: the setting `emailDomains`.

use url::Host;

/// The domains of the setting. Without any, all domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailDomains(Option<Vec<String>>);

impl EmailDomains {
    /// Reads domains with commas between them. Blanks, an `@` before a domain and upper case do not count. A list that
    /// holds nothing but commas and blanks is none; an entry that is no domain matches no email.
    pub fn parse(list: Option<&str>) -> Self {
        let entries = list.unwrap_or_default().split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let domains: Vec<_> =
            entries.map(|entry| domain(entry.strip_prefix('@').unwrap_or(entry)).unwrap_or_default()).collect();
        Self((!domains.is_empty()).then_some(domains))
    }

    /// Whether the address is of one of the domains; one of a subdomain is not.
    pub fn permit(&self, email: &str) -> bool {
        let Some(domains) = &self.0 else { return true };
        let of_email = email.rsplit_once('@').filter(|(local, _)| !local.is_empty()).and_then(|(_, name)| domain(name));
        of_email.is_some_and(|name| domains.contains(&name))
    }
}

/// Returns the canonical spelling of a domain: lower case, and what is not ASCII as DNS has it, so that a letter that
/// only looks like another stays another.
fn domain(text: &str) -> Option<String> {
    // The parser also decodes percent signs and reads numbers, as addresses of pages have them. Here they are no
    // domain.
    let has_host_characters = text.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '.' | '_'));
    match Host::parse(text.trim()) {
        Ok(Host::Domain(name)) if has_host_characters && !name.is_empty() => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o20_only_addresses_of_the_very_domain_may_become_users() {
        const LIST: Option<&str> = Some(" @Example.com , example.org,Bücher.example,a@b.example");
        for (list, email, expected) in [
            (None, "a@anywhere.example", true),
            (Some(""), "a@anywhere.example", true),
            (Some(" , "), "a@anywhere.example", true),
            (Some("@"), "a@anywhere.example", false),
            (Some("@"), "a@", false),
            (Some("127.0.0.1"), "a@127.0.0.1", false),
            (LIST, "a@example.com", true),
            (LIST, "a@EXAMPLE.com", true),
            (LIST, "\"a@evil.example\"@example.org", true),
            (LIST, "a@bücher.example", true),
            (LIST, "a@BÜCHER.example", true),
            (LIST, "a@xn--bcher-kva.example", true),
            (LIST, "a@b.example", false),
            (LIST, "a@mail.example.com", false),
            (LIST, "a@example.com.evil.example", false),
            (LIST, "a@notexample.com", false),
            (LIST, "a@example.com@evil.example", false),
            (LIST, "a@ex\u{430}mple.com", false),
            (LIST, "a@ex%61mple.com", false),
            (LIST, "a@example.com.", false),
            (LIST, "a@exam\u{ad}ple.com", false),
            (LIST, "a@example.com\n", false),
            (LIST, "@example.com", false),
            (LIST, "example.com", false),
            (LIST, "", false),
        ] {
            assert_eq!(EmailDomains::parse(list).permit(email), expected, "{list:?} {email}");
        }
    }
}
