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

/// Of the call that a thread makes.
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
  return static_cast<uint64_t>(std::min(std::ceil(amount * 1000), 4e9));
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

void set_options(CallSpec& call, const internal::CallOptions& options, CallMode mode) {
  call.mode = mode;
  call.function = options.function;
  call.actor = options.actor;
  call.terms = {static_cast<uint32_t>(options.num_returns),
                static_cast<uint32_t>(options.max_retries),
                processors(options, mode),
                static_cast<uint32_t>(options.max_concurrency),
                options.answers_later ? 1 : static_cast<uint32_t>(options.max_concurrency),
                options.is_counted ? 1u : 0u,
                options.is_stream ? 1u : 0u,
                static_cast<uint32_t>(std::max(options.most_ahead, 0)),
                options.group,
                options.bundle < 0 ? kAnyBundle : static_cast<uint32_t>(options.bundle)};
  call.name = options.name;
  call.function_name = options.function_name;
  call.class_name = options.class_name;
  call.resources = other_resources(options);
}

}  // namespace flowray::ray
