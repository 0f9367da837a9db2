#include "tf/data/cardinality.h"

#include "core/checked_size.h"
#include "graph/constant_value.h"
#include "tf/build/apply_op.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace flowray::tf::data {
namespace {

/// Counts along a chain of datasets, from the sources on.
class Counter {
 public:
  int64_t count(const graph::Node& dataset) const;

 private:
  using Rule = int64_t (Counter::*)(const graph::Node&) const;
  static const std::map<std::string_view, Rule>& rules();

  int64_t of_input(const graph::Node& dataset) const { return count(*dataset.input(0).node); }
  /// An input that is a number in the graph.
  static std::optional<int64_t> number(const graph::Node& dataset, int input) {
    const Array value = graph::constant_value(dataset.input(input));
    if (!value.has_value() || value.size() != 1) return {};
    return value.dtype() == DType::kBool ? static_cast<int64_t>(value.item<bool>()) : value.item<int64_t>();
  }

  int64_t same(const graph::Node& dataset) const { return of_input(dataset); }
  int64_t one(const graph::Node& /*dataset*/) const { return 1; }
  int64_t slices(const graph::Node& dataset) const;
  int64_t range(const graph::Node& dataset) const;
  int64_t mapped(const graph::Node& dataset) const;
  int64_t batches(const graph::Node& dataset) const;
  int64_t padded_batches(const graph::Node& dataset) const;
  int64_t pieces(const graph::Node& dataset, std::optional<int64_t> size, std::optional<int64_t> drops) const;
  int64_t repeated(const graph::Node& dataset) const;
  int64_t taken(const graph::Node& dataset) const;
  int64_t skipped(const graph::Node& dataset) const;
  int64_t zipped(const graph::Node& dataset) const;
  int64_t joined(const graph::Node& dataset) const;
};

int64_t Counter::slices(const graph::Node& dataset) const {
  const Shape& shape = dataset.input(0).shape();
  return shape.has_rank() && shape.rank() > 0 && shape.dim(0) >= 0 ? shape.dim(0) : kUnknownCardinality;
}

int64_t Counter::range(const graph::Node& dataset) const {
  const auto start = number(dataset, 0);
  const auto stop = number(dataset, 1);
  const auto step = number(dataset, 2);
  if (!start || !stop || !step || *step == 0) return kUnknownCardinality;
  if (*step > 0 ? *start >= *stop : *start <= *stop) return 0;
  const int64_t all = checked(*stop) - *start;
  const int64_t towards_zero = checked(all) / *step;
  return checked(towards_zero) + (all % *step == 0 ? 0 : 1);
}

int64_t Counter::mapped(const graph::Node& dataset) const {
  return dataset.attrs().get<bool>("preserve_cardinality") ? of_input(dataset) : kUnknownCardinality;
}

int64_t Counter::pieces(const graph::Node& dataset, std::optional<int64_t> size,
                        std::optional<int64_t> drops) const {
  const int64_t all = of_input(dataset);
  if (all < 0) return all;
  if (!size || *size < 1 || !drops) return kUnknownCardinality;
  return all / *size + (all % *size == 0 || *drops != 0 ? 0 : 1);
}

int64_t Counter::batches(const graph::Node& dataset) const {
  return pieces(dataset, number(dataset, 1), number(dataset, 2));
}

int64_t Counter::padded_batches(const graph::Node& dataset) const {
  return pieces(dataset, number(dataset, 1), number(dataset, dataset.num_inputs() - 1));
}

int64_t Counter::repeated(const graph::Node& dataset) const {
  const int64_t all = of_input(dataset);
  const auto times = number(dataset, 1);
  if (!times) return kUnknownCardinality;
  if (*times == 0 || all == 0) return 0;
  if (*times < 0) return kInfiniteCardinality;
  return all < 0 ? all : int64_t{checked(all) * *times};
}

int64_t Counter::taken(const graph::Node& dataset) const {
  const int64_t all = of_input(dataset);
  const auto most = number(dataset, 1);
  if (!most || all == kUnknownCardinality) return kUnknownCardinality;
  if (*most < 0) return all;
  return all == kInfiniteCardinality ? *most : std::min(all, *most);
}

int64_t Counter::skipped(const graph::Node& dataset) const {
  const int64_t all = of_input(dataset);
  const auto first = number(dataset, 1);
  if (!first) return kUnknownCardinality;
  if (*first < 0) return 0;
  return all < 0 ? all : std::max<int64_t>(all - std::min(all, *first), 0);
}

int64_t Counter::zipped(const graph::Node& dataset) const {
  int64_t least = kInfiniteCardinality;
  for (const graph::Endpoint& input : dataset.inputs()) {
    const int64_t all = count(*input.node);
    if (all == kUnknownCardinality) return all;
    if (all >= 0) least = least < 0 ? all : std::min(least, all);
  }
  return least;
}

int64_t Counter::joined(const graph::Node& dataset) const {
  const int64_t first = of_input(dataset);
  const int64_t second = count(*dataset.input(1).node);
  if (first == kInfiniteCardinality || second == kInfiniteCardinality) return kInfiniteCardinality;
  if (first < 0 || second < 0) return kUnknownCardinality;
  return checked(first) + second;
}

const std::map<std::string_view, Counter::Rule>& Counter::rules() {
  static const std::map<std::string_view, Rule> rules = {
      {"TensorDataset", &Counter::one},           {"TensorSliceDataset", &Counter::slices},
      {"RangeDataset", &Counter::range},          {"MapDataset", &Counter::mapped},
      {"ParallelMapDatasetV2", &Counter::mapped}, {"ScanDataset", &Counter::mapped},
      {"BatchDatasetV2", &Counter::batches},      {"PaddedBatchDatasetV2", &Counter::padded_batches},
      {"RepeatDataset", &Counter::repeated},      {"TakeDataset", &Counter::taken},
      {"SkipDataset", &Counter::skipped},         {"ZipDataset", &Counter::zipped},
      {"ConcatenateDataset", &Counter::joined},   {"ShuffleDataset", &Counter::same},
      {"CacheDataset", &Counter::same},           {"PrefetchDataset", &Counter::same},
      {"RewriteDataset", &Counter::same},
  };
  return rules;
}

int64_t Counter::count(const graph::Node& dataset) const {
  const auto rule = rules().find(dataset.op());
  return rule == rules().end() ? kUnknownCardinality : (this->*rule->second)(dataset);
}

}  // namespace

int64_t cardinality_of(const Dataset& dataset) {
  const Tensor& variant = dataset.variant_tensor();
  if (!variant.has_value() || variant.is_eager()) return kUnknownCardinality;
  try {
    return Counter().count(*variant.node());
  } catch (const errors::InvalidArgumentError&) {
    return kUnknownCardinality;  // more than there are numbers for
  }
}

}  // namespace flowray::tf::data
