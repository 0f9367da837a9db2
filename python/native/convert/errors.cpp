/// From the language's errors to Python's exceptions, and from Python's lines to the nodes they make.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"

#include "graph/graph.h"
#include "tf/build/apply_op.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string>
#include <unordered_map>

namespace flowray::python {
namespace {

constexpr std::string_view kMadeAt = "\nThe node was made at ";
constexpr std::string_view kDefinedAt = "Originally defined at:\n\n  ";

/// A file's name as the nodes keep it, and whether it is one of this package.
struct File {
  const char* name;
  bool ours;
};

/// `name` is the co_filename of some code; files are few, and names are kept for good. Under the GIL.
const File& file_of(PyObject* name) {
  static auto* known = new std::unordered_map<PyObject*, File>();
  static auto* names = new std::set<std::string>();
  const auto found = known->find(name);
  if (found != known->end()) return found->second;
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (text == nullptr) PyErr_Clear();
  const std::string& kept = *names->insert(text == nullptr ? "?" : text).first;
  static auto* package = new std::string(as_text(python_object("flowray", "_package_folder")));
  const bool ours = kept.starts_with(*package) || kept.starts_with("<frozen ");
  Py_INCREF(name);
  return known->emplace(name, File{kept.c_str(), ours}).first->second;
}

PyObject* attribute(PyObject* object, const char* name) {
  PyObject* const value = PyObject_GetAttrString(object, name);
  if (value == nullptr) PyErr_Clear();
  return value;
}

const char* exception_name(const std::exception& error) {
  if (dynamic_cast<const ValueError*>(&error) != nullptr) return "ValueError";
  if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
  if (dynamic_cast<const KeyError*>(&error) != nullptr) return "KeyError";
  if (dynamic_cast<const IndexError*>(&error) != nullptr) return "IndexError";
  if (dynamic_cast<const AssertionError*>(&error) != nullptr) return "AssertionError";
  return "RuntimeError";
}

/// The line behind `text` as Python's tracebacks show one; other text as it is.
std::string python_form(std::string_view file_and_line) {
  const size_t colon = file_and_line.rfind(':');
  int line = 0;
  const char* const end = file_and_line.data() + file_and_line.size();
  const char* const digits = colon == std::string_view::npos ? end : file_and_line.data() + colon + 1;
  if (const auto read = std::from_chars(digits, end, line); read.ec != std::errc() || read.ptr != end)
    return "  " + std::string(file_and_line);
  const std::string file(file_and_line.substr(0, colon));
  std::string text = fmt::format("  File \"{}\", line {}", file, line);
  const nb::object code = python_object("linecache", "getline")(file, line);
  const std::string source = as_text(code.attr("strip")());
  if (!source.empty()) text += "\n    " + source;
  return text;
}

}  // namespace

graph::SourceLine python_line() {
  if (lock_is_released() || PyGILState_GetThisThreadState() == nullptr) return {};
  PyObject* frame = reinterpret_cast<PyObject*>(PyEval_GetFrame());  // borrowed
  Py_XINCREF(frame);
  graph::SourceLine line;
  while (frame != nullptr && frame != Py_None) {
    auto* const as_frame = reinterpret_cast<PyFrameObject*>(frame);
    PyObject* const code = reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame));
    PyObject* const name = attribute(code, "co_filename");
    Py_DECREF(code);
    const File file = name == nullptr ? File{"?", false} : file_of(name);
    Py_XDECREF(name);
    if (!file.ours) {
      line = {file.name, static_cast<uint32_t>(PyFrame_GetLineNumber(as_frame))};
      break;
    }
    PyObject* const back = attribute(frame, "f_back");
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return line;
}

std::string with_origin(const std::string& message) {
  const size_t made = message.rfind(kMadeAt);
  if (made != std::string::npos && message.ends_with('.')) {
    const size_t begin = made + kMadeAt.size();
    return message.substr(0, made) + "\n\nOriginally defined at:\n" +
           python_form(std::string_view(message).substr(begin, message.size() - begin - 1));
  }
  const size_t defined = message.rfind(kDefinedAt);
  if (defined != std::string::npos) {
    const size_t begin = defined + kDefinedAt.size();
    return message.substr(0, begin - 2) + python_form(std::string_view(message).substr(begin));
  }
  return message;
}

void raise_op_error(const errors::OpError& error, const tf::Graph* graph) {
  // Ctrl-C in a step is KeyboardInterrupt however the step ended.
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  nb::object op = nb::none();
  if (graph != nullptr && !error.node_name().empty()) {
    if (graph::Node* node = graph->get()->find(error.node_name())) op = give(tf::Operation(node));
  }
  const nb::object node_def = op.is_none() ? nb::object(nb::none()) : nb::object(op.attr("node_def"));
  const nb::object type =
      python_object("flowray.tf.errors", "exception_type_from_error_code")(static_cast<int>(error.code()));
  const nb::object raised = type(node_def, op, str_of(with_origin(error.message())));
  PyErr_SetObject(type.ptr(), raised.ptr());
  nb::raise_python_error();
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const errors::OpError& error) {
      try {
        raise_op_error(error, nullptr);
      } catch (nb::python_error& raised) {
        raised.restore();
      }
    } catch (const Error& error) {
      std::string text;
      try {
        text = with_origin(error.message());
      } catch (...) {
        text = error.message();
      }
      const nb::object type = nb::module_::import_("builtins").attr(exception_name(error));
      PyErr_SetObject(type.ptr(), str_of(text).ptr());
    }
  });
  tf::set_line_source(&python_line);
}

}  // namespace flowray::python
