// Expected values are the definition's, with the exponentials of NumPy.
#include "gtest/gtest.h"
#include "tests/ops/contrib/experts/three_experts.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ShardedMoE, HasItsInputsFirst) {
  OpTest test = Experts("ShardedMoE", /*inputs_first=*/true);
  ExpectTensor(test.Attr("activation_type", "identity").Run(),
               OneRow(-4 * kSecondExpert, -8 * kSecondExpert), 1e-6);
  ExpectError(Experts("ShardedMoE", true).Attr("tensor_shards", 2).Run().status(), kUnimplemented,
              "several devices");
  ExpectError(Experts("ShardedMoE", true).Attr("activation_type", "swiglu").Run().status(),
              kInvalid, "\"swiglu\"");
}

}  // namespace
}  // namespace onnxcmp::testing
