#pragma once
/// The names of regularizers and constraints: "kernel_regularizer" is that of a weight, and what files say of
/// one.

#include <flowray/tf/config.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::tf::keras {

/// The weight that "recurrent_regularizer" is meant for, by its beginning: "recurrent_kernel".
std::string weight_of_rule(const std::string& beginning);
/// The beginning of the names of a weight's rules: "recurrent" of "recurrent_kernel".
std::string rule_of_weight(const std::string& weight);

/// {"class_name": ..., "config": ...}
Config told_rule(const char* class_name, Config config);
/// What a file says of a rule, or its name alone.
class ToldRule {
 public:
  explicit ToldRule(const Config& told);
  const std::string& class_name() const { return class_name_; }
  /// A number of its config, which may be left out.
  void read(const char* name, double& value) const;
  /// Dimensions: one number, or a list.
  void read(const char* name, std::vector<int64_t>& value) const;
  /// Throws ValueError: `what` is not known.
  [[noreturn]] void throw_unknown(const char* what) const;

 private:
  const Config* find(const char* name) const;

  std::string class_name_;
  Config config_;
};

}  // namespace flowray::tf::keras
