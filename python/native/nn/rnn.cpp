/// tf.nn.rnn_cell, and what runs cells over time. States are flat lists here; flowray/tf/_rnn.py gives them
/// their structure.

#include "native/convert/kept_object.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/rnn.h>

#include <nanobind/stl/shared_ptr.h>

namespace flowray::python {

namespace nn = tf::nn;

FLOWRAY_FIELDS(nn::CellOptions, activation, reuse, name)
FLOWRAY_FIELDS(nn::GRUCellOptions, activation, reuse, kernel_initializer, bias_initializer, name)
FLOWRAY_FIELDS(nn::BasicLSTMCellOptions, forget_bias, state_is_tuple, activation, reuse, name)
FLOWRAY_FIELDS(nn::LSTMCellOptions, use_peepholes, cell_clip, initializer, num_proj, proj_clip, forget_bias,
               state_is_tuple, activation, reuse, name)
FLOWRAY_FIELDS(nn::MultiRNNCellOptions, state_is_tuple)
FLOWRAY_FIELDS(nn::DropoutWrapperOptions, input_keep_prob, output_keep_prob, state_keep_prob, input_seed,
               state_seeds, output_seed, state_filter, variational_recurrent, input_size, dtype)
FLOWRAY_FIELDS(nn::RnnOptions, sequence_length, initial_state, dtype, parallel_iterations, swap_memory,
               time_major, scope)
FLOWRAY_FIELDS(nn::CellResult, output, state)
FLOWRAY_FIELDS(nn::StaticRnnResult, outputs, state)
FLOWRAY_FIELDS(nn::StaticBidirectionalResult, outputs, forward, backward)
FLOWRAY_FIELDS(nn::BidirectionalResult, forward, backward)

namespace {

/// A cell that the program wrote: an object that is called with inputs and state.
class PythonCell : public nn::RNNCell {
 public:
  PythonCell(nb::handle cell, const std::string& class_name) : RNNCell(class_name), cell_(cell) {}

  std::vector<int64_t> state_size() const override { return as_ints(nb::object((*cell_).attr("_sizes")())); }
  int64_t output_size() const override { return as_int(nb::object((*cell_).attr("_output_size")())); }
  nn::State zero_state(const tf::Input& batch_size, DType dtype) override {
    const nb::object given = batch_size.tensor() != nullptr
                                 ? python::give(*batch_size.tensor())
                                 : nb::object(nb::int_(batch_size.literal()->to_array().item<int32_t>()));
    const nb::object zeros = (*cell_).attr("_zeros")(given, dtype_object(dtype));
    if (zeros.is_none()) return RNNCell::zero_state(batch_size, dtype);
    return as_tensors(zeros);
  }

 protected:
  nn::CellResult step(const tf::Tensor& inputs, const nn::State& state) override {
    const nb::object result = (*cell_).attr("_step")(python::give(inputs), python::give(state));
    return {tf::convert_to_tensor(as_input(nb::object(result[0]))), as_tensors(nb::object(result[1]))};
  }

