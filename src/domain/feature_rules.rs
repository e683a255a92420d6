//! What a project asks of its features: how they are named, and how many there may be.

use crate::domain::naming::NamingPattern;

/// The rules of one project, and how far they are used up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureRules {
    /// The pattern that names must match; `None` for any name.
    pub naming_pattern: Option<String>,
    /// A name that matches it.
    pub naming_example: Option<String>,
    /// Words about it.
    pub naming_description: Option<String>,
    /// Most features in use; `None` for no limit.
    pub feature_limit: Option<i64>,
    /// How many there are, without archived ones.
    pub active_features: i64,
}

impl FeatureRules {
    /// Why a feature of the project cannot have this name: the end of a sentence that starts with what holds the name.
    pub fn naming_fault(&self, name: &str) -> Option<String> {
        let text = self.naming_pattern.as_deref().filter(|text| !text.is_empty())?;
        // A stored pattern that this version cannot run admits nothing rather than everything.
        if NamingPattern::compile(text).is_ok_and(|pattern| pattern.admits(name)) {
            return None;
        }
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let example = given(&self.naming_example).map(|text| format!(", such as \"{text}\"")).unwrap_or_default();
        let meaning = given(&self.naming_description).map(|text| format!(" It means: \"{text}\".")).unwrap_or_default();
        Some(format!("must match the naming pattern \"{text}\" of the project{example}.{meaning}"))
    }

    /// Why the project cannot take so many more features into use.
    pub fn limit_fault(&self, more: i64) -> Option<String> {
        let limit = self.feature_limit?;
        let present = self.active_features;
        (present.saturating_add(more) > limit).then(|| {
            format!("The project has {present} features in use and may hold at most {limit}: there is no room for {more} more.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_match_the_pattern_as_a_whole() {
        let mut rules = FeatureRules::default();
        assert_eq!(rules.naming_fault("anything"), None);
        rules.naming_pattern = Some("shop-[a-z]+".to_owned());
        assert_eq!(rules.naming_fault("shop-cart"), None);
        rules.naming_example = Some("shop-cart".to_owned());
        rules.naming_description = Some("area first".to_owned());
        assert_eq!(
            rules.naming_fault("my-shop-cart").as_deref(),
            Some(
                "must match the naming pattern \"shop-[a-z]+\" of the project, such as \"shop-cart\". It means: \
                 \"area first\"."
            )
        );
        rules.naming_pattern = Some("(?=x)".to_owned());
        assert!(rules.naming_fault("x").is_some());
        rules.naming_pattern = Some(String::new());
        assert_eq!(rules.naming_fault("x"), None);
    }

    #[test]
    fn a_project_is_full_at_its_limit() {
        let rules = |feature_limit| FeatureRules { feature_limit, active_features: 2, ..FeatureRules::default() };
        assert_eq!(rules(None).limit_fault(1000), None);
        assert_eq!(rules(Some(3)).limit_fault(1), None);
        assert!(rules(Some(3)).limit_fault(2).is_some());
        assert!(rules(Some(2)).limit_fault(1).is_some());
    }
}
