#pragma once
/// What TensorFlow's client asked a server: tests/golden/requests.txt, or a file of the same form.

#include "support/hexadecimal.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowray::cluster {

struct RecordedRequest {
  std::string method;  // such as "RunStep"
  std::string bytes;
};
/// One use of a server, from its first session to its last.
struct RecordedUse {
  std::string name;
  std::vector<RecordedRequest> requests;
};

inline std::vector<RecordedUse> recorded_uses(const std::string& path = FLOWRAY_SOURCE_DIR
                                              "/tests/golden/requests.txt") {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<RecordedUse> uses;
  for (std::string line; std::getline(file, line);) {
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space), rest = line.substr(space + 1);
    if (word == "step") {
      uses.push_back({rest, {}});
    } else {
      uses.back().requests.push_back({word, testing::from_hexadecimal(rest)});
    }
  }
  return uses;
}

/// How session number `i` of a use is called there.
inline std::string recorded_session(size_t i) {
  std::ostringstream name;
  name << "session-" << std::setw(8) << std::setfill('0') << i;
  return name.str();
}

}  // namespace flowray::cluster
