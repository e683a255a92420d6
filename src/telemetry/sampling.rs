//! Sampling of traces: by chance, and by the decision of callers who are trusted.

use opentelemetry::{
    Context, KeyValue,
    trace::{Link, SpanKind, TraceContextExt as _, TraceId, TraceState},
};
use opentelemetry_sdk::trace::{
    IdGenerator as _, RandomIdGenerator, Sampler as ByChance, SamplingDecision, SamplingResult, ShouldSample,
};

/// The sampler when none is named: what OpenTelemetry says.
const UNNAMED: &str = "parentbased_always_on";

/// Sampling of traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Ratio of traces that are recorded, from 0 to 1.
    ratio: f64,
    /// Whether it counts what a caller says of the trace.
    heeds_parents: bool,
}

/// Marker of a remote parent span whose sampling decision counts.
pub(super) struct TrustedParent;

impl Sampling {
    /// Reads a sampler by the name that `OTEL_TRACES_SAMPLER` gives it, and its argument.
    pub fn read(name: Option<&str>, argument: Option<&str>) -> Result<Self, String> {
        let name = name.unwrap_or(UNNAMED);
        let (heeds_parents, kind) = match name.strip_prefix("parentbased_") {
            Some(kind) => (true, kind),
            None => (false, name),
        };
        let ratio = match kind {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => match argument {
                None => 1.0,
                Some(text) => text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio)).ok_or_else(|| {
                    "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.01 for one trace of a hundred"
                        .to_owned()
                })?,
            },
            _ => {
                return Err("OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, each also with \
                            parentbased_ before it"
                    .to_owned());
            }
        };
        Ok(Self { ratio, heeds_parents })
    }

    fn chooses(self, trace_id: TraceId) -> bool {
        let sampler = ByChance::TraceIdRatioBased(self.ratio);
        let chosen = sampler.should_sample(None, trace_id, "", &SpanKind::Internal, &[], &[]);
        chosen.decision == SamplingDecision::RecordAndSample
    }
}

impl ShouldSample for Sampling {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace_id: TraceId,
        _: &str,
        _: &SpanKind,
        _: &[KeyValue],
        _: &[Link],
    ) -> SamplingResult {
        let said = parent.map(|parent| {
            let span = parent.span();
            let context = span.span_context();
            (context.is_valid(), context.is_remote(), context.is_sampled(), parent.get::<TrustedParent>().is_some())
        });
        let is_sampled = match said {
            None | Some((false, ..)) => self.chooses(trace_id),
            Some((true, false, is_sampled, _)) => is_sampled,
            Some((true, true, false, _)) if self.heeds_parents => false,
            Some((true, true, true, true)) if self.heeds_parents => true,
            // The id is what the caller made of it, so that it must not decide.
            Some((true, true, ..)) => self.chooses(RandomIdGenerator::default().new_trace_id()),
        };
        SamplingResult {
            decision: if is_sampled { SamplingDecision::RecordAndSample } else { SamplingDecision::Drop },
            attributes: Vec::new(),
            trace_state: TraceState::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use flagstone_spans::parent;

    use super::*;

    #[test]
    fn samplers_are_read_by_the_names_that_the_field_gives_them() {
        for (name, argument, expected) in [
            (None, None, Some((1.0, true))),
            (Some("always_on"), None, Some((1.0, false))),
            (Some("parentbased_always_off"), None, Some((0.0, true))),
            (Some("traceidratio"), Some("0.01"), Some((0.01, false))),
            (Some("parentbased_traceidratio"), None, Some((1.0, true))),
            (Some("traceidratio"), Some("1.01"), None),
            (Some("traceidratio"), Some("NaN"), None),
            (Some("traceidratio"), Some("one"), None),
            (Some("jaeger_remote"), None, None),
        ] {
            let read = Sampling::read(name, argument).ok();
            let expected = expected.map(|(ratio, heeds_parents)| Sampling { ratio, heeds_parents });
            assert_eq!(read, expected, "{name:?} {argument:?}");
        }
    }

    #[test]
    fn a_caller_who_is_not_trusted_switches_nothing_on() {
        // An id that by itself would be chosen at the smallest ratio.
        let said = |flags: &str| parent::read(&format!("00-0af7651916cd43dd0000000000000000-b7ad6b7169203331-{flags}"));
        let told = |sampling: Sampling, flags: &str, is_trusted: bool| {
            let parent = Context::new().with_remote_span_context(said(flags).expect("a parent"));
            let parent = if is_trusted { parent.with_value(TrustedParent) } else { parent };
            let id = parent.span().span_context().trace_id();
            let answer = sampling.should_sample(Some(&parent), id, "", &SpanKind::Server, &[], &[]);
            answer.decision == SamplingDecision::RecordAndSample
        };
        let seldom = Sampling { ratio: 1e-12, heeds_parents: true };
        assert!(!told(seldom, "01", false) && told(seldom, "01", true));
        assert!(!told(seldom, "00", false) && !told(seldom, "00", true));
        let always = Sampling { ratio: 1.0, heeds_parents: true };
        assert!(told(always, "01", false) && !told(always, "00", false));
        let deaf = Sampling { ratio: 1.0, heeds_parents: false };
        assert!(told(deaf, "00", true));
        assert!(!told(Sampling { ratio: 1e-12, heeds_parents: false }, "01", true));
    }
}
