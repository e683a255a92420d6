//! Everything that is stored of one feature, by column.

use std::collections::{BTreeMap, HashMap};

use flagstone::store::{
    db::Db,
    entity::{
        archived_dependency, client_metrics_daily, client_metrics_hourly, client_metrics_variant_daily,
        client_metrics_variant_hourly, favorite_feature, feature, feature_dependency, feature_environment,
        feature_lifecycle, feature_strategy, feature_tag, segment, strategy_segment, tag,
    },
};
use sea_orm::{ColumnTrait, EntityTrait, IdenStatic as _, Iterable as _, ModelTrait, QueryFilter, Value};

use super::list::{Verdict, Way, verdicts};

/// The values of each column, in an order that does not depend on ids.
#[derive(Debug, Default)]
pub struct Snapshot(BTreeMap<String, Vec<String>>);

/// Names for ids, which differ from instance to instance.
type Names = HashMap<(&'static str, i64), String>;

async fn names(db: &Db) -> Names {
    let mut names = Names::new();
    for row in feature::Entity::find().all(db).await.expect("features") {
        names.insert(("feature_dependency.parent_id", row.id), row.name);
    }
    for row in segment::Entity::find().all(db).await.expect("segments") {
        names.insert(("strategy_segment.segment_id", row.id), row.name);
    }
    for row in tag::Entity::find().all(db).await.expect("tags") {
        names.insert(("feature_tag.tag_id", row.id), format!("{}:{}", row.r#type, row.value));
    }
    names
}

impl Snapshot {
    /// Of a feature, in one environment or in all.
    pub async fn of(db: &Db, name: &str, environment: Option<&str>) -> Self {
        let names = names(db).await;
        let row = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await;
        let row = row.expect("reads").unwrap_or_else(|| panic!("no feature {name}"));
        let id = row.id;
        let is_here = |there: &str| environment.is_none_or(|environment| environment == there);
        let mut snapshot = Self::default();
        snapshot.add::<feature::Entity>(&names, &[row]);

        let mut rows = of_feature::<feature_environment::Entity>(db, feature_environment::Column::FeatureId, id).await;
        rows.retain(|row| is_here(&row.environment));
        rows.sort_by(|one, other| one.environment.cmp(&other.environment));
        snapshot.add::<feature_environment::Entity>(&names, &rows);

        let mut rows = of_feature::<feature_strategy::Entity>(db, feature_strategy::Column::FeatureId, id).await;
        rows.retain(|row| is_here(&row.environment));
        rows.sort_by_key(|row| (row.environment.clone(), row.sort_order));
        let places: HashMap<String, usize> = rows.iter().map(|row| row.id.clone()).zip(0..).collect();
        snapshot.add::<feature_strategy::Entity>(&names, &rows);

        let mut rows = of_feature::<strategy_segment::Entity>(db, strategy_segment::Column::FeatureId, id).await;
        rows.retain(|row| places.contains_key(&row.strategy_id));
        rows.sort_by_key(|row| {
            (places[&row.strategy_id], names[&("strategy_segment.segment_id", row.segment_id)].clone())
        });
        snapshot.add::<strategy_segment::Entity>(&names, &rows);

        let mut rows = of_feature::<feature_tag::Entity>(db, feature_tag::Column::FeatureId, id).await;
        rows.sort_by_key(|row| names[&("feature_tag.tag_id", row.tag_id)].clone());
        snapshot.add::<feature_tag::Entity>(&names, &rows);

        let mut rows = of_feature::<feature_dependency::Entity>(db, feature_dependency::Column::ChildId, id).await;
        rows.sort_by_key(|row| names[&("feature_dependency.parent_id", row.parent_id)].clone());
        snapshot.add::<feature_dependency::Entity>(&names, &rows);

        let rows = of_feature::<archived_dependency::Entity>(db, archived_dependency::Column::ChildId, id).await;
        snapshot.add::<archived_dependency::Entity>(&names, &rows);

        let mut rows = of_feature::<feature_lifecycle::Entity>(db, feature_lifecycle::Column::FeatureId, id).await;
        rows.sort_by(|one, other| one.stage.cmp(&other.stage));
        snapshot.add::<feature_lifecycle::Entity>(&names, &rows);

        let rows = of_feature::<favorite_feature::Entity>(db, favorite_feature::Column::FeatureId, id).await;
        snapshot.add::<favorite_feature::Entity>(&names, &rows);

        macro_rules! usage {
            ($($entity:ident)*) => {$(
                let rows = $entity::Entity::find().filter($entity::Column::FeatureName.eq(name)).all(db).await;
                let mut rows = rows.expect("usage");
                rows.retain(|row| is_here(&row.environment));
                snapshot.add::<$entity::Entity>(&names, &rows);
            )*};
        }
        usage!(client_metrics_hourly client_metrics_variant_hourly client_metrics_daily client_metrics_variant_daily);
        snapshot
    }

    fn add<E: EntityTrait>(&mut self, names: &Names, rows: &[E::Model])
    where
        E::Model: ModelTrait<Entity = E>,
    {
        for column in E::Column::iter() {
            let place = format!("{}.{}", E::default().table_name(), column.as_str());
            let told = |value: Value| match value {
                Value::BigInt(Some(id)) => {
                    let name = names.iter().find(|((column, of), _)| *column == place && *of == id);
                    name.map_or_else(|| id.to_string(), |(_, name)| name.clone())
                }
                value => format!("{value:?}"),
            };
            let values = rows.iter().map(|row| told(row.get(column))).collect();
            self.0.insert(place, values);
        }
    }

    /// The columns whose values are those of another snapshot.
    pub fn equal_columns(&self, other: &Self) -> Vec<&str> {
        let equal = self.0.iter().filter(|(column, values)| other.0.get(*column) == Some(values));
        equal.map(|(column, _)| &**column).collect()
    }
}

async fn of_feature<E: EntityTrait>(db: &Db, column: E::Column, id: i64) -> Vec<E::Model> {
    E::find().filter(column.eq(id)).all(db).await.expect("rows")
}

/// Holds each column of a copy against the list: as in the original, or as in a feature that was new at that moment.
#[track_caller]
pub fn assert_copied(way: Way, original: &Snapshot, copy: &Snapshot, new: &Snapshot) {
    let verdicts = verdicts(way);
    for (column, values) in &copy.0 {
        let whole = format!("{}.*", column.split_once('.').expect("a table").0);
        let verdict = verdicts.get(column).or_else(|| verdicts.get(&whole));
        match verdict.unwrap_or_else(|| panic!("{column} is not in the list")) {
            Verdict::Same => assert_eq!(*values, original.0[column], "{way:?}: {column} is as in the original"),
            Verdict::New => assert_eq!(*values, new.0[column], "{way:?}: {column} is as in a new feature"),
            Verdict::Own => {}
        }
    }
}
