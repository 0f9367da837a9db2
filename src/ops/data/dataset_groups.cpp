// Datasets that carry a state from element to element, and those that sort elements by a key.

#include "core/invalid_argument.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/inner_walk.h"
#include "ops/data/register.h"
#include "ops/data/user_function.h"
#include "ops/data/walk_state.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::FunctionRequest;
using graph::OpTable;
using GiveUp = std::function<void()>;

/// The inputs first to first + count.
Element inputs_of(const BlockingCall& call, int first, size_t count) {
  Element inputs;
  for (size_t i = 0; i < count; ++i) inputs.push_back(call.in(first + static_cast<int>(i)));
  return inputs;
}

size_t length_of(const BlockingCall& call, std::string_view attr) {
  return call.attrs().get<std::vector<DType>>(attr).size();
}

/// `first`, then `second`.
Element joined(Element first, Element second) {
  for (Array& component : second) first.push_back(std::move(component));
  return first;
}

// ---- a state

/// The function gives the new state, then the element.
struct ScanWalk {
  static constexpr std::string_view kKind = "Scan";
  std::unique_ptr<DatasetIterator> input;
  Element state_before;
  MapFunction function;

  bool next(Element& element) {
    const size_t num_states = state_before.size();
    Element row;
    Element results;
    if (!input->next(row) || !function(joined(state_before, std::move(row)), results)) return false;
    if (results.size() < num_states) {
      invalid_argument(fmt::format("The function of a scan gives {} values, fewer than its {} of state",
                                   results.size(), num_states));
    }
    const auto behind = results.begin() + static_cast<std::ptrdiff_t>(num_states);
    state_before.assign(results.begin(), behind);
    element.assign(behind, results.end());
    return true;
  }
  void keep(WalkState& state) {
    function.keep(state);
    const size_t num_states = state_before.size();
    state.element("state", state_before);
    if (state_before.size() != num_states) state.damaged("state", "has another number of tensors");
    state.walk("input", *input);
  }
};

GiveUp start_scan(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const size_t num_states = length_of(call, "Tstate");
  const Mapping mapping = {
      function_argument(call, "f", 1 + static_cast<int>(num_states), length_of(call, "Targuments")),
      call.node().op(), call.attrs().get<bool>("preserve_cardinality")};
  const int64_t cardinality = mapping.keeps_count ? input->cardinality() : kUnknownCardinality;
  call.done({dataset_value(parts_of(call, cardinality), [=, first = inputs_of(call, 1, num_states)](
                                                            const IterationContext& context) {
    return make_iterator(ScanWalk{input->iterate(context), first, MapFunction(context, mapping)});
  })});
  return {};
}

/// The state after the last element.
GiveUp start_reduce(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const size_t num_states = length_of(call, "Tstate");
  Element state = inputs_of(call, 1, num_states);
  const FunctionRequest request =
      function_argument(call, "f", 1 + static_cast<int>(num_states), length_of(call, "Targuments"));
  const IterationContext context = call_context(call);
  const auto walk = input->iterate(context);
  const UserFunction function(context, request, call.node().op());
  Element element;
  while (walk->next(element)) {
    context.limits.check();
    state = function(joined(std::move(state), std::move(element)));
    if (state.size() != num_states) {
      invalid_argument(fmt::format(
          "The number of components of the initial state and the reduce function output does not match. "
          "(initial_state={}, output={}).",
          num_states, state.size()));
    }
    element.clear();
  }
  call.done(std::move(state));
  return {};
}

GiveUp start_single_element(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const IterationContext context = call_context(call);
  const auto walk = input->iterate(context);
  Element element;
  if (!walk->next(element)) invalid_argument("Dataset was empty.");
  Element more;
  if (walk->next(more)) invalid_argument("Dataset had more than one element.");
  call.done(std::move(element));
  return {};
}

/// As far as it is known without a walk: `cardinality_options` say how much may be computed for it.
GiveUp start_cardinality(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({Array(input->cardinality())});
  return {};
}

// ---- keys

int64_t integer_of(const Element& results, std::string_view function) {
  if (results.size() == 1 && results[0].dtype() == DType::kInt64 && results[0].rank() == 0)
    return *results[0].data<int64_t>();
  invalid_argument(fmt::format("`{}` must return a scalar int64.", function));
}

struct WindowFunctions {
  FunctionRequest key;
  FunctionRequest reduce;
  FunctionRequest size;
  std::string op;
};

