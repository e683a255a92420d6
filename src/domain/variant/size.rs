//! Maximum sizes of variants.

use super::{Payload, VariantFault, VariantOverride};
use crate::text::is_longer;

/// Most variants of one list.
pub(super) const MOST_VARIANTS: usize = 1000;
/// Most characters of a stickiness, and of the context field of an override.
pub(super) const MAX_FIELD_LENGTH: usize = 100;
/// Most characters of a payload.
pub(super) const MAX_PAYLOAD_LENGTH: usize = 100_000;
/// Most overrides of a variant.
pub(super) const MOST_OVERRIDES: usize = 100;
/// Most values of an override.
pub(super) const MOST_OVERRIDE_VALUES: usize = 1000;
/// Most characters of a value of an override.
pub(super) const MAX_OVERRIDE_LENGTH: usize = 1000;

/// Returns the excess of the variant of this name, if any.
pub(super) fn excess(
    name: &str,
    payload: Option<&Payload>,
    stickiness: Option<&str>,
    overrides: &[VariantOverride],
) -> Option<VariantFault> {
    let name = || name.to_owned();
    if payload.is_some_and(|payload| is_longer(&payload.value, MAX_PAYLOAD_LENGTH)) {
        Some(VariantFault::LongPayload(name()))
    } else if stickiness.is_some_and(|stickiness| is_longer(stickiness, MAX_FIELD_LENGTH)) {
        Some(VariantFault::LongStickiness(name()))
    } else if overrides.len() > MOST_OVERRIDES || !overrides.iter().all(is_bounded) {
        Some(VariantFault::LargeOverrides(name()))
    } else {
        None
    }
}

fn is_bounded(given: &VariantOverride) -> bool {
    !is_longer(&given.context_name, MAX_FIELD_LENGTH)
        && given.values.len() <= MOST_OVERRIDE_VALUES
        && given.values.iter().all(|value| !is_longer(value, MAX_OVERRIDE_LENGTH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::PayloadKind;

    #[test]
    fn what_is_too_large_is_told_by_its_part() {
        let text = |length: usize| "ä".repeat(length);
        let payload = |length| Payload { kind: PayloadKind::String, value: text(length) };
        let one = |values| VariantOverride { context_name: "userId".to_owned(), values };
        let largest = vec![one(vec![text(MAX_OVERRIDE_LENGTH); MOST_OVERRIDE_VALUES]); MOST_OVERRIDES];
        let fits = excess("a", Some(&payload(MAX_PAYLOAD_LENGTH)), Some(&text(MAX_FIELD_LENGTH)), &largest[..2]);
        assert_eq!(fits, None);
        let long = excess("a", Some(&payload(MAX_PAYLOAD_LENGTH + 1)), None, &[]);
        assert_eq!(long, Some(VariantFault::LongPayload("a".to_owned())));
        let long = excess("a", None, Some(&text(MAX_FIELD_LENGTH + 1)), &[]);
        assert_eq!(long, Some(VariantFault::LongStickiness("a".to_owned())));
        for overrides in [
            vec![one(vec![text(MAX_OVERRIDE_LENGTH + 1)])],
            vec![one(vec![String::new(); MOST_OVERRIDE_VALUES + 1])],
            vec![one(Vec::new()); MOST_OVERRIDES + 1],
            vec![VariantOverride { context_name: text(MAX_FIELD_LENGTH + 1), values: Vec::new() }],
        ] {
            let large = excess("a", None, None, &overrides);
            assert_eq!(large, Some(VariantFault::LargeOverrides("a".to_owned())));
        }
    }
}
