// libFuzzer's entries, the same for all targets.
//     fuzz-NAME --write-seeds=FOLDER     puts the target's seeds there
//     fuzz-NAME [libFuzzer's options]    fuzzes

#include <flowray/errors.h>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "fuzz/target.h"

namespace flowray::fuzz {

namespace fs = std::filesystem;

void check(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

std::vector<std::string> files_of_tests(const std::string& folder, std::string_view ending) {
  std::vector<std::string> contents;
  for (const auto& entry : fs::directory_iterator("tests/" + folder)) {
    if (!entry.path().string().ends_with(ending)) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return contents;
}

std::string from_hexadecimal(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

namespace {

/// Files of inputs that were: to make one costs more than most readers take for an input.
std::vector<int>& free_files() {
  static std::vector<int> files;
  return files;
}

int take_file() {
  std::vector<int>& files = free_files();
  if (files.empty()) return ::memfd_create("input", MFD_CLOEXEC);
  const int file = files.back();
  files.pop_back();
  return file;
}

}  // namespace

InputFile::InputFile(std::string_view bytes)
    : descriptor_(take_file()), path_(fmt::format("/proc/self/fd/{}", descriptor_)) {
  check(descriptor_ >= 0, "there is a file for the input");
  fill(bytes);
}

InputFile::~InputFile() { free_files().push_back(descriptor_); }

void InputFile::fill(std::string_view bytes) const {
  check(::ftruncate(descriptor_, 0) == 0 &&
            ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "there is memory for the input");
}

namespace {

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  int number = 0;
  for (const std::string& seed : seeds())
    std::ofstream(folder / fmt::format("seed-{}", number++), std::ios::binary) << seed;
}

}  // namespace
}  // namespace flowray::fuzz

extern "C" {

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--write-seeds=";
  for (const std::string_view argument : std::span(*argv, static_cast<size_t>(*argc))) {
    if (!argument.starts_with(kOption)) continue;
    flowray::fuzz::write_seeds(argument.substr(kOption.size()));
    std::exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    flowray::fuzz::run({reinterpret_cast<const char*>(data), size});
  } catch (const flowray::Error&) {  // an answer
  }
  return 0;
}

}  // extern "C"
