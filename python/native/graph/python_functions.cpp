/// Functions of the program that steps call: tf.py_func.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"

#include "ops/flow/program_function.h"
#include "tf/build/function_graph.h"

#include <nanobind/stl/string.h>

namespace flowray::python {
namespace {

/// Runs in whatever thread runs the step, which holds no lock of the interpreter.
std::vector<Array> call_python(const std::string& token, const std::vector<Array>& inputs) {
  if (interpreter_ends_without_us()) throw errors::CancelledError("the Python interpreter has ended");
  const RetakenLock lock;
  try {
    nb::list arguments;
    for (const Array& input : inputs) arguments.append(give_array(input));
    const nb::object call = python_object("flowray.tf._python_functions", "call");
    const nb::object result = call(token, arguments);
    const nb::object code = result[0];
    if (!code.is_none()) errors::throw_error(static_cast<Code>(as_int(code)), as_text(nb::object(result[1])));
    std::vector<Array> outputs;
    for (nb::handle output : nb::object(result[1])) outputs.push_back(as_array(output));
    return outputs;
  } catch (const nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();  // for the main thread, once this step has ended
      throw errors::CancelledError("KeyboardInterrupt");
    }
    throw errors::UnknownError(error.what());
  }
}

}  // namespace

void bind_python_functions(nb::module_& m) {
  m.def("_call_python_functions", [] { ops::set_python_function_caller(&call_python); });
  // The graph that keeps what nodes call, in a function that is being built, too.
  m.def("_program_graph", [] { return give(tf::Graph(&tf::FunctionGraph::program_graph())); });
}

}  // namespace flowray::python
