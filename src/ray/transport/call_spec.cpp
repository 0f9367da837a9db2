#include "ray/transport/call_spec.h"

#include <flowray/errors.h>
#include <flowray/ray/errors.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "core/thread_owned.h"

namespace flowray::ray {
namespace {

Resources processors(const internal::CallOptions& options, CallMode mode) {
  const auto asked = std::ranges::find(options.resources, "CPU", &std::pair<std::string, double>::first);
  if (asked == options.resources.end()) return {.cpu_milli = mode == CallMode::kMakeActor ? 0u : 1000u};
  return {.cpu_milli = in_thousandths(asked->second)};
}

/// The resources of the call that a thread makes, as text; kept from one call to the next.
struct OtherResources {
  std::string text;
};

std::string_view other_resources(const internal::CallOptions& options) {
  if (options.resources.empty()) return {};
  NamedResources named;
  for (const auto& [name, amount] : options.resources) {
    if (name != "CPU") named[name] = in_thousandths(amount);
  }
  std::string& text = ThreadOwned<OtherResources>::get().text;
  text = resources_text(named);
  return text;
}

}  // namespace

uint64_t in_thousandths(double amount) {
  return static_cast<uint64_t>(std::min(std::ceil(amount * 1000), 1e18));
}

std::string_view without_namespace(std::string_view name, std::string_view ray_namespace) {
  const size_t length = ray_namespace.size();
  if (length == 0 || !name.starts_with(ray_namespace) || !name.substr(length).starts_with('/')) return name;
  return name.substr(length + 1);
}

std::string resources_text(const NamedResources& resources) {
  std::string text;
  for (const auto& [name, milli] : resources) {
    if (milli == 0) continue;
    text += name;
    text += '\0';
    text += std::to_string(milli);
    text += '\0';
  }
  return text;
}

NamedResources read_resources(std::string_view text) {
  NamedResources resources;
  while (!text.empty()) {
    const size_t name_end = text.find('\0');
    const size_t end = name_end == std::string_view::npos ? name_end : text.find('\0', name_end + 1);
    if (end == std::string_view::npos) throw errors::DataLossError("damaged resources");
    uint64_t milli = 0;
    const auto read = std::from_chars(text.data() + name_end + 1, text.data() + end, milli);
    if (read.ec != std::errc() || read.ptr != text.data() + end || milli == 0)
      throw errors::DataLossError("damaged resources");
    resources[std::string(text.substr(0, name_end))] = milli;
    text.remove_prefix(end + 1);
  }
  return resources;
}

std::string groups_text(std::span<const ConcurrencyGroup> groups) {
  std::string text;
  for (const ConcurrencyGroup& group : groups) {
    text += group.name + '\0' + std::to_string(group.max_concurrency) + '\0';
    for (const FunctionId method : group.methods) text += std::to_string(method.value) + '\0';
    text += '\0';
  }
  return text;
}

namespace {

/// Takes what stands before the next zero byte.
std::string_view take_word(std::string_view& text) {
  const size_t end = text.find('\0');
  if (end == std::string_view::npos) throw errors::DataLossError("damaged concurrency groups");
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

template <class Number>
Number number_in(std::string_view word) {
  Number number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size() || number == 0)
    throw errors::DataLossError("damaged concurrency groups");
  return number;
}

}  // namespace

std::vector<ConcurrencyGroup> read_groups(std::string_view text) {
  std::vector<ConcurrencyGroup> groups;
  while (!text.empty()) {
    ConcurrencyGroup& group = groups.emplace_back();
    group.name = take_word(text);
    group.max_concurrency = number_in<uint32_t>(take_word(text));
    for (std::string_view method = take_word(text); !method.empty(); method = take_word(text))
      group.methods.push_back({number_in<uint64_t>(method)});
  }
  return groups;
}

std::optional<uint32_t> group_of_call(std::span<const ConcurrencyGroup> groups, std::string_view name,
                                      FunctionId method) {
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const auto& methods = groups[i].methods;
    if (name.empty() ? std::ranges::find(methods, method) != methods.end() : groups[i].name == name)
      return i + 1;
  }
  if (name.empty()) return 0;
  return std::nullopt;
}

std::string no_concurrency_group_text(std::string_view function, std::string_view group) {
  return "The call of '" + std::string(function) + "' is to run in the concurrency group '" +
         std::string(group) +
         "', which its actor does not have.\nSetConcurrencyGroup of the actor declares it, before Remote; in "
         "Python concurrency_groups={name: number} of the class.";
}

