// Sequences of labels whose places in time are not known: the loss of Graves et al. ("Connectionist temporal
// classification", 2006) and two ways to find the labels.

#include "core/checked_size.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b))
double log_sum(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// Numbers [time, batch, classes], of which each batch entry has so many steps.
struct Sequences {
  int64_t time;
  int64_t batch;
  int64_t classes;

  template <class T>
  const T* at(const Array& inputs, int64_t t, int64_t b) const {
    return inputs.data<T>() + (t * batch + b) * classes;
  }
};

/// `Error` is what TensorFlow has for lengths that do not fit: decoders have another than the loss.
template <class Error>
Sequences checked_sequences(const Array& inputs, const Array& lengths) {
  if (inputs.rank() != 3) invalid_argument("inputs is not a 3-Tensor");
  const Sequences sequences{inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (lengths.rank() != 1) invalid_argument("sequence_length is not a vector");
  if (lengths.size() != sequences.batch) {
    throw Error(fmt::format("len(sequence_length) != batch_size.  len(sequence_length):  {} batch_size: {}",
                            lengths.size(), sequences.batch));
  }
  for (int64_t b = 0; b < sequences.batch; ++b) {
    const int64_t length = lengths.data<int32_t>()[b];
    if (length > sequences.time) throw Error(fmt::format("sequence_length({}) <= {}", b, sequences.time));
    if (length < 0) invalid_argument(fmt::format("sequence_length({}) must be >= 0, got {}", b, length));
  }
  if (sequences.classes < 1) invalid_argument("num_classes must be at least 1");
  return sequences;
}

/// What a decoder decodes.
Sequences decoded_sequences(const DynamicCall& call) {
  if (call.in(0).rank() == 3 && call.in(0).size() == 0) invalid_argument("inputs must not be empty");
  return checked_sequences<errors::FailedPreconditionError>(call.in(0), call.in(1));
}

/// Labels of each batch entry as a sparse matrix.
void set_decoded(DynamicCall& call, int first, int step, const std::vector<std::vector<int64_t>>& labels) {
  std::vector<int64_t> numbers;
  std::vector<int64_t> values;
  int64_t longest = 0;
  for (size_t b = 0; b < labels.size(); ++b) {
    for (size_t k = 0; k < labels[b].size(); ++k) {
      numbers.push_back(static_cast<int64_t>(b));
      numbers.push_back(static_cast<int64_t>(k));
      values.push_back(labels[b][k]);
    }
    longest = std::max(longest, std::ssize(labels[b]));
  }
  call.set_out(first, coordinates_of(numbers, std::ssize(values), 2));
  call.set_out(first + step, Array(values));
  call.set_out(first + 2 * step, Array(std::vector<int64_t>{std::ssize(labels), longest}));
}

// ---- CTCGreedyDecoder

void greedy_shape(ShapeContext& context) {
  const Shape inputs = context.with_rank(0, 3);
  const Shape lengths = context.with_rank(1, 1);
  const int64_t batch = ShapeContext::merge_dim(inputs.dim(1), lengths.dim(0));
  context.set_output(0, Shape{kUnknown, 2});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{2});
  context.set_output(3, Shape{batch, 1});
}

template <class T>
void greedy(DynamicCall& call) {
  const Sequences all = decoded_sequences(call);
  const bool merges = call.attrs().get<bool>("merge_repeated");
  int64_t blank = call.attrs().get<int64_t>("blank_index");
  if (blank < 0) blank += all.classes;
  if (blank < 0 || blank >= all.classes) {
    invalid_argument(fmt::format("blank_index expected to be in [-{}, {}), got {}", all.classes, all.classes,
                                 call.attrs().get<int64_t>("blank_index")));
  }
  std::vector<std::vector<int64_t>> labels(static_cast<size_t>(all.batch));
  Array sums(call.in(0).dtype(), Shape{all.batch, 1});
  for (int64_t b = 0; b < all.batch; ++b) {
    T sum = 0;
    int64_t before = -1;
    for (int64_t t = 0; t < call.in(1).data<int32_t>()[b]; ++t) {
      const T* const row = all.at<T>(call.in(0), t, b);
      const int64_t best = std::max_element(row, row + all.classes) - row;
      sum -= row[best];
      if (best != blank && !(merges && best == before)) labels[static_cast<size_t>(b)].push_back(best);
      before = best;
    }
    sums.mutable_data<T>()[b] = sum;
  }
  set_decoded(call, 0, 1, labels);
  call.set_out(3, std::move(sums));
}

// ---- CTCLoss

void loss_shape(ShapeContext& context) {
  const Shape inputs = context.with_rank(0, 3);
  const Shape indices = context.with_rank(1, 2);
  const Shape values = context.with_rank(2, 1);
  const Shape lengths = context.with_rank(3, 1);
  ShapeContext::merge_dim(indices.dim(0), values.dim(0));
  const int64_t batch = ShapeContext::merge_dim(inputs.dim(1), lengths.dim(0));
  context.set_output(0, Shape{batch});
  context.set_output(1, Shape{inputs.dim(0), batch, inputs.dim(2)});
}

struct LossOptions {
  bool collapses;
  bool merges;
  bool ignores_longer;
};

/// The labels of batch entry `b` without those at the end that are not a class, and without what is
/// collapsed.
std::vector<int64_t> checked_labels(const std::vector<int64_t>& given, int64_t b, int64_t classes,
                                    bool collapses) {
  std::vector<int64_t> labels;
  bool has_ended = false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] < 0) {
      invalid_argument(fmt::format("All labels must be nonnegative integers, batch: {} labels: {}", b,
                                   fmt::join(given, ",")));
    }
    if (collapses && i > 0 && given[i] == given[i - 1]) continue;
    if (given[i] >= classes - 1) {
      has_ended = true;
    } else if (has_ended) {
      invalid_argument(
          fmt::format("Saw a non-null label (index >= num_classes - 1) following a null label, batch: {} "
                      "num_classes: {} labels: {} labels seen so far: {}",
                      b, classes, fmt::join(given, ","), fmt::join(labels, ",")));
    } else {
      labels.push_back(given[i]);
    }
  }
  return labels;
}

