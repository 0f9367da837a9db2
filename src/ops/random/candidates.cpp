// Candidate samplers: a few classes drawn at random, for losses over very many of them. The numbers are
// TensorFlow's for the same seeds.

#include "core/philox.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/random/random_generator.h"
#include "ops/random/register.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace flowray::ops {

using graph::DynamicCall;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

/// Words of a stream one by one.
class Words {
 public:
  explicit Words(const Philox& start) : stream_(start) {}

  uint32_t next() {
    if (used_ == words_.size()) {
      words_ = stream_.next();
      used_ = 0;
    }
    return words_[used_++];
  }
  uint64_t next_pair() {
    const uint64_t low = next();
    return low | static_cast<uint64_t>(next()) << 32;
  }
  /// In [0, 1): 52 bits.
  double next_real() {
    const uint64_t high = next();
    const uint64_t mantissa = (high & 0xfffffu) << 32 | next();
    return static_cast<double>(mantissa) * 0x1p-52;
  }
  /// Below `limit`, each as likely: what is beyond the last whole multiple is drawn again.
  uint64_t next_below(uint64_t limit) {
    if ((limit & (limit - 1)) == 0) return next_pair() & (limit - 1);
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    const uint64_t rest = kMost % limit + 1;
    uint64_t value = next_pair();
    while (value + rest < rest) value = next_pair();
    return value % limit;
  }

 private:
  Philox stream_;
  Philox::Words words_{};
  size_t used_ = 4;
};

/// Classes by Zipf's law: the probability of class c is log((c + 2) / (c + 1)) / log(range + 1).
struct LogUniform {
  int64_t range;
  double log_range = std::log1p(static_cast<double>(range));

  int64_t draw(Words& words) const {
    const double drawn = std::exp(words.next_real() * log_range);  // from 1 on; rounding may reach 2^63
    const int64_t value = (drawn < 0x1p63 ? static_cast<int64_t>(drawn) : INT64_MAX) - 1;
    return value % range;  // rounding may reach it
  }
  float probability(int64_t value) const {
    const auto c = static_cast<double>(value);
    return static_cast<float>(std::log((c + 2) / (c + 1)) / log_range);
  }
};

struct Uniform {
  int64_t range;
  int64_t draw(Words& words) const {
    return static_cast<int64_t>(words.next_below(static_cast<uint64_t>(range)));
  }
  float probability(int64_t) const { return 1.f / static_cast<float>(range); }
};

/// How often a class of that probability is among `count` different ones that took `tries` draws.
float expected_count(float probability, int64_t count, int64_t tries) {
  if (tries == count) return probability * static_cast<float>(count);
  return static_cast<float>(
      -std::expm1(static_cast<double>(tries) * std::log1p(-static_cast<double>(probability))));
}

void sampler_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() != 2) ShapeContext::fail("true_classes must be a matrix");
  const Shape classes = context.with_rank(0, 2);
  const Shape sampled{context.attrs().get<int64_t>("num_sampled")};
  context.set_output(0, sampled);
  context.set_output(1, classes);
  context.set_output(2, sampled);
}

template <class Distribution>
struct Sampler {
  Distribution distribution;
  int64_t num_sampled;
  bool unique;
  int64_t num_true;

  /// Returns how many were drawn.
  int64_t draw(Words& words, int64_t* sampled) const {
    std::unordered_set<int64_t> used;
    int64_t tries = 0;
    for (int64_t i = 0; i < num_sampled; ++tries) {
      const int64_t value = distribution.draw(words);
      if (!unique || used.insert(value).second) sampled[i++] = value;
    }
    return tries;
  }

  /// A class that cannot be drawn has no probability.
  void check(const int64_t* classes) const {
    for (int64_t i = 0; i < num_true; ++i) {
      if (classes[i] < 0 || classes[i] >= distribution.range) {
        throw errors::InvalidArgumentError(fmt::format("`true_candidate` out of range [0, {}), received {}",
                                                       distribution.range, classes[i]));
      }
    }
  }

