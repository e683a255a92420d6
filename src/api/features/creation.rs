//! Making features: new ones, and copies of others.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{CreateRefusals, Created, Done, Fails},
        body::Body,
        features::{
            access::{hold_in, missing_feature},
            change::admit_features,
        },
        permitted::{InProject, Permitted, need},
        tags::{admit_tags, types::NewNameRefusals},
    },
    clock,
    domain::{
        actor::Actor,
        address::{self, Named},
        event::NewEvent,
        event_kind::EventKind,
        feature::{DEFAULT_TYPE, Dependency, Feature},
        feature_document::FeatureDocument,
        feature_link::{LinkChange, LinkTemplate},
        feature_rules::FeatureRules,
        permission::Permission,
        project::ProjectScope,
        tag::{self, TagChange},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::Tx,
        features::{Grouping, NewFeature},
        tags::Carrier,
    },
    wire::Nullable,
};

/// The operations that make features.
#[derive(Debug)]
pub struct FeatureCreationApi;

/// A feature to create.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "CreateFeature", rename_all = "camelCase")]
pub struct CreateFeatureBody {
    /// Name, unique in the whole instance, archived features included: 1 to 100 characters that need no encoding in a
    /// URL. It must match the naming pattern of the project, if there is one, and can never be changed.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Id of a feature type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`. Absent
    /// means `release`.
    #[oai(rename = "type", validator(max_length = 100))]
    pub kind: Option<String>,
    /// Purpose of the feature. Absent or `null` means none.
    #[oai(validator(max_length = 100000))]
    pub description: Option<Nullable<String>>,
    /// Whether SDKs report each evaluation. Absent means false.
    pub impression_data: Option<bool>,
    /// Tags of the feature; those that do not exist yet are created. Absent means none.
    #[oai(validator(max_items = 50))]
    pub tags: Option<Vec<tag::Tag>>,
}

/// A copy of a feature to create.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "CloneFeature", rename_all = "camelCase")]
pub struct CloneFeatureBody {
    /// Name of the copy, under the same rules as that of any new feature.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Whether the parameter `groupId` of strategies is set to the name of the copy. With the group of the original, which
    /// is its name where a rollout names none, both features are on for the same users. Absent means true.
    pub replace_group_id: Option<bool>,
}

/// A name to check for a feature.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ValidateFeature", rename_all = "camelCase")]
pub struct ValidateFeatureBody {
    /// The name.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]+$"))]
    pub name: String,
    /// Id of the project whose naming pattern to check, too. Absent or `null`: none.
    #[oai(validator(max_length = 100))]
    pub project_id: Option<Nullable<String>>,
}

