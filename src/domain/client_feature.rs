//! Features as the programs that ask for them get them: all that an SDK needs to decide, and nothing else.

mod flag;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

pub use self::flag::Flag;
use crate::{
    constraint::Constraint,
    feature::Dependency,
    strategy::Parameters,
    tag::Tag,
    token,
    variant::{FeatureVariant, StrategyVariant},
};

/// A feature with its configuration in the one environment that a token reaches.
#[derive(Debug, Clone, Default, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientFeature {
    /// Unique name.
    pub name: String,
    /// Feature type, such as `release`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Whether the feature is switched on.
    pub enabled: bool,
    /// Id of the project that owns the feature.
    pub project: String,
    /// Whether the feature is marked as stale.
    pub stale: bool,
    /// The strategies that are not disabled, by sort order. Without any, an enabled feature is on for all users.
    pub strategies: Vec<ClientStrategy>,
    /// Variants that apply when no strategy has any.
    pub variants: Vec<FeatureVariant>,
    /// Description of the feature; `null` for none.
    pub description: Nullable<String>,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// The features that this one depends on. Absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<Dependency>>,
}

/// A rule that decides for whom a feature is on.
#[derive(Debug, Clone, Default, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientStrategy {
    /// Name of the strategy type.
    pub name: String,
    /// Conditions that must all hold. `values`, `inverted` and `caseInsensitive` are always there.
    pub constraints: Vec<Constraint>,
    /// Parameters of the strategy type, each as text.
    pub parameters: Parameters,
    /// Variants of the strategy.
    pub variants: Vec<StrategyVariant>,
    /// Ids of the segments that must all match; the answer lists the segments next to the features. Absent when there
    /// are none, and for clients that do not support segments, which get the constraints of the segments included in
    /// those of the strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<i64>>,
}

/// Constraints that strategies refer to.
#[derive(Debug, Clone, Default, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase", default)]
pub struct ClientSegment {
    /// Id of the segment.
    pub id: i64,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
}

/// The features in use as they are in one environment, at one moment: what answers to programs are made of, wherever it
/// comes from.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Number of that moment. Later ones have greater numbers.
    pub revision: i64,
    /// Source of the revision numbers.
    pub numbering: Numbering,
    /// The features. One whose project does not use the environment is off in it.
    pub features: Vec<Flag>,
    /// The names that were looked for, where it was not for all; one that has no feature is not in use.
    pub only: Option<BTreeSet<String>>,
    /// Every segment by its id.
    pub segments: BTreeMap<i64, ClientSegment>,
}

/// Source of the revision numbers of an environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Numbering {
    /// The log of events: the same everywhere, and any number between two is a moment, too.
    #[default]
    Log,
    /// This node alone. A number that it did not give says nothing.
    Own,
}

/// The query that was answered, limited to what the token reaches.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ClientQuery {
    /// Name of the environment.
    pub environment: String,
    /// Whether the constraints of segments are included in the strategies.
    pub inline_segment_constraints: bool,
    /// Ids of the projects of the query. Absent for all projects.
    pub project: Option<Vec<String>>,
    /// Tags of the query, each as a type and a value. Absent when there were none.
    pub tag: Option<Vec<Vec<String>>>,
    /// Name prefix of the query. Absent when there was none.
    pub name_prefix: Option<String>,
}

/// Says what readers take for granted: SDKs of some languages fail on a constraint without `values`.
#[must_use]
pub fn with_all_fields(mut constraint: Constraint) -> Constraint {
    constraint.values.get_or_insert_with(Vec::new);
    constraint.inverted.get_or_insert(false);
    constraint.case_insensitive.get_or_insert(false);
    constraint
}

/// Filter of the features of an answer: those that the token reaches and that the program asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ClientFilter {
    /// Ids of projects, sorted and without repetition; `None` is all of them.
    pub projects: Option<Vec<String>>,
    /// Tags one of which a feature must carry; empty for all features.
    pub tags: Vec<Tag>,
    /// Prefix of the names.
    pub name_prefix: Option<String>,
}

impl ClientFilter {
    /// Whether features of this project are seen.
    pub fn sees(&self, project: &str) -> bool {
        self.projects.as_ref().is_none_or(|projects| projects.binary_search_by(|id| id.as_str().cmp(project)).is_ok())
    }

    /// Whether a name starts as asked.
    pub fn names(&self, name: &str) -> bool {
        self.name_prefix.as_ref().is_none_or(|prefix| name.starts_with(prefix.as_str()))
    }
}

/// Returns the projects that are both allowed and asked for; `None` is all.
pub fn narrowed(allowed: Option<&[String]>, asked: &[String]) -> Option<Vec<String>> {
    let mut projects = match (allowed, asked.is_empty() || token::names_all(asked)) {
        (None, true) => return None,
        (None, false) => asked.to_vec(),
        (Some(allowed), true) => allowed.to_vec(),
        (Some(allowed), false) => allowed.iter().filter(|project| asked.contains(project)).cloned().collect(),
    };
    projects.sort();
    projects.dedup();
    Some(projects)
}

/// Version of the SDK specification by which feature documents of other servers are read.
pub const SPECIFICATION: &str = "5.2.0";

/// The version of the SDK specification from which on readers know segments by their ids.
const KNOWS_SEGMENTS: [u64; 3] = [4, 2, 0];

/// Whether an SDK of this version of the specification knows segments; `None` when it is no version.
pub fn knows_segments(version: &str) -> Option<bool> {
    let core = version.trim().split(['-', '+']).next().unwrap_or_default();
    let mut numbers = [0; 3];
    let mut parts = core.split('.');
    for (index, number) in numbers.iter_mut().enumerate() {
        match parts.next() {
            Some(part) if part.bytes().all(|byte| byte.is_ascii_digit()) => *number = part.parse().ok()?,
            None if index > 0 => {}
            _ => return None,
        }
    }
    parts.next().is_none().then_some(numbers >= KNOWS_SEGMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_known_from_a_version_on() {
        for (version, expected) in [
            ("4.2.0", Some(true)),
            ("4.2", Some(true)),
            (SPECIFICATION, Some(true)),
            ("10.0.0", Some(true)),
            ("4.1.9", Some(false)),
            ("4", Some(false)),
            ("5.0.0-beta.1", Some(true)),
            (" 4.3.0 ", Some(true)),
            ("", None),
            ("x", None),
            ("4.2.0.1", None),
            ("-4.2.0", None),
            ("4..0", None),
            ("99999999999999999999.0.0", None),
        ] {
            assert_eq!(knows_segments(version), expected, "{version:?}");
        }
    }

    #[test]
    fn a_question_never_reaches_beyond_the_token() {
        let list = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        for (allowed, asked, expected) in [
            (None, &[][..], None),
            (None, &["*"], None),
            (None, &["b", "a", "b"], Some(&["a", "b"][..])),
            (Some(&["b", "a"][..]), &[], Some(&["a", "b"])),
            (Some(&["a"]), &["*"], Some(&["a"])),
            (Some(&["a"]), &["a", "b"], Some(&["a"])),
            (Some(&["a"]), &["b"], Some(&[])),
        ] {
            let narrowed = narrowed(allowed.map(list).as_deref(), &list(asked));
            assert_eq!(narrowed, expected.map(list), "{allowed:?} {asked:?}");
        }
    }
}
