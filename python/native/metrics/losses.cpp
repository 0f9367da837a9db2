/// tf.losses.

#include "native/convert/bind.h"

#include <flowray/tf/losses.h>

#include <fmt/format.h>

namespace flowray::python {

namespace losses = tf::losses;

FLOWRAY_FIELDS(losses::LossOptions, weights, scope, loss_collection, reduction)
FLOWRAY_FIELDS(losses::SmoothedLossOptions, weights, label_smoothing, scope, loss_collection, reduction)
FLOWRAY_FIELDS(losses::LogLossOptions, weights, epsilon, scope, loss_collection, reduction)
FLOWRAY_FIELDS(losses::HuberLossOptions, weights, delta, scope, loss_collection, reduction)
FLOWRAY_FIELDS(losses::PairwiseLossOptions, weights, scope, loss_collection)
FLOWRAY_FIELDS(losses::RegularizationLossOptions, scope, name)
FLOWRAY_FIELDS(losses::TotalLossOptions, add_regularization_losses, name, scope)

namespace {

/// An argument that losses cannot do without. `kName` is a name of it.
template <const char* kName>
Argument given() {
  return checked(
      kName, +[](nb::handle value) {
        if (value.is_none()) throw ValueError(fmt::format("Argument `{}` must not be None.", kName));
      });
}
constexpr char kLabels[] = "labels";
constexpr char kOnehotLabels[] = "onehot_labels";
constexpr char kMultiClassLabels[] = "multi_class_labels";
constexpr char kPredictions[] = "predictions";
constexpr char kLogits[] = "logits";

/// Only words name a reduction; the language refuses the rest.
std::string reduction_of(nb::handle reduction) {
  return PyUnicode_Check(reduction.ptr()) != 0 ? as_text(reduction) : nb::str(reduction).c_str();
}
Argument reduction() { return converted("reduction", &reduction_of); }

void bind_losses_of_pairs(nb::module_& m) {
  const auto loss = [&](const char* name, auto function, const Argument& labels,
                        const Argument& predictions) {
    bind(m, name, function, {labels, predictions, "weights", "scope", "loss_collection", reduction()});
  };
  loss("absolute_difference", &losses::absolute_difference, given<kLabels>(), given<kPredictions>());
  loss("mean_squared_error", &losses::mean_squared_error, given<kLabels>(), given<kPredictions>());
  loss("hinge_loss", &losses::hinge_loss, given<kLabels>(), given<kLogits>());
  loss("sparse_softmax_cross_entropy", &losses::sparse_softmax_cross_entropy, given<kLabels>(),
       given<kLogits>());
}

/// Losses with one number of their own, between weights and scope.
void bind_numbered_losses(nb::module_& m) {
  const auto loss = [&](const char* name, auto function, const Argument& labels, const Argument& predictions,
                        const Argument& number) {
    bind(m, name, function,
         {labels, predictions, "weights", number, "scope", "loss_collection", reduction()});
  };
  // TensorFlow's default is an integer.
  const Argument smoothing = {"label_smoothing", 0};
  loss("softmax_cross_entropy", &losses::softmax_cross_entropy, given<kOnehotLabels>(), given<kLogits>(),
       smoothing);
  loss("sigmoid_cross_entropy", &losses::sigmoid_cross_entropy, given<kMultiClassLabels>(), given<kLogits>(),
       smoothing);
  loss("log_loss", &losses::log_loss, given<kLabels>(), given<kPredictions>(), "epsilon");
  loss("huber_loss", &losses::huber_loss, given<kLabels>(), given<kPredictions>(), "delta");
}

void refuse_no_axis(nb::handle axis) {
  if (axis.is_none()) throw ValueError("You must specify argument `axis`.");
}

void bind_losses_of_graph(nb::module_& m) {
  bind(m, "get_losses", &losses::get_losses, {{"scope", nb::none()}, {"loss_collection", "losses"}});
  bind(m, "get_regularization_losses", &losses::get_regularization_losses, {{"scope", nb::none()}});
  bind(m, "get_regularization_loss", &losses::get_regularization_loss, {"scope", "name"});
  bind(m, "get_total_loss", &losses::get_total_loss, {"add_regularization_losses", "name", "scope"});
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
  bind_losses_of_pairs(module);
  bind_numbered_losses(module);
  bind(module, "compute_weighted_loss", &losses::compute_weighted_loss,
       {"losses", "weights", "scope", "loss_collection", reduction()});
  bind(module, "cosine_distance", &losses::cosine_distance,
       {given<kLabels>(), given<kPredictions>(), checked({"axis", nb::none()}, &refuse_no_axis), "weights",
        "scope", "loss_collection", reduction(), older("dim", "axis")});
  bind(module, "mean_pairwise_squared_error", &losses::mean_pairwise_squared_error,
       {given<kLabels>(), given<kPredictions>(), "weights", "scope", "loss_collection"});
  bind_losses_of_graph(module);
}

}  // namespace flowray::python
