use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use super::*;
use crate::oidc::refusal::Reason;

/// Counts how often it is asked, and answers only when it may.
struct Source {
    asked: AtomicUsize,
    may_answer: Semaphore,
    cache_control: Option<&'static str>,
}

impl Source {
    fn ready() -> Self {
        Self::saying(None)
    }

    fn saying(cache_control: Option<&'static str>) -> Self {
        Self { asked: AtomicUsize::new(0), may_answer: Semaphore::new(Semaphore::MAX_PERMITS), cache_control }
    }

    fn waiting() -> Self {
        Self { may_answer: Semaphore::new(0), ..Self::ready() }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    async fn answer(&self) -> Result<Fetched<usize>, Refusal> {
        let value = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let _ = self.may_answer.acquire().await.expect("open");
        Ok(Fetched { value, cache_control: self.cache_control.map(str::to_owned) })
    }

    async fn fail(&self) -> Result<Fetched<usize>, Refusal> {
        self.answer().await?;
        Err(Refusal::new(Reason::ProviderStatus))
    }
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

const HOUR: i64 = 3600;

#[tokio::test]
async fn what_is_kept_is_fresh_for_an_hour_or_as_long_as_is_said_within_bounds() {
    for (said, seconds) in [
        (None, HOUR),
        (Some("public"), HOUR),
        (Some("max-age=7200"), 2 * HOUR),
        (Some("public, Max-Age=\"7200\""), 2 * HOUR),
        (Some("max-age=1"), 300),
        (Some("no-cache, max-age=7200"), 300),
        (Some("No-Store"), 300),
        (Some("max-age=31536000"), 24 * HOUR),
        (Some("max-age=99999999999999999999"), 24 * HOUR),
        (Some("max-age=-1"), HOUR),
    ] {
        let (cached, source) = (Cached::default(), Source::saying(said));
        for (now, asked) in [(0, 1), (seconds - 1, 1), (seconds, 2), (seconds + 1, 2)] {
            let value = cached.get(at(now), || source.answer()).await.expect("a value");
            assert_eq!((*value, source.asked()), (asked, asked), "{said:?} after {now} s");
        }
    }
}

#[tokio::test]
async fn those_who_come_while_somebody_asks_get_what_that_brings() {
    let (cached, source) = (Cached::default(), Source::waiting());
    let get = || cached.get(at(0), || source.answer());
    let (first, second, third, ()) = tokio::join!(get(), get(), get(), async {
        tokio::task::yield_now().await;
        source.may_answer.add_permits(1);
    });
    assert_eq!([first, second, third].map(|value| *value.expect("a value")), [1, 1, 1]);

    let (cached, source) = (Cached::default(), Source::waiting());
    let get = || cached.get(at(0), || source.fail());
    let (first, second, ()) = tokio::join!(get(), get(), async {
        tokio::task::yield_now().await;
        source.may_answer.add_permits(1);
    });
    assert_eq!([first, second].map(|value| value.expect_err("a failure").reason), [Reason::ProviderStatus; 2]);
    assert_eq!(source.asked(), 1);
}

#[tokio::test]
async fn whoever_comes_while_a_slow_provider_is_asked_again_gets_the_old_at_once() {
    let (cached, source) = (Cached::default(), Source::waiting());
    cached.get(at(0), || Source::ready().answer_owned()).await.expect("a value");
    let get = || cached.get(at(HOUR), || source.answer());
    let mut first = Box::pin(get());
    assert!(futures_pending(&mut first).await);
    assert_eq!(*get().await.expect("the old"), 1);
    assert_eq!(source.asked(), 1);
    // Whoever asked goes away, and the next one asks.
    drop(first);
    source.may_answer.add_permits(1);
    assert_eq!(*get().await.expect("the new"), 2);
}

#[tokio::test]
async fn o27_the_old_serves_for_a_day_while_the_provider_does_not_answer_and_is_asked_every_minute() {
    let (cached, source) = (Cached::default(), Source::ready());
    assert_eq!(*cached.get(at(0), || source.answer()).await.expect("a value"), 1);
    let down = Source::ready();
    let get = |now| cached.get(at(now), || down.fail());
    for (now, asked) in [(HOUR, 1), (HOUR + 59, 1), (HOUR + 60, 2), (24 * HOUR - 1, 3)] {
        assert_eq!((*get(now).await.expect("the old"), down.asked()), (1, asked), "after {now} s");
    }
    assert_eq!(get(24 * HOUR).await.expect_err("too old").reason, Reason::ProviderStatus);
    assert_eq!(get(24 * HOUR).await.expect_err("too old").reason, Reason::ProviderStatus);
    assert_eq!(down.asked(), 5);
    assert_eq!(*cached.get(at(24 * HOUR), || source.answer()).await.expect("a value"), 2);
}

#[tokio::test]
async fn o13_what_does_not_do_is_renewed_once_for_all_and_not_more_often_than_every_minute() {
    let (cached, source) = (Cached::default(), Source::ready());
    let first = cached.get(at(0), || source.answer()).await.expect("a value");
    let renew = |unfit: Arc<usize>, now| {
        let (cached, source) = (&cached, &source);
        async move { cached.renew(&unfit, at(now), || source.answer()).await.map(|value| *value) }
    };
    let crowd = tokio::join!(renew(first.clone(), 1), renew(first.clone(), 1), renew(first.clone(), 1));
    assert_eq!((crowd, source.asked()), ((Some(2), Some(2), Some(2)), 2));
    let second = cached.get(at(1), || source.answer()).await.expect("a value");
    assert_eq!((renew(second.clone(), 60).await, source.asked()), (None, 2));
    assert_eq!((renew(second, 61).await, source.asked()), (Some(3), 3));
    // Of whoever still holds the first, the third is new.
    assert_eq!((renew(first, 62).await, source.asked()), (Some(3), 3));
    let third = cached.get(at(62), || source.answer()).await.expect("a value");
    let failed = cached.renew(&third, at(121), || source.fail()).await;
    assert_eq!((failed, source.asked()), (None, 4));
    assert_eq!(*cached.get(at(122), || source.answer()).await.expect("the old"), 3);
}

impl Source {
    async fn answer_owned(self) -> Result<Fetched<usize>, Refusal> {
        self.answer().await
    }
}

/// Whether a future has begun and is not ready.
async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_pending()))
        .await
}
