#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <string>

#include "cluster/transport.h"

namespace flowray::cluster {

class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(const std::string& address);
  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation) override;

 private:
  grpc::GenericStub stub_;
};

}  // namespace flowray::cluster
