//! The story that every generated client plays, here with the builders of progenitor.

use std::env;

use call_progenitor::{Client, Error, types};
use chrono::{TimeDelta, Utc};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn client(token: &str) -> Client {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_str(token).expect("a token is a header"));
    let http = reqwest::Client::builder().default_headers(headers).build().expect("a client without TLS");
    Client::new_with_client(&variable("FLAGSTONE_URL"), http)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn patch(path: &str, value: serde_json::Value) -> types::PatchOperation {
    let path = path.parse().expect("a pointer of allowed length");
    types::PatchOperation { op: types::PatchVerb::Replace, path, from: None, value: Some(value) }
}

async fn features(admin: &Client) -> Outcome {
    let profile = admin.get_profile().send().await?.into_inner();
    assert_eq!(profile.root_role.name, "Admin");
    assert!(profile.projects.is_empty() && profile.features.is_empty());

    let bakery = types::CreateProject::builder().id(types::CreateProjectId::try_from("bakery")?).name("Bakery");
    let created = admin.create_project().body(bakery).send().await?.into_inner();
    assert_eq!((created.id.as_str(), &created.description, created.feature_limit), ("bakery", &None, None));
    let timer = types::CreateFeature::builder()
        .name("oven-timer")
        .type_(types::CreateFeatureType::try_from("release")?)
        .description(types::CreateFeatureDescription::try_from("Rings when the bread is done")?);
    let timer = admin.create_feature().project_id("bakery").body(timer).send().await?.into_inner();
    assert_eq!(timer.description.as_deref(), Some("Rings when the bread is done"));
    let age = Utc::now() - timer.created_at.expect("a time of creation");
    assert!(age.abs() < TimeDelta::minutes(1));
    assert_eq!(timer.lifecycle.map(|lifecycle| lifecycle.stage), Some(types::LifecycleStage::Initial));
    assert_eq!(timer.archived_at, None);
    let second =
        types::CreateFeature::builder().name("sour-dough").type_(types::CreateFeatureType::try_from("experiment")?);
    admin.create_feature().project_id("bakery").body(second).send().await?;

    let steps = vec![patch("/description", serde_json::Value::Null), patch("/impressionData", true.into())];
    let patched =
        admin.patch_feature().project_id("bakery").feature_name("oven-timer").body(steps).send().await?.into_inner();
    assert_eq!((patched.description, patched.impression_data), (None, Some(true)));

    let list = admin.get_features().project_id("bakery").send().await?.into_inner();
    assert_eq!(list.version, 2);
    let names: Vec<&str> = list.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["oven-timer", "sour-dough"]);
    assert!(list.features[0].environments.iter().all(|environment| !environment.enabled));
    assert_eq!(list.features[0].environments.len(), 2);
    Ok(())
}

async fn searches(admin: &Client) -> Outcome {
    let found = admin
        .search_features()
        .project("IS:bakery")
        .sort_by("name")
        .limit("1")
        .status(vec![types::SearchFeaturesStatusItem::try_from("production:disabled")?])
        .send()
        .await?
        .into_inner();
    assert_eq!((found.total, found.features.len()), (Some(2.0), 1));
    let timer = &found.features[0];
    assert_eq!((timer.name.as_str(), &timer.dependency_type, timer.segments.len()), ("oven-timer", &None, 0));
    assert_eq!((timer.environments[0].yes, timer.created_by.id), (Some(0), -42));

    let events = admin.search_events().project("IS:bakery").type_("IS:feature-created").send().await?.into_inner();
    assert_eq!(events.total, 2);
    let latest = &events.events[0];
    assert_eq!(latest.type_, types::EventType::FeatureCreated);
    assert_eq!((latest.feature_name.as_deref(), &latest.pre_data), (Some("sour-dough"), &None));
    assert_eq!(latest.data.as_ref().and_then(|data| data.get("type")), Some(&"experiment".into()));

    let asked = types::EventSearch::builder()
        .type_(types::EventType::ProjectCreated)
        .project(types::EventSearchProject::try_from("bakery")?);
    let old = admin.deprecated_search_events().body(asked).send().await?.into_inner();
    assert_eq!((old.version.get(), old.total_events), (1, Some(1)));
    assert_eq!(old.events[0].project.as_deref(), Some("bakery"));
    Ok(())
}

async fn dependencies(admin: &Client) -> Outcome {
    let parent =
        types::AddFeatureDependency::builder().feature(types::AddFeatureDependencyFeature::try_from("oven-timer")?);
    admin.add_feature_dependency().project_id("bakery").feature_name("sour-dough").body(parent).send().await?;
    let found = admin.search_features().project("IS:bakery").sort_by("name").send().await?.into_inner();
    let role = |one: &types::SearchFeature| one.dependency_type.as_ref().map(|role| role.to_string());
    let roles: Vec<_> = found.features.iter().map(|one| (one.name.as_str(), role(one))).collect();
    assert_eq!(roles, [("oven-timer", Some("parent".to_owned())), ("sour-dough", Some("child".to_owned()))]);
    Ok(())
}

