//! Somebody who is told of events, and integrations that tell them.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{Outcome, http::request, server::Server};

/// Makes so many integrations that are told of events of this type, and a receiver that takes everything.
pub(crate) async fn tell(server: &Server, integrations: usize, kind: &str) -> Outcome {
    if integrations > 0 {
        let receiver = Receiver::start()?;
        Integrations::make(server, &receiver, integrations, &[kind]).await?;
    }
    Ok(())
}

/// Takes everything, after a while.
#[derive(Debug, Clone)]
pub(crate) struct Receiver {
    url: String,
    wait_ms: Arc<AtomicU64>,
    taken: Arc<AtomicU64>,
}

impl Receiver {
    /// One that does not let others wait.
    pub(crate) fn start() -> Outcome<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let url = format!("http://127.0.0.1:{}/", listener.local_addr()?.port());
        let receiver = Self { url, wait_ms: Arc::default(), taken: Arc::default() };
        let own = receiver.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let own = own.clone();
                thread::spawn(move || own.take(stream));
            }
        });
        Ok(receiver)
    }

    /// Has it answer after this time from now on.
    pub(crate) fn answers_after(&self, wait: Duration) {
        self.wait_ms.store(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Requests that it answered.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// Takes a request. Its body is part of what is read first, or nobody cares.
    fn take(&self, mut stream: TcpStream) -> Option<()> {
        let mut bytes = [0; 16 * 1024];
        stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        thread::sleep(Duration::from_millis(self.wait_ms.load(Relaxed)));
        stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").ok()?;
        self.taken.fetch_add(1, Relaxed);
        Some(())
    }
}

/// Integrations that tell a receiver, switched on and off together.
#[derive(Debug)]
pub(crate) struct Integrations {
    ids: Vec<u64>,
    body: Value,
}

impl Integrations {
    /// So many, which are told of events of these types, switched on.
    pub(crate) async fn make(server: &Server, receiver: &Receiver, count: usize, kinds: &[&str]) -> Outcome<Self> {
        let parameters = json!({ "url": receiver.url });
        let body = json!({ "provider": "webhook", "enabled": true, "events": kinds, "parameters": parameters });
        let mut made = Self { ids: Vec::new(), body };
        let mut connection = server.connect().await?;
        for _ in 0..count {
            let asked = request("POST", "/api/admin/addons", &Server::admin(), Some(&made.body));
            let answer = connection.json(&asked).await?;
            made.ids.push(answer["id"].as_u64().ok_or("an integration has no id")?);
        }
        Ok(made)
    }

    /// Switches all of them on or off.
    pub(crate) async fn switch(&mut self, server: &Server, enabled: bool) -> Outcome {
        self.body["enabled"] = enabled.into();
        let mut connection = server.connect().await?;
        for id in &self.ids {
            let path = format!("/api/admin/addons/{id}");
            connection.json(&request("PUT", &path, &Server::admin(), Some(&self.body))).await?;
        }
        Ok(())
    }

    /// Removes them, with all that was to be told to them.
    pub(crate) async fn remove(self, server: &Server) -> Outcome {
        let mut connection = server.connect().await?;
        for id in self.ids {
            connection.json(&request("DELETE", &format!("/api/admin/addons/{id}"), &Server::admin(), None)).await?;
        }
        Ok(())
    }
}
