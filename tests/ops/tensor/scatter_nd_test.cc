#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's first example.
TEST(ScatterNDTest, WritesElements) {
  for (int opset : {11, 13, 16, 18}) {
    OpTest test("ScatterND", opset);
    test.Input(Ints({1, 2, 3, 4, 5, 6, 7, 8}));
    test.Input(Tensor::Of<int64_t>({4, 1}, {4, 3, 1, -1})).Input(Ints({9, 10, 11, 12}));
    ExpectTensor(test.Run(), Ints({1, 11, 3, 10, 9, 6, 7, 12}));
  }
}

TEST(ScatterNDTest, ReducesSlices) {
  OpTest test("ScatterND", 18);
  test.Attr("reduction", "add").Input(AsStridedView(Iota({2, 3})));
  test.Input(Tensor::Of<int64_t>({3, 1}, {1, 0, 1}));
  test.Input(Tensor::Of<float>({3, 3}, {10, 20, 30, 1, 1, 1, 100, 200, 300}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 3}, {1, 2, 3, 113, 224, 335}));
}

// The products of complex numbers round every operation on all processors. Infinite numbers stay
// infinite.
TEST(ScatterNDTest, ComplexProductsRoundEveryOperation) {
  using C = std::complex<double>;
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  OpTest test("ScatterND", 18);
  test.Attr("reduction", "mul");
  test.Input(Tensor::Of<C>({2}, {{1 + 0x1p-30, 1}, {infinity, nan}}));
  test.Input(Tensor::Of<int64_t>({2, 1}, {0, 1}));
  test.Input(Tensor::Of<C>({2}, {{1 - 0x1p-30, 1}, {1, 0}}));
  const auto outputs = test.Run();
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  const C* const products = outputs->data<C>();
  EXPECT_EQ(products[0], C(0, 2));
  EXPECT_EQ(std::abs(products[1].real()), infinity);
}

// Slices around the widths of vectors; slice 1 is written twice, slice 2 not at all.
template <typename T>
void ExpectReductionsOfEveryWidth(const std::vector<T>& values) {
  const auto nan = [](T x) { return x != x; };
  const auto value = [&](int64_t i) { return values[static_cast<size_t>(i) % values.size()]; };
  using Combine = std::function<T(T, T)>;
  using Ring = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;  // wraps around
  const std::pair<const char*, Combine> reductions[] = {
      {"add", [](T a, T b) { return static_cast<T>(Ring(a) + Ring(b)); }},
      {"mul", [](T a, T b) { return static_cast<T>(Ring(a) * Ring(b)); }},
      {"max", [&](T a, T b) { return nan(a)            ? a
                                     : nan(b) || b > a ? b
                                                       : a; }},
      {"min", [&](T a, T b) { return nan(a)            ? a
                                     : nan(b) || b < a ? b
                                                       : a; }}};
  for (const auto& [reduction, combine] : reductions) {
    for (int64_t width = 1; width <= 19; ++width) {
      std::vector<T> data, updates;
      for (int64_t i = 0; i < 3 * width; ++i) {
        data.push_back(value(i));
        updates.push_back(value(3 * i + 1));
      }
      std::vector<T> expected = data;
      for (int64_t i = 0; i < 3 * width; ++i) {
        T& element = expected[static_cast<size_t>(i < 2 * width ? width + i % width : i % width)];
        element = combine(element, updates[static_cast<size_t>(i)]);
      }
      OpTest test("ScatterND", 18);
      test.Attr("reduction", reduction).Input(Tensor::Of<T>({3, width}, data));
      test.Input(Tensor::Of<int64_t>({3, 1}, {1, -2, 0}));
      test.Input(Tensor::Of<T>({3, width}, updates));
      ExpectTensor(test.Run(), Tensor::Of<T>({3, width}, expected));
    }
  }
}

TEST(ScatterNDTest, ReducesSlicesOfEveryWidth) {
  ExpectReductionsOfEveryWidth<float>({1, -2, kNaN, 0.5f, 3, -kInf, 7, 0, 2, -5, 4});
  ExpectReductionsOfEveryWidth<double>({1, -2, kNaN, 0.5, 3, -kInf, 7, 0, 2, -5, 4});
  ExpectReductionsOfEveryWidth<int64_t>({1, -2, (int64_t{1} << 53) + 1, 0, 3, -7, 2});
  ExpectReductionsOfEveryWidth<uint64_t>({1, UINT64_MAX, uint64_t{1} << 63, 0, 3, 7, 2});
}

TEST(ScatterNDTest, TakesStringsAndNoUpdates) {
  OpTest strings("ScatterND", 13);
  strings.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  strings.Input(Tensor::Of<int64_t>({1, 2}, {1, 0})).Input(Tensor::Of<std::string>({1}, {"x"}));
  ExpectTensor(strings.Run(), Tensor::Of<std::string>({2, 2}, {"a", "b", "x", "d"}));
  OpTest none("ScatterND", 13);
  none.Input(Floats({1})).Input(Tensor::Of<int64_t>({0, 1}, {})).Input(Floats({}));
  ExpectTensor(none.Run(), Floats({1}));
}

TEST(ScatterNDTest, RefusesWhatDoesNotFit) {
  OpTest out("ScatterND", 13);
  out.Input(Iota({2, 2})).Input(Tensor::Of<int64_t>({1, 2}, {0, INT64_MIN})).Input(Floats({1}));
  ExpectError(out.Run().status(), kInvalid, "is out of range for axis 1 of size 2");
  OpTest tuple("ScatterND", 13);
  tuple.Input(Floats({1})).Input(Tensor::Of<int64_t>({1, 2}, {0, 0})).Input(Floats({1}));
  ExpectError(tuple.Run().status(), kInvalid, "the last dimension of indices is");
  OpTest shape("ScatterND", 13);
  shape.Input(Iota({2, 2})).Input(Tensor::Of<int64_t>({1, 1}, {0})).Input(Floats({1}));
  ExpectError(shape.Run().status(), kInvalid, "updates have shape [1], not [1x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
