//! Exclusive XML Canonicalization 1.0 of one element: <https://www.w3.org/TR/xml-exc-c14n/>. A document that was read
//! by `document` has neither comments nor processing instructions, and text in UTF-8, so their rules are not here.

use std::collections::BTreeMap;

use roxmltree::{Attribute, Node};

/// Maximum growth of a form over its document, of which even groups that each declare a namespace make twice; in
/// addition to it, some bytes for documents that are small. A namespace declared once is written for each element that
/// uses it, so that without a bound a form would be as long as elements times URIs.
const MAX_GROWTH: usize = 4;
const ALWAYS: usize = 64 << 10;

/// The canonical form of an element without one of its descendants, the signature that it envelops; none where that is
/// longer than any provider signs. `inclusive` are the prefixes of the `PrefixList`, `#default` for none, which are
/// treated as inclusive canonicalisation does.
pub(super) fn canonical<'a>(
    element: Node<'a, '_>,
    without: Option<Node<'_, '_>>,
    inclusive: &[&'a str],
) -> Option<String> {
    let most = element.document().input_text().len() * MAX_GROWTH + ALWAYS;
    let out = String::with_capacity(element.range().len() * 2);
    let mut writer = Writer { out, most, without, inclusive, rendered: BTreeMap::new() };
    writer.element(element);
    (writer.out.len() <= most).then_some(writer.out)
}

struct Writer<'a, 'w, 'x, 'y> {
    out: String,
    /// Maximum number of bytes, behind which nothing is written.
    most: usize,
    without: Option<Node<'x, 'y>>,
    inclusive: &'w [&'a str],
    /// Namespaces by prefix in the output where it stands: one entry a prefix, so that looking is cheap at any depth.
    rendered: BTreeMap<Prefix<'a>, &'a str>,
}

impl<'a> Writer<'a, '_, '_, '_> {
    fn element(&mut self, node: Node<'a, '_>) {
        if self.out.len() > self.most {
            return;
        }
        let name = qualified_name(node);
        let mut attributes: Vec<_> =
            node.attributes().map(|attribute| (attribute, qualified(node, &attribute))).collect();
        attributes.sort_unstable_by_key(|(attribute, _)| (attribute.namespace(), attribute.name()));
        let mut declarations = self.used(node, name, &attributes);
        declarations.sort_unstable_by_key(|(prefix, _)| key(prefix));
        declarations.dedup_by(|(one, _), (other, _)| are_same(one, other));

        self.out.push('<');
        self.out.push_str(name);
        for &(prefix, uri) in &declarations {
            self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
            self.out.push_str(prefix);
            self.value_of(uri);
        }
        for (attribute, name) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.value_of(attribute.value());
        }
        self.out.push('>');
        let before: Vec<_> = declarations.into_iter().map(|(prefix, uri)| (prefix, self.render(prefix, uri))).collect();
        for child in node.children() {
            if Some(child) == self.without {
                continue;
            }
            if child.is_element() {
                self.element(child);
            } else if let Some(text) = child.text() {
                escape(&mut self.out, text, &TEXT);
            }
        }
        for (prefix, uri) in before {
            self.render(prefix, uri);
        }
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    fn value_of(&mut self, value: &str) {
        self.out.push_str("=\"");
        escape(&mut self.out, value, &ATTRIBUTE);
        self.out.push('"');
    }

    /// The namespaces that the element or its attributes use visibly, and those of the `PrefixList` that are in scope,
    /// without those of which the output says so already.
    fn used(
        &self,
        node: Node<'a, '_>,
        name: &'a str,
        attributes: &[(Attribute<'a, '_>, &'a str)],
    ) -> Vec<(&'a str, &'a str)> {
        let own = (prefix(name), node.tag_name().namespace().unwrap_or_default());
        let of_attributes =
            attributes.iter().filter_map(|(attribute, name)| Some((prefix(name), attribute.namespace()?)));
        let listed = self.inclusive.iter().filter_map(|&prefix| match prefix {
            "#default" => Some(("", node.lookup_namespace_uri(None).unwrap_or_default())),
            _ => Some((prefix, node.lookup_namespace_uri(Some(prefix))?)),
        });
        let used = std::iter::once(own).chain(of_attributes).chain(listed);
        // `xml` is bound by definition and never declared.
        used.filter(|&(prefix, uri)| prefix != "xml" && !are_same(self.value(prefix), uri)).collect()
    }

    fn value(&self, prefix: &'a str) -> &'a str {
        self.rendered.get(&key(prefix)).copied().unwrap_or_default()
    }

    /// Notes the namespace of a prefix in the output, and returns the one before.
    fn render(&mut self, prefix: &'a str, uri: &'a str) -> &'a str {
        self.rendered.insert(key(prefix), uri).unwrap_or_default()
    }
}

/// A prefix in the order of the canonical form: none before all others, as the empty one would be, and nothing is
/// compared for it; see `are_same`.
type Prefix<'a> = Option<&'a str>;

fn key(prefix: &str) -> Prefix<'_> {
    (!prefix.is_empty()).then_some(prefix)
}

