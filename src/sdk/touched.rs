//! Features that changes are about, so that only those are read again.

use std::collections::BTreeSet;

use flagstone_domain::event_kind::{Concern, EventKind};

/// The names of the features that changed, or `None` where any may have. Segments are read again in any case.
pub(super) fn by(news: Vec<(EventKind, Option<String>)>) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (kind, feature) in news {
        match (kind.concern(), feature) {
            (Concern::Nothing | Concern::Segments | Concern::Tokens | Concern::Settings, _) => {}
            (Concern::Feature, Some(name)) => {
                names.insert(name);
            }
            (Concern::Feature, None) | (Concern::Features | Concern::FeaturesAndTokens, _) => return None,
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_more_than_one_feature_is_about_any() {
        let about = |kind, name: Option<&str>| (kind, name.map(str::to_owned));
        let named = vec![
            about(EventKind::FeatureArchived, Some("a")),
            about(EventKind::FeatureStrategyAdd, Some("b")),
            about(EventKind::FeatureFavorited, Some("c")),
            about(EventKind::SegmentUpdated, None),
            about(EventKind::UserCreated, None),
        ];
        assert_eq!(by(named.clone()), Some(["a", "b"].map(str::to_owned).into()));
        assert_eq!(by(vec![]), Some(BTreeSet::new()));
        for wide in [
            about(EventKind::ProjectEnvironmentRemoved, None),
            about(EventKind::FeaturesImported, None),
            about(EventKind::FeatureArchived, None),
            about(EventKind::ProjectDeleted, Some("a")),
        ] {
            assert_eq!(by([named.clone(), vec![wide.clone()]].concat()), None, "{wide:?}");
        }
    }
}
