// CombinedNonMaxSuppression: for whole batches and several classes, of boxes that overlap much the one with
// the highest score, and of all classes' the best.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/image/overlap.h"
#include "ops/image/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

struct Detection {
  int64_t box;
  int64_t label;
  float score;
};

/// The images' boxes [batch, boxes, 1 or classes, 4] and scores [batch, boxes, classes].
struct Detections {
  const Array& boxes;
  const Array& scores;
  int64_t most_of_class;
  float iou_threshold;
  float score_threshold;

  int64_t num_boxes() const { return boxes.dim(1); }
  int64_t classes() const { return scores.dim(2); }
  const float* corners(int64_t image, const Detection& found) const {
    const int64_t owners = boxes.dim(2);
    const int64_t owner = owners > 1 ? found.label : 0;
    return boxes.data<float>() + ((image * num_boxes() + found.box) * owners + owner) * 4;
  }

  /// Those of one class that are left, the best first.
  void add_class(int64_t image, int64_t label, std::vector<Detection>& all) const {
    std::vector<Detection> open;
    const float* const of_image = scores.data<float>() + image * num_boxes() * classes();
    for (int64_t box = 0; box < num_boxes(); ++box) {
      const float score = of_image[box * classes() + label];
      if (score > score_threshold) open.push_back({box, label, score});
    }
    std::ranges::stable_sort(open, [](const Detection& a, const Detection& b) { return a.score > b.score; });
    std::vector<Detection> chosen;
    for (const Detection& next : open) {
      if (std::ssize(chosen) >= most_of_class) break;
      const OverlappingBox box(corners(image, next));
      const bool is_hidden = std::ranges::any_of(chosen, [&](const Detection& other) {
        return overlap(box, OverlappingBox(corners(image, other))) > iou_threshold;
      });
      if (!is_hidden) chosen.push_back(next);
    }
    all.insert(all.end(), chosen.begin(), chosen.end());
  }

  std::vector<Detection> of_image(int64_t image) const {
    std::vector<Detection> all;
    if (num_boxes() == 0) return all;  // scores of any number of classes take no memory then
    for (int64_t label = 0; label < classes(); ++label) add_class(image, label, all);
    std::ranges::stable_sort(all, [](const Detection& a, const Detection& b) { return a.score > b.score; });
    return all;
  }
};

void check_scalar_size(const Array& array, const char* name) {
  if (array.rank() != 0) {
    invalid_argument(fmt::format("{} must be 0-D, got shape {}", name, array.shape().to_string()));
  }
}

void check_boxes_and_scores(const Array& boxes, const Array& scores) {
  const bool have_batches = boxes.rank() > 0 && scores.rank() > 0;
  if (have_batches && boxes.dim(0) != scores.dim(0)) {
    invalid_argument("boxes and scores must have same batch size");
  }
  if (boxes.rank() != 4) invalid_argument("boxes must be 4-D" + boxes.shape().to_string());
  if (scores.rank() != 3) invalid_argument("scores must be 3-D" + scores.shape().to_string());
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2)) {
    invalid_argument("third dimension of boxes must be either 1 or num classes");
  }
  if (boxes.dim(3) != 4) invalid_argument("boxes must have 4 columns");
  if (boxes.dim(1) != scores.dim(1)) invalid_argument("scores has incompatible shape");
}

/// The scalars, read once: what is fed may read otherwise the next time.
struct SuppressionLimits {
  int64_t of_class;
  int64_t total;
  float iou_threshold;
  float score_threshold;

  /// How many detections an image has room for.
  int64_t places(int64_t classes, bool pads_classes) const {
    return pads_classes ? std::min<int64_t>(total, checked(classes) * of_class) : total;
  }
};

SuppressionLimits checked_limits(const DynamicCall& call) {
  check_scalar_size(call.in(2), "max_size_per_class");
  SuppressionLimits limits{*call.in(2).data<int32_t>(), 0, 0, 0};
  if (limits.of_class <= 0) invalid_argument("max_size_per_class must be positive");
  check_scalar_size(call.in(3), "max_total_size");
  limits.total = *call.in(3).data<int32_t>();
  if (limits.total <= 0) invalid_argument("max_total_size must be > 0");
  check_scalar_size(call.in(4), "iou_threshold");
  check_scalar_size(call.in(5), "score_threshold");
  limits.iou_threshold = *call.in(4).data<float>();
  limits.score_threshold = *call.in(5).data<float>();
  if (!(limits.iou_threshold >= 0 && limits.iou_threshold <= 1)) {
    invalid_argument("iou_threshold must be in [0, 1]");
  }
  return limits;
}

