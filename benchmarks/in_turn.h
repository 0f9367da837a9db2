#pragma once
/// Times several ways to do one thing, a short run of each in turn: what else the machine does meets all of
/// them alike, the medians are of the same minutes, and the least times are those of undisturbed runs.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace flowray::benchmarks {

/// Does the work `times` times: a loop of its own, so that nothing is called between the work and its clock.
using Repeated = std::function<void(int64_t times)>;

struct Times {
  double median_ns = 0;
  double least_ns = 0;
};

inline double run_ns(const Repeated& work, int64_t times) {
  const auto begin = std::chrono::steady_clock::now();
  work(times);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

/// For each of `ways` the time of the work once. A run takes about 20 us; there are `rounds` of each.
inline std::vector<Times> time_in_turn(const std::vector<Repeated>& ways, int rounds) {
  constexpr double kRunNs = 20'000;
  std::vector<int64_t> times(ways.size(), 1);
  for (size_t i = 0; i < ways.size(); ++i) {
    while (run_ns(ways[i], times[i]) < kRunNs) times[i] *= 2;
  }
  std::vector<std::vector<double>> all(ways.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      all[i].push_back(run_ns(ways[i], times[i]) / static_cast<double>(times[i]));
    }
  }
  std::vector<Times> result;
  for (std::vector<double>& runs : all) {
    std::sort(runs.begin(), runs.end());
    result.push_back({runs[runs.size() / 2], runs.front()});
  }
  return result;
}

/// "1,997 (1,984)": the median and the least, in nanoseconds; with one decimal below 100.
inline std::string text_of(const Times& times) {
  const auto number = [](double ns) {
    char text[32];
    std::snprintf(text, sizeof text, ns < 100 ? "%.1f" : "%.0f", ns);
    std::string digits = text;
    if (ns >= 1000) digits.insert(digits.size() - 3, ",");
    return digits;
  };
  return number(times.median_ns) + " (" + number(times.least_ns) + ")";
}

/// The argument of `--rounds N`, else `rounds`; 0 for anything else.
inline int rounds_of(int argc, char** argv, int rounds) {
  if (argc == 1) return rounds;
  if (argc != 3 || std::string(argv[1]) != "--rounds") return 0;
  return std::max(0, std::atoi(argv[2]));
}

}  // namespace flowray::benchmarks
