//! The examples of the project's pages, so that they stay true. They are compiled here, because the
//! packages of the crates do not hold the pages.

macro_rules! pages {
    ($($name:ident: $page:literal;)+) => {$(
        #[doc = include_str!(concat!("../../../", $page))]
        struct $name;
    )+};
}

pages! {
    Readme: "README.md";
    Causality: "docs/causality.md";
    Choosing: "docs/choosing.md";
    Conversions: "docs/conversions.md";
    Leases: "docs/leases.md";
    Kuid: "docs/schemes/kuid.md";
    Nanoflake: "docs/schemes/nanoflake.md";
    Scru64: "docs/schemes/scru64.md";
    Sno: "docs/schemes/sno.md";
    Snowflake: "docs/schemes/snowflake.md";
}
