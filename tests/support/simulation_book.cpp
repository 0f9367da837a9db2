#include "support/simulation_book.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ray {

std::string SimulationBook::groups_of(const Call& call) {
  if (call.group == 0) return {};
  if (call.mode == CallMode::kActorCall) return "group";
  const ConcurrencyGroup group{"group", call.group, {}};
  return groups_text({&group, 1});
}

uint32_t SimulationBook::some_retries(CallMode mode, SimulationRandom& random) {
  if (mode == CallMode::kMakeActor && random.one_in(8)) return kForever;
  return static_cast<uint32_t>(random.below(3));
}

uint32_t SimulationBook::some_cpu_milli(CallMode mode, SimulationRandom& random) {
  // Actors that hold processors could leave none to tasks.
  if (mode != CallMode::kTask) return 0;
  return random.one_in(3) ? 500 * (1 + static_cast<uint32_t>(random.below(4))) : 1000;
}

void SimulationBook::choose_kind(Call& call, SimulationRandom& random) {
  call.is_counted = call.mode == CallMode::kMakeActor && random.one_in(2);
  if (call.mode != CallMode::kTask && random.one_in(3))
    call.group = call.mode == CallMode::kMakeActor ? 1 + static_cast<uint32_t>(random.below(2)) : 1;
  call.retries_exceptions = call.mode == CallMode::kTask && random.one_in(3);
  if (call.mode != CallMode::kMakeActor && random.one_in(4))
    call.is_stream = random.one_in(2) ? 1 : kStreamOfReader;
  if (call.is_stream == 0) return;
  call.num_returns = 1;
  call.most_ahead = static_cast<uint32_t>(random.below(3));
}

/// Of two GPUs. Tasks keep theirs while they wait, so that nobody may wait for one that asks.
uint32_t SimulationBook::some_gpu_milli(CallMode mode, SimulationRandom& random) {
  constexpr uint32_t kMilli[] = {300, 500, 1000, 2000};
  if (mode != CallMode::kTask || !random.one_in(4)) return 0;
  return kMilli[random.below(4)];
}

uint32_t SimulationBook::some_concurrency(CallMode mode, SimulationRandom& random) {
  if (mode != CallMode::kMakeActor || random.one_in(2)) return 1;
  return 2 + static_cast<uint32_t>(random.below(3));
}

uint64_t SimulationBook::add(Call call) {
  call.may_be_waited_for =
      call.mode == CallMode::kTask && call.gpu_milli == 0 &&
      std::ranges::all_of(call.refs, [&](ObjectId ref) { return safe_.contains(ref.value); });
  if (call.may_be_waited_for) {
    for (uint32_t i = 0; i < call.num_returns; ++i) safe_.insert(call.first_return.value + i);
  }
  if (call.is_counted) counted_.insert(call.actor.value);
  if (call.is_stream != 0) streams_.insert(call.first_return.value);
  const uint64_t number = calls_.size() + 1;
  for (uint32_t i = 0; i < call.num_returns; ++i) maker_[call.first_return.value + i] = number;
  for (const ObjectId ref : call.refs) {
    if (const auto maker = maker_.find(ref.value); maker != maker_.end())
      needs_[number].insert(maker->second);
  }
  calls_.push_back(std::move(call));
  return number;
}

void SimulationBook::begin(uint64_t number) {
  if (is_hostile) return;
  Call& call = calls_.at(number - 1);
  ++call.begun;
  const uint64_t most = call.mode == CallMode::kActorCall ? 1 : uint64_t{1} + call.max_retries;
  if (call.begun > most)
    SimulatedWorld::fail(fmt::format("call {} begins for the {}th time", number, call.begun));
  if (call.mode != CallMode::kActorCall) return;
  uint64_t& last = last_[{call.actor.value, 2 * uint64_t{call.caller} + call.group}];
  if (number < last) {
    SimulatedWorld::fail(
        fmt::format("actor {} runs call {} of {} after {}", call.actor.value, number, call.caller, last));
  }
  last = number;
}

void SimulationBook::cancel(ObjectId object, bool recursive) {
  const auto maker = maker_.find(object.value);
  if (maker == maker_.end()) return;  // put
  Call& call = calls_.at(maker->second - 1);
  call.is_cancelled = true;
  call.are_children_cancelled |= recursive;
}

