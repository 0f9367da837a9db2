#include "tf/keras/dataset_walk.h"

#include "core/mutex.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/model_state.h"

#include <map>
#include <utility>

namespace flowray::tf::keras {

/// Nodes and not handles: a handle keeps its graph, and the graph keeps this.
struct DatasetWalk::OwnIterator {
  graph::Node* initializer = nullptr;
  std::vector<graph::Endpoint> next;
  graph::Endpoint cardinality;
};

namespace {

/// The iterators of a graph's datasets that nobody walks with, by the node of the dataset.
struct FreeIterators {
  Mutex mutex;
  std::map<const graph::Node*, std::vector<std::shared_ptr<void>>> of_dataset FLOWRAY_GUARDED_BY(mutex);

  static FreeIterators& of(const Graph& graph) {
    return graph.get()->attachment<FreeIterators>("keras_free_iterators");
  }
};

}  // namespace

DatasetWalk::DatasetWalk(data::Dataset dataset, const Graph& graph)
    : dataset_(std::move(dataset)), graph_(graph) {
  const Tensor& variant = dataset_.variant_tensor();
  if (variant.is_eager()) return;
  if (!(variant.graph() == graph_)) {
    throw ValueError(
        "The dataset belongs to another graph than the model.\nMake both while the same graph is the default "
        "one.");
  }
  {
    FreeIterators& free = FreeIterators::of(graph_);
    const MutexLock lock(free.mutex);
    std::vector<std::shared_ptr<void>>& known = free.of_dataset[variant.node()];
    if (!known.empty()) {
      iterator_ = std::static_pointer_cast<OwnIterator>(known.back());
      known.pop_back();
      return;
    }
  }
  const GraphScope in_graph(graph_.get());
  const WithoutScopes outside(*graph_.get());
  const data::Iterator made = dataset_.make_initializable_iterator();
  iterator_ = std::make_shared<OwnIterator>();
  iterator_->cardinality = endpoint_of(dataset_.cardinality());
  iterator_->initializer = made.initializer().node();
  for (const Tensor& component : made.get_next()) iterator_->next.push_back(endpoint_of(component));
}

DatasetWalk::~DatasetWalk() {
  if (iterator_ == nullptr) return;
  FreeIterators& free = FreeIterators::of(graph_);
  const MutexLock lock(free.mutex);
  free.of_dataset[dataset_.variant_tensor().node()].push_back(std::move(iterator_));
}

void DatasetWalk::begin() {
  is_begun_ = true;
  if (iterator_ == nullptr) {
    values_.emplace(dataset_.begin());
    return;
  }
  session_ = ready_session(graph_);
  session_->run(Operation(iterator_->initializer));
  std::vector<Fetch> fetches;
  for (const graph::Endpoint& component : iterator_->next) fetches.emplace_back(tensor_of(component));
  call_ = session_->make_callable(fetches, std::vector<FeedKey>());
}

int64_t DatasetWalk::cardinality() {
  if (iterator_ == nullptr) return dataset_.cardinality().value().item<int64_t>();
  // Variables get no first values here: what is refused for its number has begun no session of the model's.
  session_ = session_of(graph_);
  try {
    return session_->run(tensor_of(iterator_->cardinality)).item<int64_t>();
  } catch (const errors::FailedPreconditionError&) {
    return data::UNKNOWN_CARDINALITY;  // it is made of a variable without a value
  }
}

std::optional<std::vector<Array>> DatasetWalk::next() {
  if (!is_begun_) {
    begin();
  } else if (values_.has_value() && *values_ != std::default_sentinel) {
    ++*values_;
  }
  if (values_.has_value()) {
    if (*values_ == std::default_sentinel) return {};
    return **values_;
  }
  try {
    return call_();
  } catch (const errors::OutOfRangeError&) {
    return {};
  }
}

}  // namespace flowray::tf::keras
