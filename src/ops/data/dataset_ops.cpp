// Datasets that are made of others without calling functions: parts, rows, other orders.

#include "core/invalid_argument.h"
#include "core/mutex.h"
#include "core/philox.h"
#include "graph/op_schema.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/read_ahead.h"
#include "ops/data/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <random>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

// ---- parts and rows

GiveUp start_zip(BlockingCall& call) {
  std::vector<DatasetInput> inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.emplace_back(call.in(i));
  call.done({dataset_value(parts_of(call), [inputs](const IterationContext& context) {
    std::vector<std::unique_ptr<DatasetIterator>> walks;
    for (const DatasetInput& input : inputs) walks.push_back(input->iterate(context));
    return make_iterator([walks = std::move(walks), is_over = false](Element& element) mutable {
      if (is_over || walks.empty()) return false;
      element.clear();
      for (const auto& walk : walks) {
        Element part;
        if (!walk->next(part)) {
          is_over = true;
          return false;
        }
        element.insert(element.end(), part.begin(), part.end());
      }
      return true;
    });
  })});
  return {};
}

GiveUp start_concatenate(BlockingCall& call) {
  const DatasetInput first(call.in(0));
  const DatasetInput second(call.in(1));
  call.done({dataset_value(parts_of(call), [first, second](const IterationContext& context) {
    return make_iterator(
        [&context, second, walk = first->iterate(context), is_second = false](Element& element) mutable {
          while (!walk->next(element)) {
            context.limits.check();  // of nothing joined to nothing there may be much
            if (is_second) return false;
            is_second = true;
            walk = second->iterate(context);
          }
          return true;
        });
  })});
  return {};
}

/// For ever where `count` is below 0, but, however often, not over nothing at all.
GiveUp start_repeat(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  call.done({dataset_value(parts_of(call), [input, count](const IterationContext& context) {
    return make_iterator([&context, input, count, round = int64_t{0}, is_empty = true,
                          walk = std::unique_ptr<DatasetIterator>()](Element& element) mutable {
      while (count < 0 || round < count) {
        context.limits.check();  // as for RangeDataset
        if (walk == nullptr) {
          walk = input->iterate(context);
          is_empty = true;
        }
        if (walk->next(element)) {
          is_empty = false;
          return true;
        }
        walk = nullptr;
        ++round;
        if (is_empty) return false;
      }
      return false;
    });
  })});
  return {};
}

GiveUp start_skip(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  call.done({dataset_value(parts_of(call), [input, count](const IterationContext& context) {
    return make_iterator(
        [count, walk = input->iterate(context), skipped = int64_t{0}](Element& element) mutable {
          if (count < 0) return false;  // all of them
          for (; skipped < count; ++skipped) {
            if (!walk->next(element)) return false;
          }
          return walk->next(element);
        });
  })});
  return {};
}

GiveUp start_take(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  call.done({dataset_value(parts_of(call), [input, count](const IterationContext& context) {
    return make_iterator(
        [count, walk = input->iterate(context), taken = int64_t{0}](Element& element) mutable {
          if (count >= 0 && taken >= count) return false;
          if (!walk->next(element)) return false;
          ++taken;
          return true;
        });
  })});
  return {};
}

GiveUp start_shard(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto num_shards = scalar_argument<int64_t>(call, 1, "num_shards");
  const auto index = scalar_argument<int64_t>(call, 2, "index");
  if (num_shards <= 0) {
    invalid_argument(
        fmt::format("Number of shards must be greater than zero (currently num_shards = {}).", num_shards));
  }
  if (index < 0 || index >= num_shards) {
    invalid_argument(
        fmt::format("Index must be between 0 and {} (currently index = {}).", num_shards - 1, index));
  }
  call.done({dataset_value(parts_of(call), [=](const IterationContext& context) {
    return make_iterator([=, walk = input->iterate(context), at = int64_t{0}](Element& element) mutable {
      while (walk->next(element)) {
        if (at++ % num_shards == index) return true;
      }
      return false;
    });
  })});
  return {};
}

