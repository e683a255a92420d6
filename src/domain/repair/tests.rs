use serde_json::json;

use super::*;
use crate::time::Timestamp;

#[test]
fn times_are_read_in_every_form() {
    for (text, expected) in [
        ("2026-11-22T07:12:42.519963+00:00", Some(1_795_331_562_519)),
        ("2026-11-22T09:12:42.5199+02:00", Some(1_795_331_562_519)),
        ("2026-11-22T07:12:42.519963", Some(1_795_331_562_519)),
        ("2026-11-22 07:12:42.519963", Some(1_795_331_562_519)),
        ("2026-11-22", Some(1_795_305_600_000)),
        ("infinity", None),
    ] {
        assert_eq!(time(text).map(Timestamp::millis), expected, "{text}");
    }
}

#[test]
fn columns_are_read_as_what_they_should_be_and_each_repair_is_named() {
    let value = json!({
        "a": null, "b": "x", "c": 7, "d": true, "e": [1, "x", {}], "f": "7", "g": 7.9, "h": "no", "secret": 5,
        "i": "infinity", "j": "12026-01-01T00:00:00Z",
    });
    let repairs = Repairs::default();
    let row = Row::new("t", "k", &value, &repairs);
    assert_eq!((row.find_text("a"), row.find_text("z"), row.find_text("b").as_deref()), (None, None, Some("x")));
    assert!(row.truth("d", false) && !row.truth("a", true) && !row.truth("z", true));
    assert!(repairs.recorded().repairs.is_empty());
    assert_eq!(
        (row.find_text("c").as_deref(), row.find_number("f"), row.find_number("g")),
        (Some("7"), Some(7), Some(7))
    );
    assert!(row.truth("c", false) && !row.truth("h", true) && row.truth("b", true));
    assert_eq!(row.texts("e"), ["1", "x"]);
    assert_eq!((row.time("i"), row.time("j")), (None, Some(Timestamp::LAST)));
    assert_eq!(row.find_text("secret").as_deref(), Some("5"));
    assert!(row.text("z").is_none() && row.number("b").is_none());
    let told: Vec<String> = repairs.into_all().iter().map(ToString::to_string).collect();
    assert!(told.contains(&"t k, c: 7: is taken as a text".to_owned()), "{told:#?}");
    assert!(told.contains(&"t k, e[2]: {}: is no text".to_owned()), "{told:#?}");
    assert!(told.contains(&"t k, secret: a secret: is taken as a text".to_owned()), "{told:#?}");
}

#[test]
fn numbers_out_of_range_become_texts_and_nothing_else_changes() {
    for (text, expected) in [
        ("{\"a\":1e400,\"b\":-1E999}", "{\"a\":\"1e400\",\"b\":\"-1E999\"}"),
        ("{\"1e400\":\"\\\"1e400\",\"b\":1e300}", "{\"1e400\":\"\\\"1e400\",\"b\":1e300}"),
        ("[1, 2.5]", "[1, 2.5]"),
        ("\"1e400", "\"1e400"),
    ] {
        assert_eq!(readable(text), expected);
    }
    assert_eq!(parse(b"[1e400]").expect("reads"), json!(["1e400"]));
    assert!(parse(b"[1e400").is_err());
}
