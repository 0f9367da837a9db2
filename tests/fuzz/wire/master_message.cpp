// The requests and responses of MasterService, which come from clients and servers of anybody.

#include "wire/master.h"

#include <array>
#include <fstream>

#include "fuzz/target.h"
#include "fuzz/wire/read_again.h"

namespace flowray::fuzz {
namespace {

constexpr std::array kReaders = {
    read_again<wire::CreateSessionRequest>,  read_again<wire::ExtendSessionRequest>,
    read_again<wire::RunStepRequest>,        read_again<wire::PartialRunSetupRequest>,
    read_again<wire::CloseSessionRequest>,   read_again<wire::ResetRequest>,
    read_again<wire::ListDevicesRequest>,    read_again<wire::MakeCallableRequest>,
    read_again<wire::RunCallableRequest>,    read_again<wire::ReleaseCallableRequest>,
    read_again<wire::CreateSessionResponse>, read_again<wire::ExtendSessionResponse>,
    read_again<wire::RunStepResponse>,       read_again<wire::PartialRunSetupResponse>,
    read_again<wire::ListDevicesResponse>,   read_again<wire::MakeCallableResponse>,
    read_again<wire::RunCallableResponse>,   read_again<wire::ExplainRequest>,
};
/// In the order of the readers.
constexpr std::array<std::string_view, 10> kMethods = {
    "CreateSession", "ExtendSession", "RunStep",      "PartialRunSetup", "CloseSession",
    "Reset",         "ListDevices",   "MakeCallable", "RunCallable",     "ReleaseCallable"};

}  // namespace

// The first byte says which message.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  kReaders[static_cast<unsigned char>(bytes.front()) % kReaders.size()](bytes.substr(1));
}

// What TensorFlow's client has asked: lines "METHOD HEXADECIMAL".
std::vector<std::string> seeds() {
  std::vector<std::string> found;
  std::ifstream lines("tests/golden/requests.txt");
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    for (size_t i = 0; i < kMethods.size(); ++i) {
      if (line.substr(0, space) == kMethods[i])
        found.push_back(static_cast<char>(i) + from_hexadecimal(std::string_view(line).substr(space + 1)));
    }
  }
  // {"session_handle": "s"}, a response with a tensor and an error, and a step of "s" to be measured twice.
  found.push_back("\x0a" + from_hexadecimal("0a0173"));
  found.push_back("\x0c" + from_hexadecimal("0a110a03783a30120a080112002a040000803f1803220565727231"));
  found.push_back("\x11" + from_hexadecimal("0a030a01731002"));
  return found;
}

}  // namespace flowray::fuzz
