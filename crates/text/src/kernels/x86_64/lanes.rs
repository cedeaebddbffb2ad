//! Conversions between values and characters, which are the same for 16 and for 32 characters.
//!
//! An alphabet is a few runs of consecutive characters, such as `2-9` and `a-x`. Within a run, a
//! character is its value plus the run's offset, so a conversion adds the first run's offset to
//! every byte and, for each later run, the difference to the bytes that lie in it or above. This
//! takes one comparison, one mask and one addition per run, and no table.

/// Defines for one width of registers: `symbols`, `values`, `base36_symbols`, `base36_values`.
macro_rules! lanes {
    (
        $feature:literal, $vector:ty;
        $set:ident $set_words:ident $set_floats:ident
        $and:ident $and_not:ident $or:ident $xor:ident
        $add:ident $sub:ident $greater:ident $equal:ident $min:ident
        $sub_words:ident $mul_words:ident $mul_words_high:ident $shl_words:ident
        $shl_dwords:ident $to_floats:ident $add_floats:ident $mul_floats:ident $to_dwords:ident
    ) => {
        /// Returns `lanes + change` where the bytes of `mask` are -1, and `lanes` where they are 0.
        #[inline]
        #[target_feature(enable = $feature)]
        fn add_where(lanes: $vector, mask: $vector, change: u8) -> $vector {
            match change {
                1 => $sub(lanes, mask),
                0xff => $add(lanes, mask),
                _ => $add(lanes, $and(mask, $set(change.cast_signed()))),
            }
        }

        /// Returns values as characters. Within a run, a character is its value plus an offset, and
        /// each run changes the previous run's offset.
        #[inline]
        #[target_feature(enable = $feature)]
        fn symbols<S: StaticAlphabet>(values: $vector) -> $vector {
            let runs = const { &S::ALPHABET.runs };
            let mut symbols = $add(values, $set(runs[0].symbol.cast_signed()));
            let mut i = 1;
            while i < const { S::ALPHABET.run_count } {
                let change = runs[i].offset().wrapping_sub(runs[i - 1].offset());
                let from_here = $greater(values, $set(runs[i].value.wrapping_sub(1).cast_signed()));
                symbols = add_where(symbols, from_here, change);
                i += 1;
            }
            symbols
        }

        /// Returns characters as values, and -1 for each character in the alphabet or else 0. Bytes
        /// above 127 are negative, so they are below every bound.
        #[inline]
        #[target_feature(enable = $feature)]
        fn values<S: StaticAlphabet>(symbols: $vector) -> ($vector, $vector) {
            let runs = const { &S::ALPHABET.runs_by_symbol };
            let above = |bound: u8| $greater(symbols, $set(bound.cast_signed()));
            let mut values = $sub(symbols, $set(runs[0].offset().cast_signed()));
            // A character that passed an odd number of the runs' ends is within a run.
            let mut within = $xor(symbols, symbols);
            let mut i = 0;
            while i < const { S::ALPHABET.run_count } {
                let run = runs[i];
                let from_here = above(run.symbol.wrapping_sub(1));
                if i > 0 {
                    let change = runs[i - 1].offset().wrapping_sub(run.offset());
                    values = add_where(values, from_here, change);
                }
                let inside = if run.len == 1 {
                    $equal(symbols, $set(run.symbol.cast_signed()))
                } else {
                    $xor(from_here, above(run.symbol + (run.len - 1)))
                };
                within = $xor(within, inside);
                i += 1;
            }
            (values, within)
        }

        /// Returns numbers below 36^4 as four digits each.
        ///
        /// A number plus a half, divided by 1,296, is at least 1/2592 away from the next integer,
        /// and in `f32` it is less than 1/6000 off, so truncating it gives the quotient. (A test
        /// checks all of them.)
        #[inline]
        #[target_feature(enable = $feature)]
        fn base36_symbols(fours: $vector) -> $vector {
            let half_more = $add_floats($to_floats(fours), $set_floats(0.5));
            let quotients = $to_dwords($mul_floats(half_more, $set_floats(1.0 / 1_296.0)));
            // Each lane holds two words: the quotient, and below it the number. 1,296 times the
            // quotient is subtracted from the number. The high bits that do not fit into a word
            // cancel out.
            let words = $or(quotients, $shl_dwords::<16>(fours));
            let above = $shl_dwords::<16>(words);
            let twos = $sub_words(words, $mul_words(above, $set_words(1_296)));
            // The same is done again to split words into bytes. Below 1,296, 1,821 / 2^16 is close
            // enough to 1 / 36.
            let tens = $mul_words_high(twos, $set_words(1_821));
            let spread = $shl_words::<8>(twos);
            let digits = $sub_words(spread, $mul_words(tens, $set_words(36 * 256 - 1)));
            let letters = $greater(digits, $set(9));
            add_where($add(digits, $set(b'0'.cast_signed())), letters, b'a' - 10 - b'0')
        }

        /// Returns digits, in either case, as values, and -1 for each digit or else 0.
        #[inline]
        #[target_feature(enable = $feature)]
        fn base36_values(symbols: $vector) -> ($vector, $vector) {
            let decimal = $sub(symbols, $set(b'0'.cast_signed()));
            let is_decimal = $equal($min(decimal, $set(9)), decimal);
            let lower = $or(symbols, $set(0x20));
            let letter = $sub(lower, $set(b'a'.cast_signed()));
            let is_letter = $equal($min(letter, $set(25)), letter);
            let letter = $add(letter, $set(10));
            let values = $or($and(is_decimal, decimal), $and_not(is_decimal, letter));
            (values, $or(is_decimal, is_letter))
        }
    };
}

pub(super) use lanes;
