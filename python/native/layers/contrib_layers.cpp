/// tf.contrib.layers, and tensors that are kept within a length.

#include "native/convert/convert.h"
#include "native/graph/indexed_slices.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/contrib/layers.h>
#include <flowray/tf/math.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

namespace layers = tf::contrib::layers;

auto none(const char* name) { return nb::arg(name).none() = nb::none(); }

std::vector<int64_t> one_or_more(nb::handle object) {
  if (is_one_integer(object)) return {as_int(object)};
  return as_ints(object);
}

layers::Penalty as_penalty(nb::handle object) {
  if (nb::isinstance<layers::Penalty>(object)) return nb::cast<layers::Penalty>(object);
  return {[object = nb::borrow(object)](const tf::Tensor& weights) {
    const nb::object loss = object(give(weights));
    return loss.is_none() ? tf::Tensor() : tf::convert_to_tensor(as_input(loss));
  }};
}

layers::LayerOptions layer_options(const nb::dict& given) {
  layers::LayerOptions options;
  for (auto [key, value] : given) {
    const std::string name = as_text(key);
    if (name == "activation_fn") {
      options.activation_fn = activation_of(value);
    } else if (name == "normalizer_fn") {
      options.normalizer_fn = activation_of(value);
    } else if (name == "weights_initializer") {
      options.weights_initializer = layer_initializer(value);
    } else if (name == "weights_regularizer") {
      options.weights_regularizer = as_regularizer(value);
    } else if (name == "biases_initializer") {
      options.has_biases = !value.is_none();
      options.biases_initializer = layer_initializer(value);
    } else if (name == "biases_regularizer") {
      options.biases_regularizer = as_regularizer(value);
    } else if (name == "reuse") {
      options.reuse = reuse_of(value);
    } else if (name == "variables_collections") {
      options.variables_collections = as_texts(value);
    } else if (name == "trainable") {
      options.trainable = as_bool(value);
    } else if (name == "scope") {
      options.scope = as_text(value);
    }
  }
  return options;
}

layers::WindowOptions window_options(nb::handle stride, nb::handle padding, nb::handle data_format,
                                     nb::handle rate) {
  layers::WindowOptions options{.stride = one_or_more(stride), .padding = as_text(padding)};
  if (!data_format.is_none()) options.data_format = as_text(data_format);
  if (!rate.is_none()) options.rate = one_or_more(rate);
  return options;
}

void bind_regularizers(nb::module_& m) {
  nb::class_<layers::Penalty>(m, "Regularizer", "Makes a loss of weights, or None.")
      .def("__call__", [](const layers::Penalty& self, nb::handle weights) {
        return give(self(tf::convert_to_tensor(as_input(weights))));
      });
  // A whole number is refused: 1 is most often a mistake for 1.0 that divides as integers do.
  const auto scale_of = [](nb::handle scale) {
    if (PyLong_Check(scale.ptr()) != 0 && PyBool_Check(scale.ptr()) == 0)
      throw ValueError(fmt::format("scale cannot be an integer: {}", nb::str(scale).c_str()));
    return as_float(scale);
  };
  m.def(
      "l1_regularizer",
      [=](nb::handle scale, nb::handle scope) {
        return layers::l1_regularizer(scale_of(scale), as_text(scope));
      },
      "scale"_a, none("scope"), "scale * sum of |weight|.");
  m.def(
      "l2_regularizer",
      [=](nb::handle scale, nb::handle scope) {
        return layers::l2_regularizer(scale_of(scale), as_text(scope));
      },
      "scale"_a, none("scope"), "scale * half the sum of squares.");
  m.def(
      "l1_l2_regularizer",
      [=](nb::handle scale_l1, nb::handle scale_l2, nb::handle scope) {
        return layers::l1_l2_regularizer(scale_of(scale_l1), scale_of(scale_l2), as_text(scope));
      },
      "scale_l1"_a = 1.0, "scale_l2"_a = 1.0, none("scope"), "The sum of both.");
  m.def(
      "sum_regularizer",
      [](nb::handle regularizers, nb::handle scope) {
        std::vector<layers::Penalty> all;
        for (nb::handle each : regularizers)
          if (!each.is_none()) all.push_back(as_penalty(each));
        return layers::sum_regularizer(all, as_text(scope));
      },
      "regularizer_list"_a, none("scope"), "The sum of what several regularizers make.");
  m.def(
      "_apply_regularization",
      [](nb::handle regularizer, nb::handle weights) {
        std::vector<tf::Tensor> values;
        for (const tf::Input& each : as_inputs(weights)) values.push_back(tf::convert_to_tensor(each));
        return give(layers::apply_regularization(as_penalty(regularizer), values));
      },
      nb::arg("regularizer").none(), nb::arg("weights"));
}

