use super::Refusal;
use crate::tag::Tag;

/// Tags one of which a feature must carry, each written as `type:value`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnyTag(pub Vec<Tag>);

impl AnyTag {
    /// A type, and after the first colon a value, which may hold more of them.
    pub const PATTERN: &'static str = r"^[^:]+:[\s\S]+$";
    /// Most tags: each is a comparison of its own in the statement.
    pub const MAX: usize = 100;

    /// Reads tags.
    pub fn parse<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self, Refusal> {
        let mut tags = Vec::new();
        for text in texts {
            let halves = text.as_ref().split_once(':').filter(|(kind, value)| !kind.is_empty() && !value.is_empty());
            let (kind, value) = halves.ok_or(Refusal::Pattern(Self::PATTERN))?;
            tags.push(Tag { value: value.to_owned(), kind: kind.to_owned() });
            if tags.len() > Self::MAX {
                return Err(Refusal::TooMany(Self::MAX));
            }
        }
        Ok(Self(tags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_a_type_and_a_value_and_the_pattern_says_the_same() {
        let pattern = regex::Regex::new(AnyTag::PATTERN).expect("valid");
        let tag = |kind: &str, value: &str| Some(Tag { value: value.to_owned(), kind: kind.to_owned() });
        let cases = [
            ("simple:beta", tag("simple", "beta")),
            ("simple:a:b", tag("simple", "a:b")),
            ("simple: \n", tag("simple", " \n")),
            ("simple", None),
            ("simple:", None),
            (":beta", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let read = AnyTag::parse([text]).ok().and_then(|tags| tags.0.into_iter().next());
            assert_eq!(read, expected, "{text:?}");
            assert_eq!(pattern.is_match(text), expected.is_some(), "{text:?}");
        }
    }

    #[test]
    fn their_number_is_bounded() {
        let many = |count: usize| vec!["simple:beta"; count];
        assert_eq!(AnyTag::parse(many(100)).expect("valid").0.len(), 100);
        assert_eq!(AnyTag::parse(many(101)), Err(Refusal::TooMany(100)));
    }
}
