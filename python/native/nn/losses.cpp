/// tf.losses.

#include "native/convert/convert.h"

#include <flowray/tf/losses.h>

#include <fmt/format.h>

#include <string>

namespace flowray::python {
namespace {

namespace losses = tf::losses;

auto none(const char* name) { return nb::arg(name).none() = nb::none(); }

/// The arguments that losses cannot do without.
tf::Input given(nb::handle object, const char* name) {
  if (object.is_none()) throw ValueError(fmt::format("Argument `{}` must not be None.", name));
  return as_input(object);
}

/// The options of all losses, by keyword; of those that are smoothed, too.
template <class Options>
Options loss_options(nb::handle weights, nb::handle scope, nb::handle collection, nb::handle reduction) {
  Options options;
  if (!weights.is_none()) options.weights = as_input(weights);
  options.scope = as_text(scope);
  options.loss_collection = as_text(collection);
  options.reduction = PyUnicode_Check(reduction.ptr()) != 0 ? as_text(reduction) : nb::str(reduction).c_str();
  return options;
}

void refuse_no_weights(nb::handle weights) {
  if (weights.is_none()) throw ValueError("None values not supported.");
}

void bind_plain_losses(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const losses::LossOptions&);
  const auto loss = [&](const char* name, const char* labels_name, const char* predictions_name, Make make) {
    m.def(
        name,
        [=](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle scope,
            nb::handle collection, nb::handle reduction) {
          const tf::Input wanted = given(labels, labels_name);
          const tf::Input guessed = given(predictions, predictions_name);
          refuse_no_weights(weights);
          return give(make(wanted, guessed,
                           loss_options<losses::LossOptions>(weights, scope, collection, reduction)));
        },
        nb::arg(labels_name).none(), nb::arg(predictions_name).none(), nb::arg("weights").none() = 1.0,
        none("scope"), nb::arg("loss_collection").none() = "losses",
        nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  };
  loss("absolute_difference", "labels", "predictions", &losses::absolute_difference);
  loss("mean_squared_error", "labels", "predictions", &losses::mean_squared_error);
  loss("hinge_loss", "labels", "logits", &losses::hinge_loss);
  loss("sparse_softmax_cross_entropy", "labels", "logits", &losses::sparse_softmax_cross_entropy);
}

void bind_smoothed_losses(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const losses::SmoothedLossOptions&);
  const auto loss = [&](const char* name, const char* labels_name, Make make) {
    m.def(
        name,
        [=](nb::handle labels, nb::handle logits, nb::handle weights, nb::handle label_smoothing,
            nb::handle scope, nb::handle collection, nb::handle reduction) {
          const tf::Input wanted = given(labels, labels_name);
          const tf::Input guessed = given(logits, "logits");
          refuse_no_weights(weights);
          auto options = loss_options<losses::SmoothedLossOptions>(weights, scope, collection, reduction);
          options.label_smoothing = as_float(label_smoothing);
          return give(make(wanted, guessed, options));
        },
        nb::arg(labels_name).none(), nb::arg("logits").none(), nb::arg("weights").none() = 1.0,
        nb::arg("label_smoothing").none() = 0, none("scope"), nb::arg("loss_collection").none() = "losses",
        nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  };
  loss("softmax_cross_entropy", "onehot_labels", &losses::softmax_cross_entropy);
  loss("sigmoid_cross_entropy", "multi_class_labels", &losses::sigmoid_cross_entropy);
  m.def(
      "compute_weighted_loss",
      [](nb::handle values, nb::handle weights, nb::handle scope, nb::handle collection,
         nb::handle reduction) {
        refuse_no_weights(weights);
        return give(losses::compute_weighted_loss(
            as_input(values), loss_options<losses::LossOptions>(weights, scope, collection, reduction)));
      },
      nb::arg("losses").none(), nb::arg("weights").none() = 1.0, none("scope"),
      nb::arg("loss_collection").none() = "losses",
      nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
}

/// Losses with one number of their own, between weights and scope.
void bind_numbered_losses(nb::module_& m) {
  const auto loss = [&](const char* name, const char* number_name, double default_number, auto make) {
    m.def(
        name,
        [=](nb::handle labels, nb::handle predictions, nb::handle weights, Real number, nb::handle scope,
            nb::handle collection, nb::handle reduction) {
          const tf::Input wanted = given(labels, "labels");
          const tf::Input guessed = given(predictions, "predictions");
          refuse_no_weights(weights);
          return give(make(wanted, guessed, weights, number, scope, collection, reduction));
        },
        nb::arg("labels").none(), nb::arg("predictions").none(), nb::arg("weights").none() = 1.0,
        nb::arg(number_name).none() = default_number, none("scope"),
        nb::arg("loss_collection").none() = "losses",
        nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  };
  loss("log_loss", "epsilon", 1e-7,
       [](const tf::Input& labels, const tf::Input& predictions, nb::handle weights, double epsilon,
          nb::handle scope, nb::handle collection, nb::handle reduction) {
         auto options = loss_options<losses::LogLossOptions>(weights, scope, collection, reduction);
         options.epsilon = epsilon;
         return losses::log_loss(labels, predictions, options);
       });
  loss("huber_loss", "delta", 1.0,
       [](const tf::Input& labels, const tf::Input& predictions, nb::handle weights, double delta,
          nb::handle scope, nb::handle collection, nb::handle reduction) {
         auto options = loss_options<losses::HuberLossOptions>(weights, scope, collection, reduction);
         options.delta = delta;
         return losses::huber_loss(labels, predictions, options);
       });
}

void bind_distances(nb::module_& m) {
  m.def(
      "cosine_distance",
      [](nb::handle labels, nb::handle predictions, nb::handle axis, nb::handle weights, nb::handle scope,
         nb::handle collection, nb::handle reduction, nb::handle dim) {
        const nb::handle along = axis.is_none() ? dim : axis;
        if (along.is_none()) throw ValueError("You must specify argument `axis`.");
        const tf::Input wanted = given(labels, "labels");
        const tf::Input guessed = given(predictions, "predictions");
        refuse_no_weights(weights);
        return give(losses::cosine_distance(
            wanted, guessed, as_int(along),
            loss_options<losses::LossOptions>(weights, scope, collection, reduction)));
      },
      nb::arg("labels").none(), nb::arg("predictions").none(), none("axis"), nb::arg("weights").none() = 1.0,
      none("scope"), nb::arg("loss_collection").none() = "losses",
      nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS, none("dim"));
  m.def(
      "mean_pairwise_squared_error",
      [](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle scope,
         nb::handle collection) {
        const tf::Input wanted = given(labels, "labels");
        const tf::Input guessed = given(predictions, "predictions");
        refuse_no_weights(weights);
        return give(losses::mean_pairwise_squared_error(
            wanted, guessed, {as_input(weights), as_text(scope), as_text(collection)}));
      },
      nb::arg("labels").none(), nb::arg("predictions").none(), nb::arg("weights").none() = 1.0, none("scope"),
      nb::arg("loss_collection").none() = "losses");
}

void bind_losses_of_graph(nb::module_& m) {
  m.def(
      "get_losses",
      [](nb::handle scope, nb::handle collection) {
        return give(losses::get_losses(as_text(scope), as_text(collection)));
      },
      none("scope"), nb::arg("loss_collection").none() = "losses");
  m.def(
      "get_regularization_losses",
      [](nb::handle scope) { return give(losses::get_regularization_losses(as_text(scope))); },
      none("scope"));
  m.def(
      "get_regularization_loss",
      [](nb::handle scope, nb::handle name) {
        return give(losses::get_regularization_loss({.scope = as_text(scope), .name = as_text(name)}));
      },
      none("scope"), nb::arg("name").none() = "total_regularization_loss");
  m.def(
      "get_total_loss",
      [](nb::handle regularization, nb::handle name, nb::handle scope) {
        return give(losses::get_total_loss({.add_regularization_losses = as_bool(regularization),
                                            .name = as_text(name),
                                            .scope = as_text(scope)}));
      },
      nb::arg("add_regularization_losses").none() = true, nb::arg("name").none() = "total_loss",
      none("scope"));
  nb::object reduction = nb::module_::import_("types").attr("SimpleNamespace")();
  const auto word = [&](const char* name, const char* value) { reduction.attr(name) = value; };
  word("NONE", losses::Reduction::NONE);
  word("SUM", losses::Reduction::SUM);
  word("MEAN", losses::Reduction::MEAN);
  word("SUM_OVER_BATCH_SIZE", losses::Reduction::SUM_OVER_BATCH_SIZE);
  word("SUM_OVER_NONZERO_WEIGHTS", losses::Reduction::SUM_OVER_NONZERO_WEIGHTS);
  word("SUM_BY_NONZERO_WEIGHTS", losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  m.attr("Reduction") = reduction;
}

}  // namespace

void bind_losses(nb::module_& m) {
  nb::module_ module = m.def_submodule("losses");
  bind_plain_losses(module);
  bind_smoothed_losses(module);
  bind_numbered_losses(module);
  bind_distances(module);
  bind_losses_of_graph(module);
}

}  // namespace flowray::python