/// Elements of one key are gathered until there are as many as its window has; then comes the dataset that
/// the reducing function makes of them. At the end come those of the windows that
/// are not full, by their keys.
class GroupingByWindow final : public DatasetIterator {
 public:
  GroupingByWindow(const IterationContext& context, const Dataset& input, const WindowFunctions& functions)
      : context_(context),
        walk_(input.iterate(context)),
        key_(context, functions.key, functions.op),
        reduce_(context, functions.reduce, functions.op),
        size_(context, functions.size, functions.op) {}

 private:
  bool advance(Element& element) override {
    while (true) {
      context_.limits.check();
      if (reduced_ != nullptr) {
        if (reduced_->next(element)) return true;
        reduced_ = nullptr;
      }
      if (walk_ != nullptr) {
        gather();
      } else if (groups_.empty()) {
        return false;
      } else {
        reduce(groups_.begin()->first);
      }
    }
  }

  void gather() {
    Element element;
    if (!walk_->next(element)) {
      walk_ = nullptr;
      return;
    }
    const int64_t key = integer_of(key_(element), "key_func");
    auto size = sizes_.find(key);
    if (size == sizes_.end()) {
      const int64_t wanted = integer_of(size_({Array(key)}), "window_size_func");
      if (wanted <= 0)
        invalid_argument(fmt::format("Window size must be greater than zero, but got {}.", wanted));
      size = sizes_.emplace(key, wanted).first;
    }
    std::vector<Element>& group = groups_[key];
    group.push_back(std::move(element));
    if (std::ssize(group) >= size->second) reduce(key);
  }

  void reduce(int64_t key) {
    auto group = groups_.extract(key);
    reduced_ = open({Array(key), ElementsDataset::value(std::move(group.mapped()))});
  }

  std::unique_ptr<InnerWalk> open(Element arguments) const {
    Element results = reduce_(arguments);
    if (results.size() != 1 || results[0].dtype() != DType::kVariant || results[0].rank() != 0)
      invalid_argument("`reduce_func` must return a single dataset.");
    return std::make_unique<InnerWalk>(std::move(arguments), std::move(results[0]), context_);
  }

  std::string_view kind() const override { return "GroupByWindow"; }
  void keep(WalkState& state) override {
    for (const UserFunction* function : {&key_, &reduce_, &size_}) function->keep(state);
    keep_sizes(state);
    keep_groups(state);
    InnerWalk::keep(state, "reduced", reduced_,
                    [this](Element arguments) { return open(std::move(arguments)); });
    state.walk_or_end("input", walk_);
  }

  void keep_sizes(WalkState& state) {
    std::vector<int64_t> keys;
    std::vector<int64_t> sizes;
    for (const auto& [key, size] : sizes_) {
      keys.push_back(key);
      sizes.push_back(size);
    }
    state.numbers("keys", keys);
    state.numbers("sizes", sizes);
    if (keys.size() != sizes.size()) state.damaged("sizes", "are not as many as the keys");
    sizes_.clear();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (sizes[i] <= 0) state.damaged("sizes", "are not all greater than zero");
      sizes_[keys[i]] = sizes[i];
    }
  }

  void keep_groups(WalkState& state) {
    std::vector<int64_t> keys;
    for (const auto& [key, group] : groups_) keys.push_back(key);
    state.numbers("groups", keys);
    if (state.is_read()) groups_.clear();
    for (const int64_t key : keys) state.elements(fmt::format("group_{}", key), groups_[key]);
  }

  const IterationContext& context_;
  std::unique_ptr<DatasetIterator> walk_;  // null at the end
  const UserFunction key_;
  const UserFunction reduce_;
  const UserFunction size_;
  std::map<int64_t, std::vector<Element>> groups_;
  std::map<int64_t, int64_t> sizes_;
  std::unique_ptr<InnerWalk> reduced_;
};

GiveUp start_group_by_window(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  int first = 1;
  const auto take = [&](const std::string& name) {
    const size_t count = length_of(call, "T" + name + "_other_arguments");
    FunctionRequest request = function_argument(call, name, first, count);
    first += static_cast<int>(count);
    return request;
  };
  auto functions = std::make_shared<WindowFunctions>();
  functions->op = call.node().op();
  functions->key = take("key_func");
  functions->reduce = take("reduce_func");
  functions->size = take("window_size_func");
  const int64_t endless =
      input->cardinality() == kInfiniteCardinality ? kInfiniteCardinality : kUnknownCardinality;
  call.done({dataset_value(parts_of(call, endless), [input, functions](const IterationContext& context) {
    return std::unique_ptr<DatasetIterator>(new GroupingByWindow(context, *input, *functions));
  })});
  return {};
}

