//! Widths of texts that are written in several pieces.

use core::fmt::{self, Alignment, Write};

/// Writes a text with the width, the fill and the alignment of `f`, as [`fmt::Formatter::pad`] does
/// with a text in one piece. The precision is left to `write`.
#[doc(hidden)]
pub fn pad(
    f: &mut fmt::Formatter<'_>,
    write: impl Fn(&mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    let Some(width) = f.width() else { return write(f) };
    let mut length = Length(0);
    write(&mut length)?;
    let missing = width.saturating_sub(length.0);
    let before = match f.align() {
        None | Some(Alignment::Left) => 0,
        Some(Alignment::Center) => missing / 2,
        Some(Alignment::Right) => missing,
    };
    let fill = f.fill();
    (0..before).try_for_each(|_| f.write_char(fill))?;
    write(f)?;
    (before..missing).try_for_each(|_| f.write_char(fill))
}

/// Counts characters.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.chars().count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::format;

    use crate::any_node::AnyNode;
    use crate::time::UnixTime;

    #[test]
    fn widths_are_those_of_one_piece() {
        let (node, time) = (AnyNode::new(42, 8).unwrap(), UnixTime::from_micros(-1));
        let late = UnixTime::MAX;
        macro_rules! same {
            ($($form:literal)*) => {$(
                assert_eq!(format!($form, node), format!($form, "42/8"));
                assert_eq!(format!($form, time), format!($form, "1969-12-31T23:59:59.999999Z"));
                assert_eq!(format!($form, late), format!($form, "+294247-01-10T04:00:54.775807Z"));
            )*};
        }
        same! { "{}" "{:3}" "{:4}" "{:7}" "{:<7}" "{:>7}" "{:^7}" "{:*^35}" "{:>35}" "{:é<35}" "{:035}" }
        assert_eq!(
            format!("{time:>25.0}|{time:.3}"),
            "     1969-12-31T23:59:59Z|1969-12-31T23:59:59.999Z"
        );
    }
}
