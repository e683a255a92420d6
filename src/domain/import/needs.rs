//! The permissions that an import needs: for what it would really change, those that the single calls need.

use super::{
    ImportData, Known,
    plan::links,
    selection::{Entry, Selection},
};
use crate::{permission::Permission, variant::distribute_feature};

/// Returns the permissions that the import needs, in a fixed order. Properties and tags of features are changed with
/// `UPDATE_FEATURE`, which every import needs. A feature that is switched off since no strategy is left is a
/// consequence, as it is of removing the last one.
pub(super) fn of(data: &ImportData, known: &Known, selection: &Selection<'_>) -> Vec<Permission> {
    let any = |changes: fn(&Entry<'_>) -> bool| selection.entries.iter().any(changes);
    let adds = data.features.iter().any(|feature| !known.features.contains_key(&feature.name));
    // An empty list counts as touching everything, as it always did.
    let removes = data.features.is_empty() || any(loses_strategies);
    let new_tag_type = data.tag_types.iter().any(|kind| !known.tag_types.contains(&kind.name));
    let new_fields = || data.fields().iter().filter(move |field| !known.context_fields.contains_key(&field.name));
    let (new_global_field, new_own_field) =
        (new_fields().any(|field| field.owner().is_none()), new_fields().any(|field| field.owner().is_some()));
    let needed = [
        (Permission::UpdateFeature, true),
        (Permission::CreateFeature, adds),
        (Permission::UpdateFeatureDependency, any(changes_parents)),
        (Permission::CreateFeatureStrategy, any(|entry| !entry.strategies.is_empty())),
        (Permission::DeleteFeatureStrategy, removes),
        (Permission::UpdateFeatureEnvironment, any(switches)),
        (Permission::UpdateFeatureEnvironmentVariants, any(changes_variants)),
        (Permission::CreateTagType, new_tag_type),
        (Permission::CreateContextField, new_global_field),
        (Permission::UpdateProjectContext, new_own_field),
    ];
    needed.into_iter().filter(|(_, applies)| *applies).map(|(permission, _)| permission).collect()
}

fn loses_strategies(entry: &Entry<'_>) -> bool {
    entry.stored.is_some_and(|stored| stored.configuration.has_strategies)
}

fn switches(entry: &Entry<'_>) -> bool {
    let was_on = entry.stored.is_some_and(|stored| stored.configuration.enabled);
    entry.configuration.is_some_and(|given| given.enabled != was_on)
}

fn changes_variants(entry: &Entry<'_>) -> bool {
    let before = entry.stored.map(|stored| &*stored.configuration.variants).unwrap_or_default();
    let given = entry.configuration.and_then(|given| given.variants.clone());
    // What cannot be stored is an error of its own.
    given.is_some_and(|given| distribute_feature(given).is_ok_and(|after| after != before))
}

/// Whether the feature would depend on another, or in another way. Its other dependencies stay.
fn changes_parents(entry: &Entry<'_>) -> bool {
    let before = entry.stored.map(|stored| &*stored.parents).unwrap_or_default();
    !links(&entry.parents).iter().all(|link| before.contains(link))
}
