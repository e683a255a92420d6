//! SDKs: what applications report of theirs, and which are behind.

/// The oldest version of each SDK that is up to date with what this server answers.
const CURRENT: [(&str, [u64; 3]); 8] = [
    ("unleash-client-node", [5, 3, 2]),
    ("unleash-client-php", [1, 13, 0]),
    ("unleash-client-python", [5, 8, 1]),
    ("unleash-client-ruby", [5, 0, 0]),
    ("unleash-client-dotnet", [4, 1, 3]),
    ("unleash-client-go", [4, 1, 0]),
    ("unleash-client-java", [9, 2, 0]),
    ("unleash-edge", [19, 0, 0]),
];

/// Name and version of an SDK as applications report them, such as `unleash-client-node:5.4.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sdk<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version; empty when it reports none.
    pub version: &'a str,
}

impl<'a> Sdk<'a> {
    /// Reads what an application reported.
    pub fn parse(text: &'a str) -> Self {
        let (name, version) = text.rsplit_once(':').unwrap_or((text, ""));
        Self { name, version }
    }

    /// Whether a newer version is asked for. Never for an unknown SDK or a version that is none.
    pub fn is_outdated(self) -> bool {
        let current = CURRENT.iter().find(|(name, _)| *name == self.name);
        current.zip(self.numbers()).is_some_and(|((_, current), own)| own < *current)
    }

    fn numbers(self) -> Option<[u64; 3]> {
        let version = self.version.strip_prefix('v').unwrap_or(self.version);
        let release = version.split(['-', '+']).next()?;
        let mut parts = release.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(numbers)
    }
}

/// Names of libraries that run in browsers and on phones, or how they begin.
const FRONTEND: [&str; 11] = [
    "@unleash/nextjs",
    "@unleash/proxy-client",
    "unleash-android",
    "unleash-client-flutter",
    "unleash-client-js",
    "unleash-client-react",
    "unleash-client-svelte",
    "unleash-client-swift",
    "unleash-client-vue",
    "unleash-js",
    "unleash-proxy-client",
];

/// Whether a library, by name and version such as `unleash-client-node:6.1.0`, runs at the user's end.
pub fn is_frontend(sdk: &str) -> bool {
    FRONTEND.iter().any(|name| sdk.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        for (text, outdated) in [
            ("unleash-client-node:5.3.1", true),
            ("unleash-client-node:v4.99.99", true),
            ("unleash-client-node:5.3.2", false),
            ("unleash-client-node:5.10.0", false),
            ("unleash-client-node:5.3.2-beta.1", false),
            ("unleash-client-node:latest", false),
            ("unleash-client-node:5.3", false),
            ("unleash-client-node", false),
            ("my-own-sdk:0.0.1", false),
            ("", false),
        ] {
            assert_eq!(Sdk::parse(text).is_outdated(), outdated, "{text}");
        }
    }

    #[test]
    fn libraries_are_told_apart_by_name() {
        assert!(is_frontend("unleash-client-js:3.7.5"));
        assert!(is_frontend("unleash-proxy-client-flutter:1.0.0"));
        assert!(!is_frontend("unleash-client-node:6.1.0"));
        assert!(!is_frontend(""));
    }
}
