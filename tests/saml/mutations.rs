//! The one property that counts: what is accepted after a change by chance tells the identity of the untouched response.
//! Seeded, so that a failure comes again; `FLAGSTONE_SAML_MUTATIONS` makes it more than the gate's, and what was accepted is
//! left in the directory `FLAGSTONE_SAML_ACCEPTED` for `oracle.py`.

use crate::{
    forge::{RESPONSE, evil_assertion, expectations, noon, sign, signed},
    producers::{BELIEVED, Produced},
};

/// Changes tried when nothing else is asked for.
const DEFAULT: usize = 3000;

/// Chance that comes again: xorshift of 64 bits.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below the bound, or zero.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % bound.max(1)
    }

    pub fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const PIECES: &[&str] = &[
    " ",
    "\n",
    "\t",
    "\r\n",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "=",
    "/",
    ":",
    "#",
    "\u{0}",
    "é",
    "\u{feff}",
    "&amp;",
    "&lt;",
    "&#x61;",
    "&#13;",
    "alice",
    "mallory@example.com",
    "@",
    ".evil",
    " ID=\"_evil\"",
    " Id=\"_assertion\"",
    " xmlns=\"\"",
    " xmlns:saml=\"urn:x\"",
    " xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"",
    " xmlns:xml=\"x\"",
    " xml:id=\"_assertion\"",
    " xml:space=\"preserve\"",
    " a=\"b\"",
    "<!-- -->",
    "<![CDATA[x]]>",
    "<?x?>",
    "<a/>",
    "<saml:NameID>mallory@example.com</saml:NameID>",
    "<ds:Object>",
    "</ds:Object>",
    "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>",
    "#_evil",
    "#xpointer(/)",
    "sha1",
    "sha512",
    "<samlp:Extensions>",
    "</samlp:Extensions>",
    "<saml:Advice>",
    "</saml:Advice>",
    "Assertion",
    "Response",
    "Signature",
    "NameID",
    "Subject",
];

/// Where an element starts and ends, going by its tags: some element of the text.
fn span(xml: &[u8], chance: &mut Chance) -> Option<std::ops::Range<usize>> {
    let starts: Vec<usize> =
        (0..xml.len()).filter(|at| xml[*at] == b'<' && xml.get(at + 1).is_some_and(u8::is_ascii_alphabetic)).collect();
    let start = *starts.get(chance.below(starts.len()))?;
    let name_end = start + 1 + xml[start + 1..].iter().position(|byte| b" />\n\t".contains(byte))?;
    let name = &xml[start + 1..name_end];
    let closing = [b"</", name, b">"].concat();
    let end = xml[start..].windows(closing.len()).position(|window| window == closing)?;
    Some(start..start + end + closing.len())
}

/// The text after one to three changes, small or of whole elements.
pub fn changed(original: &str, chance: &mut Chance) -> Vec<u8> {
    let mut xml = original.as_bytes().to_vec();
    for _ in 0..=chance.below(3) {
        let at = chance.below(xml.len() + 1);
        match chance.below(12) {
            0 => {
                if let Some(byte) = xml.get_mut(at) {
                    *byte ^= 1 << chance.below(8);
                }
            }
            1 => {
                xml.drain(at..(at + chance.below(12)).min(xml.len()));
            }
            2 | 3 => {
                let piece = chance.one(PIECES).bytes();
                xml.splice(at..at, piece);
            }
            4 => {
                let end = (at + chance.below(8)).min(xml.len());
                xml.splice(at..end, chance.one(PIECES).bytes());
            }
            5 | 6 => {
                // Another copy of an element somewhere else, most often at a tag.
                let Some(range) = span(&xml, chance) else { continue };
                let copy = xml[range].to_vec();
                let place =
                    span(&xml, chance).map_or(at, |range| if chance.below(2) == 0 { range.start } else { range.end });
                xml.splice(place..place, copy);
            }
            7 => {
                let Some(range) = span(&xml, chance) else { continue };
                let moved: Vec<u8> = xml.drain(range).collect();
                let place = span(&xml, chance).map_or(0, |range| range.end);
                xml.splice(place..place, moved);
            }
            8 => {
                let Some(range) = span(&xml, chance) else { continue };
                xml.drain(range);
            }
            9 => {
                let place = span(&xml, chance).map_or(0, |range| range.start);
                let id = *chance.one(&["_evil", "_assertion", "_response"]);
                let evil = evil_assertion(id);
                xml.splice(place..place, evil.into_bytes());
            }
            10 => {
                // One word for another, everywhere or at one place.
                let text = String::from_utf8_lossy(&xml).into_owned();
                let (from, to) = (*chance.one(PIECES), *chance.one(PIECES));
                let count = if chance.below(2) == 0 { 1 } else { usize::MAX };
                xml = text.replacen(from, to, count).into_bytes();
                xml.truncate(200_000);
            }
            _ => {
                let Some(range) = span(&xml, chance) else { continue };
                let inner = xml[range.clone()].to_vec();
                let wrapper = *chance.one(&["samlp:Extensions", "saml:Advice", "ds:Object", "x", "samlp:Response"]);
                let around = [b"<", wrapper.as_bytes(), b">", &inner, b"</", wrapper.as_bytes(), b">"].concat();
                xml.splice(range, around);
            }
        }
    }
    xml
}

/// What responses are changed: made here, and of real producers.
pub fn originals() -> Vec<Produced> {
    let made = |name: &str, xml: String| Produced { name: name.to_owned(), xml, expected: expectations(), now: noon() };
    let mut originals = vec![
        made("assertion", signed()),
        made("response", sign(RESPONSE, "samlp:Response")),
        made("both", sign(&signed(), "samlp:Response")),
    ];
    originals.extend(BELIEVED.iter().map(|name| Produced::read(name)));
    originals
}

/// Whether a changed response was accepted, which it must be as the same identity. The id of a response around a signed
/// assertion is the one thing told that may be unsigned.
#[track_caller]
pub fn check(original: &Produced, changed: &[u8]) -> bool {
    let Ok(mut identity) = original.identity_of(changed) else { return false };
    let untouched = original.identity_of(original.xml.as_bytes()).unwrap();
    identity.response_id.clone_from(&untouched.response_id);
    assert_eq!(identity, untouched, "{} as {}", original.name, String::from_utf8_lossy(changed));
    true
}

#[expect(clippy::disallowed_methods, reason = "how many are tried, and what becomes of them, is no configuration")]
fn asked_for(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
fn changed_responses_tell_the_same_identity_or_none() {
    let originals = originals();
    let mut chance = Chance(0x5eed_1e55_0f5a_3117);
    let mut accepted = vec![];
    let count = asked_for("FLAGSTONE_SAML_MUTATIONS").map_or(DEFAULT, |count| count.parse().unwrap());
    for number in 0..count {
        let original = &originals[number % originals.len()];
        let xml = changed(&original.xml, &mut chance);
        if check(original, &xml) {
            accepted.push((&original.name, xml));
        }
    }
    if let Some(directory) = asked_for("FLAGSTONE_SAML_ACCEPTED") {
        for (number, (original, xml)) in accepted.iter().enumerate() {
            std::fs::write(format!("{directory}/{number}-{}.xml", original.replace('/', "-")), xml).unwrap();
        }
    }
    let accepted = accepted.len();
    println!("{count} changed responses of {} originals, {accepted} accepted, each with its identity", originals.len());
    // Some changes matter to nobody, such as blanks around the assertion: without any the test would try nothing.
    assert!(accepted > count / 500, "{accepted}");
}