 private:
  KeptObject cell_;
};

nn::CellPointer as_cell(nb::handle object) { return nb::cast<nn::CellPointer>(object); }

std::vector<nn::CellPointer> as_cells(nb::handle list) {
  std::vector<nn::CellPointer> cells;
  for (nb::handle cell : list) cells.push_back(as_cell(cell));
  return cells;
}

std::vector<bool> as_bools(nb::handle list) {
  std::vector<bool> bools;
  for (nb::handle item : list) bools.push_back(as_bool(item));
  return bools;
}

}  // namespace

template <>
inline constexpr auto kFrom<std::vector<bool>> = &as_bools;
template <>
inline constexpr auto kFrom<nn::CellPointer> = &as_cell;
template <>
inline constexpr auto kFrom<std::vector<nn::CellPointer>> = &as_cells;

namespace {

/// What makes a cell of arguments of these types.
template <class Cell, class... Types>
nn::CellPointer made(const Types&... values) {
  return std::make_shared<Cell>(values...);
}

void bind_cells(nb::module_& m) {
  nb::class_<nn::RNNCell> cell(m, "_Cell");
  bind_method(cell, "step",
              [](nn::RNNCell& self, const tf::Input& inputs, const std::vector<tf::Tensor>& state) {
                return self(tf::convert_to_tensor(inputs), state);
              },
              {"inputs", "state"});
  bind_method(cell, "sizes", &nn::RNNCell::state_size);
  bind_method(cell, "output_size", &nn::RNNCell::output_size);
  bind_method(cell, "zeros", &nn::RNNCell::zero_state, {"batch_size", "dtype"});
  m.def("_python_cell", [](nb::handle program_cell, nb::handle name) -> nn::CellPointer {
    return std::make_shared<PythonCell>(program_cell, as_text(name));
  });
  const auto initializer = [](const char* name) { return converted(name, &layer_initializer); };
  bind(m, "_basic_rnn_cell", &made<nn::BasicRNNCell, int64_t, nn::CellOptions>, {"num_units"});
  bind(m, "_gru_cell", &made<nn::GRUCell, int64_t, nn::GRUCellOptions>,
       {"num_units", "activation", "reuse", initializer("kernel_initializer"),
        initializer("bias_initializer"), "name"});
  bind(m, "_basic_lstm_cell", &made<nn::BasicLSTMCell, int64_t, nn::BasicLSTMCellOptions>, {"num_units"});
  bind(m, "_lstm_cell", &made<nn::LSTMCell, int64_t, nn::LSTMCellOptions>,
       {"num_units", "use_peepholes", "cell_clip", initializer("initializer"), "num_proj", "proj_clip",
        "forget_bias", "state_is_tuple", "activation", "reuse", "name"});
  bind(m, "_multi_rnn_cell", &made<nn::MultiRNNCell, std::vector<nn::CellPointer>, nn::MultiRNNCellOptions>,
       {"cells"});
  bind(m, "_dropout_wrapper", &made<nn::DropoutWrapper, nn::CellPointer, nn::DropoutWrapperOptions>,
       {"cell"});
}

void bind_networks(nb::module_& m) {
  using Cell = nn::CellPointer;
  using Inputs = std::vector<tf::Input>;
  bind(m, "_static_rnn",
       [](const Cell& cell, const Inputs& inputs, const nn::RnnOptions& options) {
         return nn::static_rnn(*cell, inputs, options);
       },
       {"cell", "inputs", "sequence_length", "initial_state", "dtype", "scope"});
  bind(m, "_static_bidirectional_rnn",
       [](const Cell& forward, const Cell& backward, const Inputs& inputs, const nn::RnnOptions& options,
          const nn::State& initial) {
         return nn::static_bidirectional_rnn(*forward, *backward, inputs, options, initial);
       },
       {"cell_fw", "cell_bw", "inputs", "sequence_length", fills("initial_state_fw", "initial_state"),
        "initial_state_bw", "dtype", "scope"});
  bind(m, "_dynamic_rnn",
       [](const Cell& cell, const tf::Input& inputs, const nn::RnnOptions& options) {
         return nn::dynamic_rnn(*cell, inputs, options);
       },
       {"cell", "inputs", "sequence_length", "initial_state", "dtype", or_none("parallel_iterations"),
        "swap_memory", "time_major", "scope"});
  bind(m, "_bidirectional_dynamic_rnn",
       [](const Cell& forward, const Cell& backward, const tf::Input& inputs, const nn::RnnOptions& options,
          const nn::State& initial) {
         return nn::bidirectional_dynamic_rnn(*forward, *backward, inputs, options, initial);
       },
       {"cell_fw", "cell_bw", "inputs", "sequence_length", fills("initial_state_fw", "initial_state"),
        "initial_state_bw", "dtype", or_none("parallel_iterations"), "swap_memory", "time_major", "scope"});
}

}  // namespace

void bind_rnn(nb::module_& m) {
  bind_cells(m);
  bind_networks(m);
}

}  // namespace flowray::python
