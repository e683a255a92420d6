//! A provider, this server's side of it, a browser and a clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU8, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use flagstone::{
    domain::token_algorithm::TokenAlgorithm,
    outbound::{Options, Outbound, Policy},
    providers::oidc::{
        Attempt, Callback, Credentials, Oidc, Particulars, Reason, Refusal, Secrets, Settings, SignedIn,
    },
};

use super::hostile::{CLIENT_ID, Provider, REDIRECT_URI, Returned, SECRET};

/// When the tests begin.
pub const NOON: i64 = 1_800_000_000;

pub struct World {
    pub provider: Provider,
    pub oidc: Oidc,
    pub settings: Settings,
    now: Arc<AtomicI64>,
    random: AtomicU8,
}

/// A sign-in from which the browser is back.
pub struct Begun {
    pub secrets: Secrets,
    pub started_at: DateTime<Utc>,
    pub returned: Returned,
}

/// A client that reaches this machine.
pub fn outbound() -> Outbound {
    outbound_with(|_| {})
}

/// One that waits for minutes, so that a slow machine does not decide what is refused.
pub fn outbound_with(change: impl FnOnce(&mut Options)) -> Outbound {
    let mut options = Options::new(Policy::for_base("http://localhost:4242"));
    options.connect_timeout = Duration::from_mins(2);
    options.call_timeout = Duration::from_mins(2);
    change(&mut options);
    Outbound::new(options).expect("a client")
}

impl World {
    pub fn new() -> Self {
        Self::through(outbound())
    }

    pub fn through(outbound: Outbound) -> Self {
        let provider = Provider::new(NOON);
        let settings = Settings {
            discover_url: Some(provider.issuer()),
            client_id: CLIENT_ID.into(),
            credentials: Credentials::Secret(SECRET.into()),
            algorithm: TokenAlgorithm::Rs256,
            acr_values: None,
            add_groups_scope: false,
            extra_scopes: Vec::new(),
            groups_path: None,
            email_claim: None,
            name_claim: None,
            require_verified_email: false,
            skew_seconds: 60,
            particulars: Particulars::default(),
        };
        let now = Arc::new(AtomicI64::new(NOON));
        Self { provider, oidc: Oidc::new(outbound), settings, now, random: AtomicU8::new(0) }
    }

    /// Forgets all that the node knows; the provider and settings stay.
    pub fn forget(&mut self) {
        self.oidc = Oidc::new(outbound());
    }

    pub fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.now.load(Ordering::SeqCst), 0).expect("a time")
    }

    /// Lets time pass, here and at the provider.
    pub fn advance(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
        self.provider.state().now += seconds;
    }

    pub async fn begin(&self) -> Begun {
        let first = self.random.fetch_add(96, Ordering::SeqCst);
        let bytes = std::array::from_fn(|at| first.wrapping_add(u8::try_from(at).expect("under 96")));
        let secrets = Secrets::from_random(&bytes);
        let start = self.oidc.start(&self.settings, &secrets, REDIRECT_URI, self.now()).await.expect("a start");
        assert_eq!(start.issuer, self.provider.issuer());
        let returned = self.provider.authorize(&start.url);
        assert_eq!(returned.state, secrets.state);
        Begun { secrets, started_at: self.now(), returned }
    }

    pub async fn finish(&self, begun: &Begun) -> Result<SignedIn, Refusal> {
        let Begun { secrets, started_at, returned } = begun;
        let callback = Callback { code: Some(&returned.code), iss: Some(&returned.iss), error: None };
        self.finish_with(secrets, *started_at, &callback).await
    }

    pub async fn finish_with(
        &self,
        secrets: &Secrets,
        started_at: DateTime<Utc>,
        callback: &Callback<'_>,
    ) -> Result<SignedIn, Refusal> {
        let attempt = Attempt { secrets, started_at, redirect_uri: REDIRECT_URI };
        let now = Arc::clone(&self.now);
        let clock = move || DateTime::from_timestamp(now.load(Ordering::SeqCst), 0).expect("a time");
        self.oidc.finish(&self.settings, &attempt, callback, &clock).await
    }

    pub async fn sign_in(&self) -> Result<SignedIn, Refusal> {
        let begun = self.begin().await;
        self.finish(&begun).await
    }

    /// Signs in, which must be refused. The reason, what was expected and what was found.
    pub async fn refused(&self) -> (Reason, String, String) {
        told(self.sign_in().await.expect_err("refused"))
    }

    /// Number of times that the keys were fetched.
    pub fn fetched_keys(&self) -> usize {
        self.provider.server.seen("/keys").len()
    }
}

/// A refusal, with nothing for what is absent.
pub fn told(refusal: Refusal) -> (Reason, String, String) {
    let words = format!("{refusal} {refusal:?}");
    assert!(!words.contains("s3cret") && !words.contains("access-token"), "{words}");
    (refusal.reason, refusal.expected.unwrap_or_default(), refusal.found.unwrap_or_default())
}
