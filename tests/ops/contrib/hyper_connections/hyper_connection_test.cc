// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(HyperConnection, NoBranchesGiveZeros) {
  ExpectTensor(Contrib("HyperConnectionPreMix").Input(Iota({2, 0, 3})).Input(Iota({2, 0})).Run(),
               Tensor::Of<float>({2, 3}, {0, 0, 0, 0, 0, 0}));
}

TEST(HyperConnection, Mixes) {
  const Tensor streams = Tensor::Of<double>({2, 2}, {1, 2, 3, 4});
  const Tensor gates = Tensor::Of<double>({2}, {10, 100});
  ExpectTensor(Contrib("HyperConnectionPreMix")
                   .Attr("reduction_scale", 0.5f)
                   .Input(streams)
                   .Input(gates)
                   .Run(),
               Tensor::Of<double>({2}, {155, 210}));
  ExpectTensor(Contrib("HyperConnectionPostMix")
                   .Input(streams)
                   .Input(Tensor::Of<double>({2}, {1, 2}))
                   .Input(gates)
                   .Input(Tensor::Of<double>({2, 2}, {0, 1, 2, 0}))
                   .Run(),
               Tensor::Of<double>({2, 2}, {16, 28, 101, 202}));
}

TEST(HyperConnection, BadInputs) {
  const Tensor streams = Iota({2, 3});
  ExpectError(Contrib("HyperConnectionPreMix").Input(streams).Input(Iota({3})).Run().status(),
              kInvalid, "pre_mix has shape [3], which does not fit 2 branches of 3 elements");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Attr("num_branches", 2)
                  .Input(Iota({4}))
                  .Input(Iota({2}))
                  .Input(Iota({4}))
                  .Run()
                  .status(),
              kInvalid, "post_mix has shape [4]");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Input(streams)
                  .Input(Iota({2}))
                  .Input(Iota({2}))
                  .Run()
                  .status(),
              kInvalid, "block_output has shape [2], not [3]");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Input(streams)
                  .Input(Iota({3}))
                  .Input(Iota({2}))
                  .Input(Iota({2, 3}))
                  .Run()
                  .status(),
              kInvalid, "stream_mix has shape [2x3], not [2x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
