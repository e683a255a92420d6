//! Rules for the parts of a data set to be stored: legal names, sound variants and constraints, and no reference that
//! leads nowhere.

use std::collections::{BTreeSet, HashMap, HashSet};

use flagstone_wire::Number;

use super::{
    ContextField, Finding, ImportData, Known,
    selection::{Entry, Selection},
};
use crate::{
    address::{self, Named},
    constraint::{Constraint, ConstraintFault},
    feature_link::normalized,
    naming::{MAX_NAME_LENGTH, is_url_friendly},
    strategy::{FeatureStrategy, StrategyFault, evaluable, parameters},
    text::is_longer,
    variant::{distribute_feature, distribute_strategy},
};

/// Characters that a tag's value may have.
const TAG_VALUE_LENGTH: std::ops::RangeInclusive<usize> = 2..=50;
/// Characters that the name of a tag type may have.
const TAG_TYPE_LENGTH: std::ops::RangeInclusive<usize> = 2..=50;
/// Most legal values of a context field.
pub(super) const MOST_LEGAL_VALUES: usize = 1000;
/// Most characters of a context field's description.
const MAX_DESCRIPTION_LENGTH: usize = 250;

/// Errors about the data set's own content.
pub(super) fn errors(data: &ImportData, known: &Known, selection: &Selection<'_>) -> impl Iterator<Item = Finding> {
    let findings = [
        names(selection),
        addresses(selection),
        tag_values(selection),
        tag_addresses(known, selection),
        tag_types(data, known, selection),
        context_fields(data, known),
        segments(data, selection),
        links(selection),
        variants(selection),
        constraints(data, known, selection),
        chains(known, selection),
    ];
    findings.into_iter().flatten()
}

fn names(selection: &Selection<'_>) -> Option<Finding> {
    let names = selection.entries.iter().map(|entry| &entry.feature.name);
    Finding::about(
        format!("Names of features must be URL friendly and have 1 to {MAX_NAME_LENGTH} characters. These are not:"),
        names.filter(|name| !is_url_friendly(name)).cloned(),
    )
}

/// A name that is stored already stays: it has an address, if not a plain one.
fn addresses(selection: &Selection<'_>) -> Option<Finding> {
    let new = selection.entries.iter().filter(|entry| entry.stored.is_none());
    let faults = new.filter_map(|entry| {
        let name = &entry.feature.name;
        Some(format!("{name}: {}", address::judge(Named::Feature, name).err()?))
    });
    Finding::about("Addresses cannot hold the names of these features. Name them otherwise in the data set:", faults)
}

fn tag_addresses(known: &Known, selection: &Selection<'_>) -> Option<Finding> {
    let new = selection.entries.iter().flat_map(Entry::tags).filter(|tag| !known.tags.contains(tag));
    let faults = new.filter_map(|tag| {
        let fault = address::judge(Named::Tag, &tag.value).err()?;
        Some(format!("{}:{}: {fault}", tag.kind, tag.value))
    });
    let faults: BTreeSet<String> = faults.collect();
    Finding::about("Addresses cannot hold these tags. Name them otherwise in the data set:", faults)
}

fn tag_values(selection: &Selection<'_>) -> Option<Finding> {
    let broken = selection.entries.iter().flat_map(|entry| {
        let broken = entry.tags().filter(|tag| !TAG_VALUE_LENGTH.contains(&tag.value.chars().count()));
        broken.map(|tag| format!("{}: {}:{}", entry.feature.name, tag.kind, tag.value))
    });
    Finding::about("Tags must have 2 to 50 characters. These do not:", broken)
}

fn tag_types(data: &ImportData, known: &Known, selection: &Selection<'_>) -> Option<Finding> {
    let given: HashSet<&str> = data.tag_types.iter().map(|kind| &*kind.name).collect();
    let used: BTreeSet<&str> =
        selection.entries.iter().flat_map(|entry| &entry.tags).map(|(kind, _)| &**kind).collect();
    let can_be_made = |name: &str| {
        TAG_TYPE_LENGTH.contains(&name.len()) && is_url_friendly(name) && address::judge(Named::TagType, name).is_ok()
    };
    let is_sound = |name: &str| known.tag_types.contains(name) || (given.contains(name) && can_be_made(name));
    Finding::about(
        "Tags need a type that exists here or comes along, with a URL friendly name of 2 to 50 characters that \
         addresses do not use for something else. These types do not:",
        used.into_iter().filter(|name| !is_sound(name)).map(str::to_owned),
    )
}

