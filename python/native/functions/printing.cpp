/// tf.print.

#include "native/convert/bind.h"

#include <flowray/tf/debugging.h>

#include <fmt/format.h>

namespace flowray::python {

namespace {

/// The op's word for what Python prints to.
std::string as_stream(nb::handle stream) {
  if (stream.is_none() || stream.is(nb::handle(PySys_GetObject("stderr")))) return "stderr";
  if (stream.is(nb::handle(PySys_GetObject("stdout")))) return "stdout";
  if (PyUnicode_Check(stream.ptr()) != 0) return bytes_of(stream);
  throw ValueError(
      fmt::format("Unsupported output stream, logging level, or file {}", nb::str(stream).c_str()));
}

/// Tensors stay tensors, all else is the text that Python has for it.
tf::Input as_printed(nb::handle item) {
  const bool is_tensor = nb::isinstance<tf::Tensor>(item) || nb::isinstance<tf::Variable>(item);
  return is_tensor ? as_input(item) : tf::Input(std::string(nb::str(item).c_str()), {});
}

nb::object print(const nb::args& inputs, const nb::kwargs& named) {
  tf::PrintOptions options;
  for (const auto& [key, value] : named) {
    const std::string word = bytes_of(key);
    if (word == "output_stream") {
      options.output_stream = as_stream(value);
    } else if (word == "summarize") {
      if (!value.is_none()) options.summarize = as_int(value);
    } else if (word == "sep") {
      options.sep = as_text(value);
    } else if (word == "end") {
      options.end = value.is_none() ? "\n" : as_text(value);
    } else if (word == "name") {
      options.name = as_text(value);
    } else {
      throw ValueError(fmt::format("Unrecognized keyword arguments for tf.print: {}", word));
    }
  }
  std::vector<tf::Input> items;
  for (nb::handle item : inputs) items.push_back(as_printed(item));
  return give(tf::print(items, options));
}

}  // namespace

void bind_printing(nb::module_& m) { m.def("print", &print, docstring_of("print")); }

}  // namespace flowray::python
