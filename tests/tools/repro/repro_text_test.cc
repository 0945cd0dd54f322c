#include "tools/repro/repro_text.h"

#include <gtest/gtest.h>

#include "compare/causes/repro.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {
namespace {

TEST(ReproTolerance, TellsTheTwoApart) {
  Repro repro;
  repro.expected = Tensor::Of<float>({4}, {1, 2, 3, 4});
  repro.right_result = Tensor::Of<float>({4}, {1, 2, 3.000001f, 4});
  const Tolerance narrow = ReproTolerance(repro);
  EXPECT_FALSE(
      DifferenceOf(repro.expected, repro.right_result, {narrow.rtol, narrow.atol, {}}).agree());
  repro.right_result = Tensor::Of<float>({4}, {1, 2, 3, 8});
  const Tolerance wide = ReproTolerance(repro);
  EXPECT_GT(wide.rtol, 0);
  EXPECT_LE(wide.rtol, 1e-4);
  EXPECT_GT(wide.rtol, narrow.rtol);
  repro.expected = Tensor::Of<int64_t>({1}, {1000000});
  repro.right_result = Tensor::Of<int64_t>({1}, {1000001});
  EXPECT_EQ(ReproTolerance(repro).rtol, 0);
  EXPECT_EQ(ReproTolerance(repro).atol, 0);
}

}  // namespace
}  // namespace onnxcmp
