//! Access to the operations of an edge: the networks that are admitted, and their addresses and headers.

use std::net::IpAddr;

use ipnet::IpNet;
use poem::{
    Endpoint, IntoResponse, Request, Response,
    http::{HeaderValue, header},
};

use crate::{
    api::{client_address, http::set_path},
    config::TrustedProxies,
    error::Error,
};

/// The name of the frontend API that came before.
const FORMER: &str = "/api/proxy";
/// Its name now.
const FRONTEND: &str = "/api/frontend";

/// Reports about itself that the operator lets an edge answer.
#[derive(Debug, Clone, Copy)]
pub struct Backstage {
    /// Figures for Prometheus.
    pub metrics: bool,
    /// Amount of usage that waits to be reported.
    pub metrics_batch: bool,
    /// The features.
    pub features: bool,
    /// The tokens.
    pub tokens: bool,
    /// The report about itself.
    pub instance_data: bool,
}

/// Rules of access.
#[derive(Debug, Clone)]
pub struct EdgeAccess {
    /// The path below which everything is, without slashes at its ends; empty for none.
    pub base_path: String,
    /// The header in which tokens come.
    pub token_header: String,
    /// Networks that are let in; empty for all.
    pub allowed: Vec<IpNet>,
    /// Networks that are not.
    pub denied: Vec<IpNet>,
    /// Proxies that are believed.
    pub proxies: TrustedProxies,
    /// Reports about the edge that are answered.
    pub backstage: Backstage,
}

/// The operations, behind these rules.
pub fn guarded<E: Endpoint<Output = Response>>(access: EdgeAccess, inside: E) -> impl Endpoint<Output = Response> {
    Guarded { access, inside }
}

struct Guarded<E> {
    access: EdgeAccess,
    inside: E,
}

impl<E: Endpoint<Output = Response>> Endpoint for Guarded<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        if !self.access.admits(client_address::before(&request, &self.access.proxies)) {
            return Ok(Error::forbidden("This edge does not serve the network that you ask from.").into_response());
        }
        let Some(path) = self.access.path(request.uri().path()) else {
            return Ok(Error::NotFound(format!("There is nothing at {}.", request.uri().path())).into_response());
        };
        if path != request.uri().path() {
            set_path(&mut request, &path);
        }
        self.access.unwrap_token(&mut request);
        request.set_data(self.access.backstage);
        self.inside.call(request).await
    }
}

impl EdgeAccess {
    fn admits(&self, address: Option<IpAddr>) -> bool {
        let Some(address) = address else { return self.allowed.is_empty() };
        let within = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
        !within(&self.denied) && (self.allowed.is_empty() || within(&self.allowed))
    }

    /// The path as operations know it; `None` outside of the base path.
    fn path(&self, path: &str) -> Option<String> {
        let path = if self.base_path.is_empty() {
            path
        } else {
            let rest = path.strip_prefix('/')?.strip_prefix(&*self.base_path)?;
            if !rest.is_empty() && !rest.starts_with('/') {
                return None;
            }
            if rest.is_empty() { "/" } else { rest }
        };
        match path.strip_prefix(FORMER) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(format!("{FRONTEND}{rest}")),
            _ => Some(path.to_owned()),
        }
    }

    fn unwrap_token(&self, request: &mut Request) {
        if self.token_header.eq_ignore_ascii_case(header::AUTHORIZATION.as_str()) {
            return;
        }
        let given = request.headers().get(&*self.token_header).cloned();
        let headers = request.headers_mut();
        // Another header may carry the word of a proxy, which is no token.
        headers.remove(header::AUTHORIZATION);
        if let Some(token) = given {
            let mut token: HeaderValue = token;
            token.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(base_path: &str, allowed: &str, denied: &str) -> EdgeAccess {
        let networks = |list: &str| list.split_whitespace().map(|one| one.parse().expect("a network")).collect();
        EdgeAccess {
            base_path: base_path.to_owned(),
            token_header: "X-Token".to_owned(),
            allowed: networks(allowed),
            denied: networks(denied),
            proxies: TrustedProxies::default(),
            backstage: Backstage {
                metrics: true,
                metrics_batch: true,
                features: true,
                tokens: true,
                instance_data: true,
            },
        }
    }

    #[test]
    fn addresses_lose_the_base_path_and_take_their_present_names() {
        let plain = access("", "", "");
        assert_eq!(plain.path("/api/proxy/client/metrics").as_deref(), Some("/api/frontend/client/metrics"));
        assert_eq!(plain.path("/api/proxying").as_deref(), Some("/api/proxying"));
        let based = access("flags/edge", "", "");
        assert_eq!(based.path("/flags/edge/api/proxy").as_deref(), Some("/api/frontend"));
        assert_eq!(based.path("/flags/edge").as_deref(), Some("/"));
        for outside in ["/api/frontend", "/flags/edges/api", "/"] {
            assert_eq!(based.path(outside), None, "{outside}");
        }
    }

    #[test]
    fn who_is_denied_is_denied_also_where_allowed() {
        let access = access("", "10.0.0.0/8", "10.1.0.0/16");
        let address = |text: &str| Some(text.parse().expect("an address"));
        assert!(access.admits(address("10.2.0.1")));
        assert!(!access.admits(address("10.1.0.1")) && !access.admits(address("192.0.2.1")) && !access.admits(None));
    }

    #[test]
    fn the_token_comes_in_the_chosen_header_alone() {
        let access = access("", "", "");
        let mut request = Request::builder().header("authorization", "Basic x").header("x-token", "a:b.c").finish();
        access.unwrap_token(&mut request);
        assert_eq!(request.headers()["authorization"], "a:b.c");
        let mut request = Request::builder().header("authorization", "a:b.c").finish();
        access.unwrap_token(&mut request);
        assert!(!request.headers().contains_key("authorization"));
    }
}
