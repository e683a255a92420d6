//! Documents that cost their sender little: S33. Their reasons are asserted always, their time by hand:
//! `cargo test --release --test saml -- --ignored --nocapture hostile`.

use std::{fmt::Write as _, time::Instant};

use flagstone::providers::saml::{
    metadata::ProviderMetadata,
    refusal::Reason,
    verifier::{ResponseVerifier as _, Verifier},
};

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

/// What is put at which place of a signed response. What stands before the status is not signed.
fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let before = |text: String| twist(&signed(), "<samlp:Status>", &format!("{text}<samlp:Status>"));
    let inside = |text: String| {
        sign(
            &twist(RESPONSE, "<saml:AttributeStatement>", &format!("{text}<saml:AttributeStatement>")),
            "saml:Assertion",
        )
    };
    let levels = |count: usize, start: &dyn Fn(usize) -> String| before(repeated(count, start) + &"</a>".repeat(count));
    vec![
        ("attributes of one tag", before(format!("<a {}/>", filling(bytes, 10, |n| format!("a{n:05}=\"\" "))))),
        (
            "attributes of many tags",
            before(filling(bytes, 700, |_| format!("<a {}/>", repeated(99, |n| format!("a{n}=\"\" "))))),
        ),
        (
            "namespaces of one tag",
            before(format!("<a {}/>", filling(bytes, 21, |n| format!("xmlns:a{n:05}=\"u:u\" ")))),
        ),
        ("namespaces of many tags", before(filling(bytes, 22, |n| format!("<a xmlns:b=\"u:{n:05}\"/>")))),
        ("the same namespaces in many tags", before(filling(bytes, 18, |_| "<a xmlns:b=\"u:u\"/>".to_owned()))),
        (
            "namespaces in scope",
            levels(30, &|n| format!("<a {}>", repeated(60, |m| format!("xmlns:a{m}=\"u:{}\" ", n % 2)))),
        ),
        ("levels", levels(bytes / 7, &|_| "<a>".to_owned())),
        ("levels with namespaces", levels(38, &|n| format!("<a xmlns:a{n}=\"u:u\" a{n}:b=\"\">"))),
        ("elements", before(filling(bytes, 4, |_| "<a/>".to_owned()))),
        (
            "as many elements as there may be, in the assertion",
            inside(repeated(19_000.min(bytes / 7), |_| "<a></a>".to_owned())),
        ),
        (
            "elements with prefixes, in the assertion",
            inside(repeated(9_000.min(bytes / 30), |_| "<x:a xmlns:x=\"u:u\" x:b=\"\"></x:a>".to_owned())),
        ),
        (
            "elements with attributes, in the assertion",
            inside(repeated(4_700.min(bytes / 60), |_| {
                "<a h=\"\" g=\"\" f=\"\" e=\"\" d=\"\" c=\"\" b=\"\" a=\"\"/>".to_owned()
            })),
        ),
        (
            "elements without a namespace, in the assertion",
            inside(repeated(19_000.min(bytes / 16), |_| "<a xmlns=\"\"/>".to_owned())),
        ),
        ("texts and elements", before(filling(bytes, 5, |_| "<a/>b".to_owned()))),
        ("text", before(filling(bytes, 1, |_| "b".to_owned()))),
        ("references", before(filling(bytes, 5, |_| "&lt;".to_owned()))),
        ("references in the assertion", inside(filling(bytes, 5, |_| "&lt;".to_owned()))),
        ("identifiers", before(filling(bytes, 15, |n| format!("<a ID=\"{n:05}\"/>")))),
        ("open tags", before(filling(bytes, 1, |_| "<".to_owned()))),
        ("closing tags", before(filling(bytes, 4, |_| "</a>".to_owned()))),
        ("quotation marks", before(format!("<a {}", filling(bytes, 1, |_| "\"".to_owned())))),
        ("equal signs", before(format!("<a {}>", filling(bytes, 1, |_| "=".to_owned())))),
        ("one long name", before(format!("<{}/>", filling(bytes, 1, |_| "a".to_owned())))),
        ("one long attribute", before(format!("<a b=\"{}\"/>", filling(bytes, 1, |_| "\n".to_owned())))),
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
    let outcomes = hostile(256 << 10);
    let reason = |name: &str| {
        let (_, xml) = outcomes.iter().find(|one| one.0 == name).unwrap();
        identity(xml).map(|identity| identity.email).map_err(|refusal| refusal.reason)
    };
    for (name, expected) in [
        ("attributes of one tag", Reason::TooManyAttributes),
        ("namespaces of one tag", Reason::TooManyAttributes),
        ("namespaces of many tags", Reason::TooManyNamespaces),
        ("namespaces in scope", Reason::TooManyNamespaces),
        ("levels", Reason::TooDeep),
        ("elements", Reason::NotWellFormed),
        ("texts and elements", Reason::NotWellFormed),
        ("prefixes of a list", Reason::Transforms),
        ("prefixes of a list for what is signed", Reason::Canonicalization),
        // Canonicalised as a whole before they are refused.
        ("elements with attributes, in the assertion", Reason::DigestMismatch),
        ("elements without a namespace, in the assertion", Reason::DigestMismatch),
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
#[ignore = "measures time, which only an optimised build on a quiet machine tells"]
fn hostile_documents_are_cheap() {
    let mut report = String::new();
    for bytes in [256 << 10, 1 << 20] {
        for (name, xml) in hostile(bytes) {
            let xml = &xml.as_bytes()[..xml.len().min(1 << 20)];
            let expected = expectations();
            let mut best = [f64::MAX; 2];
            for _ in 0..40 {
                let start = Instant::now();
                let _ = std::hint::black_box(Verifier.identity(xml, &expected, noon()));
                best[0] = best[0].min(start.elapsed().as_secs_f64() * 1000.0);
                let start = Instant::now();
                let _ = std::hint::black_box(ProviderMetadata::read(xml));
                best[1] = best[1].min(start.elapsed().as_secs_f64() * 1000.0);
            }
            let reason = Verifier.identity(xml, &expected, noon()).map_err(|refusal| refusal.reason.code());
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
