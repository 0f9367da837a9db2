// Strings into buckets, by hashes that are the same on every machine and in every version.

#include "core/murmur_hash.h"
#include "core/sip_hash.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/register.h"

#include <farmhash.h>

#include <string_view>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::OpTable;

/// FarmHash's fingerprint of 64 bits.
uint64_t fingerprint(std::string_view text) { return util::Fingerprint64(text.data(), text.size()); }

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
