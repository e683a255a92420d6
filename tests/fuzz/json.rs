//! The writer of JSON, through which every answer goes.

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use flagstone::wire::json;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::document::text;

/// Every kind of thing that serde knows.
#[derive(Debug, Serialize, Arbitrary)]
enum Kind {
    Unit,
    Newtype(Box<Kinds>),
    Tuple(u8, String, Option<i64>),
    Members { character: char, text: String, inner: Vec<Self> },
}

#[derive(Debug, Serialize, Arbitrary)]
struct Marker;

#[derive(Debug, Serialize, Arbitrary)]
struct Wrapped(f32);

#[derive(Debug, Serialize, Arbitrary)]
struct Pair(u64, i8);

#[derive(Debug, Serialize, Arbitrary)]
struct Kinds {
    truth: bool,
    whole: (i16, i32, i64, u16, u32, u64),
    #[serde(rename = "größe")]
    large: (i128, u128),
    fraction: f64,
    nothing: (),
    marker: Marker,
    wrapped: Wrapped,
    pair: Pair,
    bytes: Vec<u8>,
    optional: Option<String>,
    by_number: BTreeMap<i64, Kind>,
    by_truth: BTreeMap<bool, u8>,
    by_character: BTreeMap<char, String>,
    by_text: BTreeMap<String, Vec<Kind>>,
}

fn agree<T: Serialize + ?Sized>(value: &T) {
    match (serde_json::to_vec(value), json::to_vec(value)) {
        (Ok(expected), Ok(written)) => {
            assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
        }
        (expected, written) => assert_eq!(written.is_err(), expected.is_err(), "{written:?} {expected:?}"),
    }
}

/// What it writes is what `serde_json` writes, byte for byte.
pub fn writer(input: &[u8]) {
    if let Ok(value) = serde_json::from_slice::<Value>(input) {
        agree(&value);
        let written = json::to_vec(&value).expect("JSON can be written");
        assert_eq!(serde_json::from_slice::<Value>(&written).expect("JSON"), value);
    }
    if let Ok(raw) = serde_json::from_slice::<Box<RawValue>>(input) {
        agree(&raw);
        agree(&BTreeMap::from([("raw", &raw)]));
    }
    let mut choices = Unstructured::new(input);
    if let Ok(text) = text(&mut choices) {
        agree(&text);
        agree(&BTreeMap::from([(&text, (&text, 1))]));
    }
    if let Ok(kinds) = choices.arbitrary::<Kinds>() {
        agree(&kinds);
    }
    agree(&BTreeMap::from([(vec![0_u8], input)]));
}
