//! The one property that counts: what is accepted after a change by chance tells the identity of the untouched
//! response. Seeded, so that a failure comes again; `FLAGSTONE_SAML_MUTATIONS` makes it more than the gate's, and what
//! was accepted is left in the directory `FLAGSTONE_SAML_ACCEPTED` for `oracle.py`.

use crate::{
    changes::{Choices, changed},
    forge::{RESPONSE, expectations, noon, sign, signed},
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
}

impl Choices for Chance {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % bound.max(1)
    }
}

/// Responses that are changed: made here, and of real producers.
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