/// What tells an element from others: dtype, shape and contents.
std::string identity_of(const Array& value) {
  std::string text = fmt::format("{} {} ", static_cast<int>(value.dtype()), value.shape().to_string());
  if (value.dtype() == DType::kString) {
    for (int64_t i = 0; i < value.size(); ++i) {
      const std::string& item = value.data<std::string>()[i];
      text += fmt::format("{}:", item.size());
      text += item;
    }
  } else {
    text.append(static_cast<const char*>(value.raw_data()), value.size_bytes());
  }
  return text;
}

struct UniqueWalk {
  static constexpr std::string_view kKind = "Unique";
  const IterationContext& context;
  std::unique_ptr<DatasetIterator> input;
  std::set<std::string> seen = {};

  bool next(Element& element) {
    while (input->next(element)) {
      context.limits.check();
      if (element.size() != 1) invalid_argument("UniqueDataset takes elements of one component.");
      const DType dtype = element[0].dtype();
      if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kString) {
        invalid_argument(
            fmt::format("UniqueDataset takes int32, int64 and string, not {}.", dtype_name(dtype)));
      }
      if (seen.insert(identity_of(element[0])).second) return true;
    }
    return false;
  }
  void keep(WalkState& state) {
    std::vector<std::string> all(seen.begin(), seen.end());
    state.texts("seen", all);
    if (state.is_read()) seen = std::set<std::string>(all.begin(), all.end());
    state.walk("input", *input);
  }
};

GiveUp start_unique(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(parts_of(call), [input](const IterationContext& context) {
    return make_iterator(UniqueWalk{context, input->iterate(context)});
  })});
  return {};
}

constexpr graph::OpRow kGroupRows[] = {
    dataset("ScanDataset", "input_dataset:variant, initial_state:[Tstate], other_arguments:[Targuments]",
            "f:func; Tstate:list(type)>=1; Targuments:list(type); output_types:list(type)>=1; "
            "output_shapes:list(shape)>=1; preserve_cardinality:bool=false; use_default_device:bool=true; "
            "metadata:string=\"\"",
            start_scan),
    dataset("GroupByWindowDataset",
            "input_dataset:variant, key_func_other_arguments:[Tkey_func_other_arguments], "
            "reduce_func_other_arguments:[Treduce_func_other_arguments], "
            "window_size_func_other_arguments:[Twindow_size_func_other_arguments]",
            "key_func:func; reduce_func:func; window_size_func:func; Tkey_func_other_arguments:list(type); "
            "Treduce_func_other_arguments:list(type); Twindow_size_func_other_arguments:list(type); "
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
            start_group_by_window),
    dataset("UniqueDataset", "input_dataset:variant",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_unique),
};

constexpr graph::OpRow kCardinality = {.name = "DatasetCardinality",
                                       .inputs = "input_dataset:variant",
                                       .outputs = "cardinality:int64",
                                       .attrs = "cardinality_options:string=\"\"",
                                       .shape = graph::scalar_shape,
                                       .start = start_cardinality};

constexpr graph::OpRow kStatefulRows[] = {
    {.name = "ReduceDataset",
     .inputs = "input_dataset:variant, initial_state:[Tstate], other_arguments:[Targuments]",
     .outputs = "components:[output_types]",
     .attrs = "f:func; Tstate:list(type)>=1; Targuments:list(type); output_types:list(type)>=1; "
              "output_shapes:list(shape)>=1; use_inter_op_parallelism:bool=true; metadata:string=\"\"",
     .stateful = true,
     .shape = components_shape,
     .not_differentiable = true,
     .start = start_reduce},
    {.name = "DatasetToSingleElement",
     .inputs = "dataset:variant",
     .outputs = "components:[output_types]",
     .attrs = "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
     .stateful = true,
     .shape = components_shape,
     .start = start_single_element},
};

}  // namespace

void register_dataset_group_ops(OpTable& table) {
  for (const graph::OpRow& row : kGroupRows) table.add(row);
  table.add(kCardinality);
  for (const graph::OpRow& row : kStatefulRows) table.add(row);
}

}  // namespace flowray::ops
