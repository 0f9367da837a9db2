#include "graph/signature.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {
namespace {

std::string join_dtypes(const std::vector<DType>& dtypes) {
  std::string text;
  for (DType dtype : dtypes) text += (text.empty() ? "" : ", ") + dtype_name(dtype);
  return text;
}

/// Gives the list arguments without an explicit number all inputs that the other arguments leave, in equal
/// shares where several lists have one number. Lists whose types are open, too, have a share like theirs:
/// there is a value for each of the others (PaddedBatchDataset).
void infer_list_length(const OpSchema& schema, size_t num_inputs, Attrs& attrs) {
  size_t others = 0;
  size_t sharing = 0;
  size_t open_types = 0;
  const std::string* open = nullptr;
  for (const ArgSchema& arg : schema.inputs) {
    const std::string& length_attr = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (length_attr.empty()) {
      ++others;
    } else if (attrs.contains(length_attr)) {
      others += static_cast<size_t>(arg_count(arg, attrs));
    } else if (!arg.number_attr.empty() && (open == nullptr || *open == arg.number_attr)) {
      open = &arg.number_attr;
      ++sharing;
    } else if (arg.number_attr.empty()) {
      ++open_types;
    }
  }
  if (open != nullptr && num_inputs >= others)
    attrs.set(*open, static_cast<int64_t>((num_inputs - others) / (sharing + open_types)));
}

class InputMatcher {
 public:
  InputMatcher(const OpSchema& schema, std::span<const Endpoint> inputs, Attrs& attrs)
      : schema_(schema), inputs_(inputs), attrs_(attrs) {}

  void match() {
    for (const ArgSchema& arg : schema_.inputs) {
      if (!arg.type_list_attr.empty()) {
        match_type_list(arg);
        continue;
      }
      const int64_t count = arg_count(arg, attrs_);
      arg_begin_ = next_;
      for (int64_t i = 0; i < count; ++i) match_one(arg);
    }
    if (next_ != inputs_.size()) fail_count(next_);
  }

 private:
  void match_type_list(const ArgSchema& arg) {
    std::vector<DType> dtypes;
    const size_t left = inputs_.size() - std::min(inputs_.size(), next_ + needed_behind(arg));
    const size_t count =
        attrs_.contains(arg.type_list_attr) ? static_cast<size_t>(arg_count(arg, attrs_)) : left;
    for (size_t i = 0; i < count; ++i) dtypes.push_back(base_dtype(take(arg).dtype()));
    attrs_.set(arg.type_list_attr, std::move(dtypes));
  }

  /// How many inputs the arguments behind this one take, those of open length aside.
  size_t needed_behind(const ArgSchema& arg) const {
    size_t needed = 0;
    for (size_t i = static_cast<size_t>(&arg - schema_.inputs.data()) + 1; i < schema_.inputs.size(); ++i) {
      const ArgSchema& later = schema_.inputs[i];
      const std::string& length = later.number_attr.empty() ? later.type_list_attr : later.number_attr;
      if (length.empty() || attrs_.contains(length)) needed += static_cast<size_t>(arg_count(later, attrs_));
    }
    return needed;
  }

  void match_one(const ArgSchema& arg) {
    const Endpoint input = take(arg);
    const DType dtype = base_dtype(input.dtype());
    if (arg.is_ref && !is_ref(input.dtype())) {
      throw TypeError(
          fmt::format("'{}' Op requires that input '{}' be a mutable tensor (e.g.: a tf.Variable)",
                      schema_.name, arg.name));
    }
    if (arg.type_attr.empty()) {
      if (dtype != arg.type) {
        throw TypeError(
            fmt::format("Input '{}' of '{}' Op has type {} that does not match expected type of {}.",
                        arg.name, schema_.name, dtype_name(dtype), dtype_name(arg.type)));
      }
      return;
    }
    const AttrValue* known = attrs_.find(arg.type_attr);
    if (known == nullptr) {
      check_allowed(arg, dtype);
      attrs_.set(arg.type_attr, dtype);
      first_of_[arg.type_attr] = &arg;
    } else if (known->get<DType>() != dtype) {
      fail_mismatch(arg, dtype, known->get<DType>());
    }
  }

