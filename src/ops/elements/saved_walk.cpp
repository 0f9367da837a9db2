#include "ops/elements/saved_walk.h"

#include "wire/tensor_value.h"
#include "wire/variant_proto.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace flowray::ops {
namespace {

/// TensorFlow's own have another one: their parts are other parts.
constexpr std::string_view kSavedWalkType = "flowray::SavedWalk";

[[noreturn]] void throw_damaged_state(std::string_view reason) {
  throw errors::DataLossError(fmt::format("The saved state of an iterator is damaged: {}", reason));
}

/// The names, how many arrays each has, then all arrays.
wire::VariantTensorDataProto message_of(const SavedWalk& walk, const Array& names, const Array& counts) {
  wire::VariantTensorDataProto message;
  message.type_name = wire::Text::borrow(kSavedWalkType);
  const auto add = [&](const Array& array) {
    message.tensors.push_back(wire::to_tensor_proto(array, wire::TensorForm::kBorrowed));
  };
  add(names);
  add(counts);
  for (const auto& [name, arrays] : walk.parts()) {
    for (const Array& array : arrays) add(array);
  }
  return message;
}

/// A list of T in a row. Throws errors::DataLossError.
template <class T>
Array list_in(const wire::TensorProto& proto) {
  Array list = wire::to_array(proto);
  if (list.dtype() != kDTypeOf<T> || list.rank() != 1)
    throw_damaged_state("a list has another dtype, or a rank other than 1");
  return list;
}

SavedWalk::Parts parts_in(const wire::VariantTensorDataProto& message) {
  if (message.tensors.size() < 2) throw_damaged_state("it has no parts");
  const Array names = list_in<std::string>(message.tensors[0]);
  const Array counts = list_in<int64_t>(message.tensors[1]);
  if (names.size() != counts.size()) throw_damaged_state("its parts have no sizes");
  SavedWalk::Parts parts;
  size_t next = 2;
  for (int64_t i = 0; i < names.size(); ++i) {
    const int64_t count = counts.data<int64_t>()[i];
    const auto [part, is_new] = parts.try_emplace(names.data<std::string>()[i]);
    if (!is_new) throw_damaged_state(fmt::format("'{}' is there twice", part->first));
    if (count < 0 || static_cast<uint64_t>(count) > message.tensors.size() - next)
      throw_damaged_state(fmt::format("'{}' has {} arrays", part->first, count));
    for (int64_t k = 0; k < count; ++k) part->second.push_back(wire::to_array(message.tensors[next++]));
  }
  if (next != message.tensors.size()) throw_damaged_state("it has more arrays than its parts");
  return parts;
}

}  // namespace

Array saved_walk_value(SavedWalk::Parts parts) {
  return graph::variant_array(std::make_shared<SavedWalk>(std::move(parts))).reshape(Shape{1});
}

const SavedWalk& saved_walk_of(const Array& value) {
  const auto* const walk = value.size() == 1 ? graph::variant_as<SavedWalk>(value) : nullptr;
  if (walk != nullptr) return *walk;
  throw errors::InternalError(
      fmt::format("Cannot initialize an iterator from tensor {}. Expected a variant "
                  "tensor of type IteratorStateVariant",
                  value.dtype() == DType::kVariant && value.size() == 1 ? graph::variant_description(value)
                                                                        : value.shape().to_string()));
}

std::string encoded_variant(const Array& value) {
  const auto* const walk = value.size() == 1 ? graph::variant_as<SavedWalk>(value) : nullptr;
  if (walk == nullptr) {
    throw errors::UnimplementedError(
        fmt::format("A variant {} is not written here\nThe states of iterators are: "
                    "tf.data.experimental.make_saveable_from_iterator.",
                    value.size() == 1 ? graph::variant_description(value) : value.shape().to_string()));
  }
  std::vector<std::string> names;
  std::vector<int64_t> counts;
  for (const auto& [name, arrays] : walk->parts()) {
    names.push_back(name);
    counts.push_back(std::ssize(arrays));
  }
  const Array all_names(names);
  const Array all_counts(counts);
  return wire::encode(message_of(*walk, all_names, all_counts));
}

Array decoded_variant(std::string_view bytes) {
  const auto message = wire::decode<wire::VariantTensorDataProto>(bytes);
  if (message.type_name == kSavedWalkType) return saved_walk_value(parts_in(message));
  throw errors::InternalError(fmt::format(
      "Could not decode variant with type_name: \"{}\".  Perhaps you forgot to register a decoder "
      "via REGISTER_UNARY_VARIANT_DECODE_FUNCTION?\nStates of iterators that TensorFlow has saved "
      "are not read here: their parts are other ones.",
      message.type_name.view()));
}

}  // namespace flowray::ops
