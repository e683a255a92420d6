//! Switching features on and off in production.

use serde_json::Value;

use crate::{Outcome, data::project, http::request, server::Server};

/// Returns the features of a project, each with whether it is on.
pub(crate) async fn of_project(server: &Server, number: u64) -> Outcome<Vec<(String, bool)>> {
    let path = format!("/api/admin/projects/{}/features", project(number));
    let answer = server.connect().await?.json(&request("GET", &path, &Server::admin(), None)).await?;
    let features = answer["features"].as_array().ok_or("a project has no features")?;
    Ok(features.iter().filter_map(|feature| Some((feature["name"].as_str()?.to_owned(), is_on(feature)))).collect())
}

/// Whether a feature is on.
pub(crate) fn is_on(feature: &Value) -> bool {
    let all = feature["environments"].as_array();
    all.is_some_and(|all| all.iter().any(|one| one["name"] == "production" && one["enabled"] == true))
}

/// The request of a caller, who is a header line, that switches a feature of a project.
pub(crate) fn switch(number: u64, feature: &str, on: bool, caller: &str) -> Vec<u8> {
    let to = if on { "on" } else { "off" };
    let path = format!("/api/admin/projects/{}/features/{feature}/environments/production/{to}", project(number));
    request("POST", &path, caller, None)
}
