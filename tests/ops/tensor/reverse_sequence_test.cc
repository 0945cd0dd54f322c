#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's two examples.
TEST(ReverseSequenceTest, ReversesHeads) {
  const Tensor by_row =
      Tensor::Of<float>({4, 4}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  OpTest columns("ReverseSequence", 10);
  columns.Input(by_row).Input(Ints({4, 3, 2, 1}));
  ExpectTensor(columns.Run(),
               Tensor::Of<float>({4, 4}, {3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15}));
  OpTest rows("ReverseSequence", 10);
  rows.Attr("time_axis", 1).Attr("batch_axis", 0);
  rows.Input(AsStridedView(Iota({4, 4}))).Input(Ints({1, 2, 3, 4}));
  ExpectTensor(rows.Run(),
               Tensor::Of<float>({4, 4}, {0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12}));
}

TEST(ReverseSequenceTest, TakesSlicesAndLengthsOfZero) {
  OpTest test("ReverseSequence", 10);
  test.Attr("time_axis", 1).Attr("batch_axis", 0);
  test.Input(Tensor::Of<std::string>({2, 2, 1}, {"a", "b", "c", "d"})).Input(Ints({0, 2}));
  ExpectTensor(test.Run(), Tensor::Of<std::string>({2, 2, 1}, {"a", "b", "d", "c"}));
  OpTest empty("ReverseSequence", 10);
  ExpectTensor(empty.Input(Iota({2, 0})).Input(Ints({})).Run(), Iota({2, 0}));
}

TEST(ReverseSequenceTest, RefusesWhatDoesNotFit) {
  for (int64_t length : {int64_t{3}, int64_t{-1}, INT64_MIN}) {
    OpTest test("ReverseSequence", 10);
    ExpectError(test.Input(Iota({2, 1})).Input(Ints({length})).Run().status(), kInvalid,
                "is not in [0, 2]");
  }
  OpTest count("ReverseSequence", 10);
  ExpectError(count.Input(Iota({2, 1})).Input(Ints({1, 1})).Run().status(), kInvalid,
              "does not fit");
  OpTest axes("ReverseSequence", 10);
  axes.Attr("time_axis", 1).Input(Iota({2, 1})).Input(Ints({1}));
  ExpectError(axes.Run().status(), kInvalid, "are not 0 and 1");
}

}  // namespace
}  // namespace onnxcmp::testing
