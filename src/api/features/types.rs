//! Types of features, with their expected lifetimes.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out, ReadRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
    },
    domain::feature_type::FeatureType,
    state::State,
    store,
    wire::Nullable,
};

/// The operations on feature types.
#[derive(Debug)]
pub struct FeatureTypesApi;

/// The feature types.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureTypes")]
pub struct FeatureTypesBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The types, by id.
    pub types: Vec<FeatureType>,
}

/// Expected lifetime of features of a type.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateFeatureTypeLifetime", rename_all = "camelCase")]
pub struct UpdateLifetimeBody {
    /// Days from creation on, at most 36500, after which such a feature counts as potentially stale; 0 or `null` for
    /// never.
    #[oai(validator(minimum(value = "0"), maximum(value = "36500")))]
    pub lifetime_days: Nullable<i64>,
}

#[OpenApi(tag = "Tag::FeatureTypes")]
impl FeatureTypesApi {
    /// List the feature types
    ///
    /// All feature types, with the expected lifetime of their features in days.
    #[oai(path = "/api/admin/feature-types", method = "get", operation_id = "getAllFeatureTypes")]
    async fn get_all_feature_types(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<FeatureTypesBody>, Fails<ReadRefusals>> {
        Ok(Out(FeatureTypesBody { version: 1, types: store::features::types::list(&state.db).await? }))
    }

    /// Update the lifetime of a feature type
    ///
    /// Counts of potentially stale features change at once; the features are marked, with an event each, within a
    /// minute. Setting the current value leaves no event.
    #[oai(
        path = "/api/admin/feature-types/:featureTypeId/lifetime",
        method = "put",
        operation_id = "updateFeatureTypeLifetime"
    )]
    async fn update_feature_type_lifetime(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the feature type, such as `release`.
        #[oai(name = "featureTypeId")]
        id: Path<String>,
        body: Body<UpdateLifetimeBody>,
    ) -> Result<Out<FeatureType>, Fails<ChangeRefusals>> {
        let days = body.read()?.lifetime_days.into_inner().filter(|days| *days > 0);
        Ok(Out(author(&caller, state).set_lifetime(&id.0, days).await?))
    }
}
