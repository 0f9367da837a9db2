// Datasets that are made of others without calling functions: parts and rows.

#include "core/invalid_argument.h"
#include "graph/op_schema.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/read_ahead.h"
#include "ops/data/register.h"
#include "ops/data/walk_state.h"
#include "ops/elements/variant_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

// ---- parts and rows

using Walk = std::unique_ptr<DatasetIterator>;

struct ZipWalk {
  static constexpr std::string_view kKind = "Zip";
  std::vector<Walk> inputs;
  bool is_over = false;

  bool next(Element& element) {
    if (is_over || inputs.empty()) return false;
    element.clear();
    for (const Walk& input : inputs) {
      Element part;
      if (!input->next(part)) {
        is_over = true;
        return false;
      }
      element.insert(element.end(), part.begin(), part.end());
    }
    return true;
  }
  void keep(WalkState& state) {
    state.flag("is_over", is_over);
    for (size_t i = 0; i < inputs.size(); ++i) state.walk(fmt::format("input_{}", i), *inputs[i]);
  }
};

GiveUp start_zip(BlockingCall& call) {
  std::vector<DatasetInput> inputs;
  int64_t cardinality = kInfiniteCardinality;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const DatasetInput& input = inputs.emplace_back(call.in(i));
    cardinality = cardinality_of_pairs(cardinality, input->cardinality());
  }
  call.done({dataset_value(parts_of(call, cardinality), [inputs](const IterationContext& context) {
    std::vector<Walk> walks;
    for (const DatasetInput& input : inputs) walks.push_back(input->iterate(context));
    return make_iterator(ZipWalk{std::move(walks)});
  })});
  return {};
}

struct ConcatenateWalk {
  static constexpr std::string_view kKind = "Concatenate";
  const IterationContext& context;
  DatasetInput second;
  Walk input;
  bool is_second = false;

  bool next(Element& element) {
    while (!input->next(element)) {
      context.limits.check();  // of nothing joined to nothing there may be much
      if (is_second) return false;
      is_second = true;
      input = second->iterate(context);
    }
    return true;
  }
  void keep(WalkState& state) {
    state.flag("is_second", is_second);
    if (state.is_read() && is_second) input = second->iterate(context);
    state.walk("input", *input);
  }
};

GiveUp start_concatenate(BlockingCall& call) {
  const DatasetInput first(call.in(0));
  const DatasetInput second(call.in(1));
  const int64_t cardinality = cardinality_of_joined(first->cardinality(), second->cardinality());
  call.done({dataset_value(parts_of(call, cardinality), [first, second](const IterationContext& context) {
    return make_iterator(ConcatenateWalk{context, second, first->iterate(context)});
  })});
  return {};
}

/// For ever where `count` is below 0, but, however often, not over nothing at all.
struct RepeatWalk {
  static constexpr std::string_view kKind = "Repeat";
  const IterationContext& context;
  DatasetInput repeated;
  int64_t count = -1;
  int64_t round = 0;
  bool is_empty = true;
  Walk input = nullptr;

  bool next(Element& element) {
    while (count < 0 || round < count) {
      context.limits.check();  // as for RangeDataset
      if (input == nullptr) {
        input = repeated->iterate(context);
        is_empty = true;
      }
      if (input->next(element)) {
        is_empty = false;
        return true;
      }
      input = nullptr;
      ++round;
      if (is_empty) return false;
    }
    return false;
  }
  void keep(WalkState& state) {
    state.number("round", round);
    state.flag("is_empty", is_empty);
    state.walk("input", input, [this] { return repeated->iterate(context); });
  }
};

GiveUp start_repeat(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  const int64_t cardinality = cardinality_of_repeated(input->cardinality(), count);
  call.done({dataset_value(parts_of(call, cardinality), [input, count](const IterationContext& context) {
    return make_iterator(RepeatWalk{context, input, count});
  })});
  return {};
}

struct SkipWalk {
  static constexpr std::string_view kKind = "Skip";
  int64_t count = 0;
  Walk input;
  int64_t skipped = 0;

  bool next(Element& element) {
    if (count < 0) return false;  // all of them
    for (; skipped < count; ++skipped) {
      if (!input->next(element)) return false;
    }
    return input->next(element);
  }
  void keep(WalkState& state) {
    state.number("skipped", skipped);
    state.walk("input", *input);
  }
};

GiveUp start_skip(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  const int64_t cardinality = cardinality_of_rest(input->cardinality(), count);
  call.done({dataset_value(parts_of(call, cardinality), [input, count](const IterationContext& context) {
    return make_iterator(SkipWalk{count, input->iterate(context)});
  })});
  return {};
}

struct TakeWalk {
  static constexpr std::string_view kKind = "Take";
  const IterationContext& context;
  DatasetInput all;
  int64_t count = 0;
  Walk input;
  int64_t taken = 0;

