#include <flowray/tf/eager.h>

#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/eager/eager_runner.h"

namespace flowray::tf {

EagerScope::EagerScope() : scope_(&eagerly::eager_graph()) {}

EagerScope eager() { return EagerScope(); }

void enable_eager_execution() {
  if (has_bottom_graph()) throw ValueError("tf.enable_eager_execution must be called at program startup.");
  set_default_graph_of_process(&eagerly::eager_graph());
}

void disable_eager_execution() { set_default_graph_of_process(nullptr); }

bool executing_eagerly() { return default_graph().is_eager(); }

}  // namespace flowray::tf
