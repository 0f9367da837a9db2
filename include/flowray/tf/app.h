#pragma once
/// tf.app: a program's flags, --name=value and --name value, and its main behind them.
///
///     const auto batch_size = tf::app::flags::DEFINE_integer("batch_size", 100, "Images of a step.");
///     const auto logdir = tf::app::flags::DEFINE_string("logdir", "/tmp/logs", "Where summaries go.");
///
///     int main(int argc, char** argv) {
///       const auto body = [](const std::vector<std::string>& rest) { train(*batch_size, *logdir); };
///       return tf::app::run(argc, argv, body);
///     }

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::app {
namespace flags {

/// A flag's value, which the program's arguments set. A handle: copies stand for the same flag.
template <class T>
class Flag {
 public:
  /// For Flowray itself: DEFINE_string and its siblings make one.
  explicit Flag(std::shared_ptr<T> value) : value_(std::move(value)) {}
  /// What the arguments have said, or the default.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Sets it, whatever the arguments say.
  void set(T value) const { *value_ = std::move(value); }

 private:
  std::shared_ptr<T> value_;
};

/// Each adds a flag of a name to those of the program; a second one of the name stands for the first from
/// then on, as in TensorFlow 1. Flags are defined before main or at its beginning, in one thread.
Flag<std::string> DEFINE_string(const std::string& name, const std::string& default_value,
                                const std::string& help);
/// Decimal, or hexadecimal behind 0x.
Flag<int64_t> DEFINE_integer(const std::string& name, int64_t default_value, const std::string& help);
/// Decimal, with or without an exponent.
Flag<double> DEFINE_float(const std::string& name, double default_value, const std::string& help);
/// --name, --noname, or --name=true, t, 1, yes, false, f, 0 or no.
Flag<bool> DEFINE_boolean(const std::string& name, bool default_value, const std::string& help);
/// DEFINE_boolean by its other name.
inline Flag<bool> DEFINE_bool(const std::string& name, bool default_value, const std::string& help) {
  return DEFINE_boolean(name, default_value, help);
}
/// Separated by commas.
Flag<std::vector<std::string>> DEFINE_list(const std::string& name,
                                           const std::vector<std::string>& default_value,
                                           const std::string& help);
/// One of these words.
Flag<std::string> DEFINE_enum(const std::string& name, const std::string& default_value,
                              const std::vector<std::string>& enum_values, const std::string& help);

/// Reads arguments, of which the first is the program's name; gives those that are not the program's flags,
/// and all behind "--". Throws ValueError "flag --n=x: ..." for a value that a flag cannot have and "Missing
/// value for flag --n".
std::vector<std::string> parse(const std::vector<std::string>& arguments);
/// What --help says: each flag with its text and default.
std::string help(const std::string& program);
/// The values of all flags as text, by name.
std::map<std::string, std::string> flag_values_dict();

}  // namespace flags

/// Reads the flags, prints what they are for --help, else calls `main` with what is left of the arguments,
/// the program's name first. Gives what is to be the program's result: that of `main`, 0 where it gives none,
/// and 1, with the reason on stderr, for flags that are wrong.
int run_main(int argc, const char* const* argv,
             const std::function<int(const std::vector<std::string>&)>& main);
/// The same of a function that gives an int or nothing.
template <class Main>
int run(int argc, const char* const* argv, Main main) {
  return run_main(argc, argv, [&main](const std::vector<std::string>& rest) {
    if constexpr (std::is_void_v<std::invoke_result_t<Main&, const std::vector<std::string>&>>) {
      main(rest);
      return 0;
    } else {
      return static_cast<int>(main(rest));
    }
  });
}

}  // namespace flowray::tf::app

#pragma GCC visibility pop
