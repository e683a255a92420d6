//! Since when operations are deprecated, and until when they are kept.

/// A version in which operations were deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    version: &'static str,
    /// Value of the header `Deprecation` (RFC 9745): the day of the version, in seconds since 1970.
    pub since: &'static str,
    /// Value of the header `Sunset` (RFC 8594): the first day on which a version without the operations may be released.
    pub sunset: &'static str,
}

/// The versions. A further one gives callers at least a year.
const VERSIONS: [Deprecation; 1] =
    [Deprecation { version: "0.1.0", since: "@1795219200", sunset: "Sat, 01 Jan 2028 00:00:00 GMT" }];

impl Deprecation {
    /// Returns that of a version.
    pub fn of(version: &str) -> Option<Self> {
        VERSIONS.into_iter().find(|deprecation| deprecation.version == version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::document::{DOCUMENT, traits_of};

    #[test]
    fn every_deprecated_operation_names_a_version_with_its_days() {
        let items = DOCUMENT["paths"].as_object().expect("paths").values();
        let operations = items.flat_map(|item| item.as_object().expect("operations").values());
        let mut deprecated = 0;
        for operation in operations {
            let id = operation["operationId"].as_str().expect("an id");
            let version = traits_of(id).and_then(|traits| traits.deprecated_since);
            assert_eq!(version.is_some(), operation["deprecated"] == true, "{id}");
            if let Some(version) = version {
                assert!(Deprecation::of(version).is_some(), "{id}: {version:?}");
                deprecated += 1;
            }
        }
        assert!(deprecated > 0);
    }

    #[test]
    fn a_year_lies_between_the_days() {
        for Deprecation { version, since, sunset } in VERSIONS {
            let since = since.strip_prefix('@').and_then(|seconds| seconds.parse::<i64>().ok()).expect("seconds");
            let sunset = chrono::DateTime::parse_from_rfc2822(sunset).expect("a date").timestamp();
            assert!(sunset - since >= 365 * 86_400, "{version}");
        }
    }
}
