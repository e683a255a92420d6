//! Impact of changes: who gains a feature by them, and who loses it.

use std::{collections::BTreeSet, sync::Arc};

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Path};
use serde::Serialize;

use super::reading;
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        change_requests::actions::SentChanges,
    },
    changes::{change_requests::application::conflicting, impact::Trial},
    domain::{
        change_request::ChangeRequest,
        evaluation::Subject,
        ids::EnvironmentName,
        impact::{
            ApplicationUsage, Comparison, Concerned, Configuration, contexts_for, is_identity_field, made_contexts,
        },
        time::Timestamp,
    },
    error::Error,
    evaluation::impact::{Changed, FeatureImpact, Reason, ValueImpact, compare},
    state::State,
    usage::ContextSamples,
    wire::Nullable,
};

/// Most applications that are listed for a feature.
const MOST_APPLICATIONS: usize = 20;
/// Fewest sampled contexts of an environment that are used; with fewer, contexts are made.
const FEWEST_SAMPLES: usize = 100;

/// The operations on the impact of changes.
#[derive(Debug)]
pub struct ImpactApi;

refusals! {
    /// The impact of changes, which may be impossible.
    ImpactRefusals = 400, 401, 403, 404, 409, 503;
    /// The impact of changes that somebody sends, which may be impossible.
    ProposedImpactRefusals = 400, 401, 403, 404, 409, 413, 415, 503;
}

/// Origin of the contexts that features are evaluated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "ImpactBasis", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum BasisBody {
    /// A sample of the contexts that this node evaluated in the last 24 hours for the frontend API and OFREP. Ids in it are
    /// hashed, so that the shares are those of the users, and no user can be named.
    Sampled,
    /// Made-up ids over the values that constraints and segments name: shares of contexts are not shares of users.
    Synthetic,
}

/// Impact of changes on features.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChangeRequestImpact", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ImpactBody {
    /// Features in each environment that the changes reach: those that are changed, that apply a changed segment, or that
    /// depend on one of these.
    pub features: Vec<FeatureImpactBody>,
    /// Number of features that were left out, since there were more than 1000.
    #[oai(validator(minimum(value = "0")))]
    pub left_out: u64,
}

/// Impact of changes on a feature in an environment.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FeatureImpact", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeatureImpactBody {
    /// Name of the feature.
    pub feature: String,
    /// Name of the environment.
    pub environment: String,
    /// Origin of the contexts.
    pub basis: BasisBody,
    /// Number of contexts that the feature was evaluated for, before and after.
    #[oai(validator(minimum(value = "1")))]
    pub contexts: u64,
    /// Contexts for which the answer changes.
    pub changed: ChangedBody,
    /// Contexts for which the answer changes, by the values of the fields that constraints of the feature compare: at
    /// most 50, most changed ones first.
    pub by_constraint_value: Vec<ValueImpactBody>,
    /// Evaluations of the last 24 hours, as applications reported them.
    pub evaluations_per_day: EvaluationsBody,
    /// Names of the features that depend on this one, before the changes.
    pub dependents: Vec<String>,
    /// Notes on the numbers.
    pub reasons: Vec<ReasonBody>,
}

/// Numbers of contexts for which an answer changes.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChangedContexts", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChangedBody {
    /// Number of all of these contexts.
    #[oai(validator(minimum(value = "0")))]
    pub count: u64,
    /// Their share of all contexts.
    #[oai(validator(minimum(value = "0"), maximum(value = "1")))]
    pub share: f64,
    /// Contexts for which the feature is on only after the changes.
    #[oai(validator(minimum(value = "0")))]
    pub gained: u64,
    /// Contexts for which the feature is on only before the changes.
    #[oai(validator(minimum(value = "0")))]
    pub lost: u64,
    /// Contexts for which the feature stays on, with another variant.
    #[oai(validator(minimum(value = "0")))]
    pub variant: u64,
}

/// Impact on the contexts with one value of a field.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ConstraintValueImpact", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ValueImpactBody {
    /// Name of the context field.
    pub context_name: String,
    /// The value; `null` for contexts without one.
    pub value: Nullable<String>,
    /// Number of contexts with this value.
    #[oai(validator(minimum(value = "0")))]
    pub contexts: u64,
    /// Contexts among them for which the answer changes.
    pub changed: ChangedBody,
}

/// Evaluations of a feature in the last 24 hours.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImpactEvaluations", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EvaluationsBody {
    /// Number of all evaluations.
    #[oai(validator(minimum(value = "0")))]
    pub total: u64,
    /// Number of evaluations that would have another answer: of those that were on and off, the shares of contexts that
    /// change.
    #[oai(validator(minimum(value = "0")))]
    pub would_change: u64,
    /// Evaluations by application: the 20 applications with most of them.
    pub applications: Vec<ApplicationEvaluationsBody>,
}

