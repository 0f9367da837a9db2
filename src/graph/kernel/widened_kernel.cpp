#include "graph/kernel/widened_kernel.h"

#include <flowray/array.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/convert.h"
#include "graph/resource/variable.h"

namespace flowray::graph {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// The dtype that stands in for `dtype`, or kInvalid. A uint64 has none that orders and divides as it does.
DType wider(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBfloat16:
      return DType::kFloat32;
    case DType::kInt8:
    case DType::kInt16:
    case DType::kUint8:
    case DType::kUint16:
      return DType::kInt32;
    case DType::kUint32:
      return DType::kInt64;
    default:
      return DType::kInvalid;
  }
}

/// Where an input or output lies in the workspace and what it is there; `narrow` is kInvalid for what is used
/// as it is.
struct Place {
  DType narrow = DType::kInvalid;
  DType wide = DType::kInvalid;
  int64_t count = 0;
  size_t offset = 0;
  bool is_variable = false;

  bool is_widened() const { return narrow != DType::kInvalid; }
};

/// Wide copies of the variables that a kernel changes, under their locks.
class WideVariables {
 public:
  /// `variable` as the kernel is to see it; the same for the same one.
  Resource* add(Variable& variable, const Place& place) {
    for (const Copy& copy : copies_) {
      if (copy.original == &variable) return copy.wide.get();
    }
    copies_.push_back({&variable, std::make_unique<Variable>(variable.name()), place});
    return copies_.back().wide.get();
  }

  /// Locks the originals, in an order that is the same for all steps, and copies them.
  void read() {
    std::sort(copies_.begin(), copies_.end(),
              [](const Copy& a, const Copy& b) { return a.original < b.original; });
    for (Copy& copy : copies_) {
      locked_.push_back(copy.original->update());
      Variable::Update& update = locked_.back();
      if (update.dtype() != copy.place.narrow) continue;  // the kernel finds it uninitialised
      Array value = Array::uninitialized(copy.place.wide, update.shape());
      convert_elements(copy.place.narrow, update.raw_data(), copy.place.wide, value.mutable_raw_data(),
                       value.size());
      copy.wide->assign(std::move(value));
    }
  }

  void write_back() {
    for (size_t i = 0; i < copies_.size(); ++i) {
      const Array value = copies_[i].wide->read();
      convert_elements(copies_[i].place.wide, value.raw_data(), copies_[i].place.narrow,
                       locked_[i].raw_data(), value.size());
    }
  }

 private:
  struct Copy {
    Variable* original;
    std::unique_ptr<Variable> wide;
    Place place;
  };
  std::vector<Copy> copies_;
  std::vector<Variable::Update> locked_;
};

class WidenedKernel final : public Kernel {
 public:
  WidenedKernel(std::unique_ptr<Kernel> inner, std::vector<Place> inputs, std::vector<Place> outputs)
      : inner_(std::move(inner)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
    slots_offset_ = aligned(inner_->workspace_bytes());
    const size_t slots = inputs_.size() + outputs_.size();
    size_t end = slots_offset_ + aligned(slots * (sizeof(void*) + sizeof(uint32_t)));
    for (std::vector<Place>* places : {&inputs_, &outputs_}) {
      for (Place& place : *places) {
        if (!place.is_widened() || place.is_variable) continue;
        place.offset = end;
        end += aligned(static_cast<size_t>(place.count) * dtype_size(place.wide));
      }
    }
    workspace_bytes_ = end;
  }