  bool next(Element& element) {
    if (count >= 0 && taken >= count) {
      input = nullptr;  // which may have threads, files and a generator
      return false;
    }
    if (!input->next(element)) return false;
    ++taken;
    return true;
  }
  void keep(WalkState& state) {
    state.number("taken", taken);
    state.walk("input", input, [this] { return all->iterate(context); });
  }
};

GiveUp start_take(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto count = scalar_argument<int64_t>(call, 1, "count");
  const int64_t cardinality = cardinality_of_taken(input->cardinality(), count);
  call.done({dataset_value(parts_of(call, cardinality), [input, count](const IterationContext& context) {
    return make_iterator(TakeWalk{context, input, count, input->iterate(context)});
  })});
  return {};
}

struct ShardWalk {
  static constexpr std::string_view kKind = "Shard";
  int64_t num_shards = 1;
  int64_t index = 0;
  Walk input;
  int64_t at = 0;

  bool next(Element& element) {
    while (input->next(element)) {
      const int64_t shard = at;
      at = at + 1 < num_shards ? at + 1 : 0;
      if (shard == index) return true;
    }
    return false;
  }
  void keep(WalkState& state) {
    state.number("at", at, 0, num_shards - 1);
    state.walk("input", *input);
  }
};

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
  const int64_t cardinality = cardinality_of_shard(input->cardinality(), num_shards, index);
  call.done({dataset_value(parts_of(call, cardinality), [=](const IterationContext& context) {
    return make_iterator(ShardWalk{num_shards, index, input->iterate(context)});
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
  call.done(
      {dataset_value(parts_of(call, input->cardinality()), [input, most](const IterationContext& context) {
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

/// How many rows each component has; an element that has not one number of them throws.
int64_t num_rows_of(const Element& batch) {
  if (batch.empty()) invalid_argument("Input element must have at least one component.");
  for (const Array& component : batch) {
    if (component.rank() == 0)
      invalid_argument("Input element must have a non-scalar value in each component.");
    if (component.dim(0) != batch[0].dim(0))
      invalid_argument("Input element must have the same batch size in each component.");
  }
  return batch[0].dim(0);
}

/// The rows of elements; none of one that throws, or behind the end.
struct UnbatchWalk {
  static constexpr std::string_view kKind = "Unbatch";
  Walk input;
  Element batch = {};
  int64_t num_rows = 0;
  int64_t at = 0;

  bool next(Element& element) {
    while (at >= num_rows) {
      at = num_rows = 0;
      if (!input->next(batch)) return false;
      num_rows = num_rows_of(batch);
    }
    element.clear();
    for (const Array& component : batch) element.push_back(row_of(component, at));
    ++at;
    return true;
  }
  void keep(WalkState& state) {
    Element left = at < num_rows ? batch : Element();
    state.element("batch", left);
    int64_t next_row = left.empty() ? 0 : at;
    if (state.is_read()) {
      batch = left;
      num_rows = batch.empty() ? 0 : num_rows_of(batch);
    }
    state.number("at", next_row, 0, num_rows);
    if (state.is_read()) at = next_row;
    state.walk("input", *input);
  }
};

GiveUp start_unbatch(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(parts_of(call), [input](const IterationContext& context) {
    return make_iterator(UnbatchWalk{input->iterate(context)});
  })});
  return {};
}

/// The elements that can be made. As in TensorFlow, an error that comes each time keeps the step.
struct IgnoreErrorsWalk {
  static constexpr std::string_view kKind = "IgnoreErrors";
  const IterationContext& context;
  bool logs = false;
  Walk input;

  bool next(Element& element) {
    while (true) {
      context.limits.check();
      try {
        return input->next(element);
      } catch (const errors::CancelledError&) {
        throw;  // as TensorFlow does: also of a queue that is closed
      } catch (const errors::OpError& error) {
        if (logs) std::fprintf(stderr, "flowray: an element is left out: %s\n", error.message().c_str());
      }
    }
  }
  void keep(WalkState& state) { state.walk("input", *input); }
};

GiveUp start_ignore_errors(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const bool logs = call.attrs().get<bool>("log_warning");
  call.done({dataset_value(parts_of(call), [input, logs](const IterationContext& context) {
    return make_iterator(IgnoreErrorsWalk{context, logs, input->iterate(context)});
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
    dataset("UnbatchDataset", "input_dataset:variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_unbatch),
    dataset("PrefetchDataset", "input_dataset:variant, buffer_size:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; slack_period:int=0; "
            "legacy_autotune:bool=true; "
            "buffer_size_min:int=0; metadata:string=\"\"",
            start_prefetch),
    dataset("IgnoreErrorsDataset", "input_dataset:variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; log_warning:bool=false",
            start_ignore_errors),
    dataset("ModelDataset", "input_dataset:variant",
            "algorithm:int=0; cpu_budget:int=0; ram_budget:int=0; output_types:list(type)>=1; "
            "output_shapes:list(shape)>=1",
            start_same),
    dataset("OptionsDataset", "input_dataset:variant",
            "serialized_options:string; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
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
