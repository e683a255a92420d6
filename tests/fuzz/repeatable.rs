//! Made-up inputs that are the same on every machine, so that only a change of the program makes one fail.

use std::panic::{catch_unwind, resume_unwind};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{RngCore as _, SeedableRng as _},
};

/// As long as the inputs that bolero makes up.
const MOST_BYTES: u64 = 4096;

/// The input of a number: another one for each, whatever was made before.
fn made_up(number: u64) -> Vec<u8> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
    let length = random.next_u64() % (MOST_BYTES + 1);
    let mut input = vec![0; usize::try_from(length).expect("a few thousand")];
    random.fill_bytes(&mut input);
    input
}

/// Tries the inputs of the numbers up to `count`; the first that fails is told as text, for the corpus.
pub fn try_each(count: u64, run: fn(&[u8])) {
    for number in 0..count {
        let input = made_up(number);
        if let Err(failure) = catch_unwind(|| run(&input)) {
            eprintln!("input {number} fails; it is, in base64:\n{}", STANDARD.encode(&input));
            resume_unwind(failure);
        }
    }
}

#[test]
fn inputs_are_the_same_on_every_machine() {
    let told: Vec<_> = (0..3).map(made_up).map(|input| (input.len(), input[..4].to_vec())).collect();
    assert_eq!(told, [(434, vec![7, 213, 128, 195]), (1151, vec![141, 224, 63, 150]), (274, vec![200, 242, 64, 158])]);
}
