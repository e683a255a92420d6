//! Choice of the variant for a context.

use flagstone_domain::{
    client_feature::{ClientFeature, ClientStrategy},
    variant::{Payload, VariantOverride},
};

use super::{Asker, Decided, Frontend, Quirk, hash};

/// Properties of a variant that the draw depends on.
struct Candidate<'a> {
    name: &'a str,
    weight: u32,
    payload: Option<&'a Payload>,
    overrides: &'a [VariantOverride],
}

type Given<'a> = (&'a str, Option<&'a Payload>);

impl<'a> Frontend<'a> {
    /// Returns the variant of a strategy that holds.
    pub(super) fn of_strategy(
        &self,
        strategy: &'a ClientStrategy,
        feature: &str,
        asker: &Asker<'_>,
    ) -> Option<Given<'a>> {
        let first = strategy.variants.first()?;
        let group = match strategy.parameters.get("groupId").map(String::as_str) {
            Some(group) => group,
            None if self.has(Quirk::UndefinedGroup) => "undefined",
            None => feature,
        };
        let stickiness = Some(&*first.stickiness).filter(|stickiness| !stickiness.is_empty());
        let stickiness = stickiness.or_else(|| strategy.parameters.get("stickiness").map(String::as_str));
        let candidates = strategy.variants.iter().map(|variant| Candidate {
            name: &variant.name,
            weight: u32::try_from(variant.weight.clamp(0, 1000)).unwrap_or_default(),
            payload: variant.payload.as_ref(),
            overrides: &[],
        });
        let candidates: Vec<Candidate<'_>> = candidates.collect();
        self.draw(group, stickiness.unwrap_or("default"), &candidates, asker)
    }

    /// Returns the variant of a feature of which no strategy gave one.
    pub(super) fn of_variants(&self, feature: &'a ClientFeature, asker: &Asker<'_>) -> Option<Given<'a>> {
        let first = feature.variants.first()?;
        let candidates = feature.variants.iter().map(|variant| Candidate {
            name: &variant.name,
            weight: variant
                .weight
                .whole()
                .and_then(|weight| u32::try_from(weight.clamp(0, 1000)).ok())
                .unwrap_or_default(),
            payload: variant.payload.as_ref(),
            overrides: variant.overrides.as_deref().unwrap_or_default(),
        });
        let candidates: Vec<Candidate<'_>> = candidates.collect();
        self.draw(&feature.name, first.stickiness.as_deref().unwrap_or("default"), &candidates, asker)
    }

    fn draw(
        &self,
        group: &str,
        stickiness: &str,
        candidates: &[Candidate<'a>],
        asker: &Asker<'_>,
    ) -> Option<Given<'a>> {
        let total: u32 = candidates.iter().map(|candidate| candidate.weight).sum();
        if total == 0 {
            return None;
        }
        let is_overridden = |candidate: &&Candidate<'_>| {
            candidate.overrides.iter().any(|one| {
                let value = asker.value(&one.context_name);
                one.values.iter().any(|wanted| Some(&**wanted) == value)
            })
        };
        let chosen = candidates.iter().find(is_overridden).or_else(|| {
            let ids = ["userId", "sessionId", "remoteAddress"];
            let id = match stickiness {
                "" | "default" => ids.into_iter().find_map(|field| asker.filled(field)),
                field => asker.filled(field),
            };
            let seed = if self.has(Quirk::OldVariantSeed) { hash::OF_ROLLOUTS } else { hash::OF_VARIANTS };
            let place = hash::place(group, id.unwrap_or_default(), total, seed, self.has(Quirk::ByteForLetter));
            let mut counted = 0;
            candidates.iter().find(|candidate| {
                counted += candidate.weight;
                candidate.weight > 0 && counted >= place
            })
        });
        chosen.map(|candidate| (candidate.name, candidate.payload))
    }
}

impl Decided<'_> {
    /// Returns the variant's name and the text of its payload.
    pub fn texts(&self) -> Option<(&str, Option<&str>)> {
        self.variant.map(|(name, payload)| (name, payload.map(|payload| &*payload.value)))
    }
}
