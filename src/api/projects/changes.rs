//! Changing projects.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path, types::MaybeUndefined};

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails},
        author::author,
        body::Body,
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    changes::projects::UpdateProject,
    domain::{
        feature_link::{LinkTemplate, MOST_LINKS},
        feature_naming::FeatureNaming,
        project::{ProjectMode, document::ProjectDocument},
    },
    error::Error,
    state::State,
    wire::{AtMost, Nullable},
};

/// Changes of projects.
#[derive(Debug)]
pub struct ProjectChangesApi;

/// Name and description of a project.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectChange", rename_all = "camelCase")]
pub struct ProjectChangeBody {
    /// Display name; at least one character is not blank.
    #[oai(validator(min_length = 1, max_length = 200))]
    name: String,
    /// Purpose of the project; `null` for none. Absent: stays as it is.
    #[oai(validator(max_length = 10000))]
    description: MaybeUndefined<Nullable<String>>,
    /// Default stickiness of gradual rollouts and variants: `default`, `random`, or one that allows stickiness. Absent:
    /// stays as it is.
    #[oai(validator(min_length = 1, max_length = 100))]
    default_stickiness: Option<String>,
    /// Visibility of the project. Absent: stays as it is.
    mode: Option<ProjectMode>,
}

/// Naming rules for features of a project. Empty texts count as `null`.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureNamingChange")]
pub struct FeatureNamingChangeBody {
    /// JavaScript regular expression for the whole name, without delimiters and flags, and without lookaround and
    /// backreferences, which cannot be matched in linear time. Absent or `null`: no rule.
    #[oai(validator(max_length = 1000))]
    pattern: Option<Nullable<String>>,
    /// A name that matches the pattern. Absent or `null`: none. Needs a pattern.
    #[oai(validator(max_length = 100))]
    example: Option<Nullable<String>>,
    /// Hint for users who create a feature. Absent or `null`: none. Needs a pattern.
    #[oai(validator(max_length = 1000))]
    description: Option<Nullable<String>>,
}

/// A link that each new feature of a project gets.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectLinkTemplateContent", rename_all = "camelCase")]
pub struct LinkTemplateBody {
    /// Title of the links. Absent, empty or `null`: none.
    #[oai(validator(max_length = 255))]
    title: Option<Nullable<String>>,
    /// Address of the links, as of `createFeatureLink`. `{{project}}` becomes the id of the project, `{{feature}}` the
    /// name of the feature; with 100 characters for each it has at most 2000.
    #[oai(validator(min_length = 1, max_length = 2000))]
    url_template: String,
}

/// Settings of a project.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ProjectSettingsChange", rename_all = "camelCase")]
pub struct ProjectSettingsBody {
    /// Visibility of the project. Absent: stays as it is.
    mode: Option<ProjectMode>,
    /// Default stickiness of gradual rollouts and variants: `default`, `random`, or one that allows stickiness. Absent:
    /// stays as it is.
    #[oai(validator(min_length = 1, max_length = 100))]
    default_stickiness: Option<String>,
    /// Maximum number of features that are not archived; `null` for no limit. Existing features stay when it is
    /// lowered. Absent: stays as it is.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    feature_limit: MaybeUndefined<Nullable<i64>>,
    /// Replaces the naming rules for new features; existing features keep their names. Absent: stays as it is.
    feature_naming: Option<FeatureNamingChangeBody>,
    /// Replaces the links that each new feature gets, at most 10; existing features keep theirs. Absent: stays as it
    /// is.
    link_templates: Option<AtMost<MOST_LINKS, LinkTemplateBody>>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectChangesApi {
    /// Update a project
    ///
    /// A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/projects/:projectId", method = "put", operation_id = "updateProject")]
    async fn update_project(
        &self,
        caller: Permitted<need::UpdateProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<ProjectChangeBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let update = UpdateProject {
            name: Some(body.name),
            default_stickiness: body.default_stickiness,
            edit: |after: &mut ProjectDocument| {
                match body.description {
                    MaybeUndefined::Undefined => {}
                    MaybeUndefined::Null => after.description = None,
                    MaybeUndefined::Value(description) => after.description = description.into_inner(),
                }
                if let Some(mode) = body.mode {
                    after.mode = mode;
                }
                Ok(())
            },
        };
        author(&caller, state).update_project(&project, &if_match, update).await?;
        Ok(Done)
    }

    /// Update the settings of a project
    ///
    /// What is absent stays as it is; a request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/settings",
        method = "put",
        operation_id = "updateProjectEnterpriseSettings"
    )]
    async fn update_project_settings(
        &self,
        caller: Permitted<need::WriteProjectSettings, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<ProjectSettingsBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let update = UpdateProject {
            name: None,
            default_stickiness: body.default_stickiness,
            edit: |after: &mut ProjectDocument| {
                if let Some(mode) = body.mode {
                    after.mode = mode;
                }
                match body.feature_limit {
                    MaybeUndefined::Undefined => {}
                    MaybeUndefined::Null => after.feature_limit = None,
                    MaybeUndefined::Value(limit) => after.feature_limit = limit.into_inner(),
                }
                if let Some(naming) = body.feature_naming {
                    after.feature_naming = naming.rule()?;
                }
                if let Some(AtMost(templates)) = body.link_templates {
                    after.link_templates = link_templates(templates)?;
                }
                Ok(())
            },
        };
        author(&caller, state).update_project(&project, &if_match, update).await?;
        Ok(Done)
    }
}

impl FeatureNamingChangeBody {
    fn rule(self) -> Result<FeatureNaming, Error> {
        let text = |text: Option<Nullable<String>>| text.and_then(Nullable::into_inner);
        let [pattern, example, description] = [self.pattern, self.example, self.description].map(text);
        let naming = FeatureNaming { pattern, example, description }.tidied();
        naming.judge().map_err(|fault| Error::property(format!("/body/featureNaming/{}", fault.member()), fault))?;
        Ok(naming)
    }
}

fn link_templates(given: Vec<LinkTemplateBody>) -> Result<Vec<LinkTemplate>, Error> {
    let templates = given.into_iter().enumerate().map(|(index, given)| {
        let title = given.title.and_then(Nullable::into_inner).filter(|title| !title.is_empty());
        let template = LinkTemplate { title: title.into(), url_template: given.url_template };
        let property = || format!("/body/linkTemplates/{index}/urlTemplate");
        template.judge().map_err(|fault| Error::property(property(), fault))?;
        Ok(template)
    });
    templates.collect()
}
