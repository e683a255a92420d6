//! Results of an evaluation, in the form of answers.

use std::collections::BTreeMap;

use poem_openapi::{Enum, Object};
use serde::Serialize;

use crate::{
    domain::{
        constraint::{Constraint, Operator},
        evaluation::{KnownSegment, Subject},
        strategy::Parameters,
        variant::{FeatureVariant, Payload},
    },
    evaluation::{
        Choice,
        playground::{FeatureOutcome, StrategyOutcome},
    },
    wire::MaybeKnown,
};

/// Result of a feature for a context.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundFeature", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ResultBody {
    /// Name of the feature.
    pub name: String,
    /// Id of its project.
    pub project_id: String,
    /// Results of its strategies.
    pub strategies: StrategiesBody,
    /// Whether the feature is on in the environment.
    pub is_enabled_in_current_environment: bool,
    /// Whether the feature is on for this context. False also when only a client can decide.
    pub is_enabled: bool,
    /// True when a feature that this one depends on keeps it off. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_unsatisfied_dependency: Option<bool>,
    /// The variant for this context; `disabled` for none.
    pub variant: ChosenVariantBody,
    /// The variants that are chosen from.
    pub variants: Vec<FeatureVariant>,
}

/// Result of a feature for a context in an environment.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AdvancedPlaygroundResult", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct AdvancedResultBody {
    /// Name of the feature.
    pub name: String,
    /// Name of the environment.
    pub environment: String,
    /// The combination of values that was evaluated, by name.
    pub context: BTreeMap<String, String>,
    /// Id of its project.
    pub project_id: String,
    /// Results of its strategies.
    pub strategies: StrategiesBody,
    /// Whether the feature is on in the environment.
    pub is_enabled_in_current_environment: bool,
    /// Whether the feature is on for this context. False also when only a client can decide.
    pub is_enabled: bool,
    /// True when a feature that this one depends on keeps it off. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_unsatisfied_dependency: Option<bool>,
    /// The variant for this context; `disabled` for none.
    pub variant: ChosenVariantBody,
    /// The variants that are chosen from.
    pub variants: Vec<FeatureVariant>,
}

/// Results of the strategies of a feature.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundStrategies")]
pub struct StrategiesBody {
    /// Combined result: true when one that is not disabled matches, or there is none; `unknown` when only a client can
    /// decide.
    pub result: MaybeKnown,
    /// Each strategy, in order, including disabled ones.
    pub data: Vec<StrategyBody>,
}

/// Result of one strategy.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundStrategy", skip_serializing_if_is_none)]
pub struct StrategyBody {
    /// Id of the strategy.
    pub id: String,
    /// Name of the strategy type.
    pub name: String,
    /// A descriptive title. Absent when there is none.
    pub title: Option<String>,
    /// Whether the strategy is disabled and ignored.
    pub disabled: bool,
    /// Result of the strategy.
    pub result: StrategyResultBody,
    /// Reason why the strategy cannot be evaluated and matches no context, as one that came from another server may.
    /// Absent when it can be evaluated.
    pub fault: Option<String>,
    /// Its constraints.
    pub constraints: Vec<ConstraintBody>,
    /// Its segments.
    pub segments: Vec<SegmentBody>,
    /// Parameters of the strategy type, each as text.
    pub parameters: Parameters,
    /// Links to the console.
    pub links: LinksBody,
}

/// Links to a strategy in the console.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundStrategyLinks")]
pub struct LinksBody {
    /// Path of the page on which the strategy is edited.
    pub edit: String,
}

/// Whether a strategy could be evaluated.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename = "EvaluationStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum EvaluationStatus {
    /// It has been judged.
    Complete,
    /// Only a client that knows the strategy type can judge it.
    Incomplete,
}

/// Evaluation result of a strategy.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundStrategyResult", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct StrategyResultBody {
    /// Whether the strategy could be evaluated.
    pub evaluation_status: EvaluationStatus,
    /// Whether it matches; `unknown` when its constraints and segments match and only a client can decide the rest.
    pub enabled: MaybeKnown,
    /// Its resolved variant. Absent when it does not match or has no variants.
    pub variant: Option<ChosenVariantBody>,
    /// Its variants. Absent when it does not match or has none.
    pub variants: Option<Vec<FeatureVariant>>,
}

/// A constraint and its result.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundConstraint", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ConstraintBody {
    /// Name of the context field that the constraint applies to.
    pub context_name: String,
    /// Operator that compares the field.
    pub operator: Operator,
    /// Whether the comparison is case-insensitive. Absent means false.
    pub case_insensitive: Option<bool>,
    /// Whether the result is negated. Absent means false.
    pub inverted: Option<bool>,
    /// Values for operators that take several.
    pub values: Option<Vec<String>>,
    /// Value for operators that take one.
    pub value: Option<String>,
    /// Whether it holds.
    pub result: bool,
}

/// A segment and its result.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PlaygroundSegment")]
pub struct SegmentBody {
    /// Id of the segment.
    pub id: i64,
    /// Name of the segment.
    pub name: String,
    /// Whether all its constraints match.
    pub result: bool,
    /// Its constraints.
    pub constraints: Vec<ConstraintBody>,
}

