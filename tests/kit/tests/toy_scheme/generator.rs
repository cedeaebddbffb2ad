//! Names for core's generators with the toy scheme.

use tickid_core::DefaultClock;

use crate::scheme::Ticket;

/// The shared generator.
pub(crate) type Generator<C = DefaultClock> = tickid_core::Generator<Ticket, C>;

/// The exclusive generator.
pub(crate) type LocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<Ticket, C>;

/// The options of a generator.
pub(crate) type Builder<C = DefaultClock> = tickid_core::Builder<Ticket, C>;
