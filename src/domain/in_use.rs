//! The rule that nothing is deleted while something uses it, for context fields and their legal values, segments,
//! strategy types, tag types and roles of login providers, with one sentence about the users.

use std::{collections::BTreeSet, fmt::Write as _};

use crate::{
    constraint::Constraint,
    sign_in::Provider,
    strategy::{DefaultStrategy, Parameters},
    variant::{FeatureVariant, StrategyVariant},
};

/// Most users that a refusal names.
pub const LISTED: usize = 20;
/// The parameter of a strategy that names a context field.
const STICKINESS: &str = "stickiness";
/// Words for stickiness that name no context field.
const NO_FIELDS: [&str; 2] = ["default", "random"];

/// A shared object that is to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A context field.
    ContextField {
        /// Its name.
        name: &'a str,
        /// The only project that may use it. What is of other projects and names it does not mean it.
        project: Option<&'a str>,
    },
    /// Legal values of a context field.
    LegalValues {
        /// Name of the field.
        field: &'a str,
        /// The only project that may use it.
        project: Option<&'a str>,
        /// The values.
        values: BTreeSet<&'a str>,
    },
    /// A segment.
    Segment {
        /// Its id.
        id: i64,
        /// Its name.
        name: &'a str,
    },
    /// A strategy type, by name.
    StrategyType(&'a str),
    /// A tag type, by name.
    TagType(&'a str),
    /// A role, as far as login providers give it to users whom they create.
    Role {
        /// Its id.
        id: i64,
        /// Its name.
        name: &'a str,
    },
}

/// User of a subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum User {
    /// A feature.
    Feature {
        /// Its name.
        name: String,
        /// Id of its project.
        project: String,
        /// The environment in which it uses the subject; `None` where that belongs to no environment.
        environment: Option<String>,
        /// Whether it is archived.
        is_archived: bool,
    },
    /// A strategy that an open change request would add or change.
    ChangeRequest {
        /// Id of the change request.
        id: i64,
        /// Name of the feature.
        feature: String,
        /// Id of its project.
        project: String,
        /// Name of the environment.
        environment: String,
    },
    /// A segment, by its constraints.
    Segment {
        /// Its name.
        name: String,
        /// The only project that may use it.
        project: Option<String>,
    },
    /// The strategy that features of a project start with in an environment.
    DefaultStrategy {
        /// Id of the project.
        project: String,
        /// Name of the environment.
        environment: String,
    },
    /// A project, by its default stickiness.
    DefaultStickiness {
        /// Id of the project.
        project: String,
        /// Whether it is archived.
        is_archived: bool,
    },
    /// A login provider, by its rules.
    LoginProvider {
        /// Its id.
        id: String,
        /// Text of its button.
        label: String,
    },
    /// The settings of a login provider's protocol.
    ProviderSettings(Provider),
}

impl User {
    /// Id of the project that it belongs to, if it belongs to one.
    pub fn project(&self) -> Option<&str> {
        match self {
            Self::Feature { project, .. }
            | Self::ChangeRequest { project, .. }
            | Self::DefaultStrategy { project, .. }
            | Self::DefaultStickiness { project, .. } => Some(project),
            Self::Segment { project, .. } => project.as_deref(),
            Self::LoginProvider { .. } | Self::ProviderSettings(_) => None,
        }
    }

    const fn is_archived(&self) -> bool {
        matches!(self, Self::Feature { is_archived: true, .. } | Self::DefaultStickiness { is_archived: true, .. })
    }

    fn words(&self) -> String {
        let archived = if self.is_archived() { "archived " } else { "" };
        match self {
            Self::Feature { name, project, environment: Some(environment), .. } => {
                format!("the {archived}feature \"{name}\" (project {project}, environment {environment})")
            }
            Self::Feature { name, project, environment: None, .. } => {
                format!("the {archived}feature \"{name}\" (project {project})")
            }
            Self::ChangeRequest { id, feature, project, environment } => {
                format!(
                    "change request {id} for the feature \"{feature}\" (project {project}, environment {environment})"
                )
            }
            Self::Segment { name, project: Some(project) } => format!("the segment \"{name}\" (project {project})"),
            Self::Segment { name, project: None } => format!("the segment \"{name}\""),
            Self::DefaultStrategy { project, environment } => {
                format!("the default strategy of the project {project} in {environment}")
            }
            Self::DefaultStickiness { project, .. } => {
                format!("the default stickiness of the {archived}project {project}")
            }
            Self::LoginProvider { id, label } => format!("the login provider \"{label}\" ({id})"),
            Self::ProviderSettings(provider) => format!("the settings of {}", provider.protocol()),
        }
    }
}

