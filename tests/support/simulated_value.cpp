#include "support/simulated_value.h"

#include <flowray/errors.h>
#include <flowray/ray/encoding.h>

#include "ray/values/value.h"

namespace flowray::ray {
namespace {

std::vector<std::byte> written(const Encoder& encoder) {
  std::vector<std::byte> bytes(encoded_size_bytes(encoder));
  write_value(encoder, bytes.data());
  return bytes;
}

std::byte padding_at(uint64_t number, size_t i) { return static_cast<std::byte>((number * 31 + i) & 0xFF); }

}  // namespace

std::vector<std::byte> encode(const SimulatedValue& value) {
  std::vector<std::byte> padding(value.padding_bytes);
  for (size_t i = 0; i < padding.size(); ++i) padding[i] = padding_at(value.number, i);
  Encoder encoder;
  encoder.write_unsigned(value.number);
  encoder.write_unsigned(value.budget);
  encoder.begin_list(value.actors.size());
  for (const ActorId actor : value.actors) encoder.write_actor(actor);
  encoder.write_binary(padding);
  for (const ObjectId ref : value.refs) {
    auto* handle = new internal::ObjectHandle(ref);
    encoder.write_ref(handle);
    handle->release();
  }
  return written(encoder);
}

SimulatedValue decode(std::span<const std::byte> bytes) {
  SimulatedValue value;
  value.refs = nested_object_ids(bytes);
  internal::ValueView view;
  view.bytes = bytes;
  Decoder decoder(view);
  value.number = decoder.read_unsigned();
  value.budget = static_cast<uint32_t>(decoder.read_unsigned(1000));
  const size_t num_actors = decoder.read_list();
  for (size_t i = 0; i < num_actors; ++i) value.actors.push_back(decoder.read_actor());
  const auto padding = decoder.read_binary();
  value.padding_bytes = padding.size();
  // All of the edges, then a sample: some values are megabytes.
  for (size_t i = 0; i < padding.size(); i += i < 64 || i + 65 > padding.size() ? 1 : 61) {
    if (padding[i] != padding_at(value.number, i)) throw errors::DataLossError("the value was overwritten");
  }
  return value;
}

std::vector<std::byte> encode_failure(const std::string& text) {
  Encoder encoder;
  RemoteFailure failure;
  failure.message = text;
  encode_error(encoder, ErrorKind::kTask, failure);
  return written(encoder);
}

}  // namespace flowray::ray
