#pragma once
/// What a tf.train.Saver adds to a graph.

#include <flowray/tf/saver.h>

#include "tf/build/composite.h"

#include <map>
#include <string>
#include <vector>

namespace flowray::tf::train {

/// A variable, a part of one, or a state of something else, as a file has it.
struct SavedTensor {
  std::string name;
  Variable variable;
  std::string slice = {};  // of a part: which
  SaveableObject object = {};

  bool is_object() const { return object.value().has_value(); }
  Graph graph() const { return is_object() ? object.value().graph() : variable.graph(); }
  std::string device() const { return is_object() ? object.op().op().device() : variable.op().device(); }
  DType dtype() const { return is_object() ? DType::kVariant : base_dtype(variable.dtype()); }
};

/// What restores a variable from `value`, which is read in place. `reshape`: whatever shape that has.
Operation assign_restored(const Variable& variable, const Tensor& value, bool reshape);

/// The nodes of one saver, in the order in which TensorFlow's makes them: filename(), save(), restore().
class SaverNodes {
 public:
  /// Behind a checkpoint's path: where its shards are before they are one.
  static constexpr const char* kFolderOfParts = "_temp";

  SaverNodes(graph::Graph& graph, const SaverOptions& options, const std::vector<SavedTensor>& tensors,
             Input::Where where);

  /// What is fed with the checkpoint's path.
  Tensor filename();
  /// The path itself, where they run at once.
  void set_filename(const std::string& path);
  /// Saves, and gives the path.
  Tensor save();
  /// Restores all.
  Operation restore();

 private:
  /// What is on one device, and the names that it is saved by.
  struct Shard {
    std::vector<SavedTensor> tensors;
    std::vector<std::string> names;
    std::vector<std::string> slices;
  };

  Tensor save_shard(const Shard& shard, const Tensor& path);
  Tensor save_shards();
  Operation restore_shard(const Shard& shard, const char* name);
  Operation restore_tensor(const SavedTensor& saved, const Tensor& value) const;

  Composite scope_;
  const bool reshape_;
  const bool sharded_;
  std::map<std::string, Shard> shards_;  // by device; "" alone where they are not sharded
  Tensor filename_;
};

}  // namespace flowray::tf::train
