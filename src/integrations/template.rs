//! Bodies by templates: variables as in Mustache, and conditions and lists as in Handlebars.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, RenderContext, RenderErrorReason, Template,
    template::{HelperTemplate, TemplateElement},
};
use serde_json::{Value, json};

use super::{
    LARGEST_BODY, Notification,
    sentence::{Links, about},
};

/// Bytes that a template may go down, however it is nested: it is read and rendered by functions that call themselves,
/// for each of its characters if it is made for that.
const STACK: usize = 256 * 1024 * 1024;
/// Parts of a template that are rendered, at most, each time that they are: loops within loops may write nothing.
const MOST_PARTS: u64 = 200_000;
/// Name of the helper that counts them.
const COUNTER: &str = "count-parts";

/// Whether a template can be read; the error says what is wrong with it.
pub fn check(template: &str) -> Result<(), String> {
    with_room(|| compile(template).map(drop))
}

/// The text that a template makes of an event. Where it is part of JSON, values are escaped for it.
pub(super) fn render(template: &str, notification: Notification<'_>, is_json: bool) -> Result<String, String> {
    let mut engine = Handlebars::new();
    engine.register_escape_fn(if is_json { escape_json } else { handlebars::no_escape });
    engine.register_helper(COUNTER, Box::new(Counter::default()));
    let event = serde_json::to_value(notification.event).unwrap_or_default();
    let text = event.to_string();
    let context = json!({
        "event": event,
        "eventJson": Value::from(text).to_string(),
        "eventMarkdown": about(notification.event, notification.base_url, Links::Markdown).text,
    });
    with_room(move || {
        let unusable = || "The body template cannot be rendered, or makes too much of the event.".to_owned();
        engine.register_template("body", compile(template).map_err(|_| unusable())?);
        let mut body = Bounded(Vec::new());
        engine.render_to_write("body", &context, &mut body).map_err(|_| unusable())?;
        String::from_utf8(body.0).map_err(|_| "The body template makes no text.".to_owned())
    })
}

/// Works on a stack that no template is too deep for.
fn with_room<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let outcome = worker.ok().and_then(|worker| worker.join().ok());
        outcome.unwrap_or_else(|| Err("cannot be worked on: the memory is used up".to_owned()))
    })
}

/// A template whose parts are counted as they are rendered.
fn compile(template: &str) -> Result<Template, String> {
    let mut template = Template::compile(template).map_err(|error| {
        let at = error.pos().map(|(line, column)| format!(" in line {line}, column {column}")).unwrap_or_default();
        format!("is no template: it cannot be read{at}")
    })?;
    count(&mut template)?;
    Ok(template)
}

/// Begins a template, and each within it, with what counts its parts.
fn count(template: &mut Template) -> Result<(), String> {
    for element in &mut template.elements {
        match element {
            TemplateElement::HelperBlock(block) => {
                let HelperTemplate { template, inverse, .. } = &mut **block;
                [template, inverse].into_iter().flatten().try_for_each(count)?;
            }
            TemplateElement::DecoratorExpression(_)
            | TemplateElement::DecoratorBlock(_)
            | TemplateElement::PartialExpression(_)
            | TemplateElement::PartialBlock(_) => {
                return Err("must not name or define other templates: there is this one alone".to_owned());
            }
            _ => {}
        }
    }
    let counter = format!("{{{{{COUNTER} {}}}}}", template.elements.len() + 1);
    let counter = Template::compile(&counter).map_err(|error| error.to_string())?;
    template.elements.splice(0..0, counter.elements);
    template.mapping.clear();
    Ok(())
}

/// Ends what does not end by itself.
#[derive(Default)]
struct Counter(AtomicU64);

impl HelperDef for Counter {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> HelperResult {
        let parts = helper.param(0).and_then(|parts| parts.value().as_u64()).unwrap_or(1);
        if self.0.fetch_add(parts, Relaxed).saturating_add(parts) > MOST_PARTS {
            return Err(RenderErrorReason::Other("too many parts".to_owned()).into());
        }
        Ok(())
    }
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
    use flagstone_domain::event_kind::EventKind;

    use super::*;
    use crate::tests::{event, notification, with};

    #[test]
    fn a_template_uses_the_event_and_json_stays_json() {
        let quoted = r#"{"name":"the \"new\" till"}"#;
        let event = with(event(EventKind::FeatureCreated), Some(quoted), None);
        let rendered = |template, is_json| render(template, notification(&event), is_json).expect("renders");
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
        assert!(render(loops, notification(&event), false).is_err());
        assert!(render(&loops.replace('x', ""), notification(&event), false).is_err(), "it writes nothing");
    }

    #[test]
    fn others_are_neither_named_nor_defined() {
        for template in ["{{> elsewhere}}", "{{#> elsewhere}}x{{/elsewhere}}", "{{#*inline \"x\"}}{{> x}}{{/inline}}"] {
            assert!(check(template).expect_err("one alone").contains("other templates"), "{template}");
            assert!(check(&format!("{{{{#if event}}}}{template}{{{{/if}}}}")).is_err());
            assert!(render(template, notification(&event(EventKind::FeatureCreated)), false).is_err());
        }
    }

    #[test]
    fn none_is_too_deep_or_never_read() {
        let event = event(EventKind::FeatureCreated);
        // As long as a parameter may be.
        let filled = |begin: &str, each: &str, end: &str| {
            let text = format!("{begin}{}{end}", each.repeat((10_000 - begin.len() - end.len()) / each.len()));
            let _ = (check(&text), render(&text, notification(&event), true));
        };
        for (begin, each, end) in [
            ("{{if ", "(", "}}"),
            ("{{if ", "(not ", "}}"),
            ("{{if ", "[", "}}"),
            ("{{if ", "{\"a\":", "}}"),
            ("", "{", ""),
            ("", "{{", ""),
            ("", "{{#if event}}", ""),
            ("", "{{#each event}}", ""),
            ("", "{{^}}", ""),
            ("{{#if no}}", "{{else if no}}", "{{/if}}"),
            ("{{", "../", "event}}"),
            ("{{", "event.", "type}}"),
        ] {
            filled(begin, each, end);
        }
        for (open, close) in
            [("{{#if event}}", "{{/if}}"), ("{{#each event}}", "{{/each}}"), ("{{#with event}}", "{{/with}}")]
        {
            let depth = 10_000 / (open.len() + close.len());
            let text = format!("{}{}", open.repeat(depth), close.repeat(depth));
            check(&text).expect("a template");
            let _ = render(&text, notification(&event), false);
        }
        let depth = 10_000 / "(not )".len() - 10;
        let text = format!("{{{{#if {}event{}}}}}yes{{{{/if}}}}", "(not ".repeat(depth), ")".repeat(depth));
        check(&text).expect("a template");
        assert!(render(&text, notification(&event), false).is_ok());
    }
}
