#include "engine/plan/order.h"

#include "engine/plan/live_bytes.h"
#include "engine/plan/order_rules.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace flowray::engine {
namespace {

using Order = std::vector<uint32_t>;

/// Dependencies between instructions: none is ready before its predecessors have run.
class Ready {
 public:
  explicit Ready(const OrderRules& rules, size_t count) : rules_(rules), open_(count) {
    for (uint32_t i = 0; i < count; ++i) open_[i] = static_cast<uint32_t>(rules.before(i).size());
  }
  bool is_ready(uint32_t i) const { return open_[i] == 0; }

  /// Calls `ready` with each instruction that waited for this one last.
  template <class F>
  void run(uint32_t i, F ready) {
    open_[i] = kHasRun;
    for (const uint32_t after : rules_.after(i)) {
      if (--open_[after] == 0) ready(after);
    }
  }

 private:
  static constexpr uint32_t kHasRun = ~uint32_t{0};
  const OrderRules& rules_;
  std::vector<uint32_t> open_;  // by instruction: how many have to run before it
};

class Ordering {
 public:
  Ordering(const Program& program, const StepGraph& step, int64_t least_gain_bytes)
      : program_(program),
        least_gain_bytes_(least_gain_bytes),
        sizes_(program),
        listed_(program.segment.instructions.size()) {
    std::iota(listed_.begin(), listed_.end(), 0u);
    listed_cost_ = cost(listed_);
    if (!is_worth_it(sizes_.has_guesses() ? 0 : sizes_.least_bytes())) return;
    rules_.emplace(program, step);
  }

  Order run() {
    if (!rules_.has_value() || !rules_->is_complete()) return listed_;
    Order best;
    int64_t least = listed_cost_;
    for (const Order& order : {listed_, forwards(false), forwards(true), backwards()}) {
      const Order early = with_updates(order, 0);
      const int64_t bytes = cost(early);
      if (bytes >= least) continue;
      least = bytes;
      best = order;
    }
    return is_worth_it(least) ? with_updates(best, most_live_bytes(sizes_, with_updates(best, 0))) : listed_;
  }

 private:
  /// Updates that are cut apart cost time.
  static constexpr int64_t kLeastShare = 256;
  static constexpr size_t kMostWeighed = 64;

  bool is_worth_it(int64_t bytes) const {
    const int64_t share = least_gain_bytes_ == 0 ? 0 : listed_cost_ / kLeastShare;
    return listed_cost_ - bytes > std::max(share, least_gain_bytes_);
  }
  /// What is needed at most. Where sizes are guessed, what is needed on the average counts too, because the
  /// largest moment may be another one.
  int64_t cost(const Order& order) const {
    LiveBytes live(sizes_);
    for (const uint32_t i : order) live.run(i);
    if (!sizes_.has_guesses() || order.empty()) return live.most();
    return live.most() + static_cast<int64_t>(live.sum() / static_cast<double>(order.size()));
  }

  uint32_t first() const { return program_.segment.num_blocking_part; }
  size_t count() const { return listed_.size(); }

  /// Whether it only takes, and can so come at any time.
  bool is_update(uint32_t i) const { return sizes_.outputs(i).empty() && !sizes_.inputs(i).empty(); }

  /// The others in the order in which they come in `order`; the updates together, as soon as values would
  /// need more than `allowed` bytes or an instruction depends on one.
  Order with_updates(const Order& order, int64_t allowed) const {
    Order result;
    Ready ready(*rules_, count());
    LiveBytes live(sizes_);
    Order waiting;  // updates that could run
    const auto run = [&](uint32_t i) {
      live.run(i);
      result.push_back(i);
      ready.run(i, [&](uint32_t next) {
        if (next >= first() && is_update(next)) waiting.push_back(next);
      });
    };
    const auto run_waiting = [&] {
      while (!waiting.empty()) {
        Order now = std::exchange(waiting, {});
        std::ranges::sort(now);
        for (const uint32_t i : now) run(i);
      }
    };
    for (uint32_t i = 0; i < count(); ++i) {
      if (i >= first() && is_update(i) && rules_->before(i).empty()) waiting.push_back(i);
    }
    for (const uint32_t i : order) {
      if (i >= first() && is_update(i)) continue;
      if (i >= first() && (!ready.is_ready(i) || live.needed(i) > allowed)) run_waiting();
      run(i);
    }
    run_waiting();
    return result;
  }

