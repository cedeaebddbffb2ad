//! The table of commands, and their descriptions.

use super::{AfterCommand, Args, RespSession, fail};
use crate::resp::reply::{self, RespVersion};

/// A command.
pub(super) struct CommandInfo {
    pub(super) name: &'static str,
    /// The least and the most of its arguments, with the name.
    pub(super) args: (usize, usize),
    /// Redis' flags for it.
    pub(super) flags: &'static [&'static str],
    /// Set if its first argument is a key, which is the name of a realm.
    has_key: bool,
    group: &'static str,
    summary: &'static str,
    pub(super) run: fn(&mut RespSession, &Args<'_>, &mut Vec<u8>) -> AfterCommand,
}

const ANY: usize = usize::MAX;

/// The answer to a client without a valid token.
pub(crate) const NO_AUTH: &str = "NOAUTH Authentication required.";

/// The commands.
pub(super) const COMMANDS: &[CommandInfo] = &[
    CommandInfo {
        name: "incr",
        args: (2, 2),
        flags: &["write", "fast"],
        has_key: true,
        group: "generic",
        summary: "Returns an ID of a realm as an integer.",
        run: RespSession::incr,
    },
    CommandInfo {
        name: "incrby",
        args: (3, 3),
        flags: &["write", "fast"],
        has_key: true,
        group: "generic",
        summary: "Returns an ID of a realm as an integer; the increment is 1.",
        run: RespSession::incr_by,
    },
    CommandInfo {
        name: "tickid.next",
        args: (2, 7),
        flags: &["write", "fast"],
        has_key: true,
        group: "generic",
        summary: "Returns IDs of a realm: [count] [AS form] [META byte].",
        run: RespSession::next,
    },
    CommandInfo {
        name: "tickid.observe",
        args: (3, 5),
        flags: &["write", "fast"],
        has_key: true,
        group: "generic",
        summary: "Makes later IDs of a realm greater than this one: id [AS form].",
        run: RespSession::observe,
    },
    CommandInfo {
        name: "ping",
        args: (1, 2),
        flags: &["fast"],
        has_key: false,
        group: "connection",
        summary: "Returns PONG, or the argument.",
        run: RespSession::ping,
    },
    CommandInfo {
        name: "echo",
        args: (2, 2),
        flags: &["fast"],
        has_key: false,
        group: "connection",
        summary: "Returns the argument.",
        run: RespSession::echo,
    },
    CommandInfo {
        name: "hello",
        args: (1, 7),
        flags: &["noscript", "fast", "no_auth"],
        has_key: false,
        group: "connection",
        summary: "Selects the version of the protocol, authenticates and names the connection.",
        run: RespSession::hello,
    },
    CommandInfo {
        name: "auth",
        args: (2, 3),
        flags: &["noscript", "fast", "no_auth"],
        has_key: false,
        group: "connection",
        summary: "Authenticates the connection by a token.",
        run: RespSession::auth,
    },
    CommandInfo {
        name: "quit",
        args: (1, ANY),
        flags: &["noscript", "fast", "no_auth", "no_multi"],
        has_key: false,
        group: "connection",
        summary: "Closes the connection.",
        run: RespSession::quit,
    },
    CommandInfo {
        name: "reset",
        args: (1, 1),
        flags: &["noscript", "fast", "no_auth", "no_multi"],
        has_key: false,
        group: "connection",
        summary: "Resets the connection.",
        run: RespSession::reset,
    },
    CommandInfo {
        name: "select",
        args: (2, 2),
        flags: &["fast"],
        has_key: false,
        group: "connection",
        summary: "Selects the only database, 0.",
        run: RespSession::select,
    },
    CommandInfo {
        name: "client",
        args: (2, ANY),
        flags: &["noscript"],
        has_key: false,
        group: "connection",
        summary: "Names and describes the connection.",
        run: RespSession::client,
    },
    CommandInfo {
        name: "multi",
        args: (1, 1),
        flags: &["noscript", "fast", "no_multi"],
        has_key: false,
        group: "transactions",
        summary: "Starts a transaction.",
        run: RespSession::multi,
    },
    CommandInfo {
        name: "exec",
        args: (1, 1),
        flags: &["noscript", "no_multi"],
        has_key: false,
        group: "transactions",
        summary: "Runs the commands of a transaction.",
        run: RespSession::exec,
    },
    CommandInfo {
        name: "discard",
        args: (1, 1),
        flags: &["noscript", "fast", "no_multi"],
        has_key: false,
        group: "transactions",
        summary: "Discards a transaction.",
        run: RespSession::discard,
    },
    CommandInfo {
        name: "watch",
        args: (2, ANY),
        flags: &["noscript", "fast", "no_multi"],
        has_key: true,
        group: "transactions",
        summary: "Does nothing: an ID is never issued twice.",
        run: RespSession::watch,
    },
    CommandInfo {
        name: "unwatch",
        args: (1, 1),
        flags: &["noscript", "fast"],
        has_key: false,
        group: "transactions",
        summary: "Does nothing, like WATCH.",
        run: RespSession::unwatch,
    },
    CommandInfo {
        name: "command",
        args: (1, ANY),
        flags: &["readonly"],
        has_key: false,
        group: "server",
        summary: "Describes the commands.",
        run: RespSession::command,
    },
    CommandInfo {
        name: "info",
        args: (1, ANY),
        flags: &["readonly"],
        has_key: false,
        group: "server",
        summary: "Returns figures of the server and its realms.",
        run: RespSession::info,
    },
];