/// The labels of each batch entry, checked.
std::vector<std::vector<int64_t>> labels_of(const DynamicCall& call, const Sequences& all,
                                            const LossOptions& options) {
  const Array& indices = call.in(1);
  const Array& values = call.in(2);
  if (indices.rank() != 2) invalid_argument("labels_indices is not a matrix");
  if (values.rank() != 1) invalid_argument("labels_values is not a vector");
  if (indices.dim(0) != values.dim(0)) {
    invalid_argument(fmt::format(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: {} vs. {}",
        indices.shape().to_string(), values.shape().to_string()));
  }
  if (all.batch == 0) invalid_argument("batch_size must not be 0");
  std::vector<std::vector<int64_t>> labels(static_cast<size_t>(all.batch));
  const Coordinates coordinates(indices);
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    if (coordinates.depth() < 1) invalid_argument("labels_indices has no columns");
    const int64_t b = coordinates[i][0];
    if (b < 0 || b >= all.batch) {
      invalid_argument(fmt::format("labels batch index must be between 0 and {} but saw: {}", all.batch, b));
    }
    labels[static_cast<size_t>(b)].push_back(values.data<int32_t>()[i]);
  }
  for (int64_t b = 0; b < all.batch; ++b) {
    std::vector<int64_t>& row = labels[static_cast<size_t>(b)];
    if (row.empty()) invalid_argument(fmt::format("Labels length is zero in batch {}", b));
    row = checked_labels(row, b, all.classes, options.collapses);
    const int64_t available = call.in(3).data<int32_t>()[b];
    const int64_t required = std::ssize(row);
    if (options.ignores_longer || required <= available || available == 0) continue;
    invalid_argument(fmt::format(
        "Not enough time for target transition sequence (required: {}, available: {}){}You can turn this "
        "error into a warning by using the flag ignore_longer_outputs_than_inputs",
        required, available, b));
  }
  return labels;
}

