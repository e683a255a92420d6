//! Addresses that secrets may travel to.

use std::sync::LazyLock;

use flagstone_wire::{Shape, ShapedText, UriShape};
use jsonschema::Validator;
use poem_openapi::registry::MetaSchema;
use regex::Regex;
use serde_json::json;
use url::{Host, Url};

/// A byte of an IPv4 address.
const BYTE: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/// A group of an IPv6 address.
const GROUP: &str = "[0-9a-fA-F]{1,4}";
/// A name. Its last part is no number, as which the whole would be an IPv4 address.
const NAME: &str = r"([a-zA-Z0-9_-]+\.)*([a-zA-Z_-]|[0-9]+[a-wyzA-WYZ_-])[a-zA-Z0-9_-]*\.?";
/// The port, which may be left out.
const PORT: &str = "(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0))?";
/// Rest of an address, in the characters that an address has.
const REST: &str = "([/?#][!-~]*)?";

/// An IPv6 address, whole or with `::` in the place of some groups.
fn ipv6() -> String {
    let whole = format!("({GROUP}:){{7}}{GROUP}");
    let within = (1..=6).map(|most| format!("({GROUP}:){{1,{most}}}(:{GROUP}){{1,{}}}", 7 - most));
    let at_end = format!("({GROUP}:){{1,7}}:");
    let at_beginning = format!(":((:{GROUP}){{1,7}}|:)");
    [whole].into_iter().chain(within).chain([at_end, at_beginning]).collect::<Vec<_>>().join("|")
}

/// Pattern of the addresses of login providers in the document. [`is_safe_address`] takes whatever matches, but for
/// names that begin a part with `xn--` and are no names.
static PATTERN: LazyLock<String> = LazyLock::new(|| {
    let anywhere = format!(r"{NAME}|{BYTE}(\.{BYTE}){{3}}|\[({})\]", ipv6());
    let here = format!(r"([a-zA-Z0-9_-]+\.)*localhost|127(\.{BYTE}){{3}}|\[::1\]");
    format!("^([hH][tT][tT][pP][sS]://({anywhere})|[hH][tT][tT][pP]://({here})){PORT}{REST}$")
});
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| Regex::new(&PATTERN).expect("the pattern compiles"));

/// Fault of a text that is no address of a login provider, as the end of a sentence.
pub const NO_PROVIDER_ADDRESS: &str =
    "must be an absolute https address without credentials (http only for this machine)";

/// Fault of a text that is no URI, as the end of a sentence.
pub const NO_URI: &str = "must be a URI, or empty while it is not known";

/// The judge of the word `uri` in the document, which requests are held against, for what comes in by other ways.
static URI: LazyLock<Validator> = LazyLock::new(|| {
    let options = jsonschema::draft7::options().should_validate_formats(true);
    options.build(&json!({ "format": "uri" })).expect("the schema compiles")
});

/// The address of a login provider, which the document declares to be a URI, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressUriShape;

/// A text that the document declares to be the address of a login provider.
pub type AddressUri = ShapedText<AddressUriShape>;

impl Shape for AddressUriShape {
    const NAME: &'static str = "string(address_uri)";

    fn schema() -> MetaSchema {
        MetaSchema { pattern: Some(PATTERN.clone()), ..UriShape::schema() }
    }
}

/// Whether a text can be the address of a login provider: one that the document allows and secrets may travel to.
pub fn is_provider_address(text: &str) -> bool {
    ADDRESSES.is_match(text) && is_safe_address(text)
}

/// Whether a text is a URI, as every address in settings of login providers must be, also while these are disabled.
pub fn is_uri(text: &str) -> bool {
    URI.is_valid(&json!(text))
}

/// Returns the fault of a text that does not match a pattern. `None` for patterns of others.
pub fn unmatched(pattern: &str) -> Option<String> {
    (pattern == *PATTERN).then(|| NO_PROVIDER_ADDRESS.to_owned())
}

/// Whether secrets may travel to an address: an absolute one of `https`, or of `http` on this very machine, without
/// credentials in it.
pub fn is_safe_address(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let has_host = url.host().is_some();
    let scheme = url.scheme();
    has_host
        && (scheme == "https" || (scheme == "http" && is_local(&url)))
        && url.username().is_empty()
        && url.password().is_none()
}

/// Whether an address names this very machine.
pub fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_travel_only_where_nobody_listens() {
        for safe in [
            "https://id.example.com",
            "https://id.example.com:8443/realms/a?b=c#d",
            "HTTPS://ID.Example.COM./",
            "https://id_server:8443",
            "https://1.example.2b",
            "https://192.0.2.7/x",
            "https://[2001:db8:1:2::5]/x",
            "https://[2001:db8::]:65535",
            "https://[::]",
            "http://localhost:8080/x",
            "http://id.localhost",
            "http://127.0.0.1:8080",
            "http://[::1]/",
        ] {
            assert!(is_safe_address(safe) && is_provider_address(safe), "{safe}");
        }
        for unsafe_one in [
            "",
            "id.example.com",
            "/realms/a",
            "https://",
            "http://id.example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://128.0.0.1",
            "http://[::2]",
            "ftp://id.example.com",
            "javascript:alert(1)",
            "https://user@id.example.com",
            "https://:secret@id.example.com",
            "https://id.example.com:65536",
            "https://256.0.0.1",
            "https://example.0x7f",
            "https://[1::2::3]",
            "https://[1:2:3:4:5:6:7]",
        ] {
            assert!(!is_safe_address(unsafe_one) && !ADDRESSES.is_match(unsafe_one), "{unsafe_one}");
        }
    }

    #[test]
    fn a_uri_has_a_scheme_and_none_but_the_characters_of_one() {
        for uri in ["https://id.example.com/a?b=c#d", "http://x", "urn:example:id", "https://[2001:db8::]:1/%20"] {
            assert!(is_uri(uri), "{uri}");
        }
        for none in [
            "",
            " ",
            "not a uri",
            "id.example.com",
            "/a",
            "https://x y",
            "https://x/|",
            "https://x/%2",
            "\u{feff}http://x",
        ] {
            assert!(!is_uri(none), "{none}");
        }
    }

    fn allowed() -> impl Strategy<Value = String> {
        let unanchored = PATTERN.trim_start_matches('^').trim_end_matches('$');
        proptest::string::string_regex(unanchored).expect("a pattern of texts")
    }

    proptest! {
        #[test]
        fn what_the_document_allows_is_safe(address in allowed()) {
            prop_assume!(!address.to_ascii_lowercase().contains("xn--"));
            prop_assert!(is_provider_address(&address), "{}", address);
        }
    }
}
