//! Held against `serde_json`, which this must equal byte for byte.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};

use super::*;

#[derive(Serialize)]
enum Choice {
    Unit,
    One(u8),
    Two(u8, String),
    Named { first: bool, second: Option<()> },
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct Pair(u8, f64);

#[derive(Serialize)]
struct Everything<'a> {
    choices: [Choice; 4],
    numbers: (i8, i16, i32, i64, u8, u16, u32, u64),
    huge: (i128, u128),
    fractions: (f32, f64, f64, f64),
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    none: Option<u8>,
    letter: char,
    raw: Box<RawValue>,
    by_number: BTreeMap<i32, bool>,
    by_flag: BTreeMap<bool, u8>,
    unit: (),
    empty: Empty,
    nothing: Vec<u8>,
    pair: Pair,
    #[serde(flatten)]
    flat: BTreeMap<&'a str, Value>,
}

fn assert_same(value: &impl Serialize) {
    let general = serde_json::to_string(value).expect("JSON");
    let written = String::from_utf8(to_vec(value).expect("JSON")).expect("UTF-8");
    assert_eq!(written, general);
}

#[test]
fn each_kind_of_value_is_written_as_by_the_general_writer() {
    assert_same(&Everything {
        choices: [
            Choice::Unit,
            Choice::One(1),
            Choice::Two(2, "\u{1}".to_owned()),
            Choice::Named { first: true, second: None },
        ],
        numbers: (i8::MIN, i16::MIN, i32::MIN, i64::MIN, u8::MAX, u16::MAX, u32::MAX, u64::MAX),
        huge: (i128::MIN, u128::MAX),
        fractions: (1.5, 1.0, f64::MAX, f64::NAN),
        absent: None,
        none: None,
        letter: '"',
        raw: RawValue::from_string(r#"{ "a" : [1, "\u00e9"] }"#.to_owned()).expect("JSON"),
        by_number: BTreeMap::from([(-1, true), (2, false)]),
        by_flag: BTreeMap::from([(true, 1)]),
        unit: (),
        empty: Empty {},
        nothing: Vec::new(),
        pair: Pair(1, 2.5),
        flat: BTreeMap::from([("more", json!({ "x": [null, {}] }))]),
    });
}

#[test]
fn a_name_that_is_no_text_is_refused_as_by_the_general_writer() {
    for name in [vec![], vec![1]] {
        let value = BTreeMap::from([(name, 1)]);
        assert!(serde_json::to_vec(&value).is_err());
        assert!(to_vec(&value).is_err());
    }
    let value = BTreeMap::from([((), 1)]);
    assert!(serde_json::to_vec(&value).is_err());
    assert!(to_vec(&value).is_err());
}

#[test]
fn each_byte_at_each_place_of_a_word_is_seen() {
    for byte in 0..=127_u8 {
        for place in 0..17 {
            let mut ascii = "a".repeat(20);
            ascii.insert(place, char::from(byte));
            assert_same(&ascii);
            let mut wide = "é".repeat(10);
            wide.insert(place / 2 * 2, char::from(byte));
            assert_same(&wide);
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_written_as_by_the_general_writer(value in values()) {
        assert_same(&value);
    }
}