/// The users of a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users {
    /// Users that may be named, [`LISTED`] and one at most.
    pub seen: BTreeSet<User>,
    /// Whether there is any, seen or not.
    pub is_used: bool,
    /// Legal values that have a user.
    pub values: BTreeSet<String>,
}

impl Users {
    /// Whether no more of them can change what is said.
    pub fn is_full(&self) -> bool {
        self.seen.len() > LISTED
    }
}

impl Subject<'_> {
    /// Whether what belongs to a project, or to the whole instance without one, can use it.
    pub fn is_within_reach(&self, user: Option<&str>) -> bool {
        match self {
            Self::ContextField { project: Some(project), .. } | Self::LegalValues { project: Some(project), .. } => {
                user == Some(*project)
            }
            _ => true,
        }
    }

    /// Whether constraints use it; notes the values that they use.
    pub fn is_in_constraints(&self, constraints: &[Constraint], used: &mut BTreeSet<String>) -> bool {
        match self {
            Self::ContextField { name, .. } => constraints.iter().any(|constraint| constraint.context_name == *name),
            Self::LegalValues { field, values, .. } => {
                let about = constraints.iter().filter(|constraint| constraint.context_name == *field);
                note(about.flat_map(Constraint::operands).filter(|value| values.contains(value)), used)
            }
            _ => false,
        }
    }

    /// Whether a stickiness uses it.
    pub fn is_stickiness(&self, stickiness: &str) -> bool {
        matches!(self, Self::ContextField { name, .. } if *name == stickiness && !NO_FIELDS.contains(name))
    }

    /// Whether parameters and variants of a strategy use it.
    pub fn is_in_rollout(&self, parameters: &Parameters, variants: &[StrategyVariant]) -> bool {
        parameters.get(STICKINESS).is_some_and(|stickiness| self.is_stickiness(stickiness))
            || variants.iter().any(|variant| self.is_stickiness(&variant.stickiness))
    }

    /// Whether variants of a feature use it; notes the values that they use.
    pub fn is_in_variants(&self, variants: &[FeatureVariant], used: &mut BTreeSet<String>) -> bool {
        let overrides = || variants.iter().flat_map(|variant| variant.overrides.iter().flatten());
        match self {
            Self::ContextField { name, .. } => {
                let mut stickiness = variants.iter().filter_map(|variant| variant.stickiness.as_deref());
                overrides().any(|one| one.context_name == *name) || stickiness.any(|field| self.is_stickiness(field))
            }
            Self::LegalValues { field, values, .. } => {
                let about = overrides().filter(|one| one.context_name == *field);
                let named = about.flat_map(|one| &one.values).map(String::as_str);
                note(named.filter(|value| values.contains(value)), used)
            }
            _ => false,
        }
    }

    /// Whether the strategy that features start with uses it; notes the values that it uses.
    pub fn is_in_default(&self, strategy: &DefaultStrategy, used: &mut BTreeSet<String>) -> bool {
        match self {
            Self::Segment { id, .. } => strategy.segments.iter().flatten().any(|segment| segment.whole() == Some(*id)),
            Self::StrategyType(name) => strategy.name == *name,
            Self::TagType(_) | Self::Role { .. } => false,
            Self::ContextField { .. } | Self::LegalValues { .. } => {
                let none = Parameters::new();
                let parameters = strategy.parameters.as_ref().unwrap_or(&none);
                self.is_in_constraints(strategy.constraints.as_deref().unwrap_or_default(), used)
                    || self.is_in_rollout(parameters, strategy.variants.as_deref().unwrap_or_default())
            }
        }
    }

    /// Name of the kind of error.
    pub const fn error_name(&self) -> &'static str {
        match self {
            Self::ContextField { .. } => "ContextFieldInUseError",
            Self::LegalValues { .. } => "LegalValueInUseError",
            Self::Segment { .. } => "SegmentInUseError",
            Self::StrategyType(_) => "StrategyInUseError",
            Self::TagType(_) => "TagTypeInUseError",
            Self::Role { .. } => "RoleInUseError",
        }
    }

    /// Returns why it stays: its users, as far as they may be named, and what to do first.
    pub fn refusal(&self, users: &Users) -> String {
        let (subject, advice) = match self {
            Self::ContextField { name, .. } => (
                format!("The context field \"{name}\""),
                "Take it out of their constraints, stickiness and overrides first".to_owned(),
            ),
            Self::LegalValues { field, .. } => {
                let values: Vec<String> =
                    users.values.iter().take(LISTED).map(|value| format!("\"{value}\"")).collect();
                let noun = if values.len() == 1 { "value" } else { "values" };
                (
                    format!("The legal {noun} {} of the context field \"{field}\"", values.join(", ")),
                    "Replace what they hold in their constraints and overrides first, or update the field to have no \
                     legal values, so that any value is legal"
                        .to_owned(),
                )
            }
            Self::Segment { id, name } => (
                format!("The segment \"{name}\""),
                format!("Take it off their strategies first: GET /api/admin/segments/{id}/strategies lists them by id"),
            ),
            Self::StrategyType(name) => (
                format!("The strategy type \"{name}\""),
                "Deprecate it, or give their strategies another type first".to_owned(),
            ),
            Self::TagType(name) => (
                format!("The tag type \"{name}\""),
                "Take its tags off them first: PUT /api/admin/projects/{projectId}/tags does so for many features at \
                 once, archived ones included"
                    .to_owned(),
            ),
            Self::Role { name, .. } => (
                format!("The role \"{name}\""),
                "Have them give another role to the users whom they create (`defaultRootRoleId`, `rootRoles`) first"
                    .to_owned(),
            ),
        };
        let mut message = format!("{subject} cannot be deleted while in use. Uses that you may see: ");
        let words: Vec<String> = users.seen.iter().take(LISTED).map(User::words).collect();
        message.push_str(if words.is_empty() { "none" } else { "" });
        message.push_str(&words.join("; "));
        message.push_str(if users.is_full() { "; and more" } else { "" });
        let _ = write!(message, ". {advice}.");
        let archived = users.seen.iter().take(LISTED).any(User::is_archived);
        if archived && !matches!(self, Self::TagType(_)) {
            message.push_str(" What is archived has to be revived before it can be changed, or deleted for good.");
        }
        message
    }
}

