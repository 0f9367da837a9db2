/// What Python says of arguments that a function does not have or lacks, where nanobind has words of its own.

#include "native/convert/convert.h"

#include <nanobind/stl/string.h>

#include <structmember.h>

#include <cstddef>
#include <string>
#include <vector>

namespace flowray::python {
namespace {

/// A function of this module, called through: the same with other words for wrong arguments.
struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
};

PyObject* function_of(PyObject* self) { return reinterpret_cast<Function*>(self)->function; }

/// The raised TypeError with Python's words, if it is nanobind's about the arguments.
void reword(PyObject* function, size_t num_positional, PyObject* names) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  nb::object words = nb::none();
  if (value != nullptr && PyErr_GivenExceptionMatches(type, PyExc_TypeError) != 0) {
    const nb::object text = nb::steal(PyObject_Str(value));
    const std::string said = text.is_valid() ? bytes_of(text) : std::string();
    if (said.find("incompatible function arguments") != std::string::npos) {
      const nb::object given = names == nullptr ? nb::object(nb::tuple()) : nb::borrow(names);
      words =
          python_object("flowray.tf._argument_words", "words")(nb::handle(function), num_positional, given);
    }
  }
  if (words.is_none()) {
    PyErr_Restore(type, value, trace);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_SetObject(PyExc_TypeError, words.ptr());
}

/// Classes of Python's whose objects functions take by another way: sparse and ragged tensors.
std::vector<PyObject*>& other_classes() {
  static std::vector<PyObject*> classes;
  return classes;
}
PyObject* other_way = nullptr;

bool is_of_other_class(PyObject* argument) {
  for (PyObject* const other : other_classes())
    if (reinterpret_cast<PyObject*>(Py_TYPE(argument)) == other) return true;
  return false;
}

/// Whether one of the arguments is such an object, or a list that begins with one.
bool goes_another_way(PyObject* const* arguments, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (is_of_other_class(arguments[i])) return true;
    PyObject* first = nullptr;
    if (PyList_CheckExact(arguments[i]) && PyList_Size(arguments[i]) > 0)
      first = PyList_GetItem(arguments[i], 0);
    if (PyTuple_CheckExact(arguments[i]) && PyTuple_Size(arguments[i]) > 0)
      first = PyTuple_GetItem(arguments[i], 0);
    if (first != nullptr && is_of_other_class(first)) return true;
  }
  return false;
}

/// What the other way gives; null with an error set, or NotImplemented where there is none for the function.
PyObject* called_another_way(PyObject* function, PyObject* const* arguments, size_t number, PyObject* names) {
  try {
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(number));
    nb::list positional;
    for (size_t i = 0; i < count; ++i) positional.append(nb::handle(arguments[i]));
    nb::dict named;
    if (names != nullptr) {
      size_t i = count;
      for (nb::handle name : nb::borrow<nb::tuple>(names)) named[name] = nb::handle(arguments[i++]);
    }
    return nb::handle(other_way)(nb::handle(function), nb::tuple(positional), named).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* call(PyObject* self, PyObject* const* arguments, size_t number, PyObject* names) {
  const size_t num_names = names == nullptr ? 0 : static_cast<size_t>(PyTuple_Size(names));
  if (goes_another_way(arguments, static_cast<size_t>(PyVectorcall_NARGS(number)) + num_names)) {
    PyObject* const other = called_another_way(function_of(self), arguments, number, names);
    if (other != Py_NotImplemented) return other;
    Py_DECREF(other);
  }
  PyObject* const result = PyObject_Vectorcall(function_of(self), arguments, number, names);
  if (result != nullptr) return result;
  try {
    reword(function_of(self), static_cast<size_t>(PyVectorcall_NARGS(number)), names);
  } catch (nb::python_error& error) {
    error.restore();
  }
  return nullptr;
}

PyObject* attribute(PyObject* self, PyObject* name) {
  for (const char* const own : {"__signature__", "__reduce__", "__reduce_ex__"}) {
    if (PyUnicode_CompareWithASCIIString(name, own) == 0) return PyObject_GenericGetAttr(self, name);
  }
  return PyObject_GetAttr(function_of(self), name);
}
/// For pickle and copy: what finds it again by its name.
PyObject* reduce(PyObject* self, PyObject*) {
  try {
    const nb::handle function(function_of(self));
    const nb::object find = python_object("flowray.tf", "_function_of_native");
    return nb::make_tuple(find, nb::make_tuple(nb::object(function.attr("__module__")),
                                               nb::object(function.attr("__name__"))))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}
/// A function that stays itself as an attribute of a class: what has this, help() takes for a routine.
PyObject* unbound(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }
PyObject* text(PyObject* self) { return PyObject_Repr(function_of(self)); }

PyObject* documentation(PyObject* self, void*) {
  return PyObject_GetAttrString(function_of(self), "__doc__");
}
/// An inspect.Signature, for help() and editors.
PyObject* signature(PyObject* self, void*) {
  try {
    return python_object("flowray.tf._argument_words", "signature")(nb::handle(function_of(self)))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_XDECREF(function_of(self));
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* make_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef properties[] = {{"__doc__", &documentation, nullptr, nullptr, nullptr},
                                     {"__signature__", &signature, nullptr, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", &reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_members, members},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                                {Py_tp_getattro, reinterpret_cast<void*>(&attribute)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(&unbound)},
                                {Py_tp_repr, reinterpret_cast<void*>(&text)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                                {0, nullptr}};
  static PyType_Spec spec = {"flowray._native.Function", sizeof(Function), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) nb::raise_python_error();
  return type;
}

nb::object with_python_words(nb::handle function) {
  static PyObject* const type = make_type();
  auto* const made = PyObject_New(Function, reinterpret_cast<PyTypeObject*>(type));
  if (made == nullptr) nb::raise_python_error();
  made->vectorcall = &call;
  made->function = Py_NewRef(function.ptr());
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void bind_function_words(nb::module_& m) {
  m.def("_with_python_words", &with_python_words, "function"_a);
  m.def(
      "_set_other_way",
      [](const nb::tuple& classes, nb::handle way) {
        for (nb::handle type : classes) other_classes().push_back(Py_NewRef(type.ptr()));
        other_way = Py_NewRef(way.ptr());
      },
      "classes"_a, "way"_a);
}

}  // namespace flowray::python
