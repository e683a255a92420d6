//! Every operation says what it is for, who may call it, what it answers, and where it is deprecated, what to use.

use std::collections::BTreeSet;

use flagstone::api::document::DOCUMENT;
use regex::Regex;
use serde_json::{Value, json};

use crate::{operations, visit};

/// Paths that need no credentials.
const OPEN_PATHS: &[&str] = &[
    "/health",
    "/ready",
    "/auth/link",
    "/auth/oidc/backchannel-logout",
    "/auth/oidc/callback",
    "/auth/oidc/frontchannel-logout",
    "/auth/oidc/jwks",
    "/auth/oidc/login",
    "/auth/options",
    "/auth/passkey/challenge",
    "/auth/passkey/login",
    "/auth/providers/{providerId}/acs",
    "/auth/providers/{providerId}/backchannel-logout",
    "/auth/providers/{providerId}/callback",
    "/auth/providers/{providerId}/login",
    "/auth/providers/{providerId}/logout/done",
    "/auth/providers/{providerId}/metadata",
    "/auth/saml/callback",
    "/auth/saml/login",
    "/auth/saml/logout/done",
    "/auth/saml/metadata",
    "/auth/simple/login",
    "/auth/reset/password",
    "/auth/reset/password-email",
    "/auth/reset/validate",
    "/auth/reset/validate-password",
    "/edge/validate",
    "/invite/{token}/signup",
    "/invite/{token}/validate",
    "/logout",
];

/// Operations without input that could be wrong, so that nothing they are asked is refused with 4xx.
const NEVER_REFUSED: &[&str] = &["/health", "/ready", "/auth/oidc/jwks", "/auth/options", "/auth/saml/metadata"];

/// Paths on which browsers are led on, which is how they succeed.
const LEADING_ON: &[&str] = &[
    "/auth/link",
    "/auth/oidc/callback",
    "/auth/oidc/login",
    "/auth/providers/{providerId}/acs",
    "/auth/providers/{providerId}/callback",
    "/auth/providers/{providerId}/login",
    "/auth/providers/{providerId}/logout/done",
    "/auth/saml/callback",
    "/auth/saml/login",
    "/auth/saml/logout/done",
    "/logout",
];

fn is_said(text: &Value) -> bool {
    text.as_str().is_some_and(|text| !text.trim().is_empty())
}

