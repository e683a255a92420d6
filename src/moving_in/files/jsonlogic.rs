//! `JSONLogic`: conditions as nested objects of one operator each.

use std::{cell::Cell, collections::HashMap};

use serde_json::Value;

use super::{
    comparison::{Order, Otherwise, Test, time},
    condition::{Condition, Unsupported},
    read::{field, field_name, full_version, one_of, version},
};

/// Operators that one flag may have, those of what it refers to included.
const MOST_OPERATORS: usize = 5000;
/// Maximum depth of expressions, including those that they refer to.
const MOST_DEPTH: usize = 150;

/// Context in which expressions are read.
#[derive(Debug, Default)]
pub(super) struct Logic<'a> {
    /// Expressions that others refer to by name, with the segments that they became.
    pub(super) shared: HashMap<&'a str, (&'a Value, Option<usize>)>,
    /// The attribute that identifies the user.
    pub(super) key: &'static str,
    pub(super) read: Cell<usize>,
}

/// An operator with what it is applied to.
pub(super) fn operator(value: &Value) -> Option<(&str, &[Value])> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    let (name, operands) = map.iter().next()?;
    let operands = match operands {
        Value::Array(items) => items,
        single => std::slice::from_ref(single),
    };
    Some((name, operands))
}

/// The attribute that a `var` reads; one with a value for when it is absent is none.
pub(super) fn attribute(value: &Value) -> Option<&str> {
    match operator(value)? {
        ("var", [Value::String(name)]) => Some(name),
        _ => None,
    }
}

impl<'a> Logic<'a> {
    /// Counts an operator.
    pub(super) fn count(&self, depth: usize) -> Result<(), Unsupported> {
        self.read.set(self.read.get() + 1);
        if self.read.get() > MOST_OPERATORS || depth > MOST_DEPTH {
            return Err(format!(
                "its targeting has more than {MOST_OPERATORS} operators, or {MOST_DEPTH} in one another"
            ));
        }
        Ok(())
    }

    /// Returns the expression that a reference names.
    pub(super) fn shared(&self, operands: &[Value]) -> Result<(&'a Value, Option<usize>), Unsupported> {
        let name = operands.first().and_then(Value::as_str).ok_or("a $ref names nothing")?;
        self.shared.get(name).copied().ok_or_else(|| format!("it refers to {name}, which is not in the file"))
    }

    /// The context field for an attribute.
    pub(super) fn field(&self, attribute: &str) -> Result<String, Unsupported> {
        match attribute {
            key if key == self.key || key == "targetingKey" => Ok("userId".to_owned()),
            "" => Err("it asks for all attributes at once".to_owned()),
            own if own.starts_with("$flagd.") => Err(format!("it asks for {own}")),
            other => Ok(field_name(other)),
        }
    }

    /// Whether an expression is a condition rather than one of several values.
    pub(super) fn is_condition(value: &Value) -> bool {
        const OF_TRUTH: [&str; 16] = [
            "==",
            "===",
            "!=",
            "!==",
            "in",
            "starts_with",
            "ends_with",
            "sem_ver",
            "<",
            "<=",
            ">",
            ">=",
            "!",
            "!!",
            "and",
            "or",
        ];
        match operator(value) {
            Some(("and" | "or", operands)) => operands.iter().all(Self::is_condition),
            Some((name, _)) => OF_TRUTH.contains(&name),
            None => false,
        }
    }

    /// The expression as a condition.
    pub(super) fn condition(&self, value: &Value, depth: usize) -> Result<Condition, Unsupported> {
        self.count(depth)?;
        match value {
            Value::Bool(true) => return Ok(Condition::Always),
            Value::Bool(false) | Value::Null => return Ok(Condition::Never),
            _ => {}
        }
        let (name, operands) = operator(value).ok_or("a part of its targeting is no condition")?;
        let all = || {
            operands.iter().map(|operand| self.condition(operand, depth + 1)).collect::<Result<Vec<_>, Unsupported>>()
        };
        Ok(match (name, operands) {
            ("and", [_, ..]) => Condition::All(all()?),
            ("or", [_, ..]) => Condition::Any(all()?),
            ("!", [one]) => self.condition(one, depth + 1)?.inverted(),
            ("!!", [one]) => self.condition(one, depth + 1)?,
            ("$ref", _) => match self.shared(operands)? {
                (_, Some(place)) => Condition::Segment(place),
                (value, None) => self.condition(value, depth + 1)?,
            },
            ("==" | "===", [one, other]) => self.equal(one, other)?,
            ("!=" | "!==", [one, other]) => self.equal(one, other)?.inverted(),
            ("in", [one, Value::Array(values)]) => {
                let name = attribute(one).ok_or("\"in\" looks for something that is no attribute")?;
                one_of(&self.field(name)?, values, Otherwise::Fails)
            }
            ("in", [Value::String(part), whole]) => self.text(whole, part, Test::Contains)?,
            ("starts_with", [whole, Value::String(part)]) => self.text(whole, part, Test::StartsWith)?,
            ("ends_with", [whole, Value::String(part)]) => self.text(whole, part, Test::EndsWith)?,
            ("<" | "<=" | ">" | ">=", [one, other]) => self.order(name, one, other)?,
            ("<" | "<=", [low, middle, high]) => {
                Condition::All(vec![self.order(name, low, middle)?, self.order(name, middle, high)?])
            }
            ("sem_ver", [whole, Value::String(order), Value::String(than)]) => self.version(whole, order, than)?,
            _ => return Err(format!("the operator {name} cannot be said here, or not with these operands")),
        })
    }

