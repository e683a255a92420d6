//! The grammar of filters.

use serde_json::Value;

use super::{Attribute, Filter, Kind, Test};
use crate::scim::path::after_schema;

/// Most comparisons of a filter.
const MOST_COMPARISONS: usize = 50;
/// Most levels of parentheses and brackets.
const MOST_LEVELS: usize = 10;
/// Attributes whose values brackets can choose.
const CHOSEN: [&str; 3] = ["emails", "groups", "members"];

/// Place where a text stops being a filter, in bytes, and the rule that it breaks, without a point.
#[derive(Debug)]
pub(super) struct Mistake {
    pub at: usize,
    pub rule: String,
}

/// Reads a filter.
pub(super) fn read(kind: Kind, text: &str) -> Result<Filter, Mistake> {
    let mut reader = Reader { kind, text, rest: text, comparisons: 0, levels: 0 };
    let filter = reader.alternatives("")?;
    match reader.peek() {
        None => Ok(filter),
        Some(_) => Err(reader.mistake("`and`, `or` or the end comes here")),
    }
}

/// The rest of a filter that is being read.
struct Reader<'a> {
    kind: Kind,
    text: &'a str,
    rest: &'a str,
    comparisons: usize,
    levels: usize,
}

impl<'a> Reader<'a> {
    fn place(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn mistake(&self, rule: impl Into<String>) -> Mistake {
        Mistake { at: self.place(), rule: rule.into() }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, sign: char) -> Result<(), Mistake> {
        if self.peek() != Some(sign) {
            return Err(self.mistake(format!("`{sign}` comes here")));
        }
        self.rest = &self.rest[sign.len_utf8()..];
        Ok(())
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
    fn alternatives(&mut self, of: &str) -> Result<Filter, Mistake> {
        let mut filters = vec![self.conjunction(of)?];
        while self.take_word("or") {
            filters.push(self.conjunction(of)?);
        }
        Ok(joined(filters, Filter::Any))
    }

    fn conjunction(&mut self, of: &str) -> Result<Filter, Mistake> {
        let mut filters = vec![self.single(of)?];
        while self.take_word("and") {
            filters.push(self.single(of)?);
        }
        Ok(joined(filters, Filter::All))
    }

    fn single(&mut self, of: &str) -> Result<Filter, Mistake> {
        if self.take_word("not") {
            return Ok(self.enclosed('(', ')', of)?.not());
        }
        if self.peek() == Some('(') { self.enclosed('(', ')', of) } else { self.comparison(of) }
    }

    fn enclosed(&mut self, open: char, close: char, of: &str) -> Result<Filter, Mistake> {
        if self.levels == MOST_LEVELS {
            return Err(self.mistake(format!("it has at most {MOST_LEVELS} levels of parentheses")));
        }
        self.take(open)?;
        self.levels += 1;
        let filter = self.alternatives(of)?;
        self.levels -= 1;
        self.take(close)?;
        Ok(filter)
    }

    fn comparison(&mut self, of: &str) -> Result<Filter, Mistake> {
        self.peek();
        if self.comparisons == MOST_COMPARISONS {
            return Err(self.mistake(format!("it has at most {MOST_COMPARISONS} comparisons")));
        }
        self.comparisons += 1;
        let at = self.place();
        let Some(name) = after_schema(self.word()) else { return Err(self.unknown(at)) };
        let name = name.to_ascii_lowercase();
        let name = if of.is_empty() { name } else { format!("{of}.{name}") };
        if self.rest.starts_with('[') && of.is_empty() {
            return self.chosen(&name, at);
        }
        self.tested(&name, at)
    }

    /// A comparison of the values of an attribute that brackets choose.
    fn chosen(&mut self, name: &str, at: usize) -> Result<Filter, Mistake> {
        let attribute = Attribute::named(self.kind, name).filter(|_| CHOSEN.contains(&name));
        let attribute = attribute.ok_or_else(|| self.unknown(at))?;
        let inner = self.enclosed('[', ']', name)?;
        // Of several values, each comparison could choose another one.
        if attribute.has_several() && !matches!(inner, Filter::Is(..)) {
            let rule = format!("the brackets of `{name}` hold one comparison without `not` and `ne`");
            return Err(Mistake { at, rule });
        }
        let outer = match self.rest.strip_prefix('.') {
            Some(rest) => {
                self.rest = rest;
                let at = self.place();
                let part = self.word().to_ascii_lowercase();
                self.tested(&format!("{name}.{part}"), at)?
            }
            None => Filter::Is(attribute, Test::Present),
        };
        Ok(Filter::All(vec![inner, outer]))
    }

    /// The rest of a comparison, whose attribute stands at this place.
    fn tested(&mut self, name: &str, at: usize) -> Result<Filter, Mistake> {
        let attribute = Attribute::named(self.kind, name).ok_or_else(|| self.unknown(at))?;
        self.peek();
        let at = self.place();
        let operator = self.word().to_ascii_lowercase();
        if operator == "pr" {
            return Ok(Filter::Is(attribute, Test::Present));
        }
        let operator = attribute.operator(&operator).map_err(|rule| Mistake { at, rule })?;
        self.peek();
        let at = self.place();
        let value = self.value()?;
        attribute.compare(operator, &value).map_err(|rule| Mistake { at, rule })
    }

    /// A text in quotes, `true`, `false` or `null`.
    fn value(&mut self) -> Result<Value, Mistake> {
        let rule = "a text in quotes, `true`, `false` or `null` comes here";
        let before = self.mistake(rule);
        if self.peek() != Some('"') {
            return match self.word().to_ascii_lowercase().as_str() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                "null" => Ok(Value::Null),
                _ => Err(before),
            };
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let Some(Ok(text)) = values.next() else { return Err(before) };
        self.rest = &self.rest[values.byte_offset()..];
        Ok(Value::String(text))
    }

    fn unknown(&self, at: usize) -> Mistake {
        Mistake { at, rule: format!("an attribute comes here, one of {}", self.kind.attributes()) }
    }
}

fn joined(mut filters: Vec<Filter>, join: impl FnOnce(Vec<Filter>) -> Filter) -> Filter {
    if filters.len() == 1 { filters.remove(0) } else { join(filters) }
}