/// The variant for a context.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PlaygroundVariant", skip_serializing_if_is_none)]
pub struct ChosenVariantBody {
    /// Name of the variant; `disabled` for none.
    pub name: String,
    /// Whether there is a variant.
    pub enabled: bool,
    /// Extra data for clients. Absent when the variant has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// Whether the feature is on for this context.
    pub feature_enabled: bool,
}

impl ResultBody {
    pub(super) fn of(outcome: &FeatureOutcome<'_>, environment: &str) -> Self {
        let feature = outcome.feature;
        Self {
            name: feature.name.clone(),
            project_id: feature.project.clone(),
            strategies: StrategiesBody::of(outcome, environment),
            is_enabled_in_current_environment: feature.enabled,
            is_enabled: outcome.is_enabled,
            has_unsatisfied_dependency: outcome.lacks_parent.then_some(true),
            variant: chosen(outcome.variant.as_ref(), outcome.is_enabled),
            variants: variants(outcome),
        }
    }
}

impl AdvancedResultBody {
    pub(super) fn of(outcome: &FeatureOutcome<'_>, environment: &str, subject: &Subject) -> Self {
        let result = ResultBody::of(outcome, environment);
        Self {
            name: result.name,
            environment: environment.to_owned(),
            context: subject.0.clone(),
            project_id: result.project_id,
            strategies: result.strategies,
            is_enabled_in_current_environment: result.is_enabled_in_current_environment,
            is_enabled: result.is_enabled,
            has_unsatisfied_dependency: result.has_unsatisfied_dependency,
            variant: result.variant,
            variants: result.variants,
        }
    }
}

impl StrategiesBody {
    fn of(outcome: &FeatureOutcome<'_>, environment: &str) -> Self {
        let feature = outcome.feature;
        let edit = |id: &str| {
            let (project, feature) = (&feature.project, &feature.name);
            let page = format!("/projects/{project}/features/{feature}/strategies/edit");
            LinksBody { edit: format!("{page}?environmentId={environment}&strategyId={id}") }
        };
        let data = outcome.strategies.iter().map(|strategy| StrategyBody::of(strategy, outcome.is_enabled, &edit));
        Self { result: outcome.verdict.into(), data: data.collect() }
    }
}

impl StrategyBody {
    fn of(outcome: &StrategyOutcome<'_>, is_enabled: bool, edit: &impl Fn(&str) -> LinksBody) -> Self {
        let strategy = outcome.strategy;
        let id = strategy.id.map(|id| id.0.to_string()).unwrap_or_default();
        let evaluation_status =
            if outcome.is_complete { EvaluationStatus::Complete } else { EvaluationStatus::Incomplete };
        let given = outcome.variant.as_ref();
        let result = StrategyResultBody {
            evaluation_status,
            enabled: outcome.verdict.into(),
            variant: given.map(|variant| chosen(Some(variant), is_enabled)),
            variants: given.map(|_| of_strategy(outcome)),
        };
        Self {
            links: edit(&id),
            id,
            name: strategy.name.clone(),
            title: strategy.title.clone().and_then(|title| title.0),
            disabled: strategy.disabled.as_ref().and_then(|disabled| disabled.0).unwrap_or_default(),
            result,
            fault: outcome.fault.as_ref().map(ToString::to_string),
            constraints: outcome.constraints.iter().map(ConstraintBody::of).collect(),
            segments: outcome.segments.iter().map(SegmentBody::of).collect(),
            parameters: strategy.parameters.clone().unwrap_or_default(),
        }
    }
}

impl ConstraintBody {
    fn of((constraint, result): &(&Constraint, bool)) -> Self {
        let constraint = (*constraint).clone();
        Self {
            context_name: constraint.context_name,
            operator: constraint.operator,
            case_insensitive: constraint.case_insensitive,
            inverted: constraint.inverted,
            values: constraint.values,
            value: constraint.value,
            result: *result,
        }
    }
}

impl SegmentBody {
    fn of((segment, constraints): &(&KnownSegment, Vec<(&Constraint, bool)>)) -> Self {
        Self {
            id: segment.id,
            name: segment.name.clone(),
            result: constraints.iter().all(|(_, holds)| *holds),
            constraints: constraints.iter().map(ConstraintBody::of).collect(),
        }
    }
}

fn chosen(choice: Option<&Choice>, feature_enabled: bool) -> ChosenVariantBody {
    match choice {
        Some(choice) => ChosenVariantBody {
            name: choice.name.clone(),
            enabled: true,
            payload: choice.payload.clone(),
            feature_enabled,
        },
        None => ChosenVariantBody { name: "disabled".to_owned(), enabled: false, payload: None, feature_enabled },
    }
}

fn variants(outcome: &FeatureOutcome<'_>) -> Vec<FeatureVariant> {
    match outcome.decisive {
        Some(position) => of_strategy(&outcome.strategies[position]),
        None => outcome.feature.variants.clone(),
    }
}

fn of_strategy(outcome: &StrategyOutcome<'_>) -> Vec<FeatureVariant> {
    let variants = outcome.strategy.variants.iter().flatten();
    let variant = |variant: &crate::domain::variant::StrategyVariant| FeatureVariant {
        name: variant.name.clone(),
        weight: variant.weight.into(),
        weight_type: Some(variant.weight_type),
        stickiness: Some(variant.stickiness.clone()),
        payload: variant.payload.clone(),
        overrides: None,
    };
    variants.map(variant).collect()
}
