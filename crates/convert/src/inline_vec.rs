//! A vector of few values on the stack.

use core::ops::Deref;

/// Up to `N` values on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InlineVec<T, const N: usize> {
    all: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> InlineVec<T, N> {
    /// Returns the first `N` of these values. `blank` takes the place of the others.
    pub(crate) fn new(values: &[T], blank: T) -> Self {
        debug_assert!(values.len() <= N);
        let mut all = [blank; N];
        all.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        Self { all, len: values.len().min(N) }
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.all.get(..self.len).unwrap_or_default()
    }
}
