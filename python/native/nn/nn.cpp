/// tf.nn, for the module flowray.tf.nn.

#include "native/convert/convert.h"
#include "native/nn/nn_arguments.h"

#include <flowray/tf/nn.h>

#include <fmt/format.h>

namespace flowray::python {

std::string padding_of(nb::handle padding) {
  if (PyUnicode_Check(padding.ptr()) != 0 || PyBytes_Check(padding.ptr()) != 0) return as_text(padding);
  throw TypeError(fmt::format("Expected string for argument 'padding' not {}.", nb::repr(padding).c_str()));
}

std::vector<int64_t> axes_of(nb::handle axes) {
  if (is_one_integer(axes)) return {as_int(axes)};
  return as_ints(axes);
}

namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

using Unary = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);

void bind_activations(nb::module_& m) {
  const auto unary = [&](const char* name, Unary f, const char* argument) {
    m.def(
        name, [f](nb::handle x, nb::handle node_name) { return give(f(as_input(x), {as_text(node_name)})); },
        kNone(argument), kNone("name") = nb::none());
  };
  unary("relu", &tf::nn::relu, "features");
  unary("relu6", &tf::nn::relu6, "features");
  unary("elu", &tf::nn::elu, "features");
  unary("selu", &tf::nn::selu, "features");
  unary("softsign", &tf::nn::softsign, "features");
  unary("softplus", &tf::nn::softplus, "features");
  unary("l2_loss", &tf::nn::l2_loss, "t");
  m.def(
      "leaky_relu",
      [](nb::handle features, Real alpha, nb::handle name) {
        return give(tf::nn::leaky_relu(as_input(features), {static_cast<float>(alpha), as_text(name)}));
      },
      "features"_a, "alpha"_a = 0.2, kNone("name") = nb::none());
  const auto softmax = [&](const char* name,
                           tf::Tensor (*f)(const tf::Input&, const tf::nn::SoftmaxOptions&)) {
    m.def(
        name,
        [f](nb::handle logits, nb::handle axis, nb::handle node_name, nb::handle dim) {
          const nb::handle chosen = axis.is_none() ? dim : axis;
          return give(f(as_input(logits),
                        {chosen.is_none() ? -1 : static_cast<int>(as_int(chosen)), as_text(node_name)}));
        },
        "logits"_a, kNone("axis") = nb::none(), kNone("name") = nb::none(), kNone("dim") = nb::none());
  };
  softmax("softmax", &tf::nn::softmax);
  softmax("log_softmax", &tf::nn::log_softmax);
  m.def(
      "dropout",
      [](nb::handle x, nb::handle keep_prob, nb::handle noise_shape, nb::handle seed, nb::handle name,
         nb::handle rate) {
        tf::nn::DropoutOptions options;
        if (PyUnicode_Check(keep_prob.ptr()) != 0) {
          throw ValueError(
              fmt::format("`keep_prob` must be a floating point number or Tensor. Received: keep_prob={}",
                          nb::str(keep_prob).c_str()));
        }
        if (PyUnicode_Check(rate.ptr()) != 0) {
          throw ValueError(fmt::format("`rate` must be a scalar or scalar tensor. Received: rate={}",
                                       nb::str(rate).c_str()));
        }
        if (!keep_prob.is_none()) options.keep_prob = as_input(keep_prob);
        if (!noise_shape.is_none()) options.noise_shape = as_input(noise_shape);
        options.seed = as_optional_int(seed);
        options.name = as_text(name);
        if (!rate.is_none()) options.rate = as_input(rate);
        return give(tf::nn::dropout(as_input(x), options));
      },
      "x"_a, kNone("keep_prob") = nb::none(), kNone("noise_shape") = nb::none(), kNone("seed") = nb::none(),
      kNone("name") = nb::none(), kNone("rate") = nb::none());
}

/// The axis of the classes, which has had two names.
int axis_of_classes(nb::handle axis, nb::handle dim) {
  const nb::handle chosen = axis.is_none() ? dim : axis;
  return chosen.is_none() ? -1 : static_cast<int>(as_int(chosen));
}

