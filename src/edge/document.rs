//! Reads the documents of an upstream about features, as far as possible: a rule of a newer kind is off for every
//! context here, and is passed on to programs as it is.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    client_feature::{ClientFeature, ClientSegment, Flag, with_all_fields},
    repair::{self, Repair, Repairs},
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// Versions of the format that are known.
const VERSIONS: [i64; 2] = [1, 2];
/// Features that an answer may have.
const FEATURES: usize = 200_000;

/// All features and segments that a token sees.
#[derive(Debug, Default)]
pub(super) struct Everything {
    /// The features.
    pub features: Vec<Flag>,
    /// The segments that they refer to.
    pub segments: BTreeMap<i64, ClientSegment>,
    /// Values that were put right or left out to read them.
    pub repairs: Vec<Repair>,
}

/// Changes to apply to an environment.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// All features and segments, in the place of those known before.
    pub everything: Option<Everything>,
    /// Features and segments that are new or other, after that.
    pub updated: Everything,
    /// Features that are gone.
    pub removed: BTreeSet<String>,
    /// Segments that are gone.
    pub segments_removed: BTreeSet<i64>,
    /// The greatest number among the events.
    pub revision: i64,
}

#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(default)]
    version: Option<i64>,
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    segments: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    events: Vec<Event<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(rename = "eventId")]
    number: i64,
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default, borrow)]
    feature: Option<&'a RawValue>,
    #[serde(default)]
    feature_name: Option<String>,
    #[serde(default, borrow)]
    segment: Option<&'a RawValue>,
    #[serde(default)]
    segment_id: Option<i64>,
    #[serde(default, borrow)]
    features: Option<Vec<&'a RawValue>>,
    #[serde(default, borrow)]
    segments: Option<Vec<&'a RawValue>>,
}

/// Reads the answer with all features. The error says what is wrong with it.
pub(super) fn everything(bytes: &[u8]) -> Result<Everything, String> {
    let whole: Whole<'_> = serde_json::from_slice(bytes).map_err(|error| not_features(&error))?;
    if let Some(version) = whole.version.filter(|version| !VERSIONS.contains(version)) {
        return Err(format!("the features have format {version}, which this version does not know"));
    }
    let mut everything = Everything::default();
    everything.add(whole.features, whole.segments.unwrap_or_default())?;
    Ok(everything)
}

/// Reads an answer with differences.
pub(super) fn changes(bytes: &[u8]) -> Result<Changes, String> {
    let delta: Delta<'_> = serde_json::from_slice(bytes).map_err(|error| not_features(&error))?;
    let mut changes = Changes::default();
    for event in delta.events {
        changes.revision = changes.revision.max(event.number);
        changes.heed(event)?;
    }
    Ok(changes)
}

fn not_features(error: &serde_json::Error) -> String {
    format!("the features cannot be read: the mistake is near line {}, column {}", error.line(), error.column())
}

impl Everything {
    fn add(&mut self, features: Vec<&RawValue>, segments: Vec<&RawValue>) -> Result<(), String> {
        if features.len() > FEATURES {
            return Err(format!("there are more than {FEATURES} features"));
        }
        let repairs = Repairs::default();
        self.features.extend(features.into_iter().filter_map(|raw| flag(raw, &repairs)));
        self.segments.extend(segments.into_iter().filter_map(|raw| segment(raw, &repairs)));
        self.repairs.extend(repairs.into_all());
        Ok(())
    }
}

impl Changes {
    /// Whether there is nothing to apply, not even a revision.
    pub(super) fn is_empty(&self) -> bool {
        self.revision == 0 && self.everything.is_none() && self.updated.features.is_empty() && self.removed.is_empty()
    }

    fn heed(&mut self, event: Event<'_>) -> Result<(), String> {
        match &*event.kind {
            "hydration" => {
                *self = Self { revision: self.revision, ..Self::default() };
                let mut everything = Everything::default();
                everything.add(event.features.unwrap_or_default(), event.segments.unwrap_or_default())?;
                self.everything = Some(everything);
            }
            "feature-updated" => {
                let mut updated = Everything::default();
                updated.add(event.feature.into_iter().collect(), Vec::new())?;
                for flag in updated.features {
                    self.removed.remove(&*flag.name);
                    self.updated.features.retain(|earlier| earlier.name != flag.name);
                    self.updated.features.push(flag);
                }
                self.updated.repairs.extend(updated.repairs);
            }
            "feature-removed" => {
                if let Some(name) = event.feature_name {
                    self.updated.features.retain(|earlier| *earlier.name != *name);
                    self.removed.insert(name);
                }
            }
            "segment-updated" => {
                let mut updated = Everything::default();
                updated.add(Vec::new(), event.segment.into_iter().collect())?;
                for id in updated.segments.keys() {
                    self.segments_removed.remove(id);
                }
                self.updated.segments.extend(updated.segments);
                self.updated.repairs.extend(updated.repairs);
            }
            "segment-removed" => {
                if let Some(id) = event.segment_id {
                    self.updated.segments.remove(&id);
                    self.segments_removed.insert(id);
                }
            }
            // Further events of newer servers do not concern an edge.
            _ => {}
        }
        Ok(())
    }
}

/// A feature in the words of the upstream. A rule that is not understood is off for every context; `None` for what is
/// no feature.
fn flag(raw: &RawValue, repairs: &Repairs) -> Option<Flag> {
    let value = read("features", raw, repairs);
    let feature = repair::client_feature(&value, "", repairs)?;
    Some(Flag::told(completed(feature), one_line(raw)))
}

/// Completes a feature with the fields that its readers expect.
fn completed(mut feature: ClientFeature) -> ClientFeature {
    for strategy in &mut feature.strategies {
        let constraints = std::mem::take(&mut strategy.constraints);
        strategy.constraints = constraints.into_iter().map(with_all_fields).collect();
    }
    feature
}

fn read(table: &'static str, raw: &RawValue, repairs: &Repairs) -> Value {
    let name = |value: &Value| value["name"].as_str().map_or_else(|| value["id"].to_string(), str::to_owned);
    repairs.parse(table, raw.get().as_bytes(), name).unwrap_or_default()
}

/// A segment with its id. Strategies that refer to one that cannot be read are off for every context.
fn segment(raw: &RawValue, repairs: &Repairs) -> Option<(i64, ClientSegment)> {
    let value = read("segments", raw, repairs);
    let mut segment = repair::client_segment(&value, repairs)?;
    segment.constraints = segment.constraints.into_iter().map(with_all_fields).collect();
    Some((segment.id, segment))
}

/// JSON without line breaks, which would end a line of a stream, and with numbers out of range as texts, since no
/// parser could read them.
fn one_line(raw: &RawValue) -> String {
    let text = repair::readable(raw.get());
    if !text.contains(['\n', '\r']) {
        return text.into_owned();
    }
    serde_json::from_str::<Value>(&text).map_or_else(|_| text.replace(['\n', '\r'], " "), |value| value.to_string())
}

#[cfg(test)]
mod tests;
