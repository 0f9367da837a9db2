#include "cluster/worker/left_sessions.h"

#include <flowray/errors.h>

#include <memory>
#include <optional>
#include <utility>

#include "cluster/asked_call.h"
#include "cluster/bodies.h"
#include "wire/worker.h"

namespace flowray::cluster {

struct LeftSessions::Master {
  std::shared_ptr<Channel> channel;
  std::vector<const SessionOrigin*> sessions = {};
  std::optional<AskedCall> call = {};
};

namespace {

Channel::Limits some_seconds() {
  return {.deadline = std::chrono::system_clock::now() + std::chrono::seconds(5)};
}

/// None where the task did not say.
std::optional<uint64_t> incarnation_in(const Response& response) {
  if (!response.status.ok()) return std::nullopt;
  try {
    const auto status = body_of<wire::GetStatusResponse>(response.message);
    if (!status.device_attributes.empty()) return status.device_attributes[0].incarnation.value;
  } catch (const errors::DataLossError&) {  // as if it had not answered that
  }
  return std::nullopt;
}

bool is_unanswered(const Response& response) {
  const auto code = static_cast<Code>(response.status.code);
  return code == Code::kUnavailable || code == Code::kDeadlineExceeded;
}

}  // namespace

LeftSessions::Word LeftSessions::ask(const std::vector<SessionOrigin>& sessions, Clock::time_point now,
                                     Cancellation& ends) {
  Masters masters;
  std::set<AddressAndIncarnation> asked;
  for (const SessionOrigin& session : sessions) {
    if (session.master_address.empty()) continue;
    asked.emplace(session.master_address, session.master_incarnation);
    Master& master = masters[session.master_address];
    if (master.channel == nullptr) master.channel = peers_.at(session.master_address);
    master.sessions.push_back(&session);
  }
  Word word;
  ask_which_live(masters, now, ends, word);
  if (!ends.is_cancelled()) ask_what_they_have(masters, ends, word);
  std::erase_if(last_answers_, [&](const auto& answer) { return !asked.contains(answer.first); });
  return word;
}

/// Those that a living master of this incarnation may have stay in its list.
void LeftSessions::ask_which_live(Masters& masters, Clock::time_point now, Cancellation& ends, Word& word) {
  for (auto& [address, master] : masters)
    master.call.emplace(*master.channel, "/tensorflow.WorkerService/GetStatus", Message(), some_seconds(),
                        ends);
  for (auto& [address, master] : masters) {
    const Response response = master.call->answer();
    master.call.reset();
    if (ends.is_cancelled()) return;
    const auto incarnation = incarnation_in(response);
    std::erase_if(master.sessions, [&, told = &word.left](const SessionOrigin* session) {
      const AddressAndIncarnation own{address, session->master_incarnation};
      if (incarnation == session->master_incarnation) {
        last_answers_[own] = now;
        return false;
      }
      const auto last = last_answers_.find(own);
      const bool has_been_there = last != last_answers_.end();
      const bool is_replaced = incarnation.has_value() && has_been_there;
      const bool is_dead = is_unanswered(response) && has_been_there && now - last->second >= kDeadAfter;
      if (is_replaced || is_dead) told->insert(session->handle);
      return true;
    });
  }
}

/// TensorFlow's masters do not know the question.
void LeftSessions::ask_what_they_have(const Masters& masters, Cancellation& ends, Word& word) {
  std::vector<std::pair<const Master*, std::unique_ptr<AskedCall>>> calls;
  for (const auto& [address, master] : masters) {
    if (master.sessions.empty()) continue;
    wire::SessionHandles question;
    for (const SessionOrigin* session : master.sessions)
      question.session_handle.push_back(wire::Text(session->handle));
    calls.emplace_back(
        &master, std::make_unique<AskedCall>(*master.channel, kWhichAreOver, Message(wire::encode(question)),
                                             some_seconds(), ends));
  }
  for (const auto& [master, call] : calls) {
    const Response response = call->answer();
    if (!response.status.ok()) continue;
    try {
      std::set<std::string> over;
      for (const wire::Text& handle : body_of<wire::SessionHandles>(response.message).session_handle)
        over.insert(handle.str());
      for (const SessionOrigin* session : master->sessions)
        (over.contains(session->handle) ? word.left : word.confirmed).insert(session->handle);
    } catch (const errors::DataLossError&) {  // as if it did not know the question
    }
  }
}

}  // namespace flowray::cluster