bool SimulationBook::may_be_cancelled(const Call& call) const {
  if (call.is_cancelled) return true;
  for (uint64_t above = call.parent; above != 0; above = calls_.at(above - 1).parent) {
    if (calls_.at(above - 1).are_children_cancelled) return true;
  }
  return false;
}

void SimulationBook::kill(ActorId actor, bool may_restart) {
  Actor& killed = actors_[actor.value];
  const auto maker = std::ranges::find_if(
      calls_, [&](const Call& call) { return call.mode == CallMode::kMakeActor && call.actor == actor; });
  // An actor that waits for its arguments has no process that could die.
  const bool is_last = maker != calls_.end() && maker->max_retries == 0;
  killed.is_ended |= !may_restart || is_last;
  killed.was_killed = true;
}

void SimulationBook::constructor_failed(uint64_t number) {
  if (!is_hostile) actor_of(calls_.at(number - 1)).is_ended = true;
}

void SimulationBook::process_died(uint64_t number) {
  if (number == 0 || is_hostile) {
    knows_all_deaths_ = false;
  } else {
    ++actor_of(calls_.at(number - 1)).deaths;
  }
}

void SimulationBook::check_living(const std::vector<ActorId>& living) const {
  if (is_hostile || lacks_processes || !knows_all_deaths_) return;
  for (const Call& call : calls_) {
    // A name may be taken, and an argument may be an error.
    if (call.mode != CallMode::kMakeActor || call.has_name || !call.refs.empty()) continue;
    const auto found = actors_.find(call.actor.value);
    const Actor actor = found == actors_.end() ? Actor{} : found->second;
    const bool should_live = !actor.is_ended && actor.deaths <= call.max_retries;
    const bool lives = std::ranges::find(living, call.actor) != living.end();
    if (call.is_counted && !lives) continue;  // its handles may be gone
    if (lives == should_live || (actor.was_killed && actor.deaths == call.max_retries)) continue;
    SimulatedWorld::fail(fmt::format("actor {} {}: {} of its processes died, {} restarts", call.actor.value,
                                     lives ? "should be dead" : "should live", actor.deaths,
                                     call.max_retries));
  }
}

void SimulationBook::check_none_is_forsaken(const std::vector<ActorId>& living) const {
  if (is_hostile) return;
  for (const ActorId actor : living) {
    if (is_share({actor.value}))
      SimulatedWorld::fail(fmt::format("actor {} lives without a handle", actor.value));
  }
}

void SimulationBook::take(ObjectId item) {
  if (!is_hostile && !taken_.insert(item.value).second)
    SimulatedWorld::fail(fmt::format("value {} of a stream is taken twice", item.value));
}

ObjectId SimulationBook::first_return(uint64_t number) const {
  const bool is_known = number > 0 && number <= calls_.size();  // damaged arguments have any number
  return is_known ? calls_[number - 1].first_return : ObjectId{};
}

void SimulationBook::hold(ObjectId object, std::vector<ObjectId>& refs) {
  std::erase_if(refs, [&](ObjectId ref) { return leads_to(held_, ref.value, object.value); });
  for (const ObjectId ref : refs) held_[object.value].insert(ref.value);
}

bool SimulationBook::may_be_waited_for(ObjectId object, uint64_t by_call) {
  if (!safe_.contains(object.value)) return false;
  const auto maker = maker_.find(object.value);
  if (maker == maker_.end()) return true;
  if (leads_to(needs_, maker->second, by_call)) return false;
  needs_[by_call].insert(maker->second);
  return true;
}

bool SimulationBook::leads_to(const Edges& edges, uint64_t from, uint64_t to) {
  std::set<uint64_t> seen{from};
  std::vector<uint64_t> open{from};
  while (!open.empty()) {
    const uint64_t node = open.back();
    open.pop_back();
    if (node == to) return true;
    const auto next = edges.find(node);
    if (next == edges.end()) continue;
    for (const uint64_t other : next->second) {
      if (seen.insert(other).second) open.push_back(other);
    }
  }
  return false;
}

}  // namespace flowray::ray
