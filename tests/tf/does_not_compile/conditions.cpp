// A step knows what is in a tensor, and nobody else: it is not a condition, nor is anything else that may be
// unset.
// EXPECTED: if (t)
// EXPECTED: if (!t)
// EXPECTED: if (t && true)
// EXPECTED: while (t > 0)
// EXPECTED: t ? t : t
// EXPECTED: static_cast<bool>(t)
// EXPECTED: const bool both = t && v
// EXPECTED: from 'flowray::tf::Tensor' to 'bool'
// EXPECTED: if (v)
// EXPECTED: from 'flowray::tf::Variable' to 'bool'
// EXPECTED: if (op)
// EXPECTED: from 'flowray::tf::Operation' to 'bool'
// EXPECTED: if (ref)
// EXPECTED: from 'flowray::ray::ObjectRef<bool>' to 'bool'
#include <flowray/ray.h>
#include <flowray/tf.h>
namespace tf = flowray::tf;

void conditions(tf::Tensor t, tf::Variable v, tf::Operation op, flowray::ray::ObjectRef<bool> ref) {
  if (t) return;
  if (!t) return;
  if (t && true) return;
  while (t > 0) return;
  auto chosen = t ? t : t;
  (void)static_cast<bool>(t);
  const bool both = t && v;
  if (v) return;
  if (op) return;
  if (ref) return;
}
