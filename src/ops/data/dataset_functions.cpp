// Datasets that call a function for each element.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/inner_walk.h"
#include "ops/data/read_ahead.h"
#include "ops/data/register.h"
#include "ops/data/transformations.h"
#include "ops/data/user_function.h"
#include "ops/data/walk_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::BlockingCall;
using graph::FunctionRequest;
using graph::OpTable;
using GiveUp = std::function<void()>;

constexpr int64_t kAutotune = -1;  // tf.data.AUTOTUNE

int64_t checked_calls(int64_t calls) {
  if (calls <= 0 && calls != kAutotune)
    throw InvalidArgumentError("num_parallel_calls must be greater than zero.");
  return calls;
}

struct MapWalk {
  static constexpr std::string_view kKind = "Map";
  std::unique_ptr<DatasetIterator> input;
  MapFunction function;

  bool next(Element& element) {
    Element arguments;
    return input->next(arguments) && function(std::move(arguments), element);
  }
  void keep(WalkState& state) {
    function.keep(state);
    state.walk("input", *input);
  }
};

}  // namespace

Array mapped(const DatasetInput& input, const Mapping& mapping, int64_t num_parallel_calls) {
  const DatasetParts parts = {
      .inputs = {input.value()},
      .others = mapping.function.captured,
      .cardinality = mapping.keeps_count ? input->cardinality() : kUnknownCardinality};
  return dataset_value(parts, [=](const IterationContext& context) -> std::unique_ptr<DatasetIterator> {
    if (num_parallel_calls != 1 && !is_stateful(mapping.function, context.library)) {
      const size_t threads = threads_for(num_parallel_calls);
      return std::make_unique<ReadAhead>(
          context, *input, ReadAhead::Options{.threads = threads, .most_elements = threads, .map = &mapping});
    }
    return make_iterator(MapWalk{input->iterate(context), MapFunction(context, mapping)});
  });
}

namespace {

Mapping mapping_of(const BlockingCall& call) {
  return {function_of(call), call.node().op(), call.attrs().get<bool>("preserve_cardinality")};
}

/// `Calls`: the dtype of the number of parallel ones, the last input; void where there is none.
template <class Calls>
GiveUp start_map(BlockingCall& call) {
  int64_t calls = 1;
  if constexpr (!std::is_void_v<Calls>)
    calls = checked_calls(scalar_argument<Calls>(call, call.num_inputs() - 1, "num_parallel_calls"));
  call.done({mapped(DatasetInput(call.in(0)), mapping_of(call), calls)});
  return {};
}

GiveUp start_map_and_batch(BlockingCall& call) {
  const int behind = 1 + static_cast<int>(call.attrs().get<std::vector<DType>>("Targuments").size());
  const auto size = scalar_argument<int64_t>(call, behind, "batch_size");
  if (size <= 0) throw InvalidArgumentError("batch_size must be greater than zero.");
  const int64_t calls = checked_calls(scalar_argument<int64_t>(call, behind + 1, "num_parallel_calls"));
  const bool drops = scalar_argument<bool>(call, behind + 2, "drop_remainder");
  const Array each = mapped(DatasetInput(call.in(0)), mapping_of(call), calls);
  call.done({batched(DatasetInput(each), size, drops)});
  return {};
}

bool truth_of(const Element& results) {
  if (results.size() == 1 && results[0].dtype() == DType::kBool && results[0].rank() == 0)
    return *results[0].data<bool>();
  throw InvalidArgumentError("Filter predicate `f` must return a scalar bool.");
}

/// `ends`: whether the first element that the predicate refuses is the end.
struct FilterWalk {
  static constexpr std::string_view kKind = "Filter";
  bool ends = false;
  std::unique_ptr<DatasetIterator> input;
  UserFunction predicate;
  bool is_over = false;

