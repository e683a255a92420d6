//! Bytes compressed with gzip, in memory.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::write::GzEncoder;
use futures_util::{Stream, StreamExt as _, stream};

pub use flate2::Compression as Effort;

/// The bytes, compressed with so much effort.
pub fn compressed(bytes: &[u8], effort: Effort) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), effort);
    encoder.write_all(bytes).expect("a vector takes everything");
    encoder.finish().expect("a vector takes everything")
}

/// The pieces, compressed as they come, which is seen as one whole. An error among them ends it.
pub fn in_pieces(
    pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    effort: Effort,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let start = Some((Box::pin(pieces), GzEncoder::new(Vec::new(), effort)));
    stream::unfold(start, |state| async {
        let (mut pieces, mut encoder) = state?;
        loop {
            match pieces.next().await {
                Some(Ok(piece)) => {
                    encoder.write_all(&piece).expect("a vector takes everything");
                    if !encoder.get_ref().is_empty() {
                        let compressed = std::mem::take(encoder.get_mut()).into();
                        return Some((Ok(compressed), Some((pieces, encoder))));
                    }
                }
                Some(Err(error)) => return Some((Err(error), None)),
                None => return Some((encoder.finish().map(Bytes::from), None)),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[tokio::test]
    async fn pieces_are_one_whole_and_an_error_ends_them() {
        let pieces: Vec<Bytes> = (0..50_u8).map(|number| Bytes::from(vec![number; 3000])).collect();
        let whole = stream::iter(pieces.clone().into_iter().map(Ok));
        let compressed: Vec<_> = in_pieces(whole, Effort::fast()).collect().await;
        let compressed: Vec<u8> = compressed.into_iter().flat_map(|piece| piece.expect("a piece")).collect();
        let mut read = Vec::new();
        GzDecoder::new(&*compressed).read_to_end(&mut read).expect("compressed bytes");
        assert_eq!(read, pieces.concat());
        let broken = stream::iter([Ok(Bytes::from_static(b"x")), Err(io::Error::other("gone"))]);
        assert!(in_pieces(broken, Effort::fast()).any(async |piece| piece.is_err()).await);
    }
}
