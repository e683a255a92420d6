//! Changes of the environments that a project uses, and of the strategies that its features start with there.

use flagstone_domain::{
    change_request,
    constraint::Constraint,
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, FeatureName, ProjectId},
    project::{ProjectScope, document::ProjectDocument},
    strategy::{DefaultStrategy, Parameters, StrategyDefinition, with_default_parameters},
    variant::StrategyVariant,
};
use flagstone_error::Error;
use flagstone_store::{self as store, change_requests::configuration, projects::connections};
use flagstone_wire::{Nullable, Number};

use crate::{
    Author, Begin, Transaction, feature::unused_environment, guard::Reach, if_match::IfMatch, projects::hold_in_use,
    strategies::admitted,
};

/// Only type of strategy that features can start with.
const KIND: &str = "flexibleRollout";

/// A default strategy for features of a project, before it is judged.
#[derive(Debug)]
pub struct DefaultStrategyContent {
    /// Name of the strategy type.
    pub name: String,
    /// A descriptive title.
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is disabled initially.
    pub disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment.
    pub sort_order: Option<Number>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// Variants of the strategy.
    pub variants: Vec<StrategyVariant>,
    /// Parameters of the strategy type.
    pub parameters: Parameters,
    /// Ids of the segments that apply.
    pub segments: Vec<i64>,
}

impl Author<'_> {
    /// Adds an environment to a project: 409 when the project uses it already.
    pub async fn add_environment(
        self,
        project: &ProjectScope,
        if_match: &IfMatch,
        environment: EnvironmentName<'_>,
        default_strategy: Option<DefaultStrategyContent>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, name) = (&transaction.tx, environment.as_str());
        let held = hold_in_use(tx, project.id()).await?;
        if_match.check(held.version)?;
        if !store::environments::exists(tx, name).await? {
            return Err(Error::unknown("/body/environment", "environment", name));
        }
        if held.environment(name).is_some() {
            let message = format!("The project \"{}\" already uses the environment \"{name}\".", project.id());
            return Err(Error::Conflict(message));
        }
        store::environments::connect(tx, project.as_id(), environment).await?;
        let approvals = configuration::start_with_default(tx, project.as_id(), environment, transaction.now).await?;
        let actor = self.caller.actor();
        let event = |kind| NewEvent::new(kind, &actor).in_project(project.id()).in_environment(name);
        let mut events = vec![event(EventKind::ProjectEnvironmentAdded)];
        events.extend(change_request::event::configured(project.as_id(), environment, None, approvals, &actor));
        if let Some(content) = default_strategy {
            let strategy = content.judged(&transaction, &held.document, None, "/body/defaultStrategy").await?;
            connections::set_default_strategy(tx, project.as_id(), environment, &strategy).await?;
            events.push(event(EventKind::DefaultStrategyUpdated).with_data(&strategy));
        }
        transaction.commit(events).await
    }

    /// Removes an environment from a project, which must use another one.
    pub async fn remove_environment(
        self,
        project: &ProjectScope,
        if_match: &IfMatch,
        environment: EnvironmentName<'_>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if_match.check(held.version)?;
        let used = held.environment(environment.as_str());
        let used = used.ok_or_else(|| unused(project.as_id(), environment))?;
        if held.environments.len() == 1 {
            let message = "The /path/environment parameter names the last environment of the project; one must stay.";
            return Err(Error::invalid("/path/environment", message));
        }
        transaction.guard(project.id(), Reach::Environment(&used.name)).await?;
        connections::disconnect(&transaction.tx, project.as_id(), environment).await?;
        let event = NewEvent::new(EventKind::ProjectEnvironmentRemoved, &self.caller.actor());
        transaction.commit([event.in_project(project.id()).in_environment(&used.name)]).await
    }

    /// Sets the strategy that features without one start with in an environment of a project.
    pub async fn set_default_strategy(
        self,
        project: &ProjectScope,
        if_match: &IfMatch,
        environment: EnvironmentName<'_>,
        content: DefaultStrategyContent,
    ) -> Result<DefaultStrategy, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = hold_in_use(&transaction.tx, project.id()).await?;
        if_match.check(held.version)?;
        let used = held.environment(environment.as_str());
        let used = used.ok_or_else(|| unused(project.as_id(), environment))?;
        // Approved requests that switch on may add it.
        transaction.guard(project.id(), Reach::Environment(&used.name)).await?;
        let before = used.default_strategy.as_ref();
        let strategy = content.judged(&transaction, &held.document, before, "/body").await?;
        if before != Some(&strategy) {
            connections::set_default_strategy(&transaction.tx, project.as_id(), environment, &strategy).await?;
            let mut event = NewEvent::new(EventKind::DefaultStrategyUpdated, &self.caller.actor())
                .in_project(project.id())
                .in_environment(&used.name)
                .with_data(&strategy);
            if let Some(before) = before {
                event = event.with_pre_data(before);
            }
            transaction.commit([event]).await?;
        }
        Ok(strategy)
    }
}

