//! The report as a page.

use std::fmt::Write as _;

use super::Report;
use crate::Outcome;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3rem .6rem;text-align:left;\
    vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}.differs{font-weight:bold}";

pub(super) fn write(report: &Report) -> String {
    let title = if report.dry_run { "What moving in would bring" } else { "What moving in brought" };
    let (product, version) = (escaped(&report.origin.product), escaped(&report.origin.version));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>From {product}, {version}.</p>\n"
    );
    page.push_str("<h2>Counted</h2>\n<table>\n<tr><th>What</th><th>There</th><th>Here</th></tr>\n");
    for counted in &report.counted {
        let class = if counted.before == counted.after { "n" } else { "n differs" };
        let kind = escaped(&counted.kind);
        let _ = writeln!(
            page,
            "<tr><td>{kind}</td><td class=\"n\">{}</td><td class=\"{class}\">{}</td></tr>",
            counted.before, counted.after
        );
    }
    page.push_str("</table>\n");
    for (outcome, title) in [(Outcome::LeftOut, "Left out"), (Outcome::Changed, "Changed")] {
        let of_outcome = || report.findings.iter().filter(|finding| finding.outcome == outcome);
        let _ = writeln!(page, "<h2>{title}: {}</h2>", of_outcome().count());
        if of_outcome().next().is_none() {
            continue;
        }
        page.push_str("<table>\n<tr><th>What</th><th>Name</th><th>Why</th></tr>\n");
        for finding in of_outcome() {
            let (kind, name, reason) = (escaped(finding.kind), escaped(&finding.name), escaped(&finding.reason));
            let _ = writeln!(page, "<tr><td>{kind}</td><td>{name}</td><td>{reason}</td></tr>");
        }
        page.push_str("</table>\n");
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counted, Finding, Origin};

    #[test]
    fn names_do_not_become_markup() {
        let report = Report {
            origin: Origin { product: "Unleash".to_owned(), version: "<b>".to_owned() },
            dry_run: true,
            counted: vec![Counted { kind: "users".to_owned(), before: 3, after: 2 }],
            findings: vec![Finding::left_out("feature", "<script>alert(\"&\")</script>", "why > not")],
        };
        let page = report.html();
        assert!(page.contains("From Unleash, &lt;b&gt;."), "{page}");
        assert!(page.contains("<td>&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;</td><td>why &gt; not</td>"));
        assert!(page.contains("<h2>Left out: 1</h2>") && page.contains("<h2>Changed: 0</h2>"));
        assert!(page.contains("<td class=\"n\">3</td><td class=\"n differs\">2</td>"));
        assert!(!page.contains("<script"));
        assert!(report.json().contains("\"outcome\": \"left-out\""));
    }
}
