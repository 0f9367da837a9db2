/// What Python says of arguments that a function does not have or lacks, where nanobind has words of its own.

#include "native/convert/convert.h"

#include <nanobind/stl/string.h>

#include <structmember.h>

#include <cstddef>
#include <string>

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

PyObject* call(PyObject* self, PyObject* const* arguments, size_t number, PyObject* names) {
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

void bind_function_words(nb::module_& m) { m.def("_with_python_words", &with_python_words, "function"_a); }

}  // namespace flowray::python
