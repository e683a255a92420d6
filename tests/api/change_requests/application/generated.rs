//! Sequences of changes made up from a seed, sound and unsound, as direct calls and as changes of a request.

use flagstone::{
    domain::change_request::{Target, action::Action},
    store::change_requests::NewChange,
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    change_requests::world::{change, of},
    harness::{Answer, Client},
};

/// Numbers that follow from a seed (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let index = self.below(u64::try_from(of.len()).expect("few"));
        &of[usize::try_from(index).expect("few")]
    }
}

/// A feature of a sequence.
#[derive(Debug, Clone)]
pub struct Feature {
    pub name: String,
    pub id: i64,
    /// Ids of the strategies that it has before.
    pub strategies: Vec<String>,
}

/// Two features and a segment of the project.
#[derive(Debug, Clone)]
pub struct Scene {
    pub features: [Feature; 2],
    pub segment: i64,
}

/// One change, with its target by place so that it can be made in two worlds whose ids differ.
#[derive(Debug, Clone)]
pub struct Step {
    action: &'static str,
    feature: usize,
    strategy: usize,
    payload: Value,
}

/// Actions, the frequent ones more than once.
const ACTIONS: &[&str] = &[
    "updateEnabled",
    "updateEnabled",
    "updateEnabled",
    "addStrategy",
    "addStrategy",
    "addStrategy",
    "updateStrategy",
    "updateStrategy",
    "updateStrategy",
    "reorderStrategy",
    "patchVariant",
    "patchVariant",
    "deleteStrategy",
    "addDependency",
    "deleteDependency",
    "updateSegment",
    "updateSegment",
    "deleteSegment",
    "archiveFeature",
];

/// A sequence of one to eight steps. No two strategies get the same position, which would leave their order to their ids.
pub fn sequence(dice: &mut Dice, segment: i64) -> Vec<Step> {
    let mut steps: Vec<Step> = (0..=dice.below(8)).map(|_| step(dice, segment)).collect();
    // The last position is their number, which comes again once some are deleted.
    let deletes = steps.iter().any(|step| step.action == "deleteStrategy");
    for (index, step) in steps.iter_mut().enumerate().filter(|(_, step)| step.action == "addStrategy") {
        if deletes || step.payload.get("sortOrder").is_some() {
            step.payload["sortOrder"] = json!(100 + index);
        }
    }
    steps
}

/// A position that only the strategy at this place of its feature gets.
fn position(dice: &mut Dice, strategy: usize) -> Value {
    json!(20 + 2 * dice.below(5) + u64::try_from(strategy).expect("few"))
}

fn step(dice: &mut Dice, segment: i64) -> Step {
    // What ends something ends what comes after it, too: less often.
    let mut action = *dice.one_of(ACTIONS);
    if matches!(action, "archiveFeature" | "deleteSegment" | "deleteStrategy") && dice.below(2) == 0 {
        action = "updateEnabled";
    }
    let (feature, strategy) = (usize::from(dice.below(4) == 0), usize::from(dice.below(2) == 0));
    let payload = match action {
        "updateEnabled" => json!({
            "enabled": dice.below(2) == 0, "shouldActivateDisabledStrategies": dice.below(2) == 0,
        }),
        "addStrategy" | "updateStrategy" => definition(dice, segment, strategy),
        "reorderStrategy" => position(dice, strategy),
        "patchVariant" => variants(dice),
        "addDependency" => json!({ "enabled": dice.below(3) != 0 }),
        "updateSegment" => {
            let value = dice.below(3).to_string();
            json!({
                "description": format!("For {value}"),
                "constraints": [{ "contextName": "userId", "operator": "IN", "values": [value] }],
            })
        }
        _ => Value::Null,
    };
    Step { action, feature, strategy, payload }
}

fn definition(dice: &mut Dice, segment: i64, place: usize) -> Value {
    let mut strategy = json!({ "name": dice.one_of(&["default", "flexibleRollout"]) });
    if dice.below(2) == 0 {
        strategy["title"] = json!(format!("Title {}", dice.below(3)));
    }
    if dice.below(2) == 0 {
        strategy["disabled"] = json!(dice.below(2) == 0);
    }
    if dice.below(3) == 0 {
        strategy["sortOrder"] = position(dice, place);
    }
    if dice.below(3) == 0 {
        strategy["segments"] = json!([segment]);
    }
    if strategy["name"] == "flexibleRollout" {
        strategy["parameters"] = json!({ "rollout": dice.below(101).to_string() });
        if dice.below(2) == 0 {
            strategy["variants"] =
                json!([{ "name": "a", "weight": 0, "weightType": "variable", "stickiness": "default" }]);
        }
    }
    if dice.below(3) == 0 {
        // An unknown field is refused.
        let field = if dice.below(8) == 0 { "nowhere" } else { "userId" };
        strategy["constraints"] = json!([{ "contextName": field, "operator": "IN", "values": ["7"] }]);
    }
    strategy
}

