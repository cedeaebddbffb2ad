//! The schemas of `schemars` and `utoipa`, compared with a validator and the JSON form of IDs.

use jsonschema::Validator;
use schemars::JsonSchema;
use serde_json::{Value, json};
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_snowflake::SnowflakeId;
use tickid_testkit::Dice;
use utoipa::ToSchema;

fn validator<T: JsonSchema>() -> Validator {
    jsonschema::validator_for(schemars::schema_for!(T).as_value()).unwrap()
}

#[test]
fn every_id_is_valid() {
    fn is_valid<T: Representations + JsonSchema + serde::Serialize>() {
        let validator = validator::<T>();
        for id in [T::MIN, T::MAX].into_iter().chain(any(6).take(300)) {
            assert!(validator.is_valid(&json!(id)), "{id}");
        }
    }
    for_each_id!(is_valid);
}

/// Returns texts of IDs with a character changed, added or left out.
fn nearly_ids<T: Representations>() -> impl Iterator<Item = String> {
    const CHARACTERS: &[u8] = b"-.01289ABYZ_abwxyz~ \n";
    let mut dice = Dice::new(7);
    any::<T>(8).take(500).map(move |id| {
        let mut text = id.to_string();
        let mut any = |end: usize| usize::try_from(dice.below(end as u64)).unwrap();
        let (place, character) = (any(text.len()), char::from(CHARACTERS[any(CHARACTERS.len())]));
        match any(4) {
            0 => text.insert(place, character),
            1 => _ = text.remove(place),
            2 => text.replace_range(text.len() - 1.., &character.to_string()),
            _ => text.replace_range(place..=place, &character.to_string()),
        }
        text
    })
}

#[test]
fn texts_are_valid_if_they_are_read() {
    fn agree<T: Representations + JsonSchema>() {
        let validator = validator::<T>();
        let mut read = 0;
        for text in nearly_ids::<T>() {
            let id = text.parse::<T>();
            read += u32::from(id.is_ok());
            // The pattern does not express whether 13 digits of Base36 are above the highest
            // Nanoflake, or 20 decimal digits above the highest Snowflake.
            let is_above = [NanoflakeId::NAME, SnowflakeId::NAME].contains(&T::NAME)
                && id.as_ref().err().is_some_and(|error| error.to_string().contains("is above"));
            let text = json!(text);
            assert_eq!(validator.is_valid(&text), id.is_ok() || is_above, "{text}");
        }
        assert!((1..500).contains(&read), "{read} of {}", T::NAME);
    }
    for_each_id!(agree);
}

#[test]
fn only_strings_are_valid() {
    fn are<T: JsonSchema>() {
        for value in [Value::Null, json!(7), json!(""), json!(["0u375nxqh5cq"])] {
            assert!(!validator::<T>().is_valid(&value), "{value}");
        }
    }
    for_each_id!(are);
}

#[test]
fn ids_are_fields_of_structs() {
    #[derive(JsonSchema, serde::Serialize)]
    struct Order {
        id: SnoId,
        parent: Option<SnoId>,
        customers: Vec<Scru64Id>,
    }

    let validator = validator::<Order>();
    let order = Order { id: SnoId::MIN, parent: None, customers: vec![Scru64Id::MAX] };
    let mut order = json!(order);
    assert!(validator.is_valid(&order));
    order["parent"] = json!(SnoId::MAX);
    assert!(validator.is_valid(&order));
    order["customers"][0] = json!(SnoId::MAX);
    assert!(!validator.is_valid(&order));
}

#[test]
fn openapi_has_the_same_schemas() {
    fn is_same<T: JsonSchema + ToSchema>() {
        let mut schema = schemars::schema_for!(T).to_value();
        schema.as_object_mut().unwrap().remove("$schema");
        assert_eq!(json!(T::schema()), schema);
        assert_eq!(T::name(), T::schema_name());
    }
    for_each_id!(is_same);
}

#[test]
fn openapi_refers_to_ids() {
    #[derive(ToSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Order {
        id: SnoId,
        parent: Option<SnoId>,
    }

    #[derive(utoipa::OpenApi)]
    #[openapi(components(schemas(Order)))]
    struct Api;

    let schemas = &json!(<Api as utoipa::OpenApi>::openapi())["components"]["schemas"];
    assert_eq!(schemas["Order"]["properties"]["id"]["$ref"], "#/components/schemas/SnoId");
    assert_eq!(schemas["SnoId"]["pattern"], SnoId::TEXT_PATTERN);
}