    fn equal(&self, one: &Value, other: &Value) -> Result<Condition, Unsupported> {
        let (name, value) = match (attribute(one), attribute(other)) {
            (Some(name), None) => (name, other),
            (None, Some(name)) => (name, one),
            _ => return Err("it compares two attributes, or two values".to_owned()),
        };
        let name = self.field(name)?;
        Ok(if value.is_null() {
            field(&name, Test::IsThere, Otherwise::Unknown).inverted()
        } else {
            one_of(&name, std::slice::from_ref(value), Otherwise::Fails)
        })
    }

    fn text(&self, whole: &Value, part: &str, test: fn(Vec<String>) -> Test) -> Result<Condition, Unsupported> {
        let name = attribute(whole).ok_or("it looks into something that is no attribute")?;
        Ok(field(&self.field(name)?, test(vec![part.to_owned()]), Otherwise::Fails))
    }

    fn order(&self, name: &str, one: &Value, other: &Value) -> Result<Condition, Unsupported> {
        let (attribute, number, turned) = match (attribute(one), other.as_f64(), attribute(other), one.as_f64()) {
            (Some(attribute), Some(number), ..) => (attribute, number, false),
            (_, _, Some(attribute), Some(number)) => (attribute, number, true),
            _ => return Err(format!("{name} does not compare an attribute with a number")),
        };
        let order = match (name, turned) {
            ("<", false) | (">", true) => Order::Less,
            ("<=", false) | (">=", true) => Order::AtMost,
            (">", false) | ("<", true) => Order::Greater,
            _ => Order::AtLeast,
        };
        if attribute == "$flagd.timestamp" {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "what is beyond the range ends at it, and is no date"
            )]
            return Ok(time(order, (number * 1000.0) as i64));
        }
        Ok(field(&self.field(attribute)?, Test::Number(order, number), order.for_nothing(number)))
    }

    fn version(&self, whole: &Value, order: &str, than: &str) -> Result<Condition, Unsupported> {
        let name = self.field(attribute(whole).ok_or("sem_ver compares something that is no attribute")?)?;
        let one = |order| version(&name, order, than, Otherwise::Fails);
        Ok(match order {
            "=" => one(Order::Equal),
            // What is no version is not unequal to one either.
            "!=" => Condition::Any(vec![one(Order::Less), one(Order::Greater)]),
            "<" => one(Order::Less),
            "<=" => one(Order::AtMost),
            ">" => one(Order::Greater),
            ">=" => one(Order::AtLeast),
            "^" | "~" => {
                let full = full_version(than).ok_or_else(|| format!("\"{than}\" is no version"))?;
                let parts: Vec<u64> =
                    full.split(['.', '-', '+']).take(2).filter_map(|part| part.parse().ok()).collect();
                let [major, minor] = parts[..] else { return Err(format!("\"{than}\" is no version")) };
                let (low, high) = if order == "^" {
                    (format!("{major}.0.0-0"), format!("{}.0.0-0", major.saturating_add(1)))
                } else {
                    (format!("{major}.{minor}.0-0"), format!("{major}.{}.0-0", minor.saturating_add(1)))
                };
                Condition::All(vec![
                    version(&name, Order::AtLeast, &low, Otherwise::Fails),
                    version(&name, Order::Less, &high, Otherwise::Fails),
                ])
            }
            other => return Err(format!("sem_ver does not know {other}")),
        })
    }
}
