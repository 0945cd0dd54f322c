#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>
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

// x[order[0]], x[order[1]], ... are the first ones that TopK gives, for every k.
template <typename T>
void ExpectOrder(const std::vector<T>& x, absl::Span<const int64_t> ks) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  for (const bool largest : {true, false}) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      const T a = x[static_cast<size_t>(largest ? j : i)];
      const T b = x[static_cast<size_t>(largest ? i : j)];
      return a < b || (a == a && b != b);
    });
    for (const int64_t k : ks) {
      OpTest test("TopK", 11);
      test.Attr("largest", largest ? 1 : 0)
          .Input(Tensor::Of<T>({std::ssize(x)}, x))
          .Input(Tensor::Of<int64_t>({1}, {k}))
          .Outputs(2);
      ExpectTensor(test.Run(1), Tensor::Of<int64_t>({k}, {order.begin(), order.begin() + k}));
    }
  }
}

// Few of many, in the order that sorting all of them gives; ties, NaN and infinities among them.
template <typename T>
void ExpectFewOfMany() {
  std::vector<T> x(1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7919 % 331);
  if constexpr (std::is_floating_point_v<T>) {
    x[3] = static_cast<T>(-INFINITY);
    x[500] = x[900] = static_cast<T>(NAN);
    x[999] = static_cast<T>(INFINITY);
  }
  ExpectOrder<T>(x, {1, 7, 250, 251, 999, 1000});
}

TEST(TopKTest, FewOfMany) {
  ExpectFewOfMany<float>();
  ExpectFewOfMany<double>();
  ExpectFewOfMany<int64_t>();
  ExpectFewOfMany<uint64_t>();
}

// One element that stands out, at every place of a block and after the last one; NaN too.
TEST(TopKTest, OneAnywhere) {
  for (size_t length = 32; length <= 50; ++length) {
    for (size_t at = 0; at < length; ++at) {
      for (const float one : {2.0f, -2.0f, NAN}) {
        std::vector<float> x(length, 1);
        x[at] = one;
        ExpectOrder<float>(x, {1, 3});
      }
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
