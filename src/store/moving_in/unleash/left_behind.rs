//! Reports contents that have no place here, by name or by number.

use flagstone_moving_in::Finding;
use serde_json::Value;

use super::Source;
use crate::moving_in::MoveInError;

pub(super) const TABLES: &[&str] = &["release_plan_definitions", "action_sets"];

/// Tables of which only the number of rows is reported, with the name of their contents and the reason why they are
/// left out.
const COUNTED: [(&str, &str, &str); 5] = [
    ("integration_events", "deliveries of integrations", "only integrations have them"),
    ("signal_endpoints", "signal endpoints", "there are none here"),
    ("cdn_tokens", "tokens of a delivery network", "there is none here"),
    ("edge_node_presence", "nodes of Edge", "they tell of themselves again"),
    ("safeguards", "safeguards", "there are none here"),
];

pub(super) async fn tell(source: &mut Source, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    for row in source.rows("release_plan_definitions", "ORDER BY name").await? {
        let name = match (row["feature_name"].as_str(), row["environment"].as_str()) {
            (Some(feature), Some(environment)) => format!("{feature} in {environment}"),
            _ => text(&row, "name").to_owned(),
        };
        let reason = "there are no release plans here; the strategies that are in force come over as ordinary ones";
        findings.push(Finding::left_out("release plan", name, reason));
    }
    for row in source.rows("action_sets", "").await?.iter().filter(|row| row["enabled"] != false) {
        let reason = "it changed flags by itself; nothing does so here";
        findings.push(Finding::left_out("action", text(row, "name"), reason));
    }
    for (table, kind, reason) in COUNTED {
        if source.tables.get(table) == Some(&true) {
            let count = source.count(table).await?;
            if count > 0 {
                findings.push(Finding::left_out(kind, count.to_string(), reason));
            }
        }
    }
    Ok(())
}

fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap_or("?")
}
