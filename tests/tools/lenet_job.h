#pragma once
/// The program flowray-lenet and a small data set for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray::testing {

inline constexpr const char* kEndless = "1000000000";

/// Images of class c have their pixels in rows 2c + 4 and 2c + 5, so that a few dozen steps learn them.
inline Bytes images_of(uint32_t count) {
  Bytes pixels(count * 28 * 28);
  for (uint32_t i = 0; i < count; ++i) {
    const auto row = pixels.begin() + i * 28 * 28 + (i % 10 * 2 + 4) * 28;
    std::fill(row, row + 2 * 28, static_cast<uint8_t>(200 + i % 7));
  }
  return pixels;
}

inline Bytes classes_of(uint32_t count) {
  Bytes classes;
  for (uint32_t i = 0; i < count; ++i) classes.push_back(static_cast<uint8_t>(i % 10));
  return classes;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// With a folder of small data; it runs the program.
class LenetJob : public ::testing::Test {
 protected:
  LenetJob() {
    write_file(data("train-images-idx3-ubyte.gz"), gzipped(idx_bytes({200, 28, 28}, images_of(200))));
    write_file(data("train-labels-idx1-ubyte.gz"), gzipped(idx_bytes({200}, classes_of(200))));
    write_file(data("t10k-images-idx3-ubyte"), idx_bytes({50, 28, 28}, images_of(50)));
    write_file(data("t10k-labels-idx1-ubyte"), idx_bytes({50}, classes_of(50)));
  }

  std::filesystem::path data(const std::string& file) const { return folder_.path() / file; }

  /// With the small data set unless the arguments name another one.
  std::vector<std::string> command(std::vector<std::string> arguments) const {
    if (std::find(arguments.begin(), arguments.end(), "--data") == arguments.end()) {
      arguments.insert(arguments.end(), {"--data", folder_.path()});
    }
    arguments.insert(arguments.begin(), built_program("flowray-lenet"));
    return arguments;
  }

  /// Expects status 0 and no errors.
  std::string output_of(const std::vector<std::string>& arguments) const {
    ChildProcess job(command(arguments));
    EXPECT_EQ(job.wait(), 0) << job.errors();
    EXPECT_EQ(job.errors(), "");
    return job.output();
  }

  /// Expects status 2, no output, and one line of errors.
  std::string complaint_of(const std::vector<std::string>& arguments) const {
    ChildProcess job(command(arguments));
    EXPECT_EQ(job.wait(), 2);
    EXPECT_EQ(job.output(), "");
    const auto lines = lines_of(job.errors());
    EXPECT_EQ(lines.size(), 1u) << job.errors();
    EXPECT_THAT(job.errors(), ::testing::StartsWith("flowray-lenet: "));
    return job.errors();
  }

  const TestFolder folder_;
};

}  // namespace flowray::testing
