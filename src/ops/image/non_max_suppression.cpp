// NonMaxSuppression in its versions: of boxes that overlap much, the one with the highest score.

#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/image/overlap.h"
#include "ops/image/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

// ---- what is asked for

/// What a version has; -1: it has not.
struct Version {
  int iou_threshold;  // inputs
  int score_threshold;
  int sigma;
  bool pads;
};
constexpr Version kVersions[] = {
    {-1, -1, -1, false}, {3, -1, -1, false}, {3, 4, -1, false}, {3, 4, -1, true}, {3, 4, 5, true}};

struct Request {
  const float* boxes;
  std::vector<float> scores;
  int64_t most;
  float iou_threshold;
  float score_threshold;
  float sigma;
};

// ---- the choice

struct Candidate {
  int32_t box;
  float score;
  size_t compared = 0;  // with so many of those chosen

  bool operator<(const Candidate& other) const {
    return score == other.score ? box > other.box : score < other.score;
  }
};

struct Chosen {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
};

/// Lowers a candidate's score for each box chosen since that it overlaps (Bodla et al., "Soft-NMS", ICCV
/// 2017); false: it overlaps one too much.
bool survives(const Request& request, const Chosen& chosen, Candidate& candidate) {
  const bool soft = request.sigma > 0;
  const float scale = soft ? -0.5f / request.sigma : 0.0f;
  const auto box = [&](int32_t i) { return OverlappingBox(request.boxes + 4 * static_cast<int64_t>(i)); };
  for (size_t i = chosen.boxes.size(); i-- > candidate.compared;) {
    const float shared = overlap(box(candidate.box), box(chosen.boxes[i]));
    if (!soft && shared > request.iou_threshold) return false;
    candidate.score *= std::exp(scale * shared * shared);
    if (candidate.score <= request.score_threshold) break;
  }
  candidate.compared = chosen.boxes.size();
  return true;
}

Chosen choose(const Request& request) {
  std::priority_queue<Candidate> open;
  for (size_t i = 0; i < request.scores.size(); ++i) {
    if (request.scores[i] > request.score_threshold) open.push({static_cast<int32_t>(i), request.scores[i]});
  }
  Chosen chosen;
  while (std::ssize(chosen.boxes) < request.most && !open.empty()) {
    Candidate next = open.top();
    open.pop();
    const float score = next.score;
    if (!survives(request, chosen, next)) continue;
    if (next.score == score) {
      chosen.boxes.push_back(next.box);
      chosen.scores.push_back(next.score);
    } else if (next.score > request.score_threshold) {
      open.push(next);
    }
  }
  return chosen;
}

// ---- kernels

/// The third version says more than the others.
void check_scalar(const Array& array, const char* name, bool says_more) {
  if (array.rank() == 0) return;
  invalid_argument(
      fmt::format("{} must be 0-D, got shape {}{}", name, array.shape().to_string(),
                  says_more ? fmt::format(" (Shape must be rank 0 but is rank {})", array.rank()) : ""));
}

void check_rank(const Array& array, const char* name, int rank) {
  if (array.rank() == rank) return;
  invalid_argument(fmt::format("{} must be {}-D{} (Shape must be rank {} but is rank {})", name, rank,
                               array.shape().to_string(), rank, array.rank()));
}

/// The result names boxes by 32-bit numbers.
void check_number_of_boxes(int64_t boxes) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (boxes > kMost)
    invalid_argument(fmt::format("there are {} boxes; at most {} can be told apart", boxes, kMost));
}

void check_boxes(const Array& boxes, const Array& scores) {
  check_rank(boxes, "boxes", 2);
  if (boxes.dim(1) != 4)
    invalid_argument(fmt::format("boxes must have 4 columns (Dimension must be 4 but is {})", boxes.dim(1)));
  check_rank(scores, "scores", 1);
  if (scores.dim(0) != boxes.dim(0)) {
    invalid_argument(
        fmt::format("scores has incompatible shape (Dimensions must be equal, but are {} and {})",
                    boxes.dim(0), scores.dim(0)));
  }
  check_number_of_boxes(boxes.dim(0));
}

