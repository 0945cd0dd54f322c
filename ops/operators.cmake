# The operators: one file each, without .cc, in alphabetical order. `math/log_softmax` stands for
# ops/math/log_softmax.cc, which defines onnxcmp::RegisterLogSoftmax(OpRegistry&). The folders
# contrib, extended, traditionalml and training put Contrib, Extended, Ml and Training before the
# name: `contrib/gelu` is RegisterContribGelu.
set(ONNXCMP_OPERATORS
  controlflow/if
  controlflow/loop
  controlflow/scan
  generator/constant
  generator/constant_of_shape
  generator/range
  math/log_softmax
  math/softmax
  nn/batch_normalization
  nn/flatten
  nn/layer_normalization
  reduction/reduce_max
  reduction/reduce_mean
  reduction/reduce_sum
  tensor/concat
  tensor/expand
  tensor/gather
  tensor/gather_nd
  tensor/identity
  tensor/reshape
  tensor/shape
  tensor/slice
  tensor/split
  tensor/squeeze
  tensor/transpose
  tensor/unsqueeze
)