  Endpoint take(const ArgSchema& arg) {
    if (next_ >= inputs_.size() || !inputs_[next_]) {
      if (next_ < inputs_.size()) {
        throw ValueError(fmt::format("Input '{}' of '{}' Op got no tensor", arg.name, schema_.name));
      }
      fail_count(next_ + 1);
    }
    return inputs_[next_++];
  }

  void check_allowed(const ArgSchema& arg, DType dtype) const {
    const AttrSchema* attr = schema_.find_attr(arg.type_attr);
    if (attr == nullptr || attr->allowed_types.empty()) return;
    if (std::find(attr->allowed_types.begin(), attr->allowed_types.end(), dtype) != attr->allowed_types.end())
      return;
    throw TypeError(
        fmt::format("Value passed to parameter '{}' has DataType {} not in list of allowed values: {}",
                    arg.name, dtype_name(dtype), join_dtypes(attr->allowed_types)));
  }

  [[noreturn]] void fail_mismatch(const ArgSchema& arg, DType dtype, DType known) const {
    const auto first = first_of_.find(arg.type_attr);
    if (!arg.number_attr.empty()) {
      throw TypeError(
          fmt::format("Tensors in list passed to '{}' of '{}' Op have types [{}] that don't all match.",
                      arg.name, schema_.name, list_types(arg)));
    }
    const std::string what = first == first_of_.end() ? fmt::format("expected type of {}.", dtype_name(known))
                                                      : fmt::format("type {} of argument '{}'.",
                                                                    dtype_name(known), first->second->name);
    throw TypeError(fmt::format("Input '{}' of '{}' Op has type {} that does not match {}", arg.name,
                                schema_.name, dtype_name(dtype), what));
  }

  std::string list_types(const ArgSchema& arg) const {
    std::vector<DType> dtypes;
    const auto count = static_cast<size_t>(arg_count(arg, attrs_));
    for (const Endpoint& input : inputs_.subspan(arg_begin_, count))
      dtypes.push_back(base_dtype(input.dtype()));
    return join_dtypes(dtypes);
  }

  [[noreturn]] void fail_count(size_t expected) const {
    throw ValueError(
        fmt::format("Op '{}' takes {} inputs, but got {}", schema_.name, expected, inputs_.size()));
  }

  const OpSchema& schema_;
  std::span<const Endpoint> inputs_;
  Attrs& attrs_;
  std::map<std::string, const ArgSchema*> first_of_;
  size_t next_ = 0;
  size_t arg_begin_ = 0;  // where the inputs of the argument in hand begin
};

void check_minimum(const OpSchema& schema, const AttrSchema& attr, const AttrValue& value) {
  if (!attr.minimum.has_value()) return;
  const int64_t count = counted(attr, value);
  if (count >= *attr.minimum) return;
  for (const ArgSchema& arg : schema.inputs) {
    if (arg.number_attr != attr.name) continue;
    throw ValueError(
        fmt::format("List argument '{}' to '{}' Op with length {} shorter than minimum length {}.", arg.name,
                    schema.name, count, *attr.minimum));
  }
  throw ValueError(fmt::format("Attr '{}' of '{}' Op passed {}{} less than minimum {}.", attr.name,
                               schema.name, attr.is_list ? "list of length " : "", count, *attr.minimum));
}

void check_attr(const OpSchema& schema, const AttrSchema& attr, const AttrValue& value) {
  check_minimum(schema, attr, value);
  if (const auto* text = value.get_if<std::string>(); text != nullptr && !attr.allowed_strings.empty()) {
    const auto& allowed = attr.allowed_strings;
    if (std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
      std::string list;
      for (const std::string& item : allowed) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", item);
      throw ValueError(fmt::format("Attr '{}' of '{}' Op passed string '{}' not in: {}.", attr.name,
                                   schema.name, *text, list));
    }
  }
  const auto* const dtype = value.get_if<DType>();
  const auto* const dtypes = value.get_if<std::vector<DType>>();
  const bool has_none = (dtype != nullptr && *dtype == DType::kInvalid) ||
                        (dtypes != nullptr && std::ranges::find(*dtypes, DType::kInvalid) != dtypes->end());
  if (has_none) throw TypeError(fmt::format("Expected DataType for argument '{}' not None.", attr.name));
  if (dtype != nullptr && !attr.allowed_types.empty()) {
    const auto& allowed = attr.allowed_types;
    if (std::find(allowed.begin(), allowed.end(), *dtype) == allowed.end()) {
      throw TypeError(
          fmt::format("Value passed to parameter '{}' has DataType {} not in list of allowed values: {}",
                      attr.name, dtype_name(*dtype), join_dtypes(allowed)));
    }
  }
}

/// The attribute that an argument is counted or typed by.
template <class T>
const T& attr_of_arg(const Attrs& attrs, const ArgSchema& arg, const std::string& name) {
  const AttrValue* value = attrs.find(name);
  if (value == nullptr) {
    throw errors::InvalidArgumentError(
        fmt::format("No attr named '{}' in NodeDef, by which argument '{}' is declared", name, arg.name));
  }
  const T* typed = value->get_if<T>();
  if (typed == nullptr) {
    throw errors::InvalidArgumentError(
        fmt::format("The attr '{}', by which argument '{}' is declared, is of another type", name, arg.name));
  }
  return *typed;
}

}  // namespace

