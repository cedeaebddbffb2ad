//! Nodes from a realm of leases, which pins the whole layout.

use tickid_lease::{LeasedGenerator, Realm, RealmSpec, Store};
use tickid_snowflake::{Snowflake, SnowflakeId};

#[test]
fn leased_nodes_are_of_the_layout() {
    let realm = Realm::builder("orders", Snowflake::SONYFLAKE).pool("0-65535/16").build().unwrap();
    assert_eq!(realm.spec().settings(), "39x10ms/8s/16n@1409529600000");
    let generator = LeasedGenerator::start(Store::in_memory(), realm).unwrap();
    let node = generator.state().lease.unwrap().node;
    let mut ids = [SnowflakeId::MIN; 600];
    generator.fill(&mut ids).unwrap();
    assert!(ids.is_sorted_by(|one, next| one < next));
    for id in ids {
        assert_eq!(u64::from(Snowflake::SONYFLAKE.node_of(id).get()), node.value());
    }
    generator.shut_down().unwrap();
}

#[test]
fn narrower_nodes_are_no_pool() {
    let realm = |pool| Realm::builder("orders", Snowflake::TWITTER).pool(pool).build();
    assert!(realm("0-1023/10").is_ok());
    assert!(realm("0-2047/11").is_ok(), "halves of nodes");
    let error = realm("0-255/8").unwrap_err();
    assert!(error.to_string().contains("node 0/8 has fewer bits"), "{error}");
}

#[test]
fn realms_refuse_other_layouts() {
    let realm = |text: &str| {
        let layout: Snowflake = text.parse().unwrap();
        Realm::builder("orders", layout).pool("0-1023/10").build().unwrap()
    };
    let spec = RealmSpec::from(realm("41x1ms/10n/12s@1288834974657"));
    assert!(Realm::from_spec(spec.clone(), Snowflake::TWITTER).is_ok());
    assert!(Realm::from_spec(spec.clone(), Snowflake::PGEDGE).is_err()); // another epoch
    let wider: Snowflake = "42x1ms/10n/11s@1288834974657".parse().unwrap();
    assert!(Realm::from_spec(spec.clone(), wider).is_err());
    let other_order = "41x1ms/12s/10n@1288834974657".parse::<tickid_snowflake::AnySnowflake>();
    let Ok(tickid_snowflake::AnySnowflake::SequenceAboveNode(layout)) = other_order else {
        panic!("{other_order:?}")
    };
    assert!(Realm::from_spec(spec, layout).is_err());
}
