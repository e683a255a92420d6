//! Answers that are written once and sent often.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use flagstone_domain::{
    client_feature::{ClientFilter, ClientQuery},
    version::entity_tag,
};
use flagstone_gzip::{self as gzip, Effort};
use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};

use super::environment::{Environment, to_json};

/// Bytes of the answers that are kept, compressed ones included. What is asked for least goes first.
const KEPT_BYTES: usize = 96 << 20;
/// Answers that are kept, whatever their size.
const KEPT: usize = 2000;

/// Query of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// Name of the environment.
    pub environment: String,
    /// Filter of the features.
    pub filter: ClientFilter,
    /// Whether the constraints of segments are to stand among those of the strategies.
    pub inline_segments: bool,
}

impl Question {
    fn echo(&self) -> ClientQuery {
        let tags = || self.filter.tags.iter().map(|tag| vec![tag.kind.clone(), tag.value.clone()]).collect();
        ClientQuery {
            environment: self.environment.clone(),
            inline_segment_constraints: self.inline_segments,
            project: self.filter.projects.clone(),
            tag: (!self.filter.tags.is_empty()).then(tags),
            name_prefix: self.filter.name_prefix.clone(),
        }
    }
}

/// An answer, ready to be sent.
#[derive(Debug)]
pub struct View {
    /// The entity tag.
    pub etag: String,
    /// The JSON.
    pub body: Bytes,
    compressed: OnceLock<Bytes>,
}

impl View {
    fn write(question: &Question, environment: &Environment) -> Self {
        let filter = &question.filter;
        let flags = || environment.flags().iter().filter(move |flag| filter.admits(flag));
        let mut rest = String::from("]");
        if !question.inline_segments {
            let used: BTreeSet<i64> = flags().flat_map(|flag| flag.segments.iter().copied()).collect();
            rest.push_str(",\"segments\":[");
            rest.push_str(&environment.segments_json(&used));
            rest.push(']');
        }
        rest.push_str(",\"query\":");
        rest.push_str(&to_json(&question.echo()));
        rest.push('}');
        let beginning = "{\"version\":2,\"features\":[";
        // Made to measure, since what grows is there twice at times.
        let length = flags().map(|flag| flag.json().len() + 1).sum::<usize>() + beginning.len() + rest.len();
        let mut json = String::with_capacity(length);
        json.push_str(beginning);
        for (index, flag) in flags().enumerate() {
            if index > 0 {
                json.push(',');
            }
            let refers = !flag.segments.is_empty();
            if refers && question.inline_segments {
                json.push_str(&to_json(&environment.inlined(&flag.feature())));
            } else {
                json.push_str(flag.json());
            }
        }
        json.push_str(&rest);
        let etag = entity_tag(None, [json.as_bytes()]);
        Self { etag, body: json.into(), compressed: OnceLock::new() }
    }

    /// The JSON compressed with gzip, which is done once.
    fn compressed(&self) -> &Bytes {
        self.compressed.get_or_init(|| gzip::compressed(&self.body, Effort::default()).into())
    }

    /// Returns the compressed answer; compresses it first on a thread for blocking work, where that is still to be
    /// done.
    pub async fn gzip(self: &Arc<Self>) -> Bytes {
        if let Some(compressed) = self.compressed.get() {
            return compressed.clone();
        }
        let view = Arc::clone(self);
        let compressing = tokio::task::spawn_blocking(move || view.compressed().clone());
        compressing.await.unwrap_or_else(|_| self.compressed().clone())
    }
}

#[derive(Debug, Clone)]
struct Kept {
    view: Arc<View>,
    content: u64,
}

/// Counts an answer by its bytes, as though it had been compressed to a quarter already.
#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<Question, Kept> for ByBytes {
    fn weight(&self, _: &Question, kept: &Kept) -> u64 {
        let bytes = kept.view.body.len();
        (bytes + bytes / 4).max(KEPT_BYTES / KEPT) as u64
    }
}

/// The answers that were written last.
#[derive(Debug)]
pub struct Views(Cache<Question, Kept, ByBytes>);

impl Default for Views {
    fn default() -> Self {
        // One part, since an answer may take much of all there is room for.
        let options = OptionsBuilder::new()
            .estimated_items_capacity(KEPT)
            .weight_capacity(KEPT_BYTES as u64)
            .shards(1)
            .build()
            .expect("everything that a cache needs is said");
        Self(Cache::with_options(options, ByBytes, DefaultHashBuilder::default(), DefaultLifecycle::default()))
    }
}

impl Views {
    /// The answer from this state of the environment.
    pub fn get(&self, question: Question, environment: &Environment) -> Arc<View> {
        if let Some(kept) = self.0.get(&question)
            && kept.content == environment.content
        {
            return kept.view;
        }
        // Who asks the same meanwhile writes the same.
        let view = Arc::new(View::write(&question, environment));
        self.0.insert(question, Kept { view: Arc::clone(&view), content: environment.content });
        view
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::client_feature::Loaded;

    use super::*;

    #[test]
    fn answers_are_kept_until_the_content_changes_and_never_too_many() {
        let environment = Environment::follow(None, Loaded::default(), 0);
        let views = Views::default();
        let question = |number: usize| Question {
            environment: "e".to_owned(),
            filter: ClientFilter { name_prefix: Some(number.to_string()), ..ClientFilter::default() },
            inline_segments: false,
        };
        let first = views.get(question(0), &environment);
        assert!(Arc::ptr_eq(&first, &views.get(question(0), &environment)));
        for number in 0..KEPT * 2 {
            views.get(question(number), &environment);
        }
        assert!(views.0.len() <= KEPT);
        let newest = views.get(question(KEPT * 2 - 1), &environment);
        let other = Environment::follow(None, Loaded::default(), 0);
        assert!(!Arc::ptr_eq(&newest, &views.get(question(KEPT * 2 - 1), &other)));
    }

    #[test]
    fn compressed_bytes_are_the_same_answer() {
        use std::io::Read as _;
        let environment = Environment::follow(None, Loaded::default(), 0);
        let filter = ClientFilter::default();
        let question = Question { environment: "e".to_owned(), filter, inline_segments: false };
        let view = View::write(&question, &environment);
        let mut text = String::new();
        flate2::read::GzDecoder::new(&**view.compressed()).read_to_string(&mut text).expect("gzip");
        assert_eq!(text.as_bytes(), &*view.body);
    }
}