  bool next(Element& element) {
    while (!is_over && input->next(element)) {
      if (truth_of(predicate(element))) return true;
      is_over = ends;
    }
    return false;
  }
  void keep(WalkState& state) {
    predicate.keep(state);
    state.flag("is_over", is_over);
    state.walk("input", *input);
  }
};

template <bool kEnds>
GiveUp start_filter(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done(
      {dataset_value(parts_of(call), [input, op = call.node().op(), request = function_of(call, "predicate")](
                                         const IterationContext& context) {
        return make_iterator(FilterWalk{kEnds, input->iterate(context), UserFunction(context, request, op)});
      })});
  return {};
}

/// The dataset that a function gives.
Array only_dataset(Element results) {
  if (results.size() == 1 && results[0].dtype() == DType::kVariant && results[0].rank() == 0) {
    return std::move(results[0]);
  }
  throw InvalidArgumentError("Function must return a single scalar of dtype DT_VARIANT.");
}

struct FlatMapWalk {
  static constexpr std::string_view kKind = "FlatMap";
  const IterationContext& context;
  std::unique_ptr<DatasetIterator> input;
  UserFunction function;
  std::unique_ptr<InnerWalk> inner = nullptr;

  bool next(Element& element) {
    while (true) {
      if (inner != nullptr && inner->next(element)) return true;
      inner = nullptr;
      Element arguments;
      if (!input->next(arguments)) return false;
      inner = open(std::move(arguments));
    }
  }
  std::unique_ptr<InnerWalk> open(Element arguments) const {
    Array dataset = only_dataset(function(arguments));
    return std::make_unique<InnerWalk>(std::move(arguments), std::move(dataset), context);
  }
  void keep(WalkState& state) {
    function.keep(state);
    InnerWalk::keep(state, "inner", inner, [this](Element arguments) { return open(std::move(arguments)); });
    state.walk("input", *input);
  }
};

GiveUp start_flat_map(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(parts_of(call), [input, op = call.node().op(),
                                            request = function_of(call)](const IterationContext& context) {
    return make_iterator(FlatMapWalk{context, input->iterate(context), UserFunction(context, request, op)});
  })});
  return {};
}

struct Turns {
  int64_t cycle = 1;   // datasets that are open at once
  int64_t block = 1;   // elements that each gives in a row
  size_t threads = 0;  // so many of those that are open are read ahead
  size_t ahead = 1;    // by so many elements
};

/// The inner datasets take turns.
class Interleaving final : public DatasetIterator {
 public:
  Interleaving(const IterationContext& context, const Dataset& input, const FunctionRequest& request,
               const std::string& op, const Turns& turns)
      : context_(context),
        walk_(input.iterate(context)),
        function_(context, request, op),
        cycle_(static_cast<size_t>(turns.cycle)),
        block_(turns.block),
        threads_(turns.threads),
        ahead_(turns.ahead) {}

 private:
  bool advance(Element& element) override {
    while (walk_ != nullptr || num_open_ > 0) {
      if (place_ == open_.size()) open_.emplace_back();
      std::unique_ptr<InnerWalk>& inner = open_[place_];
      if (inner != nullptr) {
        if (inner->next(element)) {
          if (++in_block_ == block_) take_turns();
          return true;
        }
        inner = nullptr;
        --num_open_;
        take_turns();
      } else if (walk_ != nullptr) {
        Element arguments;
        if (walk_->next(arguments)) {
          inner = open(std::move(arguments), place_ < threads_);
          ++num_open_;
        } else {
          walk_ = nullptr;
        }
      } else {
        take_turns();
      }
    }
    return false;
  }

  std::unique_ptr<InnerWalk> open(Element arguments, bool is_ahead) const {
    Array dataset = only_dataset(function_(arguments));
    return std::make_unique<InnerWalk>(std::move(arguments), std::move(dataset), context_,
                                       is_ahead ? ahead_ : 0);
  }

  std::string_view kind() const override { return "Interleave"; }
  void keep(WalkState& state) override {
    function_.keep(state);
    keep_open(state);
    state.count("place", place_, std::min(open_.size(), cycle_ - 1));
    state.number("in_block", in_block_, 0, block_ - 1);
    state.walk_or_end("input", walk_);
  }

