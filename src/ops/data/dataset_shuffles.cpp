// Datasets in other orders.

#include "core/invalid_argument.h"
#include "graph/graph.h"
#include "graph/op_schema.h"
#include "graph/resource/resource_value.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/register.h"
#include "ops/data/walk_seeds.h"
#include "ops/data/walk_state.h"

#include <deque>
#include <limits>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

/// TensorFlow's order: of a buffer that is kept full, one drawn at random; the oldest takes its place.
struct ShuffleWalk {
  static constexpr std::string_view kKind = "Shuffle";
  std::unique_ptr<DatasetIterator> input;  // null at its end
  int64_t size = 1;
  RandomWords words;
  std::deque<Element> buffer = {};

  bool next(Element& element) {
    Element row;
    while (input != nullptr && std::ssize(buffer) < size) {
      if (input->next(row)) {
        buffer.push_back(std::move(row));
      } else {
        input = nullptr;
      }
    }
    if (buffer.empty()) return false;
    const size_t chosen = words.next() % buffer.size();
    element = std::move(buffer[chosen]);
    if (chosen != 0) buffer[chosen] = std::move(buffer.front());
    buffer.pop_front();
    return true;
  }
  void keep(WalkState& state) {
    words.keep(state);
    state.elements_of("buffer", buffer);
    state.walk_or_end("input", input);
  }
};

/// tf.data.UNKNOWN_CARDINALITY: as many as there are.
constexpr int64_t kAllElements = -2;

int64_t buffer_size(const BlockingCall& call) {
  const auto size = scalar_argument<int64_t>(call, 1, "buffer_size");
  if (size == kAllElements) return std::numeric_limits<int64_t>::max();
  if (size <= 0) invalid_argument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  return size;
}

GiveUp finish_shuffle(BlockingCall& call, int64_t size, const std::shared_ptr<Seeds>& seeds) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(
      parts_of(call, input->cardinality()),
      [input, size, seeds](const IterationContext& context) {
        return make_iterator(ShuffleWalk{input->iterate(context), size, seeds->next()});
      },
      seeds)});
  return {};
}

std::shared_ptr<Seeds> seeds_of_inputs(const BlockingCall& call) {
  return seeds_of(scalar_argument<int64_t>(call, 2, "seed"), scalar_argument<int64_t>(call, 3, "seed2"),
                  call.attrs().get<bool>("reshuffle_each_iteration"));
}

GiveUp start_shuffle(BlockingCall& call) {
  const int64_t size = buffer_size(call);
  return finish_shuffle(call, size, seeds_of_inputs(call));
}

/// With the seeds of a generator, if it has any.
GiveUp start_shuffle_v2(BlockingCall& call) {
  const int64_t size = buffer_size(call);
  const std::shared_ptr<Seeds>& seeds = call.resource<SeedGenerator>(2).seeds();
  return finish_shuffle(call, size, seeds != nullptr ? seeds : seeds_of(0, 0, /*draws=*/true));
}

/// The same, else with seeds of its own.
GiveUp start_shuffle_v3(BlockingCall& call) {
  const int64_t size = buffer_size(call);
  const std::shared_ptr<Seeds>& seeds = call.resource<SeedGenerator>(4).seeds();
  return finish_shuffle(call, size, seeds != nullptr ? seeds : seeds_of_inputs(call));
}

std::shared_ptr<graph::Resource> make_dummy_seed_generator(graph::ResourceContext& context) {
  return context.find_or_make_own<SeedGenerator>(
      [](const std::string& name) { return std::make_shared<SeedGenerator>(name, nullptr); });
}

GiveUp start_seed_generator(BlockingCall& call) {
  auto seeds = seeds_of(scalar_argument<int64_t>(call, 0, "seed"), scalar_argument<int64_t>(call, 1, "seed2"),
                        scalar_argument<bool>(call, 2, "reshuffle"));
  // It ends with the last that keeps it: there is nothing that its deleter had to do.
  auto generator = std::make_shared<SeedGenerator>(call.node().name(), std::move(seeds));
  call.done({graph::resource_value(std::move(generator)), graph::empty_variant()});
  return {};
}

constexpr graph::OpRow stateful(graph::OpRow row) {
  row.stateful = true;
  return row;
}

constexpr graph::OpRow kDatasetShuffleOps[] = {
    dataset("ShuffleDataset", "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64",
            "reshuffle_each_iteration:bool=true; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_shuffle),
    stateful(dataset("ShuffleDatasetV2", "input_dataset:variant, buffer_size:int64, seed_generator:resource",
                     "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
                     start_shuffle_v2)),
    stateful(dataset(
        "ShuffleDatasetV3",
        "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64, seed_generator:resource",
        "reshuffle_each_iteration:bool=true; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
        "metadata:string=\"\"",
        start_shuffle_v3)),
    {.name = "DummySeedGenerator",
     .outputs = "handle:resource",
     .stateful = true,
     .shape = graph::scalar_shape,
     .resource = make_dummy_seed_generator},
    {.name = "AnonymousSeedGenerator",
     .inputs = "seed:int64, seed2:int64, reshuffle:bool",
     .outputs = "handle:resource, deleter:variant",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_seed_generator},
};

}  // namespace

void register_dataset_shuffle_ops(OpTable& table) {
  for (const graph::OpRow& row : kDatasetShuffleOps) table.add(row);
}

}  // namespace flowray::ops