void bind_layers(nb::module_& m) {
  m.def("_fully_connected", [](nb::handle inputs, nb::handle num_outputs, const nb::dict& options) {
    return give(layers::fully_connected(as_input(inputs), as_int(num_outputs), layer_options(options)));
  });
  m.def(
      "_conv2d",
      [](nb::handle inputs, nb::handle num_outputs, nb::handle kernel_size, nb::handle stride,
         nb::handle padding, nb::handle data_format, nb::handle rate, const nb::dict& options) {
        return give(layers::conv2d(as_input(inputs), as_int(num_outputs), one_or_more(kernel_size),
                                   window_options(stride, padding, data_format, rate),
                                   layer_options(options)));
      },
      "inputs"_a, "num_outputs"_a, "kernel_size"_a, "stride"_a, "padding"_a, none("data_format"),
      none("rate"), nb::arg("options") = nb::dict());
  const auto pool = [&](const char* name, auto make) {
    m.def(
        name,
        [make](nb::handle inputs, nb::handle kernel_size, nb::handle stride, nb::handle padding,
               nb::handle data_format, nb::handle scope) {
          return give(make(as_input(inputs), one_or_more(kernel_size),
                           window_options(stride, padding, data_format, nb::none()), as_text(scope)));
        },
        "inputs"_a, "kernel_size"_a, "stride"_a, "padding"_a, none("data_format"), none("scope"));
  };
  pool("_max_pool2d", &layers::max_pool2d);
  pool("_avg_pool2d", &layers::avg_pool2d);
  m.def(
      "_flatten",
      [](nb::handle inputs, nb::handle scope) {
        return give(layers::flatten(as_input(inputs), as_text(scope)));
      },
      "inputs"_a, none("scope"));
  m.def(
      "_dropout",
      [](nb::handle inputs, nb::handle keep_prob, nb::handle noise_shape, nb::handle is_training,
         nb::handle seed, nb::handle scope) {
        layers::DropoutOptions options{.keep_prob = as_input(keep_prob),
                                       .is_training = training_of(is_training),
                                       .seed = as_optional_int(seed),
                                       .scope = as_text(scope)};
        if (!noise_shape.is_none()) options.noise_shape = as_shape(noise_shape);
        return give(layers::dropout(as_input(inputs), options));
      },
      "inputs"_a, "keep_prob"_a, none("noise_shape"), "is_training"_a, none("seed"), none("scope"));
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

/// What has become of one of them.
nb::object give_clipped(nb::handle before, const tf::Tensor& after) {
  if (!nb::isinstance<PythonSlices>(before)) return give(after);
  tf::IndexedSlices slices = nb::cast<const PythonSlices&>(before).slices;
  slices.values = after;
  return nb::cast(PythonSlices{std::move(slices), {}});
}

void bind_clipping(nb::module_& m) {
  m.def(
      "clip_by_norm",
      [](nb::handle t, nb::handle clip_norm, nb::handle axes, nb::handle name) {
        const bool rows = nb::isinstance<PythonSlices>(t);
        const tf::Input values =
            rows ? tf::Input(nb::cast<const PythonSlices&>(t).slices.values) : as_input(t);
        const tf::Tensor clipped = tf::clip_by_norm(values, as_input(clip_norm),
                                                    {.axes = as_optional_input(axes), .name = as_text(name)});
        return give_clipped(t, clipped);
      },
      "t"_a, "clip_norm"_a, none("axes"), none("name"),
      "t, made shorter where its Euclidean length is more than clip_norm.");
  m.def(
      "clip_by_average_norm",
      [](nb::handle t, nb::handle clip_norm, nb::handle name) {
        return give(tf::clip_by_average_norm(as_input(t), as_input(clip_norm), {as_text(name)}));
      },
      "t"_a, "clip_norm"_a, none("name"), "clip_by_norm of the length divided by the number of elements.");
  m.def(
      "global_norm",
      [](nb::handle list, nb::handle name) { return give(tf::global_norm(measured(list), {as_text(name)})); },
      "t_list"_a, none("name"), "The Euclidean length of all tensors together.");
  m.def(
      "clip_by_global_norm",
      [](nb::handle list, nb::handle clip_norm, nb::handle use_norm, nb::handle name) {
        const tf::ClippedTensors clipped =
            tf::clip_by_global_norm(measured(list), as_input(clip_norm),
                                    {.use_norm = as_optional_input(use_norm), .name = as_text(name)});
        nb::list tensors;
        size_t i = 0;
        for (nb::handle item : list) {
          tensors.append(clipped.tensors[i] ? give_clipped(item, clipped.tensors[i]) : nb::none());
          ++i;
        }
        return nb::make_tuple(tensors, give(clipped.norm));
      },
      "t_list"_a, "clip_norm"_a, none("use_norm"), none("name"),
      "All tensors made shorter by the same factor where they are longer than clip_norm together, and their "
      "length before.");
}

}  // namespace

void bind_contrib_layers(nb::module_& m) {
  bind_clipping(m);
  nb::module_ contrib = m.def_submodule("contrib_layers");
  bind_regularizers(contrib);
  bind_layers(contrib);
}

}  // namespace flowray::python
