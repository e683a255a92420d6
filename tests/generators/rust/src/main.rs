//! The story that every generated client plays, here with openapi-generator's functions for Rust.
#![expect(deprecated, reason = "the contract has three operations that are")]

use std::{env, fmt::Debug};

use chrono::{TimeDelta, Utc};
use flagstone_client::{
    apis::{
        Error, authentication_api, configuration::ApiKey, configuration::Configuration, dependencies_api, events_api,
        features_api, import_export_api, instance_api, profile_api, projects_api, search_api,
    },
    models,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn client(token: &str) -> Configuration {
    let api_key = Some(ApiKey { prefix: None, key: token.to_owned() });
    Configuration { base_path: variable("FLAGSTONE_URL"), api_key, ..Configuration::new() }
}

fn patch(path: &str, value: serde_json::Value) -> models::PatchOperation {
    let operation = models::PatchOperation::new(path.to_owned(), models::PatchVerb::Replace);
    models::PatchOperation { value: Some(Some(value)), ..operation }
}

async fn features(admin: &Configuration) -> Outcome {
    let profile = profile_api::get_profile(admin).await?;
    assert_eq!(profile.root_role.name, "Admin");
    assert!(profile.projects.is_empty() && profile.features.is_empty());

    let bakery =
        models::CreateProject { id: Some("bakery".to_owned()), ..models::CreateProject::new("Bakery".to_owned()) };
    let created = projects_api::create_project(admin, bakery, None).await?;
    assert_eq!((created.id.as_str(), created.description, created.feature_limit), ("bakery", None, None));
    let timer = models::CreateFeature {
        r#type: Some("release".to_owned()),
        description: Some(Some("Rings when the bread is done".to_owned())),
        ..models::CreateFeature::new("oven-timer".to_owned())
    };
    let timer = features_api::create_feature(admin, "bakery", timer, None).await?;
    assert_eq!(timer.description, Some(Some("Rings when the bread is done".to_owned())));
    let age = Utc::now() - timer.created_at.flatten().expect("a time of creation").to_utc();
    assert!(age.abs() < TimeDelta::minutes(1));
    assert_eq!(timer.lifecycle.map(|lifecycle| lifecycle.stage), Some(models::LifecycleStage::Initial));
    assert_eq!(timer.archived_at, Some(None));
    let second = models::CreateFeature {
        r#type: Some("experiment".to_owned()),
        ..models::CreateFeature::new("sour-dough".to_owned())
    };
    features_api::create_feature(admin, "bakery", second, None).await?;

    let steps = vec![patch("/description", serde_json::Value::Null), patch("/impressionData", true.into())];
    let patched = features_api::patch_feature(admin, "bakery", "oven-timer", steps, None).await?;
    assert_eq!((patched.description, patched.impression_data), (Some(None), Some(true)));

    let list = features_api::get_features(admin, "bakery", None, None).await?;
    assert_eq!(list.version, 2);
    let names: Vec<&str> = list.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["oven-timer", "sour-dough"]);
    let environments = list.features[0].environments.as_ref().expect("environments");
    assert_eq!(environments.iter().map(|environment| environment.enabled).collect::<Vec<_>>(), [false, false]);
    Ok(())
}

