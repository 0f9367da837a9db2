#pragma once
/// What is in a checkpoint, and variables that begin with what is in one: tf.train.init_from_checkpoint and
/// its siblings.

#include <flowray/array.h>
#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// What of a graph a checkpoint's tensors are for: a variable, the parts of one that is cut, the name of
/// either among those of tf::get_variable, or a scope of them, "net/".
class AssignmentTarget {
 public:
  AssignmentTarget(const char* name) : target_(std::string(name)) {}  // NOLINT: implicit, all of these
  AssignmentTarget(std::string name) : target_(std::move(name)) {}
  AssignmentTarget(const Variable& variable) : target_(variable.parts()) {}
  AssignmentTarget(std::vector<Variable> parts) : target_(std::move(parts)) {}

  /// The name; null where it is variables.
  const std::string* name() const { return std::get_if<std::string>(&target_); }
  /// The variables; null where it is a name.
  const std::vector<Variable>* variables() const { return std::get_if<std::vector<Variable>>(&target_); }

 private:
  std::variant<std::string, std::vector<Variable>> target_;
};
/// Names of tensors in the checkpoint, or of scopes with a slash at their ends ("/": all of it), each with
/// what it is for.
using AssignmentMap = std::vector<std::pair<std::string, AssignmentTarget>>;

/// Gives variables another initializer: one that reads their first value from a checkpoint (the newest one of
/// a folder) when it runs.
///
///     tf::train::init_from_checkpoint("logs/model.ckpt-1000", {{"encoder/", "net/encoder/"}, {"table",
/// table}});
///
/// Throws ValueError for what the checkpoint or the graph lacks, and for a tensor of another shape.
void init_from_checkpoint(const std::filesystem::path& ckpt_dir_or_file, const AssignmentMap& assignment_map,
                          Input::Where where = Input::Where::current());

/// The shapes of what is in a checkpoint, by name. Throws ValueError for a folder without one,
/// errors::NotFoundError for a file that is not there.
std::map<std::string, TensorShape> list_variables(const std::filesystem::path& ckpt_dir_or_file,
                                                  Input::Where where = Input::Where::current());
/// The value of a variable in a checkpoint.
Array load_variable(const std::filesystem::path& ckpt_dir_or_file, const std::string& name,
                    Input::Where where = Input::Where::current());

}  // namespace flowray::tf::train

#pragma GCC visibility pop
