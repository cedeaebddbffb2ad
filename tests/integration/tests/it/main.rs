//! IDs in other libraries that need no server, and the pages about them.

mod arbitrary;
mod asynchronous;
mod examples;
mod forms;
mod json_schema;
mod moving;
mod proptest;
mod serde;
mod sqlite;
mod stacks;
mod times;
mod uuid;