async fn searches(admin: &Configuration) -> Outcome {
    let status = Some(vec!["production:disabled".to_owned()]);
    let found = search_api::search_features(
        admin,
        None,
        Some("IS:bakery"),
        None,
        None,
        None,
        None,
        None,
        status,
        None,
        Some("1"),
        Some("name"),
        None,
        None,
        None,
        None,
    )
    .await?;
    assert_eq!((found.total, found.features.len()), (Some(2.0), 1));
    let timer = &found.features[0];
    assert_eq!((timer.name.as_str(), &timer.dependency_type, timer.segments.len()), ("oven-timer", &None, 0));
    assert_eq!((timer.environments[0].yes, timer.created_by.id), (Some(0), -42));

    let project = Some("IS:bakery");
    let kind = Some("IS:feature-created");
    let events =
        search_api::search_events(admin, None, None, project, kind, None, None, None, None, None, None).await?;
    assert_eq!(events.total, 2);
    let latest = &events.events[0];
    assert_eq!(latest.r#type, models::EventType::FeatureCreated);
    assert_eq!((&latest.feature_name, &latest.pre_data), (&Some(Some("sour-dough".to_owned())), &Some(None)));
    let data = latest.data.as_ref().and_then(Option::as_ref).expect("data");
    assert_eq!(data["type"], "experiment");

    let asked = models::EventSearch {
        r#type: Some(models::EventType::ProjectCreated),
        project: Some("bakery".to_owned()),
        ..models::EventSearch::new()
    };
    let old = events_api::deprecated_search_events(admin, Some(asked)).await?;
    assert_eq!((old.version, old.total_events), (1, Some(1)));
    assert_eq!(old.events[0].project, Some(Some("bakery".to_owned())));
    Ok(())
}

async fn dependencies(admin: &Configuration) -> Outcome {
    let parent = models::AddFeatureDependency::new("oven-timer".to_owned());
    dependencies_api::add_feature_dependency(admin, "bakery", "sour-dough", parent, None).await?;
    let (project, sort_by) = (Some("IS:bakery"), Some("name"));
    let found = search_api::search_features(
        admin, None, project, None, None, None, None, None, None, None, None, sort_by, None, None, None, None,
    )
    .await?;
    let kinds: Vec<_> = found.features.iter().map(|one| (one.name.as_str(), one.dependency_type.as_deref())).collect();
    assert_eq!(kinds, [("oven-timer", Some("parent")), ("sour-dough", Some("child"))]);
    Ok(())
}

async fn reports(admin: &Configuration) -> Outcome {
    let report = projects_api::get_project_health_report(admin, "bakery").await?;
    assert_eq!((report.mode, report.feature_limit), (models::ProjectMode::Open, Some(None)));
    assert_eq!((report.active_count, report.health), (2.0, 100));
    assert_eq!(report.feature_naming.expect("a pattern").pattern, None);
    let overview = projects_api::get_deprecated_project_overview(admin, "bakery", None).await?;
    assert_eq!(overview.stats.map(|stats| stats.created_current_window), Some(2.0));
    let environments = overview.environments.expect("environments");
    let names: Vec<&str> = environments.iter().map(|one| one.environment.as_str()).collect();
    assert_eq!(names, ["development", "production"]);

    let ends_with = models::Constraint {
        values: Some(vec!["@example.com".to_owned()]),
        ..models::Constraint::new("userId".to_owned(), models::ConstraintOperator::StrEndsWith)
    };
    let strategy = models::FeatureStrategy {
        feature_name: Some("rye".to_owned()),
        constraints: Some(vec![ends_with]),
        ..models::FeatureStrategy::new("proofing".to_owned())
    };
    let feature = models::Feature {
        created_at: Some(Some("2026-01-02T03:04:05.000Z".parse()?)),
        description: Some(None),
        ..models::Feature::new("rye".to_owned())
    };
    let data = models::ImportData::new(vec![feature], vec![strategy], Vec::new());
    let import = models::ImportRequest::new("bakery".to_owned(), "development".to_owned(), data);
    let findings = import_export_api::validate_import(admin, import).await?;
    assert_eq!(findings.errors.len(), 1);
    assert_eq!(findings.errors[0].affected_items, ["proofing"]);
    assert!(findings.warnings.is_empty());

    let insights = instance_api::get_instance_insights(admin).await?;
    assert_eq!((insights.flags.total, insights.users.active), (2.0, 0.0));
    assert!(insights.user_trends[0].date > Utc::now() - TimeDelta::minutes(1));
    Ok(())
}

async fn settings(admin: &Configuration) -> Outcome {
    use models::{OidcSettings, OidcSettingsDisabled, OidcSettingsEnabled};
    use models::{SamlSettings, SamlSettingsDisabled, SamlSettingsEnabled};

    let off = OidcSettingsDisabled { enabled: Some(false), ..OidcSettingsDisabled::new() };
    let off = OidcSettings::OidcSettingsDisabled(Box::new(off));
    assert_eq!(authentication_api::get_oidc_settings(admin, None).await?, off);
    let given = OidcSettings::OidcSettingsEnabled(Box::new(OidcSettingsEnabled {
        discover_url: Some("https://login.example.com".to_owned()),
        default_root_role: Some(models::RootRole::Editor),
        default_root_role_id: Some(2.0),
        id_token_signing_algorithm: Some(models::SigningAlgorithm::Rs512),
        ..OidcSettingsEnabled::new(true, "flagstone".to_owned(), "kept to ourselves".to_owned())
    }));
    assert_eq!(authentication_api::set_oidc_settings(admin, given.clone(), None).await?, given);
    assert_eq!(authentication_api::get_oidc_settings(admin, None).await?, given);
    assert_eq!(authentication_api::set_oidc_settings(admin, off.clone(), None).await?, off);

    let (entity, address) = ("flagstone".to_owned(), "https://login.example.com/saml".to_owned());
    let given = SamlSettings::SamlSettingsEnabled(Box::new(SamlSettingsEnabled {
        auto_create: Some(true),
        ..SamlSettingsEnabled::new(true, entity.clone(), address, "MIIBszCCARw".to_owned())
    }));
    assert_eq!(authentication_api::set_saml_settings(admin, given.clone(), None).await?, given);
    let off = SamlSettingsDisabled { enabled: Some(false), entity_id: Some(entity), ..SamlSettingsDisabled::new() };
    let off = SamlSettings::SamlSettingsDisabled(Box::new(off));
    assert_eq!(authentication_api::set_saml_settings(admin, off.clone(), None).await?, off);
    Ok(())
}

/// Returns the error of a result that was refused as `name`, whose typed body `body` finds.
fn refused<T: Debug, E: Debug>(
    result: Result<T, Error<E>>,
    status: u16,
    name: &str,
    body: impl FnOnce(E) -> Option<models::ApiError>,
) -> models::ApiError {
    let Err(Error::ResponseError(response)) = result else { panic!("{name}: {result:?}") };
    assert_eq!(response.status.as_u16(), status, "{name}");
    let error = response.entity.and_then(body).unwrap_or_else(|| panic!("{name}: {}", response.content));
    assert_eq!(error.name, name);
    error
}

async fn refusals(admin: &Configuration) -> Outcome {
    use features_api::{CreateFeatureError, PatchFeatureError};

    // The generated type of a refusal does not look at the status: the first of its sides always fits.
    let create = |error| if let CreateFeatureError::Status400(body) = error { Some(body) } else { None };
    let nobody = profile_api::get_profile(&client("wrong")).await;
    refused(nobody, 401, "AuthenticationRequired", |error| {
        if let profile_api::GetProfileError::Status401(body) = error { Some(body) } else { None }
    });
    let feature = || models::CreateFeature::new("sour-dough".to_owned());
    let program = client(&variable("FLAGSTONE_CLIENT_TOKEN"));
    refused(features_api::create_feature(&program, "bakery", feature(), None).await, 403, "NoAccessError", create);
    refused(features_api::create_feature(admin, "bakery", feature(), None).await, 409, "NameExistsError", create);
    let nowhere = projects_api::get_project_health_report(admin, "nowhere").await;
    refused(nowhere, 404, "NotFoundError", |error| {
        if let projects_api::GetProjectHealthReportError::Status400(body) = error { Some(body) } else { None }
    });
    let steps = vec![patch("/colour", "brown".into())];
    let unknown = features_api::patch_feature(admin, "bakery", "oven-timer", steps, None).await;
    let error = refused(unknown, 400, "ValidationError", |error| {
        if let PatchFeatureError::Status400(body) = error { Some(body) } else { None }
    });
    assert_eq!(error.details.expect("details")[0].path.as_deref(), Some("/body/0/path"));
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
