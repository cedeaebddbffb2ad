//! Files that are not text, which would be a message for each of their lines.

/// A kind of file whose IDs another program has to print.
pub(super) struct Binary {
    /// With an article.
    pub(super) name: &'static str,
    /// A command that prints the text, and the effect that it has.
    pub(super) hint: &'static str,
    start: &'static [u8],
    /// Set if the whole file is text that was compressed, in which nothing can be found.
    is_compressed: bool,
}

const KINDS: [Binary; 6] = [
    Binary {
        name: "a gzip file",
        hint: "`gzip -dc FILE | tickid inspect` reads what it holds",
        start: b"\x1f\x8b",
        is_compressed: true,
    },
    Binary {
        name: "a zstd file",
        hint: "`zstd -dc FILE | tickid inspect` reads what it holds",
        start: b"\x28\xb5\x2f\xfd",
        is_compressed: true,
    },
    Binary {
        name: "a Parquet file",
        hint: "`duckdb -csv -c \"FROM 'FILE.parquet'\" | tickid inspect --column id` reads its \
               column id",
        start: b"PAR1",
        is_compressed: false,
    },
    Binary {
        name: "an Arrow file",
        hint: "`python3 -c \"import polars; print(polars.read_ipc('FILE').write_csv())\" | tickid \
               inspect --column id` reads its column id",
        start: b"ARROW1",
        is_compressed: false,
    },
    Binary {
        name: "a SQLite database",
        hint: "`sqlite3 FILE 'SELECT id FROM orders' | tickid inspect` reads the column id of its \
               table orders",
        start: b"SQLite format 3\0",
        is_compressed: false,
    },
    Binary {
        name: "an Excel file, or another ZIP archive",
        hint: "`python3 -c \"import pandas; print(pandas.read_excel('FILE', dtype=str).to_csv())\" | \
               tickid inspect --column id` reads the column id of its first sheet",
        start: b"PK\x03\x04",
        is_compressed: false,
    },
];

/// Returns the kind of file that starts with these bytes, the first that were read, unless they may be
/// text. A search also looks into files that are not text.
pub(super) fn of(bytes: &[u8], is_search: bool) -> Option<&'static Binary> {
    let mut kinds = KINDS.iter().filter(|kind| kind.is_compressed || !is_search);
    let kind = kinds.find(|kind| bytes.starts_with(kind.start))?;
    // A line of text may start with these letters. The last character may have been cut.
    let is_text = match str::from_utf8(bytes) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && !bytes.contains(&0),
    };
    (!is_text).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_text_are_told() {
        for (bytes, name) in [
            (&b"\x1f\x8b\x08\0\0\0"[..], "a gzip"),
            (b"\x28\xb5\x2f\xfd\x04\x58", "a zstd"),
            (b"PAR1\x15\x04\x15\xa0", "a Parquet"),
            (b"PAR1\x15\0", "a Parquet"),
            (b"ARROW1\0\0\xff\xff", "an Arrow"),
            (b"SQLite format 3\0\x10\0", "a SQLite"),
            (b"PK\x03\x04\x14\0", "an Excel"),
        ] {
            assert!(of(bytes, false).is_some_and(|kind| kind.name.starts_with(name)), "{name}");
            let is_compressed = name == "a gzip" || name == "a zstd";
            assert_eq!(of(bytes, true).is_some(), is_compressed, "{name}");
        }
        for text in ["", "PAR1", "PAR1,id\n1,2\n", "ARROW1\n", "PK\x03\x04", "SQLite format 3", "é"]
        {
            assert!(of(text.as_bytes(), false).is_none(), "{text}");
        }
        // A character that the end of the buffer has cut, and one that is none.
        assert!(of(b"PAR1,\xc3", false).is_none());
        assert!(of(b"PAR1,\xc3,", false).is_some());
        assert!(of(b"0u375nxqh5cq\0", false).is_none());
    }
}
