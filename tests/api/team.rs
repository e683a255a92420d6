//! What a team does over time, step by step, beside a bookkeeping that knows nothing of the server: each step's outcome
//! is foretold from the books, and what the server reports afterwards is held against them.

mod act;
mod books;
mod check;
mod model;
mod year;

use poem::http::Method;
use serde_json::Value;

use self::{act::Act, books::Books};
use crate::harness::{Client, TestApp};

/// A server, and the books of what was done with it.
pub struct Team {
    pub app: TestApp,
    pub books: Books,
}

impl Team {
    /// Does it, and makes sure that it goes as the books say.
    pub async fn does(&mut self, who: &Client, act: &Act) {
        let by = who.user_id.expect("people act, not tokens");
        let now = self.app.clock.now().millis();
        let (method, path, body) = act.request(&self.books);
        let foretold = self.books.enter(act, by, now);
        let answer = match body {
            Some(body) => who.json(method.clone(), &path, body).await,
            None => who.request(method.clone(), &path, &[], Vec::new()).await,
        };
        assert_eq!(answer.status < 400, foretold, "{act:?}: {method} {path}: {} {}", answer.status, answer.text);
        if let (true, Act::AddStrategy { flag, environment, .. }) = (foretold, act) {
            let id = answer.body["id"].as_str().expect("an id").to_owned();
            self.books.strategies(flag, environment).last_mut().expect("just added").id = Some(id);
        }
        // Time passes, or two things that happen one after the other could not be told apart.
        self.app.clock.advance(1_000);
    }

    /// A call outside the acts, whose effect the test enters into the books itself.
    pub async fn calls(&self, who: &Client, method: Method, path: &str, body: Value) -> Value {
        let answer = match body {
            Value::Null => who.request(method.clone(), path, &[], Vec::new()).await,
            body => who.json(method.clone(), path, body).await,
        };
        assert!(answer.status < 400, "{method} {path}: {} {}", answer.status, answer.text);
        self.app.clock.advance(1_000);
        answer.body
    }
}