  /// Which of them have threads depends on the machine: those that had keep them.
  void keep_open(WalkState& state) {
    std::vector<int64_t> are_ahead;
    for (const auto& inner : open_) are_ahead.push_back(inner != nullptr && inner->is_ahead() ? 1 : 0);
    state.numbers("are_ahead", are_ahead);
    if (are_ahead.size() > cycle_ || std::ranges::count(are_ahead, 1) > kMostThreads)
      state.damaged("are_ahead", "are more than there can be");
    open_.resize(are_ahead.size());
    num_open_ = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      InnerWalk::keep(state, fmt::format("inner_{}", i), open_[i],
                      [&](Element arguments) { return open(std::move(arguments), are_ahead[i] == 1); });
      if (open_[i] != nullptr) ++num_open_;
    }
  }

  void take_turns() {
    in_block_ = 0;
    // Behind those that were ever open there is nothing to wait for once the input has ended.
    const size_t end = walk_ == nullptr ? open_.size() : cycle_;
    place_ = place_ + 1 < end ? place_ + 1 : 0;
  }

  const IterationContext& context_;
  std::unique_ptr<DatasetIterator> walk_;
  const UserFunction function_;
  std::vector<std::unique_ptr<InnerWalk>> open_;  // at most cycle_, each made when its turn comes first
  const size_t cycle_;
  const int64_t block_;
  const size_t threads_;  // the first so many places are read ahead
  const size_t ahead_;
  size_t place_ = 0;
  size_t num_open_ = 0;
  int64_t in_block_ = 0;
};

GiveUp start_interleave(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const auto num_captured = static_cast<int>(call.attrs().get<std::vector<DType>>("Targuments").size());
  const int behind = 1 + num_captured;
  Turns turns = {.cycle = scalar_argument<int64_t>(call, behind, "cycle_length"),
                 .block = scalar_argument<int64_t>(call, behind + 1, "block_length")};
  const bool is_parallel = call.num_inputs() > behind + 2;
  if (turns.cycle == kAutotune && is_parallel) turns.cycle = 10;
  if (turns.cycle <= 0) throw InvalidArgumentError("`cycle_length` must be > 0");
  if (turns.block <= 0) throw InvalidArgumentError("`block_length` must be > 0");
  if (is_parallel) {
    const auto buffered = scalar_argument<int64_t>(call, behind + 2, "buffer_output_elements");
    const int64_t calls = checked_calls(scalar_argument<int64_t>(call, behind + 4, "num_parallel_calls"));
    // A thread needs some elements' time to be of use; more than a turn's is not asked for.
    constexpr int64_t kMostAhead = 1024;
    turns.ahead =
        static_cast<size_t>(std::clamp<int64_t>(buffered > 0 ? buffered : 2 * turns.block, 1, kMostAhead));
    if (calls != 1) turns.threads = threads_for(calls);
  }
  // As TensorFlow has it, where the inner datasets might have no elements at all, too.
  const bool is_endless = is_parallel && input->cardinality() == kInfiniteCardinality;
  call.done({dataset_value(
      parts_of(call, is_endless ? kInfiniteCardinality : kUnknownCardinality),
      [=, op = call.node().op(), request = function_of(call)](const IterationContext& context) {
        return std::unique_ptr<DatasetIterator>(new Interleaving(context, *input, request, op, turns));
      })});
  return {};
}

// ---- elements that a function makes

class Generating final : public DatasetIterator {
 public:
  Generating(const IterationContext& context, const FunctionRequest (&requests)[3]) : context_(context) {
    for (size_t i = 0; i < 3; ++i) {
      functions_[i] = context.functions.make_function(requests[i], context.library);
      attrs_[i] = requests[i].attr;
    }
  }
  ~Generating() override {
    try {
      finalize();
    } catch (const std::exception&) {  // no caller to report it to
      is_over_ = true;
    }
  }

 private:
  bool advance(Element& element) override {
    if (is_over_) return false;
    nested_ = context_.limits.nested;
    if (!has_begun_) {
      state_ = functions_[0]->call({}, context_.limits);
      has_begun_ = true;
    }
    try {
      element = functions_[1]->call(state_, context_.limits);
      return true;
    } catch (const errors::OutOfRangeError&) {
      finalize();
      return false;
    }
  }

  void finalize() {
    if (is_over_ || !has_begun_) return;
    is_over_ = true;
    (void)functions_[2]->call(state_, {.nested = nested_});
  }

  std::string_view kind() const override { return "Generator"; }
  void keep(WalkState& state) override {
    for (const std::string& attr : attrs_) state.function(attr, context_.library);
    throw errors::UnimplementedError(
        "GeneratorDataset does not support checkpointing.\nWhere the generator is belongs to "
        "the "
        "program.");
  }

