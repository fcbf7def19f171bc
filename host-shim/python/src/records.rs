//! Reading core's dataclasses, whatever version of core brings them.

use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

/// Why a value of core cannot be handed to a plugin.
pub(crate) enum Unreadable {
    /// It says something the interface has no word for.
    Unknown(String),
    /// It is larger than the interface allows. What, and what to do about it.
    Beyond(&'static str, &'static str),
    /// Python raised.
    Raised(PyErr),
}

impl From<PyErr> for Unreadable {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// How one class of core lays out a record.
pub(crate) struct Shape {
    class: Py<PyType>,
    /// The names to read, in the record's order; `None` where this core has
    /// no such field.
    names: Vec<Option<Py<PyString>>>,
    /// Fields that the interface does not know, with their defaults.
    unknown: Vec<(Py<PyString>, Option<Py<PyAny>>)>,
}

/// The shapes of one record, found once a class. Core has one class a record;
/// the list is for subclasses.
pub(crate) struct Shapes {
    first: OnceLock<&'static Shape>,
    others: Mutex<Vec<&'static Shape>>,
}

impl Shapes {
    pub(crate) const fn new() -> Self {
        Self {
            first: OnceLock::new(),
            others: Mutex::new(Vec::new()),
        }
    }

    /// The shape of an object's class. Refuses an object that has a value in a
    /// field the interface does not know.
    pub(crate) fn of(
        &self,
        object: &Bound<'_, PyAny>,
        record: &str,
        fields: &[&str],
        ignored: &[&str],
    ) -> Result<&'static Shape, Unreadable> {
        let class = object.get_type_ptr().cast::<pyo3::ffi::PyObject>();
        let shape = match self.first.get() {
            Some(shape) if shape.class.as_ptr() == class => shape,
            _ => self.find(object, fields, ignored)?,
        };
        for (name, default) in &shape.unknown {
            let py = object.py();
            let value = object.getattr(name.bind(py))?;
            let usual = match default {
                Some(default) => value.is(default) || value.eq(default)?,
                None => false,
            };
            if !usual {
                let record = record.trim_end_matches("Record");
                return Err(Unreadable::Unknown(format!(
                    "the field {record}.{}",
                    name.bind(py)
                )));
            }
        }
        Ok(shape)
    }

    fn find(
        &self,
        object: &Bound<'_, PyAny>,
        fields: &[&str],
        ignored: &[&str],
    ) -> Result<&'static Shape, Unreadable> {
        let class = object.get_type();
        let known = |shape: &&&Shape| shape.class.as_ptr() == class.as_ptr();
        let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = others().iter().find(known) {
            return Ok(shape);
        }
        // Lives as long as the process, like core's classes.
        let shape: &'static Shape = Box::leak(Box::new(Shape::of(&class, fields, ignored)?));
        if self.first.set(shape).is_err() {
            others().push(shape);
        }
        Ok(shape)
    }
}

impl Shape {
    fn of(class: &Bound<'_, PyType>, fields: &[&str], ignored: &[&str]) -> PyResult<Self> {
        let py = class.py();
        let declared = class.getattr("__dataclass_fields__").map_err(|_| {
            PyTypeError::new_err(format!(
                "rextio-wasm expects one of rextio's records, not {class}"
            ))
        })?;
        let declared = declared.cast_into::<PyDict>()?;
        let names = fields
            .iter()
            .map(|name| {
                Ok(declared
                    .contains(name)?
                    .then(|| PyString::intern(py, name).unbind()))
            })
            .collect::<PyResult<_>>()?;
        let missing = py.import("dataclasses")?.getattr("MISSING")?;
        let mut unknown = Vec::new();
        for (name, field) in declared {
            let name = name.cast_into::<PyString>()?;
            let text = name.to_str()?;
            // Pseudo-fields such as ClassVar are in the same dictionary.
            let is_field = field
                .getattr("_field_type")?
                .getattr("name")?
                .eq("_FIELD")?;
            if fields.contains(&text) || ignored.contains(&text) || !is_field {
                continue;
            }
            let default = field.getattr("default")?;
            let factory = field.getattr("default_factory")?;
            let default = match (default.is(&missing), factory.is(&missing)) {
                (false, _) => Some(default.unbind()),
                (true, false) => Some(factory.call0()?.unbind()),
                (true, true) => None,
            };
            unknown.push((name.unbind(), default));
        }
        Ok(Self {
            class: class.clone().unbind(),
            names,
            unknown,
        })
    }

    pub(crate) fn value<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        index: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.names[index] {
            Some(name) => object.getattr(name.bind(object.py())).map(Some),
            None => Ok(None),
        }
    }
}

/// Declares a record of core: the fields that may be read, each when it is
/// asked for, and those that a plugin does not get.
macro_rules! record {
    ($name:ident { $($field:ident),* $(,)? } ignoring { $($ignored:ident),* }) => {
        struct $name<'a, 'py> {
            object: &'a Bound<'py, PyAny>,
            shape: &'static $crate::records::Shape,
        }

        impl<'a, 'py> $name<'a, 'py> {
            fn read(object: &'a Bound<'py, PyAny>) -> Result<Self, $crate::records::Unreadable> {
                static SHAPES: $crate::records::Shapes = $crate::records::Shapes::new();
                let fields = &[$(stringify!($field)),*];
                let ignored = &[$(stringify!($ignored)),*];
                let shape = SHAPES.of(object, stringify!($name), fields, ignored)?;
                Ok(Self { object, shape })
            }

            $crate::records::record!(@fields 0_usize; $($field),*);
        }
    };
    (@fields $index:expr; $field:ident $(, $rest:ident)*) => {
        fn $field(&self) -> Result<Option<Bound<'py, PyAny>>, $crate::records::Unreadable> {
            Ok(self.shape.value(self.object, $index)?)
        }

        $crate::records::record!(@fields $index + 1; $($rest),*);
    };
    (@fields $index:expr;) => {};
}
pub(crate) use record;