/// One sequence of steps and one of labels with blanks around them: the paths through both.
class Paths {
 public:
  Paths(std::vector<double> log_y, int64_t time, int64_t classes, const std::vector<int64_t>& labels,
        bool merges)
      : log_y_(std::move(log_y)), time_(time), classes_(classes), merges_(merges) {
    states_.push_back(classes - 1);
    for (const int64_t label : labels) {
      states_.push_back(label);
      states_.push_back(classes - 1);
    }
    num_states_ = std::ssize(states_);
    walk_forward();
    walk_backward();
    log_probability_ = kLogZero;
    for (int64_t u = 0; u < num_states_; ++u)
      log_probability_ = log_sum(log_probability_, alpha(0, u) + beta(0, u));
  }

  double log_probability() const { return log_probability_; }

  /// For each class, the probability that a path of these labels has it at step t.
  std::vector<double> expected(int64_t t) const {
    std::vector<double> sums(static_cast<size_t>(classes_), kLogZero);
    for (int64_t u = 0; u < num_states_; ++u) {
      double& sum = sums[static_cast<size_t>(state(u))];
      sum = log_sum(sum, alpha(t, u) + beta(t, u));
    }
    for (double& sum : sums) sum = std::exp(sum - log_probability_);
    return sums;
  }

 private:
  int64_t state(int64_t u) const { return states_[static_cast<size_t>(u)]; }
  bool is_blank(int64_t u) const { return state(u) == classes_ - 1; }
  double log_y(int64_t t, int64_t u) const { return log_y_[static_cast<size_t>(t * classes_ + state(u))]; }
  size_t place(int64_t t, int64_t u) const { return static_cast<size_t>(t * num_states_ + u); }
  double alpha(int64_t t, int64_t u) const { return alpha_[place(t, u)]; }
  double beta(int64_t t, int64_t u) const { return beta_[place(t, u)]; }
  bool stays(int64_t u) const { return merges_ || is_blank(u); }
  /// Whether a path may go from state u - 2 to u, passing over the blank between.
  bool skips_to(int64_t u) const { return !is_blank(u) && !(merges_ && state(u) == state(u - 2)); }
  /// States from which the end can be reached, and which can be reached, at a step.
  int64_t first_at(int64_t t) const { return std::max<int64_t>(0, num_states_ - 2 * (time_ - t)); }
  int64_t end_at(int64_t t) const { return std::min(num_states_, 2 * (t + 1)); }

  void walk_forward() {
    alpha_.assign(place(time_, 0), kLogZero);
    alpha_[place(0, 0)] = log_y(0, 0);
    if (num_states_ > 1) alpha_[place(0, 1)] = log_y(0, 1);
    for (int64_t t = 1; t < time_; ++t) {
      for (int64_t u = first_at(t); u < end_at(t); ++u) {
        double sum = stays(u) ? alpha(t - 1, u) : kLogZero;
        if (u > 0) sum = log_sum(sum, alpha(t - 1, u - 1));
        if (u > 1 && skips_to(u)) sum = log_sum(sum, alpha(t - 1, u - 2));
        alpha_[place(t, u)] = log_y(t, u) + sum;
      }
    }
  }

  void walk_backward() {
    beta_.assign(place(time_, 0), kLogZero);
    for (int64_t u = std::max<int64_t>(0, num_states_ - 2); u < num_states_; ++u)
      beta_[place(time_ - 1, u)] = 0;
    for (int64_t t = time_ - 2; t >= 0; --t) {
      for (int64_t u = first_at(t); u < end_at(t); ++u) {
        double sum = stays(u) ? beta(t + 1, u) + log_y(t + 1, u) : kLogZero;
        if (u + 1 < num_states_) sum = log_sum(sum, beta(t + 1, u + 1) + log_y(t + 1, u + 1));
        const bool skips = u + 2 < num_states_ && !is_blank(u) && !(merges_ && state(u) == state(u + 2));
        if (skips) sum = log_sum(sum, beta(t + 1, u + 2) + log_y(t + 1, u + 2));
        beta_[place(t, u)] = sum;
      }
    }
  }

  std::vector<double> log_y_;
  int64_t time_;
  int64_t classes_;
  bool merges_;
  std::vector<int64_t> states_;
  int64_t num_states_ = 0;
  std::vector<double> alpha_;
  std::vector<double> beta_;
  double log_probability_ = kLogZero;
};