/// Notes values, and returns whether there are any.
fn note<'a>(values: impl Iterator<Item = &'a str>, used: &mut BTreeSet<String>) -> bool {
    let mut any = false;
    for value in values {
        any = true;
        used.insert(value.to_owned());
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        constraint::Operator,
        variant::{VariantOverride, WeightType},
    };

    fn constraint(field: &str, operator: Operator, values: &[&str], value: Option<&str>) -> Constraint {
        Constraint::of(field, operator, value, values)
    }

    fn values<'a>(field: &'a str, values: &[&'a str]) -> Subject<'a> {
        Subject::LegalValues { field, project: None, values: values.iter().copied().collect() }
    }

    const fn field(name: &str) -> Subject<'_> {
        Subject::ContextField { name, project: None }
    }

    #[test]
    fn a_field_of_a_project_is_used_by_what_is_of_that_project_alone() {
        let of_shop = Subject::ContextField { name: "plan", project: Some("shop") };
        let values = Subject::LegalValues { field: "plan", project: Some("shop"), values: BTreeSet::new() };
        for subject in [of_shop, values] {
            let reach = [Some("shop"), Some("bank"), None].map(|user| subject.is_within_reach(user));
            assert_eq!(reach, [true, false, false], "{subject:?}");
        }
        assert!(field("plan").is_within_reach(Some("shop")) && field("plan").is_within_reach(None));
        assert!(Subject::TagType("team").is_within_reach(Some("shop")));
    }

    #[test]
    fn constraints_use_their_field_and_what_they_compare_with() {
        let constraints = [
            constraint("plan", Operator::In, &["free", "paid"], Some("ignored")),
            constraint("age", Operator::NumGt, &["ignored"], Some("7")),
        ];
        let uses = |subject: Subject<'_>| {
            let mut used = BTreeSet::new();
            let is_used = subject.is_in_constraints(&constraints, &mut used);
            (is_used, used.into_iter().collect::<Vec<_>>())
        };
        assert!(uses(field("age")).0 && !uses(field("Age")).0);
        assert_eq!(uses(values("plan", &["paid", "gold", "free"])), (true, vec!["free".to_owned(), "paid".to_owned()]));
        assert_eq!(uses(values("plan", &["ignored"])), (false, Vec::new()));
        assert_eq!(uses(values("age", &["7", "ignored"])), (true, vec!["7".to_owned()]));
        assert!(!uses(Subject::TagType("plan")).0);
    }

    #[test]
    fn stickiness_and_overrides_use_their_field() {
        let variant = StrategyVariant {
            name: "v".to_owned(),
            weight: 1000,
            weight_type: WeightType::Variable,
            stickiness: "plan".to_owned(),
            payload: None,
        };
        let parameters = |field: &str| Parameters::from([(STICKINESS.to_owned(), field.to_owned())]);
        let (field, other) = (field("plan"), field("default"));
        assert!(field.is_in_rollout(&parameters("plan"), &[]));
        assert!(field.is_in_rollout(&parameters("default"), &[variant]));
        assert!(!field.is_in_rollout(&parameters("userId"), &[]));
        assert!(!other.is_in_rollout(&parameters("default"), &[]));
        let of_feature = |stickiness: Option<&str>, overrides: Option<&str>| FeatureVariant {
            name: "v".to_owned(),
            weight: 1000_i64.into(),
            weight_type: None,
            stickiness: stickiness.map(str::to_owned),
            payload: None,
            overrides: overrides
                .map(|field| vec![VariantOverride { context_name: field.to_owned(), values: vec!["free".to_owned()] }]),
        };
        let mut used = BTreeSet::new();
        assert!(field.is_in_variants(&[of_feature(Some("plan"), None)], &mut used));
        assert!(field.is_in_variants(&[of_feature(None, Some("plan"))], &mut used));
        assert!(!field.is_in_variants(&[of_feature(None, Some("userId"))], &mut used));
        assert!(values("plan", &["free"]).is_in_variants(&[of_feature(None, Some("plan"))], &mut used));
        assert!(!values("plan", &["paid"]).is_in_variants(&[of_feature(None, Some("plan"))], &mut used));
    }

    #[test]
    fn users_are_named_as_far_as_they_are_seen() {
        let feature = |name: &str, is_archived: bool| User::Feature {
            name: name.to_owned(),
            project: "shop".to_owned(),
            environment: Some("production".to_owned()),
            is_archived,
        };
        let subject = field("plan");
        let told = |seen: BTreeSet<User>| subject.refusal(&Users { seen, is_used: true, ..Users::default() });
        let nothing = told(BTreeSet::new());
        assert!(nothing.contains("Uses that you may see: none. Take it out"), "{nothing}");
        let one = told(BTreeSet::from([feature("cart", false)]));
        assert!(one.contains("the feature \"cart\" (project shop, environment production)"), "{one}");
        assert!(!one.contains("revived") && !one.contains("more"), "{one}");
        let many = told((0..=LISTED).map(|number| feature(&number.to_string(), true)).collect());
        assert!(many.contains("the archived feature \"0\"") && many.contains("; and more."), "{many}");
        assert!(many.ends_with("or deleted for good."), "{many}");
        let google = User::LoginProvider { id: "google".to_owned(), label: "Google Workspace".to_owned() };
        let seen = BTreeSet::from([User::ProviderSettings(Provider::Saml), google]);
        let role =
            Subject::Role { id: 9, name: "newcomer" }.refusal(&Users { seen, is_used: true, ..Users::default() });
        let providers = "the login provider \"Google Workspace\" (google); the settings of SAML. Have them";
        assert!(role.starts_with("The role \"newcomer\" cannot") && role.contains(providers), "{role}");
    }
}