fn variants(dice: &mut Dice) -> Value {
    let variants: Vec<Value> = (0..dice.below(4))
        // A name that comes twice is refused.
        .map(|index| if dice.below(9) == 0 { 0 } else { index })
        .map(|index| json!({ "name": format!("v{index}"), "weight": 0, "weightType": "variable", "stickiness": "default" }))
        .collect();
    json!(variants)
}

impl Step {
    /// The strategy that it is about, which the feature had before.
    fn strategy<'a>(&self, scene: &'a Scene) -> &'a str {
        &scene.features[self.feature].strategies[self.strategy]
    }

    fn with(&self, members: &[(&str, Value)]) -> Value {
        let mut payload = self.payload.clone();
        for (member, value) in members {
            payload[*member] = value.clone();
        }
        payload
    }

    fn segment(scene: &Scene) -> [(&'static str, Value); 2] {
        [("name", json!(format!("staff of {}", scene.features[0].name))), ("project", json!("shop"))]
    }

    /// It as a change of a request.
    pub fn change(&self, scene: &Scene) -> NewChange {
        let Feature { name, id, .. } = &scene.features[self.feature];
        let feature = Target::Feature { name: name.clone(), id: Some(*id) };
        let segment = Target::Segment(scene.segment);
        let (strategy, other) = (json!(self.strategy(scene)), &scene.features[1 - self.feature].name);
        match self.action {
            "updateStrategy" => of(feature, self.action, self.with(&[("id", strategy)])),
            "deleteStrategy" => of(feature, self.action, json!({ "id": strategy })),
            "reorderStrategy" => of(feature, self.action, json!([{ "id": strategy, "sortOrder": self.payload }])),
            "patchVariant" => of(feature, self.action, json!({ "variants": self.payload })),
            "addDependency" => of(feature, self.action, self.with(&[("feature", json!(other))])),
            "updateSegment" => {
                let payload = self.with(&[Self::segment(scene).as_slice(), &[("id", json!(scene.segment))]].concat());
                of(segment, self.action, payload)
            }
            "deleteSegment" => of(segment, self.action, json!({ "id": scene.segment })),
            "archiveFeature" | "deleteDependency" => {
                change(feature, Action::read(self.action, None).expect("an action"))
            }
            _ => of(feature, self.action, self.payload.clone()),
        }
    }

    /// Makes it by a direct call.
    pub async fn call(&self, client: &Client, scene: &Scene) -> Answer {
        let feature = format!("/api/admin/projects/shop/features/{}", scene.features[self.feature].name);
        let place = format!("{feature}/environments/development");
        let strategy = format!("{place}/strategies/{}", self.strategy(scene));
        let segment = format!("/api/admin/segments/{}", scene.segment);
        let dependencies = format!("{feature}/dependencies");
        let delete = async |path: &str| client.request(Method::DELETE, path, &[], Vec::new()).await;
        match self.action {
            "updateEnabled" => {
                let to = if self.payload["enabled"] == true { "on" } else { "off" };
                let activate = &self.payload["shouldActivateDisabledStrategies"];
                let path = format!("{place}/{to}?shouldActivateDisabledStrategies={activate}");
                client.request(Method::POST, &path, &[], Vec::new()).await
            }
            "addStrategy" => client.post(&format!("{place}/strategies"), self.payload.clone()).await,
            "updateStrategy" => client.json(Method::PUT, &strategy, self.payload.clone()).await,
            "deleteStrategy" => delete(&strategy).await,
            "reorderStrategy" => {
                let order = json!([{ "id": self.strategy(scene), "sortOrder": self.payload }]);
                client.post(&format!("{place}/strategies/set-sort-order"), order).await
            }
            "patchVariant" => client.json(Method::PUT, &format!("{place}/variants"), self.payload.clone()).await,
            "archiveFeature" => delete(&feature).await,
            "addDependency" => {
                let parent = json!(scene.features[1 - self.feature].name);
                client.post(&dependencies, self.with(&[("feature", parent)])).await
            }
            "deleteDependency" => delete(&dependencies).await,
            "updateSegment" => client.json(Method::PUT, &segment, self.with(&Self::segment(scene))).await,
            "deleteSegment" => delete(&segment).await,
            other => panic!("{other}"),
        }
    }
}