/// The logarithms of the softmax of each step of batch entry b.
template <class T>
std::vector<double> log_softmax_of(const Array& inputs, const Sequences& all, int64_t b, int64_t length) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(length * all.classes));  // size: of a part of the inputs
  for (int64_t t = 0; t < length; ++t) {
    const T* const row = all.at<T>(inputs, t, b);
    const double largest = *std::max_element(row, row + all.classes);
    double sum = 0;
    for (int64_t c = 0; c < all.classes; ++c) sum += std::exp(static_cast<double>(row[c]) - largest);
    for (int64_t c = 0; c < all.classes; ++c)
      out.push_back(static_cast<double>(row[c]) - largest - std::log(sum));
  }
  return out;
}

template <class T>
void loss(DynamicCall& call) {
  const Sequences all = checked_sequences<errors::InvalidArgumentError>(call.in(0), call.in(3));
  const LossOptions options{call.attrs().get<bool>("preprocess_collapse_repeated"),
                            call.attrs().get<bool>("ctc_merge_repeated"),
                            call.attrs().get<bool>("ignore_longer_outputs_than_inputs")};
  const std::vector<std::vector<int64_t>> labels = labels_of(call, all, options);
  Array losses(call.in(0).dtype(), Shape{all.batch});
  Array gradient(call.in(0).dtype(), call.in(0).shape());
  std::fill_n(losses.mutable_data<T>(), losses.size(), T(0));
  std::fill_n(gradient.mutable_data<T>(), gradient.size(), T(0));
  for (int64_t b = 0; b < all.batch; ++b) {
    const int64_t length = call.in(3).data<int32_t>()[b];
    const std::vector<int64_t>& row = labels[static_cast<size_t>(b)];
    if (length == 0 || (options.ignores_longer && std::ssize(row) > length)) continue;
    const std::vector<double> log_y = log_softmax_of<T>(call.in(0), all, b, length);
    const Paths paths(log_y, length, all.classes, row, options.merges);
    losses.mutable_data<T>()[b] = static_cast<T>(-paths.log_probability());
    for (int64_t t = 0; t < length; ++t) {
      T* const to = gradient.mutable_data<T>() + (t * all.batch + b) * all.classes;
      const bool has_path = paths.log_probability() != kLogZero;
      const std::vector<double> expected =
          has_path ? paths.expected(t) : std::vector<double>(static_cast<size_t>(all.classes), 0);
      for (int64_t c = 0; c < all.classes; ++c) {
        const double y = std::exp(log_y[static_cast<size_t>(t * all.classes + c)]);
        to[c] = static_cast<T>(y - expected[static_cast<size_t>(c)]);
      }
    }
  }
  call.set_out(0, std::move(losses));
  call.set_out(1, std::move(gradient));
}

std::vector<Endpoint> loss_gradient(GradientContext& g) {
  const Endpoint once =
      g.op("PreventGradient", {g.output(1)},
           {{"message",
             std::string("Currently there is no way to take the second  derivative of ctc_loss due to the "
                         "fused implementation's interaction  with tf.gradients()")}});
  const Endpoint column = python_expand_dims(g, g.grad(0), -1);
  return {g.op("Mul", {column, once}, {}, "mul"), {}, {}, {}};
}

// ---- CTCBeamSearchDecoder

void beam_shape(ShapeContext& context) {
  const Shape inputs = context.with_rank(0, 3);
  const Shape lengths = context.with_rank(1, 1);
  const int64_t batch = ShapeContext::merge_dim(inputs.dim(1), lengths.dim(0));
  const int n = (static_cast<int>(context.outputs().size()) - 1) / 3;
  for (int i = 0; i < n; ++i) {
    context.set_output(i, Shape{kUnknown, 2});
    context.set_output(n + i, Shape{kUnknown});
    context.set_output(2 * n + i, Shape{2});
  }
  context.set_output(3 * n, Shape{batch, n});
}

/// How probable a prefix is, ending with a blank and with its last label.
struct PrefixProbability {
  double blank = kLogZero;
  double label = kLogZero;
  double total = kLogZero;
};

