//! Traces of requests, statements, jobs and deliveries for a collector; and that nobody waits for one.

use serde_json::json;

use crate::{
    collector::{Collector, Manner, Told},
    program::{Connection, Program, TOKEN, eventually},
};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
const SEARCH: &str = "/api/admin/search/features";

/// The answer to a request with these headers, each with its line break.
fn ask(connection: std::io::Result<Connection>, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut connection = connection.expect("connects");
    let length = body.len();
    connection.send(
        format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {TOKEN}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
        )
        .as_bytes(),
    );
    connection.answer().expect("an answer")
}

fn of_route<'a>(spans: &'a [Told], name: &str) -> &'a Told {
    let found = spans.iter().find(|span| span.is_request() && span.0.name == name);
    found.unwrap_or_else(|| panic!("{name} is not told, but {:?}", names(spans)))
}

fn names(spans: &[Told]) -> Vec<&str> {
    spans.iter().map(|span| span.0.name.as_str()).collect()
}

#[test]
fn requests_statements_jobs_and_deliveries_are_told_and_no_secret() {
    let (collector, receiver) = (Collector::start(Manner::Takes), Collector::start(Manner::Takes));
    let program = Program::start(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret-of%20the%20collector"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=tests"),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ]);
    let ask = |method, path: &str, headers: &str, body: &str| {
        ask(Connection::open(program.address), method, path, headers, body)
    };
    let parent = format!(
        "traceparent: 00-{TRACE}-{CALLER}-01\r\ntracestate: a=marker-in-state\r\nCookie: a=marker-in-cookie\r\n"
    );
    let webhook = json!({
        "provider": "webhook", "description": "", "enabled": true, "events": ["feature-created"],
        "parameters": {
            "url": format!("{}/hook/marker-in-address", receiver.url()),
            "customHeaders": json!({ "x-secret": "marker-of-the-receiver" }).to_string(),
        },
    });
    let (status, body) = ask("POST", "/api/admin/addons", "", &webhook.to_string());
    assert_eq!(status, 201, "{body}");
    let feature = json!({ "name": "basket", "description": "marker-in-body" }).to_string();
    let malformed = format!("traceparent: 00-{TRACE}-{CALLER}-01-more\r\nX-Other: marker-in-header\r\n");
    assert_eq!(ask("POST", "/api/admin/projects/default/features", &malformed, &feature).0, 201);
    assert_eq!(ask("GET", &format!("{SEARCH}?query=basket&other=marker-in-query"), &parent, "").0, 200);
    ask("GET", "/invite/marker-in-path/validate", "", "");
    ask("GET", "/nowhere/marker-in-path", "", "");
    ask("MARKER-METHOD", "/api/admin/projects", "", "");
    eventually("the receiver is told", || !receiver.heard("/hook/marker-in-address").is_empty());
    let told = receiver.heard("/hook/marker-in-address").remove(0);
    // Its span ends after it is counted, and a server that stops does not wait for it.
    eventually("the delivery is told", || collector.spans().iter().any(|span| span.0.name == "delivery"));
    program.stop();

    let spans = collector.spans();
    let search = of_route(&spans, &format!("GET {SEARCH}"));
    assert_eq!(
        (hex::encode(&search.0.trace_id), hex::encode(&search.0.parent_span_id)),
        (TRACE.to_owned(), CALLER.to_owned())
    );
    for (name, value) in [
        ("http.request.method", "GET"),
        ("http.route", SEARCH),
        ("url.path", SEARCH),
        ("http.response.status_code", "200"),
    ] {
        assert_eq!(search.attribute(name).as_deref(), Some(value), "{name}");
    }
    let below: Vec<&Told> = spans.iter().filter(|span| span.is_below(search)).collect();
    let read = below.iter().find(|span| span.0.name == "WITH feature");
    let read = read.unwrap_or_else(|| panic!("{:?}", below.iter().map(|span| &span.0.name).collect::<Vec<_>>()));
    for (name, value) in [
        ("db.system.name", "sqlite"),
        ("db.operation.name", "WITH"),
        ("db.collection.name", "feature"),
        ("db.query.summary", "WITH feature"),
    ] {
        assert_eq!(read.attribute(name).as_deref(), Some(value), "{name}");
    }
    assert!(below.iter().all(|span| {
        search.0.start_time_unix_nano <= span.0.start_time_unix_nano
            && span.0.end_time_unix_nano <= search.0.end_time_unix_nano
    }));

    let create = of_route(&spans, "POST /api/admin/projects/{projectId}/features");
    assert_ne!(hex::encode(&create.0.trace_id), TRACE, "a malformed parent is none");
    assert!(create.0.parent_span_id.is_empty());
    let steps: Vec<&str> = spans.iter().filter(|span| span.is_below(create)).map(|span| span.0.name.as_str()).collect();
    for step in ["BEGIN", "INSERT feature", "COMMIT"] {
        assert!(steps.contains(&step), "{step} is not among {steps:?}");
    }
    assert_eq!(
        of_route(&spans, "GET /invite/{token}/validate").attribute("url.path").as_deref(),
        Some("/invite/…/validate")
    );
    let unmatched: Vec<&Told> = spans.iter().filter(|span| span.is_request() && !span.0.name.contains('/')).collect();
    assert!(unmatched.iter().any(|span| span.attribute("url.path").as_deref() == Some("/…")));
    assert!(unmatched.iter().any(|span| span.attribute("http.request.method").as_deref() == Some("_OTHER")));
    assert!(spans.iter().any(|span| span.0.name == "job usage"), "{:?}", names(&spans));

    let delivery = spans.iter().find(|span| span.0.name == "delivery").expect("the delivery is told");
    assert_eq!(delivery.attribute("flagstone.integration.provider").as_deref(), Some("webhook"));
    let call = spans.iter().find(|span| span.is_below(delivery) && span.0.name == "POST").expect("its request is told");
    let expected = format!("00-{}-{}-01", hex::encode(&call.0.trace_id), hex::encode(&call.0.span_id));
    assert_eq!(told.header("traceparent"), Some(&*expected));

    let sent = collector.heard("/v1/traces");
    let mut bytes = Vec::new();
    for heard in &sent {
        assert_eq!(heard.header("x-key"), Some("secret-of the collector"));
        assert_eq!(heard.header("content-type"), Some("application/x-protobuf"));
        bytes.extend_from_slice(&heard.body);
    }
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    assert!(
        text.contains("service.name") && text.contains("flagstone") && text.contains("deployment.environment.name")
    );
    for secret in ["marker", "secret-of", ".serving-of-requests", "correct-horse", "admin@"] {
        assert!(!text.contains(secret), "{secret} is told");
    }
}