/// Evaluations of a feature by an application in the last 24 hours.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ApplicationImpact", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationEvaluationsBody {
    /// Name of the application.
    pub app_name: String,
    /// Evaluations that were on.
    #[oai(validator(minimum(value = "0")))]
    pub yes: u64,
    /// Evaluations that were off.
    #[oai(validator(minimum(value = "0")))]
    pub no: u64,
    /// Number of evaluations that would have another answer.
    #[oai(validator(minimum(value = "0")))]
    pub would_change: u64,
}

/// Note on the numbers of an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "ImpactReason", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum ReasonBody {
    /// The feature is off in the environment before the changes.
    OffBefore,
    /// The feature is off in the environment after the changes.
    OffAfter,
    /// The feature is archived by the changes.
    GoneAfter,
    /// A strategy is of a type that only programs can evaluate, and never holds here.
    UnknownStrategy,
    /// The feature draws anew at each evaluation: the shares are right, the ids stand for draws.
    DrawsByChance,
    /// Constraints name more than 100 values of a field, and the rest were left out.
    ValuesLeftOut,
    /// A constraint compares a field whose sampled values are hashed.
    HashedValues,
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ImpactApi {
    /// Get the impact of a change request
    ///
    /// Estimates for how many users features would change, before anybody approves: the changes are made in a
    /// transaction that is taken back, and the features before and after are evaluated for the same contexts: those
    /// that this node has sampled in the last 24 hours, if the operator lets it and there are at least 100, or else
    /// made-up ids over the values that constraints and segments name. There are up to 10000, fewer for more than 100
    /// features. Usage of the last 24 hours says how many evaluations a day would change. A draft is seen by its author
    /// alone. 409 when the change request is closed or cannot be applied.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/impact",
        method = "get",
        operation_id = "getChangeRequestImpact"
    )]
    async fn get_change_request_impact(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
    ) -> Result<Out<ImpactBody>, Fails<ImpactRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let request = reading::visible(&caller, &state.db.snapshot().await?, &project, *id).await?;
        if !request.state.is_open() {
            let message = format!("The change request is closed: its state is \"{}\".", request.state.as_str());
            return Err(conflicting(message).into());
        }
        Ok(Out(impact(&caller, state, &request).await?))
    }

    /// Get the impact of changes
    ///
    /// Estimates the impact as `getChangeRequestImpact` does, for changes that are not recorded, in the form that
    /// `changeRequest` takes. Records nothing, and leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/change-requests/impact",
        method = "post",
        operation_id = "getImpactOfChanges"
    )]
    async fn get_impact_of_changes(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        body: Body<SentChanges>,
    ) -> Result<Out<ImpactBody>, Fails<ProposedImpactRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let requested = body.read()?.requested()?;
        let proposed = author(&caller, state).propose(&project, EnvironmentName::new(&environment), requested).await?;
        Ok(Out(impact(&caller, state, &proposed).await?))
    }
}

/// Impact of a change request, recorded or only proposed.
pub async fn impact(caller: &Caller, state: &State, request: &ChangeRequest) -> Result<ImpactBody, Error> {
    let permit = state.playground.acquire_run().await?;
    let trial = author(caller, state).try_changes(request).await?;
    let now = state.clock.now();
    let samples = Arc::clone(&state.samples);
    let evaluating = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        evaluated(trial, &samples, now)
    });
    evaluating.await.map_err(Error::internal)
}

fn evaluated(trial: Trial, samples: &ContextSamples, now: Timestamp) -> ImpactBody {
    let Trial { reach, mut comparisons } = trial;
    let names: Vec<String> = reach.concerned.iter().map(|concerned| concerned.name.clone()).collect();
    let contexts = contexts_for(names.len(), comparisons.len());
    let features = comparisons.iter_mut().flat_map(|comparison| {
        let mut drawn = comparison.before.settle();
        drawn.extend(comparison.after.settle());
        let chosen = Contexts::of(comparison, samples, contexts, now);
        let states = (&comparison.before, &comparison.after);
        let mut impacts = compare(&comparison.environment, states, &names, &chosen.subjects, now);
        for impact in &mut impacts {
            if drawn.contains(&impact.feature) {
                impact.reasons.insert(Reason::DrawsByChance);
            }
            chosen.note(impact, comparison);
        }
        let bodies = impacts.into_iter().zip(&reach.concerned);
        bodies
            .map(|(impact, concerned)| FeatureImpactBody::of(impact, concerned, comparison, chosen.basis))
            .collect::<Vec<_>>()
    });
    ImpactBody { features: features.collect(), left_out: reach.left_out as u64 }
}