#[OpenApi(tag = "Tag::Features")]
impl FeatureCreationApi {
    /// Create a feature
    ///
    /// The feature starts disabled in every environment of the project, and with the links that the settings of the
    /// project name. Its tags are added in the same step. Refused
    /// with 400 when the name breaks the rules or the project's pattern (`PatternError`), or when the instance holds as
    /// many features as it may (`ExceedsLimitError`); with 403 when the project does; with 409 when the name is taken.
    #[oai(path = "/api/admin/projects/:projectId/features", method = "post", operation_id = "createFeature")]
    async fn create_feature(
        &self,
        caller: Permitted<need::CreateFeature, InProject>,
        Data(state): Data<&State>,
        /// Id of the project that will own the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        body: Body<CreateFeatureBody>,
    ) -> Result<Created<Feature>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let (now, actor) = (state.clock.now(), caller.actor());
        let visibility = caller.visibility().await?;
        let tags = body.tags.unwrap_or_default();
        let kind = body.kind.unwrap_or_else(|| DEFAULT_TYPE.to_owned());
        let tx = store::features::begin_making(&state.db).await?;
        require_type(&tx, &kind).await?;
        admit_tags(&tx, &tags, &visibility, |index| format!("/body/tags/{index}")).await?;
        let templates = admit(&tx, state, &project, &body.name).await?;
        let new = NewFeature {
            name: body.name,
            project: project.id().to_owned(),
            kind,
            description: body.description.and_then(Nullable::into_inner),
            stale: false,
            impression_data: body.impression_data.unwrap_or(false),
            created_by_user_id: actor.user_id,
        };
        let id = store::features::insert(&tx, &new, now).await?;
        let carrier = Carrier { id, name: new.name.clone(), project: project.id().to_owned(), tags: Vec::new() };
        let tagging = [(carrier, TagChange::new(Vec::new(), &tags, &[]))];
        let mut new_tags = store::tags::change(&tx, &tagging, &visibility, actor.user_id, now).await?;
        let mut events = vec![created(&new, &actor, now)];
        events.extend(link(&tx, id, &new, &templates, &actor).await?);
        // The tags come all at once, so each event has all of them.
        let tags = &tagging[0].1.added;
        for tag in tags {
            if new_tags.remove(tag) {
                events.push(tag.created(&actor));
            }
            let tagged = NewEvent::new(EventKind::FeatureTagged, &actor).in_project(project.id());
            events.push(tagged.of_feature(&new.name, tags).with_data(tag));
        }
        Ok(Created(finish(&caller, tx, id, &new.name, now, events).await?))
    }

    /// Clone a feature
    ///
    /// The copy belongs to the same project and has the description, type, impression data, dependencies, variants and
    /// strategies of the original, including their segments, but not its tags and links. It is disabled in every
    /// environment and has the links of a new feature.
    /// Refused like creating a feature. It also needs the permissions of adding the parts one by one:
    /// `UPDATE_FEATURE_DEPENDENCY` if the original depends on others, `UPDATE_FEATURE_ENVIRONMENT_VARIANTS` in each
    /// environment where it has variants, and `CREATE_FEATURE_STRATEGY` in each where it has strategies.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/clone",
        method = "post",
        operation_id = "cloneFeature"
    )]
    async fn clone_feature(
        &self,
        caller: Permitted<need::CreateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// Name of the feature to copy.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
        body: Body<CloneFeatureBody>,
    ) -> Result<Created<Feature>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let (now, actor) = (state.clock.now(), caller.actor());
        let tx = store::features::begin_making(&state.db).await?;
        let (tx, original) = hold_in(tx, &caller, state, &project, &feature_name.0).await?;
        if original.document.is_archived() {
            drop(tx);
            return Err(missing_feature(&caller, state, &project, &feature_name.0).await?.into());
        }
        let templates = admit(&tx, state, &project, &body.name).await?;
        let new = NewFeature {
            name: body.name,
            project: project.id().to_owned(),
            kind: original.document.kind.clone(),
            description: original.document.description.clone(),
            stale: false,
            impression_data: original.document.impression_data,
            created_by_user_id: actor.user_id,
        };
        let id = store::features::insert(&tx, &new, now).await?;
        let grouping = if body.replace_group_id.unwrap_or(true) {
            Grouping::Own(&new.name)
        } else {
            Grouping::AsIn(&original.document.name)
        };
        let copied = store::features::copy_belongings(&tx, original.id, (id, project.id()), grouping, now).await?;
        if !copied.dependencies.is_empty() {
            caller.require_any_in(&[Permission::UpdateFeatureDependency], Some(project.id()), None)?;
        }
        for (environment, _) in &copied.variants {
            caller.require_in(&project, Permission::UpdateFeatureEnvironmentVariants, environment)?;
        }
        for (environment, _) in &copied.strategies {
            caller.require_in(&project, Permission::CreateFeatureStrategy, environment)?;
        }
        let event = |kind, environment: &str| {
            let event = NewEvent::new(kind, &actor).in_project(project.id()).of_feature(&new.name, &[]);
            event.in_environment(environment)
        };
        let mut events = vec![created(&new, &actor, now)];
        events.extend(link(&tx, id, &new, &templates, &actor).await?);
        events.extend(copied.dependencies.into_iter().map(|dependency| {
            let variants = dependency.variants.filter(|variants| !variants.is_empty());
            let event = NewEvent::new(EventKind::FeatureDependencyAdded, &actor).in_project(project.id());
            event.of_feature(&new.name, &[]).with_data(&Dependency { variants, ..dependency })
        }));
        events.extend(copied.variants.iter().map(|(environment, variants)| {
            let none = serde_json::json!({ "variants": [] });
            let event = event(EventKind::FeatureEnvironmentVariantsUpdated, environment);
            event.with_data(&serde_json::json!({ "variants": variants })).with_pre_data(&none)
        }));
        events.extend(
            copied
                .strategies
                .iter()
                .map(|(environment, strategy)| event(EventKind::FeatureStrategyAdd, environment).with_data(strategy)),
        );
        Ok(Created(finish(&caller, tx, id, &new.name, now, events).await?))
    }

    /// Validate a feature name
    ///
    /// Checks whether a feature can be created with this name: 400 when it breaks the rules or the project's naming
    /// pattern, 409 when it is taken, also by an archived feature. Nothing is stored.
    #[oai(path = "/api/admin/features/validate", method = "post", operation_id = "validateFeature")]
    async fn validate_feature(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<ValidateFeatureBody>,
    ) -> Result<Done, Fails<NewNameRefusals>> {
        let body = body.read()?;
        if let Some(project_id) = body.project_id.and_then(Nullable::into_inner) {
            let project = caller.visible_project(&project_id).await;
            let project = project.map_err(|error| error.named_in("/body/projectId", "project", &project_id))?;
            admit_name(&store::features::admission(&state.db, &project).await?.rules, &body.name)?;
        } else {
            admit_name(&FeatureRules::default(), &body.name)?;
        }
        require_free(store::features::find_archived(&state.db, &body.name).await?)?;
        Ok(Done)
    }
}

