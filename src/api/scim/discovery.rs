//! Discovery of the server's abilities, as the protocol demands it.

use std::sync::LazyLock;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    answer::{DiscoveryRefusals, Resource},
    body::{GROUP_SCHEMA, LIST_SCHEMA, MetaBody, USER_SCHEMA},
    directory::Directory,
    refusal::ScimFails,
    users::MOST_COUNT,
};
use crate::{api::Tag, domain::scim::bulk::MOST_BULK_OPERATIONS, error::Error, state::State};

const CONFIG_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";
const TYPE_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const SCHEMA_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Schema";

/// The schemas of users and groups, with the attributes that are kept here.
static SCHEMAS: LazyLock<Vec<SchemaDefinition>> =
    LazyLock::new(|| serde_json::from_str(include_str!("schemas.json")).expect("the file beside this one fits"));

/// The operations for discovery.
#[derive(Debug)]
pub struct ScimDiscoveryApi;

/// Whether a feature of SCIM is supported.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimFeature")]
pub struct FeatureBody {
    /// Whether it can.
    pub supported: bool,
}

/// Whether filters are supported.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimFilterFeature", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FilterFeatureBody {
    /// Whether they can.
    pub supported: bool,
    /// Most entries of a list.
    pub max_results: i64,
}

/// Whether bulk operations are supported.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimBulkFeature", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct BulkFeatureBody {
    /// Whether they can.
    pub supported: bool,
    /// Most of them.
    pub max_operations: i64,
    /// Most bytes of them.
    pub max_payload_size: i64,
}

/// Authentication scheme for the directory.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimAuthenticationScheme", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AuthenticationSchemeBody {
    /// The kind of proof.
    pub r#type: String,
    /// Name of the scheme.
    pub name: String,
    /// Description of the scheme.
    pub description: String,
    /// URL of its specification.
    pub spec_uri: String,
    /// Whether it is the preferred one.
    pub primary: bool,
}

/// Supported parts of SCIM.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimServiceProviderConfig", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ServiceProviderConfigBody {
    /// The schema of this.
    pub schemas: Vec<String>,
    /// Whether PATCH is supported.
    pub patch: FeatureBody,
    /// Whether bulk operations are supported.
    pub bulk: BulkFeatureBody,
    /// Whether filters are supported.
    pub filter: FilterFeatureBody,
    /// Whether passwords can be changed.
    pub change_password: FeatureBody,
    /// Whether lists can be sorted.
    pub sort: FeatureBody,
    /// Whether `ETag` headers are supported.
    pub etag: FeatureBody,
    /// Authentication scheme for the directory.
    pub authentication_schemes: Vec<AuthenticationSchemeBody>,
    /// Metadata.
    pub meta: MetaBody,
}

/// A SCIM resource type.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimResourceType", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ResourceTypeBody {
    /// The schema of this.
    pub schemas: Vec<String>,
    /// Its id: `User` or `Group`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Description of the resource type.
    pub description: String,
    /// Path of its endpoint, below `/scim`.
    pub endpoint: String,
    /// Id of the schema of one.
    pub schema: String,
    /// Metadata.
    pub meta: MetaBody,
}

/// The SCIM resource types.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimResourceTypeList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ResourceTypeListBody {
    /// The schema of lists.
    pub schemas: Vec<String>,
    /// Number of resource types.
    pub total_results: i64,
    /// Place of the first one: 1.
    pub start_index: i64,
    /// Number of resource types in this answer: all.
    pub items_per_page: i64,
    /// All of them.
    #[oai(rename = "Resources")]
    #[serde(rename = "Resources")]
    pub resources: Vec<ResourceTypeBody>,
}

