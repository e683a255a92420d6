//! Places of which there are few, shared by those who ask for them.

/// Whether a holder of so many places may take one more of those that are free: no more than so many times what is
/// free. So one who asks for all of them leaves some to others, and the more there are who ask the less each gets,
/// without a count of those who ask.
pub const fn may_take(held: usize, free: usize, times_what_is_free: usize) -> bool {
    held < free.saturating_mul(times_what_is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_everything_and_a_newcomer_gets_what_is_free() {
        for (times, expected) in [(1, 8), (3, 12), (15, 15)] {
            let mut held = 0;
            while may_take(held, 16 - held, times) {
                held += 1;
            }
            assert_eq!(held, expected, "{times}");
            assert!(may_take(0, 16 - held, times));
        }
        assert!(may_take(0, 1, 1) && !may_take(0, 0, 1));
    }
}