void bind_losses(nb::module_& m) {
  const auto refuse_none = [](nb::handle labels, nb::handle logits) {
    if (labels.is_none() || logits.is_none())
      throw ValueError("Both `labels` and `logits` must be provided.");
  };
  const auto options_of = [refuse_none](nb::handle labels, nb::handle logits, nb::handle name) {
    refuse_none(labels, logits);
    return tf::nn::CrossEntropyOptions{as_input(labels), as_input(logits), as_text(name)};
  };
  const auto loss = [&](const char* name, tf::Tensor (*f)(const tf::nn::CrossEntropyOptions&)) {
    m.def(
        name,
        [f, options_of](nb::handle labels, nb::handle logits, nb::handle node_name) {
          return give(f(options_of(labels, logits, node_name)));
        },
        "labels"_a = nb::none(), "logits"_a = nb::none(), "name"_a = nb::none());
  };
  m.def(
      "softmax_cross_entropy_with_logits",
      [refuse_none](nb::handle labels, nb::handle logits, nb::handle dim, nb::handle name, nb::handle axis) {
        refuse_none(labels, logits);
        return give(tf::nn::softmax_cross_entropy_with_logits(
            {as_input(labels), as_input(logits), axis_of_classes(axis, dim), as_text(name)}));
      },
      "labels"_a = nb::none(), "logits"_a = nb::none(), "dim"_a = nb::none(), "name"_a = nb::none(),
      "axis"_a = nb::none());
  loss("sparse_softmax_cross_entropy_with_logits", &tf::nn::sparse_softmax_cross_entropy_with_logits);
  loss("sigmoid_cross_entropy_with_logits", &tf::nn::sigmoid_cross_entropy_with_logits);
  m.def(
      "softmax_cross_entropy_with_logits_v2",
      [](nb::handle labels, nb::handle logits, nb::handle axis, nb::handle name, nb::handle dim) {
        return give(tf::nn::softmax_cross_entropy_with_logits_v2(
            {as_input(labels), as_input(logits), axis_of_classes(axis, dim), as_text(name)}));
      },
      "labels"_a, "logits"_a, kNone("axis") = nb::none(), kNone("name") = nb::none(),
      kNone("dim") = nb::none());
}

void bind_convolutions(nb::module_& m) {
  m.def(
      "conv2d",
      [](nb::handle input, nb::handle filter, nb::handle strides, nb::handle padding, Flag use_cudnn_on_gpu,
         nb::handle data_format, nb::handle dilations, nb::handle name, nb::handle filters) {
        tf::nn::Conv2dOptions options;
        options.strides = as_ints(strides);
        if (PyUnicode_Check(padding.ptr()) != 0 || PySequence_Check(padding.ptr()) == 0) {
          options.padding = padding_of(padding);
        } else {
          options.padding = "EXPLICIT";
          if (nb::len(padding) != 4) {
            throw ValueError(
                fmt::format("When padding is a list, it must be of size 4. Got padding={} of size: {}",
                            nb::repr(padding).c_str(), nb::len(padding)));
          }
          for (nb::handle pair : padding) {
            for (const int64_t size : as_ints(pair)) options.explicit_paddings.push_back(size);
          }
        }
        options.use_cudnn_on_gpu = use_cudnn_on_gpu;
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        if (!dilations.is_none()) options.dilations = as_ints(dilations);
        if (options.dilations.size() == 1) options.dilations.push_back(options.dilations[0]);
        if (options.dilations.size() == 2)
          options.dilations = {1, options.dilations[0], options.dilations[1], 1};
        options.name = as_text(name);
        return give(tf::nn::conv2d(as_input(input), as_input(filter.is_none() ? filters : filter), options));
      },
      "input"_a, kNone("filter") = nb::none(), kNone("strides") = nb::none(), kNone("padding") = nb::none(),
      "use_cudnn_on_gpu"_a = true, kNone("data_format") = "NHWC", kNone("dilations") = nb::none(),
      kNone("name") = nb::none(), kNone("filters") = nb::none());
  const auto pool = [&](const char* name, tf::Tensor (*f)(const tf::Input&, const tf::nn::PoolOptions&)) {
    m.def(
        name,
        [f](nb::handle value, nb::handle ksize, nb::handle strides, nb::handle padding,
            nb::handle data_format, nb::handle node_name, nb::handle input) {
          tf::nn::PoolOptions options;
          options.ksize = as_ints(ksize);
          options.strides = as_ints(strides);
          options.padding = padding_of(padding);
          if (!data_format.is_none()) options.data_format = as_text(data_format);
          options.name = as_text(node_name);
          return give(f(as_input(value.is_none() ? input : value), options));
        },
        kNone("value") = nb::none(), kNone("ksize") = nb::none(), kNone("strides") = nb::none(),
        kNone("padding") = nb::none(), kNone("data_format") = "NHWC", kNone("name") = nb::none(),
        kNone("input") = nb::none());
  };
  pool("avg_pool", &tf::nn::avg_pool);
  pool("max_pool", &tf::nn::max_pool);
  m.def(
      "bias_add",
      [](nb::handle value, nb::handle bias, nb::handle data_format, nb::handle name) {
        tf::nn::BiasAddOptions options;
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        options.name = as_text(name);
        return give(tf::nn::bias_add(as_input(value), as_input(bias), options));
      },
      "value"_a, "bias"_a, kNone("data_format") = nb::none(), kNone("name") = nb::none());
}

