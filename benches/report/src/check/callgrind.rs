//! Reads the output of the counted program and callgrind's files about it.

/// The output of the counted program.
#[derive(Debug, PartialEq)]
pub(crate) struct Program {
    /// The features of the processor that select code, as valgrind shows them.
    pub(crate) processor: String,
    /// The paths, in the order of execution.
    pub(crate) paths: Vec<Path>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) name: String,
    /// The number of operations that were counted together.
    pub(crate) operations: f64,
}

impl Program {
    /// Reads a line that starts with `processor`, and then lines of a number and a name.
    pub(crate) fn read(printed: &str) -> Option<Self> {
        let mut lines = printed.lines();
        let processor = lines.next()?.strip_prefix("processor ")?.to_owned();
        let path = |line: &str| {
            let (operations, name) = line.split_once(' ')?;
            let operations =
                operations.parse().ok().filter(|&operations: &f64| operations > 0.0)?;
            Some(Path { name: name.to_owned(), operations })
        };
        Some(Self { processor, paths: lines.map(path).collect::<Option<_>>()? })
    }
}

/// Returns the number of instructions in one of callgrind's files.
pub(crate) fn summary(file: &str) -> Option<f64> {
    let value = |name| file.lines().find_map(|line| line.strip_prefix(name));
    // Other events would be further columns.
    (value("events: ")?.trim() == "Ir").then_some(())?;
    value("summary: ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
part: 3

desc: Trigger: --dump-after=instructions::counted

positions: line
events: Ir
summary: 1707112

ob=(6) instructions
fn=(1068) instructions::counted
0 65540
totals: 1707112
";

    #[test]
    fn the_sum_of_a_file() {
        assert_eq!(summary(FILE), Some(1_707_112.0));
        assert_eq!(summary(""), None);
        assert_eq!(summary(&FILE.replace("events: Ir", "events: Ir Dr")), None);
        assert_eq!(summary(&FILE.replace("summary: 1707112", "summary: many")), None);
    }

    #[test]
    fn the_output_of_the_program() {
        let program = Program::read("processor x86_64 avx2\n32768 clock/manual\n1024 encode/sno\n");
        let path = |name: &str, operations| Path { name: name.to_owned(), operations };
        let expected = Program {
            processor: "x86_64 avx2".to_owned(),
            paths: vec![path("clock/manual", 32_768.0), path("encode/sno", 1_024.0)],
        };
        assert_eq!(program, Some(expected));
        for wrong in ["", "1024 encode/sno", "processor x\nencode/sno", "processor x\n0 none"] {
            assert_eq!(Program::read(wrong), None, "{wrong}");
        }
    }
}
