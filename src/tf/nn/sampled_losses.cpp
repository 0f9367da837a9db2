// tf.nn.nce_loss and sampled_softmax_loss: losses over the true classes and some others.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/random_seed.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

namespace flowray::tf::nn {
namespace {

Input ints(const std::vector<int32_t>& values) { return Array(values); }

/// Element `i` of a vector as a vector of length 1.
Tensor part_of(const Tensor& vector, int64_t i) { return vector[Slice{i, i + 1}]; }

/// The sums of the rows of a matrix, as the product with a column of ones.
Tensor sums_of_rows(const Tensor& x) {
  const Tensor columns = shape(x)[1];
  const Tensor ones_column = ones(stack({columns, 1}), base_dtype(x.dtype()));
  return reshape(matmul(x, ones_column), ints({-1}));
}

struct LogitsAndLabels {
  Tensor logits;
  Tensor labels;
};

class SampledLogits {
 public:
  SampledLogits(const Input& weights, const Input& biases, const Input& labels, const Input& inputs,
                int64_t num_sampled, int64_t num_classes, const SampledLossOptions& options,
                bool removes_hits)
      : weights_(weights),
        biases_(biases),
        labels_(labels),
        inputs_(inputs),
        num_sampled_(num_sampled),
        num_classes_(num_classes),
        options_(options),
        removes_hits_(removes_hits) {}

  LogitsAndLabels build(const char* default_name) {
    check_all_set(options_.sampled_values, "sampled_values");
    Composite call({{"weights", weights_}, {"biases", biases_}, {"labels", labels_}, {"inputs", inputs_}},
                   options_.name, default_name, inputs_.where());
    Tensor labels = call.convert(labels_, "labels");
    const Tensor inputs = call.convert(inputs_, "inputs");
    if (labels.dtype() != int64) labels = cast(labels, int64);
    const Tensor flat = reshape(labels, ints({-1}));
    sample(call, labels);
    const Tensor all = concat({flat, candidates_}, 0);
    const Tensor rows = embedding_lookup(weights_, all);
    const Tensor true_rows = slice(rows, ints({0, 0}), stack({shape(flat)[0], -1}));
    const Tensor sampled_rows = slice(rows, stack({shape(flat)[0], 0}), ints({-1, -1}));
    Tensor sampled_logits = matmul(inputs, sampled_rows, {.transpose_b = true});
    const Tensor all_biases = embedding_lookup(biases_, all);
    const Tensor true_biases = slice(all_biases, ints({0}), shape(flat));
    const Tensor sampled_biases = slice(all_biases, shape(flat), ints({-1}));
    Tensor true_logits = logits_of_true(inputs, true_rows);
    true_logits = reshape(true_logits, ints({-1, num_true()}));
    const Tensor shaped_biases = reshape(true_biases, ints({-1, num_true()}));
    true_logits = true_logits + shaped_biases;
    sampled_logits = sampled_logits + sampled_biases;
    if (removes_hits_) sampled_logits = without_hits(labels, sampled_logits);
    true_logits = true_logits - log(true_expected_);
    sampled_logits = sampled_logits - log(sampled_expected_);
    LogitsAndLabels result;
    result.logits = concat({true_logits, sampled_logits}, 1);
    const Tensor share = ones_like(true_logits) / static_cast<float>(num_true());
    result.labels = concat({share, zeros_like(sampled_logits)}, 1);
    return result;
  }

 private:
  int32_t num_true() const { return static_cast<int32_t>(options_.num_true); }

