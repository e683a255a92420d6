//! Constraints.

use std::cmp::Ordering;

use flagstone_domain::{
    constraint::{Constraint, Operator, normal_form},
    time::Timestamp,
};
use regex::RegexBuilder;

use super::{Asker, Frontend, Quirk, numbers};

impl Frontend<'_> {
    pub(super) fn meets(&self, constraint: &Constraint, asker: &Asker<'_>) -> bool {
        let is_known = match constraint.operator {
            Operator::Regex => !self.has(Quirk::NoPatterns),
            Operator::SemverGte | Operator::SemverLte => !self.has(Quirk::NoVersionBounds),
            Operator::InCidr | Operator::Unknown => false,
            _ => true,
        };
        // One that is not known holds for nobody, inverted or not.
        if !is_known {
            return false;
        }
        self.compares(constraint, asker).is_some_and(|holds| holds != constraint.inverted.unwrap_or_default())
    }

    /// Whether a value compares; `None` for a constraint that cannot be evaluated, which never holds.
    fn compares(&self, constraint: &Constraint, asker: &Asker<'_>) -> Option<bool> {
        let value = asker.value(&constraint.context_name);
        let fold = |text: &str| {
            let is_folded = constraint.case_insensitive.unwrap_or_default();
            if is_folded { text.to_lowercase() } else { text.to_owned() }
        };
        let compared = |holds: fn(&str, &str) -> bool| {
            let value = value.map(fold);
            value.is_some_and(|value| self.values(constraint).any(|one| holds(&value, &fold(&one))))
        };
        Some(match constraint.operator {
            Operator::In => self.values(constraint).any(|one| Some(&*one) == value),
            Operator::NotIn => !self.values(constraint).any(|one| Some(&*one) == value),
            Operator::StrStartsWith => compared(|value, one| value.starts_with(one)),
            Operator::StrEndsWith => compared(|value, one| value.ends_with(one)),
            Operator::StrContains => compared(|value, one| value.contains(one)),
            Operator::NumEq | Operator::NumGt | Operator::NumGte | Operator::NumLt | Operator::NumLte => {
                self.number(constraint, value)?
            }
            Operator::DateAfter | Operator::DateBefore => self.date(constraint, asker)?,
            Operator::SemverEq
            | Operator::SemverGt
            | Operator::SemverLt
            | Operator::SemverGte
            | Operator::SemverLte => version(constraint, value)?,
            Operator::Regex => {
                let pattern = constraint.value.as_deref()?;
                let pattern = RegexBuilder::new(pattern)
                    .case_insensitive(constraint.case_insensitive.unwrap_or_default())
                    .build();
                value.is_some_and(|value| pattern.is_ok_and(|pattern| pattern.is_match(value)))
            }
            Operator::InCidr | Operator::Unknown => return None,
        })
    }

    fn values<'c>(&self, constraint: &'c Constraint) -> impl Iterator<Item = String> + use<'c> {
        let is_trimmed = self.has(Quirk::TrimmedValues);
        let values = constraint.values.as_deref().unwrap_or_default().iter();
        values
            .filter(move |value| !is_trimmed || !value.is_empty())
            .map(move |value| if is_trimmed { value.trim().to_owned() } else { value.clone() })
    }

    fn number(&self, constraint: &Constraint, value: Option<&str>) -> Option<bool> {
        let read = |text: &str| {
            if self.has(Quirk::AnyNumberForm) {
                numbers::number(text)
            } else {
                normal_form::number(text).and_then(|text| text.parse().ok())
            }
        };
        let own = constraint.value.as_deref().and_then(read);
        // A constraint without a number cannot be evaluated by the engine; the old frontend took it as one that fails.
        let own = if self.has(Quirk::AnyNumberForm) { own } else { Some(own?) };
        let order = own.zip(value.and_then(read)).and_then(|(own, value)| value.partial_cmp(&own));
        Some(order.is_some_and(|order| is_in_order(constraint.operator, order)))
    }

    fn date(&self, constraint: &Constraint, asker: &Asker<'_>) -> Option<bool> {
        let any_form = self.has(Quirk::AnyDateForm);
        let read = |text: &str| {
            if any_form {
                numbers::date(text)
            } else {
                normal_form::date(text).and_then(|text| Timestamp::parse(&text))
            }
        };
        let own = constraint.value.as_deref().and_then(read);
        let own = if any_form { own } else { Some(own?) };
        let value = if self.has(Quirk::TimeForEveryDate) || constraint.context_name == "currentTime" {
            Some(self.time(asker))
        } else {
            asker.value(&constraint.context_name).and_then(Timestamp::parse)
        };
        let order = own.zip(value).map(|(own, value)| value.cmp(&own));
        Some(order.is_some_and(|order| is_in_order(constraint.operator, order)))
    }
}

/// Compares versions. A constraint without one cannot be evaluated, and another value than a version is in no order.
fn version(constraint: &Constraint, value: Option<&str>) -> Option<bool> {
    let own = normal_form::version(constraint.value.as_deref()?)?;
    let value = value.filter(|value| !value.starts_with('v')).and_then(normal_form::version);
    Some(value.is_some_and(|value| is_in_order(constraint.operator, numbers::compare_versions(&value, &own))))
}

const fn is_in_order(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::NumEq | Operator::SemverEq => order.is_eq(),
        Operator::NumGt | Operator::SemverGt | Operator::DateAfter => order.is_gt(),
        Operator::NumGte | Operator::SemverGte => order.is_ge(),
        Operator::NumLt | Operator::SemverLt | Operator::DateBefore => order.is_lt(),
        Operator::NumLte | Operator::SemverLte => order.is_le(),
        _ => false,
    }
}
