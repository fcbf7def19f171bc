//! The component answers exactly as its rules do natively.

use rextio_numpy_component::{Numpy, rules::RULES};
use rextio_plugin_kit::Plugin as _;
use rextio_tests::{Decision, Forgery, read};
use rextio_wasm_host::{Error, NoContext, Options, Plugin};

fn component() -> Plugin {
    let component = xtask::component::build("numpy").expect("the component builds");
    Plugin::load(&component, &Options::default()).expect("the component loads")
}

#[test]
fn it_imports_nothing() {
    let path = xtask::component::build("numpy").expect("the component builds");
    let bytes = std::fs::read(path).expect("the component is readable");
    assert_eq!(
        xtask::component::imports(&bytes).expect("it is a component"),
        Vec::<String>::new()
    );
}

#[test]
fn it_describes_itself_alike() {
    let component = component();
    assert_eq!(*component.description(), Numpy::describe());
    let rules = component.rules(Box::new(NoContext)).expect("it has rules");
    assert_eq!(rules, RULES.records());
}

#[test]
fn it_claims_alike() {
    let component = component();
    for (index, decision) in read::<Decision>("numpy-claims.jsonl.gz")
        .into_iter()
        .enumerate()
    {
        let native = RULES.claim(&decision.site);
        let answer = component.claim(decision.site, Box::new(NoContext));
        assert_eq!(answer.expect("it answers"), native, "line {}", index + 1);
    }
}

#[test]
fn it_lowers_and_refuses_alike() {
    let component = component();
    for (index, forgery) in read::<Forgery>("numpy-forgeries.jsonl.gz")
        .into_iter()
        .enumerate()
    {
        let native = RULES.lower(&forgery.site, &forgery.ctx);
        let answer = match component.lower(forgery.site, forgery.ctx, Box::new(NoContext)) {
            Ok(lowered) => Ok(lowered),
            Err(Error::Refused(text)) => Err(text),
            Err(error) => panic!("line {}: {error}", index + 1),
        };
        assert_eq!(
            answer,
            native.map_err(|error| error.into_message()),
            "line {}",
            index + 1
        );
    }
}