/// A prefix of labels: its parent's and one more.
struct Prefix {
  Prefix* parent = nullptr;
  int64_t last = -1;
  PrefixProbability before = {};
  PrefixProbability now = {};
  std::map<int64_t, Prefix*> longer = {};

  bool is_active() const { return now.total != kLogZero; }
};

/// The most probable prefixes after each step, at most `width` of them.
class BeamSearch {
 public:
  BeamSearch(size_t width, int64_t classes) : width_(width), classes_(classes) {
    root_.now = {0, kLogZero, 0};
    beam_.push_back(&root_);
  }

  /// `log_y`: the logarithms of the probabilities of the classes.
  void step(const double* log_y) {
    std::vector<Prefix*> branches = std::move(beam_);
    beam_.clear();
    by_total_.clear();
    std::ranges::stable_sort(branches,
                             [](const Prefix* a, const Prefix* b) { return a->now.total > b->now.total; });
    for (Prefix* const prefix : branches) prefix->before = prefix->now;
    for (Prefix* const prefix : branches) stay(*prefix, log_y);
    for (Prefix* const prefix : branches) {
      if (!is_candidate(prefix->before.total)) continue;
      for (int64_t c = 0; c < classes_ - 1; ++c) grow(*prefix, c, log_y);
    }
  }