  void run(const KernelCall& call) const override {
    char* workspace = call.workspace<char>();
    auto** slots = reinterpret_cast<void**>(workspace + slots_offset_);
    auto* numbers = reinterpret_cast<uint32_t*>(slots + inputs_.size() + outputs_.size());
    WideVariables variables;
    uint32_t slot = 0;
    for (size_t i = 0; i < inputs_.size(); ++i, ++slot) {
      numbers[slot] = slot;
      const void* given = call.in<void>(static_cast<int>(i));
      slots[slot] = const_cast<void*>(given);
      if (!inputs_[i].is_widened()) continue;
      if (inputs_[i].is_variable) {
        slots[slot] = variables.add(call.variable(static_cast<int>(i)), inputs_[i]);
        continue;
      }
      slots[slot] = workspace + inputs_[i].offset;
      convert(inputs_[i], inputs_[i].narrow, given, inputs_[i].wide, slots[slot], call.parallel());
    }
    for (size_t i = 0; i < outputs_.size(); ++i, ++slot) {
      numbers[slot] = slot;
      slots[slot] =
          outputs_[i].is_widened() ? workspace + outputs_[i].offset : call.out<void>(static_cast<int>(i));
    }
    variables.read();
    inner_->run(KernelCall(slots, {numbers, slot}, inputs_.size(), workspace, call.parallel()));
    variables.write_back();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Place& place = outputs_[i];
      if (!place.is_widened()) continue;
      convert(place, place.wide, workspace + place.offset, place.narrow, call.out<void>(static_cast<int>(i)),
              call.parallel());
    }
  }

 private:
  static void convert(const Place& place, DType from, const void* source, DType to, void* target,
                      Parallel& parallel) {
    constexpr int64_t kElementsPerWorker = 20'000;
    parallel.for_range(place.count, kElementsPerWorker, [&](int64_t begin, int64_t end, int /*worker*/) {
      const auto at = [begin](DType dtype) { return static_cast<size_t>(begin) * dtype_size(dtype); };
      convert_elements(from, static_cast<const char*>(source) + at(from), to,
                       static_cast<char*>(target) + at(to), end - begin);
    });
  }

  const std::unique_ptr<Kernel> inner_;
  std::vector<Place> inputs_;
  std::vector<Place> outputs_;
  size_t slots_offset_ = 0;
};

/// What `prepare` is shown in place of the real dtypes.
class WideContext {
 public:
  explicit WideContext(const PrepareContext& context) : context_(context), attrs_(context.attrs()) {}

  /// False where nothing can be widened.
  bool widen() {
    for (int i = 0; i < context_.num_outputs(); ++i) {
      const bool is_ref = context_.schema().outputs[0].is_ref;
      if (!is_ref && !context_.output_shape(i).is_fully_defined()) return false;
    }
    for (const ArgSchema& arg : context_.schema().inputs) {
      const DType* dtype = type_of(arg);
      if (dtype != nullptr && wider(*dtype) != DType::kInvalid) widened_.insert(arg.type_attr);
    }
    for (const std::string& name : widened_) attrs_.set(name, wider(context_.attrs().get<DType>(name)));
    return !widened_.empty() && collect();
  }

  std::unique_ptr<Kernel> prepare() {
    PrepareContext wide(context_.node_name(), context_.schema(), attrs_, inputs_, outputs_, context_.states(),
                        context_.workers());
    std::unique_ptr<Kernel> inner = context_.schema().row.prepare(wide);
    context_.add_values_read(wide.values_read());
    return std::make_unique<WidenedKernel>(std::move(inner), std::move(input_places_),
                                           std::move(output_places_));
  }

 private:
  const DType* type_of(const ArgSchema& arg) const {
    const AttrValue* value = arg.type_attr.empty() ? nullptr : context_.attrs().find(arg.type_attr);
    return value == nullptr ? nullptr : value->get_if<DType>();
  }

  /// How many inputs or outputs an argument of the signature stands for.
  size_t count_of(const ArgSchema& arg) const {
    if (!arg.number_attr.empty()) return static_cast<size_t>(context_.attrs().get<int64_t>(arg.number_attr));
    if (!arg.type_list_attr.empty())
      return context_.attrs().get<std::vector<DType>>(arg.type_list_attr).size();
    return 1;
  }

