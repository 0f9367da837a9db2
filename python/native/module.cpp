/// The module flowray._native: C++'s side of the Python door. It has no logic of its own: arguments are
/// converted, the language does the rest.

#include "native/convert/convert.h"

namespace flowray::python {
void bind_arrays(nb::module_& m);
void bind_dtypes(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_tensors(nb::module_& m);
void bind_scopes(nb::module_& m);
void bind_device_functions(nb::module_& train);
void bind_control_flow(nb::module_& m);
void bind_session(nb::module_& m);
void bind_variables(nb::module_& m);
void bind_math(nb::module_& m);
void bind_array(nb::module_& m);
void bind_selecting(nb::module_& m);
void bind_checks(nb::module_& m);
void bind_image(nb::module_& image);
void bind_text(nb::module_& m, nb::module_& signal);
void bind_statistics(nb::module_& m, nb::module_& math);
void bind_linear_algebra(nb::module_& m, nb::module_& linalg);
void bind_nn(nb::module_& m);
void bind_more_convolutions(nb::module_& nn);
void bind_nn_elements(nb::module_& nn);
void bind_train(nb::module_& m);
void bind_optimizers(nb::module_& train);
void bind_learning_rates(nb::module_& train);
void bind_layers(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_ops(nb::module_& m);
void bind_summary(nb::module_& summary);
void bind_saver(nb::module_& train);
void bind_supervisor(nb::module_& train);
void bind_server(nb::module_& train);
void bind_mnist(nb::module_& m);
void bind_queues(nb::module_& m);
void bind_graph_def(nb::module_& m);
void bind_end_of_interpreter(nb::module_& m);
void bind_indexed_slices(nb::module_& m);
void bind_tensor_arrays(nb::module_& m);
void bind_rnn(nb::module_& m);
void bind_input_pipelines(nb::module_& train);
void bind_python_functions(nb::module_& m);
void bind_function_words(nb::module_& m);
void bind_files(nb::module_& m);
void bind_contrib_layers(nb::module_& m);
void bind_known_values(nb::module_& m);
void bind_functions_by_arguments(nb::module_& m, nb::module_& nn);
}  // namespace flowray::python

NB_MODULE(_native, m) {
  using namespace flowray::python;
  nb::set_leak_warnings(false);  // what the process keeps until its end is no leak to a user
  bind_end_of_interpreter(m);
  bind_errors(m);
  bind_dtypes(m);
  bind_arrays(m);
  bind_graph(m);
  bind_tensors(m);
  bind_scopes(m);
  bind_control_flow(m);
  bind_variables(m);
  bind_session(m);
  bind_math(m);
  bind_array(m);
  nb::module_ math = m.def_submodule("math");
  nb::module_ linalg = m.def_submodule("linalg");
  bind_selecting(m);
  bind_checks(m);
  bind_statistics(m, math);
  bind_linear_algebra(m, linalg);
  nb::module_ image = m.def_submodule("image");
  bind_image(image);
  nb::module_ signal = m.def_submodule("signal");
  bind_text(m, signal);
  nb::module_ nn = m.def_submodule("nn");
  bind_nn(nn);
  bind_more_convolutions(nn);
  bind_nn_elements(nn);
  nb::module_ train = m.def_submodule("train");
  bind_train(train);
  bind_optimizers(train);
  bind_learning_rates(train);
  bind_device_functions(train);
  bind_layers(m);
  bind_losses(m);
  bind_metrics(m);
  nb::module_ summary = m.def_submodule("summary");
  bind_summary(summary);
  bind_saver(train);
  bind_supervisor(train);
  bind_server(train);
  bind_ops(m);
  bind_mnist(m);
  bind_queues(m);
  bind_graph_def(m);
  bind_indexed_slices(m);
  bind_tensor_arrays(m);
  bind_rnn(nn);
  bind_input_pipelines(train);
  bind_python_functions(m);
  bind_function_words(m);
  bind_files(m);
  bind_contrib_layers(m);
  bind_functions_by_arguments(m, nn);
  bind_known_values(m);
}
