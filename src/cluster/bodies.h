#pragma once
/// The bodies of requests and responses as the messages that they are.

#include "cluster/status_of.h"
#include "cluster/transport.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// The method of our masters by which clients of ours ask what a step does (wire::ExplainRequest).
inline constexpr std::string_view kExplain = "/flowray.Master1/Explain";
/// By which our workers ask a master which of some sessions it has no more (wire::SessionHandles, both ways).
inline constexpr std::string_view kWhichAreOver = "/flowray.Master1/WhichAreOver";

/// What a request asks; borrows from it. Throws errors::InternalError for bytes that are not such a message.
template <class M>
M body_of(const Request& request) {
  try {
    return wire::decode<M>({reinterpret_cast<const char*>(request.bytes.data()), request.bytes.size()});
  } catch (const errors::DataLossError& error) {
    throw errors::InternalError(fmt::format("Unable to parse request\n{}", error.message()));
  }
}

/// An answer that came over a channel, which is one piece; borrows from it. Throws errors::DataLossError.
template <class M>
M body_of(const Message& answer) {
  if (answer.pieces().empty()) return wire::decode<M>({});
  const std::span<const std::byte> bytes = answer.pieces().front().bytes;
  return wire::decode<M>({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
/// The owner of what was borrowed.
inline std::shared_ptr<const void> owner_of(const Message& answer) {
  return answer.pieces().empty() ? nullptr : answer.pieces().front().owner;
}

/// A tensor of a request, read in place where that does not keep much else of it alive, should a variable
/// keep it.
inline Array fed_value(const wire::TensorProto& tensor, const Request& request) {
  const bool is_most = tensor.tensor_content.size() >= request.bytes.size() / 4;
  return is_most ? wire::to_array(tensor, request.owner) : wire::to_array(tensor);
}

/// A message that may be larger than protobuf's may.
template <class M>
Message large_message(const M& body) {
  const auto encoded = std::make_shared<wire::EncodedPieces>(wire::encode_pieces(body, SIZE_MAX));
  Message message;
  for (const std::string_view piece : encoded->pieces)
    message.add({std::as_bytes(std::span(piece)), encoded});
  return message;
}

/// What `make` gives, or the status of what it throws.
template <class Make>
Response response_of(Make make) {
  try {
    return {make(), {}};
  } catch (const std::exception& error) {
    return {{}, status_of(error)};
  }
}

/// A message that `make` makes of `arrays`, whose large tensors stay where they are.
template <class Make>
Message with_tensors(std::vector<Array> arrays, Make make) {
  struct Owner {
    std::vector<Array> arrays;
    Make make;  // holds what the message borrows from besides
    std::invoke_result_t<Make, const std::vector<Array>&> message;
    wire::EncodedPieces encoded;
  };
  auto owner = std::make_shared<Owner>(Owner{std::move(arrays), std::move(make), {}, {}});
  owner->message = owner->make(std::as_const(owner->arrays));
  owner->encoded = wire::encode_pieces(owner->message);
  Message message;
  for (const std::string_view piece : owner->encoded.pieces)
    message.add({std::as_bytes(std::span(piece)), owner});
  return message;
}

}  // namespace flowray::cluster