float scalar(const DynamicCall& call, int i, const char* name, bool says_more = false) {
  check_scalar(call.in(i), name, says_more);
  return *call.in(i).astype(DType::kFloat32).data<float>();
}

/// With zeros behind. An Array, which says so where there is no memory for it.
template <class T>
Array padded(const std::vector<T>& values, int64_t size) {
  Array result(kDTypeOf<T>, Shape{size});
  std::copy(values.begin(), values.end(), result.mutable_data<T>());
  return result;
}

template <int kVersion>
void suppress(DynamicCall& call) {
  constexpr Version kInputs = kVersions[kVersion - 1];
  check_scalar(call.in(2), "max_output_size", kVersion == 3);
  const int64_t most = *call.in(2).data<int32_t>();  // once: what is fed may read otherwise the next time
  if (most < 0) invalid_argument("output size must be non-negative");
  check_boxes(call.in(0), call.in(1));
  const Array boxes = call.in(0).astype(DType::kFloat32);
  const Array scores = call.in(1).astype(DType::kFloat32);
  Request request{boxes.data<float>(),
                  {scores.data<float>(), scores.data<float>() + scores.size()},
                  most,
                  0.5f,
                  std::numeric_limits<float>::lowest(),
                  0};
  request.iou_threshold = kInputs.iou_threshold < 0
                              ? call.attrs().get<float>("iou_threshold")
                              : scalar(call, kInputs.iou_threshold, "iou_threshold", kVersion == 3);
  if (!(request.iou_threshold >= 0 && request.iou_threshold <= 1))
    invalid_argument("iou_threshold must be in [0, 1]");
  if (kInputs.score_threshold > 0)
    request.score_threshold = scalar(call, kInputs.score_threshold, "score_threshold");
  if (kInputs.sigma > 0) request.sigma = scalar(call, kInputs.sigma, "soft_nms_sigma");
  if (!(request.sigma >= 0)) invalid_argument("soft_nms_sigma_val must be >= 0");
  Chosen chosen = choose(request);
  const auto found = static_cast<int32_t>(chosen.boxes.size());
  const bool pads = kInputs.pads && call.attrs().get<bool>("pad_to_max_output_size");
  const int64_t size = pads ? request.most : found;
  call.set_out(0, padded(chosen.boxes, size));
  if (kInputs.sigma > 0) call.set_out(1, padded(chosen.scores, size).astype(call.in(1).dtype()));
  if (kInputs.pads) call.set_out(kInputs.sigma > 0 ? 2 : 1, Array(found));
}

// ---- by overlaps that are given

void check_overlaps(const Array& overlaps, const Array& scores) {
  if (overlaps.rank() != 2) invalid_argument("overlaps must be 2-D" + overlaps.shape().to_string());
  if (overlaps.dim(0) != overlaps.dim(1)) {
    invalid_argument("overlaps must be square" + overlaps.shape().to_string());
  }
  check_rank(scores, "scores", 1);
  if (scores.dim(0) != overlaps.dim(0)) {
    invalid_argument(
        fmt::format("scores has incompatible shape (Dimensions must be equal, but are {} and {})",
                    overlaps.dim(0), scores.dim(0)));
  }
  check_number_of_boxes(overlaps.dim(0));
}

void suppress_by_overlaps(DynamicCall& call) {
  const Array& overlaps = call.in(0);
  const Array& scores = call.in(1);
  check_overlaps(overlaps, scores);
  check_scalar(call.in(2), "max_output_size", false);
  const int64_t most = *call.in(2).data<int32_t>();
  if (most < 0) invalid_argument("output size must be non-negative");
  const float threshold = scalar(call, 3, "overlap_threshold");
  const float least_score = scalar(call, 4, "score_threshold");
  struct Scored {
    int32_t box;
    float score;  // what is fed may read otherwise the next time
  };
  std::vector<Scored> open;
  for (int64_t i = 0; i < scores.size(); ++i) {
    const float score = scores.data<float>()[i];
    if (score > least_score) open.push_back({static_cast<int32_t>(i), score});
  }
  std::ranges::stable_sort(open, [](const Scored& a, const Scored& b) { return a.score > b.score; });
  std::vector<int32_t> chosen;
  for (const Scored& next : open) {
    if (std::ssize(chosen) >= most) break;
    const float* const row = overlaps.data<float>() + next.box * overlaps.dim(1);
    const bool is_hidden = std::ranges::any_of(chosen, [&](int32_t other) { return row[other] > threshold; });
    if (!is_hidden) chosen.push_back(next.box);
  }
  call.set_out(0, padded(chosen, std::ssize(chosen)));
}

