//! Links of a feature.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{EditRefusals, Fails, NoContent, RemoveRefusals},
        body::Body,
        features::access::FeatureWrite,
        permitted::{InProject, Permitted, need},
        version::IfMatch,
    },
    clock,
    domain::{
        event::NewEvent,
        feature_link::{FeatureLink, LinkChange, MOST_LINKS},
    },
    error::Error,
    state::State,
    store::features::links,
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<LinkBody>,
    ) -> Result<NoContent, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let link = body.read()?.link(clock::new_uuid().to_string())?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let mut kept = links::find(&write.tx, write.held.id).await?;
        if kept.len() >= MOST_LINKS {
            let message = format!("The feature \"{}\" has {MOST_LINKS} links, which is the most.", write.name());
            return Err(Error::forbidden(message).into());
        }
        let event = LinkChange::Added(&link).tell(write.event(LinkChange::KIND));
        kept.push(link);
        keep(write, &kept, event).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<LinkBody>,
    ) -> Result<NoContent, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let after = body.read()?.link(link_id.0)?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let mut kept = links::find(&write.tx, write.held.id).await?;
        let at = place(&kept, &after.id)?;
        let before = std::mem::replace(&mut kept[at], after.clone());
        if before != after {
            let event = LinkChange::Updated(&before, &after).tell(write.event(LinkChange::KIND));
            keep(write, &kept, event).await?;
        }
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let write = FeatureWrite::begin(&caller, state, &project, &feature_name.0, &if_match).await?;
        let mut kept = links::find(&write.tx, write.held.id).await?;
        let link = kept.remove(place(&kept, &link_id.0)?);
        let event = LinkChange::Removed(&link).tell(write.event(LinkChange::KIND));
        keep(write, &kept, event).await?;
        Ok(NoContent)
    }
}

impl LinkBody {
    fn link(self, id: String) -> Result<FeatureLink, Error> {
        let title = self.title.and_then(Nullable::into_inner);
        FeatureLink::new(id, &self.url, title).map_err(|fault| Error::property("/body/url", fault))
    }
}

fn place(links: &[FeatureLink], id: &str) -> Result<usize, Error> {
    links.iter().position(|link| link.id == id).ok_or_else(|| Error::no_id("link", id))
}

async fn keep(write: FeatureWrite<'_>, kept: &[FeatureLink], event: NewEvent) -> Result<(), Error> {
    links::save(&write.tx, write.held.id, kept).await?;
    write.commit(vec![event]).await
}
