//! Features as they are kept in memory, tens of thousands of them: what many answers look at, and everything else as
//! the JSON that is sent. Read apart, a feature takes several times the room of its JSON.

use std::borrow::Cow;

use super::{ClientFeature, ClientFilter};
use crate::tag::Tag;

/// A feature, ready to be sent.
#[derive(Debug, PartialEq)]
pub struct Flag {
    /// Unique name.
    pub name: Box<str>,
    /// Id of the project that owns the feature.
    pub project: Box<str>,
    /// Whether the feature is switched on.
    pub enabled: bool,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// Whether it has strategies that decide for whom the feature is on.
    pub has_strategies: bool,
    /// Names of the features that this one depends on.
    pub parents: Box<[String]>,
    /// Ids of the segments that its strategies refer to.
    pub segments: Box<[i64]>,
    /// Its tags.
    pub tags: Box<[Tag]>,
    json: Box<str>,
    /// The feature, where it cannot be read from the JSON as it is meant here.
    read: Option<Box<ClientFeature>>,
}

impl Flag {
    /// Makes a flag of a feature with its tags, in the JSON that is written here.
    pub fn written(feature: &ClientFeature, tags: Vec<Tag>) -> Self {
        Self::outlined(feature, tags, to_json(feature))
    }

    /// Makes a flag of a feature of another server, in that server's JSON.
    pub fn told(feature: ClientFeature, words: String) -> Self {
        let is_as_written = to_json(&feature) == words;
        let flag = Self::outlined(&feature, Vec::new(), words);
        Self { read: (!is_as_written).then(|| Box::new(feature)), ..flag }
    }

    fn outlined(feature: &ClientFeature, tags: Vec<Tag>, json: String) -> Self {
        let strategies = &feature.strategies;
        Self {
            name: feature.name.as_str().into(),
            project: feature.project.as_str().into(),
            enabled: feature.enabled,
            impression_data: feature.impression_data,
            has_strategies: !strategies.is_empty(),
            parents: feature.dependencies.iter().flatten().map(|parent| parent.feature.clone()).collect(),
            segments: strategies.iter().flat_map(|strategy| strategy.segments.iter().flatten().copied()).collect(),
            tags: tags.into(),
            json: json.into(),
            read: None,
        }
    }

    /// Returns the feature in JSON.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The feature, which refers to segments by their ids.
    pub fn feature(&self) -> Cow<'_, ClientFeature> {
        match &self.read {
            Some(read) => Cow::Borrowed(read),
            // What could not be read would be off for everybody.
            None => Cow::Owned(serde_json::from_str(&self.json).unwrap_or_else(|_| ClientFeature {
                name: self.name.to_string(),
                project: self.project.to_string(),
                ..ClientFeature::default()
            })),
        }
    }

    /// Whether a later state of it brings nothing new. Who says in the words of this program what was said in others
    /// before says the same.
    pub fn is_still(&self, later: &Self) -> bool {
        self.tags == later.tags
            && (self.json == later.json
                || self.read.as_deref().is_some_and(|read| later.read.is_none() && *read == *later.feature()))
    }
}

impl ClientFilter {
    /// Whether a feature is seen and asked for.
    pub fn admits(&self, flag: &Flag) -> bool {
        self.sees(&flag.project)
            && self.names(&flag.name)
            && (self.tags.is_empty() || self.tags.iter().any(|tag| flag.tags.contains(tag)))
    }
}

fn to_json(feature: &ClientFeature) -> String {
    serde_json::to_string(feature).expect("what programs read has string keys and finite numbers")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn everything() -> ClientFeature {
        let constraint = json!({
            "contextName": "region", "operator": "IN", "values": ["north"], "inverted": true, "caseInsensitive": false,
        });
        let variant = json!({
            "name": "blue", "weight": 333, "weightType": "variable", "stickiness": "default",
            "payload": { "type": "json", "value": "{\"a\": 1.5}" },
        });
        let feature = json!({
            "name": "f", "type": "release", "enabled": true, "project": "shop", "stale": true, "impressionData": true,
            "description": "what \"it\" is", "variants": [variant],
            "dependencies": [{ "feature": "parent", "enabled": false, "variants": ["blue"] }, { "feature": "other" }],
            "strategies": [
                { "name": "flexibleRollout", "constraints": [constraint], "parameters": { "rollout": "50" },
                  "variants": [variant], "segments": [7, 3] },
                { "name": "default" },
            ],
        });
        serde_json::from_value(feature).expect("a feature")
    }

    #[test]
    fn a_feature_is_read_again_as_it_was_written() {
        for feature in [everything(), ClientFeature { name: "bare".to_owned(), ..ClientFeature::default() }] {
            let flag = Flag::written(&feature, Vec::new());
            assert_eq!(*flag.feature(), feature);
            assert_eq!(flag.has_strategies, !feature.strategies.is_empty());
        }
        let flag = Flag::written(&everything(), Vec::new());
        assert_eq!((&*flag.segments, &*flag.parents), (&[7, 3][..], &["parent".to_owned(), "other".to_owned()][..]));
    }

    #[test]
    fn other_words_are_passed_on_and_what_they_mean_here_is_kept() {
        let (feature, words) = (everything(), "{\"name\":\"f\",\"new\":1}");
        let told = Flag::told(feature.clone(), words.to_owned());
        assert_eq!((told.json(), &*told.feature()), (words, &feature));
        let written = Flag::written(&feature, Vec::new());
        assert!(told.is_still(&written) && !written.is_still(&told));
        let other = Flag::written(&ClientFeature { stale: false, ..feature }, Vec::new());
        assert!(!told.is_still(&other) && !written.is_still(&other) && written.is_still(&written));
    }
}
