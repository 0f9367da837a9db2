/// tf.contrib.layers, and tensors that are kept within a length.

#include "native/convert/kept_object.h"
#include "native/graph/indexed_slices.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/contrib/layers.h>
#include <flowray/tf/math.h>

#include <fmt/format.h>

namespace flowray::python {

namespace layers = tf::contrib::layers;

FLOWRAY_FIELDS(layers::LayerOptions, activation_fn, normalizer_fn, weights_initializer, weights_regularizer,
               biases_initializer, biases_regularizer, has_biases, reuse, variables_collections, trainable,
               scope)
FLOWRAY_FIELDS(layers::WindowOptions, stride, padding, data_format, rate)
FLOWRAY_FIELDS(layers::DropoutOptions, keep_prob, noise_shape, is_training, seed, scope)
FLOWRAY_FIELDS(tf::ClipByNormOptions, axes, name)
FLOWRAY_FIELDS(tf::ClipByGlobalNormOptions, use_norm, name)

namespace {

layers::Penalty as_penalty(nb::handle object) {
  if (nb::isinstance<layers::Penalty>(object)) return nb::cast<layers::Penalty>(object);
  return {[object = KeptObject(object)](const tf::Tensor& weights) {
    const nb::object loss = object(give(weights));
    return loss.is_none() ? tf::Tensor() : tf::convert_to_tensor(as_input(loss));
  }};
}

std::vector<layers::Penalty> as_penalties(nb::handle list) {
  std::vector<layers::Penalty> all;
  for (nb::handle each : list)
    if (!each.is_none()) all.push_back(as_penalty(each));
  return all;
}

}  // namespace

template <>
inline constexpr auto kFrom<layers::Penalty> = &as_penalty;
template <>
inline constexpr auto kFrom<std::vector<layers::Penalty>> = &as_penalties;

namespace {

/// A number that scales. A whole one is refused:
/// 1 is most often a mistake for 1.0 that divides as integers do.
Argument scale(const Argument& argument) {
  return converted(argument, [](nb::handle scale) {
    if (PyLong_Check(scale.ptr()) != 0 && PyBool_Check(scale.ptr()) == 0)
      throw ValueError(fmt::format("scale cannot be an integer: {}", nb::str(scale).c_str()));
    return as_float(scale);
  });
}

void bind_regularizers(nb::module_& m) {
  nb::class_<layers::Penalty>(m, "Regularizer", "Makes a loss of weights, or None.")
      .def("__call__", [](const layers::Penalty& self, nb::handle weights) {
        return give(self(tf::convert_to_tensor(as_input(weights))));
      });
  const Argument scope = {"scope", nb::none()};
  bind(m, "l1_regularizer", &layers::l1_regularizer, {scale("scale"), scope});
  bind(m, "l2_regularizer", &layers::l2_regularizer, {scale("scale"), scope});
  bind(m, "l1_l2_regularizer", &layers::l1_l2_regularizer,
       {scale({"scale_l1", 1.0}), scale({"scale_l2", 1.0}), scope});
  bind(m, "sum_regularizer", &layers::sum_regularizer, {"regularizer_list", scope});
  bind(m, "_apply_regularization",
       [](const layers::Penalty& regularizer, const std::vector<tf::Input>& weights) {
         std::vector<tf::Tensor> values;
         for (const tf::Input& each : weights) values.push_back(tf::convert_to_tensor(each));
         return layers::apply_regularization(regularizer, values);
       },
       {"regularizer", "weights"});
}

/// What flowray/tf/contrib/_layers.py gives names of TensorFlow's and collections of results.
void bind_layers(nb::module_& m) {
  const Argument weights = converted("weights_initializer", &layer_initializer);
  const Argument biases = converted("biases_initializer", &layer_initializer);
  bind(m, "_fully_connected", &layers::fully_connected,
       {"inputs", "num_outputs", "activation_fn", "normalizer_fn", weights, "weights_regularizer", biases,
        "biases_regularizer", "has_biases", "reuse", "variables_collections", "trainable", "scope"});
  bind(m, "_conv2d", &layers::conv2d,
       {"inputs", "num_outputs", "kernel_size", "stride", "padding", or_none("data_format"), or_none("rate"),
        "activation_fn", "normalizer_fn", weights, "weights_regularizer", biases, "biases_regularizer",
        "has_biases", "reuse", "variables_collections", "trainable", "scope"});
  const auto pool = [&](const char* name, auto make) {
    bind(m, name, make,
         {"inputs", "kernel_size", "stride", "padding", or_none("data_format"), {"scope", nb::none()}});
  };
  pool("_max_pool2d", &layers::max_pool2d);
  pool("_avg_pool2d", &layers::avg_pool2d);
  bind(m, "_flatten", &layers::flatten, {"inputs", {"scope", nb::none()}});
  bind(m, "_dropout", &layers::dropout,
       {"inputs", "keep_prob", "noise_shape", converted("is_training", &training_of), "seed", "scope"});
}

/// A list of tensors, of rows of tensors, and of None; the rows are what is measured.
std::vector<tf::Tensor> measured(nb::handle list) {
  if (PyDict_Check(list.ptr()) != 0 || PyUnicode_Check(list.ptr()) != 0 ||
      PySequence_Check(list.ptr()) == 0 || nb::isinstance<tf::Tensor>(list))
    throw TypeError(
        fmt::format("`t_list` should be a sequence of tensors. Received: {}.", nb::str(list.type()).c_str()));
  std::vector<tf::Tensor> tensors;
  for (nb::handle item : list) {
    if (item.is_none()) {
      tensors.emplace_back();
    } else if (nb::isinstance<PythonSlices>(item)) {
      tensors.push_back(nb::cast<const PythonSlices&>(item).slices.values);
    } else {
      tensors.push_back(tf::convert_to_tensor(as_input(item)));
    }
  }
  return tensors;
}

/// A gradient after clipping, in the form that it had before.
nb::object give_clipped(nb::handle before, const tf::Tensor& after) {
  if (!nb::isinstance<PythonSlices>(before)) return give(after);
  tf::IndexedSlices slices = nb::cast<const PythonSlices&>(before).slices;
  slices.values = after;
  return nb::cast(PythonSlices{std::move(slices), {}});
}

nb::object clip_by_norm(nb::handle t, const tf::Input& clip_norm, const tf::ClipByNormOptions& options) {
  const bool rows = nb::isinstance<PythonSlices>(t);
  const tf::Input values = rows ? tf::Input(nb::cast<const PythonSlices&>(t).slices.values) : as_input(t);
  return give_clipped(t, tf::clip_by_norm(values, clip_norm, options));
}

nb::tuple clip_by_global_norm(nb::handle list, const tf::Input& clip_norm,
                              const tf::ClipByGlobalNormOptions& options) {
  const tf::ClippedTensors clipped = tf::clip_by_global_norm(measured(list), clip_norm, options);
  nb::list tensors;
  size_t i = 0;
  for (nb::handle item : list) {
    tensors.append(clipped.tensors[i].has_value() ? give_clipped(item, clipped.tensors[i]) : nb::none());
    ++i;
  }
  return nb::make_tuple(tensors, give(clipped.norm));
}

void bind_clipping(nb::module_& m) {
  bind(m, "clip_by_norm", &clip_by_norm, {"t", "clip_norm"});
  bind(m, "clip_by_average_norm", &tf::clip_by_average_norm, {"t", "clip_norm"});
  const auto as_list = [](nb::handle list) {
    return tf::List<tf::Tensor>(measured(list), tf::Input::Where());
  };
  bind(m, "global_norm", &tf::global_norm, {converted("t_list", as_list)});
  bind(m, "clip_by_global_norm", &clip_by_global_norm, {"t_list", "clip_norm"});
}

}  // namespace

void bind_contrib_layers(nb::module_& m) {
  bind_clipping(m);
  nb::module_ contrib = m.def_submodule("contrib").def_submodule("layers");
  bind_regularizers(contrib);
  bind_layers(contrib);
}

}  // namespace flowray::python
