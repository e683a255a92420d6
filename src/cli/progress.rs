//! Progress of long work: a bar on a terminal, and otherwise a line now and then.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressStyle};

/// Work of known length.
pub(super) struct Progress {
    bar: ProgressBar,
    parts: u64,
}

impl Progress {
    /// Shows a bar by `template`, or divides the work into `parts`.
    pub(super) fn new(template: &str, parts: u64) -> Self {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::new(0).with_style(ProgressStyle::with_template(template).expect("the template is valid"))
        } else {
            ProgressBar::hidden()
        };
        Self { bar, parts }
    }

    /// Begins with this number of steps.
    pub(super) fn begin(&self, steps: u64) {
        self.bar.set_length(steps.max(1));
    }

    /// Shows the step that is done now.
    pub(super) fn at(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Takes steps. Where no bar shows it, gives the number of parts that are done if a further one is.
    pub(super) fn advance(&self, steps: u64) -> Option<u64> {
        let part = || self.parts * self.bar.position() / self.bar.length().unwrap_or(1);
        let before = part();
        self.bar.inc(steps);
        Some(part()).filter(|after| self.bar.is_hidden() && *after > before)
    }

    /// Message of the current step.
    pub(super) fn message(&self) -> String {
        self.bar.message()
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
