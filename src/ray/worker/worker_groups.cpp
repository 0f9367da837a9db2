// Placement groups that a worker makes and asks for.

#include "ray/worker/question.h"

namespace flowray::ray {

ObjectId WorkerBackend::create_group(const internal::GroupSpec& group) {
  const std::string bundles = checked_bundles(group);
  const MutexLock lock(mutex_);
  const ObjectId id = new_objects(1);
  post(MakeGroup{id, group.strategy, group.name, bundles});
  ordered_until_ = writer_.position();
  return id;
}

void WorkerBackend::remove_group(ObjectId group) {
  const MutexLock lock(mutex_);
  post(RemoveGroup{group});
  ordered_until_ = writer_.position();
}

std::vector<internal::GroupSpec> WorkerBackend::groups() {
  std::vector<internal::GroupSpec> groups;
  const MutexLock lock(mutex_);
  for (ObjectId after;; after = groups.back().id) {
    const Question question(*this);
    post(AskGroup{question.id, after});
    answered(question, {});
    if (!question.group.id) return groups;
    groups.push_back(question.group);
  }
}

}  // namespace flowray::ray
