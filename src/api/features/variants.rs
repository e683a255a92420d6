//! The variants of features, in all environments at once or in one.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;
use serde_json::json;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{EditRefusals, Fails, LookupRefusals, Out},
        body::{Body, Patch},
        features::{
            access::{FeatureWrite, read_feature, unused_environment},
            json_patch::{blame, patched, read_patched},
        },
        permitted::{InEnvironment, InProject, Permitted, need},
        strategies::unusable_variants,
        version::{IfMatch, Versioned},
    },
    domain::{
        event_kind::EventKind,
        json_patch::JsonPatchOp,
        variant::{FeatureVariant, balance_feature},
    },
    error::Error,
    state::State,
    store::{self, features::configurations::Configuration},
    wire::AtMost,
};

/// The operations on the variants of features.
#[derive(Debug)]
pub struct VariantsApi;

/// The variants of a feature.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureVariants")]
pub struct VariantsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The variants, by name.
    pub variants: Vec<FeatureVariant>,
}

/// A list of variants for several environments.
#[derive(Debug, Clone, Object)]
#[oai(rename = "FeatureVariantsInEnvironments")]
pub struct VariantsInEnvironmentsBody {
    /// The variants. Variable weights are recalculated and need not be right.
    #[oai(validator(max_items = 1000))]
    pub variants: Vec<FeatureVariant>,
    /// Names of the environments, all of which the project must use.
    #[oai(validator(min_items = 1, max_items = 1000, max_length = 100))]
    pub environments: Vec<String>,
}

#[OpenApi(tag = "Tag::Variants")]
impl VariantsApi {
    /// Get the variants of a feature
    ///
    /// The variants of the first environment, by sort order, that has any. Environments may have different variants:
    /// read those of one environment to be sure.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "get",
        operation_id = "getFeatureVariants"
    )]
    async fn get_feature_variants(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Versioned<VariantsBody>, Fails<LookupRefusals>> {
        let feature = read_feature(&caller, state, &project_id.0, &feature_name.0).await?;
        let configurations = store::features::configurations::list(&state.db, feature.found.id).await?;
        Ok(Versioned(body_of(of_feature(&configurations).to_vec()), feature.version))
    }

    /// Update the variants of a feature
    ///
    /// Sets them in all environments of the feature. Variable weights are distributed evenly, regardless of the values
    /// sent; the answer has the resulting weights. Setting the current variants leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "put",
        operation_id = "overwriteFeatureVariants"
    )]
    async fn overwrite_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureVariants, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<1000, FeatureVariant>>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let given = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let before = store::features::configurations::list(&write.tx, write.held.id).await?;
        let after = balanced("/body", given)?;
        write_everywhere(write, &before, after).await
    }

    /// Update the variants of a feature with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch to the list that `getFeatureVariants` returns, with paths such as
    /// `/0/weight` or `/-`, and writes the result to all environments; all operations or none take effect. An error
    /// message names the operation that caused it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants",
        method = "patch",
        operation_id = "patchFeatureVariants"
    )]
    async fn patch_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureVariants, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let ops = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let before = store::features::configurations::list(&write.tx, write.held.id).await?;
        match after_patch(of_feature(&before), &ops)? {
            Some(after) => write_everywhere(write, &before, after).await,
            None => Ok(Out(body_of(of_feature(&before).to_vec()))),
        }
    }

    /// Get the variants of a feature in an environment
    ///
    /// 404 where the project does not use the environment.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "get",
        operation_id = "getEnvironmentFeatureVariants"
    )]
    async fn get_environment_feature_variants(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<VariantsBody>, Fails<LookupRefusals>> {
        let feature = read_feature(&caller, state, &project_id.0, &feature_name.0).await?;
        let found = store::features::configurations::find(&state.db, feature.found.id, &environment.0).await?;
        let unused = || Error::NotFound(unused_environment(feature.project.id(), &environment.0));
        Ok(Versioned(body_of(found.ok_or_else(unused)?.variants), feature.version))
    }

    /// Update the variants of a feature in an environment
    ///
    /// Variable weights are distributed evenly, regardless of the values sent; the answer has the resulting weights.
    /// Setting the current variants leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "put",
        operation_id = "overwriteEnvironmentFeatureVariants"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn overwrite_environment_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<1000, FeatureVariant>>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0, &environment.0).await?;
        let given = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let before = write.configuration(&environment.0).await?;
        let after = balanced("/body", given)?;
        write_each(write, &[before], after).await
    }

    /// Update the variants of a feature in an environment with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch to the list of variants, with paths such as `/0/weight` or `/-`; all or
    /// none take effect. An error message names the operation that caused it.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants",
        method = "patch",
        operation_id = "patchEnvironmentsFeatureVariants"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn patch_environments_feature_variants(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<AtMost<100, JsonPatchOp>, Patch>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0, &environment.0).await?;
        let ops = body.read()?.0;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let before = write.configuration(&environment.0).await?;
        match after_patch(&before.variants, &ops)? {
            Some(after) => write_each(write, &[before], after).await,
            None => Ok(Out(body_of(before.variants))),
        }
    }

    /// Update the variants of a feature in several environments
    ///
    /// Each environment gets the same list, with an event of its own unless it had that list already; all or none take
    /// effect. The permission is needed in each of the environments.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/variants-batch",
        method = "put",
        operation_id = "overwriteFeatureVariantsOnEnvironments"
    )]
    async fn overwrite_feature_variants_on_environments(
        &self,
        caller: Permitted<need::UpdateFeatureEnvironmentVariants, InEnvironment>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<VariantsInEnvironmentsBody>,
    ) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
        let project = caller.project_somewhere(&project_id.0).await?;
        let VariantsInEnvironmentsBody { variants, environments } = body.read()?;
        for environment in &environments {
            caller.require_in(&project, environment)?;
        }
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let mut before = store::features::configurations::list(&write.tx, write.held.id).await?;
        let is_unused = |name: &String| !before.iter().any(|configuration| configuration.environment == *name);
        if let Some(index) = environments.iter().position(is_unused) {
            let rule = format!("names the environment \"{}\", which the project does not use", environments[index]);
            return Err(Error::property(format!("/body/environments/{index}"), rule).into());
        }
        before.retain(|configuration| environments.contains(&configuration.environment));
        let after = balanced("/body/variants", variants)?;
        write_each(write, &before, after).await
    }
}

