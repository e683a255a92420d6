//! The real files of other products.

use super::*;

macro_rules! vendor {
    ($path:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/vendors/", $path)) as &[u8]
    };
}
pub(super) use vendor;

#[test]
fn flagd_files_give_what_flagd_gives() {
    for (name, bytes) in [
        ("example_flags.flagd.json", vendor!("flagd/example_flags.flagd.json")),
        ("example_flags.flagd.yaml", vendor!("flagd/example_flags.flagd.yaml")),
    ] {
        let moved = moved(Format::Flagd, &[(name, None, bytes)]);
        let gets = |flag, pairs: &[(&str, &str)]| moved.value("production", flag, pairs);
        assert!(moved.on("production", "myBoolFlag", &[]));
        assert_eq!(gets("myStringFlag", &[]), "val1");
        assert_eq!(gets("myFloatFlag", &[]), "1.23");
        assert_eq!(gets("myObjectFlag", &[]), r#"{"key":"val"}"#);
        assert!(moved.on("production", "isColorYellow", &[("color", "yellow")]));
        assert!(!moved.on("production", "isColorYellow", &[("color", "red")]));
        assert!(!moved.on("production", "isColorYellow", &[]));
        assert_eq!(gets("fibAlgo", &[("email", "x@faas.com")]), "binet");
        assert_eq!(gets("fibAlgo", &[]), "recursive");
        assert_eq!(gets("targetedFlag", &[("email", "x@openfeature.dev")]), "BBB");
        assert!(gets("headerColor", &[("email", "x@faas.com"), ("userId", "1")]).starts_with('#'));
        assert_eq!(gets("headerColor", &[("email", "x@other.com")]), "#FF0000");
        let names: Vec<_> = moved.set.segments.iter().map(|segment| &*segment.name).collect();
        assert_eq!(names, ["emailWithFaas"]);
        assert_eq!(
            moved.findings.iter().filter(|finding| finding.kind == "rollouts").count(),
            1,
            "{:#?}",
            moved.findings
        );
        assert_eq!(moved.findings.len(), 1, "{:#?}", moved.findings);
    }
}

#[test]
fn launchdarkly_answers_give_what_launchdarkly_gives() {
    let files = [
        ("get_flags.json", None, vendor!("launchdarkly/get_flags.json")),
        ("get_segments.json", None, vendor!("launchdarkly/get_segments.json")),
        ("get_environments.json", None, vendor!("launchdarkly/get_environments.json")),
        ("get_project.json", None, vendor!("launchdarkly/get_project.json")),
    ];
    let moved = moved(Format::LaunchDarkly, &files);
    let gets = |flag, pairs: &[(&str, &str)]| moved.value("test", flag, pairs);
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u"), ("foo", "abcd")]), "2");
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u"), ("p2", "dogac")]), "3");
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u"), ("p1", "foobar"), ("p2", "fine")]), "1");
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u"), ("p1", "foobar"), ("p2", "forbidden")]), "3");
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u"), ("p1", "3"), ("p2", "2")]), "2");
    // Whoever has no p1 matches neither a clause about it nor its negation.
    assert_eq!(gets("TEST_TARGETED_CONTEXT", &[("userId", "u")]), "nothing");
    // The last rule is for whoever does not match a pattern, among other things.
    let why = "is switched off: \"p3\" must not match a pattern";
    assert_eq!(moved.unsaid("TEST_SEGMENT_TARGET in test"), why);
    assert!(!moved.on("test", "TEST_INDIVIDUAL_TARGET", &[("userId", "user-1005")]));
    assert_eq!(
        moved.unsaid("flag1 in test"),
        "is switched off: the file holds a summary of it: ask the API with summary=0"
    );
    assert!(moved.feature("flag1").stale);
}
