// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(BranchwiseRmsNorm, BadInputs) {
  const auto run = [](int64_t branches, const Shape& x, const Shape& scale) {
    return Contrib("BranchwiseRMSNorm")
        .Attr("num_branches", branches)
        .Input(Iota(x))
        .Input(Iota(scale))
        .Run()
        .status();
  };
  ExpectError(run(3, {2, 4}, {4}), kInvalid, "does not hold branches with num_branches 3");
  ExpectError(run(-1, {2, 4}, {4}), kInvalid, "num_branches -1");
  ExpectError(run(0, {4}, {4}), kInvalid, "num_branches 0");
  ExpectError(run(2, {2, 4}, {3}), kInvalid, "does not fit 2 branches of 2 elements");
}

}  // namespace
}  // namespace onnxcmp::testing
