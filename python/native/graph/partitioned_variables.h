#pragma once
/// Variables that a partitioner has cut, and partitioners.

#include "native/convert/bind.h"

#include <flowray/tf/partitioner.h>
#include <flowray/tf/variable.h>

#include "tf/build/collections.h"

namespace flowray::python {

/// A variable that is cut, as Python has it: a list of its parts, and what else TensorFlow's has.
struct PythonParts {
  tf::Variable whole;
};

/// A tf.Variable, or a PartitionedVariable.
nb::object give_variable(const tf::Variable& variable);

/// None, or a function of shape and dtype.
tf::Partitioner as_partitioner(nb::handle object);
nb::object partitioner_object(const tf::Partitioner& partitioner);

/// tf.VariableSynchronization and tf.VariableAggregation.
tf::VariableSynchronization as_synchronization(nb::handle object);
tf::VariableAggregation as_aggregation(nb::handle object);
nb::object synchronization_object(tf::VariableSynchronization synchronization);
nb::object aggregation_object(tf::VariableAggregation aggregation);

/// What a part knows of the whole, with the names of TensorFlow's SaveSliceInfo; None of a variable that is
/// no part.
nb::object slice_info_of(const tf::Variable& variable);
void set_slice_info(const tf::Variable& variable, nb::handle info);

/// What initializers are told of the part that they make; None while no part is made.
nb::object partition_info();

/// Tells initializers of a part of this shape what `partition_info` says of the whole; None: it is not a
/// part.
class PartBeingMade {
 public:
  PartBeingMade(const tf::TensorShape& shape, nb::handle partition_info);
  PartBeingMade(const PartBeingMade&) = delete;
  PartBeingMade& operator=(const PartBeingMade&) = delete;
  ~PartBeingMade();

 private:
  tf::internal::SaveSlice slice_;
  const tf::internal::SaveSlice* before_;
};

void bind_partitioned_variables(nb::module_& m);

template <>
inline constexpr auto kFrom<tf::Partitioner> = &as_partitioner;
template <>
inline constexpr auto kFrom<tf::VariableSynchronization> = &as_synchronization;
template <>
inline constexpr auto kFrom<tf::VariableAggregation> = &as_aggregation;

}  // namespace flowray::python