/// Contexts that the features of an environment are evaluated for.
struct Contexts {
    basis: BasisBody,
    subjects: Vec<Subject>,
    /// Whether values were left out.
    is_cut: bool,
}

impl Contexts {
    /// Sampled contexts, if there are enough, or made ones.
    fn of(comparison: &Comparison, samples: &ContextSamples, most: usize, now: Timestamp) -> Self {
        let mut subjects = samples.of(&comparison.environment, most, now);
        if subjects.len() < FEWEST_SAMPLES {
            let (subjects, is_cut) = made_contexts(&[&comparison.before, &comparison.after], most);
            return Self { basis: BasisBody::Synthetic, subjects, is_cut };
        }
        for (number, subject) in subjects.iter_mut().enumerate() {
            // Whoever has no id is drawn anew each time, and must be drawn alike before and after.
            if !subject.0.contains_key("userId") && !subject.0.contains_key("sessionId") {
                subject.0.insert("sessionId".to_owned(), format!("session-{number}"));
            }
        }
        Self { basis: BasisBody::Sampled, subjects, is_cut: false }
    }

    fn note(&self, impact: &mut FeatureImpact, comparison: &Comparison) {
        if self.is_cut {
            impact.reasons.insert(Reason::ValuesLeftOut);
        }
        let compares_identity = |state: &Configuration| {
            let feature = state.feature(&impact.feature).into_iter();
            let mut fields = feature.flat_map(|feature| state.constraints(feature));
            fields.any(|constraint| is_identity_field(&constraint.context_name))
        };
        let states = [&comparison.before, &comparison.after];
        if self.basis == BasisBody::Sampled && states.into_iter().any(compares_identity) {
            impact.reasons.insert(Reason::HashedValues);
        }
    }
}

impl FeatureImpactBody {
    fn of(impact: FeatureImpact, concerned: &Concerned, comparison: &Comparison, basis: BasisBody) -> Self {
        let used = comparison.usage.get(&impact.feature).map_or(&[][..], Vec::as_slice);
        Self {
            environment: comparison.environment.clone(),
            basis,
            contexts: impact.changed.contexts as u64,
            changed: ChangedBody::of(&impact.changed),
            by_constraint_value: impact.by_value.into_iter().map(ValueImpactBody::of).collect(),
            evaluations_per_day: EvaluationsBody::of(used, &impact.changed),
            dependents: concerned.dependents.clone(),
            reasons: reasons(&impact.reasons),
            feature: impact.feature,
        }
    }
}

impl ChangedBody {
    fn of(changed: &Changed) -> Self {
        let count = changed.count();
        let exact = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let share = exact(count) / exact(changed.contexts.max(1));
        Self {
            count: count as u64,
            share,
            gained: changed.gained as u64,
            lost: changed.lost as u64,
            variant: changed.variant as u64,
        }
    }
}

impl ValueImpactBody {
    fn of(impact: ValueImpact) -> Self {
        Self {
            context_name: impact.field,
            value: impact.value.into(),
            contexts: impact.changed.contexts as u64,
            changed: ChangedBody::of(&impact.changed),
        }
    }
}

impl EvaluationsBody {
    fn of(used: &[ApplicationUsage], changed: &Changed) -> Self {
        let sum = |count: fn(&ApplicationUsage) -> i64| used.iter().map(count).fold(0, i64::saturating_add);
        let (yes, no) = (sum(|one| one.yes), sum(|one| one.no));
        let applications = used.iter().take(MOST_APPLICATIONS).map(|one| ApplicationEvaluationsBody {
            app_name: one.application.clone(),
            yes: number(one.yes),
            no: number(one.no),
            would_change: number(changed.evaluations(one.yes, one.no)),
        });
        Self {
            total: number(yes.saturating_add(no)),
            would_change: number(changed.evaluations(yes, no)),
            applications: applications.collect(),
        }
    }
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

fn reasons(reasons: &BTreeSet<Reason>) -> Vec<ReasonBody> {
    let body = |reason: &Reason| match reason {
        Reason::OffBefore => ReasonBody::OffBefore,
        Reason::OffAfter => ReasonBody::OffAfter,
        Reason::GoneAfter => ReasonBody::GoneAfter,
        Reason::UnknownStrategy => ReasonBody::UnknownStrategy,
        Reason::DrawsByChance => ReasonBody::DrawsByChance,
        Reason::ValuesLeftOut => ReasonBody::ValuesLeftOut,
        Reason::HashedValues => ReasonBody::HashedValues,
    };
    reasons.iter().map(body).collect()
}