/// Refuses a feature type that does not exist.
pub(in crate::api) async fn require_type(tx: &Tx, kind: &str) -> Result<(), Error> {
    if store::features::is_known_type(tx, kind).await? {
        return Ok(());
    }
    Err(Error::property("/body/type", "must be the id of a feature type"))
}

/// Refuses a new feature of this name where the project, the instance or an older feature stands against it. Returns
/// the links that it gets otherwise.
async fn admit(tx: &Tx, state: &State, project: &ProjectScope, name: &str) -> Result<Vec<LinkTemplate>, Error> {
    let admission = store::features::admission(tx, project).await?;
    admit_name(&admission.rules, name)?;
    require_free(store::features::find_archived(tx, name).await?)?;
    admit_features(state, &admission, 1)?;
    Ok(admission.link_templates)
}

fn admit_name(rules: &FeatureRules, name: &str) -> Result<(), Error> {
    address::judge(Named::Feature, name).map_err(|fault| Error::property("/body/name", fault))?;
    match rules.naming_fault(name) {
        Some(fault) => Err(Error::Pattern(format!("The /body/name property {fault}"))),
        None => Ok(()),
    }
}

fn require_free(holder: Option<bool>) -> Result<(), Error> {
    let holder = match holder {
        None => return Ok(()),
        Some(false) => "A feature",
        Some(true) => "An archived feature",
    };
    Err(Error::Conflict(format!("{holder} of that name already exists; names are unique in the whole instance.")))
}

fn created(new: &NewFeature, actor: &Actor, now: Timestamp) -> NewEvent {
    let document = FeatureDocument {
        name: new.name.clone(),
        description: new.description.clone(),
        kind: new.kind.clone(),
        project: new.project.clone(),
        stale: new.stale,
        created_at: now,
        last_seen_at: None,
        impression_data: new.impression_data,
        archived_at: None,
    };
    let event = NewEvent::new(EventKind::FeatureCreated, actor).in_project(&new.project);
    event.of_feature(&new.name, &[]).with_data(&document)
}

/// Gives a new feature the links that its project wants, with their events.
async fn link(
    tx: &Tx,
    id: i64,
    new: &NewFeature,
    templates: &[LinkTemplate],
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let links =
        templates.iter().filter_map(|template| template.link(clock::new_uuid().to_string(), &new.project, &new.name));
    let links: Vec<_> = links.collect();
    if !links.is_empty() {
        store::features::links::save(tx, id, &links).await?;
    }
    let event = || NewEvent::new(LinkChange::KIND, actor).in_project(&new.project).of_feature(&new.name, &[]);
    Ok(links.iter().map(|link| LinkChange::Added(link).tell(event())).collect())
}

async fn finish(
    caller: &Caller,
    tx: Tx,
    id: i64,
    name: &str,
    now: Timestamp,
    events: Vec<NewEvent>,
) -> Result<Feature, Error> {
    let feature = store::features::find(&tx, id, caller.user_id()).await?;
    let feature = feature.ok_or_else(|| Error::not_found("feature", name))?;
    tx.commit(now, events).await?;
    Ok(feature)
}
