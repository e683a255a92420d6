//! Return path of a browser after signing in: always to a page of this server, whatever the request said.

use url::Url;

/// The longest path that is remembered, in characters.
const LONGEST: usize = 2000;

/// The address of the page that a path names, or of the first page if there is no path or it is none of this server.
///
/// A path has one leading `/`, then neither `/` nor `\`, no control characters and at most 2000 characters, and its
/// address has the origin of the base. The answer is a whole address, because a path that was made simpler may look
/// like another host: `/.//evil.example` is the path `//evil.example` of this very server.
pub fn return_address(path: Option<&str>, base_url: &str) -> String {
    let page = path.filter(|path| is_path(path)).and_then(|path| {
        let base = Url::parse(base_url).ok()?;
        let page = base.join(path).ok()?;
        (page.origin() == base.origin() && page.origin().is_tuple()).then(|| page.to_string())
    });
    page.unwrap_or_else(|| format!("{}/", base_url.trim_end_matches('/')))
}

fn is_path(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('/')
        && !matches!(chars.next(), Some('/' | '\\'))
        && text.chars().count() <= LONGEST
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn o28_a_path_of_the_server_is_where_one_returns_and_nothing_else() {
        const BASE: &str = "https://flags.example.com/team";
        const FIRST: &str = "https://flags.example.com/team/";
        for (path, expected) in [
            (Some("/team/projects?a=b#c"), "https://flags.example.com/team/projects?a=b#c"),
            (Some("/"), "https://flags.example.com/"),
            (Some("/a\\b"), "https://flags.example.com/a/b"),
            (Some("/.//evil.example"), "https://flags.example.com//evil.example"),
            (Some("/x/..//evil.example"), "https://flags.example.com//evil.example"),
            (Some("/@evil.example"), "https://flags.example.com/@evil.example"),
            (Some("/%09/evil.example"), "https://flags.example.com/%09/evil.example"),
            (Some("/ü"), "https://flags.example.com/%C3%BC"),
            (None, FIRST),
            (Some(""), FIRST),
            (Some("projects"), FIRST),
            (Some("//evil.example"), FIRST),
            (Some("/\\evil.example"), FIRST),
            (Some("\\\\evil.example"), FIRST),
            (Some("///evil.example"), FIRST),
            (Some("/\t/evil.example"), FIRST),
            (Some("/\n/evil.example"), FIRST),
            (Some("/a\u{0}"), FIRST),
            (Some("/a\u{85}"), FIRST),
            (Some(" //evil.example"), FIRST),
            (Some("https://evil.example"), FIRST),
            (Some("https:evil.example"), FIRST),
            (Some("javascript:alert(1)"), FIRST),
        ] {
            assert_eq!(return_address(path, BASE), expected, "{path:?}");
            assert_eq!(return_address(path, FIRST), expected, "{path:?}");
        }
        let longest = format!("/{}", "a".repeat(1999));
        assert_eq!(return_address(Some(&longest), BASE), format!("https://flags.example.com{longest}"));
        assert_eq!(return_address(Some(&format!("{longest}a")), BASE), FIRST);
    }

    proptest! {
        #[test]
        fn o28_whatever_the_path_is_one_returns_to_the_server(
            path in prop_oneof![".*", "/.*", "[/\\\\]{1,3}.*", "/[./\\\\@:?#%a-z0-9]*", "[a-z]*:/*[a-z.]*"],
            base in prop_oneof![Just("https://flags.example.com"), Just("http://127.0.0.1:4242/team")],
        ) {
            let address = return_address(Some(&path), base);
            let (page, base) = (Url::parse(&address).expect("an address"), Url::parse(base).expect("an address"));
            prop_assert_eq!(page.origin(), base.origin());
            prop_assert!(page.username().is_empty() && page.password().is_none());
            prop_assert!(!address.contains(char::is_control));
            // Whoever reads it again reads the same.
            prop_assert_eq!(page.as_str(), address);
        }
    }
}
