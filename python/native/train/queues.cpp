/// tf.FIFOQueue and its siblings.

#include "native/convert/convert.h"

#include <flowray/tf/queue.h>

#include <nanobind/stl/string.h>

namespace flowray::python {
namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

nb::object give(const tf::Dequeued& dequeued) {
  if (dequeued.size() == 1) return nb::cast(dequeued[0]);
  nb::list list;
  for (const tf::Tensor& tensor : dequeued) list.append(tensor);
  return list;
}

/// The components of an element: a list, or the only one.
std::vector<tf::Input> as_components(nb::handle vals, const tf::QueueBase& queue) {
  if (PyList_Check(vals.ptr()) == 0 && PyTuple_Check(vals.ptr()) == 0) return {as_input(vals)};
  if (queue.dtypes().size() == 1 && nb::len(vals) != 1) return {as_input(vals)};
  return as_inputs(vals);
}

tf::QueueOptions options_of(nb::handle shapes, nb::handle shared_name, const std::string& name) {
  tf::QueueOptions options;
  if (!shapes.is_none()) {
    const bool several = PyList_Check(shapes.ptr()) || PyTuple_Check(shapes.ptr());
    const bool one = !several || nb::len(shapes) == 0 || PyIndex_Check(nb::object(shapes[0]).ptr()) != 0;
    if (one) {
      options.shapes = {as_shape(shapes)};
    } else {
      options.shapes = as_shapes(shapes);
    }
  }
  options.shared_name = as_text(shared_name);
  options.name = name;
  return options;
}

void bind_base(nb::module_& m) {
  using tf::QueueBase;
  nb::class_<QueueBase>(m, "QueueBase", nb::dynamic_attr())
      .def(
          "enqueue",
          [](const QueueBase& self, nb::handle vals, nb::handle name) {
            return self.enqueue(as_components(vals, self), {as_text(name)});
          },
          "vals"_a, kNone("name") = nb::none())
      .def(
          "enqueue_many",
          [](const QueueBase& self, nb::handle vals, nb::handle name) {
            return self.enqueue_many(as_components(vals, self), {as_text(name)});
          },
          "vals"_a, kNone("name") = nb::none())
      .def(
          "dequeue",
          [](const QueueBase& self, nb::handle name) { return give(self.dequeue({as_text(name)})); },
          kNone("name") = nb::none())
      .def(
          "dequeue_many",
          [](const QueueBase& self, nb::handle n, nb::handle name) {
            return give(self.dequeue_many(as_input(n), {as_text(name)}));
          },
          "n"_a, kNone("name") = nb::none())
      .def(
          "dequeue_up_to",
          [](const QueueBase& self, nb::handle n, nb::handle name) {
            return give(self.dequeue_up_to(as_input(n), {as_text(name)}));
          },
          "n"_a, kNone("name") = nb::none())
      .def(
          "size", [](const QueueBase& self, nb::handle name) { return self.size({as_text(name)}); },
          kNone("name") = nb::none())
      .def(
          "is_closed", [](const QueueBase& self, nb::handle name) { return self.is_closed({as_text(name)}); },
          kNone("name") = nb::none())
      .def(
          "close",
          [](const QueueBase& self, Flag cancel, nb::handle name) {
            return self.close({.cancel_pending_enqueues = cancel, .name = as_text(name)});
          },
          "cancel_pending_enqueues"_a = false, kNone("name") = nb::none())
      .def_prop_ro("queue_ref", [](const QueueBase& self) { return self.queue_ref(); })
      .def_prop_ro("name", [](const QueueBase& self) { return self.name(); })
      .def_prop_ro("dtypes", [](const QueueBase& self) {
        nb::list list;
        for (const DType dtype : self.dtypes()) list.append(dtype_object(dtype));
        return list;
      });
}

}  // namespace

void bind_queues(nb::module_& m) {
  bind_base(m);
  nb::class_<tf::FIFOQueue, tf::QueueBase>(m, "FIFOQueue")
      .def(
          "__init__",
          [](tf::FIFOQueue* self, Integer capacity, nb::handle dtypes, nb::handle shapes, nb::handle,
             nb::handle shared_name, Text name) {
            new (self) tf::FIFOQueue(capacity, as_dtypes(dtypes), options_of(shapes, shared_name, name));
          },
          "capacity"_a, "dtypes"_a, kNone("shapes") = nb::none(), kNone("names") = nb::none(),
          kNone("shared_name") = nb::none(), "name"_a = "fifo_queue");
  nb::class_<tf::RandomShuffleQueue, tf::QueueBase>(m, "RandomShuffleQueue")
      .def(
          "__init__",
          [](tf::RandomShuffleQueue* self, Integer capacity, Integer min_after_dequeue, nb::handle dtypes,
             nb::handle shapes, nb::handle, nb::handle seed, nb::handle shared_name, Text name) {
            const tf::QueueOptions options = options_of(shapes, shared_name, name);
            new (self) tf::RandomShuffleQueue(capacity, min_after_dequeue, as_dtypes(dtypes),
                                              {.shapes = options.shapes,
                                               .seed = as_optional_int(seed),
                                               .shared_name = options.shared_name,
                                               .name = name});
          },
          "capacity"_a, "min_after_dequeue"_a, "dtypes"_a, kNone("shapes") = nb::none(),
          kNone("names") = nb::none(), kNone("seed") = nb::none(), kNone("shared_name") = nb::none(),
          "name"_a = "random_shuffle_queue");
  nb::class_<tf::PaddingFIFOQueue, tf::QueueBase>(m, "PaddingFIFOQueue")
      .def(
          "__init__",
          [](tf::PaddingFIFOQueue* self, Integer capacity, nb::handle dtypes, nb::handle shapes, nb::handle,
             nb::handle shared_name, Text name) {
            new (self)
                tf::PaddingFIFOQueue(capacity, as_dtypes(dtypes), options_of(shapes, shared_name, name));
          },
          "capacity"_a, "dtypes"_a, kNone("shapes"), kNone("names") = nb::none(),
          kNone("shared_name") = nb::none(), "name"_a = "padding_fifo_queue");
  nb::class_<tf::PriorityQueue, tf::QueueBase>(m, "PriorityQueue")
      .def(
          "__init__",
          [](tf::PriorityQueue* self, Integer capacity, nb::handle types, nb::handle shapes, nb::handle,
             nb::handle shared_name, Text name) {
            new (self) tf::PriorityQueue(capacity, as_dtypes(types), options_of(shapes, shared_name, name));
          },
          "capacity"_a, "types"_a, kNone("shapes") = nb::none(), kNone("names") = nb::none(),
          kNone("shared_name") = nb::none(), "name"_a = "priority_queue");
}

}  // namespace flowray::python