void bind_normalisation(nb::module_& m) {
  m.def(
      "moments",
      [](nb::handle x, nb::handle axes, nb::handle, nb::handle name, nb::handle keep_dims,
         nb::handle keepdims) {
        const nb::handle keep = keepdims.is_none() ? keep_dims : keepdims;
        const tf::nn::Moments result =
            tf::nn::moments(as_input(x), axes_of(axes), {!keep.is_none() && as_bool(keep), as_text(name)});
        return nb::make_tuple(give(result.mean), give(result.variance));
      },
      "x"_a, "axes"_a, kNone("shift") = nb::none(), kNone("name") = nb::none(),
      kNone("keep_dims") = nb::none(), kNone("keepdims") = nb::none());
  m.def(
      "batch_normalization",
      [](nb::handle x, nb::handle mean, nb::handle variance, nb::handle offset, nb::handle scale,
         Real epsilon, nb::handle name) {
        return give(tf::nn::batch_normalization(
            as_input(x), as_input(mean), as_input(variance),
            {as_optional_input(offset), as_optional_input(scale), epsilon, as_text(name)}));
      },
      "x"_a, "mean"_a, "variance"_a, "offset"_a, "scale"_a, "variance_epsilon"_a, kNone("name") = nb::none());
  m.def(
      "l2_normalize",
      [](nb::handle x, nb::handle axis, Real epsilon, nb::handle name, nb::handle dim) {
        return give(tf::nn::l2_normalize(as_input(x), as_input(axis.is_none() ? dim : axis),
                                         {epsilon, as_text(name)}));
      },
      "x"_a, kNone("axis") = nb::none(), "epsilon"_a = 1e-12, kNone("name") = nb::none(),
      kNone("dim") = nb::none());
}

