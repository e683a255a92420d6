//! Hostile files.

use super::*;

fn fault(name: &str, bytes: &[u8]) -> String {
    Format::detect(&SourceFile { name, environment: None, bytes }).expect_err("refused").to_string()
}

#[test]
fn what_is_too_large_or_too_deep_is_refused_with_a_sentence() {
    let large = vec![b' '; (64 << 20) + 1];
    assert!(fault("big.json", &large).starts_with("big.json: it has 64 MiB, of which at most 64 MiB can be read"));
    assert!(fault("big.yaml", &large[..=16 << 20]).contains("at most 16 MiB"));
    assert_eq!(
        fault("deep.json", "[".repeat(100_000).as_bytes()),
        "deep.json, line 1: it is nested more than 1000 deep, which no flag needs: is it the right file?"
    );
    let nested = format!("{}{}", "[".repeat(900), "]".repeat(900));
    for name in ["deep.json", "deep.toml"] {
        let text = if name.ends_with("toml") { format!("a = {nested}") } else { nested.clone() };
        assert!(fault(name, text.as_bytes()).contains("can be read"), "{name}");
    }
    let in_yaml = format!("a: {nested}");
    assert!(fault("deep.yaml", in_yaml.as_bytes()).contains("can be read"));
    let blocks = "- ".repeat(2000);
    assert!(fault("blocks.yaml", blocks.as_bytes()).contains("can be read"));
}

#[test]
fn what_is_broken_is_refused_with_its_place() {
    assert!(fault("a.json", b"{\n  \"flags\": nope }").starts_with("a.json, line 2, column "));
    assert!(fault("a.toml", b"x = 1\ny = = 2\n").starts_with("a.toml, line 2: "));
    assert!(fault("a.yaml", b"x: 1\n\ty: [").starts_with("a.yaml"));
    assert_eq!(fault("a.json", b"{}\n\xff"), "a.json, line 2: it is no UTF-8 text: save it as such");
    assert_eq!(fault("a.yaml", b"# nothing\n"), "a.yaml: it is empty");
    let laughs = "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n\
                  d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\n\
                  g: &g [*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g]\n";
    assert!(fault("laughs.yaml", laughs.as_bytes()).contains("can be read"));
    let other = SourceFile { name: "notes.json", environment: None, bytes: b"{\"a\": 1}" };
    assert_eq!(Format::detect(&other), Ok(None));
    let error = read(Format::Flagd, &[other], &options()).expect_err("refused");
    assert!(error.to_string().starts_with("notes.json: it does not look like a file of flagd"));
}

