#pragma once
/// Which instructions of a Program have to run before which others, whatever order they are put into.

#include "engine/program/program.h"
#include "engine/step/step_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace flowray::engine {

/// By instruction: those after it that wait for it. All of them go forward in the list as it stands.
class OrderRules {
 public:
  OrderRules(const Program& program, const StepGraph& step);

  /// False: there were so many that not all were listed, and nothing may be moved.
  bool is_complete() const { return is_complete_; }

  std::span<const uint32_t> after(uint32_t instruction) const {
    return slice(after_, first_after_, instruction);
  }
  std::span<const uint32_t> before(uint32_t instruction) const {
    return slice(before_, first_before_, instruction);
  }

 private:
  static std::span<const uint32_t> slice(const std::vector<uint32_t>& all, const std::vector<uint32_t>& first,
                                         uint32_t number) {
    return std::span(all).subspan(first[number], first[number + 1] - first[number]);
  }
  bool is_complete_ = true;
  std::vector<uint32_t> after_, first_after_, before_, first_before_;
};

}  // namespace flowray::engine
