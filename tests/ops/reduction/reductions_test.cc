// ReduceMin, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare, ReduceLogSum and ReduceLogSumExp. How
// axes are given and lanes are walked is tested with ReduceSum.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectTensor;
using testing::OpTest;

Tensor Axes(const std::vector<int64_t>& axes) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(axes.size())}, axes);
}

absl::StatusOr<Tensor> Reduced(const char* name, const Tensor& x) {
  return OpTest(name, 18).Attr("keepdims", 0).Input(x).Input(Axes({1})).Run();
}

TEST(ReductionsTest, FloatsAlongRowsAndColumns) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, -2, 3, 4, 0.5f, -1});
  ExpectTensor(Reduced("ReduceMin", x), Tensor::Of<float>({2}, {-2, -1}));
  ExpectTensor(Reduced("ReduceProd", x), Tensor::Of<float>({2}, {-6, -2}));
  ExpectTensor(Reduced("ReduceL1", x), Tensor::Of<float>({2}, {6, 5.5f}));
  ExpectTensor(Reduced("ReduceSumSquare", x), Tensor::Of<float>({2}, {14, 17.25f}));
  ExpectTensor(Reduced("ReduceL2", x), Tensor::Of<float>({2}, {3.7416575f, 4.1533120f}), 1e-6);
  ExpectTensor(Reduced("ReduceLogSum", x), Tensor::Of<float>({2}, {0.6931472f, 1.2527630f}), 1e-6);
  ExpectTensor(Reduced("ReduceLogSumExp", x), Tensor::Of<float>({2}, {3.1328453f, 4.0362697f}),
               1e-6);
  ExpectTensor(OpTest("ReduceProd", 13).Attr("axes", std::vector<int64_t>{-2}).Input(x).Run(),
               Tensor::Of<float>({1, 3}, {4, -1, -3}));
  ExpectTensor(OpTest("ReduceL1", 1).Attr("axes", std::vector<int64_t>{0}).Input(x).Run(),
               Tensor::Of<float>({1, 3}, {5, 2.5f, 4}));
}

TEST(ReductionsTest, IntegersWrapAround) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Tensor x = Tensor::Of<int64_t>({1, 3}, {kMin, -1, (int64_t{1} << 53) + 1});
  ExpectTensor(Reduced("ReduceMin", x), Tensor::Of<int64_t>({1}, {kMin}));
  ExpectTensor(Reduced("ReduceProd", x), Tensor::Of<int64_t>({1}, {kMin}));
  // 2^63 + 1 + 2^53 + 1
  ExpectTensor(Reduced("ReduceL1", x), Tensor::Of<int64_t>({1}, {kMin + (int64_t{1} << 53) + 2}));
  ExpectTensor(Reduced("ReduceSumSquare", Tensor::Of<int32_t>({1, 2}, {65536, -3})),
               Tensor::Of<int32_t>({1}, {9}));
  ExpectTensor(Reduced("ReduceL1", Tensor::Of<uint64_t>({1, 2}, {UINT64_MAX, 3})),
               Tensor::Of<uint64_t>({1}, {2}));
  ExpectTensor(Reduced("ReduceMin", Tensor::Of<uint64_t>({1, 2}, {UINT64_MAX, UINT64_MAX - 1})),
               Tensor::Of<uint64_t>({1}, {UINT64_MAX - 1}));
}

TEST(ReductionsTest, RootsAndLogarithmsOfIntegersAreTruncated) {
  const Tensor x = Tensor::Of<int32_t>({1, 2}, {3, 5});
  ExpectTensor(Reduced("ReduceL2", x), Tensor::Of<int32_t>({1}, {5}));         // 5.83
  ExpectTensor(Reduced("ReduceLogSum", x), Tensor::Of<int32_t>({1}, {2}));     // 2.08
  ExpectTensor(Reduced("ReduceLogSumExp", x), Tensor::Of<int32_t>({1}, {5}));  // 5.13
}

