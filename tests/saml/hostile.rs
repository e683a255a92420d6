//! Documents that cost their sender little: S33. Their reasons are asserted always, their time by hand:
//! `cargo test --release --test saml -- --ignored --nocapture hostile`.

use std::{fmt::Write as _, time::Instant};

use flagstone::providers::saml::{metadata::ProviderMetadata, refusal::Reason, verifier::verify};

use crate::forge::*;

fn repeated(count: usize, mut piece: impl FnMut(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        text += &piece(n);
        text
    })
}

/// Up to `bytes`, of pieces that are about `each` long.
fn filling(bytes: usize, each: usize, piece: impl FnMut(usize) -> String) -> String {
    repeated((bytes - 12_000) / each, piece)
}

/// An element that declares 60 prefixes, or uses 50 of them as well, around `count` elements that use the last.
fn in_scope(count: usize, are_used: bool) -> String {
    let first = if are_used { 10 } else { 0 };
    let declared = repeated(60 - first, |n| format!("xmlns:p{0:02}=\"u:{0}\" ", n + first));
    let used = if are_used { repeated(50, |n| format!("p{}:b=\"\" ", n + 10)) } else { String::new() };
    format!("<a {declared}{used}>{}</a>", repeated(count, |_| "<p59:a p59:b=\"\"/>".to_owned()))
}

/// Elements that use two namespaces with URIs of this length, which are declared once and which the canonical form has
/// to tell for each, with some text between.
fn long_namespaces(count: usize, length: usize, between: usize) -> String {
    let uri = "u".repeat(length - 3);
    let used = repeated(count, |_| format!("<a:x b:y=\"\"/>{}", "b".repeat(between)));
    format!("<c xmlns:a=\"u:{uri}a\" xmlns:b=\"u:{uri}b\">{used}</c>")
}

/// Put before the status, which is not signed.
fn before(text: &str) -> String {
    twist(&signed(), "<samlp:Status>", &format!("{text}<samlp:Status>"))
}

/// Put into the assertion before it is signed.
fn inside(text: &str) -> String {
    signed_after("<saml:AttributeStatement>", &format!("{text}<saml:AttributeStatement>"))
}

/// Texts of which the parser or the canonical form makes more than there is.
fn growing(bytes: usize) -> Vec<(&'static str, String)> {
    vec![
        ("prefixes among sixty", before(&in_scope(19_000.min(bytes / 17), false))),
        ("prefixes among sixty, as many as there may be, in the assertion", inside(&in_scope(3_900, false))),
        ("prefixes among fifty that the canonical form tells", inside(&in_scope(4_600, true))),
        ("namespaces of a quarter of the document", inside(&long_namespaces(9_000.min(bytes / 50), bytes / 4, 0))),
        ("namespaces as long as they may be", inside(&long_namespaces(9_000.min(bytes / 15), 256, 0))),
        ("namespaces as long as they may be, seldom used", inside(&long_namespaces(bytes / 220, 256, 200))),
        (
            "attributes of many namespaces as long as they may be",
            before(&format!(
                "<a {}>{}</a>",
                repeated(40, |n| format!("xmlns:p{n}=\"u:{}{n:02}\" ", "u".repeat(252))),
                repeated(35, |_| format!(
                    "<a {}/>",
                    repeated(99, |n| format!("p{}:{}=\"\" ", n % 40, ["a", "b", "c"][n / 40]))
                ))
            )),
        ),
        (
            "long names of attributes",
            inside(&repeated(bytes / 1_700, |_| {
                format!("<a {}/>", repeated(8, |n| format!("{}{n}=\"\" ", "a".repeat(200))))
            })),
        ),
        ("signs to escape in attributes", inside(&format!("<a b=\"{}\"/>", filling(bytes, 5, |_| "&#9;".to_owned())))),
        ("signs to escape", inside(&filling(bytes, 1, |_| ">".to_owned()))),
    ]
}

