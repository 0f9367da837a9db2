#include "cluster/worker/task_names.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace flowray::cluster {

std::shared_ptr<Channel> TaskNames::channel_to(const Identity& task) const {
  if (const auto job = addresses_.find(task.job); job != addresses_.end()) {
    if (const auto found = job->second.find(task.task); found != job->second.end())
      return peers_.at(found->second);
  }
  throw errors::InvalidArgumentError(
      fmt::format("There is no task {} in the cluster that {} knows\nStart every server with the same "
                  "--cluster.",
                  task.name(), self_.name()));
}

ParsedKey parse_key(std::string_view key) {
  const auto fail = [&] {
    throw errors::InvalidArgumentError(fmt::format("Invalid  rendezvous key: {}", key));
  };
  std::array<std::string_view, 5> parts;
  std::string_view rest = key;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t end = i + 1 < parts.size() ? rest.find(';') : rest.size();
    if (end == std::string_view::npos) fail();
    parts[i] = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  ParsedKey parsed;
  const std::string_view digits = parts[1];
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.incarnation, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) fail();
  for (const auto& [text, device] : {std::pair(parts[0], &parsed.sender), {parts[2], &parsed.receiver}}) {
    const auto name = graph::DeviceName::parse(text);
    if (!name || !name->job || !name->task) fail();
    *device = *name;
  }
  return parsed;
}

void PartRendezvous::send(const std::string& key, graph::Parcel parcel) {
  step_->here().send(key, std::move(parcel));
}

std::function<void()> PartRendezvous::receive(const std::string& key, Taker take) {
  if (names_.is_here(key)) return step_->here().receive(key, std::move(take));
  const graph::DeviceName sender = parse_key(key).sender;
  return step_->fetch(names_.channel_to({*sender.job, *sender.task}), key, std::move(take));
}

}  // namespace flowray::cluster
