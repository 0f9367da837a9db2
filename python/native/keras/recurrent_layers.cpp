/// tf.keras.layers over time.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>

namespace flowray::python {

namespace layers = tf::keras::layers;
using tf::keras::Layer;

FLOWRAY_FIELDS(layers::SimpleRNNOptions, activation, use_bias, kernel_initializer, recurrent_initializer,
               bias_initializer, dropout, recurrent_dropout, return_sequences, return_state, go_backwards,
               stateful, unroll, input_shape, name)
FLOWRAY_FIELDS(layers::LSTMOptions, activation, recurrent_activation, use_bias, kernel_initializer,
               recurrent_initializer, bias_initializer, unit_forget_bias, dropout, recurrent_dropout,
               return_sequences, return_state, go_backwards, stateful, unroll, input_shape, name)
FLOWRAY_FIELDS(layers::GRUOptions, activation, recurrent_activation, use_bias, kernel_initializer,
               recurrent_initializer, bias_initializer, dropout, recurrent_dropout, return_sequences,
               return_state, go_backwards, stateful, unroll, reset_after, input_shape, name)

namespace {

/// What only the language itself sees of a layer with others inside.
class LayersInside : public layers::Wrapper {
 public:
  static const std::vector<std::shared_ptr<Layer>>& of(const layers::Wrapper& wrapper) {
    return (wrapper.*(&LayersInside::inner))();
  }
};

/// The states that a layer keeps between batches.
std::vector<tf::Variable> states_of(const Layer& layer) {
  if (const auto* const recurrent = dynamic_cast<const layers::Recurrent*>(&layer))
    return recurrent->states();
  std::vector<tf::Variable> all;
  if (const auto* const wrapper = dynamic_cast<const layers::Wrapper*>(&layer)) {
    for (const std::shared_ptr<Layer>& inner : LayersInside::of(*wrapper)) {
      const std::vector<tf::Variable> states = states_of(*inner);
      all.insert(all.end(), states.begin(), states.end());
    }
  }
  return all;
}

}  // namespace

void bind_recurrent_layers(nb::module_& m) {
  m.def("_kept_states_of", [](const Layer& layer) { return give_result(states_of(layer)); });
  const auto weights = &initializer_argument;
  nb::class_<layers::Recurrent, Layer> recurrent(m, "Recurrent");
  bind_layer_of<layers::Recurrent, layers::SimpleRNN, int64_t, layers::SimpleRNNOptions>(
      m, "SimpleRNN",
      {"units", "activation", "use_bias", weights("kernel_initializer"), weights("recurrent_initializer"),
       weights("bias_initializer"), "dropout", "recurrent_dropout", "return_sequences", "return_state",
       "go_backwards", "stateful", "unroll", "input_shape", "name"});
  bind_layer_of<layers::Recurrent, layers::LSTM, int64_t, layers::LSTMOptions>(
      m, "LSTM",
      {"units", "activation", "recurrent_activation", "use_bias", weights("kernel_initializer"),
       weights("recurrent_initializer"), weights("bias_initializer"), "unit_forget_bias", "dropout",
       "recurrent_dropout", "return_sequences", "return_state", "go_backwards", "stateful", "unroll",
       "input_shape", "name"});
  bind_layer_of<layers::Recurrent, layers::GRU, int64_t, layers::GRUOptions>(
      m, "GRU",
      {"units", "activation", "recurrent_activation", "use_bias", weights("kernel_initializer"),
       weights("recurrent_initializer"), weights("bias_initializer"), "dropout", "recurrent_dropout",
       "return_sequences", "return_state", "go_backwards", "stateful", "unroll", "reset_after", "input_shape",
       "name"});
  nb::class_<layers::Bidirectional, Layer> bidirectional(m, "Bidirectional");
  bidirectional.def(
      "__init__",
      [](layers::Bidirectional* self, const layers::Recurrent& layer, nb::handle merge_mode, nb::handle shape,
         nb::handle name, nb::handle backward_layer) {
        layers::BidirectionalOptions options{.merge_mode = as_text(merge_mode), .name = as_text(name)};
        if (!shape.is_none()) options.input_shape = as_shape(shape);
        if (!backward_layer.is_none()) {
          const auto& backward = nb::cast<const layers::Recurrent&>(backward_layer);
          options.backward_layer = backward.like_it(backward.name(), backward.go_backwards());
        }
        new (self) layers::Bidirectional(layer, options, tf::Input::Where());
      },
      "layer"_a, "merge_mode"_a, "input_shape"_a.none(), "name"_a, "backward_layer"_a.none());
  nb::class_<layers::TimeDistributed, Layer> distributed(m, "TimeDistributed");
  distributed.def(
      "__init__",
      [](layers::TimeDistributed* self, std::shared_ptr<Layer> layer, nb::handle shape, nb::handle name) {
        layers::TimeDistributedOptions options{.name = as_text(name)};
        if (!shape.is_none()) options.input_shape = as_shape(shape);
        new (self) layers::TimeDistributed(std::move(layer), options, tf::Input::Where());
      },
      "layer"_a, "input_shape"_a, "name"_a);
}

}  // namespace flowray::python
