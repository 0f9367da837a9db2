#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "cluster/grpc/shortcut.h"
#include "cluster/transport.h"

namespace flowray::cluster {

class GrpcChannel final : public Channel {
 public:
  GrpcChannel(const std::string& address, const Security& security, Allocate allocate);
  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation) override;
  std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                              Done done) override;

 private:
  std::function<void()> start_on_network(std::string_view method, const Message& message,
                                         const Limits& limits, Done done);
  void prepare(grpc::ClientContext& context, const Limits& limits) const;

  const std::string token_;
  const Allocate allocate_;
  grpc::GenericStub stub_;
  const std::shared_ptr<Shortcut> shortcut_;  // asks by the stub, in calls of this only
};

}  // namespace flowray::cluster