/// Texts that are put into a signed response, with their places.
fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let levels = |count: usize, start: &dyn Fn(usize) -> String| {
        before(&format!("{}{}", repeated(count, start), "</a>".repeat(count)))
    };
    vec![
        ("attributes of one tag", before(&format!("<a {}/>", filling(bytes, 10, |n| format!("a{n:05}=\"\" "))))),
        (
            "attributes of many tags",
            before(&filling(bytes, 700, |_| format!("<a {}/>", repeated(99, |n| format!("a{n}=\"\" "))))),
        ),
        (
            "namespaces of one tag",
            before(&format!("<a {}/>", filling(bytes, 21, |n| format!("xmlns:a{n:05}=\"u:u\" ")))),
        ),
        ("namespaces of many tags", before(&filling(bytes, 22, |n| format!("<a xmlns:b=\"u:{n:05}\"/>")))),
        ("the same namespaces in many tags", before(&filling(bytes, 18, |_| "<a xmlns:b=\"u:u\"/>".to_owned()))),
        (
            "namespaces in scope",
            levels(30, &|n| format!("<a {}>", repeated(60, |m| format!("xmlns:a{m}=\"u:{}\" ", n % 2)))),
        ),
        ("levels", levels(bytes / 7, &|_| "<a>".to_owned())),
        ("levels with namespaces", levels(38, &|n| format!("<a xmlns:a{n}=\"u:u\" a{n}:b=\"\">"))),
        ("elements", before(&filling(bytes, 4, |_| "<a/>".to_owned()))),
        (
            "as many elements as there may be, in the assertion",
            inside(&repeated(19_000.min(bytes / 7), |_| "<a></a>".to_owned())),
        ),
        (
            "elements with prefixes, in the assertion",
            inside(&repeated(9_000.min(bytes / 30), |_| "<x:a xmlns:x=\"u:u\" x:b=\"\"></x:a>".to_owned())),
        ),
        (
            "elements with attributes, in the assertion",
            inside(&repeated(4_700.min(bytes / 60), |_| {
                "<a h=\"\" g=\"\" f=\"\" e=\"\" d=\"\" c=\"\" b=\"\" a=\"\"/>".to_owned()
            })),
        ),
        (
            "elements without a namespace, in the assertion",
            inside(&repeated(19_000.min(bytes / 16), |_| "<a xmlns=\"\"/>".to_owned())),
        ),
        ("texts and elements", before(&filling(bytes, 5, |_| "<a/>b".to_owned()))),
        ("text", before(&filling(bytes, 1, |_| "b".to_owned()))),
        ("references", before(&filling(bytes, 5, |_| "&lt;".to_owned()))),
        ("references in the assertion", inside(&filling(bytes, 5, |_| "&lt;".to_owned()))),
        ("identifiers", before(&filling(bytes, 15, |n| format!("<a ID=\"{n:05}\"/>")))),
        ("open tags", before(&filling(bytes, 1, |_| "<".to_owned()))),
        ("closing tags", before(&filling(bytes, 4, |_| "</a>".to_owned()))),
        ("quotation marks", before(&format!("<a {}", filling(bytes, 1, |_| "\"".to_owned())))),
        ("equal signs", before(&format!("<a {}>", filling(bytes, 1, |_| "=".to_owned())))),
        ("one long name", before(&format!("<{}/>", filling(bytes, 1, |_| "a".to_owned())))),
        ("one long attribute", before(&format!("<a b=\"{}\"/>", filling(bytes, 1, |_| "\n".to_owned())))),
        (
            "groups",
            signed_after(
                "<saml:AttributeValue>admins</saml:AttributeValue>",
                &repeated(6_000.min(bytes / 50), |n| format!("<saml:AttributeValue>g{n}</saml:AttributeValue>")),
            ),
        ),
        (
            "attributes",
            signed_after(
                "<saml:Attribute Name=\"firstName\">",
                &(repeated(6_000.min(bytes / 50), |n| format!("<saml:Attribute Name=\"g{n}\"></saml:Attribute>"))
                    + "<saml:Attribute Name=\"firstName\">"),
            ),
        ),
        ("prefixes of a list", {
            let list = repeated(bytes / 7, |n| format!("a{n:04} "));
            let start = "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\">";
            let parameter = format!(
                "{start}<e:InclusiveNamespaces xmlns:e=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"{list}\"/>"
            );
            twist(&signed(), start, &parameter)
        }),
        ("prefixes of a list for what is signed", {
            let list = repeated(bytes / 7, |n| format!("a{n:04} "));
            let start = "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\">";
            let parameter = format!(
                "{start}<e:InclusiveNamespaces xmlns:e=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"{list}\"/>"
            );
            twist(&signed(), start, &parameter)
        }),
    ]
}

