#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's two examples; Scatter is the operator's former name.
TEST(ScatterElementsTest, WritesUpdates) {
  for (const char* name : {"Scatter", "ScatterElements"}) {
    OpTest rows(name, std::string(name) == "Scatter" ? 10 : 11);
    rows.Input(Tensor::Of<float>({3, 3}, std::vector<float>(9, 0)));
    rows.Input(Tensor::Of<int64_t>({2, 3}, {1, 0, 2, 0, 2, 1}));
    rows.Input(Tensor::Of<float>({2, 3}, {1.0f, 1.1f, 1.2f, 2.0f, 2.1f, 2.2f}));
    ExpectTensor(rows.Run(),
                 Tensor::Of<float>({3, 3}, {2.0f, 1.1f, 0, 1.0f, 0, 2.2f, 0, 2.1f, 1.2f}));
    OpTest columns(name, std::string(name) == "Scatter" ? 10 : 13);
    columns.Attr("axis", 1).Input(Tensor::Of<std::string>({1, 3}, {"a", "b", "c"}));
    columns.Input(Tensor::Of<int32_t>({1, 2}, {-1, 0}));
    columns.Input(Tensor::Of<std::string>({1, 2}, {"y", "z"}));
    ExpectTensor(columns.Run(), Tensor::Of<std::string>({1, 3}, {"z", "b", "y"}));
  }
}

OpTest Reduce(const char* reduction, Tensor data, Tensor indices, Tensor updates) {
  OpTest test("ScatterElements", 18);
  test.Attr("reduction", reduction).Input(std::move(data)).Input(std::move(indices));
  test.Input(std::move(updates));
  return test;
}

TEST(ScatterElementsTest, ReducesDuplicatesInEveryClass) {
  const Tensor twice = Tensor::Of<int64_t>({3}, {1, 1, -1});
  const Tensor data = Floats({1, 2, 3});
  const Tensor updates = Floats({5, 0.5f, -4});
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kFloat16}) {
    const Tensor d = Convert(data, dtype);
    const Tensor u = Convert(updates, dtype);
    ExpectTensor(Reduce("add", d, twice, u).Run(), Convert(Floats({1, 7.5f, -1}), dtype));
    ExpectTensor(Reduce("mul", d, twice, u).Run(), Convert(Floats({1, 5, -12}), dtype));
    ExpectTensor(Reduce("max", d, twice, u).Run(), Convert(Floats({1, 5, 3}), dtype));
    ExpectTensor(Reduce("min", d, twice, u).Run(), Convert(Floats({1, 0.5f, -4}), dtype));
  }
  // Wraps around, and is exact beyond 2^53.
  ExpectTensor(Reduce("add", Ints({INT64_MAX, 0, int64_t{1} << 53}), twice, Ints({1, 2, 1})).Run(),
               Ints({INT64_MAX, 3, (int64_t{1} << 53) + 1}));
  ExpectTensor(Reduce("mul", Ints({0, INT64_MIN, 0}), twice, Ints({3, 1, 0})).Run(),
               Ints({0, INT64_MIN, 0}));
  ExpectTensor(Reduce("max", Tensor::Of<uint64_t>({3}, {0, 1, UINT64_MAX}), twice,
                      Tensor::Of<uint64_t>({3}, {uint64_t{1} << 63, 2, 0}))
                   .Run(),
               Tensor::Of<uint64_t>({3}, {0, uint64_t{1} << 63, UINT64_MAX}));
  ExpectTensor(Reduce("add", Bools({3}, {0, 1, 0}), twice, Bools({3}, {1, 1, 1})).Run(),
               Bools({3}, {0, 1, 1}));
  ExpectTensor(Reduce("mul", Bools({3}, {0, 1, 1}), twice, Bools({3}, {1, 0, 1})).Run(),
               Bools({3}, {0, 0, 1}));
}

TEST(ScatterElementsTest, ANaNWins) {
  const Tensor index = Ints({0, 0, 1});
  for (const char* reduction : {"max", "min"}) {
    ExpectTensor(Reduce(reduction, Floats({1, kNaN}), index, Floats({kNaN, 2, 3})).Run(),
                 Floats({kNaN, kNaN}));
  }
}

TEST(ScatterElementsTest, SumsOfNarrowFloatsAreRoundedOnce) {
  // 2048 + 1 + 1 is 2050, but float16 has no 2049.
  ExpectTensor(Reduce("add", Convert(Floats({2048}), DType::kFloat16), Ints({0, 0}),
                      Convert(Floats({1, 1}), DType::kFloat16))
                   .Run(),
               Convert(Floats({2050}), DType::kFloat16));
}

TEST(ScatterElementsTest, TakesEmptyUpdatesAndViews) {
  OpTest none("ScatterElements", 18);
  none.Input(AsStridedView(Iota({2, 2}))).Input(Tensor::Of<int64_t>({0, 2}, {}));
  none.Input(Tensor::Of<float>({0, 2}, {}));
  ExpectTensor(none.Run(), Iota({2, 2}));
}

TEST(ScatterElementsTest, RefusesWhatDoesNotFit) {
  ExpectError(Reduce("none", Ints({1}), Ints({1}), Ints({1})).Run().status(), kInvalid,
              "index 1 is out of range for axis 0 of size 1");
  ExpectError(Reduce("none", Ints({1}), Ints({0}), Ints({1, 2})).Run().status(), kInvalid,
              "must have one shape");
  ExpectError(Reduce("mean", Ints({1}), Ints({0}), Ints({1})).Run().status(), kInvalid,
              "there is no reduction \"mean\"");
  OpTest early("ScatterElements", 16);
  early.Attr("reduction", "max").Input(Ints({1})).Input(Ints({0})).Input(Ints({1}));
  ExpectError(early.Run().status(), kInvalid, "version 16 knows no reduction \"max\"");
}

}  // namespace
}  // namespace onnxcmp::testing
