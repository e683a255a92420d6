//! Features for an older version of Unleash. Parts that it refuses or would give to more users are left out and
//! reported.

mod strategies;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    constraint::{Constraint, Operator},
    feature::FeatureEnvironment,
    import::ImportData,
    naming::is_url_friendly,
    segment::Segment,
    strategy_type::StrategyType,
    text::is_longer,
    variant::{Payload, PayloadKind},
};
use serde_json::{Value, json};

use self::strategies::Fitted;
use super::State;

/// Characters that a tag and the name of a tag type have there.
const TAG_LENGTH: std::ops::RangeInclusive<usize> = 2..=50;
/// Most characters of a value of a constraint there.
const MOST_OF_VALUE: usize = 100;
/// Context fields that every instance has.
const OWN_FIELDS: [&str; 6] = ["appName", "currentTime", "environment", "remoteAddress", "sessionId", "userId"];
/// Beginning of the names of strategy types that version 6 no longer has. `flexibleRollout` replaces them.
const OUTLIVED: &str = "gradualRollout";

/// A version of Unleash that takes less than this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Version 5, which takes the state of a whole instance.
    Unleash5,
    /// Version 6, which takes the features of a project in an environment.
    Unleash6,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Unleash5, Self::Unleash6];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unleash5 => "unleash-5",
            Self::Unleash6 => "unleash-6",
        }
    }

    /// The name of the product and its version.
    pub const fn product(self) -> &'static str {
        match self {
            Self::Unleash5 => "Unleash 5",
            Self::Unleash6 => "Unleash 6",
        }
    }

    /// Returns the version of that name, or `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// Fitting of features to a version, with the losses to report.
#[derive(Debug)]
pub struct Fitting {
    target: Target,
    /// Names of the segments that the version refuses.
    unfit: BTreeMap<i64, String>,
    fields: BTreeSet<String>,
    titles: usize,
    told: Vec<String>,
}

impl Fitting {
    /// Begins with the segments of the instance, and reports those that the version refuses or changes.
    pub fn new(target: Target, segments: &[Segment]) -> Self {
        let mut fitting = Self { target, unfit: BTreeMap::new(), fields: BTreeSet::new(), titles: 0, told: Vec::new() };
        for segment in segments {
            let fault = segment.constraints.iter().find_map(|constraint| fitting.fault(constraint, true));
            if let Some(fault) = fault {
                fitting.told.push(format!("segment {}: is left out: {fault}", segment.name));
                fitting.unfit.insert(segment.id, segment.name.clone());
            } else if target == Target::Unleash6 && segment.project.0.is_some() {
                fitting.told.push(format!("segment {}: becomes one of the whole instance", segment.name));
            }
        }
        fitting
    }

    /// Whether the version takes a segment.
    pub fn takes(&self, segment: &Segment) -> bool {
        !self.unfit.contains_key(&segment.id)
    }

    /// Returns the features of an environment as the version takes them.
    pub fn fit(&mut self, environment: &str, mut data: ImportData) -> ImportData {
        let mut shut = self.features(&mut data);
        self.tags(&mut data);
        shut.extend(self.strategies(environment, &mut data));
        if self.target == Target::Unleash5 {
            let fields = data.context_fields.take().into_iter().flatten().map(|field| field.name);
            self.fields.extend(fields.filter(|name| !OWN_FIELDS.contains(&&**name)));
            for link in data.dependencies.take().into_iter().flatten() {
                let reason = format!("{} has no dependencies between features", self.target.product());
                shut.entry(link.feature).or_insert(reason);
            }
        }
        for field in data.context_fields.iter_mut().flatten() {
            if let Some(project) = field.owner().map(str::to_owned) {
                field.project = None;
                self.tell_once(format!("context field {}: belongs to all projects, not to {project}", field.name));
            }
        }
        for of_feature in data.links.take().into_iter().flatten() {
            self.tell_once(format!("{}: its links are left out", of_feature.feature));
        }
        for state in data.feature_environments.iter_mut().flatten() {
            self.state(environment, state, &shut);
        }
        if let Some(references) = &mut data.segments {
            references.retain(|segment| segment.id.whole().is_none_or(|id| !self.unfit.contains_key(&id)));
        }
        data
    }

    /// Returns the losses, a line each.
    pub fn told(mut self) -> Vec<String> {
        if !self.fields.is_empty() {
            let names: Vec<_> = std::mem::take(&mut self.fields).into_iter().collect();
            self.told.push(format!("context fields are left out: {}", names.join(", ")));
        }
        if self.titles > 0 {
            self.told.push(format!("titles of strategies are left out: {}", self.titles));
        }
        self.told
    }

    /// Leaves out features whose names the version refuses. Returns the others that must be off, with the reason.
    fn features(&mut self, data: &mut ImportData) -> BTreeMap<String, String> {
        let unfit = data.features.iter().map(|feature| &*feature.name).filter(|name| !is_url_friendly(name));
        let unfit: BTreeSet<String> = unfit.map(str::to_owned).collect();
        let mut shut = BTreeMap::new();
        if unfit.is_empty() {
            return shut;
        }
        for name in &unfit {
            self.tell_once(format!("{name}: is left out: names are 1 to 100 letters, digits and -_.!~*'() there"));
        }
        let is_left = |name: Option<&str>| name.is_some_and(|name| unfit.contains(name));
        data.features.retain(|feature| !is_left(Some(&feature.name)));
        data.feature_strategies.retain(|strategy| !is_left(strategy.feature_name.as_deref()));
        if let Some(states) = &mut data.feature_environments {
            states.retain(|state| !is_left(Some(state.feature_name.as_deref().unwrap_or(&state.name))));
        }
        if let Some(tags) = &mut data.feature_tags {
            tags.retain(|tag| !is_left(Some(&tag.feature_name)));
        }
        if let Some(links) = &mut data.dependencies {
            links.retain(|link| {
                let parent = link.dependencies.iter().find(|parent| is_left(Some(&parent.feature)));
                if let Some(parent) = parent {
                    shut.insert(link.feature.clone(), format!("it depends on {}, which is left out", parent.feature));
                }
                parent.is_none() && !is_left(Some(&link.feature))
            });
        }
        shut
    }

