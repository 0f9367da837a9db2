// Saves a checkpoint and is killed by a system call on the way.
//     test-tf-killed_saving FOLDER NAME VALUE NUMBER
// saves a variable of this value as FOLDER/NAME, one checkpoint being kept, and gets SIGKILL in place of
// the call of this number on files below FOLDER; ends with 0 where there are fewer.

#include <flowray/tf.h>

#include <string>

#include "support/interposed/file_calls.h"

namespace tf = flowray::tf;

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::filesystem::path folder = argv[1];
  const tf::Variable value(std::vector<float>(100, std::stof(argv[3])), {.name = "value"});
  tf::train::Saver saver({.max_to_keep = 1});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  if (const auto state = tf::train::get_checkpoint_state(folder))
    saver.set_last_checkpoints(state->all_model_checkpoint_paths);
  flowray::testing::FileCalls calls(folder);
  calls.kill_at(std::stoul(argv[4]));
  saver.save(session, folder / argv[2]);
  return 0;
}