GiveUp start_prefetch(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto size = scalar_argument<int64_t>(call, 1, "buffer_size");
  constexpr int64_t kAutotune = -1;
  if (size < 0 && size != kAutotune)
    invalid_argument(
        "buffer_size must be greater than or equal to 0 or set buffer_size to be -1 for auto-tuning");
  if (size == 0) {
    call.done({call.in(0)});
    return {};
  }
  // More would not come sooner: a buffer evens out how long elements take.
  constexpr int64_t kMost = 4096;
  const auto most = static_cast<size_t>(size == kAutotune ? 2 : std::min(size, kMost));
  call.done({dataset_value(parts_of(call), [input, most](const IterationContext& context) {
    return std::unique_ptr<DatasetIterator>(new ReadAhead(context, *input, {.most_elements = most}));
  })});
  return {};
}

/// What changes only how fast elements come.
GiveUp start_same(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({call.in(0)});
  return {};
}

GiveUp start_unbatch(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(parts_of(call), [input](const IterationContext& context) {
    return make_iterator(
        [walk = input->iterate(context), batch = Element(), at = int64_t{0}](Element& element) mutable {
          while (batch.empty() || at >= batch[0].dim(0)) {
            at = 0;
            if (!walk->next(batch)) return false;
            for (const Array& component : batch) {
              if (component.rank() == 0)
                invalid_argument("Input element must have a non-scalar value in each component.");
              if (component.dim(0) != batch[0].dim(0))
                invalid_argument("Input element must have the same batch size in each component.");
            }
          }
          element.clear();
          for (const Array& component : batch) {
            element.push_back(component.rows(at, at + 1).reshape(Shape(component.shape().dims().subspan(1))));
          }
          ++at;
          return true;
        });
  })});
  return {};
}

/// Elements are kept when they have all been seen once, for all walks: as long as the dataset lives.
GiveUp start_cache(BlockingCall& call) {
  struct Cache {
    Mutex mutex;
    std::vector<Element> elements FLOWRAY_GUARDED_BY(mutex);
    bool is_complete FLOWRAY_GUARDED_BY(mutex) = false;
  };
  const DatasetInput input(call.in(0));
  if (const auto filename = scalar_argument<std::string>(call, 1, "filename"); !filename.empty()) {
    throw errors::UnimplementedError(
        fmt::format("CacheDataset: files such as {} are not written today: leave the file's name out, and "
                    "elements are kept in memory",
                    filename));
  }
  call.done({dataset_value(
      parts_of(call), [input, cache = std::make_shared<Cache>()](const IterationContext& context) {
        const MutexLock lock(cache->mutex);
        auto walk = cache->is_complete ? nullptr : input->iterate(context);
        return make_iterator([cache, walk = std::move(walk), seen = std::vector<Element>(),
                              at = size_t{0}](Element& element) mutable {
          if (walk == nullptr) {
            const MutexLock guard(cache->mutex);
            if (at == cache->elements.size()) return false;
            element = cache->elements[at++];
            return true;
          }
          if (walk->next(element)) {
            seen.push_back(element);
            return true;
          }
          const MutexLock guard(cache->mutex);
          if (!cache->is_complete) {
            cache->elements = seen;
            cache->is_complete = true;
          }
          return false;
        });
      })});
  return {};
}

// ---- shuffled