impl RespSession {
    /// Runs a command that the table has and the client may send.
    pub(super) fn dispatch(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let known = COMMANDS.iter().find(|known| args.is(0, known.name));
        if known.is_none() && (args.is(0, "post") || args.is(0, "host:")) {
            // A web page can have a browser on this machine send a request like `POST / HTTP/1.1`,
            // with lines in its body that are commands. Like Redis, the server closes the
            // connection before it comes to them.
            reply::error("ERR this is not an HTTP server", out);
            return AfterCommand::Close;
        }
        // A name that is not a command needs a token, too. Otherwise a stranger could find out by
        // trying which commands there are.
        let needs_token = known.is_none_or(|known| !known.flags.contains(&"no_auth"));
        let refusal = if needs_token && !self.is_admitted() {
            NO_AUTH.to_owned()
        } else if let Some(known) = known {
            let (least, most) = known.args;
            if (least..=most).contains(&args.len()) {
                // Commands that are `no_multi`, such as EXEC, act on the transaction itself and run
                // immediately. Only known commands with a possible number of arguments are queued.
                return match &mut self.transaction {
                    Some(transaction) if !known.flags.contains(&"no_multi") => {
                        transaction.queue(args.buffer, &self.shared.limits, out)
                    }
                    _ => (known.run)(self, args, out),
                };
            }
            format!("ERR wrong number of arguments for '{}' command", known.name)
        } else {
            let name = args.shown(0);
            format!("ERR unknown command '{name}', with args beginning with: {args}")
        };
        // As in Redis, a command that is refused while others are queued spoils the transaction.
        // EXEC then runs none of them, so that the client does not get answers to only some.
        if let Some(transaction) = &mut self.transaction {
            transaction.spoil();
        }
        fail(&refusal, out)
    }