  const IterationContext& context_;
  std::unique_ptr<graph::CallableFunction> functions_[3];  // at the beginning, for each element, at the end
  std::string attrs_[3];                                   // which name them
  Element state_;
  int nested_ = 0;  // as CallLimits have it
  bool has_begun_ = false;
  bool is_over_ = false;
};

GiveUp start_generator(BlockingCall& call) {
  struct Requests {
    FunctionRequest of[3];
  };
  auto requests = std::make_shared<Requests>();
  int first = 0;
  static constexpr std::string_view kNames[] = {"init_func", "next_func", "finalize_func"};
  for (size_t i = 0; i < 3; ++i) {
    const size_t count = call.attrs().get<std::vector<DType>>(fmt::format("T{}_args", kNames[i])).size();
    requests->of[i] = function_argument(call, kNames[i], first, count);
    first += static_cast<int>(count);
  }
  call.done({dataset_value(parts_of(call), [requests](const IterationContext& context) {
    return std::unique_ptr<DatasetIterator>(new Generating(context, requests->of));
  })});
  return {};
}

constexpr graph::OpRow kFunctionRows[] = {
    dataset(
        "MapDataset", "input_dataset:variant, other_arguments:[Targuments]",
        "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
        "use_inter_op_parallelism:bool=true; preserve_cardinality:bool=false; force_synchronous:bool=false; "
        "metadata:string=\"\"",
        start_map<void>),
    dataset("ParallelMapDataset",
            "input_dataset:variant, other_arguments:[Targuments], num_parallel_calls:int32",
            "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "use_inter_op_parallelism:bool=true; sloppy:bool=false; preserve_cardinality:bool=false; "
            "metadata:string=\"\"",
            start_map<int32_t>),
    dataset("ParallelMapDatasetV2",
            "input_dataset:variant, other_arguments:[Targuments], num_parallel_calls:int64",
            "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "use_inter_op_parallelism:bool=true; deterministic:string=\"default\"; "
            "preserve_cardinality:bool=false; "
            "use_unbounded_threadpool:bool=false; metadata:string=\"\"",
            start_map<int64_t>),
    dataset(
        "MapAndBatchDataset",
        "input_dataset:variant, other_arguments:[Targuments], batch_size:int64, num_parallel_calls:int64, "
        "drop_remainder:bool",
        "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
        "preserve_cardinality:bool=false; metadata:string=\"\"",
        start_map_and_batch),
    dataset(
        "FilterDataset", "input_dataset:variant, other_arguments:[Targuments]",
        "predicate:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
        "metadata:string=\"\"",
        start_filter<false>),
    dataset(
        "TakeWhileDataset", "input_dataset:variant, other_arguments:[Targuments]",
        "predicate:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
        "metadata:string=\"\"",
        start_filter<true>),
    dataset("FlatMapDataset", "input_dataset:variant, other_arguments:[Targuments]",
            "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_flat_map),
    dataset("InterleaveDataset",
            "input_dataset:variant, other_arguments:[Targuments], cycle_length:int64, block_length:int64",
            "f:func; Targuments:list(type); output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_interleave),
    dataset("ParallelInterleaveDatasetV4",
            "input_dataset:variant, other_arguments:[Targuments], cycle_length:int64, block_length:int64, "
            "buffer_output_elements:int64, prefetch_input_elements:int64, num_parallel_calls:int64",
            "f:func; deterministic:string=\"default\"; Targuments:list(type); output_types:list(type)>=1; "
            "output_shapes:list(shape)>=1; metadata:string=\"\"",
            start_interleave),
};

constexpr graph::OpRow kGenerator[] = {
    {.name = "GeneratorDataset",
     .inputs = "init_func_other_args:[Tinit_func_args], next_func_other_args:[Tnext_func_args], "
               "finalize_func_other_args:[Tfinalize_func_args]",
     .outputs = "handle:variant",
     .attrs = "init_func:func; next_func:func; finalize_func:func; Tinit_func_args:list(type); "
              "Tnext_func_args:list(type); Tfinalize_func_args:list(type); output_types:list(type)>=1; "
              "output_shapes:list(shape)>=1; metadata:string=\"\"",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_generator},
};

}  // namespace

void register_dataset_function_ops(OpTable& table) {
  for (const graph::OpRow& row : kFunctionRows) table.add(row);
  for (const graph::OpRow& row : kGenerator) table.add(row);
}

}  // namespace flowray::ops
