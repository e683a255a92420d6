//! Integrations, as other servers keep them.

use std::collections::BTreeMap;

use flagstone_domain::{
    event_kind::EventKind,
    integration::{Parameters, Provider},
    repair::{Repairs, Row},
};
use flagstone_wire::Scalar;
use serde_json::Value;

use super::{Finding, neutral::Integration};

/// Takes an integration, if there is one of its kind here and all its parameters are known.
pub(super) fn read_integration(row: &Value, repairs: &Repairs, findings: &mut Vec<Finding>) -> Option<Integration> {
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let name = format!("{} {}", text("provider"), text("description")).trim().to_owned();
    let left_out = |reason: &str| Finding::left_out("integration", &*name, reason);
    let Some(provider) = Provider::parse(text("provider")) else {
        findings.push(left_out("there is no integration of this kind here"));
        return None;
    };
    let mut given: BTreeMap<String, Scalar> = serde_json::from_value(row["parameters"].clone()).unwrap_or_default();
    let mut is_enabled = Row::new("addons", name.clone(), row, repairs).truth("enabled", false);
    let parameters = Parameters::admit(provider, &given, None).or_else(|problems| {
        let reason = "is switched off, without what could not be taken: look it through";
        findings.push(Finding::changed("integration", &*name, reason));
        is_enabled = false;
        for problem in problems {
            given.remove(&problem.name);
        }
        Parameters::admit(provider, &given, None)
    });
    let Ok(parameters) = parameters else {
        findings.push(left_out("something that it has to know is not told, or cannot be used: make it anew"));
        return None;
    };
    let list = |key: &str| -> Vec<String> {
        row[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (known, unknown): (Vec<_>, Vec<_>) =
        list("events").into_iter().map(|kind| EventKind::parse(&kind).ok_or(kind)).partition(Result::is_ok);
    let unknown: Vec<String> = unknown.into_iter().filter_map(Result::err).collect();
    if !unknown.is_empty() {
        let reason = format!("is not told of {}, which do not happen here", unknown.join(", "));
        findings.push(Finding::changed("integration", &*name, reason));
    }
    let told = Row::new("addons", name.clone(), row, repairs);
    Some(Integration {
        id: told.find_number("id").filter(|id| *id > 0),
        created_at: told.time("created_at"),
        provider,
        enabled: is_enabled,
        description: Some(text("description").to_owned()).filter(|text| !text.is_empty()),
        parameters,
        events: known.into_iter().filter_map(Result::ok).collect(),
        projects: list("projects"),
        environments: list("environments"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(row: &Value) -> (Option<Integration>, Vec<Finding>) {
        let mut findings = Vec::new();
        (read_integration(row, &Repairs::default(), &mut findings), findings)
    }

    #[test]
    fn a_whole_one_comes_as_it_is() {
        let (read, findings) = read(&json!({
            "provider": "webhook", "description": "Audit sink", "enabled": true, "events": ["feature-created"],
            "parameters": { "url": "https://hooks.example.com/hook", "authorization": "Bearer s3cret" },
            "projects": ["shop"], "environments": ["production"],
        }));
        let read = read.expect("an integration");
        assert_eq!((read.provider, read.enabled), (Provider::Webhook, true));
        assert_eq!(read.parameters.text("authorization").as_deref(), Some("Bearer s3cret"));
        assert_eq!((read.events, read.projects), (vec![EventKind::FeatureCreated], vec!["shop".to_owned()]));
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn what_cannot_be_taken_is_told_and_never_quoted() {
        let webhook = |parameters: Value| json!({ "provider": "webhook", "enabled": true, "events": ["feature-sung-about"], "parameters": parameters });
        let url = "https://hooks.example.com/s3cret";
        let (kept, findings) = read(&webhook(json!({ "url": url, "customHeaders": "s3cret" })));
        let kept = kept.expect("an integration");
        assert!(!kept.enabled && kept.parameters.text("customHeaders").is_none());
        let told: Vec<_> = findings.iter().map(|finding| finding.reason.as_str()).collect();
        assert!(told[0].contains("switched off") && told[1].contains("feature-sung-about"), "{told:?}");
        for row in [webhook(json!({ "url": "*****" })), webhook(json!({})), json!({ "provider": "jira-comment" })] {
            let (none, findings) = read(&row);
            assert!(
                none.is_none() && findings.iter().all(|finding| !finding.reason.contains("s3cret")),
                "{findings:?}"
            );
        }
    }
}
