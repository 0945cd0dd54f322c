#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's two examples.
TEST(GatherElementsTest, GathersAlongEachAxis) {
  OpTest rows("GatherElements", 11);
  rows.Input(Tensor::Of<int32_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  rows.Input(Tensor::Of<int64_t>({2, 3}, {1, 2, 0, 2, 0, 0}));
  ExpectTensor(rows.Run(), Tensor::Of<int32_t>({2, 3}, {4, 8, 3, 7, 2, 3}));
  OpTest columns("GatherElements", 13);
  columns.Attr("axis", -1).Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  columns.Input(Tensor::Of<int32_t>({2, 2}, {0, 0, -1, 0}));
  ExpectTensor(columns.Run(), Tensor::Of<float>({2, 2}, {1, 1, 4, 3}));
}

TEST(GatherElementsTest, TakesViewsStringsAndSmallerIndices) {
  OpTest strings("GatherElements", 13);
  strings.Attr("axis", 1).Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  strings.Input(Tensor::Of<int64_t>({1, 3}, {1, 0, 1}));
  ExpectTensor(strings.Run(), Tensor::Of<std::string>({1, 3}, {"b", "a", "b"}));
  OpTest middle("GatherElements", 13);
  middle.Attr("axis", 1).Input(AsStridedView(Iota({2, 3, 2})));
  middle.Input(Tensor::Of<int64_t>({2, 1, 2}, {0, 1, 2, 0}));
  ExpectTensor(middle.Run(), Tensor::Of<float>({2, 1, 2}, {0, 3, 10, 7}));
  OpTest none("GatherElements", 13);
  none.Input(Iota({3, 2})).Input(Tensor::Of<int64_t>({0, 2}, {}));
  ExpectTensor(none.Run(), Tensor::Of<float>({0, 2}, {}));
}

// Rows around the widths of vectors, along the last axis and along the first, in every element
// size.
TEST(GatherElementsTest, RowsOfEveryWidth) {
  for (int64_t width = 1; width <= 19; ++width) {
    for (const int64_t axis : {0, 1}) {
      const int64_t rows = width == 19 ? 70 : 3;  // more elements than are looked up at a time
      const int64_t size = axis == 0 ? rows : width;
      std::vector<int64_t> indices;
      std::vector<float> expected;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < width; ++c) {
          const int64_t index = (5 * r + 3 * c) % size;
          indices.push_back(c % 2 == 0 ? index : index - size);
          expected.push_back(static_cast<float>(axis == 0 ? index * width + c : r * width + index));
        }
      }
      const Shape shape = {rows, width};
      for (const DType dtype : {DType::kFloat, DType::kFloat16, DType::kDouble, DType::kUint8}) {
        if (dtype == DType::kUint8 && rows * width > 256) continue;
        OpTest test("GatherElements", 13);
        test.Attr("axis", axis).Input(Convert(Iota(shape), dtype));
        test.Input(Tensor::Of<int64_t>(shape, indices));
        ExpectTensor(test.Run(), Convert(Tensor::Of<float>(shape, expected), dtype));
      }
    }
  }
}

TEST(GatherElementsTest, NamesAWrongIndexAnywhere) {
  for (const int64_t wrong : {int64_t{9}, int64_t{-10}, INT64_MIN, INT64_MAX}) {
    for (size_t at = 0; at < 18; ++at) {
      std::vector<int64_t> indices(18, -1);
      indices[at] = wrong;
      OpTest test("GatherElements", 13);
      test.Attr("axis", 1).Input(Iota({2, 9})).Input(Tensor::Of<int64_t>({2, 9}, indices));
      ExpectError(test.Run().status(), kInvalid,
                  absl::StrCat("index ", wrong, " is out of range for axis 1 of size 9"));
    }
  }
}

TEST(GatherElementsTest, RefusesWhatDoesNotFit) {
  for (int64_t index : {int64_t{2}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    OpTest test("GatherElements", 13);
    test.Input(Iota({2, 1})).Input(Tensor::Of<int64_t>({1, 1}, {index}));
    ExpectError(test.Run().status(), kInvalid, "out of range for axis 0 of size 2");
  }
  OpTest wide("GatherElements", 13);
  wide.Input(Iota({2, 1})).Input(Tensor::Of<int64_t>({1, 2}, {0, 0}));
  ExpectError(wide.Run().status(), kInvalid, "do not fit data float[2,1] along axis 0");
  OpTest scalar("GatherElements", 13);
  scalar.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int64_t>(0));
  ExpectError(scalar.Run().status(), kInvalid, "axis 0 is out of range for rank 0");
}

}  // namespace
}  // namespace onnxcmp::testing
