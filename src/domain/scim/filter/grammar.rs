//! The grammar of filters.

use serde_json::Value;

use super::{Attribute, Filter, Kind, Test};
use crate::domain::scim::path::after_schema;

/// Most comparisons of a filter.
const MOST_COMPARISONS: usize = 50;
/// Most levels of parentheses and brackets.
const MOST_LEVELS: usize = 10;

/// Reads a filter; `None` for what is none.
pub(super) fn read(kind: Kind, text: &str) -> Option<Filter> {
    let mut reader = Reader { kind, rest: text, comparisons: 0, levels: 0 };
    let filter = reader.alternatives("")?;
    reader.peek().is_none().then_some(filter)
}

/// The rest of a filter that is being read.
struct Reader<'a> {
    kind: Kind,
    rest: &'a str,
    comparisons: usize,
    levels: usize,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, sign: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(sign)?;
        Some(())
    }

    /// The next word, whatever it is.
    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let is_end = |sign: char| sign.is_whitespace() || matches!(sign, '(' | ')' | '[' | ']' | '"');
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// Takes the next word if it is this one.
    fn take_word(&mut self, wanted: &str) -> bool {
        let before = self.rest;
        let is_it = self.word().eq_ignore_ascii_case(wanted);
        if !is_it {
            self.rest = before;
        }
        is_it
    }

    /// Comparisons of attributes, or of the parts of the attribute `of`, joined by `or`.
    fn alternatives(&mut self, of: &str) -> Option<Filter> {
        let mut filters = vec![self.conjunction(of)?];
        while self.take_word("or") {
            filters.push(self.conjunction(of)?);
        }
        Some(joined(filters, Filter::Any))
    }

    fn conjunction(&mut self, of: &str) -> Option<Filter> {
        let mut filters = vec![self.single(of)?];
        while self.take_word("and") {
            filters.push(self.single(of)?);
        }
        Some(joined(filters, Filter::All))
    }

    fn single(&mut self, of: &str) -> Option<Filter> {
        if self.take_word("not") {
            return Some(self.enclosed('(', ')', of)?.not());
        }
        if self.peek()? == '(' { self.enclosed('(', ')', of) } else { self.comparison(of) }
    }

    fn enclosed(&mut self, open: char, close: char, of: &str) -> Option<Filter> {
        self.take(open)?;
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return None;
        }
        let filter = self.alternatives(of)?;
        self.levels -= 1;
        self.take(close)?;
        Some(filter)
    }

    fn comparison(&mut self, of: &str) -> Option<Filter> {
        self.comparisons += 1;
        if self.comparisons > MOST_COMPARISONS {
            return None;
        }
        let name = after_schema(self.word())?.to_ascii_lowercase();
        let name = if of.is_empty() { name } else { format!("{of}.{name}") };
        if self.rest.starts_with('[') && of.is_empty() {
            return self.chosen(&name);
        }
        self.tested(&name)
    }

    /// A comparison of the values of an attribute that brackets choose.
    fn chosen(&mut self, name: &str) -> Option<Filter> {
        let attribute = Attribute::named(self.kind, name).filter(|_| matches!(name, "emails" | "members"))?;
        let inner = self.enclosed('[', ']', name)?;
        // Of several members, each comparison could choose another one.
        if attribute == Attribute::Members && !matches!(inner, Filter::Is(..)) {
            return None;
        }
        let outer = match self.rest.strip_prefix('.') {
            Some(rest) => {
                self.rest = rest;
                let part = self.word().to_ascii_lowercase();
                self.tested(&format!("{name}.{part}"))?
            }
            None => Filter::Is(attribute, Test::Present),
        };
        Some(Filter::All(vec![inner, outer]))
    }

    fn tested(&mut self, name: &str) -> Option<Filter> {
        let operator = self.word().to_ascii_lowercase();
        if operator == "pr" {
            return Some(Filter::Is(Attribute::named(self.kind, name)?, Test::Present));
        }
        let value = self.value()?;
        match (self.kind, name) {
            (Kind::User, "emails.type") => is_so(&operator, value.as_str()?.eq_ignore_ascii_case("work")),
            (Kind::User, "emails.primary") => is_so(&operator, value.as_bool()?),
            (kind, name) => Attribute::named(kind, name)?.compare(&operator, &value),
        }
    }

    /// A text in quotes, `true` or `false`.
    fn value(&mut self) -> Option<Value> {
        if self.peek()? != '"' {
            return match self.word().to_ascii_lowercase().as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            };
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let text = values.next()?.ok()?;
        let end = values.byte_offset();
        self.rest = self.rest.get(end..)?;
        Some(Value::String(text))
    }
}

/// A comparison of what is the same for every email: each is the primary one, for work.
fn is_so(operator: &str, is_equal: bool) -> Option<Filter> {
    let equal = if is_equal { Filter::Is(Attribute::Email, Test::Present) } else { Filter::Any(Vec::new()) };
    match operator {
        "eq" => Some(equal),
        "ne" => Some(equal.not()),
        _ => None,
    }
}

fn joined(mut filters: Vec<Filter>, join: impl FnOnce(Vec<Filter>) -> Filter) -> Filter {
    if filters.len() == 1 { filters.remove(0) } else { join(filters) }
}
