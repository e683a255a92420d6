//! Responses changed by chance: bytes, words, and whole elements copied, moved, wrapped and forged.

use crate::forge::evil_assertion;

/// Source of the decisions on which change is made.
pub trait Choices {
    /// A number below the bound, or zero.
    fn below(&mut self, bound: usize) -> usize;

    fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
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

/// Range of an element, going by its tags: some element of the text.
fn span(xml: &[u8], choices: &mut impl Choices) -> Option<std::ops::Range<usize>> {
    let starts: Vec<usize> =
        (0..xml.len()).filter(|at| xml[*at] == b'<' && xml.get(at + 1).is_some_and(u8::is_ascii_alphabetic)).collect();
    let start = *starts.get(choices.below(starts.len()))?;
    let name_end = start + 1 + xml[start + 1..].iter().position(|byte| b" />\n\t".contains(byte))?;
    let name = &xml[start + 1..name_end];
    let closing = [b"</", name, b">"].concat();
    let end = xml[start..].windows(closing.len()).position(|window| window == closing)?;
    Some(start..start + end + closing.len())
}

/// The text after one to three changes, small or of whole elements.
pub fn changed(original: &str, choices: &mut impl Choices) -> Vec<u8> {
    let mut xml = original.as_bytes().to_vec();
    for _ in 0..=choices.below(3) {
        let at = choices.below(xml.len() + 1);
        match choices.below(12) {
            0 => {
                if let Some(byte) = xml.get_mut(at) {
                    *byte ^= 1 << choices.below(8);
                }
            }
            1 => {
                xml.drain(at..(at + choices.below(12)).min(xml.len()));
            }
            2 | 3 => {
                let piece = choices.one(PIECES).bytes();
                xml.splice(at..at, piece);
            }
            4 => {
                let end = (at + choices.below(8)).min(xml.len());
                xml.splice(at..end, choices.one(PIECES).bytes());
            }
            5 | 6 => {
                // Another copy of an element somewhere else, most often at a tag.
                let Some(range) = span(&xml, choices) else { continue };
                let copy = xml[range].to_vec();
                let place =
                    span(&xml, choices).map_or(at, |range| if choices.below(2) == 0 { range.start } else { range.end });
                xml.splice(place..place, copy);
            }
            7 => {
                let Some(range) = span(&xml, choices) else { continue };
                let moved: Vec<u8> = xml.drain(range).collect();
                let place = span(&xml, choices).map_or(0, |range| range.end);
                xml.splice(place..place, moved);
            }
            8 => {
                let Some(range) = span(&xml, choices) else { continue };
                xml.drain(range);
            }
            9 => {
                let place = span(&xml, choices).map_or(0, |range| range.start);
                let id = *choices.one(&["_evil", "_assertion", "_response"]);
                let evil = evil_assertion(id);
                xml.splice(place..place, evil.into_bytes());
            }
            10 => {
                // One word for another, everywhere or at one place.
                let text = String::from_utf8_lossy(&xml).into_owned();
                let (from, to) = (*choices.one(PIECES), *choices.one(PIECES));
                let count = if choices.below(2) == 0 { 1 } else { usize::MAX };
                xml = text.replacen(from, to, count).into_bytes();
                xml.truncate(200_000);
            }
            _ => {
                let Some(range) = span(&xml, choices) else { continue };
                let inner = xml[range.clone()].to_vec();
                let wrapper = *choices.one(&["samlp:Extensions", "saml:Advice", "ds:Object", "x", "samlp:Response"]);
                let around = [b"<", wrapper.as_bytes(), b">", &inner, b"</", wrapper.as_bytes(), b">"].concat();
                xml.splice(range, around);
            }
        }
    }
    xml
}
