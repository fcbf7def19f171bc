//! The engine, and one instance of a component in it.

use std::sync::OnceLock;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, ResourceLimiter, Store, Trap, WasmCoreDump};

use crate::bindings::{Plugin as World, PluginPre, rextio};
use crate::context::{Asked, Context, ContextError, Refusal};
use crate::{Failure, Limits, NoContext, Operation, panic_record};

/// Native stack that WebAssembly may use. Half of the smallest stack a Python
/// thread has by default; a guest's own stack lies in its memory.
pub(crate) const STACK_BYTES: usize = 512 << 10;

/// Instances, memories and tables one component may consist of. A component is
/// one module beside a few small adapters.
const PARTS: usize = 32;

/// The process's engine. Every setting here makes a guest's result a function
/// of its input alone.
pub(crate) fn engine() -> wasmtime::Result<&'static Engine> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .coredump_on_trap(true)
        .cranelift_nan_canonicalization(true)
        // Tables for debuggers and byte offsets in backtraces: a third of the
        // compiled code to read and check, and nobody looks at them.
        .generate_address_map(false)
        .native_unwind_info(cfg!(windows))
        // A memory image pays off from the second instance on; most processes
        // make one.
        .memory_init_cow(false)
        .max_wasm_stack(STACK_BYTES)
        .wasm_relaxed_simd(false);
    let engine = Engine::new(&config)?;
    Ok(ENGINE.get_or_init(|| engine))
}

/// Links a component to what the host offers.
pub(crate) fn link(component: &Component) -> wasmtime::Result<PluginPre<State>> {
    let mut linker = Linker::new(component.engine());
    rextio::plugin::context::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    PluginPre::new(linker.instantiate_pre(component)?)
}

/// What an instance's store holds.
pub(crate) struct State {
    limits: Limits,
    operation: Operation,
    context: Box<dyn Context>,
    asked: Option<Vec<Asked>>,
    /// Bytes of all the instance's memories together.
    memory: usize,
    exceeded: Option<Failure>,
}

impl ResourceLimiter for State {
    fn memory_growing(
        &mut self,
        current: usize,
        wanted: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let limit = self.limits.memory_bytes;
        let wanted = self.memory.saturating_add(wanted.saturating_sub(current));
        if self.within(wanted <= limit, Failure::Memory { wanted, limit })? {
            self.memory = wanted;
        }
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        wanted: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let limit = self.limits.table_elements;
        self.within(wanted <= limit, Failure::Table { wanted, limit })
    }

    fn instances(&self) -> usize {
        PARTS
    }

    fn tables(&self) -> usize {
        PARTS
    }

    fn memories(&self) -> usize {
        PARTS
    }
}

impl State {
    /// A growth beyond the limit traps at once: a guest told "no" would abort
    /// a moment later without saying why.
    fn within(&mut self, allowed: bool, failure: Failure) -> wasmtime::Result<bool> {
        if allowed {
            return Ok(true);
        }
        let text = failure.to_string();
        self.exceeded = Some(failure);
        Err(wasmtime::Error::msg(text))
    }

    fn note(&mut self, asked: Asked) {
        if let Some(log) = &mut self.asked {
            log.push(asked);
        }
    }
}

impl rextio::plugin::context::Host for State {
    fn config(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        let answer = match self.operation {
            Operation::Rules | Operation::Claim => self.context.config(&key).map_err(refuse)?,
            _ => None,
        };
        self.note(Asked::Config {
            key,
            answer: answer.clone(),
        });
        Ok(answer)
    }

    fn fresh_name(&mut self, prefix: String) -> wasmtime::Result<String> {
        if self.operation != Operation::Lower {
            let text = format!(
                "it asked for a fresh name {prefix:?} outside `lower`, where there are none. \
                 Report it to the plugin's author"
            );
            return Err(refuse(text.into()));
        }
        let answer = self.context.fresh_name(&prefix).map_err(refuse)?;
        self.note(Asked::FreshName {
            prefix,
            answer: answer.clone(),
        });
        Ok(answer)
    }
}

fn refuse(error: ContextError) -> wasmtime::Error {
    wasmtime::Error::new(Refusal(error))
}

/// Why a call ended early.
pub(crate) enum Stop {
    /// The guest failed.
    Failed(Failure),
    /// The host had no answer for it.
    Refused(ContextError),
}

/// A component's live instance.
pub(crate) struct Guest {
    store: Store<State>,
    world: World,
}

impl Guest {
    /// Makes an instance.
    pub(crate) fn new(component: &PluginPre<State>, limits: Limits) -> Result<Self, Stop> {
        let state = State {
            limits,
            operation: Operation::Instantiate,
            context: Box::new(NoContext),
            asked: None,
            memory: 0,
            exceeded: None,
        };
        let mut store = Store::new(component.engine(), state);
        store.limiter(|state| state);
        store.set_hostcall_fuel(limits.answer_bytes);
        let made = store
            .set_fuel(limits.fuel)
            .and_then(|()| component.instantiate(&mut store));
        match made {
            Ok(world) => Ok(Self { store, world }),
            Err(error) => Err(stop(&mut store, error)),
        }
    }

    /// Makes one call. After an error the guest must not be used again: a trap
    /// leaves its whole store unusable.
    pub(crate) fn call<T>(
        &mut self,
        operation: Operation,
        context: Box<dyn Context>,
        log: bool,
        call: impl FnOnce(&World, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<(T, Vec<Asked>), Stop> {
        let state = self.store.data_mut();
        state.operation = operation;
        state.context = context;
        state.asked = log.then(Vec::new);
        let fuel = state.limits.fuel;
        let answer = self
            .store
            .set_fuel(fuel)
            .and_then(|()| call(&self.world, &mut self.store));
        let state = self.store.data_mut();
        state.context = Box::new(NoContext);
        let asked = state.asked.take().unwrap_or_default();
        match answer {
            Ok(answer) => Ok((answer, asked)),
            Err(error) => Err(stop(&mut self.store, error)),
        }
    }
}

fn stop(store: &mut Store<State>, error: wasmtime::Error) -> Stop {
    let error = match error.downcast::<Refusal>() {
        Ok(Refusal(source)) => return Stop::Refused(source),
        Err(error) => error,
    };
    let limits = store.data().limits;
    if let Some(failure) = store.data_mut().exceeded.take() {
        return Stop::Failed(failure);
    }
    let trap = error.downcast_ref::<Trap>().copied();
    match trap {
        Some(Trap::OutOfFuel) => return Stop::Failed(Failure::Fuel(limits.fuel)),
        Some(Trap::StackOverflow) => return Stop::Failed(Failure::Stack(STACK_BYTES)),
        _ => {}
    }
    let panic = error.downcast_ref::<WasmCoreDump>().and_then(|dump| {
        dump.memories()
            .iter()
            .find_map(|memory| panic_record::find(memory.data(&*store)))
    });
    if let Some(text) = panic {
        return Stop::Failed(Failure::Panic(text));
    }
    Stop::Failed(match trap {
        Some(Trap::MemoryOutOfBounds) => Failure::Trap(
            "out of bounds memory access, as when a guest's own stack overflows".to_owned(),
        ),
        Some(trap) => Failure::Trap(trap.to_string()),
        None => {
            let text = error.root_cause().to_string();
            // wasmtime keeps the type of this error to itself.
            if text.contains("fuel allocated for hostcalls") {
                Failure::Answer(limits.answer_bytes)
            } else {
                Failure::Trap(text)
            }
        }
    })
}
