/// tf.nn.rnn_cell, and what runs cells over time. States are flat lists here; flowray/tf/_rnn.py gives them
/// their structure.

#include "native/convert/convert.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/rnn.h>

#include <nanobind/stl/shared_ptr.h>

namespace flowray::python {
namespace {

namespace nn = tf::nn;

constexpr auto kNone = [](const char* name) { return nb::arg(name).none() = nb::none(); };

nb::tuple give(const nn::CellResult& result) {
  return nb::make_tuple(python::give(result.output), python::give(result.state));
}

/// A cell that the program wrote: an object that is called with inputs and state.
class PythonCell : public nn::RNNCell {
 public:
  PythonCell(nb::handle cell, const std::string& class_name) : RNNCell(class_name), cell_(nb::borrow(cell)) {}

  nn::CellResult operator()(const tf::Tensor& inputs, const nn::State& state) override {
    const nb::object result = cell_.attr("_step")(python::give(inputs), python::give(state));
    return {tf::convert_to_tensor(as_input(nb::object(result[0]))), as_tensors(nb::object(result[1]))};
  }
  std::vector<int64_t> state_size() const override { return as_ints(nb::object(cell_.attr("_sizes")())); }
  int64_t output_size() const override { return as_int(nb::object(cell_.attr("_output_size")())); }
  nn::State zero_state(const tf::Input& batch_size, DType dtype) override {
    const nb::object given = batch_size.tensor() != nullptr
                                 ? python::give(*batch_size.tensor())
                                 : nb::object(nb::int_(batch_size.literal()->to_array().item<int32_t>()));
    const nb::object zeros = cell_.attr("_zeros")(given, dtype_object(dtype));
    if (zeros.is_none()) return RNNCell::zero_state(batch_size, dtype);
    return as_tensors(zeros);
  }

