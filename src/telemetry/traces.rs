//! Traces: whether they are recorded at all, and where each begins.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use flagstone_spans::{self as spans, RequestSpan, parent};
use opentelemetry::{
    Context, KeyValue,
    trace::{FutureExt as _, SpanBuilder, SpanKind, Status, TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::{sync::watch, task::JoinHandle, time::timeout};

use super::{
    collector::{Counts, Destination, Queue, queue},
    sampling::{Sampling, TrustedParent},
};

/// Maximum time to send the last spans when the program stops.
const FAREWELL: Duration = Duration::from_secs(5);
/// Name for a method that is none of the well-known ones.
pub const UNKNOWN_METHOD: &str = "_OTHER";
/// Name of the instrumentation scope, as collectors show it.
const SCOPE: &str = "flagstone";

/// Settings of traces.
#[derive(Debug)]
pub struct Settings {
    /// Destination of the spans.
    pub destination: Destination,
    /// Sampling of traces.
    pub sampling: Sampling,
    /// Resource attributes of all of them, such as the name of the service.
    pub resource: Vec<(String, String)>,
    /// Time for which a span waits for others to be sent with it.
    pub delay: Duration,
    /// Maximum number that may wait.
    pub queue: usize,
}

/// The traces of the program; by default there are none. Cheap to clone.
#[derive(Clone, Default)]
pub struct Traces(Option<Arc<Exporter>>);

/// Tracer that makes spans and sends them to the collector.
struct Exporter {
    tracer: SdkTracer,
    queue: Queue,
    stopping: watch::Sender<bool>,
    sender: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Traces").field(&self.0.is_some()).finish()
    }
}

impl Traces {
    /// Begins to send traces, from a task of its own.
    pub fn start(settings: Settings) -> Self {
        let Settings { destination, sampling, resource, delay, queue: room } = settings;
        let attributes = resource.into_iter().map(|(name, value)| KeyValue::new(name, value));
        let resource = Resource::builder_empty().with_attributes(attributes).build();
        let stopping = watch::Sender::new(false);
        let (queue, sender) = queue(room, destination, &resource, delay, stopping.subscribe());
        let provider = SdkTracerProvider::builder()
            .with_sampler(sampling)
            .with_resource(resource)
            .with_span_processor(queue.clone())
            .build();
        let sender = Mutex::new(Some(tokio::spawn(sender.run())));
        Self(Some(Arc::new(Exporter { tracer: provider.tracer(SCOPE), queue, stopping, sender })))
    }

    /// Returns the numbers of spans by outcome.
    pub fn counts(&self) -> Counts {
        self.0.as_ref().map(|exporter| exporter.queue.counts()).unwrap_or_default()
    }

    /// Sends what is left, as far as that goes in a few seconds.
    pub async fn stop(&self) {
        let Some(exporter) = &self.0 else { return };
        exporter.stopping.send_replace(true);
        let sender = exporter.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(sender) = sender else { return };
        if timeout(FAREWELL, sender).await.is_err() {
            tracing::warn!(target: "flagstone::telemetry::traces", "the last traces could not be sent in time");
        }
    }

    /// The span of a request, as a child of the one that its caller names. `is_trusted` says whether the caller decides
    /// what is sampled.
    pub fn request(
        &self,
        method: &'static str,
        traceparent: Option<&str>,
        is_trusted: impl FnOnce() -> bool,
    ) -> Option<RequestSpan> {
        let exporter = self.0.as_ref()?;
        let parent = match traceparent.and_then(parent::read) {
            Some(parent) => {
                let context = Context::new().with_remote_span_context(parent);
                if is_trusted() { context.with_value(TrustedParent) } else { context }
            }
            None => Context::new(),
        };
        let name = if method == UNKNOWN_METHOD { "HTTP" } else { method };
        let method = KeyValue::new("http.request.method", method);
        let builder = SpanBuilder::from_name(name).with_kind(SpanKind::Server).with_attributes([method]);
        Some(RequestSpan::begin(&exporter.tracer, builder, &parent))
    }

    /// Does background work in a trace of its own; within a traced request, in that of the request.
    pub async fn work<T, E>(
        &self,
        name: impl Into<std::borrow::Cow<'static, str>>,
        kind: SpanKind,
        attributes: impl IntoIterator<Item = KeyValue>,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let Some(exporter) = self.0.as_ref().filter(|_| !Context::map_current(Context::has_active_span)) else {
            return work.await;
        };
        let builder = SpanBuilder::from_name(name).with_kind(kind).with_attributes(attributes);
        let context = spans::begin(&exporter.tracer, builder, &Context::new());
        let outcome = work.with_context(context.clone()).await;
        let span = context.span();
        if outcome.is_err() {
            span.set_status(Status::error(""));
        }
        span.end();
        outcome
    }
}
