#include <flowray/ray/testing.h>

#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "ray/functions/function_registry.h"
#include "ray/simulation/simulated_backend.h"

namespace flowray::ray::testing {
namespace {

const Faults& checked(const Faults& faults) {
  for (const double probability : {faults.crash, faults.lost_call, faults.lost_answer, faults.delay}) {
    if (!(probability >= 0 && probability <= 1)) {
      throw RayException(fmt::format("Faults: {} is not a probability; it must be in [0, 1].", probability));
    }
  }
  return faults;
}

constexpr const char* kSeedName = "FLOWRAY_SIMULATION_SEED";

/// The seed that the environment asks for; 0: none.
uint64_t seed_asked_for() {
  const char* const text = std::getenv(kSeedName);
  if (text == nullptr) return 0;
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), seed);
  if (error != std::errc() || *end != '\0' || seed == 0)
    throw RayException(fmt::format("{}={}: expected a seed, at least 1.", kSeedName, text));
  return seed;
}

std::string end_of(const std::string& trace) {
  constexpr size_t kMostBytes = 8'000;
  return trace.size() <= kMostBytes
             ? trace
             : "  ...\n" + trace.substr(trace.find('\n', trace.size() - kMostBytes) + 1);
}

}  // namespace

class Simulation::Backend final : public SimulatedBackend {
 public:
  using SimulatedBackend::SimulatedBackend;
};

Simulation::Simulation(uint64_t seed, const Faults& faults)
    : backend_(std::make_unique<Backend>(seed, checked(faults))) {
  if (internal::backend_or_null() != nullptr) {
    throw RayException(
        "A Simulation takes the place of the runtime, and one runs in this process: call Shutdown() first.");
  }
  registered_functions().check();
  backend_->prints_trace = std::getenv(kSeedName) != nullptr;
  internal::set_backend(backend_.get());
}

Simulation::~Simulation() {
  backend_->end_all();
  internal::set_backend(nullptr);
}

void Simulation::SetFaults(const Faults& faults) { backend_->set_faults(checked(faults)); }
void Simulation::Crash(ActorId actor) { backend_->crash_actor(actor); }
std::string Simulation::Trace() const { return backend_->trace(); }
int Simulation::NumCrashes() const { return backend_->num_crashes(); }
int Simulation::NumLost() const { return backend_->num_lost(); }

void Explore(int num_seeds, const Faults& faults, const std::function<void(Simulation&)>& program) {
  if (num_seeds < 1)
    throw RayException(fmt::format("Explore: num_seeds is {}; it must be at least 1.", num_seeds));
  const uint64_t asked = seed_asked_for();
  const uint64_t first = asked == 0 ? 1 : asked;
  const uint64_t last = asked == 0 ? static_cast<uint64_t>(num_seeds) : asked;
  for (uint64_t seed = first; seed <= last; ++seed) {
    Simulation simulation(seed, faults);
    try {
      program(simulation);
    } catch (const std::exception& error) {
      throw RayException(fmt::format("With seed {} ({}={}): {}\n{}", seed, kSeedName, seed, error.what(),
                                     end_of(simulation.Trace())));
    }
  }
}

}  // namespace flowray::ray::testing
