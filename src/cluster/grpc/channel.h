#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <string>

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
  void prepare(grpc::ClientContext& context, const Limits& limits) const;

  const std::string token_;
  const Allocate allocate_;
  grpc::GenericStub stub_;
};

}  // namespace flowray::cluster
