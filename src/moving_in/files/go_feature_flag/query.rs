//! The language of queries, such as `key in ["a", "b"] and not (country eq "FR")`.

use serde_json::Value;

use crate::files::{
    comparison::{Order, Otherwise, Test},
    condition::{Condition, Unsupported},
    read::{field, field_name, one_of, version},
};

/// Maximum depth of brackets.
const MOST_DEPTH: usize = 100;
/// Most bytes of a query.
const MOST_LENGTH: usize = 1 << 20;

/// A query as a condition.
pub(super) fn parse(query: &str) -> Result<Condition, Unsupported> {
    if query.len() > MOST_LENGTH {
        return Err("a query is longer than 1 MiB".to_owned());
    }
    let mut tokens = tokens(query)?;
    tokens.reverse();
    let mut parser = Parser { tokens, otherwise: Otherwise::Fails };
    let condition = parser.joined(0)?;
    parser.tokens.is_empty().then_some(condition).ok_or_else(|| "a query goes on after its end".to_owned())
}

/// The context field for an attribute.
pub(super) fn field_of(attribute: &str) -> String {
    if attribute == "key" || attribute == "targetingKey" { "userId".to_owned() } else { field_name(attribute) }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Sign(char),
    Word(String),
    Text(String),
}

fn tokens(query: &str) -> Result<Vec<Token>, Unsupported> {
    let mut tokens = Vec::new();
    let mut signs = query.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            sign if sign.is_whitespace() => {}
            '(' | ')' | '[' | ']' | ',' => tokens.push(Token::Sign(sign)),
            '"' => {
                let mut text = String::new();
                loop {
                    match signs.next().ok_or("a text in a query does not end")? {
                        '"' => break,
                        '\\' => match signs.next() {
                            Some(sign @ ('"' | '\\' | '/')) => text.push(sign),
                            _ => return Err("a text in a query has an escape that is not known".to_owned()),
                        },
                        sign => text.push(sign),
                    }
                }
                tokens.push(Token::Text(text));
            }
            '=' | '!' | '<' | '>' => {
                let mut word = String::from(sign);
                word.extend(signs.next_if_eq(&'='));
                tokens.push(Token::Word(word));
            }
            sign if sign.is_alphanumeric() || "_-.:+".contains(sign) => {
                let mut word = String::from(sign);
                while let Some(sign) = signs.next_if(|sign| sign.is_alphanumeric() || "_-.:+".contains(*sign)) {
                    word.push(sign);
                }
                tokens.push(Token::Word(word));
            }
            other => return Err(format!("a query holds {other}, which is not known")),
        }
    }
    Ok(tokens)
}

/// Parser with the tokens that are left, the next one last.
struct Parser {
    tokens: Vec<Token>,
    /// Result where an attribute is absent. A comparison fails; below a *not* its result is not sure.
    otherwise: Otherwise,
}

