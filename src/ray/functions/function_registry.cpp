#include "ray/functions/function_registry.h"

#include <flowray/ray/errors.h>

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "ray/functions/libraries.h"

namespace flowray::ray {

using internal::FunctionEntry;
using internal::FunctionKey;

namespace {

size_t hash_of(const FunctionKey& key) noexcept {
  uint64_t hash = key.pointer[0] * 0x9E3779B97F4A7C15u ^ key.pointer[1] * 0xC2B2AE3D27D4EB4Fu ^ key.type;
  hash *= 0x9E3779B97F4A7C15u;
  return hash >> 20;
}
size_t hash_of(FunctionId id) noexcept { return id.value >> 20; }

/// Finds the slot of the entry that `is_it` accepts, or the empty one that ends the search.
template <typename Slots, typename IsIt>
auto& find_slot(Slots& slots, size_t hash, IsIt is_it) noexcept {
  const size_t mask = slots.size() - 1;
  size_t at = hash & mask;
  while (slots[at] != nullptr && !is_it(*slots[at])) at = (at + 1) & mask;
  return slots[at];
}

std::string readable_class(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string text = status == 0 ? name.get() : type.name();
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  if (const size_t at = text.rfind(kUnnamed); at != std::string::npos) text.erase(0, at + kUnnamed.size());
  return text;
}

/// "Counter" for "Counter::Add" and "Counter::Add(app::Step)"; empty for "Plus".
std::string class_in(std::string_view name) {
  const std::string_view before_parameters = name.substr(0, name.find('('));
  int depth = 0;  // of <>: the :: of a template's arguments is not meant
  for (size_t i = before_parameters.size(); i-- > 1;) {
    if (before_parameters[i] == '>') ++depth;
    if (before_parameters[i] == '<') --depth;
    if (depth == 0 && before_parameters[i] == ':' && before_parameters[i - 1] == ':') {
      return std::string(before_parameters.substr(0, i - 1));
    }
  }
  return {};
}

}  // namespace

std::string FunctionRegistry::name_of(std::string_view spelled) {
  std::string text;
  for (const char letter : spelled) {
    if (!std::isspace(static_cast<unsigned char>(letter))) text += letter;
  }
  constexpr std::string_view kOverload = "RAY_FUNC(";
  const bool is_overload = text.starts_with(kOverload) && text.ends_with(')');
  if (is_overload) text = text.substr(kOverload.size(), text.size() - kOverload.size() - 1);
  if (text.starts_with('&')) text.erase(0, 1);
  if (text.starts_with("::")) text.erase(0, 2);
  if (!is_overload) return text;
  const size_t comma = text.find(',');
  return comma == std::string::npos ? text + "()"
                                    : text.substr(0, comma) + "(" + text.substr(comma + 1) + ")";
}

FunctionId FunctionRegistry::id_of(std::string_view name) noexcept {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a, then mixed so that all bits depend on all letters
  for (const char letter : name) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001B3u;
  hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
  hash ^= hash >> 32;
  return FunctionId{hash == 0 ? 1 : hash};
}

void FunctionRegistry::add(std::string_view spelled, FunctionEntry entry) {
  entry.name = name_of(spelled);
  entry.id = id_of(entry.name);
  if (entry.kind != FunctionEntry::Kind::kTask) {
    entry.class_name = class_in(entry.name);
    if (entry.class_name.empty() && entry.made_class != nullptr)
      entry.class_name = readable_class(*entry.made_class);
  }
  auto state = state_.lock();
  for (const FunctionEntry& known : state->entries) {
    if (known.id != entry.id) continue;
    if (known.name == entry.name && known.key == entry.key) return;
    state->problems.push_back("'" + known.name + "' and '" + entry.name + "'");
    return;
  }
  state->entries.push_back(std::move(entry));
  table_.store(nullptr, std::memory_order_release);
}

void FunctionRegistry::check() const {
  auto state = state_.lock();
  if (state->problems.empty()) return;
  std::string text =
      "Duplicate RAY_REMOTE function: " + state->problems.front() +
      " name two different functions, and a worker could not tell which one is meant. Spell them with their "
      "namespaces, RAY_REMOTE(left::Run); overloads with their parameters, RAY_REMOTE(RAY_FUNC(Run, int)).";
  for (size_t i = 1; i < state->problems.size(); ++i) text += "\nAlso " + state->problems[i] + ".";
  throw RayException(text);
}

std::unique_ptr<FunctionRegistry::Table> FunctionRegistry::make_table(
    const std::deque<FunctionEntry>& entries) {
  auto table = std::make_unique<Table>();
  const size_t slots = std::bit_ceil(2 * entries.size() + 2);
  table->by_key.resize(slots);
  table->by_id.resize(slots);
  for (const FunctionEntry& entry : entries) {
    // One function under two names is found by both, and called by the first.
    auto& by_key = find_slot(table->by_key, hash_of(entry.key),
                             [&](const auto& other) { return other.key == entry.key; });
    if (by_key == nullptr) by_key = &entry;
    find_slot(table->by_id, hash_of(entry.id), [&](const auto& other) { return other.id == entry.id; }) =
        &entry;
  }
  return table;
}

const FunctionRegistry::Table& FunctionRegistry::table() const {
  // Pairs with the release below: the table that is seen is complete.
  if (const Table* table = table_.load(std::memory_order_acquire); table != nullptr) return *table;
  auto state = state_.lock();
  if (const Table* table = table_.load(std::memory_order_acquire); table != nullptr) return *table;
  state->tables.push_back(make_table(state->entries));
  table_.store(state->tables.back().get(), std::memory_order_release);
  return *state->tables.back();
}

template <class Is>
const FunctionEntry* FunctionRegistry::find_without_table(const Is& is) const noexcept {
  auto state = state_.lock();
  const auto found = std::ranges::find_if(state->entries, is);
  return found == state->entries.end() ? nullptr : &*found;
}

const FunctionEntry* FunctionRegistry::find(const FunctionKey& key) const noexcept {
  const auto is_it = [&](const FunctionEntry& entry) { return entry.key == key; };
  try {
    return find_slot(table().by_key, hash_of(key), is_it);
  } catch (const std::bad_alloc&) {
    return find_without_table(is_it);
  }
}

const FunctionEntry* FunctionRegistry::find(FunctionId id) const noexcept {
  const auto is_it = [&](const FunctionEntry& entry) { return entry.id == id; };
  try {
    return find_slot(table().by_id, hash_of(id), is_it);
  } catch (const std::bad_alloc&) {
    return find_without_table(is_it);
  }
}

bool FunctionRegistry::has_coroutines(uint64_t class_hash) const {
  auto state = state_.lock();
  return std::ranges::any_of(state->entries, [&](const FunctionEntry& entry) {
    return entry.kind == FunctionEntry::Kind::kMethod && entry.is_async && entry.class_hash == class_hash;
  });
}

void FunctionRegistry::add_upcast(uint64_t from, uint64_t to, Cast cast) {
  state_.lock()->upcasts.push_back({from, to, cast});
}

void* FunctionRegistry::upcast(void* object, uint64_t from, uint64_t to) const {
  if (from == to) return object;
  auto state = state_.lock();
  for (const UpcastEntry& known : state->upcasts) {
    if (known.from == from && known.to == to) return known.cast(object);
  }
  return nullptr;
}

FunctionRegistry& registered_functions() {
  static FunctionRegistry registry;
  return registry;
}

namespace internal {

void register_function(std::string_view spelled, FunctionEntry entry) noexcept {
  registered_functions().add(spelled, std::move(entry));
}

std::string_view next_spelled_name(std::string_view& list) noexcept {
  int depth = 0;
  size_t end = 0;
  for (; end < list.size(); ++end) {
    const char letter = list[end];
    if (letter == ',' && depth == 0) break;
    if (letter == '(' || letter == '<' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == '>' || letter == ']' || letter == '}') --depth;
  }
  const std::string_view name = list.substr(0, end);
  list.remove_prefix(std::min(list.size(), end + 1));
  return name;
}

const FunctionEntry* find_function(const FunctionKey& key) noexcept {
  return registered_functions().find(key);
}

void register_lambda(const std::type_info& type, FunctionEntry entry) noexcept {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  const std::string spelled = status == 0 ? name.get() : type.name();
  // Functions of one name in the unnamed namespaces of two sources may have lambdas of one name.
  std::string unique = spelled;
  for (int number = 2;; ++number) {
    const FunctionEntry* const known = find_function_by_name(FunctionRegistry::name_of(unique));
    if (known == nullptr || known->key == entry.key) break;
    unique = spelled + "#" + std::to_string(number);
  }
  register_function(unique.c_str(), std::move(entry));
}

const FunctionEntry* find_function_by_name(std::string_view name) noexcept {
  return registered_functions().find(FunctionRegistry::id_of(name));
}

/// Here, as a program that registers a function links this source: it is looked for by its name only.
const LibraryRuntime& library_runtime() noexcept {
  static constexpr LibraryRuntime runtime = {
      __VERSION__,
      {sizeof(FunctionEntry), sizeof(CallOptions), sizeof(Encoder), sizeof(Decoder)},
      [](void* data, void (*take)(void*, const FunctionEntry&)) {
        registered_functions().each_function([&](const FunctionEntry& entry) { take(data, entry); });
      },
      [](void* data, void (*take)(void*, uint64_t, uint64_t, LibraryRuntime::Cast)) {
        registered_functions().each_upcast(
            [&](uint64_t from, uint64_t to, LibraryRuntime::Cast cast) { take(data, from, to, cast); });
      },
      set_backend,
  };
  return runtime;
}

void register_upcast(uint64_t from, uint64_t to, void* (*cast)(void* object)) noexcept {
  registered_functions().add_upcast(from, to, cast);
}

}  // namespace internal
}  // namespace flowray::ray
