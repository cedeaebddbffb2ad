//! Comparison of a scheme's conversions of slices with its conversions of single texts.

use core::fmt::Debug;

use tickid_text::{ParseError, SliceError, Text};

/// A conversion of each item of one slice to its place in another.
pub type Each<A, B> = fn(&[A], &mut [B]) -> Result<(), SliceError>;

/// A scheme's conversions between IDs and texts of `CHARS` characters, both of one and of many in
/// one call.
#[derive(Debug)]
pub struct Slices<I, const CHARS: usize> {
    /// The text of one ID.
    pub text: fn(I) -> Text<CHARS>,
    /// The ID of one text.
    pub parse: fn(&[u8]) -> Result<I, ParseError>,
    /// The texts of many IDs.
    pub encode: Each<I, [u8; CHARS]>,
    /// The IDs of many texts.
    pub decode: Each<[u8; CHARS], I>,
}

impl<I: Copy + Debug + PartialEq, const CHARS: usize> Slices<I, CHARS> {
    /// Asserts that many `ids` are written and read like each by itself.
    ///
    /// The text at `wrong` is then made invalid, but the IDs before it must still be read. Slices
    /// of different lengths must be refused. There must be more than `wrong` IDs.
    ///
    /// # Panics
    /// If a check fails.
    pub fn do_as_one_by_one(&self, ids: &[I], wrong: usize) {
        let text = |&id: &I| (self.text)(id).as_bytes().try_into().unwrap();
        let mut texts: Vec<[u8; CHARS]> = ids.iter().map(text).collect();
        let mut written = vec![[0; CHARS]; ids.len()];
        assert_eq!((self.encode)(ids, &mut written), Ok(()));
        assert_eq!(written, texts);

        // Each place holds an ID other than the one to come.
        let others: Vec<I> = ids[1..].iter().chain(&ids[..1]).copied().collect();
        let mut read = others.clone();
        assert_eq!((self.decode)(&texts, &mut read), Ok(()));
        assert_eq!(read, ids);

        let short = ids.len() - 1;
        let (input, output) = (ids.len(), short);
        let refused = Err(SliceError::Length { input, output });
        assert_eq!((self.encode)(ids, &mut written[..short]), refused);
        assert_eq!((self.decode)(&texts, &mut read[..short]), refused);

        // This character is not in any alphabet.
        texts[wrong][CHARS / 2] = b'!';
        let error = (self.parse)(&texts[wrong]).unwrap_err();
        read.copy_from_slice(&others);
        let index = wrong;
        assert_eq!((self.decode)(&texts, &mut read), Err(SliceError::Text { index, error }));
        assert_eq!((&read[..wrong], &read[wrong..]), (&ids[..wrong], &others[wrong..]));
    }
}
