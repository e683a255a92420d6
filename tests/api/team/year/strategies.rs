//! Every kind of strategy, with constraints of every operator; beside each the segment that it refers to.

/// The body of each strategy, and the name of its segment.
pub const STRATEGIES: &[(&str, Option<&str>)] = &[
    (r#"{"name":"default"}"#, None),
    (r#"{"name":"flexibleRollout","parameters":{"rollout":"25","stickiness":"userId","groupId":"g"}}"#, None),
    (r#"{"name":"userWithId","parameters":{"userIds":"1,2"}}"#, None),
    (r#"{"name":"remoteAddress","parameters":{"IPs":"10.0.0.0/8"}}"#, None),
    (r#"{"name":"applicationHostname","parameters":{"hostNames":"web-1"}}"#, None),
    (r#"{"name":"weekday","parameters":{"days":"monday"}}"#, None),
    (r#"{"name":"flexibleRollout","segments":[1]}"#, Some("testers")),
    (
        r#"{"name":"flexibleRollout","constraints":[
            {"contextName":"region","operator":"IN","values":["eu"]},
            {"contextName":"userId","operator":"NOT_IN","values":["3"]},
            {"contextName":"userId","operator":"STR_CONTAINS","values":["a"],"caseInsensitive":true},
            {"contextName":"userId","operator":"STR_STARTS_WITH","values":["b"],"inverted":true},
            {"contextName":"userId","operator":"STR_ENDS_WITH","values":["c"]}
        ]}"#,
        None,
    ),
    (
        r#"{"name":"flexibleRollout","constraints":[
            {"contextName":"userId","operator":"NUM_EQ","value":"1"},
            {"contextName":"userId","operator":"NUM_GT","value":"1"},
            {"contextName":"userId","operator":"NUM_GTE","value":"1"},
            {"contextName":"userId","operator":"NUM_LT","value":"9"},
            {"contextName":"userId","operator":"NUM_LTE","value":"9"}
        ]}"#,
        None,
    ),
    (
        r#"{"name":"flexibleRollout","constraints":[
            {"contextName":"currentTime","operator":"DATE_AFTER","value":"2026-01-01T00:00:00.000Z"},
            {"contextName":"currentTime","operator":"DATE_BEFORE","value":"2027-01-01T00:00:00.000Z"},
            {"contextName":"appName","operator":"SEMVER_EQ","value":"1.2.3"},
            {"contextName":"appName","operator":"SEMVER_GT","value":"1.2.3"},
            {"contextName":"appName","operator":"SEMVER_LT","value":"2.0.0"}
        ]}"#,
        None,
    ),
    (
        r#"{"name":"flexibleRollout","variants":[
            {"name":"red","weight":0,"weightType":"variable","stickiness":"default"},
            {"name":"blue","weight":300,"weightType":"fix","stickiness":"default","payload":{"type":"json","value":"{\"a\":1}"}}
        ]}"#,
        None,
    ),
];
