// The ops by which values go from one device to another: the engine's pass `partition` makes such nodes, and
// so do TensorFlow's masters. Those with "Host" in their names are for values that are always in main memory,
// which is the same on a CPU. Source: core/ops/sendrecv_ops.cc.

#include "graph/graph.h"
#include "graph/kernel/blocking_call.h"
#include "graph/op_schema.h"
#include "graph/resource/rendezvous.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::Parcel;

graph::Rendezvous& rendezvous_of(const BlockingCall& call) {
  graph::Rendezvous* const rendezvous = call.transfer().rendezvous;
  if (rendezvous == nullptr) {
    throw errors::InternalError(
        "Op kernel context needs to provide a rendezvous.\nThe node is one half of a pair that a master "
        "makes: "
        "run the graph that it was made from, or give the run a rendezvous.");
  }
  return *rendezvous;
}

std::function<void()> start_send(BlockingCall& call) {
  graph::Rendezvous& rendezvous = rendezvous_of(call);
  const graph::TransferContext& run = call.transfer();
  Parcel parcel{run.is_dead ? Array() : call.value(0), run.is_dead};
  rendezvous.send(rendezvous_key(call.attrs(), run.at), std::move(parcel));
  call.done();
  return {};
}

std::function<void()> start_recv(BlockingCall& call) {
  graph::Rendezvous& rendezvous = rendezvous_of(call);
  return rendezvous.receive(rendezvous_key(call.attrs(), call.transfer().at), [&call](Parcel parcel) {
    if (parcel.code != Code::kOk) return call.fail(parcel.code, std::move(parcel.text));
    if (parcel.is_dead) return call.done_dead();
    const DType expected = call.attrs().get<DType>("tensor_type");
    if (parcel.value.dtype() != expected) {
      return call.fail(Code::kInternal, "Output 0 of type " +
                                            std::string(dtype_kernel_name(parcel.value.dtype())) +
                                            " does not match declared output type " +
                                            std::string(dtype_kernel_name(expected)));
    }
    std::vector<Array> outputs;
    outputs.push_back(std::move(parcel.value));
    call.done(std::move(outputs));
  });
}

constexpr const char* kSendAttrs =
    "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; recv_device:string; "
    "client_terminated:bool=false";
constexpr const char* kRecvAttrs =
    "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
    "recv_device:string; client_terminated:bool=false";

constexpr graph::OpRow sending_row(std::string_view name) {
  return {.name = name,
          .inputs = "tensor:T",
          .outputs = "",
          .attrs = kSendAttrs,
          .stateful = true,
          .shape = [](graph::ShapeContext&) {},
          .not_differentiable = true,
          .start = start_send};
}

constexpr graph::OpRow receiving_row(std::string_view name) {
  return {.name = name,
          .inputs = "",
          .outputs = "tensor:tensor_type",
          .attrs = kRecvAttrs,
          .stateful = true,
          .shape = graph::unknown_shape,
          .not_differentiable = true,
          .start = start_recv};
}

constexpr graph::OpRow kTransferOps[] = {
    sending_row("_Send"),
    sending_row("_HostSend"),
    receiving_row("_Recv"),
    receiving_row("_HostRecv"),
};

}  // namespace

void register_transfer_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kTransferOps) table.add(row);
}

}  // namespace flowray::ops