 private:
  nb::object cell_;
};

nn::CellPointer as_cell(nb::handle object) { return nb::cast<nn::CellPointer>(object); }

std::optional<double> as_optional_float(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return as_float(object);
}

void bind_cells(nb::module_& m) {
  nb::class_<nn::RNNCell>(m, "_Cell")
      .def("step",
           [](nn::RNNCell& self, nb::handle inputs, nb::handle state) {
             return give(self(tf::convert_to_tensor(as_input(inputs)), as_tensors(state)));
           })
      .def("sizes",
           [](const nn::RNNCell& self) {
             nb::list sizes;
             for (const int64_t size : self.state_size()) sizes.append(size);
             return sizes;
           })
      .def("output_size", &nn::RNNCell::output_size)
      .def("zeros", [](nn::RNNCell& self, nb::handle batch_size, nb::handle dtype) {
        return python::give(self.zero_state(as_input(batch_size), as_dtype(dtype)));
      });
  m.def("_python_cell", [](nb::handle cell, nb::handle name) -> nn::CellPointer {
    return std::make_shared<PythonCell>(cell, as_text(name));
  });
  m.def(
      "_basic_rnn_cell",
      [](Integer units, nb::handle activation, nb::handle reuse, nb::handle name) -> nn::CellPointer {
        return std::make_shared<nn::BasicRNNCell>(
            units, nn::CellOptions{activation_of(activation), reuse_of(reuse), as_text(name)});
      },
      "num_units"_a, kNone("activation"), kNone("reuse"), kNone("name"));
  m.def(
      "_gru_cell",
      [](Integer units, nb::handle activation, nb::handle reuse, nb::handle kernel_initializer,
         nb::handle bias_initializer, nb::handle name) -> nn::CellPointer {
        return std::make_shared<nn::GRUCell>(
            units, nn::GRUCellOptions{activation_of(activation), reuse_of(reuse),
                                      layer_initializer(kernel_initializer),
                                      layer_initializer(bias_initializer), as_text(name)});
      },
      "num_units"_a, kNone("activation"), kNone("reuse"), kNone("kernel_initializer"),
      kNone("bias_initializer"), kNone("name"));
  m.def(
      "_basic_lstm_cell",
      [](Integer units, Real forget_bias, Flag state_is_tuple, nb::handle activation, nb::handle reuse,
         nb::handle name) -> nn::CellPointer {
        return std::make_shared<nn::BasicLSTMCell>(
            units, nn::BasicLSTMCellOptions{forget_bias, activation_of(activation), reuse_of(reuse),
                                            as_text(name), state_is_tuple});
      },
      "num_units"_a, "forget_bias"_a, "state_is_tuple"_a, kNone("activation"), kNone("reuse"), kNone("name"));
  m.def(
      "_lstm_cell",
      [](Integer units, Flag use_peepholes, nb::handle cell_clip, nb::handle initializer, nb::handle num_proj,
         nb::handle proj_clip, Real forget_bias, Flag state_is_tuple, nb::handle activation, nb::handle reuse,
         nb::handle name) -> nn::CellPointer {
        return std::make_shared<nn::LSTMCell>(
            units, nn::LSTMCellOptions{.use_peepholes = use_peepholes,
                                       .cell_clip = as_optional_float(cell_clip),
                                       .initializer = layer_initializer(initializer),
                                       .num_proj = as_optional_int(num_proj),
                                       .proj_clip = as_optional_float(proj_clip),
                                       .forget_bias = forget_bias,
                                       .activation = activation_of(activation),
                                       .reuse = reuse_of(reuse),
                                       .name = as_text(name),
                                       .state_is_tuple = state_is_tuple});
      },
      "num_units"_a, "use_peepholes"_a, kNone("cell_clip"), kNone("initializer"), kNone("num_proj"),
      kNone("proj_clip"), "forget_bias"_a, "state_is_tuple"_a, kNone("activation"), kNone("reuse"),
      kNone("name"));
  m.def(
      "_multi_rnn_cell",
      [](nb::handle cells, Flag state_is_tuple) -> nn::CellPointer {
        std::vector<nn::CellPointer> all;
        for (nb::handle cell : cells) all.push_back(as_cell(cell));
        return std::make_shared<nn::MultiRNNCell>(std::move(all), state_is_tuple);
      },
      "cells"_a, "state_is_tuple"_a);
  m.def(
      "_dropout_wrapper",
      [](nb::handle cell, nb::handle input_keep_prob, nb::handle output_keep_prob, nb::handle state_keep_prob,
         nb::handle input_seed, nb::handle state_seeds, nb::handle output_seed) -> nn::CellPointer {
        return std::make_shared<nn::DropoutWrapper>(
            as_cell(cell), nn::DropoutWrapperOptions{.input_keep_prob = as_input(input_keep_prob),
                                                     .output_keep_prob = as_input(output_keep_prob),
                                                     .state_keep_prob = as_input(state_keep_prob),
                                                     .input_seed = as_optional_int(input_seed),
                                                     .state_seeds = as_ints(state_seeds),
                                                     .output_seed = as_optional_int(output_seed)});
      },
      "cell"_a, "input_keep_prob"_a, "output_keep_prob"_a, "state_keep_prob"_a, "input_seed"_a,
      "state_seeds"_a, "output_seed"_a);
}

nn::RnnOptions rnn_options(nb::handle sequence_length, nb::handle initial_state, nb::handle dtype,
                           nb::handle parallel_iterations, nb::handle swap_memory, nb::handle time_major,
                           nb::handle scope) {
  nn::RnnOptions options{
      .sequence_length = as_optional_input(sequence_length),
      .parallel_iterations = parallel_iterations.is_none() ? 32 : as_int(parallel_iterations),
      .swap_memory = as_bool(swap_memory),
      .time_major = as_bool(time_major),
      .scope = as_text(scope)};
  if (!initial_state.is_none()) options.initial_state = as_tensors(initial_state);
  if (!dtype.is_none()) options.dtype = as_dtype(dtype);
  return options;
}

void bind_networks(nb::module_& m) {
  m.def(
      "_static_rnn",
      [](nb::handle cell, nb::handle inputs, nb::handle sequence_length, nb::handle initial_state,
         nb::handle dtype, nb::handle scope) {
        const nn::RnnOptions options = rnn_options(sequence_length, initial_state, dtype, nb::none(),
                                                   nb::bool_(false), nb::bool_(false), scope);
        const nn::StaticRnnResult result = nn::static_rnn(*as_cell(cell), as_inputs(inputs), options);
        return nb::make_tuple(python::give(result.outputs), python::give(result.state));
      },
      "cell"_a, "inputs"_a, kNone("sequence_length"), kNone("initial_state"), kNone("dtype"), kNone("scope"));
  m.def(
      "_static_bidirectional_rnn",
      [](nb::handle forward, nb::handle backward, nb::handle inputs, nb::handle sequence_length,
         nb::handle state_forward, nb::handle state_backward, nb::handle dtype, nb::handle scope) {
        const nn::RnnOptions options = rnn_options(sequence_length, state_forward, dtype, nb::none(),
                                                   nb::bool_(false), nb::bool_(false), scope);
        const nn::StaticBidirectionalResult result =
            nn::static_bidirectional_rnn(*as_cell(forward), *as_cell(backward), as_inputs(inputs), options,
                                         state_backward.is_none() ? nn::State() : as_tensors(state_backward));
        return nb::make_tuple(python::give(result.outputs), python::give(result.forward),
                              python::give(result.backward));
      },
      "cell_fw"_a, "cell_bw"_a, "inputs"_a, kNone("sequence_length"), kNone("initial_state_fw"),
      kNone("initial_state_bw"), kNone("dtype"), kNone("scope"));
  m.def(
      "_dynamic_rnn",
      [](nb::handle cell, nb::handle inputs, nb::handle sequence_length, nb::handle initial_state,
         nb::handle dtype, nb::handle parallel_iterations, nb::handle swap_memory, nb::handle time_major,
         nb::handle scope) {
        return give(nn::dynamic_rnn(*as_cell(cell), as_input(inputs),
                                    rnn_options(sequence_length, initial_state, dtype, parallel_iterations,
                                                swap_memory, time_major, scope)));
      },
      "cell"_a, "inputs"_a, kNone("sequence_length"), kNone("initial_state"), kNone("dtype"),
      kNone("parallel_iterations"), "swap_memory"_a, "time_major"_a, kNone("scope"));
  m.def(
      "_bidirectional_dynamic_rnn",
      [](nb::handle forward, nb::handle backward, nb::handle inputs, nb::handle sequence_length,
         nb::handle state_forward, nb::handle state_backward, nb::handle dtype,
         nb::handle parallel_iterations, nb::handle swap_memory, nb::handle time_major, nb::handle scope) {
        const nn::BidirectionalResult result = nn::bidirectional_dynamic_rnn(
            *as_cell(forward), *as_cell(backward), as_input(inputs),
            rnn_options(sequence_length, state_forward, dtype, parallel_iterations, swap_memory, time_major,
                        scope),
            state_backward.is_none() ? nn::State() : as_tensors(state_backward));
        return nb::make_tuple(give(result.forward), give(result.backward));
      },
      "cell_fw"_a, "cell_bw"_a, "inputs"_a, kNone("sequence_length"), kNone("initial_state_fw"),
      kNone("initial_state_bw"), kNone("dtype"), kNone("parallel_iterations"), "swap_memory"_a,
      "time_major"_a, kNone("scope"));
}

}  // namespace

void bind_rnn(nb::module_& m) {
  bind_cells(m);
  bind_networks(m);
}

}  // namespace flowray::python
