/// What is known while a graph is built: values of tensors, seeds, and which objects become tensors.

#include "native/convert/convert.h"
#include "native/convert/own_conversions.h"

#include <flowray/tf/array.h>

#include "tf/build/apply_op.h"
#include "tf/build/random_seed.h"

namespace flowray::python {
namespace {

/// The process keeps it: arguments are converted until the interpreter's end.
nb::handle own_conversion;  // NOLINT

nb::object static_value(nb::handle tensor) {
  const tf::Input input = as_input(tensor);
  if (input.tensor() == nullptr) return nb::borrow(tensor);
  std::optional<Array> value = tf::get_static_value(*input.tensor());
  return value ? nb::object(python_object("numpy", "asarray")(give_array(std::move(*value)))) : nb::none();
}

/// tf.get_seed: the two seeds that a random op made now would get.
nb::tuple seeds(nb::handle op_seed) {
  graph::Graph& graph = tf::default_graph();
  if (op_seed.is_none() && graph.seed() < 0) return nb::make_tuple(nb::none(), nb::none());
  const tf::Seeds seeds = tf::seeds_of(graph, as_optional_int(op_seed));
  return nb::make_tuple(seeds.seed, seeds.seed2);
}

}  // namespace

void set_own_conversion(nb::object function) { own_conversion = function.release(); }

nb::object own_conversion_of(nb::handle object) {
  if (!own_conversion.is_valid()) return {};
  nb::object tensor = own_conversion(object);
  return tensor.is_none() ? nb::object() : tensor;
}

void bind_known_values(nb::module_& m) {
  m.def("_static_value", &static_value, "tensor"_a);
  m.def("_get_seed", &seeds, nb::arg("op_seed").none());
  m.def("_set_conversion", [](nb::object function) {
    if (!nb::isinstance<nb::callable>(function)) throw TypeError("The conversion must be callable");
    set_own_conversion(std::move(function));
  });
}

}  // namespace flowray::python
