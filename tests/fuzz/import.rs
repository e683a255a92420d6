//! Data sets that somebody wants to import.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use flagstone::{
    api::body::read_bytes,
    config::Limits,
    domain::{
        actor::Actor,
        feature_document::FeatureDocument,
        ids::{FeatureName, ProjectId},
        import::{
            Existing, ImportRequest, Known, KnownConfiguration, KnownFeature, KnownSegment, PlannedFeature,
            TargetProject, judge, missing, plan,
        },
        time::Timestamp,
        visibility::Visibility,
    },
};
use serde_json::Value;
use uuid::Uuid;

use crate::document::{document, seeds};

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

fn feature(id: i64, name: &str, project: &str, archived_at: Option<Timestamp>) -> KnownFeature {
    KnownFeature {
        id,
        document: FeatureDocument {
            archived_at,
            ..FeatureDocument::new(FeatureName::new(name), ProjectId::new(project), NOW)
        },
        is_parent: false,
        is_child: id == 4,
        parents: Vec::new(),
        tags: Vec::new(),
        links: Vec::new(),
        configuration: KnownConfiguration {
            enabled: true,
            has_strategies: true,
            has_enabled_strategies: true,
            variants: Vec::new(),
            strategies: Vec::new(),
        },
    }
}

/// A small instance, in which some of what the seeds name exists, and some of it elsewhere.
fn known() -> Known {
    let text = str::to_owned;
    let features =
        [("cart", "shop", None), ("old", "shop", Some(NOW)), ("elsewhere", "bank", None), ("child", "shop", None)];
    let features = (1..).zip(features);
    let types =
        ["default", "flexibleRollout", "userWithId", "gradualRolloutUserId", "remoteAddress", "applicationHostname"];
    let fields = [("userId", &[][..]), ("sessionId", &[]), ("appName", &[]), ("country", &["CH", "DE", "7"])];
    Known {
        project: TargetProject { id: text("shop"), default_stickiness: text("default"), ..TargetProject::default() },
        uses_environment: true,
        features: features
            .map(|(id, (name, project, archived))| (text(name), feature(id, name, project, archived)))
            .collect(),
        strategy_types: types.map(|name| (text(name), false)).into_iter().chain([(text("byTime"), true)]).collect(),
        context_fields: fields
            .map(|(name, legal)| (text(name), legal.iter().map(|value| text(value)).collect::<HashSet<_>>()))
            .into(),
        foreign_fields: HashSet::from([text("rank")]),
        segments: HashMap::from([
            (text("beta-testers"), KnownSegment { id: 1, project: None, is_placeholder: false }),
            (text("bankers"), KnownSegment { id: 2, project: Some(text("bank")), is_placeholder: true }),
        ]),
        tag_types: HashSet::from([text("simple")]),
        tags: HashSet::new(),
        feature_types: HashSet::from([text("release"), text("experiment")]),
        held_constraints: HashSet::new(),
        admits_constraints: false,
    }
}

/// What is written is read again as the same, judging is no matter of chance, and what has no fault can be done: with
/// every variant weighed, every reference leading somewhere, and events that tell of it.
pub fn clean_data_can_be_planned(input: &[u8]) {
    static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("import"));
    let body = document(input, &SEEDS).to_string();
    let Ok(request) = read_bytes::<ImportRequest>(body.as_bytes()) else { return };
    let written = serde_json::to_vec(&request).expect("JSON");
    assert_eq!(read_bytes::<ImportRequest>(&written).expect("what was written can be read"), request);
    let (known, bounds) = (known(), Limits::default().of_imports());
    let findings = judge(&request, &known, &Visibility::everything(), &bounds, |_| true);
    assert_eq!(judge(&request, &known, &Visibility::everything(), &bounds, |_| true), findings);
    let _ = missing(&request, &known, Existing { project: false, environment: false });
    if !findings.errors.is_empty() {
        return;
    }
    let plan = plan(&request, &known, NOW, Uuid::nil);
    let names: HashSet<&str> = plan.features.iter().map(PlannedFeature::name).collect();
    assert_eq!(names.len(), plan.features.len());
    let types: HashSet<&str> = plan.tag_types.iter().map(|kind| &*kind.name).collect();
    for feature in &plan.features {
        for variants in feature.strategies.iter().filter_map(|strategy| strategy.variants.as_ref()) {
            let total: i64 = variants.iter().map(|variant| variant.weight).sum();
            assert!(variants.is_empty() || total == 1000, "{variants:?}");
        }
        if let Some(variants) = &feature.variants {
            let total: f64 = variants.iter().map(|variant| variant.weight.get()).sum();
            assert!(variants.is_empty() || (total - 1000.0).abs() < f64::EPSILON, "{variants:?}");
        }
        for strategy in &feature.strategies {
            assert!(known.strategy_types.contains_key(&strategy.name));
            assert!(strategy.constraints.iter().flatten().all(|constraint| constraint.check_moved().is_ok()));
        }
        for parent in &feature.parents {
            assert!(names.contains(&*parent.parent) || known.features.contains_key(&parent.parent), "{parent:?}");
        }
        for tag in &feature.tags {
            assert!(types.contains(&*tag.kind) || known.tag_types.contains(&tag.kind), "{tag:?}");
        }
    }
    let events: Vec<_> = plan.events(&Actor::system()).collect();
    assert!(events.iter().all(|event| event.project.is_none() || event.project.as_ref() == Some(&request.project)));
    assert_eq!(plan.events(&Actor::system()).count(), events.len());
}
