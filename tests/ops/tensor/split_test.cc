#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor& Six() {
  static const auto* const kTensor = new Tensor(Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 6}));
  return *kTensor;
}

TEST(SplitTest, CutsEqualPiecesForEachOutput) {
  for (int opset : {1, 2, 11, 13}) {
    OpTest test("Split", opset);
    test.Input(Six()).Outputs(3);
    ExpectOutputs(test, {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({2}, {3, 4}),
                         Tensor::Of<float>({2}, {5, 6})});
  }
}

TEST(SplitTest, TakesSizesAsAnAttribute) {
  for (int opset : {1, 2, 11}) {
    OpTest test("Split", opset);
    test.Attr("split", std::vector<int64_t>{2, 4}).Input(Six()).Outputs(2);
    ExpectOutputs(test, {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({4}, {3, 4, 5, 6})});
  }
}

TEST(SplitTest, TakesSizesAsAnInput) {
  for (int opset : {13, 18}) {
    OpTest test("Split", opset);
    test.Attr("axis", -1).Outputs(3);
    test.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"})).Input(Ints({1, 0, 1}));
    ExpectOutputs(test,
                  {Tensor::Of<std::string>({2, 1}, {"a", "c"}), Tensor::Of<std::string>({2, 0}, {}),
                   Tensor::Of<std::string>({2, 1}, {"b", "d"})});
  }
}

TEST(SplitTest, Version1TakesSizesAsAnInputOfTheSameType) {
  OpTest test("Split", 1);
  test.Input(Six()).Input(Tensor::Of<float>({2}, {2, 4})).Outputs(2);
  ExpectOutputs(test, {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({4}, {3, 4, 5, 6})});
}

TEST(SplitTest, LastPieceMayBeSmallerFrom18On) {
  OpTest test("Split", 18);
  test.Attr("num_outputs", 4).Input(Tensor::Of<float>({7}, {1, 2, 3, 4, 5, 6, 7})).Outputs(4);
  ExpectOutputs(test, {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({2}, {3, 4}),
                       Tensor::Of<float>({2}, {5, 6}), Tensor::Of<float>({1}, {7})});

  OpTest empty("Split", 18);
  empty.Attr("num_outputs", 4).Input(Tensor::Of<float>({5}, {1, 2, 3, 4, 5})).Outputs(4);
  ExpectOutputs(empty, {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({2}, {3, 4}),
                        Tensor::Of<float>({1}, {5}), Tensor::Of<float>({0}, {})});
}

TEST(SplitTest, GivesAndTakesViews) {
  Tensor x = AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  OpTest test("Split", 13);
  test.Attr("axis", 1).Input(x).Outputs(2);
  ExpectOutputs(test, {Tensor::Of<float>({2, 1}, {1, 3}), Tensor::Of<float>({2, 1}, {2, 4})});
  EXPECT_EQ((*test.RunAll())[1].tensor().buffer(), x.buffer());
}

TEST(SplitTest, SplitsAnEmptyDimension) {
  OpTest test("Split", 18);
  test.Attr("num_outputs", 2).Input(Tensor::Of<float>({0}, {})).Outputs(2);
  ExpectOutputs(test, {Tensor::Of<float>({0}, {}), Tensor::Of<float>({0}, {})});
}

TEST(SplitTest, RefusesBadSizes) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{2, 2}, {3, 4}, {-1, 7}, {INT64_MAX, INT64_MAX}, {}}) {
    OpTest test("Split", 13);
    test.Input(Six()).Input(Ints(sizes)).Outputs(2);
    ExpectError(test.Run().status(), kInvalid, "cannot split a dimension of 6 into ");
  }
  OpTest fewer("Split", 13);
  fewer.Input(Six()).Input(Ints({6})).Outputs(2);
  ExpectError(fewer.Run().status(), kInvalid, "there are 1 pieces for 2 outputs");
  OpTest uneven("Split", 13);
  uneven.Input(Six()).Outputs(4);
  ExpectError(uneven.Run().status(), kInvalid, "cannot split a dimension of 6 into 4 equal pieces");
}

TEST(SplitTest, Version1RefusesSizesThatAreNoIntegers) {
  for (float size : {-1.0f, 0.5f, std::nanf(""), HUGE_VALF, 1e30f}) {
    OpTest test("Split", 1);
    test.Input(Six()).Input(Tensor::Of<float>({2}, {6, size})).Outputs(2);
    ExpectError(test.Run().status(), kInvalid, "a piece cannot have the size");
  }
}

TEST(SplitTest, RefusesBadAttributes) {
  OpTest axis("Split", 13);
  axis.Attr("axis", 1).Input(Six());
  ExpectError(axis.Run().status(), kInvalid, "axis 1 is out of range for rank 1");
  OpTest scalar("Split", 13);
  scalar.Input(Tensor::Scalar(1.0f));
  ExpectError(scalar.Run().status(), kInvalid, "axis 0 is out of range for rank 0");
  OpTest both("Split", 18);
  both.Attr("num_outputs", 1).Input(Six()).Input(Ints({6}));
  ExpectError(both.Run().status(), kInvalid, "both the input split and the attribute");
  OpTest neither("Split", 18);
  neither.Input(Six());
  ExpectError(neither.Run().status(), kInvalid, "neither the input split nor the attribute");
  OpTest count("Split", 18);
  count.Attr("num_outputs", 0).Input(Six());
  ExpectError(count.Run().status(), kInvalid, "num_outputs is 0, but the node has 1 outputs");
}

}  // namespace
}  // namespace onnxcmp::testing