    fn tags(&mut self, data: &mut ImportData) {
        let is_kind = |name: &str| is_url_friendly(name) && TAG_LENGTH.contains(&name.chars().count());
        if let Some(tags) = &mut data.feature_tags {
            tags.retain_mut(|given| {
                // Version 5 takes no id of whoever gave it.
                given.created_by_user_id = None;
                let tag = given.tag();
                let is_taken = is_kind(&tag.kind) && TAG_LENGTH.contains(&tag.value.chars().count());
                if !is_taken {
                    let name = format!("{}: its tag {}:{} is left out", given.feature_name, tag.kind, tag.value);
                    self.tell_once(format!("{name}: both parts have 2 to 50 characters there"));
                }
                is_taken
            });
        }
        data.tag_types.retain(|kind| is_kind(&kind.name));
        for kind in &mut data.tag_types {
            kind.description.get_or_insert_default();
        }
    }

    /// Fits the strategies. Returns the features that must be off, with the reason.
    fn strategies(&mut self, environment: &str, data: &mut ImportData) -> BTreeMap<String, String> {
        let mut held: BTreeMap<String, Fitted> = BTreeMap::new();
        let strategies = std::mem::take(&mut data.feature_strategies);
        for strategy in strategies {
            let feature = strategy.feature_name.clone().unwrap_or_default();
            let place = format!("{feature} in {environment}");
            let kept = held.entry(feature).or_default().strategy(self, &place, strategy);
            data.feature_strategies.extend(kept);
        }
        let shut = held.into_iter().filter(|(_, fitted)| fitted.is_without_any());
        shut.map(|(feature, _)| (feature, "no strategy is left that says for whom".to_owned())).collect()
    }

    fn state(&mut self, environment: &str, state: &mut FeatureEnvironment, shut: &BTreeMap<String, String>) {
        let name = state.feature_name.clone().unwrap_or_else(|| state.name.clone());
        if let Some(reason) = shut.get(&name).filter(|_| state.enabled) {
            state.enabled = false;
            self.told.push(format!("{name} in {environment}: is switched off: {reason}"));
        }
        let variants = state.variants.iter().flatten();
        let mut variants = variants.map(|variant| (&*variant.name, variant.payload.as_ref()));
        if let Some(fault) = variants.find_map(|(name, payload)| variant_fault(name, payload)) {
            state.variants = None;
            self.told.push(format!("{name} in {environment}: its variants are left out: {fault}"));
        }
    }

    /// Returns the reason why the version refuses a constraint of a segment or a strategy, or `None` if it takes it.
    fn fault(&self, constraint: &Constraint, is_of_segment: bool) -> Option<String> {
        use Operator::{
            In, InCidr, NotIn, Regex, SemverGte, SemverLte, StrContains, StrEndsWith, StrStartsWith, Unknown,
        };
        let product = self.target.product();
        let values = || constraint.values.iter().flatten();
        match constraint.operator {
            SemverGte | SemverLte | Regex | InCidr | Unknown => {
                let operator = json!(constraint.operator);
                Some(format!("{product} has no operator {}", operator.as_str().unwrap_or_default()))
            }
            // Version 5 does not look into the constraints of strategies.
            _ if self.target == Target::Unleash5 && !is_of_segment => None,
            _ if values().any(|value| value.is_empty() || is_longer(value, MOST_OF_VALUE)) => {
                Some(format!("values of constraints have 1 to {MOST_OF_VALUE} characters there"))
            }
            In | NotIn | StrContains | StrStartsWith | StrEndsWith if !is_of_segment && values().next().is_none() => {
                Some(format!("{product} takes no constraint without values"))
            }
            _ => None,
        }
    }

    fn tell_once(&mut self, line: String) {
        if !self.told.contains(&line) {
            self.told.push(line);
        }
    }
}

/// Returns the reason why a version refuses a variant, or `None` if it takes it.
fn variant_fault(name: &str, payload: Option<&Payload>) -> Option<String> {
    if !is_url_friendly(name) {
        return Some(format!("the name \"{name}\" is refused there"));
    }
    let Payload { kind, value } = payload?;
    let is_broken = *kind == PayloadKind::Json && serde_json::from_str::<serde::de::IgnoredAny>(value).is_err();
    (value.is_empty() || is_broken).then(|| format!("the payload of \"{name}\" is refused there"))
}

/// Returns the strategy types that an older version needs before the features.
pub fn custom_types(types: Vec<StrategyType>) -> impl Iterator<Item = StrategyType> {
    types.into_iter().filter(|kind| kind.editable && !kind.name.starts_with(OUTLIVED) && is_url_friendly(&kind.name))
}

/// Returns the state of an instance without the parts that version 5 does not know: it refuses files with others.
pub fn state_of_5(held: &State<'_>) -> Value {
    let mut state = super::state(held);
    for part in ["contextFields", "dependencies", "links"] {
        state.as_object_mut().and_then(|parts| parts.remove(part));
    }
    state
}

#[cfg(test)]
mod tests;
