//! Events as lines of archives.

use std::io::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    csv, event_chain::Hash, event_kind::EventKind, filter::Refusal, stored_event::StoredEvent, time::Timestamp,
};

/// The form of an archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A JSON object on each line.
    #[default]
    Jsonl,
    /// Comma-separated values as in RFC 4180, with the names of the columns first.
    Csv,
}

impl ArchiveFormat {
    /// The names of the forms.
    pub const PATTERN: &'static str = "^(jsonl|csv)$";

    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        match text {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(Refusal::Choice("jsonl or csv")),
        }
    }

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Jsonl => "application/x-ndjson",
            Self::Csv => csv::MEDIA_TYPE,
        }
    }

    /// Text before the first event.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Jsonl => "",
            Self::Csv => {
                "id,createdAt,type,createdBy,createdByUserId,environment,project,featureName,data,preData,tags,hash,\
                 reason\r\n"
            }
        }
    }

    /// Appends an event, with its hash where it has one.
    pub fn append(self, event: &StoredEvent, hash: Option<Hash>, lines: &mut Vec<u8>) {
        match self {
            Self::Jsonl => append_json(event, hash, lines),
            Self::Csv => append_csv(event, hash, lines),
        }
    }
}

/// Properties of an event as the API answers with them, and its hash.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    id: i64,
    created_at: Timestamp,
    r#type: EventKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    created_by: &'a str,
    created_by_user_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    environment: Option<&'a str>,
    project: Option<&'a str>,
    feature_name: Option<&'a str>,
    data: Option<Stored<'a>>,
    pre_data: Option<Stored<'a>>,
    tags: Stored<'a>,
    hash: Option<Hash>,
}

/// Stored JSON as it is, or a text where it is none: an archive shows what is there, also of a log that was tampered
/// with.
#[derive(Serialize)]
#[serde(untagged)]
enum Stored<'a> {
    Json(&'a RawValue),
    Text(&'a str),
}

impl<'a> Stored<'a> {
    fn of(text: &'a str) -> Self {
        match serde_json::from_str(text) {
            // A line must stay one.
            Ok(json) if !text.contains(['\n', '\r']) => Self::Json(json),
            _ => Self::Text(text),
        }
    }
}

fn append_json(event: &StoredEvent, hash: Option<Hash>, lines: &mut Vec<u8>) {
    let concerns = (event.feature_name.is_some(), event.project.is_some());
    let (kind, label) = EventKind::of_stored(event.kind.clone(), concerns.0, concerns.1);
    let line = Line {
        id: event.id,
        created_at: event.created_at,
        r#type: kind,
        label,
        created_by: &event.created_by,
        created_by_user_id: event.created_by_user_id,
        reason: event.reason.as_deref(),
        environment: event.environment.as_deref(),
        project: event.project.as_deref(),
        feature_name: event.feature_name.as_deref(),
        data: event.data.as_deref().map(Stored::of),
        pre_data: event.pre_data.as_deref().map(Stored::of),
        tags: Stored::of(&event.tags),
        hash,
    };
    serde_json::to_writer(&mut *lines, &line).expect("a vector takes what is written to it");
    lines.push(b'\n');
}

fn append_csv(event: &StoredEvent, hash: Option<Hash>, lines: &mut Vec<u8>) {
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let texts = [
        &event.kind,
        &event.created_by,
        &number(event.created_by_user_id),
        event.environment.as_deref().unwrap_or_default(),
        event.project.as_deref().unwrap_or_default(),
        event.feature_name.as_deref().unwrap_or_default(),
        event.data.as_deref().unwrap_or_default(),
        event.pre_data.as_deref().unwrap_or_default(),
        &event.tags,
    ];
    write!(lines, "{},{}", event.id, event.created_at).expect("a vector takes what is written to it");
    for text in texts {
        lines.push(b',');
        lines.extend_from_slice(csv::cell(text).as_bytes());
    }
    lines.push(b',');
    if let Some(hash) = hash {
        write!(lines, "{hash}").expect("a vector takes what is written to it");
    }
    lines.push(b',');
    lines.extend_from_slice(csv::cell(event.reason.as_deref().unwrap_or_default()).as_bytes());
    lines.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_event::tests::event;

    fn line(format: ArchiveFormat, event: &StoredEvent, hash: Option<Hash>) -> String {
        let mut lines = Vec::new();
        format.append(event, hash, &mut lines);
        String::from_utf8(lines).expect("text")
    }

    #[test]
    fn a_line_of_json_is_what_the_api_tells_and_the_hash() {
        let stored = StoredEvent { data: Some("{\"a\": 1.0}".to_owned()), ..event(5) };
        let expected = format!(
            concat!(
                r#"{{"id":5,"createdAt":"2021-02-25T15:02:10.005Z","type":"feature-updated","createdBy":"ann@example.com","#,
                r#""createdByUserId":7,"environment":null,"project":"shop","featureName":"new-till","data":{{"a": 1.0}},"#,
                r#""preData":null,"tags":[],"hash":"{}"}}"#,
                "\n"
            ),
            "0".repeat(64)
        );
        assert_eq!(line(ArchiveFormat::Jsonl, &stored, Some(Hash::BEGINNING)), expected);
        let reasoned = StoredEvent { reason: Some("the \"sale\"".to_owned()), ..stored.clone() };
        let expected = expected.replace(r#","environment""#, r#","reason":"the \"sale\"","environment""#);
        assert_eq!(line(ArchiveFormat::Jsonl, &reasoned, Some(Hash::BEGINNING)), expected);
        // What was never stored by this program.
        let broken = StoredEvent { data: Some("{\n".to_owned()), kind: "melted".to_owned(), ..stored };
        let told: serde_json::Value = serde_json::from_str(&line(ArchiveFormat::Jsonl, &broken, None)).expect("JSON");
        assert_eq!((&told["data"], &told["label"], &told["hash"]), (&"{\n".into(), &"melted".into(), &().into()));
    }

    #[test]
    fn a_line_of_values_quotes_what_needs_it() {
        let stored = StoredEvent { created_by: "a \"b\", c\r\nd".to_owned(), created_by_user_id: None, ..event(5) };
        let expected = concat!(
            r#"5,2021-02-25T15:02:10.005Z,feature-updated,"a ""b"", c"#,
            "\r\n",
            r#"d",,,shop,new-till,"{""name"":""new-till"",""note"":""ü""}",,[],,"#,
            "\r\n"
        );
        assert_eq!(line(ArchiveFormat::Csv, &stored, None), expected);
        let reasoned = StoredEvent { reason: Some("the \"sale\", again".to_owned()), ..stored };
        let expected = expected.replace(",[],,\r\n", ",[],,\"the \"\"sale\"\", again\"\r\n");
        assert_eq!(line(ArchiveFormat::Csv, &reasoned, None), expected);
        assert_eq!(ArchiveFormat::Csv.head().split(',').count(), 13);
    }
}
