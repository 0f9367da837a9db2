// UnsortedSegmentJoin, StringNGrams: strings that belong together, joined.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/register.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

// ---- UnsortedSegmentJoin

void segment_join_shape(ShapeContext& context) {
  if (context.running()) return;  // the kernel's words are others
  const Shape& ids = context.input(1);
  context.with_rank(2, 0);
  int64_t count = Shape::kUnknownDim;
  if (context.value(2) != nullptr) {
    count = context.integers(2)[0];
    if (count < 0) {
      ShapeContext::fail(
          fmt::format("Dimension size, given by scalar input 2, must be non-negative but is {}", count));
    }
  }
  if (!ids.has_rank()) return;
  const Shape whole = context.with_rank_at_least(0, ids.rank());
  if (!whole.has_rank()) return;
  for (int i = 0; i < ids.rank(); ++i) ShapeContext::merge_dim(whole.dim(i), ids.dim(i));
  context.set_output(0,
                     Shape{count}.concatenate(Shape(whole.dims().subspan(static_cast<size_t>(ids.rank())))));
}

void check_segments(const Array& inputs, const Array& ids, const Array& count) {
  if (count.rank() != 0) invalid_argument("Number of segments must be a scalar");
  const int64_t segments = graph::to_integers(count)[0];
  if (segments < 0)
    invalid_argument(fmt::format("Number of segments must be non-negative but got {}", segments));
  if (ids.rank() == 0) invalid_argument("Segment_id cannot have rank 0");
  if (ids.rank() > inputs.rank()) {
    throw errors::OutOfRangeError(
        fmt::format("Invalid segment_id rank {} for input with {} dimension(s)", ids.rank(), inputs.rank()));
  }
  for (int i = 0; i < ids.rank(); ++i) {
    if (ids.dim(i) == inputs.dim(i)) continue;
    invalid_argument(fmt::format(
        "Segment dimension is {} while input dimension is {} in rank {}\nThe strings' shape is {}",
        ids.dim(i), inputs.rank(), i, inputs.shape().to_string()));
  }
}

void join_segments(DynamicCall& call) {
  const Array& inputs = call.in(0);
  check_segments(inputs, call.in(1), call.in(2));
  const int64_t segments = graph::to_integers(call.in(2))[0];
  const std::vector<int64_t> ids = graph::to_integers(call.in(1));
  for (const int64_t id : ids) {
    if (id < 0 || id >= segments)
      invalid_argument("segment_ids are not allowed to exceed num_segments or to have negative values.");
  }
  const Shape rest(inputs.shape().dims().subspan(static_cast<size_t>(call.in(1).rank())));
  const int64_t width = rest.num_elements();
  Array joined(DType::kString, Shape{segments}.concatenate(rest));
  if (joined.size() == 0) return call.set_out(0, std::move(joined));
  const auto& separator = call.attrs().get<std::string>("separator");
  auto* const out = joined.mutable_data<std::string>();
  for (size_t i = 0; i < ids.size(); ++i) {
    for (int64_t k = 0; k < width; ++k) {
      std::string& text = out[ids[i] * width + k];
      if (!text.empty()) text += separator;  // so none stands behind empty strings that begin a segment
      text += inputs.data<std::string>()[static_cast<int64_t>(i) * width + k];
    }
  }
  call.set_out(0, std::move(joined));
}

// ---- StringNGrams

void ngrams_shape(ShapeContext& context) {
  if (context.running()) return;
  context.set_output(0, Shape{Shape::kUnknownDim});
  context.with_rank(0, 1);
  context.set_output(1, context.with_rank(1, 1));
}

/// What the attributes ask for.
class NGrams {
 public:
  explicit NGrams(const graph::Attrs& attrs)
      : separator_(attrs.get<std::string>("separator")),
        left_(attrs.get<std::string>("left_pad")),
        right_(attrs.get<std::string>("right_pad")),
        widths_(attrs.get<std::vector<int64_t>>("ngram_widths")),
        pad_width_(attrs.get<int64_t>("pad_width")),
        keeps_short_(attrs.get<bool>("preserve_short_sequences")) {
    (void)checked_int32("Attr pad_width", pad_width_);
    for (const int64_t width : widths_) {
      (void)checked_int32("Attr ngram_widths", width);
      if (width <= 0) invalid_argument("ngram_widths must contain positive values");
    }
  }