void chosen_by_overlaps_shape(ShapeContext& context) {
  const Shape overlaps = context.with_rank(0, 2);
  const Shape scores = context.with_rank(1, 1);
  for (int i = 2; i < 5; ++i) context.with_rank(i, 0);
  ShapeContext::merge_dim(scores.dim(0), overlaps.dim(0));
  ShapeContext::merge_dim(overlaps.dim(0), overlaps.dim(1));
  context.set_output(0, Shape{Shape::kUnknownDim});
}

void chosen_shape(ShapeContext& context) {
  const Shape boxes = context.with_rank(0, 2);
  const Shape scores = context.with_rank(1, 1);
  for (int i = 2; i < context.num_inputs(); ++i) context.with_rank(i, 0);
  ShapeContext::merge_dim(boxes.dim(0), scores.dim(0));
  ShapeContext::merge_dim(boxes.dim(1), 4);
  int64_t count = Shape::kUnknownDim;
  const bool padded = context.attrs().contains("pad_to_max_output_size") &&
                      context.attrs().get<bool>("pad_to_max_output_size");
  if (padded && context.value(2) != nullptr) count = context.integers(2)[0];
  context.set_output(0, Shape{count});
  const int last = context.num_outputs() - 1;
  if (last == 2) context.set_output(1, Shape{count});
  if (last > 0) context.set_output(last, Shape());
}

constexpr graph::OpRow non_max_suppression_row(std::string_view name, std::string_view inputs,
                                               std::string_view outputs, std::string_view attrs,
                                               graph::ComputeFunction compute) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = chosen_shape,
          .not_differentiable = true,
          .compute = compute};
}

constexpr graph::OpRow kNonMaxSuppressionOps[] = {
    non_max_suppression_row("NonMaxSuppression", "boxes:float32, scores:float32, max_output_size:int32",
                            "selected_indices:int32", "iou_threshold:float=0.5", suppress<1>),
    non_max_suppression_row(
        "NonMaxSuppressionV2", "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold",
        "selected_indices:int32", "T:type=float32{narrow_floats}; T_threshold:type=float32{narrow_floats}",
        suppress<2>),
    non_max_suppression_row(
        "NonMaxSuppressionV3",
        "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, score_threshold:T_threshold",
        "selected_indices:int32", "T:type=float32{narrow_floats}; T_threshold:type=float32{narrow_floats}",
        suppress<3>),
    non_max_suppression_row(
        "NonMaxSuppressionV4",
        "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, score_threshold:T_threshold",
        "selected_indices:int32, valid_outputs:int32",
        "T:type=float32{narrow_floats}; T_threshold:type=float32{narrow_floats}; "
        "pad_to_max_output_size:bool=false",
        suppress<4>),
    non_max_suppression_row(
        "NonMaxSuppressionV5",
        "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T, soft_nms_sigma:T",
        "selected_indices:int32, selected_scores:T, valid_outputs:int32",
        "T:type=float32{narrow_floats}; pad_to_max_output_size:bool=false", suppress<5>),
    {.name = "NonMaxSuppressionWithOverlaps",
     .inputs = "overlaps:float32, scores:float32, max_output_size:int32, overlap_threshold:float32, "
               "score_threshold:float32",
     .outputs = "selected_indices:int32",
     .shape = chosen_by_overlaps_shape,
     .not_differentiable = true,
     .compute = suppress_by_overlaps},
};

}  // namespace

void register_non_max_suppression_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kNonMaxSuppressionOps) table.add(row);
}

}  // namespace flowray::ops