  bool collect() {
    values_.reserve(static_cast<size_t>(context_.num_inputs()));
    int number = 0;
    for (const ArgSchema& arg : context_.schema().inputs) {
      for (size_t i = 0; i < count_of(arg); ++i, ++number) add_input(arg, number);
    }
    const bool all_inputs = number == context_.num_inputs();
    number = 0;
    for (const ArgSchema& arg : context_.schema().outputs) {
      for (size_t i = 0; i < count_of(arg); ++i, ++number) add_output(arg, number);
    }
    return all_inputs && number == context_.num_outputs();
  }

  Place place_of(const ArgSchema& arg, DType dtype, const Shape& shape) const {
    if (!widened_.contains(arg.type_attr)) return {};
    return {dtype, wider(dtype), shape.num_elements(), 0, false};
  }

  /// A reference, or the handle of a variable, whose dtype is that of the other inputs.
  Place variable_of(const ArgSchema& arg) const {
    const std::string& name = arg.is_ref ? arg.type_attr : *widened_.begin();
    if (!(arg.is_ref ? widened_.contains(name) : arg.type == DType::kResource)) return {};
    const DType dtype = context_.attrs().get<DType>(name);
    return {dtype, wider(dtype), 0, 0, true};
  }

  void add_input(const ArgSchema& arg, int i) {
    Place place = variable_of(arg);
    if (!place.is_variable) place = place_of(arg, context_.input_dtype(i), context_.input_shape(i));
    const Array* value = context_.value_unread(i);
    const bool is_widened = place.is_widened() && context_.input_dtype(i) == place.narrow;
    if (is_widened && value != nullptr) value = &values_.emplace_back(value->astype(place.wide));
    inputs_.push_back({context_.input_shape(i), is_widened ? place.wide : context_.input_dtype(i), value});
    input_places_.push_back(place);
  }

  void add_output(const ArgSchema& arg, int i) {
    const bool is_widened = widened_.contains(arg.type_attr);
    const Place place =
        arg.is_ref ? Place() : place_of(arg, context_.output_dtype(i), context_.output_shape(i));
    outputs_.push_back(
        {context_.output_shape(i), is_widened ? place.wide : context_.output_dtype(i), nullptr});
    output_places_.push_back(place);
  }

  const PrepareContext& context_;
  Attrs attrs_;
  std::set<std::string, std::less<>> widened_;  // type attributes
  std::vector<Array> values_;
  std::vector<PrepareContext::Value> inputs_;
  std::vector<PrepareContext::Value> outputs_;
  std::vector<Place> input_places_;
  std::vector<Place> output_places_;
};

/// Kernels are prepared before memory is asked for, and compute with the sizes of their outputs.
void check_can_be_allocated(const Shape& shape, DType dtype) {
  constexpr int64_t kMostBytes = int64_t{1} << 46;  // as in engine/plan/plan_buffers.cpp
  const int64_t count = shape.num_elements();
  const auto width = std::max<int64_t>(1, static_cast<int64_t>(dtype_size(dtype)));
  if (count < kMostBytes / width) return;
  if (count == std::numeric_limits<int64_t>::max()) {
    throw errors::InvalidArgumentError(
        fmt::format("Shape {} would have more than 2**63 - 1 elements", shape.to_string()));
  }
  throw errors::ResourceExhaustedError(fmt::format("OOM when allocating tensor with shape{} and type {}",
                                                   shape.to_string(), dtype_kernel_name(dtype)));
}

}  // namespace

std::unique_ptr<Kernel> prepare_kernel(PrepareContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i)
    check_can_be_allocated(context.output_shape(i), context.output_dtype(i));
  const PrepareFunction prepare = context.schema().row.prepare;
  try {
    return prepare(context);
  } catch (const errors::UnimplementedError&) {
    WideContext wide(context);
    if (!wide.widen()) throw;
    try {
      return wide.prepare();
    } catch (const errors::UnimplementedError&) {
      // It says the dtype that it does not have: the narrow one.
    }
    return prepare(context);
  }
}

}  // namespace flowray::graph