#[test]
fn keys_that_stand_several_times_are_told_and_the_last_counts() {
    let on = |variant: &str| {
        format!(r#"{{"state": "ENABLED", "variants": {{"on": true, "off": false}}, "defaultVariant": "{variant}"}}"#)
    };
    let json =
        format!(r#"{{"flags": {{"a": {}, "b": {}, "a": {}, "a": {}}}}}"#, on("on"), on("on"), on("on"), on("off"));
    let yaml = format!("flags:\n  a: {}\n  b: {}\n  a: {}\n", on("on"), on("on"), on("off"));
    for (name, text) in [("twice.json", json), ("twice.yaml", yaml)] {
        let moved = moved(Format::Flagd, &[(name, None, text.as_bytes())]);
        assert!(moved.on("production", "b", &[]) && !moved.on("production", "a", &[]), "{name}");
        let told: Vec<_> = moved.findings.iter().filter(|finding| finding.kind == "file").collect();
        let expected = Finding::changed("file", name, "has \"flags.a\" several times, of which the last one counts");
        assert_eq!(told, [&expected]);
    }
    let listed = br#"{"features": [{"id": "f", "valueType": "boolean", "defaultValue": "false", "id": "g"}]}"#;
    let moved = moved(Format::GrowthBook, &[("list.json", None, listed)]);
    assert!(moved.findings.iter().any(|finding| finding.reason.starts_with("has \"features[0].id\" several times")));
}

#[test]
fn payloads_that_are_encrypted_are_refused() {
    for bytes in [
        &br#"{"status": 200, "features": {}, "encryptedFeatures": "vMSg2Bj/IurObDsWVmvkUg==.L6qtQkIzKDoE"}"#[..],
        br#"{"encryptedFeatures": "vMSg2Bj/IurObDsWVmvkUg==.L6qtQkIzKDoE"}"#,
    ] {
        let file = SourceFile { name: "payload.json", environment: None, bytes };
        assert_eq!(Format::detect(&file), Ok(Some(Format::GrowthBook)));
        let told = read(Format::GrowthBook, &[file], &options()).expect_err("refused").to_string();
        assert!(told.starts_with("payload.json, encryptedFeatures: it is encrypted for an SDK"), "{told}");
    }
}

#[test]
fn many_rules_end_in_time_and_are_told() {
    let rule = json!({ "==": [{ "var": "a" }, "x"] });
    let many = |operator: &str, count: usize| {
        let mut conditions = vec![rule.clone(); count];
        for (place, condition) in conditions.iter_mut().enumerate() {
            condition["=="][0]["var"] = json!(format!("field{place}"));
        }
        json!({ operator: conditions })
    };
    let pairs: Vec<Value> = (0..6)
        .map(|number| {
            json!({ "or": [
        { "==": [{ "var": format!("a{number}") }, "x"] }, { "==": [{ "var": format!("b{number}") }, "x"] },
    ] })
        })
        .collect();
    let chain = |count: usize| {
        let mut operands = Vec::new();
        for number in 0..count {
            operands.push(json!({ "==": [{ "var": "n" }, number] }));
            operands.push(json!(if number % 2 == 0 { "on" } else { "off" }));
        }
        json!({ "if": operands })
    };
    let flag = |targeting: Value| {
        json!({
            "state": "ENABLED", "variants": { "on": true, "off": false }, "defaultVariant": "off", "targeting": targeting,
        })
    };
    let moved = moved_json(
        Format::Flagd,
        &json!({ "flags": {
        "wide": flag(json!({ "if": [many("or", 100_000), "on"] })), "some": flag(json!({ "if": [many("or", 60), "on"] })),
        "product": flag(json!({ "if": [{ "and": pairs }, "on"] })),
        "long": flag(chain(50_000)), "plain": flag(json!({ "if": [rule, "on"] })),
    } }),
    );
    for name in ["wide in production", "some in production", "product in production", "long in production"] {
        assert!(moved.unsaid(name).contains("more than"), "{}", moved.unsaid(name));
    }
    assert!(moved.on("production", "plain", &[("a", "x")]) && !moved.on("production", "plain", &[]));
}

#[test]
fn expressions_that_refer_to_each_other_come_to_an_end() {
    let double = |name: &str| json!({ "and": [{ "$ref": name }, { "$ref": name }] });
    let mut evaluators = serde_json::Map::new();
    for number in 0..40 {
        evaluators.insert(format!("e{number}"), double(&format!("e{}", (number + 1) % 40)));
    }
    let moved = moved_json(
        Format::Flagd,
        &json!({ "$evaluators": evaluators, "flags": { "loop": {
        "state": "ENABLED", "variants": { "on": true, "off": false }, "defaultVariant": "off",
        "targeting": { "if": [{ "$ref": "e0" }, "on", "off"] },
    } } }),
    );
    assert!(!moved.unsaid("loop in production").is_empty());
}

#[test]
fn values_that_are_too_large_are_told_and_not_copied() {
    let large = "x".repeat(8 << 20);
    let nested = json!({ "all": vec![json!({ "large": "y".repeat(100) }); 50_000] });
    let mut operands = Vec::new();
    for number in 0..900 {
        operands.push(json!({ "==": [{ "var": "n" }, number] }));
        operands.push(json!(if number % 2 == 0 { "text" } else { "nested" }));
    }
    let moved = moved_json(
        Format::Flagd,
        &json!({ "flags": { "large": {
        "state": "ENABLED", "variants": { "text": large, "nested": nested }, "defaultVariant": "text",
        "targeting": { "if": operands },
    } } }),
    );
    assert!(moved.unsaid("large in production").contains("more than 100000 characters"));
}