/// Error that a project does not use an environment.
pub fn unused(project: ProjectId<'_>, environment: EnvironmentName<'_>) -> Error {
    Error::NotFound(unused_environment(project, environment))
}

impl DefaultStrategyContent {
    /// The strategy as it is stored in place of `before`. `place` is where in the input it stands.
    async fn judged(
        self,
        transaction: &Transaction<'_>,
        project: &ProjectDocument,
        before: Option<&DefaultStrategy>,
        place: &str,
    ) -> Result<DefaultStrategy, Error> {
        let at = |member: &str, reason: String| Error::property(format!("{place}/{member}"), reason);
        if self.name != KIND {
            return Err(at("name", format!("must be {KIND}, the one type that features can start with")));
        }
        let parameters = parameters(self.parameters, &project.default_stickiness);
        let definition = StrategyDefinition {
            name: self.name,
            parameters,
            constraints: self.constraints,
            variants: self.variants,
            segments: self.segments,
            ..StrategyDefinition::default()
        };
        let before = before.map(stored_definition);
        let (tx, limits) = (&transaction.tx, transaction.author.limits);
        let project = ProjectId::new(&project.id);
        let admitted = admitted(tx, limits, project, None, place, before.as_ref(), definition).await?;
        Ok(DefaultStrategy {
            name: admitted.name,
            title: self.title,
            disabled: self.disabled,
            sort_order: self.sort_order,
            constraints: Some(admitted.constraints),
            variants: Some(admitted.variants),
            parameters: Some(admitted.parameters),
            segments: Some(admitted.segments.into_iter().map(Number::from).collect()),
        })
    }
}

/// The part of a stored strategy that is judged.
fn stored_definition(stored: &DefaultStrategy) -> StrategyDefinition {
    StrategyDefinition {
        name: stored.name.clone(),
        parameters: stored.parameters.clone().unwrap_or_default(),
        constraints: stored.constraints.clone().unwrap_or_default(),
        variants: stored.variants.clone().unwrap_or_default(),
        segments: stored.segments.iter().flatten().filter_map(|id| id.whole()).collect(),
        ..StrategyDefinition::default()
    }
}

/// The parameters with what a rollout needs.
fn parameters(given: Parameters, stickiness: &str) -> Parameters {
    let has_group = given.contains_key("groupId");
    let mut parameters = with_default_parameters(KIND, given, FeatureName::new(""), stickiness);
    if !has_group {
        // Each feature fills in its own name.
        parameters.remove("groupId");
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_has_a_share_and_leaves_its_group_to_the_feature() {
        let given = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Parameters>()
        };
        let filled = given(&[("rollout", "100"), ("stickiness", "userId")]);
        assert_eq!(parameters(Parameters::new(), "userId"), filled);
        let whole = given(&[("groupId", "g"), ("rollout", "12.5"), ("stickiness", "random")]);
        assert_eq!(parameters(whole.clone(), "userId"), whole);
    }
}
