//! Lists of a data set that are read item by item.

use poem_openapi::types::ParseFromJSON;

use super::ExportBody;
use crate::{
    api::body::{Item, Large},
    domain::import::{ImportData, ImportRequest},
    error::Error,
};

impl Large for ImportRequest {
    type Lists = ImportData;

    const WITHIN: &'static str = "data";

    const LISTS: &'static [&'static str] = &[
        "features",
        "featureStrategies",
        "featureEnvironments",
        "contextFields",
        "featureTags",
        "segments",
        "tagTypes",
        "dependencies",
        "links",
    ];

    fn gather(data: &mut ImportData, list: &str, item: Option<Item<'_>>) -> Result<(), Error> {
        match list {
            "features" => put(&mut data.features, item),
            "featureStrategies" => put(&mut data.feature_strategies, item),
            "featureEnvironments" => put(data.feature_environments.get_or_insert_default(), item),
            "contextFields" => put(data.context_fields.get_or_insert_default(), item),
            "featureTags" => put(data.feature_tags.get_or_insert_default(), item),
            "segments" => put(data.segments.get_or_insert_default(), item),
            "tagTypes" => put(&mut data.tag_types, item),
            "dependencies" => put(data.dependencies.get_or_insert_default(), item),
            "links" => put(data.links.get_or_insert_default(), item),
            other => Err(Error::internal(format!("nobody gathers {other}"))),
        }
    }

    fn with(self, gathered: ImportData) -> Self {
        let own = self.data;
        let data = ImportData {
            features: gathered.features,
            feature_strategies: gathered.feature_strategies,
            feature_environments: own.feature_environments.and(gathered.feature_environments),
            context_fields: own.context_fields.and(gathered.context_fields),
            feature_tags: own.feature_tags.and(gathered.feature_tags),
            segments: own.segments.and(gathered.segments),
            tag_types: gathered.tag_types,
            dependencies: own.dependencies.and(gathered.dependencies),
            links: own.links.and(gathered.links),
        };
        Self { data, ..self }
    }
}

/// Names only, of which there may be no more than fit.
impl Large for ExportBody {
    type Lists = ();

    const WITHIN: &'static str = "";

    const LISTS: &'static [&'static str] = &[];

    fn gather((): &mut (), list: &str, _: Option<Item<'_>>) -> Result<(), Error> {
        Err(Error::internal(format!("nobody gathers {list}")))
    }

    fn with(self, (): ()) -> Self {
        self
    }
}

fn put<T: ParseFromJSON + 'static>(list: &mut Vec<T>, item: Option<Item<'_>>) -> Result<(), Error> {
    match item {
        Some(item) => list.push(item.read()?),
        None => list.clear(),
    }
    Ok(())
}
