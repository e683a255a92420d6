//! Making features: new ones, and copies of others.

use flagstone_clock as clock;
use flagstone_domain::{
    actor::Actor,
    address::{self, Named},
    event::NewEvent,
    event_kind::EventKind,
    feature::{Dependency, Feature},
    feature_document::FeatureDocument,
    feature_link::{LinkChange, LinkTemplate},
    feature_rules::FeatureRules,
    ids::{FeatureName, ProjectId},
    permission::Permission,
    project::ProjectScope,
    tag::{Tag, TagChange},
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::Tx,
    features::{Grouping, HeldFeature},
    tags::Carrier,
};

use crate::{
    Applied, Author, Begin, Transaction, features::admit_features, properties::require_type, tags::admit_tags,
};

/// Creates a feature, which is off in every environment.
#[derive(Debug)]
pub struct CreateFeature<'a> {
    /// Name of the feature.
    pub name: String,
    /// Id of its type.
    pub kind: String,
    /// Its description.
    pub description: Option<String>,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// Its tags; those that do not exist yet are created.
    pub tags: Vec<Tag>,
    /// Visibility of other features with the tags.
    pub visibility: &'a Visibility,
}

/// Creates a copy of a feature in use, which is off in every environment.
#[derive(Debug)]
pub struct CloneFeature<'a> {
    /// Name of the feature to copy.
    pub original: &'a str,
    /// Name of the copy.
    pub name: String,
    /// Whether the copy has a group of its own for rollouts.
    pub replace_group_id: bool,
}

impl Author<'_> {
    /// Creates a feature in a transaction of its own.
    pub async fn create_feature(self, project: &ProjectScope, create: CreateFeature<'_>) -> Result<Feature, Error> {
        let transaction = self.begin(Begin::Making).await?;
        let applied = create.apply(&transaction, project).await?;
        transaction.keep(applied).await
    }

    /// Creates a copy of a feature in a transaction of its own: 404 when there is none in use of this name.
    pub async fn clone_feature(self, project: &ProjectScope, clone: CloneFeature<'_>) -> Result<Feature, Error> {
        let transaction = self.begin(Begin::Making).await?;
        let original = store::features::hold(&transaction.tx, project, clone.original).await?;
        let Some(original) = original.filter(|original| !original.document.is_archived()) else {
            drop(transaction);
            return Err(self.missing_feature(project, clone.original).await?);
        };
        let message = "A feature cannot be copied while changes of its project need approval: nobody has approved what \
                       the copy would do.";
        transaction.guard_against_all(project.as_id(), message).await?;
        let applied = clone.apply(&transaction, project, &original).await?;
        transaction.keep(applied).await
    }
}

impl CreateFeature<'_> {
    /// Applies the change within a transaction.
    pub async fn apply(self, transaction: &Transaction<'_>, project: &ProjectScope) -> Result<Applied<Feature>, Error> {
        let Transaction { tx, now, author, .. } = transaction;
        let (actor, visibility) = (author.caller.actor(), self.visibility);
        require_type(tx, &self.kind).await?;
        admit_tags(tx, &self.tags, visibility, |index| format!("/body/tags/{index}")).await?;
        let templates = admit(transaction, project, &self.name).await?;
        let new = FeatureDocument {
            kind: self.kind,
            description: self.description,
            impression_data: self.impression_data,
            ..FeatureDocument::new(FeatureName::new(&self.name), project.as_id(), *now)
        };
        let id = store::features::insert(tx, &new, actor.user_id).await?;
        let carrier = Carrier { id, name: new.name.clone(), project: project.id().to_owned(), tags: Vec::new() };
        let tagging = [(carrier, TagChange::new(Vec::new(), &self.tags, &[]))];
        let mut new_tags = store::tags::change(tx, &tagging, visibility, actor.user_id, *now).await?;
        let mut events = vec![created(&new, &actor)];
        events.extend(link(tx, id, &new, &templates, &actor).await?);
        // The tags come all at once, so each event has all of them.
        let tags = &tagging[0].1.added;
        for tag in tags {
            if new_tags.remove(tag) {
                events.push(tag.created(&actor));
            }
            let tagged = NewEvent::new(EventKind::FeatureTagged, &actor).in_project(project.id());
            events.push(tagged.of_feature(&new.name, tags).with_data(tag));
        }
        Ok(Applied::with(whole(transaction, id, &new.name).await?, events))
    }
}