int64_t arg_count(const ArgSchema& arg, const Attrs& attrs) {
  if (!arg.type_list_attr.empty()) {
    return static_cast<int64_t>(attr_of_arg<std::vector<DType>>(attrs, arg, arg.type_list_attr).size());
  }
  if (arg.number_attr.empty()) return 1;
  const int64_t count = attr_of_arg<int64_t>(attrs, arg, arg.number_attr);
  if (count < 0) throw errors::InvalidArgumentError(fmt::format("Value for number_attr() {} < 0", count));
  return count;
}

void add_arg_dtypes(const ArgSchema& arg, const Attrs& attrs, std::vector<DType>& dtypes) {
  if (!arg.type_list_attr.empty()) {
    const auto& list = attr_of_arg<std::vector<DType>>(attrs, arg, arg.type_list_attr);
    dtypes.insert(dtypes.end(), list.begin(), list.end());
    return;
  }
  const DType base = arg.type_attr.empty() ? arg.type : attr_of_arg<DType>(attrs, arg, arg.type_attr);
  dtypes.insert(dtypes.end(), static_cast<size_t>(arg_count(arg, attrs)),
                arg.is_ref ? ref_dtype(base) : base);
}

void complete_attrs(const OpSchema& schema, const std::string& node_name, std::span<const Endpoint> inputs,
                    Attrs& attrs) {
  infer_list_length(schema, inputs.size(), attrs);
  InputMatcher(schema, inputs, attrs).match();
  for (const AttrSchema& attr : schema.attrs) {
    if (const AttrValue* value = attrs.find(attr.name)) {
      check_attr(schema, attr, *value);
    } else if (attr.default_value.has_value()) {
      attrs.set(attr.name, *attr.default_value);
    } else {
      throw ValueError(
          fmt::format("Node '{}' of op '{}' needs the attribute '{}'", node_name, schema.name, attr.name));
    }
  }
}

std::vector<DType> output_dtypes(const OpSchema& schema, const Attrs& attrs) {
  std::vector<DType> dtypes;
  for (const ArgSchema& arg : schema.outputs) add_arg_dtypes(arg, attrs, dtypes);
  return dtypes;
}

bool takes_reference(const OpSchema& schema, const Attrs& attrs, int i) {
  int64_t first = 0;
  for (const ArgSchema& arg : schema.inputs) {
    first += arg_count(arg, attrs);
    if (i < first) return arg.is_ref;
  }
  return false;
}

}  // namespace flowray::graph
