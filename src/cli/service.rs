//! Notifications to systemd, if it started the program (`Type=notify`). Without `NOTIFY_SOCKET` there are none.

#[cfg(unix)]
use sd_notify::NotifyState;

/// Notifies that requests are answered from now on.
pub(super) fn serves() {
    #[cfg(unix)]
    tell(&NotifyState::Ready);
}

/// The program was asked to stop, and what is under way has some time.
pub(super) fn stops() {
    #[cfg(unix)]
    tell(&NotifyState::Stopping);
}

#[cfg(unix)]
fn tell(state: &NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(std::slice::from_ref(state)) {
        tracing::warn!(%error, "cannot tell the service manager ({state})");
    }
}