  /// Those of a row, behind what `found` has.
  void add(const std::string* row, int64_t length, std::vector<std::string>& found) {
    const size_t before = found.size();
    for (const int64_t width : widths_) add(row, width, count_of(length, width), found);
    if (!keeps_short_ || found.size() > before || length == 0) return;
    if (pad_width_ < 0) {
      invalid_argument(
          fmt::format("Pad width should be >= 0 when preserve_short_sequences is True and "
                      "ngram_widths are not provided, got {}",
                      pad_width_));
    }
    add(row, length + 2 * pad_width_, 1, found);
  }

 private:
  int64_t padding_of_width(int64_t width) const {
    return std::min(pad_width_ < 0 ? width - 1 : pad_width_, width - 1);
  }
  int64_t count_of(int64_t length, int64_t width) const {
    return std::max<int64_t>(length + 2 * padding_of_width(width) - width + 1, 0);
  }

  void add(const std::string* row, int64_t width, int64_t count, std::vector<std::string>& found) {
    if (count == 0) return;
    // Two numbers of an attribute may ask for more text than there is memory.
    pieces_ = checked_count("pieces of n-grams", checked(pieces_) + checked(width) * count);
    const int64_t padding = padding_of_width(width);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t left = std::max<int64_t>(padding - i, 0);
      const int64_t right = std::max<int64_t>(padding - (count - (i + 1)), 0);
      const int64_t first = std::max<int64_t>(i - padding, 0);
      std::string text;
      for (int64_t k = 0; k < width; ++k) {
        if (k > 0) text += separator_;
        text += k < left ? left_ : k >= width - right ? right_ : row[first + k - left];
      }
      found.push_back(std::move(text));
    }
  }

  std::string separator_;
  std::string left_;
  std::string right_;
  std::vector<int64_t> widths_;
  int64_t pad_width_;
  bool keeps_short_;
  int64_t pieces_ = 0;
};

void check_text_splits(const std::vector<int64_t>& splits, int64_t size) {
  if (splits.front() != 0)
    invalid_argument(fmt::format("First split value must be 0, got {}", splits.front()));
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1] || splits[i] > size) {
      invalid_argument(
          fmt::format("Invalid split value {}, must be in [{}, {}]", splits[i], splits[i - 1], size));
    }
  }
  if (splits.back() != size) {
    invalid_argument(
        fmt::format("Last split value must be data size. Expected {}, got {}", size, splits.back()));
  }
}

void make_ngrams(DynamicCall& call) {
  const Array& data = call.in(0);
  const std::vector<int64_t> splits = graph::to_integers(call.in(1));
  NGrams ngrams(call.attrs());
  if (!splits.empty()) check_text_splits(splits, data.size());
  if (splits.empty() || data.size() == 0) {
    call.set_out(0, Array(DType::kString, data.shape()));
    return call.set_out(
        1,
        Array(std::vector<int64_t>(splits.size(), 0)).astype(call.in(1).dtype()).reshape(call.in(1).shape()));
  }
  std::vector<std::string> found;
  std::vector<int64_t> ends = {0};
  for (size_t row = 1; row < splits.size(); ++row) {
    ngrams.add(data.data<std::string>() + splits[row - 1], splits[row] - splits[row - 1], found);
    ends.push_back(std::ssize(found));
  }
  call.set_out(0, found.empty() ? Array(DType::kString, {0}) : Array(found));
  call.set_out(1, Array(ends).astype(call.in(1).dtype()).reshape(call.in(1).shape()));
}

constexpr graph::OpRow kStringGroupOps[] = {
    {.name = "UnsortedSegmentJoin",
     .inputs = "inputs:string, segment_ids:Tindices, num_segments:Tnumsegments",
     .outputs = "output:string",
     .attrs = "separator:string=\"\"; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
     .shape = segment_join_shape,
     .compute = join_segments},
    {.name = "StringNGrams",
     .inputs = "data:string, data_splits:Tsplits",
     .outputs = "ngrams:string, ngrams_splits:Tsplits",
     .attrs = "separator:string; ngram_widths:list(int); left_pad:string; right_pad:string; pad_width:int; "
              "preserve_short_sequences:bool; Tsplits:type=int64{indices}",
     .shape = ngrams_shape,
     .compute = make_ngrams},
};

}  // namespace

void register_string_group_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kStringGroupOps) table.add(row);
}

}  // namespace flowray::ops