macro_rules! attribute {
    ($(#[$doc:meta])* $name:ident = $schema:literal { $($part:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, Object)]
        #[oai(rename = $schema, rename_all = "camelCase", skip_serializing_if_is_none)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// Its name.
            pub name: String,
            /// Type of its values: `string`, `boolean`, `reference` or `complex`.
            pub r#type: String,
            /// Whether it can have several values.
            pub multi_valued: bool,
            /// Meaning of the attribute.
            pub description: String,
            /// Whether it must be there.
            pub required: bool,
            /// Whether it is case-sensitive. Absent for attributes without text.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub case_exact: Option<bool>,
            /// Mutability: `readWrite`, `readOnly` or `immutable`.
            pub mutability: String,
            /// When it is returned: always `default`.
            pub returned: String,
            /// Uniqueness: `none` or `server`. Absent for attributes without text.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub uniqueness: Option<String>,
            /// Canonical values. Absent when there are none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub canonical_values: Option<Vec<String>>,
            /// Types of the resources that it refers to. Absent unless its type is `reference`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reference_types: Option<Vec<String>>,
            $($part)*
        }
    };
}

attribute! {
    /// A part of an attribute.
    SubAttributeBody = "ScimSubAttribute" {}
}

attribute! {
    /// An attribute of SCIM users or groups.
    AttributeBody = "ScimAttribute" {
        /// Its sub-attributes. Absent when it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub sub_attributes: Option<Vec<SubAttributeBody>>,
    }
}

#[derive(Debug, Clone, Deserialize)]
struct SchemaDefinition {
    id: String,
    name: String,
    description: String,
    attributes: Vec<AttributeBody>,
}

/// The attributes of users or groups.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimSchema", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SchemaBody {
    /// The schema of this.
    pub schemas: Vec<String>,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Description of the schema.
    pub description: String,
    /// The attributes.
    pub attributes: Vec<AttributeBody>,
    /// Metadata.
    pub meta: MetaBody,
}

/// The SCIM schemas.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimSchemaList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SchemaListBody {
    /// The schema of lists.
    pub schemas: Vec<String>,
    /// Number of schemas.
    pub total_results: i64,
    /// Place of the first one: 1.
    pub start_index: i64,
    /// Number of schemas in this answer: all.
    pub items_per_page: i64,
    /// All of them.
    #[oai(rename = "Resources")]
    #[serde(rename = "Resources")]
    pub resources: Vec<SchemaBody>,
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimDiscoveryApi {
    /// Get the SCIM service provider configuration
    ///
    /// The parts of the protocol that this server supports.
    #[oai(path = "/scim/ServiceProviderConfig", method = "get", operation_id = "getScimServiceProviderConfig")]
    async fn get_scim_service_provider_config(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
    ) -> Result<Resource<ServiceProviderConfigBody>, ScimFails<DiscoveryRefusals>> {
        let feature = |supported| FeatureBody { supported };
        let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let bulk = BulkFeatureBody {
            supported: true,
            max_operations: whole(MOST_BULK_OPERATIONS),
            max_payload_size: whole(state.config.body_limits.standard_bytes),
        };
        let body = ServiceProviderConfigBody {
            schemas: vec![CONFIG_SCHEMA.to_owned()],
            patch: feature(true),
            bulk,
            filter: FilterFeatureBody { supported: true, max_results: i64::try_from(MOST_COUNT).unwrap_or(i64::MAX) },
            change_password: feature(false),
            sort: feature(true),
            etag: feature(true),
            authentication_schemes: vec![AuthenticationSchemeBody {
                r#type: "oauthbearertoken".to_owned(),
                name: "Bearer token".to_owned(),
                description: "The token of the settings of SCIM, after the word Bearer.".to_owned(),
                spec_uri: "https://www.rfc-editor.org/info/rfc6750".to_owned(),
                primary: true,
            }],
            meta: meta("ServiceProviderConfig", "ServiceProviderConfig", &directory),
        };
        Ok(Resource::whole(&body, &directory))
    }

    /// List the SCIM resource types
    ///
    /// Users and groups.
    #[oai(path = "/scim/ResourceTypes", method = "get", operation_id = "getScimResourceTypes")]
    async fn get_scim_resource_types(
        &self,
        directory: Directory,
    ) -> Result<Resource<ResourceTypeListBody>, ScimFails<DiscoveryRefusals>> {
        Ok(list(&resource_types(&directory), &directory))
    }

    /// Get a SCIM resource type
    ///
    /// The endpoint and the schema of each.
    #[oai(path = "/scim/ResourceTypes/:id", method = "get", operation_id = "getScimResourceType")]
    async fn get_scim_resource_type(
        &self,
        directory: Directory,
        /// `User` or `Group`.
        id: Path<String>,
    ) -> Result<Resource<ResourceTypeBody>, ScimFails<DiscoveryRefusals>> {
        let found = resource_types(&directory).into_iter().find(|kind| kind.id.eq_ignore_ascii_case(&id.0));
        let found = found.ok_or_else(|| Error::NotFound("There are the kinds User and Group.".to_owned()))?;
        Ok(Resource::whole(&found, &directory))
    }

    /// List the SCIM schemas
    ///
    /// Schemas with the attributes that this server stores; others are left out.
    #[oai(path = "/scim/Schemas", method = "get", operation_id = "getScimSchemas")]
    async fn get_scim_schemas(
        &self,
        directory: Directory,
    ) -> Result<Resource<SchemaListBody>, ScimFails<DiscoveryRefusals>> {
        Ok(list(&schemas(&directory), &directory))
    }

    /// Get a SCIM schema
    ///
    /// The schema with the attributes that this server stores.
    #[oai(path = "/scim/Schemas/:id", method = "get", operation_id = "getScimSchema")]
    async fn get_scim_schema(
        &self,
        directory: Directory,
        /// Id of the schema.
        id: Path<String>,
    ) -> Result<Resource<SchemaBody>, ScimFails<DiscoveryRefusals>> {
        let found = schemas(&directory).into_iter().find(|schema| schema.id.eq_ignore_ascii_case(&id.0));
        let missing = || Error::NotFound(format!("There are the schemas {USER_SCHEMA} and {GROUP_SCHEMA}."));
        Ok(Resource::whole(&found.ok_or_else(missing)?, &directory))
    }
}

