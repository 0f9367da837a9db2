#pragma once
/// What a call asks for, from the program that makes it to the owner that keeps it. An option of a call is
/// declared, and put on the wire, here and nowhere else: Submit and Submission are a CallSpec, the owner's
/// record of a task keeps its CallTerms.

#include <flowray/ray/backend.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ray {

enum class CallMode : uint32_t { kTask, kMakeActor, kActorCall };

/// A number of retries or restarts that never comes to its end; -1 in the language.
inline constexpr uint32_t kForever = ~uint32_t{0};

/// The longest name of an actor, with its namespace: messages carry it, and the errors of its calls.
inline constexpr size_t kMostNameBytes = 4096;
/// The longest name of the runtime's namespace; it lies in each worker's channel.
inline constexpr size_t kMostNamespaceBytes = 255;
/// The most results of one call: their values go in one message,
/// and each may be an error of a few hundred bytes.
inline constexpr uint32_t kMostReturns = 100;

/// The most GPUs of one runtime: a call may get all of them, and is sent their numbers in a message.
inline constexpr int kMostGpus = 1024;

/// Amounts of what tasks and actors share: of one call, of all that compute, or of the machine.
struct Resources {
  uint64_t cpu_milli = 0;  ///< thousandths of a processor
  /// Which amounts of the others, GPUs and what Init's `resources` names; 0: none. The owner's number, which
  /// does not travel.
  uint32_t others = 0;

  /// An order for maps; none comes first.
  auto operator<=>(const Resources&) const = default;
  explicit operator bool() const { return *this != Resources{}; }
};

/// Amounts of resources other than processors, in thousandths, by name.
using NamedResources = std::map<std::string, uint64_t, std::less<>>;
/// The amounts as messages carry them. The same amounts have the same text.
std::string resources_text(const NamedResources& resources);
/// Throws errors::DataLossError.
NamedResources read_resources(std::string_view text);

/// The resources, processors among them, that each bundle of a placement group sets aside.
/// Each ends with a zero byte.
std::string bundles_text(std::span<const NamedResources> bundles);
/// Throws errors::DataLossError.
std::vector<NamedResources> read_bundles(std::string_view text);

inline constexpr uint32_t kAnyBundle = ~uint32_t{0};
/// What bundles_text may have, as it rides in messages.
inline constexpr size_t kMostBundlesBytes = 16 << 10;

enum class GroupStrategy : uint32_t { kPack, kSpread, kStrictPack, kStrictSpread };
enum class GroupState : uint32_t { kPending = 0, kCreated = 2, kRemoved = 3 };

/// Throws RayException for a group that cannot be: without bundles, with an empty one, or with too much text.
std::string checked_bundles(const internal::GroupSpec& group);
internal::GroupSpec group_spec(ObjectId id, uint32_t strategy, uint32_t state, std::string_view name,
                               std::string_view bundles);

/// A concurrency group of an actor: how many of its calls run at a time, beside those of other groups.
struct ConcurrencyGroup {
  std::string name;
  uint32_t max_concurrency = 1;
  std::vector<FunctionId> methods;  ///< whose calls run in it unless they say otherwise
};
/// The groups as messages carry them.
std::string groups_text(std::span<const ConcurrencyGroup> groups);
/// Throws errors::DataLossError.
std::vector<ConcurrencyGroup> read_groups(std::string_view text);
/// The longest CallOptions::environment, as messages carry it.
inline constexpr size_t kMostEnvironmentBytes = 16 << 10;
inline constexpr size_t kMostGroupNameBytes = 256;
/// What groups_text may have, as it rides in messages.
inline constexpr size_t kMostGroupsBytes = 16 << 10;
/// The number, from 1, of the group in which a call of the method runs that names `name`, or no group; 0: in
/// none. Nothing if there is no group of that name.
std::optional<uint32_t> group_of_call(std::span<const ConcurrencyGroup> groups, std::string_view name,
                                      FunctionId method);

/// For a call whose actor has no group of that name.
std::string no_concurrency_group_text(std::string_view function, std::string_view group);

/// CallTerms::is_stream of a call that is cancelled when its values become unreachable.
inline constexpr uint32_t kStreamOfReader = 2;

/// How a call is to be run: what holds for it from its submission until its returns are there.
struct CallTerms {
  uint32_t num_returns = 1;
  uint32_t max_retries = 0;  ///< of an actor: how often it is made again; kForever
  /// What it holds while it computes (an actor: while its process runs, but for its waiting).
  Resources resources;
  /// For an actor: how many of its calls run at a time, and how many threads of its process begin them.
  uint32_t max_concurrency = 1;
  uint32_t num_threads = 1;
  uint32_t is_counted = 0;  ///< of an actor: it ends with the last handle to it
  /// As in CallOptions; or kStreamOfReader.
  uint32_t is_stream = 0;
  uint32_t most_ahead = 0;
  ObjectId group;                ///< the placement group that `resources` are taken of
  uint32_t bundle = kAnyBundle;  ///< of it
  uint32_t retry_exceptions = 0;
  /// For an actor: the retries of each of its calls, or kForever. For a call: its retries and one more, or
  /// kForever; 0: those of its actor.
  uint32_t max_task_retries = 0;
  uint32_t deadline_ms = 0;   ///< from its submission; 0: none
  uint32_t is_in_thread = 0;  ///< of an actor: it has a thread of the driver's in place of a process

  /// Calls `f` with the fields, in their order in messages.
  template <class F>
  void fields(F& f) {
    f(num_returns, max_retries, resources.cpu_milli, max_concurrency, num_threads, is_counted, is_stream,
      most_ahead, group, bundle, retry_exceptions, max_task_retries, deadline_ms, is_in_thread);
  }
};

/// A call to be made. What it views is its maker's.
struct CallSpec {
  CallMode mode = CallMode::kTask;
  FunctionId function;
  ActorId actor;          ///< whose method is called; for kMakeActor: the new one's id
  ObjectId first_return;  ///< the ids of the returns are consecutive
  CallTerms terms;
  std::string_view name;
  std::string_view function_name;
  std::string_view class_name;
  std::string_view resources;           ///< other than processors: resources_text
  std::string_view concurrency_groups;  ///< of an actor: groups_text; of a call: a group's name
  std::string_view environment;         ///< as in CallOptions
  std::span<const ObjectId> refs;       ///< arguments passed by reference
};

/// An actor's name, as name_in_namespace gives it, without the namespace if it stands in `ray_namespace`: the
/// runtime's own.
std::string_view without_namespace(std::string_view name, std::string_view ray_namespace);

/// The amount of a resource in thousandths.
uint64_t in_thousandths(double amount);

/// Sets what the program asks for by `options`, but for the ids of what the call makes and its refs. A task
/// that does not say asks for one processor; actors that do not say share what there is. In place, as a copy
/// of the whole CallSpec would cost each call 10 ns. What it views lasts as long as `options`, or until the
/// next call of this thread.
void set_options(CallSpec& call, const internal::CallOptions& options, CallMode mode);

}  // namespace flowray::ray
