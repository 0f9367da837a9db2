// Strings into buckets, by hashes that are the same on every machine and in every version.

#include "core/murmur_hash.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/register.h"

#include <farmhash.h>

#include <bit>
#include <string_view>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::OpTable;

/// Up to 8 bytes, the first one lowest.
uint64_t little_endian(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) word |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return word;
}

/// FarmHash's fingerprint of 64 bits.
uint64_t fingerprint(std::string_view text) { return util::Fingerprint64(text.data(), text.size()); }

/// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012).
class SipHash {
 public:
  SipHash(uint64_t key0, uint64_t key1)
      : v_{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
           key1 ^ 0x7465646279746573} {}

  uint64_t of(std::string_view text) {
    size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) take(little_endian(text.data() + at, 8));
    take(little_endian(text.data() + at, text.size() - at) | (uint64_t{text.size()} << 56));
    v_[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) round();
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  void take(uint64_t word) {
    v_[3] ^= word;
    round();
    round();
    v_[0] ^= word;
  }
  void round() {
    mix(0, 1, 13, 32);
    mix(2, 3, 16, 0);
    mix(0, 3, 21, 0);
    mix(2, 1, 17, 32);
  }
  void mix(int a, int b, int turn, int turn_sum) {
    v_[a] += v_[b];
    v_[b] = std::rotl(v_[b], turn) ^ v_[a];
    v_[a] = std::rotl(v_[a], turn_sum);
  }

  uint64_t v_[4];
};

template <class Hash>
void put_into_buckets(DynamicCall& call, const Array& texts, Hash hash) {
  const auto num_buckets = static_cast<uint64_t>(call.attrs().get<int64_t>("num_buckets"));
  if (num_buckets == 0) throw errors::InvalidArgumentError("num_buckets is 0, but must be >= 1");
  Array output(DType::kInt64, texts.shape());
  auto* out = output.mutable_data<int64_t>();
  for (const std::string& text : texts.span<std::string>()) {
    *out++ = static_cast<int64_t>(hash(text) % num_buckets);
  }
  call.set_out(0, std::move(output));
}

void hash_fast(DynamicCall& call) { put_into_buckets(call, call.in(0), fingerprint); }
void hash_legacy(DynamicCall& call) { put_into_buckets(call, call.in(0), murmur_hash); }

void hash_strong(DynamicCall& call) {
  const auto& key = call.attrs().get<std::vector<int64_t>>("key");
  if (key.size() != 2) throw errors::InvalidArgumentError("Key must have 2 elements");
  put_into_buckets(call, call.in(0), [&](const std::string& text) {
    return SipHash(static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])).of(text);
  });
}

constexpr graph::OpRow kStringHashOps[] = {
    {.name = "StringToHashBucketFast",
     .inputs = "input:string",
     .outputs = "output:int64",
     .attrs = "num_buckets:int>=1",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = hash_fast},
    {.name = "StringToHashBucketStrong",
     .inputs = "input:string",
     .outputs = "output:int64",
     .attrs = "num_buckets:int>=1; key:list(int)",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = hash_strong},
    {.name = "StringToHashBucket",
     .inputs = "string_tensor:string",
     .outputs = "output:int64",
     .attrs = "num_buckets:int>=1",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = hash_legacy},
};

}  // namespace

void register_string_hash_ops(OpTable& table) {
  for (const graph::OpRow& row : kStringHashOps) table.add(row);
}

}  // namespace flowray::ops
