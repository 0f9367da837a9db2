// Elements of several datasets, of which another one chooses; and random numbers to choose by.

#include "graph/op_schema.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/register.h"
#include "ops/data/walk_seeds.h"
#include "ops/data/walk_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;
using Walk = std::unique_ptr<DatasetIterator>;

/// The next element is one of the dataset that the selector's next element numbers. One that has come to its
/// end is passed over, or ends it all.
struct DirectedInterleaveWalk {
  static constexpr std::string_view kKind = "DirectedInterleave";
  const IterationContext& context;
  bool stops_on_empty = false;
  Walk selector;             // null at the end
  std::vector<Walk> inputs;  // null at their ends

  bool next(Element& element) {
    Element choice;
    while (selector != nullptr) {
      context.limits.check();  // an endless selector may choose what has ended
      if (!selector->next(choice)) return end();
      Walk& chosen = inputs[place_of(choice)];
      if (chosen == nullptr) continue;
      if (chosen->next(element)) return true;
      chosen = nullptr;
      if (stops_on_empty || std::ranges::all_of(inputs, [](const Walk& one) { return one == nullptr; }))
        return end();
    }
    return false;
  }
  void keep(WalkState& state) {
    state.walk_or_end("selector", selector);
    if (state.is_read() && selector == nullptr) (void)end();
    if (selector == nullptr) return;
    for (size_t i = 0; i < inputs.size(); ++i) state.walk_or_end(fmt::format("input_{}", i), inputs[i]);
  }

 private:
  bool end() {
    selector = nullptr;
    inputs.clear();
    return false;
  }
  size_t place_of(const Element& choice) const {
    if (choice.size() != 1 || choice[0].dtype() != DType::kInt64 || choice[0].rank() != 0) {
      throw errors::InvalidArgumentError(
          "The selector input must be a dataset of scalar int64 elements.\nEach of them is the number of the "
          "dataset whose element is next.");
    }
    const int64_t place = *choice[0].data<int64_t>();
    if (place < 0 || place >= std::ssize(inputs)) {
      throw errors::InvalidArgumentError(
          fmt::format("Selector index out of range: {} >= {}", place, inputs.size()));
    }
    return static_cast<size_t>(place);
  }
};

GiveUp start_directed_interleave(BlockingCall& call) {
  const DatasetInput selector(call.in(0));
  std::vector<DatasetInput> inputs;
  int64_t cardinality = kUnknownCardinality;
  for (int i = 1; i < call.num_inputs(); ++i) {
    const DatasetInput& input = inputs.emplace_back(call.in(i));
    if (input->cardinality() == kInfiniteCardinality) cardinality = kInfiniteCardinality;
  }
  const bool stops = call.attrs().get<bool>("stop_on_empty_dataset");
  call.done(
      {dataset_value(parts_of(call, cardinality), [selector, inputs, stops](const IterationContext& context) {
        std::vector<Walk> walks;
        for (const DatasetInput& input : inputs) walks.push_back(input->iterate(context));
        return make_iterator(
            DirectedInterleaveWalk{context, stops, selector->iterate(context), std::move(walks)});
      })});
  return {};
}

/// Random numbers of 32 bits without end.
struct RandomWalk {
  static constexpr std::string_view kKind = "Random";
  const IterationContext& context;
  RandomWords words;

  bool next(Element& element) {
    context.limits.check();  // as for RangeDataset
    element = {Array(int64_t{words.next()})};
    return true;
  }
  void keep(WalkState& state) { words.keep(state); }
};

GiveUp start_random(BlockingCall& call) {
  const auto seeds = seeds_of(scalar_argument<int64_t>(call, 0, "seed"),
                              scalar_argument<int64_t>(call, 1, "seed2"), /*draws=*/false);
  call.done({dataset_value(
      parts_of(call, kInfiniteCardinality),
      [seeds](const IterationContext& context) { return make_iterator(RandomWalk{context, seeds->next()}); },
      seeds)});
  return {};
}

constexpr graph::OpRow random_row() {
  graph::OpRow row =
      dataset("RandomDataset", "seed:int64, seed2:int64",
              "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_random);
  row.stateful = true;
  return row;
}

constexpr graph::OpRow kDatasetChoiceOps[] = {
    dataset("DirectedInterleaveDataset", "selector_input_dataset:variant, data_input_datasets:N*variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; N:int>=1; "
            "stop_on_empty_dataset:bool=false",
            start_directed_interleave),
    random_row(),
};

}  // namespace

void register_dataset_choice_ops(OpTable& table) {
  for (const graph::OpRow& row : kDatasetChoiceOps) table.add(row);
}

}  // namespace flowray::ops