  void sample(Composite& call, const Tensor& labels) {
    std::vector<Tensor> sampled = options_.sampled_values;
    if (sampled.empty()) {
      const Seeds seeds = seeds_of(call.graph(), options_.seed);
      graph::Node* const node = apply_op_node({.op = "LogUniformCandidateSampler",
                                               .args = {labels},
                                               .attrs = {{"num_true", options_.num_true},
                                                         {"num_sampled", num_sampled_},
                                                         {"unique", true},
                                                         {"range_max", num_classes_},
                                                         {"seed", seeds.seed},
                                                         {"seed2", seeds.seed2}}});
      sampled = {Tensor(node, 0), Tensor(node, 1), Tensor(node, 2)};
    }
    if (sampled.size() != 3) throw ValueError("sampled_values must be three tensors");
    candidates_ = stop_gradient(sampled[0]);
    true_expected_ = stop_gradient(sampled[1]);
    sampled_expected_ = stop_gradient(sampled[2]);
    if (candidates_.dtype() != int64) candidates_ = cast(candidates_, int64);
  }

  Tensor logits_of_true(const Tensor& inputs, const Tensor& rows) const {
    const Tensor width = part_of(shape(rows), 1);
    const Tensor by_example = concat({ints({-1, num_true()}), width}, 0);
    const Tensor wide = expand_dims(inputs, 1);
    const Tensor products = multiply(wide, reshape(rows, by_example));
    const Tensor flat = reshape(products, concat({ints({-1}), width}, 0));
    return sums_of_rows(flat);
  }

  /// What makes the logits of candidates that are true too small to count.
  Tensor without_hits(const Tensor& labels, const Tensor& logits) const {
    graph::Node* const hits = apply_op_node({.op = "ComputeAccidentalHits",
                                             .args = {labels, candidates_},
                                             .attrs = {{"num_true", options_.num_true}}});
    const Tensor examples = reshape(Tensor(hits, 0), ints({-1, 1}));
    const Tensor ids = reshape(cast(Tensor(hits, 1), int32), ints({-1, 1}));
    const Tensor places = concat({examples, ids}, 1, {"sparse_indices"});
    const Tensor batch = shape(labels)[Slice{{}, 1}];
    const Tensor sizes = concat({batch, expand_dims(static_cast<int32_t>(num_sampled_), 0)}, 0);
    Tensor weights(hits, 2);
    if (base_dtype(weights.dtype()) != base_dtype(logits.dtype()))
      weights = cast(weights, base_dtype(logits.dtype()));
    return logits + apply_op({.op = "SparseToDense",
                              .args = {places, sizes, weights, Input(0.0)},
                              .attrs = {{"validate_indices", false}}});
  }

  const Input& weights_;
  const Input& biases_;
  const Input& labels_;
  const Input& inputs_;
  int64_t num_sampled_;
  int64_t num_classes_;
  const SampledLossOptions& options_;
  bool removes_hits_;
  Tensor candidates_, true_expected_, sampled_expected_;
};

}  // namespace

Tensor nce_loss(const Input& weights, const Input& biases, const Input& labels, const Input& inputs,
                int64_t num_sampled, int64_t num_classes, const SampledLossOptions& options) {
  const CallScope call({{"weights", weights}, {"biases", biases}, {"labels", labels}, {"inputs", inputs}});
  SampledLogits sampled(weights, biases, labels, inputs, num_sampled, num_classes, options,
                        options.remove_accidental_hits.value_or(false));
  const LogitsAndLabels found = sampled.build("nce_loss");
  const Tensor losses = sigmoid_cross_entropy_with_logits(
      {.labels = found.labels, .logits = found.logits, .name = "sampled_losses"});
  return sums_of_rows(losses);
}

Tensor sampled_softmax_loss(const Input& weights, const Input& biases, const Input& labels,
                            const Input& inputs, int64_t num_sampled, int64_t num_classes,
                            const SampledLossOptions& options) {
  const CallScope call({{"weights", weights}, {"biases", biases}, {"labels", labels}, {"inputs", inputs}});
  SampledLogits sampled(weights, biases, labels, inputs, num_sampled, num_classes, options,
                        options.remove_accidental_hits.value_or(true));
  const LogitsAndLabels found = sampled.build("sampled_softmax_loss");
  const Tensor wanted = stop_gradient(found.labels, {"labels_stop_gradient"});
  return softmax_cross_entropy_with_logits_v2({.labels = wanted, .logits = found.logits});
}

}  // namespace flowray::tf::nn
