//! Attempts to sign in as a table for spreadsheets.

use std::borrow::Cow;

use poem::{IntoResponse, Request, Response, http::header};

use super::{LoginEventBody, LoginHistoryBody};
use crate::{
    api::{
        answer::{CSV, Csv, Out},
        response_meta::api_response,
    },
    domain::csv,
};

const COLUMNS: &str = "id,username,auth_type,created_at,successful,ip,failure_reason";

/// Attempts to sign in, in the form that the caller accepts.
#[derive(Debug)]
pub enum LoginHistory {
    /// JSON, the default.
    Json(LoginHistoryBody),
    /// A table.
    Csv(String),
}

impl IntoResponse for LoginHistory {
    fn into_response(self) -> Response {
        match self {
            Self::Json(history) => Out(history).into_response(),
            Self::Csv(text) => Csv(text).into_response(),
        }
    }
}

api_response!(LoginHistory, Out::<LoginHistoryBody>::response().text(CSV));

/// Whether the caller accepts a table, and names nothing else that is answered before it.
pub(super) fn is_wanted(request: &Request) -> bool {
    let accepted = request.headers().get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|value| value.split(',')).map(|kind| kind.split(';').next().unwrap_or("").trim());
    kinds
        .find(|kind| [CSV, "application/json", "*/*"].contains(&kind.to_ascii_lowercase().as_str()))
        .is_some_and(|kind| kind.eq_ignore_ascii_case(CSV))
}

/// The table, with a line of names.
pub(super) fn text(history: &LoginHistoryBody) -> String {
    let mut text = format!("{COLUMNS}\r\n");
    for event in &history.events {
        text.push_str(&line(event));
        text.push_str("\r\n");
    }
    text
}

fn line(event: &LoginEventBody) -> String {
    let (id, at) = (event.id.to_string(), event.created_at.to_string());
    let nothing = String::new();
    let cells = [
        id.as_str(),
        &event.username,
        event.auth_type.as_str(),
        &at,
        if event.successful { "true" } else { "false" },
        event.ip.0.as_ref().unwrap_or(&nothing),
        event.failure_reason.0.as_ref().unwrap_or(&nothing),
    ];
    cells.map(|cell| guarded(cell).into_owned()).join(",")
}

/// A cell. A stranger who tries to sign in chooses the name: a spreadsheet must not take it for a formula.
fn guarded(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { Cow::Owned(csv::quoted(&format!("'{cell}"))) } else { csv::cell(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_end_where_they_should_and_are_no_formulas() {
        for (cell, written) in [
            ("ada", "ada"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("=1+1", "\"'=1+1\""),
            ("@x", "\"'@x\""),
            ("-2", "\"'-2\""),
        ] {
            assert_eq!(guarded(cell), written);
        }
    }

    #[test]
    fn a_table_is_for_whoever_asks_for_one() {
        for (accepted, wanted) in [
            ("text/csv", true),
            ("TEXT/CSV; charset=utf-8", true),
            ("text/html, text/csv, */*", true),
            ("application/json, text/csv", false),
            ("*/*", false),
            ("text/html", false),
        ] {
            let request = Request::builder().header(header::ACCEPT, accepted).finish();
            assert_eq!(is_wanted(&request), wanted, "{accepted}");
        }
        assert!(!is_wanted(&Request::default()));
    }
}
