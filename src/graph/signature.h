#pragma once
/// Checks a node against its op's schema: which inputs belong to which argument, what the type and number
/// attributes are.

#include "graph/graph.h"

#include <span>
#include <string>
#include <vector>

namespace flowray::graph {

/// Fills `attrs` with everything that follows from the inputs or from defaults, checks types and limits.
/// Throws TypeError or ValueError in TensorFlow's words.
void complete_attrs(const OpSchema& schema, const std::string& node_name, std::span<const Endpoint> inputs,
                    Attrs& attrs);

/// The dtypes of the outputs, references included.
std::vector<DType> output_dtypes(const OpSchema& schema, const Attrs& attrs);

/// Whether input `i` is taken as a reference.
bool takes_reference(const OpSchema& schema, const Attrs& attrs, int i);

/// How many inputs or outputs stand behind one argument. Throws errors::InvalidArgumentError where the
/// attributes do not say so, as functions come from elsewhere: their signatures may name any.
int64_t arg_count(const ArgSchema& arg, const Attrs& attrs);

/// Adds the dtypes behind one argument, references included. Throws like arg_count().
void add_arg_dtypes(const ArgSchema& arg, const Attrs& attrs, std::vector<DType>& dtypes);

}  // namespace flowray::graph
