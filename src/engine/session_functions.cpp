/// Functions that a session runs outside of its steps (graph/exchange/function_runner.h): each is a step of
/// its own.
#include "engine/session.h"
#include "graph/exchange/attr_message.h"
#include "graph/exchange/function_body.h"
#include "graph/kernel/blocking_call.h"
#include "ops/all_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace flowray::engine {
namespace {

using graph::FunctionBody;

class SessionFunction final : public graph::CallableFunction {
 public:
  SessionFunction(Session& session, std::string prefix, FunctionBody body, std::vector<Array> captured)
      : session_(session),
        prefix_(std::move(prefix)),
        body_(std::move(body)),
        captured_(std::move(captured)),
        step_(session, {.feeds = body_.args, .fetches = body_.results, .targets = body_.effects}, bound()) {}

  ~SessionFunction() override { session_.forget_states(prefix_ + "/"); }

  std::vector<Array> call(std::vector<Array> args, const graph::CallLimits& limits) override {
    if (args.size() != num_args()) {
      throw errors::InvalidArgumentError(
          fmt::format("A function was called with {} arguments, but takes {}", args.size(), num_args()));
    }
    std::vector<const Array*> feeds;
    for (const Array& arg : args) feeds.push_back(&arg);
    for (const Array& value : captured_) feeds.push_back(&value);
    std::vector<Array> results(body_.results.size());
    // The session's end is left out: it cancels every step that has a Cancellation.
    Cancellation unwanted;
    std::array<std::optional<Cancellation::Listening>, 3> listening;
    size_t count = 0;
    for (Cancellation* const wish : {limits.cancellation, limits.closing, limits.given_up}) {
      if (wish != nullptr && wish != &session_.closing())
        listening[count++].emplace(*wish, [&unwanted] { unwanted.cancel(); });
    }
    step_.run(feeds, results,
              {.cancellation = &unwanted, .deadline = limits.deadline, .nested = limits.within().nested});
    return results;
  }

 private:
  size_t num_args() const { return body_.args.size() - captured_.size(); }

  std::vector<Array> bound() const {
    std::vector<Array> bound(num_args());
    bound.insert(bound.end(), captured_.begin(), captured_.end());
    return bound;
  }

  Session& session_;
  const std::string prefix_;  // of the names of its nodes
  const FunctionBody body_;
  const std::vector<Array> captured_;
  Step step_;
};

}  // namespace

std::unique_ptr<graph::CallableFunction> Session::make_function(const graph::FunctionRequest& request,
                                                                const graph::FunctionLibrary& library) {
  const auto attr = wire::decode<wire::AttrValue>(request.attr);
  const auto& named = *std::get<wire::AttrValue::kFunc>(attr.value);
  graph::FunctionCall call;
  call.function = library.find(named.name.str());
  call.attrs = named.attr;
  if (call.function == nullptr) {
    throw errors::NotFoundError(fmt::format("Function {} is not defined.", named.name.view()));
  }
  static std::atomic<uint64_t> number{0};
  const std::string prefix = fmt::format(".call_{}", number.fetch_add(1, std::memory_order_relaxed));
  FunctionBody body = graph::make_function_body(call, library, ops::op_table(), prefix, {});
  if (body.args.size() < request.captured.size()) {
    throw errors::InvalidArgumentError(
        fmt::format("Function {} takes {} arguments, but {} were captured for it", named.name.view(),
                    body.args.size(), request.captured.size()));
  }
  graph::FunctionLibrary::of(*body.graph).share(library);  // for what it calls itself
  return std::make_unique<SessionFunction>(*this, prefix, std::move(body), request.captured);
}

std::unique_ptr<graph::FunctionRunner> Session::make_independent() {
  return std::make_unique<Session>(SessionOptions{
      .intra_op_threads = intra_op_threads_, .passes = passes_, .devices = devices_, .files = files_});
}

}  // namespace flowray::engine