fn meta(kind: &str, path: &str, directory: &Directory) -> MetaBody {
    MetaBody {
        resource_type: kind.to_owned(),
        created: None,
        last_modified: None,
        location: directory.place(path),
        version: None,
    }
}

fn resource_types(directory: &Directory) -> Vec<ResourceTypeBody> {
    let kind = |name: &str, endpoint: &str, schema: &str| ResourceTypeBody {
        schemas: vec![TYPE_SCHEMA.to_owned()],
        id: name.to_owned(),
        name: name.to_owned(),
        description: SCHEMAS
            .iter()
            .find(|definition| definition.id == schema)
            .map(|definition| definition.description.clone())
            .unwrap_or_default(),
        endpoint: endpoint.to_owned(),
        schema: schema.to_owned(),
        meta: meta("ResourceType", &format!("ResourceTypes/{name}"), directory),
    };
    vec![kind("User", "/Users", USER_SCHEMA), kind("Group", "/Groups", GROUP_SCHEMA)]
}

fn schemas(directory: &Directory) -> Vec<SchemaBody> {
    let schema = |definition: &SchemaDefinition| SchemaBody {
        schemas: vec![SCHEMA_SCHEMA.to_owned()],
        id: definition.id.clone(),
        name: definition.name.clone(),
        description: definition.description.clone(),
        attributes: definition.attributes.clone(),
        meta: meta("Schema", &format!("Schemas/{}", definition.id), directory),
    };
    SCHEMAS.iter().map(schema).collect()
}

fn list<T: Serialize, L>(resources: &[T], directory: &Directory) -> Resource<L> {
    let body = json!({
        "schemas": [LIST_SCHEMA],
        "totalResults": resources.len(),
        "startIndex": 1,
        "itemsPerPage": resources.len(),
        "Resources": resources,
    });
    Resource::new(body, directory)
}