void combined_suppression(DynamicCall& call) {
  const SuppressionLimits limits = checked_limits(call);
  check_boxes_and_scores(call.in(0), call.in(1));
  const Detections detections{call.in(0), call.in(1), limits.of_class, limits.iou_threshold,
                              limits.score_threshold};
  const int64_t batch = call.in(0).dim(0);
  const int64_t places = limits.places(detections.classes(), call.attrs().get<bool>("pad_per_class"));
  const bool clips = call.attrs().get<bool>("clip_boxes");
  Array boxes(DType::kFloat32, Shape{batch, places, 4});
  Array scores(DType::kFloat32, Shape{batch, places});
  Array labels(DType::kFloat32, Shape{batch, places});
  Array counts(DType::kInt32, Shape{batch});
  for (int64_t image = 0; image < batch; ++image) {
    std::vector<Detection> found = detections.of_image(image);
    if (std::ssize(found) > places) found.resize(static_cast<size_t>(places));
    counts.mutable_data<int32_t>()[image] = static_cast<int32_t>(found.size());
    int64_t at = image * places;
    for (const Detection& one : found) {
      const float* const corners = detections.corners(image, one);
      for (int64_t i = 0; i < 4; ++i) {
        boxes.mutable_data<float>()[4 * at + i] =
            clips ? std::max(std::min(corners[i], 1.0f), 0.0f) : corners[i];
      }
      scores.mutable_data<float>()[at] = one.score;
      labels.mutable_data<float>()[at] = static_cast<float>(one.label);
      ++at;
    }
  }
  call.set_out(0, std::move(boxes));
  call.set_out(1, std::move(scores));
  call.set_out(2, std::move(labels));
  call.set_out(3, std::move(counts));
}

void combined_suppression_shape(ShapeContext& context) {
  if (context.running()) return;  // the kernel's words are others
  const Shape boxes = context.with_rank(0, 4);
  const Shape scores = context.with_rank(1, 3);
  for (int i = 2; i < 6; ++i) context.with_rank(i, 0);
  ShapeContext::merge_dim(boxes.dim(0), scores.dim(0));
  ShapeContext::merge_dim(boxes.dim(1), scores.dim(1));
  if (boxes.dim(2) != 1) ShapeContext::merge_dim(boxes.dim(2), scores.dim(2));
  ShapeContext::merge_dim(boxes.dim(3), 4);
  int64_t places = Shape::kUnknownDim;
  const Array* const of_class = context.value(2);
  const Array* const total = context.value(3);
  const bool pads = context.attrs().get<bool>("pad_per_class");
  if (total != nullptr && (!pads || (of_class != nullptr && scores.dim(2) >= 0))) {
    const SuppressionLimits limits{pads ? *of_class->data<int32_t>() : 1, *total->data<int32_t>(), 0, 0};
    if (limits.total <= 0) ShapeContext::fail("max_total_size should be > 0 ");
    if (limits.of_class <= 0) ShapeContext::fail("max_output_size_per_class must be > 0 ");
    places = limits.places(scores.dim(2), pads);
  }
  const int64_t batch = boxes.dim(0);
  context.set_output(0, Shape{batch, places, 4});
  context.set_output(1, Shape{batch, places});
  context.set_output(2, Shape{batch, places});
  context.set_output(3, Shape{batch});
}

constexpr graph::OpRow kCombinedSuppressionOps[] = {
    {.name = "CombinedNonMaxSuppression",
     .inputs = "boxes:float32, scores:float32, max_output_size_per_class:int32, max_total_size:int32, "
               "iou_threshold:float32, score_threshold:float32",
     .outputs = "nmsed_boxes:float32, nmsed_scores:float32, nmsed_classes:float32, valid_detections:int32",
     .attrs = "pad_per_class:bool=false; clip_boxes:bool=true",
     .shape = combined_suppression_shape,
     .compute = combined_suppression},
};

}  // namespace

void register_combined_suppression_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kCombinedSuppressionOps) table.add(row);
}

}  // namespace flowray::ops
