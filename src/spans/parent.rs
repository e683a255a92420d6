//! Trace context between services: `traceparent` of W3C, as callers send it and as it is sent to other services.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

/// The header by which one program names another the trace that a request belongs to.
pub const TRACEPARENT: &str = "traceparent";
/// Most bytes of it: versions to come may add something.
const LONGEST: usize = 256;

/// Reads a `traceparent`; `None` when it is none.
pub fn read(text: &str) -> Option<SpanContext> {
    let is_hex =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut parts = text.splitn(5, '-');
    let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let is_whole = parts.next().is_none();
    let is_hex = is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2);
    if text.len() > LONGEST || !is_hex || version == "ff" || (version == "00" && !is_whole) {
        return None;
    }
    let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    let flags = TraceFlags::NOT_SAMPLED.with_sampled(is_sampled);
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    Some(SpanContext::new(trace, span, flags, true, TraceState::default())).filter(SpanContext::is_valid)
}

/// Writes the `traceparent` for other services.
pub fn write(context: &SpanContext) -> String {
    let flags = u8::from(context.is_sampled());
    format!("00-{}-{}-{flags:02x}", context.trace_id(), context.span_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_and_what_is_malformed_is_ignored() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let read_again = |text: &str| read(text).map(|context| write(&context));
        assert_eq!(read_again(good).as_deref(), Some(good));
        assert_eq!(read_again(&good.replace("-01", "-00")).as_deref(), Some(&*good.replace("-01", "-00")));
        assert_eq!(read_again(&good.replace("-01", "-ff")).as_deref(), Some(good), "other flags are not ours");
        assert_eq!(read_again(&format!("cc{}-what-comes", &good[2..])).as_deref(), Some(good), "a later version");
        for wrong in [
            "",
            "-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\u{e9}",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
        assert!(read(&format!("cc{}-{}", &good[2..], "x".repeat(LONGEST))).is_none());
    }
}
