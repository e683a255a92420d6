//! The browser in which a user signs in.

use crate::domain::session::Client;

/// Browser in which a user signs in. Printing it shows no secret.
#[derive(Clone)]
pub struct Browser<'a> {
    /// Secret of the session that it has already, which ends.
    pub earlier: Option<&'a str>,
    /// Address and name of the browser.
    pub client: Client,
}

impl std::fmt::Debug for Browser<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser").field("client", &self.client).finish_non_exhaustive()
    }
}
