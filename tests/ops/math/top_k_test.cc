#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(TopKTest, LowerIndexFirstAmongEqualOnes) {
  OpTest test("TopK", 11);
  test.Input(Tensor::Of<float>({2, 4}, {1, 3, 3, 2, 0, NAN, 7, -INFINITY}))
      .Input(Tensor::Of<int64_t>({1}, {3}))
      .Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<float>({2, 3}, {3, 3, 2, NAN, 7, 0}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({2, 3}, {1, 2, 3, 1, 2, 0}));
}

TEST(TopKTest, SmallestAlongTheFirstAxis) {
  OpTest test("TopK", 24);
  test.Attr("axis", -2)
      .Attr("largest", 0)
      .Attr("sorted", 0)
      .Input(Tensor::Of<int64_t>({3, 2}, {5, -1, 4, -1, (int64_t{1} << 53) + 1, 0}))
      .Input(Tensor::Of<int64_t>({1}, {2}))
      .Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<int64_t>({2, 2}, {4, -1, 5, -1}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({2, 2}, {1, 0, 0, 1}));
}

TEST(TopKTest, AttributeOfVersion1) {
  OpTest test("TopK", 1);
  test.Attr("k", 1).Input(Tensor::Of<double>({3}, {1, 3, 2})).Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<double>({1}, {3}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1}, {1}));
}

// Few of many, in the order that sorting all of them gives; ties, NaN and infinities among them.
TEST(TopKTest, FewOfMany) {
  constexpr int64_t kCount = 1000;
  std::vector<float> x(kCount);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 331);
  x[3] = -INFINITY;
  x[500] = x[900] = NAN;
  x[999] = INFINITY;
  std::vector<int64_t> order(kCount);
  std::iota(order.begin(), order.end(), int64_t{0});
  for (const bool largest : {true, false}) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      const float a = x[static_cast<size_t>(largest ? j : i)];
      const float b = x[static_cast<size_t>(largest ? i : j)];
      return a < b || (!std::isnan(a) && std::isnan(b));
    });
    for (const int64_t k : {1, 7, 250, 251, 999, 1000}) {
      OpTest test("TopK", 11);
      test.Attr("largest", largest ? 1 : 0)
          .Input(Tensor::Of<float>({kCount}, x))
          .Input(Tensor::Of<int64_t>({1}, {k}))
          .Outputs(2);
      ExpectTensor(test.Run(1), Tensor::Of<int64_t>({k}, {order.begin(), order.begin() + k}));
    }
  }
}

TEST(TopKTest, HowManyThereAre) {
  const auto run = [](int64_t k) {
    return OpTest("TopK", 10)
        .Input(Tensor::Of<float>({2}, {1, 2}))
        .Input(Tensor::Of<int64_t>({1}, {k}))
        .Outputs(2)
        .Run();
  };
  ExpectTensor(run(0), Tensor::Of<float>({0}, {}));
  ExpectError(run(3).status(), kInvalid, "k is 3, but axis 0 has 2 elements");
  ExpectError(run(-1).status(), kInvalid, "k is -1");
}

}  // namespace
}  // namespace onnxcmp
