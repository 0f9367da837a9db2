// The messages show the line with the field, and name the options and the function.
// EXPECTED: .actvation = tf::nn::relu
// EXPECTED: in passing argument 3 of 'flowray::tf::Tensor flowray::tf::layers::dense(
// EXPECTED: 'const flowray::tf::layers::DenseOptions&'
// EXPECTED: .activation = 3
// Where braces could be an axis, too, the field is named.
// EXPECTED: name 'keepdim' used in a GNU-style designated initializer for an array
// EXPECTED: name 'axs' used in a GNU-style designated initializer for an array
// EXPECTED: .ax = 1
// With the type's name in front of the braces the field itself is named.
// EXPECTED: 'flowray::tf::layers::DenseOptions' has no non-static data member named 'unitss'
// EXPECTED: designator order for field 'flowray::tf::layers::DenseOptions::activation' does not match
#include <flowray/tf.h>
namespace tf = flowray::tf;

void options(tf::Tensor t) {
  tf::layers::dense(t, 3, {.actvation = tf::nn::relu});
  tf::layers::dense(t, 3, {.activation = 3});
  tf::reduce_sum(t, {.keepdim = true});
  tf::squeeze(t, {.axs = 1});
  tf::argmax(t, {.ax = 1});
  tf::layers::dense(t, 3, tf::layers::DenseOptions{.unitss = 3});
  tf::layers::dense(t, 3, {.use_bias = false, .activation = tf::nn::relu});
}
