//! The constructors and accessors of the shared and the exclusive generator, written once.

/// Gives a generator its constructors, its accessors and `Debug`. `$build` is the builder's method.
macro_rules! accessors {
    ($generator:ident, $engine:ident, $build:ident) => {
        #[cfg(feature = "std")]
        impl<S: Scheme + Default> $generator<S, DefaultClock> {
            /// Builds a generator for `node` with the settings of the scheme's document. To change
            /// any of them, use a [`builder`](Self::builder).
            ///
            /// Build one generator for each node and process, and keep it. Each new one starts from
            /// the clock alone and does not know what others of its node have issued, so a program
            /// that builds one for each ID, thread or request issues the same IDs again, without
            /// an error. If a generator has to be replaced, [`close`](Self::close) it and
            /// [restore](crate::Builder::restore) its snapshot in the next one.
            ///
            /// A process that gets its node from another one, as after a restart, must not start
            /// before its clock is [past that one's last ID][after].
            /// [`close_and_wait`](Self::close_and_wait) makes sure of that.
            ///
            /// [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
            ///
            /// # Errors
            /// Returns the errors of [`Builder::build`](crate::Builder::build). For example, it is
            /// [`BuildError::Seed`](crate::BuildError::Seed) if the scheme starts ticks at random,
            /// as SCRU64 does, and the operating system provides no random number.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let generator = Generator::<Seconds>::new(Node(7))?;
            /// assert_eq!(generator.node(), Node(7));
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            pub fn new(node: S::Node) -> Result<Self, crate::BuildError> {
                Self::builder(node).$build()
            }

            /// Builds a generator for the node with this number, with the settings of the scheme's
            /// document. It exists for schemes whose nodes all have [one
            /// width](crate::NumberedNode), because a number alone says which node is meant only
            /// there.
            ///
            /// Never call it for each ID, as in `numbered(7)?.generate()?`. Every such call would
            /// begin again with the first ID of the clock's tick, as [`new`](Self::new) explains,
            /// and so would a program that is started for each ID. Build the generator once, and
            /// keep it.
            ///
            /// # Errors
            /// Returns [`BuildError::Node`](crate::BuildError::Node) if no node has this number,
            /// and the errors of [`new`](Self::new).
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// assert_eq!(Generator::<Seconds>::numbered(7)?.node(), Node(7));
            /// let error = Generator::<Seconds>::numbered(256).unwrap_err();
            /// assert_eq!(error.to_string(), "node 256 is outside of 0..=255");
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            pub fn numbered(number: u64) -> Result<Self, crate::BuildError>
            where
                S::Node: crate::NumberedNode,
            {
                use crate::{NodeId as _, NumberedNode as _};
                let node = S::Node::from_value(number, S::Node::BITS);
                Self::new(node.map_err(|error| crate::BuildError::Node(error.into()))?)
            }

            /// Returns a builder of a generator for `node`, which starts with the settings of the
            /// scheme's document. Build one generator for each node and process, and keep it.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::Policy;
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let builder = Generator::<Seconds>::builder(Node(7)).policy(Policy::Wait);
            #[doc = concat!("let generator = builder.", stringify!($build), "()?;")]
            /// assert_eq!(generator.policy(), Policy::Wait);
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            ///
            /// Two generators of one node repeat each other, and neither can notice it:
            ///
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::{ManualClock, UnixTime, ", stringify!($generator), " as Generator};")]
            ///
            /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
            #[doc = concat!("let build = || Generator::<Seconds>::builder(Node(7)).clock(&clock).", stringify!($build), "();")]
            /// assert_eq!(build()?.generate()?, build()?.generate()?); // wrong: the same ID twice
            ///
            /// let mut generator = build()?; // right: built once
            /// # let generator = &mut generator;
            /// assert_ne!(generator.generate()?, generator.generate()?);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn builder(node: S::Node) -> crate::Builder<S> {
                crate::Builder::new(node)
            }

            /// Returns a builder of a generator for a node of any size. A node with more bits than
            /// the scheme's field for it names a share of a node's sequences, by the rule of
            /// [`Scheme::split_node`]. Each share has one generator in one process, which is built
            /// once and kept.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let builder = Generator::<Seconds>::builder_any("11/9".parse()?); // half of node 5
            #[doc = concat!("let generator = builder.", stringify!($build), "()?;")]
            /// assert_eq!((generator.node(), generator.bounds().lowest()), (Node(5), 128));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn builder_any(node: crate::AnyNode) -> crate::Builder<S> {
                crate::Builder::of_any(S::default(), node)
            }
        }

        impl<S: Scheme, C> $generator<S, C> {
            pub(crate) fn from_parts(timing: Timing<C>, engine: $engine<S>) -> Self {
                Self { engine, timing }
            }

            /// Returns the state of the running generator, for example to show its window. If other
            /// threads draw from it, the state may be out of date by the time it is read, so never
            /// restore from it. Use the snapshot that `close` returns.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let generator = Generator::<Seconds>::new(Node(7))?;
            /// assert!(!generator.state().is_closed);
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            #[must_use]
            pub fn state(&self) -> crate::State<S> {
                self.engine.state()
            }

            /// Returns the node that IDs carry. If the builder was given a share, the further bits
            /// of its node are in the [`bounds`](Self::bounds).
            #[must_use]
            pub fn node(&self) -> S::Node {
                self.engine.rules().node
            }

            /// Returns the settings of the IDs.
            #[must_use]
            pub fn settings(&self) -> S {
                self.engine.rules().scheme
            }

            /// Returns the clock, through which a test can move the time.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            /// use tickid_core::{ManualClock, UnixTime};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
            /// let builder = Generator::<Seconds>::builder(Node(7)).clock(clock);
            #[doc = concat!("let generator = builder.", stringify!($build), "()?;")]
            /// generator.clock().set(UnixTime::from_millis(101_000)?); // a second later
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn clock(&self) -> &C {
                &self.timing.clock
            }

            /// Returns the sequences that the generator uses in each tick. They are all sequences
            /// beside the node, unless the builder was given [bounds](crate::Builder::bounds) or a
            /// share.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let generator = Generator::<Seconds>::new(Node(7))?;
            /// assert_eq!((generator.bounds().lowest(), generator.bounds().last()), (0, 255));
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            #[must_use]
            pub fn bounds(&self) -> crate::SequenceBounds {
                self.engine.rules().bounds
            }

            /// Returns the reaction to a clock rollback and to an exhausted tick.
            ///
            /// # Examples
            /// ```
            /// use tickid_core::Policy;
            /// use tickid_core::example::{Node, Seconds};
            #[doc = concat!("use tickid_core::", stringify!($generator), " as Generator;")]
            ///
            /// let generator = Generator::<Seconds>::new(Node(7))?;
            /// assert_eq!(generator.policy(), Policy::Wait);
            /// # Ok::<(), tickid_core::BuildError>(())
            /// ```
            #[must_use]
            pub fn policy(&self) -> crate::Policy<S> {
                self.engine.rules().policy
            }
        }

        impl<S: Scheme, C: core::fmt::Debug> core::fmt::Debug for $generator<S, C> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let rules = self.engine.rules();
                f.debug_struct(stringify!($generator))
                    .field("scheme", &rules.scheme)
                    .field("node", &rules.node)
                    .field("clock", &self.timing.clock)
                    .field("policy", &rules.policy)
                    .field("state", &self.engine.state())
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use accessors;