async fn reports(admin: &Client) -> Outcome {
    let report = admin.get_project_health_report().project_id("bakery").send().await?.into_inner();
    assert_eq!((report.mode, report.feature_limit), (types::ProjectMode::Open, None));
    assert_eq!((report.active_count, report.health), (2.0, 100));
    assert_eq!(report.feature_naming.and_then(|naming| naming.pattern), None);
    let overview = admin.get_deprecated_project_overview().project_id("bakery").send().await?.into_inner();
    assert_eq!(overview.stats.map(|stats| stats.created_current_window), Some(2.0));
    let environments: Vec<&str> = overview.environments.iter().map(|one| one.environment.as_str()).collect();
    assert_eq!(environments, ["development", "production"]);

    // As a file would hold it: what is exported elsewhere is sent on as it is.
    let data: types::ImportRequest = serde_json::from_value(serde_json::json!({
        "project": "bakery",
        "environment": "development",
        "data": {
            "features": [{ "name": "rye", "createdAt": "2026-01-02T03:04:05.000Z", "description": null }],
            "featureStrategies": [{
                "name": "proofing",
                "featureName": "rye",
                "constraints": [{ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": ["@example.com"] }],
            }],
            "tagTypes": [],
        },
    }))?;
    let findings = admin.validate_import().body(data).send().await?.into_inner();
    assert_eq!(findings.errors.len(), 1);
    assert_eq!(findings.errors[0].affected_items, ["proofing"]);
    assert!(findings.warnings.is_empty());

    let insights = admin.get_instance_insights().send().await?.into_inner();
    assert_eq!((insights.flags.total, insights.users.active), (2.0, 0.0));
    assert!(insights.user_trends[0].date > Utc::now() - TimeDelta::minutes(1));
    Ok(())
}

async fn settings(admin: &Client) -> Outcome {
    let first = admin.get_oidc_settings().send().await?.into_inner();
    assert!(matches!(first, types::OidcSettings::Disabled(types::OidcSettingsDisabled { enabled: Some(false), .. })));
    let given = types::OidcSettingsEnabled::builder()
        .enabled(true)
        .client_id("flagstone")
        .secret("kept to ourselves")
        .discover_url(types::OidcSettingsEnabledDiscoverUrl::try_from("https://login.example.com")?)
        .default_root_role(types::RootRole::Editor)
        .default_root_role_id(2.0)
        .id_token_signing_algorithm(types::SigningAlgorithm::Rs512);
    let given = types::OidcSettings::Enabled(given.try_into()?);
    let set = admin.set_oidc_settings().body(given.clone()).send().await?.into_inner();
    assert_eq!(serde_json::to_value(&set)?, serde_json::to_value(&given)?);
    let types::OidcSettings::Enabled(stored) = admin.get_oidc_settings().send().await?.into_inner() else {
        panic!("what is enabled came back as disabled");
    };
    assert_eq!((stored.client_id.as_str(), stored.secret.len()), ("flagstone", 17));
    assert_eq!(stored.id_token_signing_algorithm, Some(types::SigningAlgorithm::Rs512));
    let off = types::OidcSettingsDisabled::builder().enabled(false);
    let off = types::OidcSettings::Disabled(off.try_into()?);
    let set = admin.set_oidc_settings().body(off).send().await?.into_inner();
    assert_eq!(serde_json::to_value(&set)?, serde_json::json!({ "enabled": false }));

    let given = types::SamlSettingsEnabled::builder()
        .enabled(true)
        .entity_id("flagstone")
        .sign_on_url("https://login.example.com/saml")
        .certificate("MIIBszCCARw")
        .auto_create(true);
    let given = types::SamlSettings::Enabled(given.try_into()?);
    let set = admin.set_saml_settings().body(given.clone()).send().await?.into_inner();
    assert!(matches!(set, types::SamlSettings::Enabled(_)));
    assert_eq!(serde_json::to_value(&set)?, serde_json::to_value(&given)?);
    let off: types::SamlSettings =
        serde_json::from_value(serde_json::json!({ "enabled": false, "entityId": "flagstone" }))?;
    let set = admin.set_saml_settings().body(off).send().await?.into_inner();
    let types::SamlSettings::Disabled(set) = set else { panic!("what is disabled came back as enabled") };
    assert!(set.enabled == Some(false) && set.entity_id.is_some());
    Ok(())
}

/// The typed body of a refusal.
fn refused<T: std::fmt::Debug>(result: Result<T, Error<types::ApiError>>, status: u16, name: &str) -> types::ApiError {
    let Err(Error::ErrorResponse(response)) = result else { panic!("{name}: {result:?}") };
    assert_eq!(response.status().as_u16(), status, "{name}");
    let error = response.into_inner();
    assert_eq!(error.name, name);
    error
}

async fn refusals(admin: &Client) -> Outcome {
    refused(client("wrong").get_profile().send().await, 401, "AuthenticationRequired");
    let feature = || types::CreateFeature::builder().name("sour-dough");
    let program = client(&variable("FLAGSTONE_CLIENT_TOKEN"));
    refused(program.create_feature().project_id("bakery").body(feature()).send().await, 403, "NoAccessError");
    refused(admin.create_feature().project_id("bakery").body(feature()).send().await, 409, "NameExistsError");
    refused(admin.get_project_health_report().project_id("nowhere").send().await, 404, "NotFoundError");
    // The types allow no path that cannot be changed.
    assert!(types::PatchOperationPath::try_from("/colour").is_err());
    let steps = vec![patch("/stale", "brown".into())];
    let unfit = admin.patch_feature().project_id("bakery").feature_name("oven-timer").body(steps).send().await;
    let error = refused(unfit, 400, "ValidationError");
    assert_eq!(error.details[0].path.as_deref(), Some("/body/0/value"));
    Ok(())
}

fn main() -> Outcome {
    let admin = client(&variable("FLAGSTONE_ADMIN_TOKEN"));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        features(&admin).await?;
        searches(&admin).await?;
        dependencies(&admin).await?;
        reports(&admin).await?;
        settings(&admin).await?;
        refusals(&admin).await
    })
}
