//! A parsed body: numbers as the types that follow know them, objects made as large as they will be, and no more memory
//! than is allowed.
//!
//! A value takes as much room as a line of text, and `[0,0,0]` has one every other byte. So each is charged for before
//! it is kept. Lists of a large body are not kept at all: a [`Gatherer`] gets their items one by one.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{
    Map, Value,
    de::{Read, SliceRead, StrRead},
};

use crate::wire::Number;

/// Overhead of a text: of the allocator, and a text of one letter.
const TEXT_BYTES: usize = 16;
/// Overhead of a member of an object: its name, and its place in the index.
const MEMBER_BYTES: usize = size_of::<String>() + TEXT_BYTES + 3 * size_of::<usize>();

/// Memory that may be taken, in bytes.
#[derive(Debug)]
pub(super) struct Allowance {
    /// `None` once more was asked for than there was.
    left_bytes: Cell<Option<usize>>,
}

impl Allowance {
    pub(super) const fn of(most_bytes: usize) -> Self {
        Self { left_bytes: Cell::new(Some(most_bytes)) }
    }

    /// Takes some of it; false when there is not so much left, from then on.
    pub(super) fn take(&self, bytes: usize) -> bool {
        self.left_bytes.set(self.left_bytes.get().and_then(|left| left.checked_sub(bytes)));
        self.left_bytes.get().is_some()
    }

    /// Whether more was asked for than there was.
    pub(super) const fn exceeded(&self) -> bool {
        self.left_bytes.get().is_none()
    }

    fn charge<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        if self.take(bytes) { Ok(()) } else { Err(E::custom("too much")) }
    }
}

/// Takes the items of lists that are not kept.
pub(super) trait Gatherer {
    /// The member of the body in which the lists are.
    fn within(&self) -> &'static str;

    /// The list of this name, if its items are to be taken.
    fn list(&self, name: &str) -> Option<&'static str>;

    /// A list begins: what was taken from an earlier one of its name does not count.
    fn begin(&self, list: &'static str);

    /// Most bytes of memory that an item may take while it is read.
    fn item_bytes(&self) -> usize;

    /// Takes an item; false when nothing more is to be read.
    fn take(&self, list: &'static str, index: usize, item: Value) -> bool;

    /// An item would have taken more.
    fn exceeded(&self, list: &'static str, index: usize);
}

/// Place of a value in a body.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// A place at which nothing is gathered.
    Plain,
    /// The body itself.
    Root(&'a dyn Gatherer),
    /// The member in which the lists are.
    Within(&'a dyn Gatherer),
    /// A list whose items are taken.
    List(&'a dyn Gatherer, &'static str),
}

impl Place<'_> {
    fn member(self, name: &str) -> Self {
        match self {
            Self::Root(gatherer) if name == gatherer.within() => Self::Within(gatherer),
            Self::Within(gatherer) => gatherer.list(name).map_or(Self::Plain, |list| Self::List(gatherer, list)),
            _ => Self::Plain,
        }
    }
}

/// Reads any JSON. `1.0` is read as `1`: a schema knows them as one integer, the types that follow do not.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    allowance: &'a Allowance,
    place: Place<'a>,
}

impl<'a> Tree<'a> {
    /// A value that takes no more than this.
    pub(super) const fn within(allowance: &'a Allowance) -> Self {
        Self { allowance, place: Place::Plain }
    }

    /// A body whose lists are taken; they are empty in what is read.
    pub(super) fn gathered_by(gatherer: &'a dyn Gatherer, allowance: &'a Allowance) -> Self {
        Self { allowance, place: Place::Root(gatherer) }
    }

    fn text<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        self.allowance.charge(TEXT_BYTES + bytes)
    }
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from(number).whole().map_or_else(|| number.into(), Value::from))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.text(text.len())?;
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Value, E> {
        self.text(text.capacity())?;
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        if let Place::List(gatherer, list) = self.place {
            gatherer.begin(list);
            for index in 0.. {
                let allowance = Allowance::of(gatherer.item_bytes());
                match items.next_element_seed(Tree::within(&allowance)) {
                    Ok(None) => break,
                    Ok(Some(item)) => {
                        if !gatherer.take(list, index, item) {
                            return Err(A::Error::custom("refused"));
                        }
                    }
                    Err(error) => {
                        if allowance.exceeded() {
                            gatherer.exceeded(list, index);
                        }
                        return Err(error);
                    }
                }
            }
            return Ok(Value::Array(values));
        }
        while let Some(value) = items.next_element_seed(Tree { place: Place::Plain, ..self })? {
            let room = values.capacity();
            values.push(value);
            self.allowance.charge((values.capacity() - room) * size_of::<Value>())?;
        }
        Ok(Value::Array(values))
    }