impl CloneFeature<'_> {
    /// Applies the change within a transaction that has locked the original.
    pub async fn apply(
        self,
        transaction: &Transaction<'_>,
        project: &ProjectScope,
        original: &HeldFeature,
    ) -> Result<Applied<Feature>, Error> {
        let Transaction { tx, now, author, .. } = transaction;
        let actor = author.caller.actor();
        let templates = admit(transaction, project, &self.name).await?;
        let new = FeatureDocument {
            name: self.name,
            project: project.id().to_owned(),
            stale: false,
            created_at: *now,
            last_seen_at: None,
            archived_at: None,
            ..original.document.clone()
        };
        let id = store::features::insert(tx, &new, actor.user_id).await?;
        let grouping =
            if self.replace_group_id { Grouping::Own(&new.name) } else { Grouping::AsIn(&original.document.name) };
        let copied = store::features::copy_belongings(tx, original.id, (id, project.id()), grouping, *now).await?;
        if !copied.dependencies.is_empty() {
            author.caller.require_any_in(&[Permission::UpdateFeatureDependency], Some(project.as_id()), None)?;
        }
        for (environment, _) in &copied.variants {
            author.caller.require_in(project, Permission::UpdateFeatureEnvironmentVariants, environment)?;
        }
        for (environment, _) in &copied.strategies {
            author.caller.require_in(project, Permission::CreateFeatureStrategy, environment)?;
        }
        let event = |kind, environment: &str| {
            let event = NewEvent::new(kind, &actor).in_project(project.id()).of_feature(&new.name, &[]);
            event.in_environment(environment)
        };
        let mut events = vec![created(&new, &actor)];
        events.extend(link(tx, id, &new, &templates, &actor).await?);
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
        Ok(Applied::with(whole(transaction, id, &new.name).await?, events))
    }
}

/// Refuses a new feature of this name where the project, the instance or an older feature stands against it. Returns
/// the links that it gets otherwise.
async fn admit(transaction: &Transaction<'_>, project: &ProjectScope, name: &str) -> Result<Vec<LinkTemplate>, Error> {
    let tx = &transaction.tx;
    let admission = store::features::admission(tx, project).await?;
    admit_name(&admission.rules, name)?;
    require_free(store::features::find_archived(tx, name).await?)?;
    admit_features(transaction.author, &admission, 1)?;
    Ok(admission.link_templates)
}

/// Refuses a name that breaks the rules or the naming pattern of a project.
pub fn admit_name(rules: &FeatureRules, name: &str) -> Result<(), Error> {
    address::judge(Named::Feature, name).map_err(|fault| Error::property("/body/name", fault))?;
    match rules.naming_fault(name) {
        Some(fault) => Err(Error::Pattern(format!("The /body/name property {fault}"))),
        None => Ok(()),
    }
}

/// Refuses a name of which there is a feature already; `holder` says whether that is archived.
pub fn require_free(holder: Option<bool>) -> Result<(), Error> {
    let holder = match holder {
        None => return Ok(()),
        Some(false) => "A feature",
        Some(true) => "An archived feature",
    };
    Err(Error::Conflict(format!("{holder} of that name already exists; names are unique in the whole instance.")))
}

fn created(new: &FeatureDocument, actor: &Actor) -> NewEvent {
    let event = NewEvent::new(EventKind::FeatureCreated, actor).in_project(&new.project);
    event.of_feature(&new.name, &[]).with_data(new)
}

/// Gives a new feature the links that its project wants, with their events.
async fn link(
    tx: &Tx,
    id: i64,
    new: &FeatureDocument,
    templates: &[LinkTemplate],
    actor: &Actor,
) -> Result<Vec<NewEvent>, Error> {
    let (project, feature) = (ProjectId::new(&new.project), FeatureName::new(&new.name));
    let links = templates.iter().filter_map(|template| template.link(clock::new_uuid().to_string(), project, feature));
    let links: Vec<_> = links.collect();
    if !links.is_empty() {
        store::features::links::save(tx, id, &links).await?;
    }
    let event = || NewEvent::new(LinkChange::KIND, actor).in_project(&new.project).of_feature(&new.name, &[]);
    Ok(links.iter().map(|link| LinkChange::Added(link).tell(event())).collect())
}

/// A new feature, whole.
async fn whole(transaction: &Transaction<'_>, id: i64, name: &str) -> Result<Feature, Error> {
    let reader = transaction.author.caller.user_id();
    let feature = store::features::find(&transaction.tx, id, reader).await?;
    feature.ok_or_else(|| Error::not_found("feature", name))
}
