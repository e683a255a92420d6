//! A socket whose watch sees every byte.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::Instant,
};

use super::watch::Watch;

/// Bytes that the system may hold of an answer beyond those that are on their way. More of them would cost memory, and
/// would hide for long whether a slow reader takes any.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 1 << 17;

/// A watch that the socket and the requests of a connection share.
#[derive(Debug, Clone)]
pub(super) struct SharedWatch(Arc<Mutex<Watch>>);

impl SharedWatch {
    pub(super) fn new(watch: Watch) -> Self {
        Self(Arc::new(Mutex::new(watch)))
    }

    pub(super) fn look(&self) -> MutexGuard<'_, Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's bytes.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    watch: SharedWatch,
}

impl Socket {
    /// Pieces go out at once: the system would keep the last one of an answer until the reader has confirmed the
    /// others, which readers do not hurry with.
    pub(super) fn new(stream: TcpStream, watch: SharedWatch) -> Self {
        if let Err(error) = prepare(&stream) {
            tracing::debug!(target: "flagstone::server::socket", %error, "a connection was gone before it was used");
        }
        Self { stream, watch }
    }

    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => self.watch.look().written(*bytes, Instant::now()),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.look().blocked(Instant::now()),
        }
        written
    }
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT)?;
    Ok(())
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            self.watch.look().heard(Instant::now());
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