#[test]
fn s33_many_attributes_namespaces_and_levels() {
    let outcomes = [hostile(256 << 10), growing(256 << 10)].concat();
    let reason = |name: &str| {
        let (_, xml) = outcomes.iter().find(|one| one.0 == name).unwrap();
        identity(xml).map(|identity| identity.email).map_err(|refusal| refusal.reason)
    };
    for (name, expected) in [
        ("attributes of one tag", Reason::TooManyAttributes),
        ("namespaces of one tag", Reason::TooManyAttributes),
        ("namespaces of many tags", Reason::TooManyNamespaces),
        ("namespaces in scope", Reason::TooManyNamespaces),
        ("identifiers", Reason::TooManyNamespaces),
        ("levels", Reason::TooDeep),
        ("elements", Reason::NotWellFormed),
        ("texts and elements", Reason::NotWellFormed),
        ("prefixes among sixty", Reason::TooManyNamespaces),
        ("namespaces of a quarter of the document", Reason::BadNamespace),
        ("namespaces as long as they may be", Reason::TooManyNamespaces),
        ("prefixes of a list", Reason::Transforms),
        ("prefixes of a list for what is signed", Reason::Canonicalization),
        // Canonicalised as a whole before they are refused.
        ("elements with attributes, in the assertion", Reason::DigestMismatch),
        ("elements without a namespace, in the assertion", Reason::DigestMismatch),
        ("prefixes among sixty, as many as there may be, in the assertion", Reason::DigestMismatch),
        ("prefixes among fifty that the canonical form tells", Reason::DigestMismatch),
        ("namespaces as long as they may be, seldom used", Reason::DigestMismatch),
    ] {
        assert_eq!(reason(name), Err(expected), "{name}");
    }
    for name in ["groups", "attributes", "levels with namespaces", "as many elements as there may be, in the assertion"]
    {
        assert_eq!(reason(name), Ok("alice@example.com".to_owned()), "{name}");
    }
    for (name, xml) in &outcomes {
        assert!(xml.len() <= 300 << 10, "{name} {}", xml.len());
    }
}

#[test]
fn s33_namespaces_of_256_bytes_are_the_longest() {
    let declared = |length: usize| {
        twist(&signed(), "<samlp:Status>", &format!("<a xmlns=\"u:{}\"/><samlp:Status>", "u".repeat(length - 2)))
    };
    identity(&declared(256)).unwrap();
    assert_eq!(identity(&declared(257)).unwrap_err().reason, Reason::BadNamespace);
}

#[test]
fn s33_a_thousand_identifiers_are_the_most() {
    // The response and its assertion have one each.
    let identified = |count: usize| before(&repeated(count - 2, |n| format!("<a ID=\"a{n}\"/>")));
    identity(&identified(1000)).unwrap();
    assert_eq!(identity(&identified(1001)).unwrap_err().reason, Reason::TooManyNamespaces);
}

#[test]
#[ignore = "measures time, which only an optimised build on a quiet machine tells"]
fn hostile_documents_are_cheap() {
    let mut report = String::new();
    for bytes in [256 << 10, 1 << 20] {
        for (name, xml) in [hostile(bytes), growing(bytes)].concat() {
            let xml = &xml.as_bytes()[..xml.len().min(1 << 20)];
            let expected = expectations();
            let mut best = [f64::MAX; 2];
            for _ in 0..40 {
                let start = Instant::now();
                let _ = std::hint::black_box(verify(xml, &expected, noon()));
                best[0] = best[0].min(start.elapsed().as_secs_f64() * 1000.0);
                let start = Instant::now();
                let _ = std::hint::black_box(ProviderMetadata::read(xml));
                best[1] = best[1].min(start.elapsed().as_secs_f64() * 1000.0);
            }
            let reason = verify(xml, &expected, noon()).map_err(|refusal| refusal.reason.code());
            let outcome = reason.map_or_else(str::to_owned, |_| "accepted".to_owned());
            writeln!(
                report,
                "{:8.3} ms, as metadata {:8.3} ms, {:>8} bytes  {name}: {outcome}",
                best[0],
                best[1],
                xml.len()
            )
            .unwrap();
        }
    }
    println!("{report}");
    let normal = signed();
    let start = Instant::now();
    for _ in 0..1000 {
        identity(&normal).unwrap();
    }
    println!("a usual response of {} bytes: {:.3} ms", normal.len(), start.elapsed().as_secs_f64());
}
