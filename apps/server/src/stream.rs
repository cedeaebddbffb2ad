//! The streams of connections, and what the system knows about them.

use core::mem::MaybeUninit;

use futures_util::FutureExt as _;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_rustls::server::TlsStream;

/// A connection that was accepted.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// A connection, with what the system knows about it.
pub(crate) trait ClientStream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Reports whether the client sends nothing more, though what it has sent is not all read.
    fn has_left(&self) -> bool;

    /// Reports whether there are bytes to read now, which the runtime may not know of yet.
    fn has_more(&self) -> bool;
}

macro_rules! socket {
    ($stream:ty) => {
        impl ClientStream for $stream {
            fn has_left(&self) -> bool {
                let ready = self.ready(Interest::READABLE).now_or_never();
                ready.is_some_and(|ready| ready.map_or(true, |ready| ready.is_read_closed()))
            }

            fn has_more(&self) -> bool {
                let mut byte = [MaybeUninit::uninit()];
                SockRef::from(self).peek(&mut byte).is_ok_and(|len| len > 0)
            }
        }
    };
}

socket!(TcpStream);
#[cfg(unix)]
socket!(UnixStream);

impl ClientStream for TlsStream<TcpStream> {
    fn has_left(&self) -> bool {
        self.get_ref().0.has_left()
    }

    fn has_more(&self) -> bool {
        self.get_ref().0.has_more()
    }
}

#[cfg(any(feature = "_fuzzing", test))]
impl ClientStream for tokio::io::DuplexStream {
    fn has_left(&self) -> bool {
        false
    }

    fn has_more(&self) -> bool {
        false
    }
}