#[test]
fn a_caller_switches_nothing_on_unless_it_is_trusted() {
    let collector = Collector::start(Manner::Takes);
    let program = Program::start(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url()),
        ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0"),
        ("FLAGSTONE_TRACE_TRUSTED_CALLERS", "127.0.0.2"),
    ]);
    for (host, span, flags) in [
        ("127.0.0.1", "1111111111111111", "01"),
        ("127.0.0.2", "2222222222222222", "01"),
        ("127.0.0.2", "3333333333333333", "00"),
    ] {
        let from = Connection::open_from(host.parse().expect("an address"), program.address);
        let parent = format!("traceparent: 00-{TRACE}-{span}-{flags}\r\n");
        assert_eq!(ask(from, "GET", SEARCH, &parent, "").0, 200);
    }
    program.stop();
    let spans = collector.spans();
    let requests: Vec<_> = spans.iter().filter(|span| span.is_request()).collect();
    let parents: Vec<String> = requests.iter().map(|span| hex::encode(&span.0.parent_span_id)).collect();
    assert_eq!(parents, ["2222222222222222"]);
    assert!(spans.iter().all(|span| hex::encode(&span.0.trace_id) == TRACE), "jobs are not told: {:?}", names(&spans));
    assert!(spans.iter().any(|span| span.is_below(requests[0])), "what is below is told with it");
}

#[test]
fn a_collector_that_misbehaves_costs_spans_and_nothing_else() {
    let refused = r#"flagstone_trace_spans_total{outcome="refused"}"#;
    let crowded_out = r#"flagstone_trace_spans_total{outcome="crowded_out"}"#;
    let sent = r#"flagstone_trace_spans_total{outcome="sent"}"#;
    for (manner, expected) in [
        (Manner::Babbles, sent),
        (Manner::Fails, refused),
        (Manner::HangsUp, crowded_out),
        (Manner::Hangs, crowded_out),
    ] {
        let collector = Collector::start(manner);
        let program = Program::start(&[
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &format!("{}/v1/traces", collector.url())),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "500"),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "64"),
        ]);
        eventually(&format!("{manner:?}: {expected}"), || {
            assert_eq!(program.get(SEARCH).map(|(status, _)| status), Some(200));
            assert!(program.figure("flagstone_trace_spans_waiting") <= 64);
            program.figure(expected) > 0
        });
        let log = program.stop();
        assert!(!log.contains("panicked"), "{log}");
        if manner == Manner::Fails {
            assert!(log.contains("the collector answered 500"), "{log}");
        }
    }
}

#[test]
fn nothing_is_sent_where_it_is_switched_off() {
    let collector = Collector::start(Manner::Takes);
    let program = Program::start(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url()),
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ]);
    let parent = format!("traceparent: 00-{TRACE}-{CALLER}-01\r\n");
    assert_eq!(ask(Connection::open(program.address), "GET", SEARCH, &parent, "").0, 200);
    program.stop();
    assert!(collector.heard("/v1/traces").is_empty());
}
