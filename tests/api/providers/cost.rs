//! The cost of a sign-in through a further provider: as many statements and requests as through the provider of the
//! settings.

use super::{beside::Beside, company::Company, hostile::Provider};
use crate::statements::Listening;

/// Table of the log of sign-ins, which is written a moment after each of them.
pub const LOG: &str = "sign_in_log";
/// Paths of a provider that this server asks for.
const PATHS: [&str; 4] = ["/.well-known/openid-configuration", "/keys", "/token", "/userinfo"];

fn requests(provider: &Provider) -> [usize; 4] {
    PATHS.map(|path| provider.server.seen(path).len())
}

#[tokio::test]
async fn a_sign_in_through_a_further_provider_asks_as_little_as_through_that_of_the_settings() {
    let company = Company::new().await;
    let further = Beside::new(&company, "further").await;
    further.provider.claim("email", "grace@example.com");
    let (mut asked, mut heard) = (Vec::new(), Vec::new());
    // The first sign-ins make the users.
    for _ in 0..2 {
        Listening::start();
        assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
        heard.push(Listening::end_without(LOG));
        asked.push(requests(&company.provider));
        Listening::start();
        assert_eq!(further.sign_in(&mut company.browser()).await.status, 302);
        heard.push(Listening::end_without(LOG));
        asked.push(requests(&further.provider));
    }
    let [_, _, of_settings, of_further] = &heard[..] else { panic!("four sign-ins") };
    assert!(!of_settings.is_empty(), "nobody listened");
    assert_eq!(of_settings.len(), of_further.len(), "{of_settings:#?} {of_further:#?}");
    // What describes a provider and its keys are known after the first.
    assert_eq!(asked, [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 2, 0], [1, 1, 2, 0]]);
}