/// Whether two texts are equal, of which many are empty: an empty constant has an address where nothing is, and the
/// vector instructions of the C library, asked to compare nothing there, take longer than all else that is done for an
/// element.
fn are_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}

fn prefix(name: &str) -> &str {
    name.split_once(':').map_or("", |(prefix, _)| prefix)
}

/// The name with its prefix, which the tree does not keep: it stands right after the `<` of the element.
fn qualified_name<'a>(node: Node<'a, '_>) -> &'a str {
    let source = &node.document().input_text()[node.range().start + 1..];
    let end =
        source.bytes().position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'/' | b'>')).unwrap_or(source.len());
    &source[..end]
}

fn qualified<'a>(node: Node<'a, '_>, attribute: &Attribute<'_, '_>) -> &'a str {
    &node.document().input_text()[attribute.range_qname()]
}

/// The text as the value of an attribute, in double quotation marks.
pub(super) fn attribute_value(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(&mut out, text, &ATTRIBUTE);
    out
}

/// The text as the content of an element.
pub(super) fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(&mut out, text, &TEXT);
    out
}

/// Text that the canonical form writes for a character, in attributes and in text.
type Escapes = [(u8, &'static str)];
const ATTRIBUTE: [(u8, &str); 6] =
    [(b'&', "&amp;"), (b'<', "&lt;"), (b'"', "&quot;"), (b'\t', "&#x9;"), (b'\n', "&#xA;"), (b'\r', "&#xD;")];
const TEXT: [(u8, &str); 4] = [(b'&', "&amp;"), (b'<', "&lt;"), (b'>', "&gt;"), (b'\r', "&#xD;")];

fn escape(out: &mut String, text: &str, escapes: &Escapes) {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte > b'>' {
            continue;
        }
        if let Some((_, escaped)) = escapes.iter().find(|escape| escape.0 == byte) {
            out.push_str(&text[written..at]);
            out.push_str(escaped);
            written = at + 1;
        }
    }
    out.push_str(&text[written..]);
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::saml::document::{Source, parse, prepare};

    /// A line of `tests/saml/canonical/cases.jsonl`; `cases.py` next to it makes more.
    #[derive(Deserialize)]
    struct Case {
        xml: String,
        element: usize,
        without: Option<usize>,
        inclusive: Vec<String>,
        form: String,
    }

    /// Compares forms with those of libxml2, and returns their number.
    fn compare(cases: &str) -> usize {
        for line in cases.lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let text =
                prepare(case.xml.as_bytes(), Source::Message).unwrap_or_else(|refusal| panic!("{refusal} {line}"));
            let document = parse(&text).unwrap_or_else(|refusal| panic!("{refusal} {line}"));
            let element = |at: usize| document.descendants().filter(Node::is_element).nth(at).unwrap();
            let inclusive: Vec<_> = case.inclusive.iter().map(String::as_str).collect();
            let form = canonical(element(case.element), case.without.map(element), &inclusive);
            assert_eq!(form.as_deref(), Some(&*case.form), "{line}");
        }
        cases.lines().count()
    }

    #[test]
    fn forms_are_those_of_libxml2() {
        let root = env!("CARGO_MANIFEST_DIR");
        let cases = std::fs::read_to_string(format!("{root}/../../tests/saml/canonical/cases.jsonl")).unwrap();
        assert_eq!(compare(&cases), 120);
    }

    #[test]
    #[ignore = "needs cases of tests/saml/canonical/cases.py in the file that FLAGSTONE_CANONICAL_CASES names"]
    #[expect(clippy::disallowed_methods, reason = "the file is named beside the configuration")]
    fn forms_of_many_more_are_those_of_libxml2() {
        let cases = std::fs::read_to_string(std::env::var("FLAGSTONE_CANONICAL_CASES").unwrap()).unwrap();
        let count = compare(&cases);
        println!("{count} canonical forms are those of libxml2");
        assert!(count >= 10_000);
    }
}