TEST(ReductionsTest, NothingToReduce) {
  const Tensor none = Tensor::Of<float>({2, 0}, {});
  const auto both = [](float value) { return Tensor::Of<float>({2}, {value, value}); };
  ExpectTensor(Reduced("ReduceMin", none), both(INFINITY));
  ExpectTensor(Reduced("ReduceProd", none), both(1));
  ExpectTensor(Reduced("ReduceL1", none), both(0));
  ExpectTensor(Reduced("ReduceL2", none), both(0));
  ExpectTensor(Reduced("ReduceSumSquare", none), both(0));
  ExpectTensor(Reduced("ReduceLogSum", none), both(-INFINITY));
  ExpectTensor(Reduced("ReduceLogSumExp", none), both(-INFINITY));
  ExpectTensor(Reduced("ReduceMin", Tensor::Of<int64_t>({1, 0}, {})),
               Tensor::Of<int64_t>({1}, {INT64_MAX}));
  ExpectTensor(Reduced("ReduceMin", Tensor::Of<uint64_t>({1, 0}, {})),
               Tensor::Of<uint64_t>({1}, {UINT64_MAX}));
  ExpectTensor(OpTest("ReduceMin", 20)
                   .Attr("keepdims", 0)
                   .Input(Convert(Tensor::Of<float>({1, 0}, {}), DType::kBool))
                   .Input(Axes({1}))
                   .Run(),
               Convert(Tensor::Of<float>({1}, {1}), DType::kBool));
}

// "reduction over an empty set of axes means that the reduction step behaves like a no-op, but
// composite-reduction operators will still perform the non-reduction steps".
TEST(ReductionsTest, NoAxesLeaveTheOtherSteps) {
  const Tensor x = Tensor::Of<float>({2}, {-2, 4});
  const auto run = [&](const char* name) {
    return OpTest(name, 18).Attr("noop_with_empty_axes", 1).Input(x).Run();
  };
  ExpectTensor(run("ReduceMin"), x);
  ExpectTensor(run("ReduceProd"), x);
  ExpectTensor(run("ReduceL1"), Tensor::Of<float>({2}, {2, 4}));
  ExpectTensor(run("ReduceL2"), Tensor::Of<float>({2}, {2, 4}));
  ExpectTensor(run("ReduceSumSquare"), Tensor::Of<float>({2}, {4, 16}));
  ExpectTensor(run("ReduceLogSum"), Tensor::Of<float>({2}, {NAN, 1.3862944f}), 1e-6);
  ExpectTensor(run("ReduceLogSumExp"), x);
}

TEST(ReduceMinTest, NaNAndBooleans) {
  ExpectTensor(Reduced("ReduceMin", Tensor::Of<float>({2, 2}, {NAN, 1, 2, NAN})),
               Tensor::Of<float>({2}, {NAN, NAN}));
  ExpectTensor(OpTest("ReduceMin", 20)
                   .Input(Convert(Tensor::Of<float>({2, 2}, {1, 0, 1, 1}), DType::kBool))
                   .Input(Axes({1}))
                   .Run(),
               Convert(Tensor::Of<float>({2, 1}, {0, 1}), DType::kBool));
}

TEST(ReduceLogSumExpTest, DoesNotOverflow) {
  ExpectTensor(
      Reduced("ReduceLogSumExp", Tensor::Of<float>({5, 2}, {1000, 1000, -1000, -1000, INFINITY, 0,
                                                            -INFINITY, -INFINITY, NAN, 1})),
      Tensor::Of<float>({5}, {1000.6931f, -999.3069f, INFINITY, -INFINITY, NAN}), 1e-6);
}

TEST(ReductionsTest, NarrowFloatsAreRoundedOnce) {
  // The squares overflow float16; their root does not.
  const Tensor x = Convert(Tensor::Of<float>({1, 2}, {3000, 4000}), DType::kFloat16);
  ExpectTensor(Reduced("ReduceL2", x), Convert(Tensor::Of<float>({1}, {5000}), DType::kFloat16));
}

}  // namespace
}  // namespace onnxcmp
