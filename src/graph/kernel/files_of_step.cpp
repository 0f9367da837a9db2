#include "graph/kernel/files_of_step.h"

#include <flowray/errors.h>

#include <utility>

namespace flowray::graph {
namespace {

thread_local const files::FileAccess* files_of_this_thread = nullptr;

}  // namespace

const files::FileAccess& files_of_step() {
  if (files_of_this_thread != nullptr) return *files_of_this_thread;
  throw errors::InternalError("An op wants to use files where no step runs.");
}

FilesOfStep::FilesOfStep(const files::FileAccess& access)
    : before_(std::exchange(files_of_this_thread, &access)) {}

FilesOfStep::~FilesOfStep() { files_of_this_thread = before_; }

}  // namespace flowray::graph
