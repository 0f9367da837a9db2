// Datasets in other orders.

#include "core/invalid_argument.h"
#include "core/mutex.h"
#include "core/philox.h"
#include "graph/graph.h"
#include "graph/op_schema.h"
#include "graph/resource/resource_value.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/register.h"
#include "ops/data/walk_state.h"

#include <deque>
#include <limits>
#include <random>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

/// Single words of a Philox stream.
class Words {
 public:
  Words(int64_t seed, int64_t seed2) { begin(seed, seed2); }
  uint32_t next() {
    const size_t place = num_taken_ % words_.size();
    if (place == 0) words_ = position_.next();
    ++num_taken_;
    return words_[place];
  }
  void keep(WalkState& state) {
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
    int64_t seed = seed_;
    int64_t seed2 = seed2_;
    auto num_taken = static_cast<int64_t>(num_taken_);
    state.number("seed", seed, kLeast);
    state.number("seed2", seed2, kLeast);
    state.number("num_words", num_taken);
    if (!state.is_read()) return;
    begin(seed, seed2);
    num_taken_ = static_cast<uint64_t>(num_taken);
    position_.skip(num_taken_ / words_.size());
    if (num_taken_ % words_.size() != 0) words_ = position_.next();
  }
  int64_t seed() const { return seed_; }
  int64_t seed2() const { return seed2_; }

 private:
  void begin(int64_t seed, int64_t seed2) {
    seed_ = seed;
    seed2_ = seed2;
    position_ = Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
  }

  int64_t seed_ = 0;
  int64_t seed2_ = 0;
  Philox position_{0, 0};
  Philox::Words words_ = {};
  uint64_t num_taken_ = 0;
};

/// The seeds of the walks through one dataset: its own each time, or drawn anew for each.
class Seeds {
 public:
  Seeds(int64_t seed, int64_t seed2, bool draws) : draws_(draws), words_(seed, seed2) {}
  Words next() {
    const MutexLock lock(mutex_);
    if (!draws_) return {words_.seed(), words_.seed2()};
    const int64_t first = words_.next();
    const int64_t second = words_.next();
    return {first, second};
  }
  /// For the walks that begin after the one that is saved.
  void keep(WalkState& state) {
    Words words = this->words();
    words.keep(state);
    if (!state.is_read()) return;
    state.when_read([this, words] {
      const MutexLock lock(mutex_);
      words_ = words;
    });
  }

 private:
  Words words() {
    const MutexLock lock(mutex_);
    return words_;
  }

  const bool draws_;
  Mutex mutex_;
  Words words_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Of seeds that are 0 both, some by chance.
std::shared_ptr<Seeds> seeds_of(int64_t seed, int64_t seed2, bool draws) {
  if (seed == 0 && seed2 == 0) {
    std::random_device random;
    seed = random();
    seed2 = random();
  }
  return std::make_shared<Seeds>(seed, seed2, draws);
}

/// What gives walks through datasets their seeds, as a value in the graph.
class SeedGenerator final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::data::SeedGeneratorManager";

  /// Without seeds it stands where one is asked for and gives none.
  SeedGenerator(std::string name, std::shared_ptr<Seeds> seeds)
      : Resource(std::move(name)), seeds_(std::move(seeds)) {}
  std::string_view kind() const override { return kKind; }
  const std::shared_ptr<Seeds>& seeds() const { return seeds_; }

 private:
  const std::shared_ptr<Seeds> seeds_;
};

/// TensorFlow's order: of a buffer that is kept full, one drawn at random; the oldest takes its place.
struct ShuffleWalk {
  static constexpr std::string_view kKind = "Shuffle";
  std::unique_ptr<DatasetIterator> input;  // null at its end
  int64_t size = 1;
  Words words;
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
