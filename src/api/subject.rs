//! Evaluation contexts in queries and bodies.

use std::collections::HashSet;

use poem::Request;
use url::form_urlencoded;

use crate::{
    api::client_address,
    clock,
    domain::evaluation::{Subject, UnfitValue},
    error::Error,
    wire::{EvaluationContext, Question, SdkContext},
};

/// Place of a context in a body.
const CONTEXT: &str = "/body/context";

/// The context in a query, whose parameters with known names have been read already.
pub(in crate::api) fn of_query<const N: usize>(
    query: &str,
    known: [(&'static str, Option<String>); N],
) -> Result<Subject, Error> {
    let parameters: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let (inner, outer): (Vec<_>, Vec<_>) = parameters.iter().partition(|(name, _)| within_properties(name).is_some());
    let mut subject = Subject::default();
    let mut seen = HashSet::new();
    // Values next to `properties` win, as in a body.
    for (parameter, value) in inner.into_iter().chain(outer) {
        if known.iter().any(|(name, _)| name == parameter) {
            continue;
        }
        if !seen.insert(parameter) {
            return Err(refusal(parameter, "must be given only once"));
        }
        let name = within_properties(parameter).unwrap_or(parameter);
        subject.know(name, value.clone().into_owned()).map_err(|reason| refusal(parameter, &reason.to_string()))?;
    }
    for (name, value) in known {
        if let Some(value) = value {
            subject.know(name, value).map_err(|reason| refusal(name, &reason.to_string()))?;
        }
    }
    Ok(subject)
}

fn refusal(parameter: &str, reason: &str) -> Error {
    let shown: String = parameter.chars().take(100).collect();
    Error::invalid(format!("/query/{shown}"), format!("The query parameter `{shown}` {reason}."))
}

/// The name in `properties[name]`.
fn within_properties(parameter: &str) -> Option<&str> {
    parameter.strip_prefix("properties[")?.strip_suffix(']').filter(|name| !name.is_empty())
}

/// The context in a body: its `context`, the properties next to that, or both.
pub fn of_question(question: &Question) -> Result<Subject, Error> {
    check_values(&question.beside, "/body", ", or stand in `context`")?;
    let mut subject = Subject::default();
    for (context, at) in [(&question.beside, "/body"), (&question.context, CONTEXT)] {
        for name in NAMED.into_iter().filter(|name| context.denies(name)) {
            subject.0.insert(name.to_owned(), String::new());
        }
        read(&mut subject, context, at, Subject::know)?;
    }
    Ok(subject)
}

/// The context of the playground: as of an SDK on a server, for which an empty text is a value.
pub fn of_context(context: &SdkContext) -> Result<Subject, Error> {
    of_sdk_context(context, Subject::know)
}

/// The context of the playground where each value may be a list of them.
pub fn of_choices(context: &SdkContext) -> Result<Subject, Error> {
    of_sdk_context(context, Subject::know_choices)
}

fn of_sdk_context(context: &SdkContext, know: Know) -> Result<Subject, Error> {
    let mut subject = Subject::default();
    check_values(context.as_sent(), CONTEXT, "")?;
    read(&mut subject, context.as_sent(), CONTEXT, know)?;
    Ok(subject)
}

type Know = fn(&mut Subject, &str, String) -> Result<(), UnfitValue>;

/// Adds the properties of a context, which is at this place in the body.
fn read(subject: &mut Subject, context: &EvaluationContext, at: &str, know: Know) -> Result<(), Error> {
    for (place, name, value) in context.values() {
        know(subject, name, value).map_err(|reason| Error::property(path(at, &place), reason))?;
    }
    Ok(())
}

/// Refuses what is no value.
fn check_values(context: &EvaluationContext, at: &str, or: &str) -> Result<(), Error> {
    let Some(place) = context.structure() else { return Ok(()) };
    Err(Error::property(path(at, &place), format!("must be a text, a number or a boolean{or}")))
}

fn path(at: &str, place: &str) -> String {
    let shown: String = place.chars().take(100).collect();
    format!("{at}/{shown}")
}

/// Properties known to strategies which are not there at all when they are empty or `null`.
const NAMED: [&str; 5] = ["appName", "currentTime", "remoteAddress", "sessionId", "userId"];

/// Completes a context with the client address, and a session of its own, where it has none.
pub fn completed(mut subject: Subject, request: &Request) -> Subject {
    if let Some(address) = client_address::of(request).ip() {
        subject.0.entry("remoteAddress".to_owned()).or_insert_with(|| address.to_string());
    }
    subject.0.entry("sessionId".to_owned()).or_insert_with(|| clock::new_uuid().simple().to_string());
    subject.0.retain(|name, value| !value.is_empty() || !NAMED.contains(&&**name));
    subject
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Vec<(String, String)>, String> {
        let user = query.contains("userId=7").then(|| "7".to_owned());
        let subject = of_query(query, [("userId", user), ("environment", None)]).map_err(|error| error.to_string())?;
        Ok(subject.0.into_iter().collect())
    }

    #[test]
    fn every_other_parameter_is_a_value() {
        let query = "properties%5Btier%5D=gold&properties[userId]=8&userId=7&region=a%20b&environment=x&tier=tin&q=";
        let pairs = [("q", ""), ("region", "a b"), ("tier", "tin"), ("userId", "7")];
        let expected: Vec<_> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(read(query).expect("valid"), expected);
        let twice = read("tier=a&tier=b").expect_err("refused");
        assert!(twice.contains("`tier` must be given only once"), "{twice}");
        let many = (0..101).map(|number| format!("p{number}=1")).collect::<Vec<_>>().join("&");
        let refused = read(&many).expect_err("refused");
        assert!(refused.contains("`p100` is one too many"), "{refused}");
        let long = read(&format!("tier={}", "a".repeat(10_001))).expect_err("refused");
        assert!(long.contains("`tier` must have at most"), "{long}");
    }
}
