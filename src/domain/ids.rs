//! Ids of projects, environments and features, each of a type of its own: functions that take two of them cannot get
//! them the wrong way round.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<'a>(&'a str);

        impl<'a> $name<'a> {
            /// Makes an id of a text, which is not checked.
            pub const fn new(text: &'a str) -> Self {
                Self(text)
            }

            /// The id as text, for statements and answers.
            pub const fn as_str(self) -> &'a str {
                self.0
            }
        }

        impl fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self.0, f)
            }
        }
    };
}

id! {
    /// Id of a project.
    ProjectId
}

id! {
    /// Name of an environment, which is its id.
    EnvironmentName
}

id! {
    /// Name of a feature, unique in the whole instance.
    FeatureName
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_its_text() {
        let name = FeatureName::new("new-checkout");
        assert_eq!((name.as_str(), format!("{name:>14}")), ("new-checkout", "  new-checkout".to_owned()));
    }
}
