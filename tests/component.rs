//! Each component answers exactly as its rules do natively.

use rextio_numpy_component::Numpy;
use rextio_plugin_kit::Plugin as Rules;
use rextio_tests::{Decision, Forgery, read};
use rextio_torch_component::Torch;
use rextio_wasm_host::{Error, NoContext, Options, Plugin};

fn component(name: &str) -> Plugin {
    let component = xtask::component::build(name).expect("the component builds");
    Plugin::load(&component, &Options::default()).expect("the component loads")
}

fn imports_nothing(name: &str) {
    let path = xtask::component::build(name).expect("the component builds");
    let bytes = std::fs::read(path).expect("the component is readable");
    assert_eq!(
        xtask::component::imports(&bytes).expect("it is a component"),
        Vec::<String>::new()
    );
}

fn describes_itself_alike<R: Rules>(name: &str) {
    let component = component(name);
    assert_eq!(*component.description(), R::describe());
    let rules = component.rules(Box::new(NoContext)).expect("it has rules");
    assert_eq!(rules, R::rules());
}

fn claims_alike<R: Rules>(name: &str) {
    let component = component(name);
    for (index, decision) in read::<Decision>(&format!("{name}-claims.jsonl.gz"))
        .into_iter()
        .enumerate()
    {
        let native = R::claim(&decision.site);
        let answer = component.claim(decision.site, Box::new(NoContext));
        assert_eq!(answer.expect("it answers"), native, "line {}", index + 1);
    }
}

fn lowers_and_refuses_alike<R: Rules>(name: &str) {
    let component = component(name);
    for (index, forgery) in read::<Forgery>(&format!("{name}-forgeries.jsonl.gz"))
        .into_iter()
        .enumerate()
    {
        let native = R::lower(&forgery.site, &forgery.ctx);
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

macro_rules! components {
    ($($name:ident: $rules:ty),*) => {
        $(mod $name {
            use super::*;

            const NAME: &str = stringify!($name);

            #[test]
            fn it_imports_nothing() {
                imports_nothing(NAME);
            }

            #[test]
            fn it_describes_itself_alike() {
                describes_itself_alike::<$rules>(NAME);
            }

            #[test]
            fn it_claims_alike() {
                claims_alike::<$rules>(NAME);
            }

            #[test]
            fn it_lowers_and_refuses_alike() {
                lowers_and_refuses_alike::<$rules>(NAME);
            }
        })*
    };
}

components! { numpy: Numpy, torch: Torch }