void bind_products(nb::module_& m) {
  const auto product = [&](const char* name, auto make) {
    m.def(
        name,
        [make](nb::handle x, nb::handle weights, nb::handle biases, nb::handle node_name) {
          return give(make(as_input(x), as_input(weights), as_input(biases), {as_text(node_name)}));
        },
        "x"_a, "weights"_a, "biases"_a, kNone("name") = nb::none());
  };
  product("xw_plus_b", &tf::nn::xw_plus_b);
  product("relu_layer", &tf::nn::relu_layer);
  m.def(
      "conv2d_transpose",
      [](nb::handle value, nb::handle filter, nb::handle output_shape, nb::handle strides, nb::handle padding,
         nb::handle data_format, nb::handle name, nb::handle input, nb::handle filters,
         nb::handle dilations) {
        tf::nn::Conv2dTransposeOptions options{
            .strides = axes_of(strides), .padding = padding_of(padding), .name = as_text(name)};
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        if (!dilations.is_none()) options.dilations = as_ints(dilations);
        return give(tf::nn::conv2d_transpose(as_input(value.is_none() ? input : value),
                                             as_input(filter.is_none() ? filters : filter),
                                             as_input(output_shape), options));
      },
      kNone("value") = nb::none(), kNone("filter") = nb::none(), kNone("output_shape") = nb::none(),
      kNone("strides") = nb::none(), kNone("padding") = "SAME", kNone("data_format") = "NHWC",
      kNone("name") = nb::none(), kNone("input") = nb::none(), kNone("filters") = nb::none(),
      kNone("dilations") = nb::none());
}

/// A table in several parts is the first where there is only one.
nb::object only_part(nb::handle params, const char* function, const char* argument) {
  if (PyList_Check(params.ptr()) == 0 && PyTuple_Check(params.ptr()) == 0) return nb::borrow(params);
  if (nb::len(params) != 1) refuse(params, function, argument);
  return params[0];
}

void bind_sampled_losses(nb::module_& m) {
  const auto options_of = [](nb::handle num_true, nb::handle sampled, nb::handle remove, nb::handle name,
                             nb::handle seed) {
    tf::nn::SampledLossOptions options{.num_true = as_int(num_true),
                                       .remove_accidental_hits = as_bool(remove),
                                       .seed = as_optional_int(seed),
                                       .name = as_text(name)};
    if (!sampled.is_none()) options.sampled_values = as_tensors(sampled);
    return options;
  };
  const auto loss = [&](const char* function, bool removes, auto make) {
    m.def(
        function,
        [=](nb::handle weights, nb::handle biases, nb::handle labels, nb::handle inputs,
            nb::handle num_sampled, nb::handle num_classes, nb::handle num_true, nb::handle sampled_values,
            nb::handle remove, nb::handle, nb::handle name, nb::handle seed) {
          return give(make(as_input(only_part(weights, function, "weights")), as_input(biases),
                           as_input(labels), as_input(inputs), as_int(num_sampled), as_int(num_classes),
                           options_of(num_true, sampled_values, remove, name, seed)));
        },
        "weights"_a, "biases"_a, "labels"_a, "inputs"_a, "num_sampled"_a, "num_classes"_a, "num_true"_a = 1,
        kNone("sampled_values") = nb::none(), "remove_accidental_hits"_a = removes,
        "partition_strategy"_a = "mod", kNone("name") = function, kNone("seed") = nb::none());
  };
  loss("nce_loss", false, &tf::nn::nce_loss);
  loss("sampled_softmax_loss", true, &tf::nn::sampled_softmax_loss);
}

}  // namespace

void bind_nn(nb::module_& m) {
  bind_normalisation(m);
  bind_products(m);
  bind_sampled_losses(m);
  bind_activations(m);
  bind_losses(m);
  bind_convolutions(m);
  m.def(
      "embedding_lookup",
      [](nb::handle params, nb::handle ids, nb::handle, nb::handle name, nb::handle, nb::handle max_norm) {
        refuse(max_norm, "tf.nn.embedding_lookup", "max_norm");
        if (params.is_none()) throw ValueError("params must be specified");
        nb::object table = nb::borrow(params);
        if (PyList_Check(params.ptr()) != 0 || PyTuple_Check(params.ptr()) != 0) {
          if (nb::len(params) == 0)
            throw ValueError("Length of params is currently 0. Need at least one param.");
          if (nb::len(params) > 1) refuse(params, "tf.nn.embedding_lookup", "params");
          table = params[0];
        }
        return give(tf::nn::embedding_lookup(as_input(table), as_input(ids), {as_text(name)}));
      },
      "params"_a, "ids"_a, "partition_strategy"_a = "mod", "name"_a = nb::none(), "validate_indices"_a = true,
      "max_norm"_a = nb::none());
}

}  // namespace flowray::python
