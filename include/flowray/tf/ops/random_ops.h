#pragma once
/// Functions of single ops: random numbers. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// What ComputeAccidentalHits gives.
struct ComputeAccidentalHitsResult {
  Tensor indices;
  Tensor ids;
  Tensor weights;
};
struct ComputeAccidentalHitsOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "ComputeAccidentalHits".
  std::string name = {};
};
/// true_classes:int64, sampled_candidates:int64 -> indices:int32, ids:int64, weights:float32
inline ComputeAccidentalHitsResult ComputeAccidentalHits(const Input& true_classes,
                                                         const Input& sampled_candidates, int64_t num_true,
                                                         const ComputeAccidentalHitsOptions& options = {}) {
  const Operation op =
      internal::make("ComputeAccidentalHits", options.name, {true_classes, sampled_candidates},
                     {{"num_true", num_true}, {"seed", options.seed}, {"seed2", options.seed2}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What LogUniformCandidateSampler gives.
struct LogUniformCandidateSamplerResult {
  Tensor sampled_candidates;
  Tensor true_expected_count;
  Tensor sampled_expected_count;
};
struct LogUniformCandidateSamplerOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "LogUniformCandidateSampler".
  std::string name = {};
};
/// true_classes:int64 -> sampled_candidates:int64,
/// true_expected_count:float32, sampled_expected_count:float32
/// `num_true`: at least 1.
/// `num_sampled`: at least 1.
/// `range_max`: at least 1.
inline LogUniformCandidateSamplerResult LogUniformCandidateSampler(
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const LogUniformCandidateSamplerOptions& options = {}) {
  const Operation op = internal::make("LogUniformCandidateSampler", options.name, {true_classes},
                                      {{"num_true", num_true},
                                       {"num_sampled", num_sampled},
                                       {"unique", unique},
                                       {"range_max", range_max},
                                       {"seed", options.seed},
                                       {"seed2", options.seed2}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct MultinomialOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// The dtype of `output`. One of int32, int64.
  DType output_dtype = DType::kInt64;
  /// Of the node; empty: "Multinomial".
  std::string name = {};
};
/// logits:T, num_samples:int32 -> output:output_dtype
inline Tensor Multinomial(const Input& logits, const Input& num_samples,
                          const MultinomialOptions& options = {}) {
  const Operation op = internal::make(
      "Multinomial", options.name, {logits, num_samples},
      {{"seed", options.seed}, {"seed2", options.seed2}, {"output_dtype", options.output_dtype}}, {});
  return internal::output(op, 0);
}

struct RandomGammaOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomGamma".
  std::string name = {};
};
/// shape:S, alpha:T -> output:T
inline Tensor RandomGamma(const Input& shape, const Input& alpha, const RandomGammaOptions& options = {}) {
  const Operation op = internal::make("RandomGamma", options.name, {shape, alpha},
                                      {{"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

struct RandomPoissonOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomPoisson".
  std::string name = {};
};
/// shape:S, rate:dtype -> output:dtype
inline Tensor RandomPoisson(const Input& shape, const Input& rate, const RandomPoissonOptions& options = {}) {
  const Operation op = internal::make("RandomPoisson", options.name, {shape, rate},
                                      {{"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

struct RandomPoissonV2Options {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// The dtype of `output`. One of float16, float32, float64, int32, int64.
  DType dtype = DType::kInt64;
  /// Of the node; empty: "RandomPoissonV2".
  std::string name = {};
};
/// shape:S, rate:R -> output:dtype
inline Tensor RandomPoissonV2(const Input& shape, const Input& rate,
                              const RandomPoissonV2Options& options = {}) {
  const Operation op =
      internal::make("RandomPoissonV2", options.name, {shape, rate},
                     {{"seed", options.seed}, {"seed2", options.seed2}, {"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

struct RandomShuffleOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomShuffle".
  std::string name = {};
};
/// value:T -> output:T
inline Tensor RandomShuffle(const Input& value, const RandomShuffleOptions& options = {}) {
  const Operation op = internal::make("RandomShuffle", options.name, {value},
                                      {{"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

struct RandomStandardNormalOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomStandardNormal".
  std::string name = {};
};
/// shape:T -> output:dtype
/// `dtype`: the dtype of `output`. One of float16, bfloat16, float32, float64.
inline Tensor RandomStandardNormal(const Input& shape, DType dtype,
                                   const RandomStandardNormalOptions& options = {}) {
  const Operation op =
      internal::make("RandomStandardNormal", options.name, {shape},
                     {{"dtype", dtype}, {"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

struct RandomUniformOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomUniform".
  std::string name = {};
};
/// shape:T -> output:dtype
/// `dtype`: the dtype of `output`. One of float16, bfloat16, float32, float64.
inline Tensor RandomUniform(const Input& shape, DType dtype, const RandomUniformOptions& options = {}) {
  const Operation op =
      internal::make("RandomUniform", options.name, {shape},
                     {{"dtype", dtype}, {"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

struct RandomUniformIntOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "RandomUniformInt".
  std::string name = {};
};
/// shape:T, minval:Tout, maxval:Tout -> output:Tout
inline Tensor RandomUniformInt(const Input& shape, const Input& minval, const Input& maxval,
                               const RandomUniformIntOptions& options = {}) {
  const Operation op = internal::make("RandomUniformInt", options.name, {shape, minval, maxval},
                                      {{"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

/// What SampleDistortedBoundingBox gives.
struct SampleDistortedBoundingBoxResult {
  Tensor begin;
  Tensor size;
  Tensor bboxes;
};
struct SampleDistortedBoundingBoxOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  float min_object_covered = 0.10000000149011612f;
  std::vector<float> aspect_ratio_range = {0.75f, 1.3300000429153442f};
  std::vector<float> area_range = {0.05000000074505806f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  /// Of the node; empty: "SampleDistortedBoundingBox".
  std::string name = {};
};
/// image_size:T, bounding_boxes:float32 -> begin:T, size:T, bboxes:float32
inline SampleDistortedBoundingBoxResult SampleDistortedBoundingBox(
    const Input& image_size, const Input& bounding_boxes,
    const SampleDistortedBoundingBoxOptions& options = {}) {
  const Operation op =
      internal::make("SampleDistortedBoundingBox", options.name, {image_size, bounding_boxes},
                     {{"seed", options.seed},
                      {"seed2", options.seed2},
                      {"min_object_covered", options.min_object_covered},
                      {"aspect_ratio_range", options.aspect_ratio_range},
                      {"area_range", options.area_range},
                      {"max_attempts", options.max_attempts},
                      {"use_image_if_no_bounding_boxes", options.use_image_if_no_bounding_boxes}},
                     {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SampleDistortedBoundingBoxV2 gives.
struct SampleDistortedBoundingBoxV2Result {
  Tensor begin;
  Tensor size;
  Tensor bboxes;
};
struct SampleDistortedBoundingBoxV2Options {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::vector<float> aspect_ratio_range = {0.75f, 1.3300000429153442f};
  std::vector<float> area_range = {0.05000000074505806f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  /// Of the node; empty: "SampleDistortedBoundingBoxV2".
  std::string name = {};
};
/// image_size:T, bounding_boxes:float32, min_object_covered:float32 -> begin:T, size:T, bboxes:float32
inline SampleDistortedBoundingBoxV2Result SampleDistortedBoundingBoxV2(
    const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered,
    const SampleDistortedBoundingBoxV2Options& options = {}) {
  const Operation op = internal::make(
      "SampleDistortedBoundingBoxV2", options.name, {image_size, bounding_boxes, min_object_covered},
      {{"seed", options.seed},
       {"seed2", options.seed2},
       {"aspect_ratio_range", options.aspect_ratio_range},
       {"area_range", options.area_range},
       {"max_attempts", options.max_attempts},
       {"use_image_if_no_bounding_boxes", options.use_image_if_no_bounding_boxes}},
      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct StatelessMultinomialOptions {
  /// The dtype of `output`. One of int32, int64.
  DType output_dtype = DType::kInt64;
  /// Of the node; empty: "StatelessMultinomial".
  std::string name = {};
};
/// logits:T, num_samples:int32, seed:Tseed -> output:output_dtype
inline Tensor StatelessMultinomial(const Input& logits, const Input& num_samples, const Input& seed,
                                   const StatelessMultinomialOptions& options = {}) {
  const Operation op = internal::make("StatelessMultinomial", options.name, {logits, num_samples, seed},
                                      {{"output_dtype", options.output_dtype}}, {});
  return internal::output(op, 0);
}

struct StatelessRandomNormalOptions {
  /// The dtype of `output`. One of float16, bfloat16, float32, float64.
  DType dtype = DType::kFloat32;
  /// Of the node; empty: "StatelessRandomNormal".
  std::string name = {};
};
/// shape:T, seed:Tseed -> output:dtype
inline Tensor StatelessRandomNormal(const Input& shape, const Input& seed,
                                    const StatelessRandomNormalOptions& options = {}) {
  const Operation op =
      internal::make("StatelessRandomNormal", options.name, {shape, seed}, {{"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

struct StatelessRandomUniformOptions {
  /// The dtype of `output`. One of float16, bfloat16, float32, float64.
  DType dtype = DType::kFloat32;
  /// Of the node; empty: "StatelessRandomUniform".
  std::string name = {};
};
/// shape:T, seed:Tseed -> output:dtype
inline Tensor StatelessRandomUniform(const Input& shape, const Input& seed,
                                     const StatelessRandomUniformOptions& options = {}) {
  const Operation op =
      internal::make("StatelessRandomUniform", options.name, {shape, seed}, {{"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

/// shape:T, seed:Tseed, minval:dtype, maxval:dtype -> output:dtype
inline Tensor StatelessRandomUniformInt(const Input& shape, const Input& seed, const Input& minval,
                                        const Input& maxval, const NameOption& options = {}) {
  const Operation op =
      internal::make("StatelessRandomUniformInt", options.name, {shape, seed, minval, maxval}, {}, {});
  return internal::output(op, 0);
}

struct StatelessTruncatedNormalOptions {
  /// The dtype of `output`. One of float16, bfloat16, float32, float64.
  DType dtype = DType::kFloat32;
  /// Of the node; empty: "StatelessTruncatedNormal".
  std::string name = {};
};
/// shape:T, seed:Tseed -> output:dtype
inline Tensor StatelessTruncatedNormal(const Input& shape, const Input& seed,
                                       const StatelessTruncatedNormalOptions& options = {}) {
  const Operation op =
      internal::make("StatelessTruncatedNormal", options.name, {shape, seed}, {{"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

struct TruncatedNormalOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "TruncatedNormal".
  std::string name = {};
};
/// shape:T -> output:dtype
/// `dtype`: the dtype of `output`. One of float16, bfloat16, float32, float64.
inline Tensor TruncatedNormal(const Input& shape, DType dtype, const TruncatedNormalOptions& options = {}) {
  const Operation op =
      internal::make("TruncatedNormal", options.name, {shape},
                     {{"dtype", dtype}, {"seed", options.seed}, {"seed2", options.seed2}}, {});
  return internal::output(op, 0);
}

/// What UniformCandidateSampler gives.
struct UniformCandidateSamplerResult {
  Tensor sampled_candidates;
  Tensor true_expected_count;
  Tensor sampled_expected_count;
};
struct UniformCandidateSamplerOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  /// Of the node; empty: "UniformCandidateSampler".
  std::string name = {};
};
/// true_classes:int64 -> sampled_candidates:int64,
/// true_expected_count:float32, sampled_expected_count:float32
/// `num_true`: at least 1.
/// `num_sampled`: at least 1.
/// `range_max`: at least 1.
inline UniformCandidateSamplerResult UniformCandidateSampler(
    const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const UniformCandidateSamplerOptions& options = {}) {
  const Operation op = internal::make("UniformCandidateSampler", options.name, {true_classes},
                                      {{"num_true", num_true},
                                       {"num_sampled", num_sampled},
                                       {"unique", unique},
                                       {"range_max", range_max},
                                       {"seed", options.seed},
                                       {"seed2", options.seed2}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