    pub(super) fn command(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let version = self.version;
        let is = |sub| args.is(1, sub) && args.len() == 2;
        let find = |index| COMMANDS.iter().find(|known| args.is(index, known.name));
        // redis-cli asks for COMMAND DOCS when it starts, for its hints, and clients of clusters
        // for COMMAND, to find the keys of commands. Without a name all commands are described,
        // with names only these, in their order.
        if args.len() == 1 || is("info") {
            reply::array(COMMANDS.len(), out);
            COMMANDS.iter().for_each(|known| known.describe(version, out));
        } else if is("count") {
            reply::integer(i64::try_from(COMMANDS.len()).unwrap_or(i64::MAX), out);
        } else if is("list") {
            reply::array(COMMANDS.len(), out);
            COMMANDS.iter().for_each(|known| reply::bulk(known.name.as_bytes(), out));
        } else if args.is(1, "docs") {
            // As in Redis, the documentation leaves out unknown names, while COMMAND INFO answers
            // null in their places, because its answers are an array that clients match with their
            // names.
            let named = (2..args.len()).filter_map(find);
            let documented: Vec<&CommandInfo> =
                if args.len() == 2 { COMMANDS.iter().collect() } else { named.collect() };
            reply::map(documented.len(), version, out);
            documented.iter().for_each(|known| known.document(version, out));
        } else if args.is(1, "info") {
            reply::array(args.len() - 2, out);
            for index in 2..args.len() {
                match find(index) {
                    Some(known) => known.describe(version, out),
                    None => reply::null_array(version, out),
                }
            }
        } else {
            let sub = args.shown(1);
            let text = format!(
                "ERR unknown subcommand or wrong number of arguments for '{sub}'. There are \
                 COMMAND COUNT, DOCS, INFO, LIST"
            );
            return fail(&text, out);
        }
        AfterCommand::Continue
    }
}

impl CommandInfo {
    /// Appends the ten parts of a command's description in Redis 7, which clients of RESP 3 read
    /// all.
    fn describe(&self, version: RespVersion, out: &mut Vec<u8>) {
        let (least, most) = self.args;
        let arity = i64::try_from(least).unwrap_or(i64::MAX);
        let (first, last) = match (self.has_key, most) {
            (false, _) => (0, 0),
            (true, ANY) => (1, -1),
            (true, _) => (1, 1),
        };
        reply::array(10, out);
        reply::bulk(self.name.as_bytes(), out);
        reply::integer(if least == most { arity } else { -arity }, out);
        reply::set(self.flags.len(), version, out);
        self.flags.iter().for_each(|flag| reply::status(flag, out));
        [first, last, first].into_iter().for_each(|key| reply::integer(key, out));
        // Categories of access, which cannot be granted here, and hints for proxies.
        reply::set(0, version, out);
        reply::array(0, out);
        self.describe_keys(last, version, out);
        // Subcommands.
        reply::array(0, out);
    }

    /// Appends the places of the keys.
    fn describe_keys(&self, last: i64, version: RespVersion, out: &mut Vec<u8>) {
        if !self.has_key {
            return reply::array(0, out);
        }
        // Redis 7 nests these: for each key a map of its flags, of how to find the first key, and
        // of how to find the others from there, both with a type and a map of its parameters. A
        // client that reads them expects all members, so the constant ones are sent as well.
        let map = |entries: &[(&str, i64)], out: &mut Vec<u8>| {
            reply::map(entries.len(), version, out);
            for &(name, value) in entries {
                reply::bulk(name.as_bytes(), out);
                reply::integer(value, out);
            }
        };
        let typed = |name: &str, kind: &str, spec: &[(&str, i64)], out: &mut Vec<u8>| {
            reply::bulk(name.as_bytes(), out);
            reply::map(2, version, out);
            reply::bulk(b"type", out);
            reply::bulk(kind.as_bytes(), out);
            reply::bulk(b"spec", out);
            map(spec, out);
        };
        reply::array(1, out);
        reply::map(3, version, out);
        reply::bulk(b"flags", out);
        reply::set(1, version, out);
        reply::status("RW", out);
        typed("begin_search", "index", &[("index", 1)], out);
        // The last key is counted from the first one: 0 if there is only one, -1 if they go on to
        // the last argument, as in WATCH.
        let spec = [("lastkey", last.min(0)), ("keystep", 1), ("limit", 0)];
        typed("find_keys", "range", &spec, out);
    }

    /// Appends the name, and what there is to say about the command.
    fn document(&self, version: RespVersion, out: &mut Vec<u8>) {
        reply::bulk(self.name.as_bytes(), out);
        let entries = [("summary", self.summary), ("since", "0.1.0"), ("group", self.group)];
        reply::map(entries.len(), version, out);
        for (name, text) in entries {
            reply::bulk(name.as_bytes(), out);
            reply::bulk(text.as_bytes(), out);
        }
    }
}
