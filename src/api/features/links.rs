//! Links of a feature.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{EditRefusals, Fails, NoContent, RemoveRefusals},
        author::author,
        body::Body,
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    changes::{
        feature::Target,
        links::{AddLink, DeleteLink, UpdateLink},
    },
    clock,
    domain::feature_link::FeatureLink,
    error::Error,
    state::State,
    wire::Nullable,
};

/// The operations on links of features.
#[derive(Debug)]
pub struct FeatureLinksApi;

/// A link to a ticket, a dashboard or a document.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureLinkContent")]
pub struct LinkBody {
    /// Address with `http` or `https`, without user name and password; `https` is added where it names no scheme. With
    /// special characters percent-encoded it has at most 2000 characters.
    #[oai(validator(min_length = 1, max_length = 2000))]
    url: String,
    /// Text to show instead of the address. Absent, empty or `null`: none.
    #[oai(validator(max_length = 255))]
    title: Option<Nullable<String>>,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureLinksApi {
    /// Add a link to a feature
    ///
    /// A feature has at most 10 links: the next one is 403. `getFeature` tells the id of the link.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/link",
        method = "post",
        operation_id = "createFeatureLink"
    )]
    async fn create_feature_link(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<LinkBody>,
    ) -> Result<NoContent, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let link = body.read()?.link(clock::new_uuid().to_string())?;
        let target = Target::new(&project, &feature_name.0, &if_match);
        author(&caller, state).change(target, AddLink(link)).await?;
        Ok(NoContent)
    }

    /// Update a link of a feature
    ///
    /// A request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/link/:linkId",
        method = "put",
        operation_id = "updateFeatureLink"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    async fn update_feature_link(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "linkId")] link_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<LinkBody>,
    ) -> Result<NoContent, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let after = body.read()?.link(link_id.0)?;
        let target = Target::new(&project, &feature_name.0, &if_match);
        author(&caller, state).change(target, UpdateLink(after)).await?;
        Ok(NoContent)
    }

    /// Delete a link of a feature
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/link/:linkId",
        method = "delete",
        operation_id = "deleteFeatureLink"
    )]
    async fn delete_feature_link(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "linkId")] link_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let target = Target::new(&project, &feature_name.0, &if_match);
        author(&caller, state).change(target, DeleteLink(&link_id.0)).await?;
        Ok(NoContent)
    }
}

impl LinkBody {
    fn link(self, id: String) -> Result<FeatureLink, Error> {
        let title = self.title.and_then(Nullable::into_inner);
        FeatureLink::new(id, &self.url, title).map_err(|fault| Error::property("/body/url", fault))
    }
}