  void run(const KernelCall& call, RandomGenerator& generator) const {
    check(call.in<int64_t>(0));
    Words words(generator.stream.reserve(2 * num_sampled));  // as TensorFlow moves on: 2048 words for each
    auto* sampled = call.out<int64_t>(0);
    const int64_t tries = draw(words, sampled);
    const auto put = [&](const int64_t* classes, int64_t count, float* out) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] = expected_count(distribution.probability(classes[i]), num_sampled, tries);
      }
    };
    put(call.in<int64_t>(0), num_true, call.out<float>(1));
    put(sampled, num_sampled, call.out<float>(2));
  }
};

template <class Distribution>
std::unique_ptr<graph::Kernel> prepare_sampler(PrepareContext& context) {
  const graph::Attrs& attrs = context.attrs();
  const auto range = attrs.get<int64_t>("range_max");
  const auto num_sampled = attrs.get<int64_t>("num_sampled");
  const bool unique = attrs.get<bool>("unique");
  if (unique && num_sampled > range) {
    throw errors::InvalidArgumentError("Sampler's range is too small.");
  }
  if (context.input_shape(0).dim(1) != attrs.get<int64_t>("num_true")) {
    throw errors::InvalidArgumentError(
        fmt::format("true_classes must have num_true columns, expected: {} was: {}",
                    context.input_shape(0).dim(1), attrs.get<int64_t>("num_true")));
  }
  const Sampler<Distribution> sampler{{range}, num_sampled, unique, context.input_shape(0).num_elements()};
  const auto generator = generator_of(context);
  return graph::make_kernel([sampler, generator](const KernelCall& call) { sampler.run(call, *generator); });
}

/// Where a sampled class is one of the true ones: row of the latter, number of the former.
void accidental_hits(DynamicCall& call) {
  const Array& classes = call.in(0);
  const auto num_true = call.attrs().get<int64_t>("num_true");
  if (classes.rank() != 2 || classes.dim(1) != num_true) {
    throw errors::InvalidArgumentError("true_candidates must be a batch_size * num_true matrix");
  }
  if (call.in(1).rank() != 1) {
    throw errors::InvalidArgumentError(
        "sampled_candidates must be a vector, which is typically an output from CandidateSampler");
  }
  std::unordered_map<int64_t, int64_t> places;
  for (int64_t i = 0; i < call.in(1).size(); ++i) places[call.in(1).data<int64_t>()[i]] = i;
  std::vector<int32_t> rows;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < classes.size(); ++i) {
    const auto found = places.find(classes.data<int64_t>()[i]);
    if (found == places.end()) continue;
    rows.push_back(static_cast<int32_t>(i / num_true));
    ids.push_back(found->second);
  }
  call.set_out(2, Array(std::vector<float>(ids.size(), -std::numeric_limits<float>::max())));
  call.set_out(0, Array(rows));
  call.set_out(1, Array(ids));
}

void accidental_hits_shape(ShapeContext& context) {
  context.with_rank(0, 2);
  context.with_rank(1, 1);
  for (int i = 0; i < 3; ++i) context.set_output(i, Shape{Shape::kUnknownDim});
}

constexpr graph::OpRow sampler_row(std::string_view name, graph::PrepareFunction prepare) {
  return {
      .name = name,
      .inputs = "true_classes:int64",
      .outputs = "sampled_candidates:int64, true_expected_count:float32, sampled_expected_count:float32",
      .attrs = "num_true:int>=1; num_sampled:int>=1; unique:bool; range_max:int>=1; seed:int=0; seed2:int=0",
      .stateful = true,
      .shape = sampler_shape,
      .not_differentiable = true,
      .prepare = prepare};
}

constexpr graph::OpRow kCandidateOps[] = {
    sampler_row("LogUniformCandidateSampler", prepare_sampler<LogUniform>),
    sampler_row("UniformCandidateSampler", prepare_sampler<Uniform>),
    {.name = "ComputeAccidentalHits",
     .inputs = "true_classes:int64, sampled_candidates:int64",
     .outputs = "indices:int32, ids:int64, weights:float32",
     .attrs = "num_true:int; seed:int=0; seed2:int=0",
     .shape = accidental_hits_shape,
     .not_differentiable = true,
     .compute = accidental_hits},
};

}  // namespace

void register_candidate_ops(OpTable& table) {
  for (const graph::OpRow& row : kCandidateOps) table.add(row);
}

}  // namespace flowray::ops
