//! Spans of requests and of the steps below them. Where none is recorded, they cost a look at the current context.
//! Where they are sent is for `telemetry`.

pub mod parent;
mod statements;

use std::sync::atomic::{AtomicU32, Ordering};

use opentelemetry::{
    Context, KeyValue,
    trace::{FutureExt as _, Span as _, SpanBuilder, SpanKind, Status, TraceContextExt as _, Tracer as _},
};
use opentelemetry_sdk::trace::{SdkTracer, Span};

pub use self::statements::statement;

/// Most spans below one: a long import would have thousands. What is beyond them is counted.
const BELOW: u32 = 256;

/// Tracer for spans below the current one.
struct Scope {
    tracer: SdkTracer,
    below: AtomicU32,
}

/// Begins the span of some work below `parent`. Returns the context of the work, in which spans below it are recorded.
pub fn begin(tracer: &SdkTracer, builder: SpanBuilder, parent: &Context) -> Context {
    let span = tracer.build_with_context(builder, parent);
    Context::new().with_value(Scope { tracer: tracer.clone(), below: AtomicU32::new(0) }).with_span(span)
}

/// A span that lasts until it is ended, or dropped; or none.
#[derive(Debug)]
#[must_use]
pub struct Timed(Option<Box<Span>>);

impl Timed {
    /// Begins a span below the current one, if that is recorded. Its attributes are computed only then.
    fn below(build: impl FnOnce() -> SpanBuilder) -> Self {
        Self(Context::map_current(|current| {
            if !current.has_active_span() || !current.span().span_context().is_sampled() {
                return None;
            }
            let scope = current.get::<Scope>()?;
            if scope.below.fetch_add(1, Ordering::Relaxed) >= BELOW {
                return None;
            }
            Some(Box::new(scope.tracer.build_with_context(build(), current)))
        }))
    }

    /// Ends it with what came of the work.
    pub fn ended<T, E>(self, outcome: Result<T, E>) -> Result<T, E> {
        if let Some(mut span) = self.0 {
            if outcome.is_err() {
                span.set_status(Status::error(""));
            }
            span.end();
        }
        outcome
    }
}

/// The span of a request.
#[derive(Debug)]
pub struct RequestSpan(Context);

impl RequestSpan {
    /// Begins the span of a request below `parent`.
    pub fn begin(tracer: &SdkTracer, builder: SpanBuilder, parent: &Context) -> Self {
        Self(begin(tracer, builder, parent))
    }

    /// Does work of the request.
    pub async fn within<T>(&self, work: impl Future<Output = T>) -> T {
        work.with_context(self.0.clone()).await
    }

    /// The id of its trace.
    pub fn trace_id(&self) -> String {
        self.0.span().span_context().trace_id().to_string()
    }

    /// Whether it will be sent.
    pub fn is_told(&self) -> bool {
        self.0.span().is_recording()
    }

    /// Says how the request was answered: by the place of the operation, or else that it is of none.
    pub fn answered(&self, place: Option<(String, String)>, path: String, status: u16) {
        let span = self.0.span();
        if let Some((method, route)) = place {
            span.update_name(format!("{} {route}", method.to_uppercase()));
            span.set_attribute(KeyValue::new("http.route", route));
        }
        span.set_attribute(KeyValue::new("url.path", path));
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        if status >= 500 {
            span.set_attribute(KeyValue::new("error.type", status.to_string()));
            span.set_status(Status::error(""));
        }
        let left_out =
            self.0.get::<Scope>().map_or(0, |scope| scope.below.load(Ordering::Relaxed).saturating_sub(BELOW));
        if left_out > 0 {
            span.set_attribute(KeyValue::new("flagstone.spans_left_out", i64::from(left_out)));
        }
    }
}

/// Span of an outgoing request.
#[derive(Debug)]
pub struct Call {
    span: Timed,
    /// Name and value of the header by which the other side knows the trace.
    pub header: Option<(&'static str, String)>,
}

/// Begins a request to another host.
pub fn call(method: &'static str, host: &str) -> Call {
    let span = Timed::below(|| {
        let attributes =
            [KeyValue::new("http.request.method", method), KeyValue::new("server.address", host.to_owned())];
        SpanBuilder::from_name(method).with_kind(SpanKind::Client).with_attributes(attributes)
    });
    let context = match &span.0 {
        Some(span) => Some(parent::write(span.span_context())),
        None => Context::map_current(|current| {
            let span = current.span();
            Some(span.span_context()).filter(|context| context.is_valid()).map(parent::write)
        }),
    };
    Call { span, header: context.map(|value| (parent::TRACEPARENT, value)) }
}

impl Call {
    /// Ends it with the outcome, of which `status` is recorded.
    pub fn ended<T, E>(mut self, outcome: Result<T, E>, status: impl FnOnce(&T) -> u16) -> Result<T, E> {
        if let (Some(span), Ok(answer)) = (&mut self.span.0, &outcome) {
            let status = status(answer);
            span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
            if status >= 400 {
                span.set_attribute(KeyValue::new("error.type", status.to_string()));
                span.set_status(Status::error(""));
            }
        }
        self.span.ended(outcome)
    }
}