    /// Members are gathered first: a map that grows with each of them is rebuilt again and again, and a data set has
    /// thousands.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut gathered: Vec<(String, Value)> = Vec::with_capacity(8);
        while let Some(name) = members.next_key::<String>()? {
            self.allowance.charge(MEMBER_BYTES + size_of::<Value>() + name.len())?;
            let place = self.place.member(&name);
            gathered.push((name, members.next_value_seed(Tree { place, ..self })?));
        }
        let mut object = Map::with_capacity(gathered.len());
        object.extend(gathered);
        Ok(Value::Object(object))
    }
}

/// Reads a whole text.
pub(super) fn parse(bytes: &[u8], tree: Tree<'_>) -> serde_json::Result<Value> {
    // Looked at once, and not text by text; where it is no UTF-8, the code below finds the place.
    match std::str::from_utf8(bytes) {
        Ok(text) => read(StrRead::new(text), tree),
        Err(_) => read(SliceRead::new(bytes), tree),
    }
}

/// Reads a text to its end.
pub(super) fn read<'de>(text: impl Read<'de>, tree: Tree<'_>) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::new(text);
    let value = tree.deserialize(&mut json)?;
    json.end().map(|()| value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> serde_json::Result<Value> {
        parse(text.as_bytes(), Tree::within(&Allowance::of(1 << 20)))
    }

    #[test]
    fn reads_what_the_general_reader_does_but_for_whole_fractions() {
        let text = r#"{"b":[1,-2,1.5,true,null,"\u00e9\n",{}],"a":{"b":"x","a":18446744073709551615,"b":"y"},"":[]}"#;
        let general: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(read(text).expect("JSON").to_string(), general.to_string());
        let whole = read("[1.0,-0.0,3e2,9007199254740991.0,9007199254740993.0,1e300]").expect("JSON");
        assert_eq!(whole, json!([1, 0, 300, 9_007_199_254_740_991_i64, 9_007_199_254_740_992.0, 1e300]));
    }

    #[test]
    fn a_member_cannot_smuggle_in_another_text() {
        let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
        assert_eq!(read(text).expect("JSON").to_string(), text);
    }

    #[test]
    fn what_is_no_json_or_too_deep_is_refused() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for text in ["", "{", "[1,]", "{\"a\"}", "1 2", "nan", &deep] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(parse(b"[\"\xff\"]", Tree::within(&Allowance::of(1 << 20))).is_err());
    }

    #[test]
    fn what_takes_more_than_is_allowed_is_not_read_to_its_end() {
        let list = |item: &str| format!("[{}{item}]", format!("{item},").repeat(10_000));
        let deep = list(&("[".repeat(100) + &"]".repeat(100)));
        let members = format!("{{{}\"a\":0}}", "\"a\":0,".repeat(10_000));
        let long = format!("\"{}\"", "x".repeat(2 << 20));
        let lists = ["0", "[]", "{}", "\"\"", "{\"\":0}"].map(list);
        for text in lists.into_iter().chain([deep, members, long]) {
            let allowance = Allowance::of(700_000);
            // And then it is no JSON.
            assert!(parse(format!("[{text}").as_bytes(), Tree::within(&allowance)).is_err(), "{}", &text[..20]);
            assert!(allowance.exceeded(), "{}", &text[..20]);
        }
    }
}