impl Parser {
    fn word(&mut self, wanted: &str) -> bool {
        let found = matches!(self.tokens.last(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(wanted));
        if found {
            self.tokens.pop();
        }
        found
    }

    fn sign(&mut self, wanted: char) -> bool {
        let found = self.tokens.last() == Some(&Token::Sign(wanted));
        if found {
            self.tokens.pop();
        }
        found
    }

    /// Parts joined by *and* or by *or*. Which of the two binds closer is not the same in every version.
    fn joined(&mut self, depth: usize) -> Result<Condition, Unsupported> {
        if depth > MOST_DEPTH {
            return Err(format!("a query has more than {MOST_DEPTH} brackets in one another"));
        }
        let mut parts = vec![self.part(depth)?];
        let mut by_and = None;
        loop {
            let and = self.word("and");
            if !and && !self.word("or") {
                break;
            }
            if by_and.is_some_and(|by_and| by_and != and) {
                return Err("a query mixes and with or without brackets".to_owned());
            }
            by_and = Some(and);
            parts.push(self.part(depth)?);
        }
        Ok(match by_and {
            None => parts.swap_remove(0),
            Some(true) => Condition::All(parts),
            Some(false) => Condition::Any(parts),
        })
    }

    fn part(&mut self, depth: usize) -> Result<Condition, Unsupported> {
        let inverted = self.word("not");
        if self.sign('(') {
            let before = self.otherwise;
            if inverted {
                self.otherwise = Otherwise::Unknown;
            }
            let inner = self.joined(depth + 1)?;
            self.otherwise = before;
            if !self.sign(')') {
                return Err("a bracket of a query is not closed".to_owned());
            }
            return Ok(if inverted { inner.inverted() } else { inner });
        }
        if inverted {
            return Err("not stands before something without brackets".to_owned());
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Condition, Unsupported> {
        let Some(Token::Word(attribute)) = self.tokens.pop() else {
            return Err("a query lacks an attribute".to_owned());
        };
        let Some(Token::Word(operator)) = self.tokens.pop() else {
            return Err(format!("a query lacks an operator after {attribute}"));
        };
        let name = field_of(&attribute);
        let operator = operator.to_lowercase();
        let otherwise = self.otherwise;
        if operator == "pr" {
            return Ok(field(&name, Test::IsThere, otherwise));
        }
        if operator == "in" {
            return Ok(one_of(&name, &self.list()?, otherwise));
        }
        let value = self.value()?;
        let order = match &*operator {
            "eq" | "==" => return Ok(equal(&name, &value, otherwise)),
            "ne" | "!=" => return Ok(equal(&name, &value, Otherwise::Unknown).inverted()),
            "co" | "sw" | "ew" => {
                let part = value.text().ok_or_else(|| format!("{operator} does not look for a text"))?;
                let test = match &*operator {
                    "co" => Test::Contains,
                    "sw" => Test::StartsWith,
                    _ => Test::EndsWith,
                };
                return Ok(field(&name, test(vec![part]), otherwise));
            }
            "lt" | "<" => Order::Less,
            "le" | "<=" => Order::AtMost,
            "gt" | ">" => Order::Greater,
            "ge" | ">=" => Order::AtLeast,
            other => return Err(format!("the operator {other} is not known")),
        };
        match value {
            Operand::Number(number) => Ok(field(&name, Test::Number(order, number), otherwise)),
            Operand::Version(than) => Ok(version(&name, order, &than, otherwise)),
            _ => Err(format!("{operator} compares with what is neither number nor version")),
        }
    }

    fn value(&mut self) -> Result<Operand, Unsupported> {
        match self.tokens.pop() {
            Some(Token::Text(text)) => Ok(Operand::Text(text)),
            Some(Token::Word(word)) => Operand::of_word(word),
            _ => Err("a query lacks a value".to_owned()),
        }
    }

    fn list(&mut self) -> Result<Vec<Value>, Unsupported> {
        if !self.sign('[') {
            return Err("in is followed by no list".to_owned());
        }
        let mut values = Vec::new();
        loop {
            values.push(match self.value()? {
                Operand::Text(text) => Value::String(text),
                Operand::Number(number) => serde_json::json!(number),
                _ => return Err("a list holds what is neither text nor number".to_owned()),
            });
            if self.sign(']') {
                return Ok(values);
            }
            if !self.sign(',') {
                return Err("a list in a query is not closed".to_owned());
            }
        }
    }
}

/// Operand of a comparison with an attribute.
enum Operand {
    Text(String),
    Number(f64),
    Truth(bool),
    Version(String),
}

impl Operand {
    fn of_word(word: String) -> Result<Self, Unsupported> {
        match &*word {
            "true" => Ok(Self::Truth(true)),
            "false" => Ok(Self::Truth(false)),
            _ if word.matches('.').count() == 2 => Ok(Self::Version(word)),
            _ => word.parse().map(Self::Number).map_err(|_| format!("{word} is neither text, number nor version")),
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn equal(name: &str, value: &Operand, otherwise: Otherwise) -> Condition {
    match value {
        Operand::Text(text) => field(name, Test::OneOf(vec![text.clone()]), otherwise),
        Operand::Truth(truth) => field(name, Test::OneOf(vec![truth.to_string()]), otherwise),
        Operand::Number(number) => field(name, Test::Equals(vec![*number]), otherwise),
        Operand::Version(than) => version(name, Order::Equal, than, otherwise),
    }
}
