//! Rules of a project for its features: their names, and how many there may be.

use crate::feature_naming::FeatureNaming;

/// The rules of one project, and how far they are used up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureRules {
    /// Naming rule for features.
    pub naming: FeatureNaming,
    /// Most features in use; `None` for no limit.
    pub feature_limit: Option<i64>,
    /// Number of features, without archived ones.
    pub active_features: i64,
}

/// Whether so many more features fit in addition to those in use.
pub fn has_room(limit: Option<i64>, in_use: i64, more: i64) -> bool {
    limit.is_none_or(|limit| in_use.saturating_add(more) <= limit)
}

impl FeatureRules {
    /// Returns why a feature of the project cannot have this name: the end of a sentence that starts with the property
    /// that holds the name.
    pub fn naming_fault(&self, name: &str) -> Option<String> {
        let words = self.naming.in_words().filter(|_| !self.naming.admits(name))?;
        Some(format!("must match the naming pattern of the project, {words}"))
    }

    /// Returns why the project cannot take so many more features into use.
    pub fn limit_fault(&self, more: i64) -> Option<String> {
        let limit = self.feature_limit?;
        let present = self.active_features;
        (!has_room(Some(limit), present, more)).then(|| {
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
        rules.naming.pattern = Some("shop-[a-z]+".to_owned());
        assert_eq!(rules.naming_fault("shop-cart"), None);
        assert_eq!(
            rules.naming_fault("my-shop-cart").as_deref(),
            Some("must match the naming pattern of the project, \"shop-[a-z]+\".")
        );
        rules.naming.pattern = Some("(?=x)".to_owned());
        assert!(rules.naming_fault("x").is_some());
    }

    #[test]
    fn a_project_is_full_at_its_limit() {
        let rules = |feature_limit| FeatureRules { feature_limit, active_features: 2, ..FeatureRules::default() };
        assert_eq!(rules(None).limit_fault(1000), None);
        assert_eq!(rules(Some(3)).limit_fault(1), None);
        assert!(rules(Some(3)).limit_fault(2).is_some());
        assert!(rules(Some(2)).limit_fault(1).is_some());
        assert!(!has_room(Some(i64::MAX - 1), i64::MAX, i64::MAX));
    }
}
