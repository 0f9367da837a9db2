#pragma once
/// What a tf.train.Saver adds to a graph.

#include <flowray/tf/saver.h>

#include "tf/build/composite.h"

#include <map>
#include <string>
#include <vector>

namespace flowray::tf::train {

/// The nodes of one saver, in the order in which TensorFlow's makes them: filename(), save(), restore().
class SaverNodes {
 public:
  /// Behind a checkpoint's path: where its shards are before they are one.
  static constexpr const char* kFolderOfParts = "_temp";

  SaverNodes(graph::Graph& graph, const SaverOptions& options,
             const std::map<std::string, Variable>& variables, Input::Where where);

  /// What is fed with the checkpoint's path.
  Tensor filename();
  /// The path itself, where they run at once.
  void set_filename(const std::string& path);
  /// Saves, and gives the path.
  Tensor save();
  /// Restores all.
  Operation restore();

 private:
  /// Variables of one device, and the names that they are saved by.
  struct Shard {
    std::vector<Variable> variables;
    std::vector<std::string> names;
  };

  Tensor save_shard(const Shard& shard, const Tensor& path);
  Tensor save_shards();
  Operation restore_shard(const Shard& shard, const char* name);
  Operation assign(const Variable& variable, const Tensor& value);

  Composite scope_;
  const bool reshape_;
  const bool sharded_;
  std::map<std::string, Shard> shards_;  // by device; "" alone where they are not sharded
  Tensor filename_;
};

}  // namespace flowray::tf::train