  /// What reads very much is not weighed again for each of its operands.
  bool may_be_weighed_again(uint32_t i) const { return sizes_.inputs(i).size() <= kMostWeighed; }

  /// List scheduling from the front: of the instructions that can run, the one after which memory has grown
  /// least; of equal ones the one that frees most (`by_freed`), then the first one.
  Order forwards(bool by_freed) const {
    using Entry = std::tuple<int64_t, int64_t, uint32_t>;  // growth, minus what it gives back, number
    Ready ready(*rules_, count());
    LiveBytes live(sizes_);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    const auto enter = [&](uint32_t i) {
      if (i < first()) return;
      const int64_t growth = live.growth(i);
      int64_t made = 0;
      for (const SlotId id : sizes_.outputs(i)) made += sizes_.bytes(id);
      open.emplace(growth, by_freed ? growth - made : 0, i);
    };
    Order result;
    const auto run = [&](uint32_t i) {
      live.run(i);
      result.push_back(i);
      ready.run(i, enter);
      for (const SlotId id : sizes_.inputs(i)) {
        if (live.uses_left(id) != 1) continue;
        for (const uint32_t reader : sizes_.readers(id)) {
          if (ready.is_ready(reader) && may_be_weighed_again(reader)) enter(reader);
        }
      }
    };
    for (uint32_t i = 0; i < first(); ++i) run(i);
    for (uint32_t i = first(); i < count(); ++i) {
      if (rules_->before(i).empty()) enter(i);
    }
    while (!open.empty()) {
      const uint32_t i = std::get<uint32_t>(open.top());
      open.pop();
      if (ready.is_ready(i)) run(i);
    }
    return result;
  }

  /// The same from the end: of the instructions without a dependent among the rest, the one that needs the
  /// least more memory before it than after.
  Order backwards() const {
    using Entry = std::tuple<int64_t, int64_t>;  // growth, minus the number
    std::vector<uint32_t> waiting(count());
    std::vector<bool> is_live(program_.slots.size());
    for (uint32_t i = 0; i < count(); ++i) waiting[i] = static_cast<uint32_t>(rules_->after(i).size());
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot) is_live[result.slot] = true;
    }
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::vector<bool> is_left(count(), true);
    const auto enter = [&](uint32_t i) {
      if (i < first() || waiting[i] > 0 || !is_left[i]) return;
      int64_t growth = 0;
      for (const SlotId id : sizes_.inputs(i)) growth += is_live[id] ? 0 : sizes_.bytes(id);
      for (const SlotId id : sizes_.outputs(i)) growth -= is_live[id] ? sizes_.bytes(id) : 0;
      open.emplace(growth, -static_cast<int64_t>(i));
    };
    for (uint32_t i = first(); i < count(); ++i) enter(i);
    Order result;
    while (!open.empty()) {
      const auto i = static_cast<uint32_t>(-std::get<1>(open.top()));
      open.pop();
      if (!is_left[i]) continue;
      is_left[i] = false;
      result.push_back(i);
      for (const uint32_t before : rules_->before(i)) {
        if (--waiting[before] == 0) enter(before);
      }
      for (const SlotId id : sizes_.inputs(i)) {
        if (is_live[id]) continue;
        is_live[id] = true;
        for (const uint32_t reader : sizes_.readers(id)) {
          if (may_be_weighed_again(reader)) enter(reader);
        }
      }
    }
    for (uint32_t i = first(); i-- > 0;) result.push_back(i);
    std::ranges::reverse(result);
    return result;
  }

  const Program& program_;
  const int64_t least_gain_bytes_;
  const ValueSizes sizes_;
  std::optional<OrderRules> rules_;
  Order listed_;
  int64_t listed_cost_ = 0;
};

}  // namespace

std::vector<uint32_t> memory_order(const Program& program, const StepGraph& step, int64_t least_gain_bytes) {
  return Ordering(program, step, least_gain_bytes).run();
}

void order_for_memory(Program& program, const StepGraph& step, int64_t least_gain_bytes) {
  const std::vector<uint32_t> order = memory_order(program, step, least_gain_bytes);
  std::vector<Instruction> before = std::exchange(program.segment.instructions, {});
  for (const uint32_t place : order) program.segment.instructions.push_back(std::move(before[place]));
}

int64_t most_bytes_in_order(const Program& program, std::span<const uint32_t> order) {
  return most_live_bytes(ValueSizes(program), order);
}

}  // namespace flowray::engine
