//! Makes what a data set needs and the instance lacks, and returns the events.

use std::collections::BTreeMap;

use flagstone_domain::{
    actor::Actor,
    change_request,
    event::NewEvent,
    event_kind::EventKind,
    feature_type::FeatureType,
    ids::{EnvironmentName, ProjectId},
    import::{ImportRequest, LegalValue, Missing, NewStrategyType, PLACEHOLDER},
    time::Timestamp,
};
use flagstone_wire::Nullable;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use crate::{
    StoreError,
    change_requests::configuration,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::{context_field, strategy_type},
    environments, features,
    projects::{self, NewProject},
    segments::{self, NewSegment},
};

/// Position of what is made here: after what people have put in order.
const LAST: i64 = 9999;

/// Makes what is missing and returns the events, in the order of the steps.
pub async fn make(
    tx: &Tx,
    request: &ImportRequest,
    missing: &Missing,
    actor: &Actor,
    now: Timestamp,
) -> Result<Vec<NewEvent>, StoreError> {
    let maker = Maker { tx, actor, now };
    let (project, environment) = (&*request.project, &*request.environment);
    let mut events = Vec::new();
    if missing.project {
        events.push(maker.project(project).await?);
    }
    if let Some(kind) = missing.environment_type {
        events.push(maker.environment(environment, kind).await?);
    }
    if missing.connection {
        let event = NewEvent::new(EventKind::ProjectEnvironmentAdded, actor);
        events.push(event.in_project(project).in_environment(environment));
        let (project, environment) = (ProjectId::new(project), EnvironmentName::new(environment));
        environments::connect(tx, project, environment).await?;
        let approvals = configuration::start_with_default(tx, project, environment, now).await?;
        events.extend(change_request::event::configured(project, environment, None, approvals, actor));
    }
    for name in &missing.segments {
        events.push(maker.segment(name).await?);
    }
    for id in &missing.feature_types {
        events.push(maker.feature_type(id).await?);
    }
    for new in &missing.strategy_types {
        events.push(maker.strategy_type(new).await?);
    }
    maker.legal_values(&missing.legal_values, &mut events).await?;
    Ok(events)
}

struct Maker<'a> {
    tx: &'a Tx,
    actor: &'a Actor,
    now: Timestamp,
}

impl Maker<'_> {
    fn made(&self, kind: EventKind, data: &Value) -> NewEvent {
        NewEvent::new(kind, self.actor).with_data(data)
    }

    async fn project(&self, id: &str) -> Result<NewEvent, StoreError> {
        let new = NewProject::named(id, id);
        projects::insert(self.tx, &new, self.now).await?;
        let data = json!({
            "id": new.id,
            "name": new.name,
            "description": new.description,
            "mode": new.mode,
            "defaultStickiness": new.default_stickiness,
            "featureLimit": new.feature_limit,
        });
        Ok(self.made(EventKind::ProjectCreated, &data).in_project(id))
    }

    async fn environment(&self, name: &str, kind: &str) -> Result<NewEvent, StoreError> {
        environments::insert(self.tx, name, kind, LAST).await?;
        let data = json!({ "name": name, "type": kind, "enabled": true, "sortOrder": LAST });
        Ok(self.made(EventKind::EnvironmentCreated, &data).in_environment(name))
    }

    async fn segment(&self, name: &str) -> Result<NewEvent, StoreError> {
        let new = NewSegment {
            name: name.to_owned(),
            description: Some(PLACEHOLDER.to_owned()),
            created_by: Some(self.actor.name.clone()),
            ..NewSegment::default()
        };
        let id = segments::insert(self.tx, &new, self.now).await?;
        let data = json!({
            "id": id,
            "name": name,
            "description": PLACEHOLDER,
            "project": null,
            "constraints": [],
            "createdBy": self.actor.name,
            "createdAt": self.now,
        });
        Ok(self.made(EventKind::SegmentCreated, &data))
    }

    /// Makes a type. The log has no kind of event for it: the event is that of a change from nothing.
    async fn feature_type(&self, id: &str) -> Result<NewEvent, StoreError> {
        let new = FeatureType {
            id: id.to_owned(),
            name: id.to_owned(),
            description: String::new(),
            lifetime_days: Nullable(None),
        };
        features::types::insert(self.tx, &new).await?;
        Ok(NewEvent::new(EventKind::FeatureTypeUpdated, self.actor).with_data(&new))
    }

    async fn strategy_type(&self, new: &NewStrategyType) -> Result<NewEvent, StoreError> {
        let row = strategy_type::ActiveModel {
            name: Set(new.name.clone()),
            title: Set(None),
            description: Set(new.description.clone()),
            parameters: Set(to_json_column(&new.parameters)),
            built_in: Set(false),
            deprecated: Set(false),
            sort_order: Set(LAST),
        };
        strategy_type::Entity::insert(row).exec_without_returning(self.tx).await?;
        Ok(NewEvent::new(EventKind::StrategyCreated, self.actor).with_data(new))
    }

    /// Adds legal values to fields, after those that they have.
    async fn legal_values(
        &self,
        lacking: &BTreeMap<String, Vec<LegalValue>>,
        events: &mut Vec<NewEvent>,
    ) -> Result<(), StoreError> {
        for (name, new) in lacking {
            let Some(row) = context_field::Entity::find_by_id(name).one(self.tx).await? else { continue };
            let mut legal: Vec<LegalValue> = json_column("context_field.legal_values", &row.legal_values)?;
            let before = field_data(&row, &legal);
            legal.extend(new.iter().cloned());
            context_field::Entity::update_many()
                .col_expr(context_field::Column::LegalValues, Expr::value(to_json_column(&legal)))
                .filter(context_field::Column::Name.eq(name))
                .exec(self.tx)
                .await?;
            let event = self.made(EventKind::ContextFieldUpdated, &field_data(&row, &legal)).with_pre_data(&before);
            events.push(event.belonging_to(row.project.as_deref()));
        }
        Ok(())
    }
}

fn field_data(row: &context_field::Model, legal: &[LegalValue]) -> Value {
    let mut data = json!({
        "name": row.name,
        "description": row.description,
        "stickiness": row.stickiness,
        "sortOrder": row.sort_order,
        "legalValues": legal,
    });
    if let Some(project) = &row.project {
        data["project"] = json!(project);
    }
    data
}
