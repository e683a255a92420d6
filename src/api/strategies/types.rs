//! Strategy types: those that come with the server, and custom ones.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{
            Created, Done, EditRefusals, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals, RemoveUnusedRefusals,
        },
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::strategy_types::unknown,
    domain::{
        address::{self, Named},
        naming::is_url_friendly,
        strategy_type::{StrategyParameter, StrategyType, StrategyTypeDefinition},
    },
    error::Error,
    state::State,
    store,
    wire::Nullable,
};

crate::api::answer::refusals! {
    /// Making a strategy type, which belongs to nothing that could be missing.
    NewStrategyTypeRefusals = 400, 401, 403, 409, 413, 415, 503;
}

/// The operations on strategy types.
#[derive(Debug)]
pub struct StrategyTypesApi;

/// The strategy types.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "StrategyTypes")]
pub struct StrategyTypesBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The strategy types: built-in ones first, then the others by name.
    pub strategies: Vec<StrategyType>,
}

/// A strategy type to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreateStrategyType", rename_all = "camelCase")]
pub struct NewStrategyTypeBody {
    /// Unique name: 1 to 100 characters that need no encoding in a URL.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// Title for people. Absent or `null` means none.
    #[oai(validator(max_length = 1000))]
    pub title: Option<Nullable<String>>,
    /// Description of what strategies of this type do. Absent or `null` means empty.
    #[oai(validator(max_length = 10_000))]
    pub description: Option<Nullable<String>>,
    /// The parameters that strategies of this type take; their names differ from each other.
    #[oai(validator(max_items = 100))]
    pub parameters: Vec<StrategyParameter>,
}

/// Settings of a strategy type. What is absent is reset.
#[derive(Debug, Clone, Object)]
#[oai(rename = "StrategyTypeChange", rename_all = "camelCase")]
pub struct StrategyTypeChangeBody {
    /// The name, which cannot be changed. Absent means the one in the path.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: Option<String>,
    /// Title for people. Absent or `null` means none.
    #[oai(validator(max_length = 1000))]
    pub title: Option<Nullable<String>>,
    /// Description of what strategies of this type do. Absent or `null` means empty.
    #[oai(validator(max_length = 10_000))]
    pub description: Option<Nullable<String>>,
    /// The parameters that strategies of this type take; their names differ from each other.
    #[oai(validator(max_items = 100))]
    pub parameters: Vec<StrategyParameter>,
}

#[OpenApi(tag = "Tag::Strategies")]
impl StrategyTypesApi {
    /// List the strategy types
    ///
    /// Built-in strategy types first, then the others by name.
    #[oai(path = "/api/admin/strategies", method = "get", operation_id = "getAllStrategies")]
    async fn get_all_strategies(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<StrategyTypesBody>, Fails<ReadRefusals>> {
        let strategies = store::strategies::types::list(&state.db).await?;
        Ok(Out(StrategyTypesBody { version: 1, strategies }))
    }

    /// Get a strategy type
    ///
    /// With its parameters.
    #[oai(path = "/api/admin/strategies/:strategyName", method = "get", operation_id = "getStrategy")]
    async fn get_strategy(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "strategyName")] strategy_name: Path<String>,
    ) -> Result<Versioned<StrategyType>, Fails<LookupRefusals>> {
        let found = store::strategies::types::find(&state.db, &strategy_name.0).await?;
        Ok(Versioned::whole(found.ok_or_else(|| unknown(&strategy_name.0))?))
    }

    /// Create a strategy type
    ///
    /// SDKs need an implementation of a custom strategy type to evaluate it.
    #[oai(path = "/api/admin/strategies", method = "post", operation_id = "createStrategy")]
    async fn create_strategy(
        &self,
        caller: Permitted<need::CreateStrategy>,
        Data(state): Data<&State>,
        body: Body<NewStrategyTypeBody>,
    ) -> Result<Created<StrategyType>, Fails<NewStrategyTypeRefusals>> {
        let given = body.read()?;
        let name = given.name;
        if !is_url_friendly(&name) {
            return Err(Error::property("/body/name", "must be URL friendly").into());
        }
        address::judge(Named::StrategyType, &name).map_err(|fault| Error::property("/body/name", fault))?;
        let new = definition(given.title, given.description, given.parameters)?;
        Ok(Created(author(&caller, state).create_strategy_type(&name, new).await?))
    }

    /// Update a strategy type
    ///
    /// Replaces the stored values: what is absent is reset. Strategies of the type stay as they are. Built-in types
    /// cannot be changed: 403. A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/strategies/:strategyName", method = "put", operation_id = "updateStrategy")]
    async fn update_strategy(
        &self,
        caller: Permitted<need::UpdateStrategy>,
        Data(state): Data<&State>,
        #[oai(name = "strategyName")] strategy_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<StrategyTypeChangeBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let given = body.read()?;
        let edit = |before: &StrategyType| {
            if given.name.is_some_and(|name| name != before.name) {
                let rule = "must be the name in the address: strategy types keep their names";
                return Err(Error::property("/body/name", rule));
            }
            definition(given.title, given.description, given.parameters)
        };
        author(&caller, state).update_strategy_type(&strategy_name.0, &if_match, edit).await?;
        Ok(Done)
    }

    /// Delete a strategy type
    ///
    /// 409 while any feature, archived or not, has a strategy of the type; the error names those that the caller may see.
    /// Built-in types cannot be deleted: 403.
    #[oai(path = "/api/admin/strategies/:strategyName", method = "delete", operation_id = "removeStrategy")]
    async fn remove_strategy(
        &self,
        caller: Permitted<need::DeleteStrategy>,
        Data(state): Data<&State>,
        #[oai(name = "strategyName")] strategy_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        author(&caller, state).delete_strategy_type(&strategy_name.0, &if_match).await?;
        Ok(Done)
    }

    /// Deprecate a strategy type
    ///
    /// Marks the type as one that should not be used for new strategies; existing strategies keep working. Built-in
    /// types stay as they are.
    #[oai(path = "/api/admin/strategies/:strategyName/deprecate", method = "post", operation_id = "deprecateStrategy")]
    async fn deprecate_strategy(
        &self,
        caller: Permitted<need::UpdateStrategy>,
        Data(state): Data<&State>,
        #[oai(name = "strategyName")] strategy_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        author(&caller, state).deprecate_strategy_type(&strategy_name.0, &if_match, true).await?;
        Ok(Done)
    }

    /// Reactivate a strategy type
    ///
    /// Removes the deprecation mark. Built-in types stay as they are.
    #[oai(
        path = "/api/admin/strategies/:strategyName/reactivate",
        method = "post",
        operation_id = "reactivateStrategy"
    )]
    async fn reactivate_strategy(
        &self,
        caller: Permitted<need::UpdateStrategy>,
        Data(state): Data<&State>,
        #[oai(name = "strategyName")] strategy_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        author(&caller, state).deprecate_strategy_type(&strategy_name.0, &if_match, false).await?;
        Ok(Done)
    }
}

fn definition(
    title: Option<Nullable<String>>,
    description: Option<Nullable<String>>,
    parameters: Vec<StrategyParameter>,
) -> Result<StrategyTypeDefinition, Error> {
    let given = StrategyTypeDefinition {
        title: title.and_then(Nullable::into_inner),
        description: description.and_then(Nullable::into_inner).unwrap_or_default(),
        parameters,
    };
    given.settled().map_err(|index| {
        Error::property(format!("/body/parameters/{index}/name"), "must differ from the names of other parameters")
    })
}