  /// The best ones, and how probable they are.
  std::vector<Prefix*> best(size_t count) {
    std::ranges::stable_sort(beam_,
                             [](const Prefix* a, const Prefix* b) { return a->now.total > b->now.total; });
    if (beam_.size() < count) invalid_argument("Less leaves in the beam search than requested.");
    return {beam_.begin(), beam_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  void stay(Prefix& prefix, const double* log_y) {
    if (prefix.parent != nullptr) {
      if (prefix.parent->is_active()) {
        const Prefix& parent = *prefix.parent;
        const double came = prefix.last == parent.last ? parent.before.blank : parent.before.total;
        prefix.now.label = log_sum(prefix.now.label, came);
      }
      prefix.now.label += log_y[prefix.last];
    }
    prefix.now.blank = prefix.before.total + log_y[classes_ - 1];
    prefix.now.total = log_sum(prefix.now.blank, prefix.now.label);
    keep(prefix);
  }

  void grow(Prefix& prefix, int64_t label, const double* log_y) {
    const auto found = prefix.longer.find(label);
    if (found != prefix.longer.end() && found->second->is_active()) return;
    const double came = label == prefix.last ? prefix.before.blank : prefix.before.total;
    const double total = log_y[label] + came;
    if (!is_candidate(total)) {
      if (found != prefix.longer.end()) found->second->before = {};
      return;
    }
    Prefix& longer = found != prefix.longer.end() ? *found->second : added(prefix, label);
    longer.now = {kLogZero, total, total};
    keep(longer);
  }
  Prefix& added(Prefix& prefix, int64_t label) {
    Prefix& longer = prefixes_.emplace_back(Prefix{.parent = &prefix, .last = label});
    (void)checked_count("prefixes of a beam search", std::ssize(prefixes_));
    prefix.longer.emplace(label, &longer);
    return longer;
  }

  bool is_candidate(double total) const {
    if (total == kLogZero) return false;
    return beam_.size() < width_ || total > by_total_.begin()->first;
  }
  void keep(Prefix& prefix) {
    const double total = std::isnan(prefix.now.total) ? kLogZero : prefix.now.total;
    if (beam_.size() < width_) {
      by_total_.emplace(total, beam_.size());
      beam_.push_back(&prefix);
      return;
    }
    const auto [least, place] = *by_total_.begin();
    if (least >= prefix.now.total) {
      prefix.now = {};
      return;
    }
    beam_[place]->now = {};
    beam_[place] = &prefix;
    by_total_.erase(by_total_.begin());
    by_total_.emplace(total, place);
  }

  size_t width_;
  int64_t classes_;
  Prefix root_;
  std::deque<Prefix> prefixes_;  // all longer ones: as owners of one another they would end by recursion
  std::vector<Prefix*> beam_;
  // The places of the beam by how probable they are: a beam may be of millions.
  std::set<std::pair<double, size_t>> by_total_;
};

std::vector<int64_t> labels_of_prefix(const Prefix& prefix, bool merges) {
  std::vector<int64_t> labels;
  int64_t behind = -1;
  for (const Prefix* at = &prefix; at->parent != nullptr; at = at->parent) {
    if (!merges || at->last != behind) labels.push_back(at->last);
    behind = at->last;
  }
  std::ranges::reverse(labels);
  return labels;
}

template <class T>
void beam_search(DynamicCall& call) {
  const Sequences all = decoded_sequences(call);
  const auto width = static_cast<size_t>(call.attrs().get<int64_t>("beam_width"));
  const int n = checked_int32("Attr top_paths", call.attrs().get<int64_t>("top_paths"));
  const bool merges = call.attrs().get<bool>("merge_repeated");
  if (static_cast<size_t>(n) > width)
    invalid_argument(fmt::format("Requested more paths than the beam width.\nThere are {} and {}", n, width));
  std::vector<std::vector<std::vector<int64_t>>> labels(
      static_cast<size_t>(n), std::vector<std::vector<int64_t>>(static_cast<size_t>(all.batch)));
  Array sums(call.in(0).dtype(), Shape{all.batch, n});
  for (int64_t b = 0; b < all.batch; ++b) {
    const int64_t length = call.in(1).data<int32_t>()[b];
    const std::vector<double> log_y = log_softmax_of<T>(call.in(0), all, b, length);
    BeamSearch search(width, all.classes);
    for (int64_t t = 0; t < length; ++t) search.step(log_y.data() + t * all.classes);
    const std::vector<Prefix*> best = search.best(static_cast<size_t>(n));
    for (size_t i = 0; i < best.size(); ++i) {
      labels[i][static_cast<size_t>(b)] = labels_of_prefix(*best[i], merges);
      sums.mutable_data<T>()[b * n + static_cast<int64_t>(i)] = static_cast<T>(best[i]->now.total);
    }
  }
  for (int i = 0; i < n; ++i) set_decoded(call, i, n, labels[static_cast<size_t>(i)]);
  call.set_out(3 * n, std::move(sums));
}

template <void (*kFloat)(DynamicCall&), void (*kDouble)(DynamicCall&)>
void of_floats(DynamicCall& call) {
  call.in(0).dtype() == DType::kFloat64 ? kDouble(call) : kFloat(call);
}

constexpr graph::OpRow kCtcOps[] = {
    {.name = "CTCGreedyDecoder",
     .inputs = "inputs:T, sequence_length:int32",
     .outputs = "decoded_indices:int64, decoded_values:int64, decoded_shape:int64, log_probability:T",
     .attrs = "merge_repeated:bool=false; blank_index:int=-1; T:type=float32{wide_floats}",
     .shape = greedy_shape,
     .not_differentiable = true,
     .compute = of_floats<greedy<float>, greedy<double>>},
    {.name = "CTCLoss",
     .inputs = "inputs:T, labels_indices:int64, labels_values:int32, sequence_length:int32",
     .outputs = "loss:T, gradient:T",
     .attrs = "preprocess_collapse_repeated:bool=false; ctc_merge_repeated:bool=true; "
              "ignore_longer_outputs_than_inputs:bool=false; T:type=float32{wide_floats}",
     .shape = loss_shape,
     .gradient = loss_gradient,
     .compute = of_floats<loss<float>, loss<double>>},
    {.name = "CTCBeamSearchDecoder",
     .inputs = "inputs:T, sequence_length:int32",
     .outputs = "decoded_indices:top_paths*int64, decoded_values:top_paths*int64, "
                "decoded_shape:top_paths*int64, log_probability:T",
     .attrs = "beam_width:int>=1; top_paths:int>=1; merge_repeated:bool=true; T:type=float32{wide_floats}",
     .shape = beam_shape,
     .not_differentiable = true,
     .compute = of_floats<beam_search<float>, beam_search<double>>},
};

}  // namespace

void register_ctc_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kCtcOps) table.add(row);
}

}  // namespace flowray::ops
