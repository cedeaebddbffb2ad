//! `MULTI` and `EXEC`.

use super::{AfterCommand, Args, RespSession, fail, ok};
use crate::limits::Limits;
use crate::resp::reply;

/// The commands between `MULTI` and `EXEC`. They simply run one after the other. Since an ID is
/// never issued twice, other clients cannot change their answers, so `WATCH` has nothing to watch.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// The commands as they arrived.
    pub(crate) commands: Vec<u8>,
    /// Their number.
    pub(crate) count: u32,
    /// Set once one was refused, so that none is run.
    is_spoilt: bool,
}

impl Transaction {
    /// The most bytes of commands, in units of the limit of one request.
    const MOST: usize = 16;

    /// Adds a command.
    pub(super) fn queue(
        &mut self,
        command: &[u8],
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> AfterCommand {
        let bytes = Self::MOST * limits.request_bytes as usize;
        let excess = if self.count >= limits.count {
            format!("{} commands (limit count)", limits.count)
        } else if self.commands.len() + command.len() > bytes {
            format!("{bytes} bytes of commands (limit request bytes)")
        } else {
            // Nothing is kept that will not be run.
            if !self.is_spoilt {
                self.commands.extend_from_slice(command);
                self.count += 1;
            }
            reply::status("QUEUED", out);
            return AfterCommand::Continue;
        };
        self.spoil();
        fail(&format!("ERR a transaction has at most {excess}"), out)
    }

    /// Notes that a command was refused.
    pub(super) fn spoil(&mut self) {
        *self = Self { is_spoilt: true, ..Self::default() };
    }
}

impl RespSession {
    pub(super) fn multi(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        if self.transaction.is_some() {
            return fail("ERR MULTI calls can not be nested", out);
        }
        self.transaction = Some(Transaction::default());
        ok(out)
    }

    pub(super) fn exec(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        match self.transaction.take() {
            None => fail("ERR EXEC without MULTI", out),
            Some(transaction) if transaction.is_spoilt => {
                fail("EXECABORT Transaction discarded because of previous errors.", out)
            }
            Some(transaction) => AfterCommand::Execute(transaction),
        }
    }

    pub(super) fn discard(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        match self.transaction.take() {
            None => fail("ERR DISCARD without MULTI", out),
            Some(_) => ok(out),
        }
    }

    pub(super) fn watch(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        if self.transaction.is_some() {
            return fail("ERR WATCH inside MULTI is not allowed", out);
        }
        ok(out)
    }

    #[expect(clippy::unused_self, reason = "one signature for all commands")]
    pub(super) fn unwatch(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        ok(out)
    }
}
