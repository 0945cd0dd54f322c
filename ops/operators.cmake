# The operators: one file each, without .cc, in alphabetical order. `math/log_softmax` stands for
# ops/math/log_softmax.cc, which defines onnxcmp::RegisterLogSoftmax(OpRegistry&). The folders
# contrib, extended, traditionalml and training put Contrib, Extended, Ml and Training before the
# name: `contrib/gelu` is RegisterContribGelu.
set(ONNXCMP_OPERATORS
  contrib/bias_gelu
  contrib/gelu
  contrib/quick_gelu
  controlflow/if
  controlflow/loop
  controlflow/scan
  logical/and
  logical/equal
  logical/greater
  math/abs
  math/add
  math/cos
  math/div
  math/erf
  math/hard_sigmoid
  math/hard_swish
  math/log_softmax
  math/mul
  math/neg
  math/pow
  math/reciprocal
  math/relu
  math/sigmoid
  math/sin
  math/softmax
  math/sqrt
  math/sub
  math/tanh
  nn/batch_normalization
  nn/layer_normalization
  reduction/reduce_max
  reduction/reduce_mean
  reduction/reduce_sum
  tensor/where
)
