//! Reading XML strictly: what has no place in a message of SAML is refused by name before the parser sees it, and what
//! costs a parser more than it costs its sender is bounded. There is one reader, so no other can be shown another
//! document.

use std::{borrow::Cow, collections::HashSet};

use memchr::{memchr, memchr3};
use roxmltree::{Document, Node, ParsingOptions};

use super::refusal::{Reason, Refusal};

/// Bytes of the largest document.
pub const MAX_BYTES: usize = 1 << 20;
/// Real messages have some hundreds.
const MAX_NODES: u32 = 20_000;
const MAX_DEPTH: usize = 40;
const MAX_ATTRIBUTES: usize = 100;
/// The parser keeps different declarations in order by moving them.
pub(super) const MAX_NAMESPACES: usize = 64;
/// Bytes of a namespace's URI, of which real ones have some fifty: each is compared with others, and written into the
/// canonical form for each element that uses it.
const MAX_URI: usize = 256;
/// The parser compares the attributes of a tag with each other, and if it declares a namespace all that are in scope: a
/// sum of squares. It looks for each prefix among those in scope, and so does the writer of the canonical form. Six
/// thousand groups with three attributes each, two of them declarations, are two thirds of this.
const MAX_WORK: usize = 1_000_000;

/// Source of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Sent by the browser of a user who wants to sign in.
    Message,
    /// From an administrator: metadata of real providers holds comments and starts with a byte order mark.
    Metadata,
}

/// The text for [`parse`]: UTF-8 within the bounds, line ends as XML wants them.
pub(super) fn prepare(bytes: &[u8], source: Source) -> Result<Cow<'_, str>, Refusal> {
    if bytes.len() > MAX_BYTES {
        return Err(Refusal::instead(Reason::TooLarge, MAX_BYTES.to_string(), Some(&bytes.len().to_string())));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Reason::NotUtf8)?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) if source == Source::Metadata => rest,
        Some(_) => return Err(Refusal::found(Reason::XmlEncoding, "a byte order mark")),
        None => text,
    };
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if text.contains('\0') {
        return Err(Refusal::found(Reason::XmlEncoding, "zero bytes, as in UTF-16"));
    }
    // Parsers, and the canonical form, differ in what becomes of it.
    if text.contains('\r') {
        return Err(Reason::CarriageReturn.into());
    }
    Scan::default().document(&text, source)?;
    Ok(text)
}

/// Parses what was prepared.
pub(super) fn parse(text: &str) -> Result<Document<'_>, Refusal> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| Refusal::found(Reason::NotWellFormed, error.to_string()))
}

/// Counters from tag to tag.
#[derive(Default)]
struct Scan<'a> {
    /// Namespaces in scope, for each open element.
    open: Vec<usize>,
    declared: HashSet<(&'a str, &'a str)>,
    work: usize,
}

impl<'a> Scan<'a> {
    /// Goes from `<` to `<`, which stands nowhere but at the start of markup. What is not well-formed is left to the
    /// parser.
    fn document(&mut self, text: &'a str, source: Source) -> Result<(), Refusal> {
        let mut rest = text;
        if let Some(declaration) = text.strip_prefix("<?xml").filter(|rest| rest.starts_with([' ', '\t', '\n'])) {
            let end = declaration.find("?>").ok_or(Reason::NotWellFormed)?;
            check_declaration(&declaration[..end])?;
            rest = &declaration[end..];
        }
        while let Some(start) = rest.find('<') {
            rest = &rest[start + 1..];
            if rest.starts_with('?') {
                return Err(Reason::ProcessingInstruction.into());
            } else if let Some(comment) = rest.strip_prefix("!--") {
                // A comment within a text cuts it in two, and parsers differ in which half they tell.
                if source == Source::Message {
                    return Err(Reason::Comment.into());
                }
                rest = &comment[comment.find("-->").ok_or(Reason::NotWellFormed)?..];
            } else if rest.starts_with("![CDATA[") {
                return Err(Reason::Cdata.into());
            } else if rest.starts_with('!') {
                return Err(Reason::DocumentType.into());
            } else if rest.starts_with('/') {
                self.open.pop();
            } else {
                rest = self.start_tag(rest)?;
            }
        }
        Ok(())
    }

