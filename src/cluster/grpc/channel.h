#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <string>

#include "cluster/transport.h"

namespace flowray::cluster {

class GrpcChannel final : public Channel {
 public:
  GrpcChannel(const std::string& address, const Security& security);
  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation) override;

 private:
  const std::string token_;
  grpc::GenericStub stub_;
};

}  // namespace flowray::cluster