/// Single words of a Philox stream.
class Words {
 public:
  Words(int64_t seed, int64_t seed2) : position_(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)) {}
  uint32_t next() {
    if (used_ == words_.size()) {
      words_ = position_.next();
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  Philox position_;
  Philox::Words words_ = {};
  size_t used_ = 4;
};

/// The seeds of the walks through one dataset: its own each time, or drawn anew for each.
class Seeds {
 public:
  Seeds(int64_t seed, int64_t seed2, bool draws)
      : seed_(seed), seed2_(seed2), draws_(draws), words_(seed, seed2) {}
  Words next() {
    if (!draws_) return {seed_, seed2_};
    const MutexLock lock(mutex_);
    const int64_t first = words_.next();
    const int64_t second = words_.next();
    return {first, second};
  }

 private:
  const int64_t seed_;
  const int64_t seed2_;
  const bool draws_;
  Mutex mutex_;
  Words words_ FLOWRAY_GUARDED_BY(mutex_);
};

/// TensorFlow's order: of a buffer that is kept full, one drawn at random; the oldest takes its place.
std::unique_ptr<DatasetIterator> shuffled(std::unique_ptr<DatasetIterator> walk, int64_t size, Words words) {
  return make_iterator(
      [walk = std::move(walk), size, words, buffer = std::deque<Element>()](Element& element) mutable {
        Element next;
        while (walk != nullptr && std::ssize(buffer) < size) {
          if (walk->next(next)) {
            buffer.push_back(std::move(next));
          } else {
            walk = nullptr;
          }
        }
        if (buffer.empty()) return false;
        const size_t chosen = words.next() % buffer.size();
        element = std::move(buffer[chosen]);
        if (chosen != 0) buffer[chosen] = std::move(buffer.front());
        buffer.pop_front();
        return true;
      });
}

GiveUp start_shuffle(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto size = scalar_argument<int64_t>(call, 1, "buffer_size");
  auto seed = scalar_argument<int64_t>(call, 2, "seed");
  auto seed2 = scalar_argument<int64_t>(call, 3, "seed2");
  if (size <= 0) invalid_argument("buffer_size must be greater than zero.");
  if (seed == 0 && seed2 == 0) {
    std::random_device random;
    seed = random();
    seed2 = random();
  }
  const auto seeds = std::make_shared<Seeds>(seed, seed2, call.attrs().get<bool>("reshuffle_each_iteration"));
  call.done({dataset_value(parts_of(call), [input, size, seeds](const IterationContext& context) {
    return shuffled(input->iterate(context), size, seeds->next());
  })});
  return {};
}

constexpr graph::OpRow kDatasetRows[] = {
    dataset("ZipDataset", "input_datasets:N*variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; N:int>=1; metadata:string=\"\"",
            start_zip),
    dataset("ConcatenateDataset", "input_dataset:variant, another_dataset:variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
            start_concatenate),
    dataset("RepeatDataset", "input_dataset:variant, count:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_repeat),
    dataset("SkipDataset", "input_dataset:variant, count:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_skip),
    dataset("TakeDataset", "input_dataset:variant, count:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_take),
    dataset("ShardDataset", "input_dataset:variant, num_shards:int64, index:int64",
            "require_non_empty:bool=false; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_shard),
    dataset("ShuffleDataset", "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64",
            "reshuffle_each_iteration:bool=true; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_shuffle),
    dataset("CacheDataset", "input_dataset:variant, filename:string",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_cache),
    dataset("UnbatchDataset", "input_dataset:variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_unbatch),
    dataset("PrefetchDataset", "input_dataset:variant, buffer_size:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; slack_period:int=0; "
            "legacy_autotune:bool=true; "
            "buffer_size_min:int=0; metadata:string=\"\"",
            start_prefetch),
    dataset("ModelDataset", "input_dataset:variant",
            "algorithm:int=0; cpu_budget:int=0; ram_budget:int=0; output_types:list(type)>=1; "
            "output_shapes:list(shape)>=1",
            start_same),
    dataset("RewriteDataset", "input_dataset:variant, rewrite_name:string",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1", start_same),
    dataset("OptimizeDatasetV2",
            "input_dataset:variant, optimizations_enabled:string, optimizations_disabled:string, "
            "optimizations_default:string",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; optimization_configs:list(string)=[]",
            start_same),
};

}  // namespace

void register_dataset_ops(OpTable& table) {
  for (const graph::OpRow& row : kDatasetRows) table.add(row);
}

}  // namespace flowray::ops