    /// Counts what stands in a start tag, and returns what follows it.
    fn start_tag(&mut self, mut rest: &'a str) -> Result<&'a str, Refusal> {
        let mut in_scope = self.open.last().copied().unwrap_or_default();
        // The name of the element, with a prefix or without, is looked for, too.
        let (mut attributes, mut declares, mut prefixes) = (0, false, 1);
        let is_empty = loop {
            let mark = memchr3(b'"', b'\'', b'>', rest.as_bytes()).ok_or(Reason::NotWellFormed)?;
            let (before, after) = (&rest[..mark], &rest[mark + 1..]);
            let quote = rest.as_bytes()[mark];
            if quote == b'>' {
                rest = after;
                break before.ends_with('/');
            }
            let end = memchr(quote, after.as_bytes()).ok_or(Reason::NotWellFormed)?;
            rest = &after[end + 1..];
            attributes += 1;
            if attributes > MAX_ATTRIBUTES {
                return Err(Reason::TooManyAttributes.into());
            }
            let name = before.trim_end_matches(['=', ' ', '\t', '\n']);
            let blank = name.bytes().rposition(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            let name = &name[blank.map_or(0, |blank| blank + 1)..];
            if name == "xmlns" || name.starts_with("xmlns:") {
                self.declare(name, &after[..end])?;
                in_scope += 1;
                declares = true;
            } else if name.contains(':') {
                prefixes += 1;
            }
        };
        self.work += 2 * attributes * attributes + 2 * prefixes * in_scope;
        if declares {
            self.work += in_scope * in_scope;
        }
        if self.declared.len() > MAX_NAMESPACES || self.work > MAX_WORK {
            return Err(Reason::TooManyNamespaces.into());
        }
        if !is_empty {
            self.open.push(in_scope);
        }
        if self.open.len() > MAX_DEPTH {
            return Err(Reason::TooDeep.into());
        }
        Ok(rest)
    }

    /// A namespace is declared for `xmlns` or a prefix after it.
    fn declare(&mut self, name: &'a str, uri: &'a str) -> Result<(), Refusal> {
        // The parser lets both pass, and neither may be: a prefix that is taken back, and this prefix.
        if (uri.is_empty() && name != "xmlns") || name == "xmlns:xmlns" {
            return Err(Reason::NotWellFormed.into());
        }
        if uri.len() > MAX_URI || (!uri.is_empty() && !is_absolute(uri)) {
            return Err(Refusal::found(Reason::BadNamespace, uri));
        }
        self.declared.insert((name, uri));
        Ok(())
    }
}

/// Whether a namespace is a URI with a scheme. Without one there is no canonical form (C14N 1.0, 1.3), and of what no
/// URI holds there are two: libxml2, and so many a signer, does not escape it.
fn is_absolute(uri: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_graphic() && !"\"&<>\\^`{|}".contains(sign);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && scheme.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.".contains(sign))
    };
    uri.chars().all(is_sign) && uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// Checks the declaration between `<?xml` and `?>`. Other versions and encodings would let two readers see two
/// documents.
fn check_declaration(declaration: &str) -> Result<(), Refusal> {
    let mut parts = declaration.split(['"', '\'']);
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        match name.trim_matches([' ', '\t', '\n', '=']) {
            "version" if value != "1.0" => return Err(Refusal::instead(Reason::XmlVersion, "1.0", Some(value))),
            "encoding" if !value.eq_ignore_ascii_case("utf-8") => {
                return Err(Refusal::instead(Reason::XmlEncoding, "UTF-8", Some(value)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The element children.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The element children of this name.
pub(super) fn all<'a, 'i>(
    node: Node<'a, 'i>,
    namespace: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    // The name first, which tells most apart by its length.
    elements(node)
        .filter(move |child| child.tag_name().name() == name && child.tag_name().namespace() == Some(namespace))
}

/// Returns the only child element of this name, or none; two are refused, since readers differ in which they take.
pub(super) fn one<'a, 'i>(
    node: Node<'a, 'i>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Option<Node<'a, 'i>>, Refusal> {
    let mut found = all(node, namespace, name);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(Refusal::found(Reason::IncompleteMessage, format!("two {name}"))),
    }
}

/// Returns the child like [`one`], where SAML requires it.
pub(super) fn required<'a, 'i>(
    node: Node<'a, 'i>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Node<'a, 'i>, Refusal> {
    one(node, namespace, name)?.ok_or_else(|| Refusal::found(Reason::IncompleteMessage, format!("no {name}")))
}

/// The text of an element, without the white space of XML around it; `None` where other elements stand in it.
pub(super) fn text<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    let mut children = node.children();
    match (children.next(), children.next()) {
        (None, _) => Some(""),
        (Some(child), None) if child.is_text() => child.text().map(trim),
        _ => None,
    }
}

/// Removes the white space of XML, and that alone: other blanks may distinguish two names.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}
