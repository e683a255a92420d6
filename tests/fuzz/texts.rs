//! Short texts with a grammar: secrets, names, patterns of names, instants, addresses, reasons.

use arbitrary::Unstructured;
use flagstone::{
    api::moment::Moment,
    domain::{
        change_reason::ChangeReason,
        constraint::{Constraint, Operator},
        naming::{NamingPattern, is_environment_name, is_url_friendly},
        secret::{TokenKind, TokenScope, strip_bearer},
        time::Timestamp,
        token::id_in_handle,
    },
};
use poem_openapi::types::{ParseFromJSON, ToJSON};
use serde_json::Value;

use crate::document::text;

fn secret(given: &str) {
    if let Some(scope) = TokenScope::parse(given) {
        let project = scope.projects.first().map_or("[]", String::as_str);
        let rest = given.strip_prefix(&format!("{project}:{}.", scope.environment));
        assert!(rest.is_some_and(|random| !random.is_empty()), "{given:?} {scope:?}");
    }
    let bare = strip_bearer(given);
    assert!(given.contains(bare) && bare.trim() == bare, "{given:?} {bare:?}");
    if let Some(kind) = TokenKind::parse(given) {
        assert!(kind.as_str().eq_ignore_ascii_case(given));
    }
    if let Some(id) = id_in_handle(given) {
        assert_eq!(id_in_handle(&format!("p:e.id-{id}")), Some(id));
    }
}

fn reason(given: &str) {
    if let Ok(Some(reason)) = ChangeReason::decode(given.as_bytes()) {
        assert!(!reason.as_str().is_empty() && !reason.as_str().contains(char::is_control), "{given:?} {reason:?}");
        assert_eq!(ChangeReason::parse(reason.as_str()), Ok(Some(reason)), "{given:?}");
    }
}

fn instant(given: &str) {
    if let Some(instant) = Timestamp::parse(given) {
        let written = instant.to_string();
        assert_eq!(Timestamp::parse(&written), Some(instant), "{given:?} {written}");
        assert_eq!(serde_json::to_value(instant).expect("JSON"), Value::String(written));
    }
    if let Ok(Moment(Some(instant))) = Moment::parse_from_json(Some(Value::String(given.to_owned()))) {
        let day = (instant.floor_day(), instant.end_of_day());
        assert!(day.0 <= instant && instant <= day.1 && instant.floor_hour() <= instant, "{given:?}");
        let _ = (instant.week(), instant.day(), Moment(Some(instant)).to_json());
    }
}

/// A name that fits a pattern fits it as a whole: what matches only in part does not.
fn pattern(given: &str, name: &str) {
    let Ok(pattern) = NamingPattern::compile(given) else { return };
    let _ = pattern.admits(name);
    // Any text names itself, once its signs are escaped.
    if is_url_friendly(name) {
        let escaped: String = name
            .chars()
            .map(|sign| if sign.is_alphanumeric() { sign.to_string() } else { format!("\\{sign}") })
            .collect();
        let literal = NamingPattern::compile(&escaped).unwrap_or_else(|fault| panic!("{escaped:?}: {fault}"));
        assert!(literal.admits(name) && !literal.admits(&format!("{name}x")), "{escaped:?}");
    }
}

/// Checking a constraint says what is wrong, or that its engine can read it; see `evaluation` for the latter.
fn constraint(given: &str, other: &str) {
    for operator in ["IN", "STR_CONTAINS", "NUM_GT", "DATE_AFTER", "SEMVER_EQ", "REGEX", "IN_CIDR", given] {
        let operator: Operator = serde_json::from_value(Value::String(operator.to_owned())).expect("any word");
        let constraint = Constraint {
            context_name: other.to_owned(),
            operator,
            case_insensitive: None,
            inverted: None,
            values: Some(vec![given.to_owned()]),
            value: Some(given.to_owned()),
        };
        let checked = constraint.check();
        assert_eq!(constraint.clone().stored().check(), checked);
        let written = serde_json::to_string(&constraint).expect("JSON");
        assert_eq!(serde_json::from_str::<Constraint>(&written).expect("read").check(), checked);
    }
}

/// Whatever stands where one of these is expected, it is read or refused.
pub fn short_texts(input: &[u8]) {
    let mut texts: Vec<String> = std::str::from_utf8(input).iter().map(|text| (*text).to_owned()).collect();
    let mut choices = Unstructured::new(input);
    while !choices.is_empty() && texts.len() < 6 {
        let Ok(text) = text(&mut choices) else { break };
        texts.push(text);
    }
    for (index, given) in texts.iter().enumerate() {
        let other = &texts[(index + 1) % texts.len()];
        secret(given);
        reason(given);
        instant(given);
        if index < 2 {
            pattern(given, other);
        }
        constraint(given, other);
        assert!(!is_environment_name(given) || is_url_friendly(given) || given.contains('~'), "{given:?}");
    }
}
