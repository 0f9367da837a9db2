#include <flowray/tf/app.h>
#include <flowray/tf/errors.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>

namespace flowray::tf::app {
namespace flags {
namespace {

struct Entry {
  std::string help;
  std::string default_text;
  bool is_bool = false;
  std::function<void(const std::string&)> set;  // throws ValueError, of the reason alone
  std::function<std::string()> text;
};

/// In the order of their definition.
struct Entries {
  std::vector<std::string> names;
  std::map<std::string, Entry> by_name;

  static Entries& get() {
    static Entries entries;
    return entries;
  }
  Entry* find(const std::string& name) {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &found->second;
  }
};

template <class T>
Flag<T> define(const std::string& name, const T& default_value, const std::string& help,
               const std::function<T(const std::string&)>& parse,
               const std::function<std::string(const T&)>& text, bool is_bool = false) {
  auto value = std::make_shared<T>(default_value);
  Entries& entries = Entries::get();
  if (entries.find(name) == nullptr) entries.names.push_back(name);
  entries.by_name[name] = {.help = help,
                           .default_text = text(default_value),
                           .is_bool = is_bool,
                           .set = [value, parse](const std::string& given) { *value = parse(given); },
                           .text = [value, text] { return text(*value); }};
  return Flag<T>(value);
}

std::string same(const std::string& text) { return text; }

template <class T>
T number(const std::string& text, const char* what, int base = 10) {
  T value{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  std::from_chars_result result;
  if constexpr (std::is_integral_v<T>) {
    const bool is_negative = begin != end && *begin == '-';
    const std::string digits(begin + (is_negative ? 1 : 0), end);
    const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    const std::string plain = (is_negative ? "-" : "") + (is_hexadecimal ? digits.substr(2) : digits);
    result = std::from_chars(plain.data(), plain.data() + plain.size(), value, is_hexadecimal ? 16 : base);
    if (result.ec == std::errc() && result.ptr == plain.data() + plain.size()) return value;
  } else {
    result = std::from_chars(begin, end, value);
    if (result.ec == std::errc() && result.ptr == end) return value;
  }
  throw ValueError(fmt::format("{}: '{}'", what, text));
}

bool boolean_of(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* const yes : {"true", "t", "1", "yes"}) {
    if (text == yes) return true;
  }
  for (const char* const no : {"false", "f", "0", "no"}) {
    if (text == no) return false;
  }
  throw ValueError("a boolean is true or false");
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  if (text.empty()) return items;
  size_t begin = 0;
  for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
    items.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  items.push_back(text.substr(begin));
  return items;
}

void give(const std::string& name, Entry& entry, const std::string& value) {
  try {
    entry.set(value);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("flag --{}={}: {}", name, value, error.message()));
  }
}

/// An argument that begins with a dash.
struct Given {
  std::string name;
  std::optional<std::string> value;

  explicit Given(const std::string& argument) {
    const size_t begin = std::min(argument.find_first_not_of('-'), argument.size());
    const size_t equals = argument.find('=', begin);
    name = argument.substr(begin, equals == std::string::npos ? equals : equals - begin);
    if (equals != std::string::npos) value = argument.substr(equals + 1);
  }
};

}  // namespace

Flag<std::string> DEFINE_string(const std::string& name, const std::string& default_value,
                                const std::string& help) {
  return define<std::string>(name, default_value, help, same, same);
}

Flag<int64_t> DEFINE_integer(const std::string& name, int64_t default_value, const std::string& help) {
  return define<int64_t>(
      name, default_value, help,
      [](const std::string& text) { return number<int64_t>(text, "invalid literal for int() with base 10"); },
      [](const int64_t& value) { return fmt::format("{}", value); });
}

Flag<double> DEFINE_float(const std::string& name, double default_value, const std::string& help) {
  return define<double>(
      name, default_value, help,
      [](const std::string& text) { return number<double>(text, "could not convert string to float"); },
      [](const double& value) { return fmt::format("{}", value); });
}

Flag<bool> DEFINE_boolean(const std::string& name, bool default_value, const std::string& help) {
  return define<bool>(
      name, default_value, help, boolean_of,
      [](const bool& value) { return std::string(value ? "true" : "false"); }, /*is_bool=*/true);
}

Flag<std::vector<std::string>> DEFINE_list(const std::string& name,
                                           const std::vector<std::string>& default_value,
                                           const std::string& help) {
  using List = std::vector<std::string>;
  return define<List>(name, default_value, help, split,
                      [](const List& value) { return fmt::format("{}", fmt::join(value, ",")); });
}

Flag<std::string> DEFINE_enum(const std::string& name, const std::string& default_value,
                              const std::vector<std::string>& enum_values, const std::string& help) {
  return define<std::string>(
      name, default_value, help,
      [enum_values](const std::string& text) {
        if (std::ranges::find(enum_values, text) == enum_values.end())
          throw ValueError(fmt::format("value should be one of <{}>", fmt::join(enum_values, "|")));
        return text;
      },
      same);
}

std::vector<std::string> parse(const std::vector<std::string>& arguments) {
  Entries& entries = Entries::get();
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (i > 0 && argument == "--") {
      rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      return rest;
    }
    const Given given(argument);
    Entry* const entry = entries.find(given.name);
    const std::string negated = given.name.starts_with("no") ? given.name.substr(2) : std::string();
    Entry* const denied = entries.find(negated);
    if (i == 0 || !argument.starts_with('-') ||
        (entry == nullptr && (denied == nullptr || !denied->is_bool))) {
      rest.push_back(argument);
    } else if (entry == nullptr) {
      if (given.value.has_value()) throw ValueError(argument + " does not take an argument");
      give(negated, *denied, "false");
    } else if (given.value.has_value()) {
      give(given.name, *entry, *given.value);
    } else if (entry->is_bool) {
      give(given.name, *entry, "true");
    } else if (i + 1 < arguments.size()) {
      give(given.name, *entry, arguments[++i]);
    } else {
      throw ValueError("Missing value for flag --" + given.name);
    }
  }
  return rest;
}

std::string help(const std::string& program) {
  Entries& entries = Entries::get();
  std::string text = fmt::format("flags of {}:\n", program);
  for (const std::string& name : entries.names) {
    const Entry& entry = *entries.find(name);
    text += fmt::format("  --{}: {} (default: {})\n", name, entry.help, entry.default_text);
  }
  return text;
}

std::map<std::string, std::string> flag_values_dict() {
  std::map<std::string, std::string> values;
  for (const auto& [name, entry] : Entries::get().by_name) values[name] = entry.text();
  return values;
}

}  // namespace flags

int run_main(int argc, const char* const* argv,
             const std::function<int(const std::vector<std::string>&)>& main) {
  const std::vector<std::string> arguments(argv, argv + argc);
  for (size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "-h" || arguments[i] == "--help" || arguments[i] == "--helpfull") {
      std::fputs(flags::help(arguments[0]).c_str(), stdout);
      return 0;
    }
  }
  std::vector<std::string> rest;
  try {
    rest = flags::parse(arguments);
  } catch (const ValueError& error) {
    std::fprintf(stderr, "FATAL Flags parsing error: %s\nPass --help to see help on flags.\n",
                 error.message().c_str());
    return 1;
  }
  return main(rest);
}

}  // namespace flowray::tf::app
