//! Bodies by templates: variables as in Mustache, and conditions and lists as in Handlebars.

use std::io::{self, Write};

use handlebars::{Handlebars, Template};
use serde_json::{Value, json};

use super::{
    LARGEST_BODY, Telling,
    sentence::{Links, about},
};

/// Whether a template can be read; the error says what is wrong with it.
pub fn check(template: &str) -> Result<(), String> {
    Template::compile(template).map(drop).map_err(|error| {
        let at = error.pos().map(|(line, column)| format!(" in line {line}, column {column}")).unwrap_or_default();
        format!("is no template: it cannot be read{at}")
    })
}

/// The text that a template makes of an event. Where it is part of JSON, values are escaped for it.
pub(super) fn render(template: &str, telling: Telling<'_>, is_json: bool) -> Result<String, String> {
    let mut engine = Handlebars::new();
    engine.register_escape_fn(if is_json { escape_json } else { handlebars::no_escape });
    let event = serde_json::to_value(telling.event).unwrap_or_default();
    let text = event.to_string();
    let context = json!({
        "event": event,
        "eventJson": Value::from(text).to_string(),
        "eventMarkdown": about(telling.event, telling.base_url, Links::Markdown).text,
    });
    let mut body = Bounded(Vec::new());
    let rendered = engine.render_template_to_write(template, &context, &mut body);
    rendered.map_err(|_| "The body template cannot be rendered, or makes too much of the event.".to_owned())?;
    String::from_utf8(body.0).map_err(|_| "The body template makes no text.".to_owned())
}

fn escape_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text that may not grow for ever.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST_BODY {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::event_kind::EventKind,
        integrations::tests::{event, telling, with},
    };

    #[test]
    fn a_template_uses_the_event_and_json_stays_json() {
        let quoted = r#"{"name":"the \"new\" till"}"#;
        let event = with(event(EventKind::FeatureCreated), Some(quoted), None);
        let rendered = |template, is_json| render(template, telling(&event), is_json).expect("renders");
        assert_eq!(rendered("{{event.type}} by {{event.createdBy}}", false), "feature-created by ann@example.com");
        let body =
            rendered(r#"{"text": "{{event.data.name}}", "raw": {{{eventJson}}}, "none": "{{event.missing}}"}"#, true);
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(body["text"], "the \"new\" till");
        assert_eq!(body["none"], "");
        let inner: Value = serde_json::from_str(body["raw"].as_str().expect("a text")).expect("the event");
        assert_eq!(inner["featureName"], "new-till");
        assert_eq!(
            rendered("{{#with event.data}}[{{name}}]{{/with}}{{#if event.no}}!{{/if}}", false),
            "[the \"new\" till]"
        );
        assert!(rendered("{{eventMarkdown}}", false).contains("[new-till](https://flags.example.com/console/"));
    }

    #[test]
    fn what_is_no_template_is_told_and_none_grows_for_ever() {
        assert!(check("{{#each x}}").expect_err("unclosed").contains("cannot be read"));
        assert!(check("{{event.type}").is_err());
        check("{{event.type}}").expect("a template");
        let event = with(event(EventKind::FeatureCreated), Some(&format!("{{\"a\":{:?}}}", vec![1; 300])), None);
        let loops = "{{#each event.data.a}}{{#each ../event.data.a}}{{#each ../../event.data.a}}xxxxxxxxxx{{/each}}{{/each}}{{/each}}";
        assert!(render(loops, telling(&event), false).is_err());
    }
}