fn context_fields(data: &ImportData, known: &Known) -> Option<Finding> {
    let new = data.fields().iter().filter(|field| !known.context_fields.contains_key(&field.name));
    Finding::about(
        "New context fields need a URL friendly name of at most 100 characters that addresses do not use for something \
         else, a description of at most 250, and at most 1000 legal values of 1 to 100 other than \".\" and \"..\", \
         described in at most 1000, that differ from each other. These do not:",
        new.filter(|field| !is_sound_field(field)).map(|field| field.name.clone()),
    )
}

fn is_sound_field(field: &ContextField) -> bool {
    let description = field.description.as_ref().and_then(|description| description.0.as_ref());
    is_url_friendly(&field.name)
        && !description.is_some_and(|description| is_longer(description, MAX_DESCRIPTION_LENGTH))
        && field.legal().len() <= MOST_LEGAL_VALUES
        && field.faulty_value(|_| false).is_none()
        && address::judge(Named::ContextField, &field.name).is_ok()
}

/// Names of segments by the id that the data set gives them.
pub(super) fn segment_names(data: &ImportData) -> HashMap<i64, &str> {
    let named = data.named_segments().iter();
    named.filter_map(|segment| Some((segment.id.whole()?, &*segment.name))).collect()
}

fn segments(data: &ImportData, selection: &Selection<'_>) -> Option<Finding> {
    let named = segment_names(data);
    let used = selection.entries.iter().flat_map(|entry| &entry.strategies).flat_map(|strategy| &strategy.segments);
    let is_named = |id: &Number| id.whole().is_some_and(|id| named.contains_key(&id));
    let unnamed: BTreeSet<String> = used.flatten().filter(|id| !is_named(id)).map(|id| id.get().to_string()).collect();
    Finding::about("Strategies use segments by ids that the data set's list of segments does not name:", unnamed)
}

fn links(selection: &Selection<'_>) -> Option<Finding> {
    let faults = selection.entries.iter().flat_map(|entry| {
        let faults = entry.links.iter().filter_map(|link| normalized(&link.url).err());
        faults.map(|fault| format!("{}: the address of a link {fault}", entry.feature.name))
    });
    let faults: BTreeSet<String> = faults.collect();
    Finding::about("The links of these features are not usable:", faults)
}

fn variants(selection: &Selection<'_>) -> Option<Finding> {
    let faults = selection.entries.iter().flat_map(|entry| {
        let of_feature = entry.configuration.and_then(|configuration| configuration.variants.clone());
        let of_feature = of_feature.and_then(|variants| distribute_feature(variants).err());
        let of_strategies = entry.strategies.iter().filter_map(|strategy| strategy.variants.clone());
        let of_strategies = of_strategies.filter_map(|variants| distribute_strategy(variants).err());
        of_feature.into_iter().chain(of_strategies).map(|fault| format!("{}: {fault}", entry.feature.name))
    });
    Finding::about("The variants of these features are not usable:", faults)
}

fn constraints(data: &ImportData, known: &Known, selection: &Selection<'_>) -> Option<Finding> {
    if known.admits_constraints {
        return None;
    }
    let faults = constraint_faults(data, known, selection, |constraint| !known.holds(constraint));
    Finding::about("The constraints of these features are not usable:", faults)
}

/// Returns the finding about constraints that strategies of the project have already.
pub(super) fn held_constraints(data: &ImportData, known: &Known, selection: &Selection<'_>) -> Option<Finding> {
    if known.held_constraints.is_empty() {
        return None;
    }
    let faults = constraint_faults(data, known, selection, |constraint| known.holds(constraint));
    Finding::about("Strategies of the project have these constraints already, which stay as they are:", faults)
}

fn constraint_faults(
    data: &ImportData,
    known: &Known,
    selection: &Selection<'_>,
    is_meant: impl Fn(&Constraint) -> bool,
) -> BTreeSet<String> {
    let new = new_fields(data);
    let faults = selection.entries.iter().flat_map(|entry| {
        let constraints = entry.strategies.iter().filter_map(|strategy| strategy.constraints.as_ref()).flatten();
        let faulty =
            constraints.filter_map(|constraint| Some((constraint, constraint_fault(constraint, known, &new)?)));
        let meant = faulty.filter(|(constraint, _)| is_meant(constraint));
        meant.map(|(_, fault)| format!("{}: {fault}", entry.feature.name)).collect::<Vec<_>>()
    });
    // A strategy may break the same rule many times.
    faults.collect()
}

