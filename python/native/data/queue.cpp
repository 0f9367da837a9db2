/// tf.FIFOQueue and its siblings.

#include "native/convert/bind.h"

#include <flowray/tf/queue.h>

#include <nanobind/stl/string.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::QueueOptions, shapes, shared_name, name)
FLOWRAY_FIELDS(tf::RandomShuffleQueueOptions, shapes, seed, shared_name, name)
FLOWRAY_FIELDS(tf::QueueCloseOptions, cancel_pending_enqueues, name)

namespace {

nb::object give(const tf::Dequeued& dequeued) {
  if (dequeued.size() == 1) return nb::cast(dequeued[0]);
  return give_result(std::vector<tf::Tensor>(dequeued.begin(), dequeued.end()));
}

/// The components of an element: a list, or the only one.
std::vector<tf::Input> as_components(nb::handle vals, const tf::QueueBase& queue) {
  if (PyList_Check(vals.ptr()) == 0 && PyTuple_Check(vals.ptr()) == 0) return {as_input(vals)};
  if (queue.dtypes().size() == 1 && nb::len(vals) != 1) return {as_input(vals)};
  return as_inputs(vals);
}

/// The shape of the only component, or a list of shapes.
std::vector<Shape> as_component_shapes(nb::handle shapes) {
  const bool several = PyList_Check(shapes.ptr()) || PyTuple_Check(shapes.ptr());
  const bool one = !several || nb::len(shapes) == 0 || PyIndex_Check(nb::object(shapes[0]).ptr()) != 0;
  if (one) return {as_shape(shapes)};
  return as_shapes(shapes);
}

void bind_base(nb::module_& m) {
  using tf::NameOption;
  using tf::QueueBase;
  nb::class_<QueueBase> queue(m, "QueueBase", nb::dynamic_attr(), docstring_of("QueueBase"));
  bind_method(queue, "enqueue",
              [](const QueueBase& self, nb::handle vals, const NameOption& options) {
                return self.enqueue(as_components(vals, self), options);
              },
              {"vals"});
  bind_method(queue, "enqueue_many",
              [](const QueueBase& self, nb::handle vals, const NameOption& options) {
                return self.enqueue_many(as_components(vals, self), options);
              },
              {"vals"});
  bind_method(queue, "dequeue",
              [](const QueueBase& self, const NameOption& options) { return give(self.dequeue(options)); });
  bind_method(queue, "dequeue_many",
              [](const QueueBase& self, const tf::Input& n, const NameOption& options) {
                return give(self.dequeue_many(n, options));
              },
              {"n"});
  bind_method(queue, "dequeue_up_to",
              [](const QueueBase& self, const tf::Input& n, const NameOption& options) {
                return give(self.dequeue_up_to(n, options));
              },
              {"n"});
  bind_method(queue, "size", &QueueBase::size);
  bind_method(queue, "is_closed", &QueueBase::is_closed);
  bind_method(queue, "close", &QueueBase::close);
  queue.def_prop_ro("queue_ref", &QueueBase::queue_ref)
      .def_prop_ro("name", &QueueBase::name)
      .def_prop_ro("dtypes", [](const QueueBase& self) { return give_result(self.dtypes()); });
}

/// A queue whose constructor takes these types, and dtypes before its options.
template <class Queue, class... Types, size_t N>
void bind_queue(nb::module_& m, const char* name, const Argument (&arguments)[N]) {
  nb::class_<Queue, tf::QueueBase> queue(m, name, docstring_of(name));
  bind_constructor_of<Queue, Types...>(queue, arguments);
}

}  // namespace

void bind_queues(nb::module_& m) {
  using Dtypes = std::vector<DType>;
  bind_base(m);
  const Argument shapes = converted("shapes", &as_component_shapes);
  bind_queue<tf::FIFOQueue, int64_t, Dtypes, tf::QueueOptions>(
      m, "FIFOQueue",
      {"capacity", "dtypes", shapes, refused("names"), "shared_name", {"name", "fifo_queue"}});
  bind_queue<tf::RandomShuffleQueue, int64_t, int64_t, Dtypes, tf::RandomShuffleQueueOptions>(
      m, "RandomShuffleQueue",
      {"capacity",
       "min_after_dequeue",
       "dtypes",
       shapes,
       refused("names"),
       "seed",
       "shared_name",
       {"name", "random_shuffle_queue"}});
  bind_queue<tf::PaddingFIFOQueue, int64_t, Dtypes, tf::QueueOptions>(m, "PaddingFIFOQueue",
                                                                      {"capacity",
                                                                       "dtypes",
                                                                       required(or_none(shapes)),
                                                                       refused("names"),
                                                                       "shared_name",
                                                                       {"name", "padding_fifo_queue"}});
  bind_queue<tf::PriorityQueue, int64_t, Dtypes, tf::QueueOptions>(
      m, "PriorityQueue",
      {"capacity", "types", shapes, refused("names"), "shared_name", {"name", "priority_queue"}});
}

}  // namespace flowray::python