std::string bundles_text(std::span<const NamedResources> bundles) {
  std::string text;
  for (const NamedResources& bundle : bundles) {
    text += resources_text(bundle);
    text += '\0';
  }
  return text;
}

std::vector<NamedResources> read_bundles(std::string_view text) {
  std::vector<NamedResources> bundles;
  while (!text.empty()) {
    // A name is not empty, so that a zero byte where one would begin is the bundle's end.
    size_t end = 0;
    while (end < text.size() && text[end] != '\0') {
      for (int part = 0; part < 2; ++part) {
        end = text.find('\0', end);
        if (end == std::string_view::npos) throw errors::DataLossError("a damaged placement group");
        ++end;
      }
    }
    if (end >= text.size()) throw errors::DataLossError("a damaged placement group");
    bundles.push_back(read_resources(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  return bundles;
}

std::string checked_bundles(const internal::GroupSpec& group) {
  std::vector<NamedResources> bundles;
  for (const auto& amounts : group.bundles) {
    NamedResources& bundle = bundles.emplace_back();
    for (const auto& [name, amount] : amounts) {
      if (name.empty() || name.size() > kMostNameBytes / 16 || name.find('\0') != std::string::npos ||
          !(amount >= 0))
        throw RayException(
            "A placement group's resources have names of 1 to 256 bytes, and amounts that are not negative. "
            "Given: '" +
            name.substr(0, 60) + "' = " + std::to_string(amount) + ".");
      if (in_thousandths(amount) > 0) bundle[name] = in_thousandths(amount);
    }
    if (bundle.empty())
      throw RayException("Bundles cannot be an empty dictionary or resources with only 0 values.");
  }
  if (bundles.empty()) throw RayException("Bundles must be a non-empty list of resource dictionaries.");
  std::string text = bundles_text(bundles);
  if (text.size() > kMostBundlesBytes || group.name.size() > kMostNameBytes) {
    throw RayException("A placement group whose name has " + std::to_string(group.name.size()) +
                       " bytes and whose bundles take " + std::to_string(text.size()) + "; at most " +
                       std::to_string(kMostNameBytes) + " and " + std::to_string(kMostBundlesBytes) +
                       " are possible.");
  }
  return text;
}

internal::GroupSpec group_spec(ObjectId id, uint32_t strategy, uint32_t state, std::string_view name,
                               std::string_view bundles) {
  internal::GroupSpec group{id, strategy, state, std::string(name), {}};
  for (const NamedResources& bundle : read_bundles(bundles)) {
    auto& amounts = group.bundles.emplace_back();
    for (const auto& [resource, milli] : bundle)
      amounts.emplace_back(resource, static_cast<double>(milli) / 1000);
  }
  return group;
}

namespace {

/// The option as CallTerms has it.
uint32_t task_retries(const internal::CallOptions& options, CallMode mode) {
  if (!options.max_task_retries) return 0;
  const int retries = *options.max_task_retries;
  if (retries < 0) return kForever;
  return static_cast<uint32_t>(retries) + (mode == CallMode::kActorCall ? 1 : 0);
}

}  // namespace

void set_options(CallSpec& call, const internal::CallOptions& options, CallMode mode) {
  call.mode = mode;
  call.function = options.function;
  call.actor = options.actor;
  const uint32_t max_concurrency = options.max_concurrency == internal::CallOptions::kUnset
                                       ? 1
                                       : static_cast<uint32_t>(options.max_concurrency);
  call.terms = {static_cast<uint32_t>(options.num_returns),
                static_cast<uint32_t>(options.max_retries),
                processors(options, mode),
                max_concurrency,
                options.answers_later ? 1 : max_concurrency,
                options.is_counted ? 1u : 0u,
                options.is_stream ? (options.ends_with_reader ? kStreamOfReader : 1u) : 0u,
                static_cast<uint32_t>(std::max(options.most_ahead, 0)),
                options.group,
                options.bundle < 0 ? kAnyBundle : static_cast<uint32_t>(options.bundle),
                options.retry_exceptions ? 1u : 0u,
                task_retries(options, mode),
                static_cast<uint32_t>(std::max(options.deadline_ms, 0)),
                options.is_in_thread ? 1u : 0u};
  call.name = options.name;
  call.function_name = options.function_name;
  call.class_name = options.class_name;
  call.resources = other_resources(options);
  call.concurrency_groups = options.concurrency_groups;
  call.environment = options.environment;
  if (mode != CallMode::kMakeActor || call.concurrency_groups.empty() || options.answers_later) return;
  for (const ConcurrencyGroup& group : read_groups(call.concurrency_groups))
    call.terms.num_threads += group.max_concurrency;
}

}  // namespace flowray::ray