#[test]
fn the_document_says_what_it_is_and_where_it_is_served() {
    for key in ["title", "description", "version"] {
        assert!(is_said(&DOCUMENT["info"][key]), "{key}");
    }
    assert_eq!(DOCUMENT["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(DOCUMENT["info"]["license"]["name"], "Apache-2.0 OR MIT");
    assert!(is_said(&DOCUMENT["info"]["contact"]["name"]));
    assert_eq!(DOCUMENT["openapi"], "3.0.3");
    assert!(!DOCUMENT["servers"].as_array().expect("servers").is_empty());
    for (name, scheme) in DOCUMENT["components"]["securitySchemes"].as_object().expect("schemes") {
        assert!(is_said(&scheme["description"]), "{name}");
    }
}

#[test]
fn every_operation_is_described_and_has_one_tag_and_an_id_of_its_own() {
    let tags = DOCUMENT["tags"].as_array().expect("tags");
    let described: BTreeSet<&str> =
        tags.iter().filter(|tag| is_said(&tag["description"])).filter_map(|tag| tag["name"].as_str()).collect();
    assert_eq!(described.len(), tags.len(), "each tag once, with a description");
    let (mut ids, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        for key in ["summary", "description", "operationId"] {
            assert!(is_said(&operation[key]), "{name} has no {key}");
        }
        assert!(ids.insert(operation["operationId"].to_string()), "{name}: the operation id is taken");
        let [tag] = operation["tags"].as_array().expect("tags").as_slice() else { panic!("{name}: one tag") };
        used.insert(tag.as_str().expect("text"));
    }
    assert_eq!(used, described, "tags used and tags declared");
}

#[test]
fn every_operation_says_which_credentials_it_needs_or_that_it_needs_none() {
    let schemes = DOCUMENT["components"]["securitySchemes"].as_object().expect("schemes");
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        let accepted = operation["security"].as_array().unwrap_or_else(|| panic!("{name}: security"));
        assert_eq!(accepted.is_empty(), OPEN_PATHS.contains(&path.as_str()), "{name}: security");
        for scheme in accepted.iter().flat_map(|accepted| accepted.as_object().expect("a scheme").keys()) {
            assert!(schemes.contains_key(scheme), "{name}: {scheme}");
        }
        if !accepted.is_empty() {
            // A directory may do everything that its protocol knows, if anything.
            let is_scim = accepted.iter().all(|scheme| scheme.get("scimToken").is_some());
            for status in ["401", "403"].into_iter().filter(|status| !is_scim || *status == "401") {
                assert!(operation["responses"][status].is_object(), "{name}: {status}");
            }
        }
    }
}

#[test]
fn every_answer_is_described_and_every_refusal_is_an_error() {
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        let answers = operation["responses"].as_object().expect("responses");
        let any = |class: char| answers.keys().any(|status| status.starts_with(class));
        assert!(any('2') || LEADING_ON.contains(&path.as_str()) && any('3'), "{name}: no way to succeed");
        assert!(any('4') || NEVER_REFUSED.contains(&path.as_str()), "{name}: never refused");
        if operation["requestBody"].is_object() {
            assert!(answers.contains_key("413") && answers.contains_key("415"), "{name} takes a body");
        }
        for (status, answer) in answers {
            assert!(is_said(&answer["description"]), "{name} {status}");
            for (header, said) in answer["headers"].as_object().into_iter().flatten() {
                assert!(is_said(&said["description"]), "{name} {status} {header}");
            }
            let content = &answer["content"]["application/json"];
            match status.as_bytes()[0] {
                b'4' | b'5' => {
                    // OpenFeature's protocol has a form of its own for what its providers decide by.
                    let by_protocol = path.starts_with("/ofrep/") && matches!(status.as_str(), "400" | "404");
                    // So has SCIM, for everything.
                    let expected = match path.as_str() {
                        _ if by_protocol => "EvaluationFailure",
                        path if path.starts_with("/scim/") => "ScimError",
                        _ => "ApiError",
                    };
                    let schema = format!("#/components/schemas/{expected}");
                    assert_eq!(content["schema"]["$ref"], schema, "{name} {status}");
                }
                _ => assert!(content.is_null() || !content["example"].is_null(), "{name} {status}: no example"),
            }
        }
        let body = &operation["requestBody"]["content"]["application/json"];
        assert!(body.is_null() || !body["example"].is_null(), "{name}: no example of the body");
    }
}

#[test]
fn every_parameter_is_described_and_every_part_of_an_address_is_one() {
    for (method, path, operation) in operations() {
        let parameters = operation.get("parameters").map_or(&[][..], |list| list.as_array().expect("a list"));
        let mut named = BTreeSet::new();
        for parameter in parameters {
            let name = parameter["name"].as_str().expect("text");
            assert!(is_said(&parameter["description"]), "{method} {path}: {name}");
            if parameter["in"] == "path" {
                assert_eq!(parameter["required"], json!(true), "{method} {path}: {name}");
                named.insert(format!("{{{name}}}"));
            }
        }
        let segments = path.split('/').filter(|segment| segment.starts_with('{')).map(str::to_owned).collect();
        assert_eq!(named, segments, "{method} {path}");
    }
}

#[test]
fn what_is_deprecated_says_since_when_and_what_to_use() {
    let said = Regex::new(r"Deprecated since\s\d+\.\d+\.\d+:\suse\s\S").expect("valid");
    let ids: BTreeSet<&str> = operations().filter_map(|(_, _, operation)| operation["operationId"].as_str()).collect();
    let mut silent = Vec::new();
    visit(&DOCUMENT, "", &mut |path, node| {
        let description = node["description"].as_str().unwrap_or_default();
        if node["deprecated"] == json!(true) && !said.is_match(description) {
            silent.push(path.to_owned());
        }
        if node["deprecated"] != json!(true) && said.is_match(description) {
            silent.push(format!("{path} is not marked"));
        }
    });
    assert!(silent.is_empty(), "{silent:#?}");
    // Where an operation is named, it exists and is not deprecated itself.
    let named = Regex::new(r"use\s`([a-z]\w*)`").expect("valid");
    for (_, _, operation) in operations().filter(|(_, _, operation)| operation["deprecated"] == json!(true)) {
        for name in
            named.captures_iter(operation["description"].as_str().expect("text")).map(|found| found[1].to_owned())
        {
            assert!(ids.contains(name.as_str()), "{}: {name}", operation["operationId"]);
            let instead = operations().find(|(_, _, operation)| operation["operationId"] == name).expect("found");
            assert!(instead.2["deprecated"] != json!(true), "{}: {name}", operation["operationId"]);
        }
    }
}