fn body_of(variants: Vec<FeatureVariant>) -> VariantsBody {
    VariantsBody { version: 1, variants }
}

/// Variants of the whole feature: those of the first environment that has any.
fn of_feature(configurations: &[Configuration]) -> &[FeatureVariant] {
    let with_variants = configurations.iter().find(|configuration| !configuration.variants.is_empty());
    with_variants.map(|configuration| &*configuration.variants).unwrap_or_default()
}

/// The variants that stood at `place` of the body, as they are stored.
fn balanced(place: &str, given: Vec<FeatureVariant>) -> Result<Vec<FeatureVariant>, Error> {
    let names: Vec<String> = given.iter().map(|variant| variant.name.clone()).collect();
    balance_feature(given).map_err(|fault| unusable_variants(place, &names, &fault))
}

/// The variants that a patch makes; none when it changes nothing.
fn after_patch(before: &[FeatureVariant], ops: &[JsonPatchOp]) -> Result<Option<Vec<FeatureVariant>>, Error> {
    let document = serde_json::to_value(before).map_err(Error::internal)?;
    let outcome = patched(&document, ops)?;
    if outcome == document {
        return Ok(None);
    }
    let given: AtMost<1000, FeatureVariant> = read_patched(&outcome, ops)?;
    balanced("/body", given.0).map(Some).map_err(|error| blame(ops, error))
}

/// Names of the environments whose variants differ from these.
fn differing<'a>(before: &'a [Configuration], after: &[FeatureVariant]) -> Vec<&'a str> {
    let differing = before.iter().filter(|configuration| configuration.variants != after);
    differing.map(|configuration| &*configuration.environment).collect()
}

/// Writes variants to all environments of a feature, with one event about the feature.
async fn write_everywhere(
    write: FeatureWrite<'_>,
    before: &[Configuration],
    after: Vec<FeatureVariant>,
) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
    let changed = differing(before, &after);
    if !changed.is_empty() {
        store::features::variants::set_in(&write.tx, write.held.id, &changed, &after).await?;
        let event = write.event(EventKind::FeatureVariantsUpdated).with_data(&json!({ "variants": after }));
        let event = event.with_pre_data(&json!({ "variants": of_feature(before) }));
        write.commit(vec![event]).await?;
    }
    Ok(Out(body_of(after)))
}

/// Writes variants to some environments of a feature, with an event about each.
async fn write_each(
    write: FeatureWrite<'_>,
    before: &[Configuration],
    after: Vec<FeatureVariant>,
) -> Result<Out<VariantsBody>, Fails<EditRefusals>> {
    let changed = differing(before, &after);
    if !changed.is_empty() {
        store::features::variants::set_in(&write.tx, write.held.id, &changed, &after).await?;
        let events = before.iter().filter(|configuration| configuration.variants != after).map(|configuration| {
            let event = write.event_in(EventKind::FeatureEnvironmentVariantsUpdated, &configuration.environment);
            let event = event.with_data(&json!({ "variants": after }));
            event.with_pre_data(&json!({ "variants": configuration.variants }))
        });
        let events = events.collect();
        write.commit(events).await?;
    }
    Ok(Out(body_of(after)))
}