/// Names of the context fields of constraints that would be refused if the project had none like them.
pub fn fields_in_question<'a>(data: &'a ImportData, known: &Known) -> BTreeSet<&'a str> {
    let new = new_fields(data);
    let constraints = data.feature_strategies.iter().filter_map(|strategy| strategy.constraints.as_ref()).flatten();
    let faulty = constraints.filter(|constraint| constraint_fault(constraint, known, &new).is_some());
    faulty.map(|constraint| &*constraint.context_name).collect()
}

fn new_fields(data: &ImportData) -> HashMap<&str, HashSet<&str>> {
    data.fields().iter().map(|field| (&*field.name, legal_values(field))).collect()
}

fn legal_values(field: &ContextField) -> HashSet<&str> {
    field.legal().iter().map(|legal| &*legal.value).collect()
}

/// `new` holds the legal values of the context fields that the data brings along.
fn constraint_fault(constraint: &Constraint, known: &Known, new: &HashMap<&str, HashSet<&str>>) -> Option<String> {
    let name = &*constraint.context_name;
    let (known, new) = (known.context_fields.get(name), new.get(name));
    if known.is_none() && new.is_none() {
        return Some(format!("there is no context field named \"{name}\""));
    }
    if let Err(fault) = constraint.check_moved() {
        return Some(format!("the constraint on {name} {fault}"));
    }
    let illegal = match (known, new) {
        (Some(legal), _) if !legal.is_empty() => constraint.operands().find(|value| !legal.contains(*value)),
        (None, Some(legal)) if !legal.is_empty() => constraint.operands().find(|value| !legal.contains(*value)),
        _ => None,
    }?;
    Some(format!("\"{illegal}\" is no legal value of the context field {name}"))
}

/// Returns why a strategy of the data set will never hold, if so.
pub(super) fn strategy_fault(strategy: &FeatureStrategy) -> Option<StrategyFault> {
    evaluable(&strategy.name, |name| strategy.parameter(name), strategy.constraints.iter().flatten()).err()
}

/// Returns the faults of a strategy that SDKs read differently; those of parameters only if it is evaluated at all.
pub(super) fn ambiguities(strategy: &FeatureStrategy, is_evaluated: bool) -> impl Iterator<Item = StrategyFault> {
    let is_read = move |constraint: &&Constraint| is_evaluated || constraint.evaluable().is_ok();
    let constraints = strategy.constraints.iter().flatten().filter(is_read);
    let of_constraints = constraints.filter_map(|constraint| {
        let fault = constraint.check().err().filter(|fault| *fault != ConstraintFault::NoValues)?;
        Some(StrategyFault::Constraint { context_name: constraint.context_name.clone(), fault })
    });
    let of_parameters = strategy.parameters.as_ref().filter(|_| is_evaluated);
    let of_parameters = of_parameters.and_then(|parameters| parameters::check_alike(&strategy.name, parameters).err());
    let stickiness = strategy.parameters.as_ref().and_then(|parameters| parameters.get("stickiness"));
    let drawn_by = strategy.variants.iter().flatten().map(|variant| &variant.stickiness);
    let differs = stickiness.is_some_and(|stickiness| drawn_by.into_iter().any(|drawn_by| drawn_by != stickiness));
    of_constraints
        .chain(of_parameters.map(StrategyFault::Parameter))
        .chain(differs.then_some(StrategyFault::Stickiness))
}

/// A feature depends on features of its own project, not on itself, and no parent depends on another.
fn chains(known: &Known, selection: &Selection<'_>) -> Option<Finding> {
    let links = || selection.entries.iter().flat_map(|entry| entry.parents.iter().map(move |parent| (entry, parent)));
    let parents: HashSet<&str> = links().map(|(_, parent)| &*parent.feature).collect();
    let children: HashSet<&str> = links().map(|(entry, _)| &*entry.feature.name).collect();
    let stored = |name: &str| known.features.get(name);
    let broken = links().filter(|(entry, parent)| {
        let child = &*entry.feature.name;
        let parent = &*parent.feature;
        child == parent
            || parents.contains(child)
            || children.contains(parent)
            || entry.stored.is_some_and(|child| child.is_parent)
            || stored(parent).is_some_and(|parent| parent.is_child || parent.document.project != known.project.id)
    });
    let broken: BTreeSet<String> =
        broken.map(|(entry, parent)| format!("{} on {}", entry.feature.name, parent.feature)).collect();
    Finding::about(
        "A feature cannot depend on itself, on a feature of another project, or on one that depends on others. \
         These dependencies are not possible:",
        broken,
    )
}
