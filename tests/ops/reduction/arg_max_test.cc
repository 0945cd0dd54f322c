// ArgMax, ArgMin and Hardmax.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(ArgMaxTest, FirstAndLastOfEqualOnes) {
  const Tensor x = Tensor::Of<float>({2, 3}, {2, 1, 2, 0, 5, 5});
  ExpectTensor(OpTest("ArgMax", 1).Attr("axis", 1).Input(x).Run(),
               Tensor::Of<int64_t>({2, 1}, {0, 1}));
  ExpectTensor(OpTest("ArgMax", 13)
                   .Attr("axis", -1)
                   .Attr("keepdims", 0)
                   .Attr("select_last_index", 1)
                   .Input(x)
                   .Run(),
               Tensor::Of<int64_t>({2}, {2, 2}));
  ExpectTensor(OpTest("ArgMin", 13).Input(x).Run(), Tensor::Of<int64_t>({1, 3}, {1, 0, 0}));
}

TEST(ArgMaxTest, NaNWins) {
  const Tensor x = Tensor::Of<double>({4}, {1, NAN, NAN, INFINITY});
  ExpectTensor(OpTest("ArgMax", 13).Input(x).Run(), Tensor::Of<int64_t>({1}, {1}));
  ExpectTensor(OpTest("ArgMin", 13).Input(x).Run(), Tensor::Of<int64_t>({1}, {1}));
  ExpectTensor(OpTest("ArgMin", 13).Attr("select_last_index", 1).Input(x).Run(),
               Tensor::Of<int64_t>({1}, {2}));
}

TEST(ArgMaxTest, LongLanes) {
  const auto run = [](const char* op, int64_t last, const std::vector<float>& x) {
    const auto count = static_cast<int64_t>(x.size());
    OpTest test(op, 13);
    test.Attr("select_last_index", last).Input(Tensor::Of<float>({count}, x));
    return test.Run();
  };
  std::vector<float> x(1000, 0.0f);
  x[300] = x[700] = 5;
  x[301] = x[555] = -5;
  x[10] = -0.0f;
  ExpectTensor(run("ArgMax", 0, x), Tensor::Of<int64_t>({1}, {300}));
  ExpectTensor(run("ArgMax", 1, x), Tensor::Of<int64_t>({1}, {700}));
  ExpectTensor(run("ArgMin", 0, x), Tensor::Of<int64_t>({1}, {301}));
  ExpectTensor(run("ArgMin", 1, x), Tensor::Of<int64_t>({1}, {555}));
  x[600] = x[998] = NAN;
  ExpectTensor(run("ArgMin", 0, x), Tensor::Of<int64_t>({1}, {600}));
  ExpectTensor(run("ArgMax", 1, x), Tensor::Of<int64_t>({1}, {998}));
}

TEST(ArgMaxTest, IntegersBeyond2To53) {
  const int64_t big = int64_t{1} << 53;
  ExpectTensor(OpTest("ArgMax", 13).Input(Tensor::Of<int64_t>({3}, {-1, big, big + 1})).Run(),
               Tensor::Of<int64_t>({1}, {2}));
  ExpectTensor(OpTest("ArgMin", 13).Input(Tensor::Of<uint64_t>({2}, {UINT64_MAX, 3})).Run(),
               Tensor::Of<int64_t>({1}, {1}));
}

TEST(ArgMaxTest, ScalarsAndNothing) {
  ExpectTensor(OpTest("ArgMax", 13).Input(Tensor::Scalar<float>(3)).Run(),
               Tensor::Scalar<int64_t>(0));
  ExpectTensor(OpTest("ArgMax", 13).Attr("axis", 1).Input(Tensor::Of<float>({0, 2}, {})).Run(),
               Tensor::Of<int64_t>({0, 1}, {}));
  ExpectError(OpTest("ArgMax", 13).Input(Tensor::Of<float>({0, 2}, {})).Run().status(), kInvalid,
              "nothing to choose along axis 0");
  ExpectError(
      OpTest("ArgMax", 13).Attr("axis", 2).Input(Tensor::Of<float>({1}, {1})).Run().status(),
      kInvalid, "axis 2 is out of range for rank 1");
}

TEST(HardmaxTest, LanesOfTheVersions) {
  const Tensor x = Tensor::Of<float>({2, 2, 2}, {1, 3, 3, 0, NAN, 7, 8, NAN});
  ExpectTensor(OpTest("Hardmax", 13).Input(x).Run(),
               Tensor::Of<float>({2, 2, 2}, {0, 1, 1, 0, 1, 0, 0, 1}));
  ExpectTensor(OpTest("Hardmax", 11).Input(x).Run(),
               Tensor::Of<float>({2, 2, 2}, {0, 1, 0, 0, 1, 0, 0, 0}));
  ExpectTensor(OpTest("Hardmax", 13).Attr("axis", 0).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(Tensor::Of<float>({2, 2, 2}, {0, 0, 0, 0, 1, 1, 1, 1}), DType::kFloat16));
}

}  // namespace
}  // namespace onnxcmp
