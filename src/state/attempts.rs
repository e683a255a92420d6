//! Limits on the attempts of strangers. Each purpose counts for itself, so that who wears out one takes away no other.

pub mod limit;
mod sign_in;

use std::time::Duration;

use flagstone_clock::Clock;
use flagstone_config::Config;
use flagstone_domain::network::ClientNetwork;

use self::limit::AttemptLimit;
pub use self::sign_in::{AccountName, SignInAttempts};

/// Checks a minute: a form checks while a user types.
const PASSWORD_CHECKS_PER_MINUTE: u32 = 120;
/// Errors of consoles that are logged.
const CONSOLE_ERRORS_PER_MINUTE: u32 = 20;
/// A proxy asks about the tokens that programs show it, and about all of them when it starts.
const UNKNOWN_TOKENS_PER_MINUTE: u32 = 100;
/// Only failures count: behind a proxy all share an address, and a provider has one for all its users.
const TRIAL_STARTS_PER_MINUTE: u32 = 60;
const PROVIDER_FAILURES_PER_MINUTE: u32 = 30;
const PROVIDER_LOGOUT_FAILURES_PER_MINUTE: u32 = 60;
const PROVIDER_TRIALS_PER_MINUTE: u32 = 10;
/// A page asks for one challenge each time that its user wants to use a passkey.
const PASSKEY_CHALLENGES_PER_MINUTE: u32 = 120;
/// Codes of a second factor at once. Six digits can be guessed in the end, so that there are fewer of them than of
/// passwords.
const CODES_AT_ONCE: u32 = 10;
/// Time after which one more is admitted.
const CODE_PAUSE: Duration = Duration::from_mins(1);
/// Pause until the log repeats that an account asks for a link.
const LINK_REQUEST_PAUSE: Duration = Duration::from_mins(1);

/// The limits, purpose by purpose. Cheap to clone; clones share their counts.
#[derive(Debug, Clone)]
pub struct Attempts {
    /// Signing in.
    pub sign_in: SignInAttempts,
    /// Changing the own password, by user: the holder of a session is no stranger, so the address does not matter.
    pub password_change: AttemptLimit<i64>,
    /// Proving a second factor, by user: it takes the password or a session to get this far.
    pub second_factor: AttemptLimit<i64>,
    /// Asking for a challenge for a passkey, which is stored.
    pub passkey_challenge: AttemptLimit<ClientNetwork>,
    /// Signing in with a passkey alone. Nobody can guess one, and so accounts are not limited.
    pub passkey_sign_in: AttemptLimit<ClientNetwork>,
    /// Setting a password with a link.
    pub password_link_use: AttemptLimit<ClientNetwork>,
    /// Asking for a link that sets a password.
    pub password_link_request: AttemptLimit<ClientNetwork>,
    /// Logging that an account asks for a link. Beyond it nothing is logged, and no request is refused.
    pub password_link_notice: AttemptLimit<AccountName>,
    /// Having the strength of a password checked without being signed in.
    pub password_check: AttemptLimit<ClientNetwork>,
    /// Becoming a user with a sign-up link.
    pub sign_up: AttemptLimit<ClientNetwork>,
    /// Making users as an administrator.
    pub new_user: AttemptLimit<ClientNetwork>,
    /// Beginning to sign in by the settings of a trial, whose provider is asked again each time.
    pub trial_start: AttemptLimit<ClientNetwork>,
    /// Coming with what does not count: from a login provider, or with a link that signs in.
    pub provider_failure: AttemptLimit<ClientNetwork>,
    /// Notices of a provider that a user signed out which are not valid.
    pub provider_logout_failure: AttemptLimit<ClientNetwork>,
    /// Trying settings of one out.
    pub provider_trial: AttemptLimit<ClientNetwork>,
    /// Asking about tokens that do not serve.
    pub unknown_token: AttemptLimit<ClientNetwork>,
    /// Reporting errors of a console. Beyond it nothing is logged, and no request is refused.
    pub console_error: AttemptLimit<ClientNetwork>,
    /// Coming as the company's directory with what is not its token.
    pub directory: AttemptLimit<ClientNetwork>,
}

impl Attempts {
    /// All limits, nothing counted yet.
    pub fn new(config: &Config, clock: &Clock) -> Self {
        let attempts = config.sign_in_attempts_per_minute;
        let by_network = |attempts| AttemptLimit::per_minute(attempts, clock.clone());
        Self {
            sign_in: SignInAttempts::new(attempts, clock),
            password_change: AttemptLimit::per_minute(attempts, clock.clone()),
            second_factor: AttemptLimit::with_pause(CODES_AT_ONCE, CODE_PAUSE, clock.clone()),
            passkey_challenge: by_network(PASSKEY_CHALLENGES_PER_MINUTE),
            passkey_sign_in: by_network(attempts),
            password_link_use: by_network(attempts),
            password_link_request: by_network(config.password_links_per_minute),
            password_link_notice: AttemptLimit::with_pause(1, LINK_REQUEST_PAUSE, clock.clone()),
            password_check: by_network(PASSWORD_CHECKS_PER_MINUTE),
            sign_up: by_network(config.new_users_per_minute),
            new_user: by_network(config.new_users_per_minute),
            trial_start: by_network(TRIAL_STARTS_PER_MINUTE),
            provider_failure: by_network(PROVIDER_FAILURES_PER_MINUTE),
            provider_logout_failure: by_network(PROVIDER_LOGOUT_FAILURES_PER_MINUTE),
            provider_trial: by_network(PROVIDER_TRIALS_PER_MINUTE),
            unknown_token: by_network(UNKNOWN_TOKENS_PER_MINUTE),
            console_error: by_network(CONSOLE_ERRORS_PER_MINUTE),
            directory: by_network(UNKNOWN_TOKENS_PER_MINUTE),
        }
    }
}
