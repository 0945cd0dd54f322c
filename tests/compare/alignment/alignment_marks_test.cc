// What became of a result is marked on its row.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"
#include "tests/support/quantities.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Nearly;
using ::onnxcmp::testing::Quantity;
using ::onnxcmp::testing::StreamBuilder;
using ::testing::ElementsAre;

const AlignedRow* RowOfLeft(const Alignment& alignment, int left) {
  for (const AlignedRow& row : alignment.rows) {
    if (!row.left.empty() && row.left.back() == left) return &row;
  }
  return nullptr;
}

bool HasMark(const Alignment& alignment, int left, Mark mark) {
  const AlignedRow* row = RowOfLeft(alignment, left);
  return row != nullptr && Has(row->marks, mark);
}

TEST(AlignmentMarksTest, MatMulAndAddAgainstGemm) {
  StreamBuilder left;
  StreamBuilder right;
  {
    const int x = left.Input("x", Quantity(0));
    const int w = left.Initializer("w", Quantity(1));
    const int b = left.Initializer("b", Quantity(2));
    const int product = left.Node("MatMul", {x, w}, "p", Quantity(3));
    left.Output("y", left.Node("Add", {product, b}, "y", Quantity(4)));
  }
  const int x = right.Input("x", Quantity(0));
  const int w = right.Initializer("w", Quantity(1));
  const int b = right.Initializer("b", Quantity(2));
  right.Output("y", right.Node("Gemm", {x, w, b}, "y", Quantity(4)));
  const Alignment alignment = Align(left.stream(), right.stream());
  const AlignedRow* row = RowOfLeft(alignment, 4);
  ASSERT_NE(row, nullptr);
  EXPECT_THAT(row->left, ElementsAre(3, 4));
  EXPECT_THAT(row->right, ElementsAre(3));
  EXPECT_TRUE(Has(row->marks, Mark::kFused));
}

TEST(AlignmentMarksTest, CastReshapedTransposed) {
  StreamBuilder left;
  StreamBuilder right;
  const Tensor a = Quantity(1, {4, 8});
  const Tensor b = Quantity(2, {4, 8});
  const Tensor c = Quantity(3, {4, 8});
  std::vector<float> turned(32);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 8; ++k) turned[k * 4 + i] = c.AsSpan<float>()[i * 8 + k];
  }
  const int left_x = left.Input("x", Quantity(0));
  left.Node("Tanh", {left_x}, "a", a);
  left.Node("Erf", {left_x}, "b", b);
  left.Node("Sin", {left_x}, "c", c);
  const int right_x = right.Input("x", Quantity(0));
  right.Node("Tanh", {right_x}, "a", testing::Convert(a, DType::kFloat16));
  right.Node("Erf", {right_x}, "b",
             Tensor::Of<float>({32}, {b.AsSpan<float>().begin(), b.AsSpan<float>().end()}));
  right.Node("Sin", {right_x}, "c", Tensor::Of<float>({8, 4}, turned));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(HasMark(alignment, 1, Mark::kCast));
  EXPECT_TRUE(HasMark(alignment, 2, Mark::kReshaped));
  EXPECT_TRUE(HasMark(alignment, 3, Mark::kTransposed));
}

// A flag of the same shape is another one's in another order by chance.
TEST(AlignmentMarksTest, FlagsOfOneShapeAreNotTransposed) {
  const auto stream = [](std::vector<float> flags) {
    StreamBuilder side;
    const int x = side.Input("x", Quantity(0));
    const int s = side.Node("Sin", {x}, "s", Quantity(1));
    side.Node("Greater", {s, x}, "flags",
              testing::Convert(Tensor::Of<float>({3, 3}, flags), DType::kBool));
    return side;
  };
  const auto left = stream({1, 0, 0, 1, 1, 0, 0, 0, 1});
  const auto right = stream({1, 1, 0, 0, 1, 0, 0, 0, 1});
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 2));
  EXPECT_FALSE(HasMark(alignment, 2, Mark::kTransposed));
}

TEST(AlignmentMarksTest, FoldedConstant) {
  StreamBuilder left;
  StreamBuilder right;
  const int w = left.Initializer("w", Quantity(0));
  const int scaled = left.Node("Mul", {w, w}, "s", Quantity(1));
  left.Node("Tanh", {left.Node("Exp", {scaled}, "e", Quantity(2))}, "y", Quantity(3));
  right.Node("Tanh", {right.Initializer("e", Quantity(2))}, "y", Quantity(3));
  const Alignment alignment = Align(left.stream(), right.stream());
  const AlignedRow* row = RowOfLeft(alignment, 2);
  ASSERT_NE(row, nullptr);
  EXPECT_THAT(row->left, ElementsAre(1, 2));
  EXPECT_THAT(row->right, ElementsAre(0));
  EXPECT_TRUE(Has(row->marks, Mark::kFolded));
  EXPECT_FALSE(Has(row->marks, Mark::kFused));
}

TEST(AlignmentMarksTest, MergedInitializersAndCopies) {
  StreamBuilder left;
  StreamBuilder right;
  left.Initializer("w1", Quantity(0));
  left.Initializer("w2", Quantity(0));
  const int x = left.Input("x", Quantity(1));
  const int copy = left.Node("Identity", {x}, "i", Quantity(1));
  left.Node("Add", {copy, 0}, "a", Quantity(2));
  left.Node("Add", {x, 1}, "b", Quantity(3));
  right.Initializer("w", Quantity(0));
  const int right_x = right.Input("x", Quantity(1));
  right.Node("Add", {right_x, 0}, "a", Quantity(2));
  right.Node("Add", {right_x, 0}, "b", Quantity(3));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_THAT(alignment.right_to_left, ElementsAre(0, 2, 4, 5));
  EXPECT_FALSE(HasMark(alignment, 0, Mark::kMerged));
  EXPECT_TRUE(HasMark(alignment, 1, Mark::kMerged));
  EXPECT_TRUE(HasMark(alignment, 3, Mark::kMerged));
}

TEST(AlignmentMarksTest, ReorderedModelsMarkNothingAsMoved) {
  StreamBuilder left;
  StreamBuilder right;
  const int left_x = left.Input("x", Quantity(0));
  const int right_x = right.Input("x", Quantity(0));
  for (uint64_t i = 1; i <= 20; ++i) left.Node("Tanh", {left_x}, "a", Quantity(i));
  for (uint64_t i = 20; i >= 1; --i) right.Node("Tanh", {right_x}, "a", Quantity(i));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_TRUE(alignment.reordered);
  for (const AlignedRow& row : alignment.rows) EXPECT_FALSE(Has(row.marks, Mark::kMoved));
}

// SkipLayerNormalization gives the sum, too, after what it normalizes.
TEST(AlignmentMarksTest, OneOperatorWithTheOutputsOfTwoIsFusedAndNotMoved) {
  StreamBuilder left;
  StreamBuilder right;
  const int left_x = left.Input("x", Quantity(0));
  const int sum = left.Node("Add", {left_x, left_x}, "sum", Quantity(1));
  left.Node("LayerNormalization", {sum}, "norm", Quantity(2));
  left.Node("Tanh", {sum}, "t", Quantity(3));
  const int right_x = right.Input("x", Quantity(0));
  right.Nodes("SkipLayerNormalization", {right_x, right_x},
              {{"norm", Quantity(2)}, {"sum", Quantity(1)}}, {.domain = "com.microsoft"});
  right.Node("Tanh", {2}, "t", Quantity(3));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 2, 1, 3));
  for (int l : {1, 2}) {
    EXPECT_TRUE(HasMark(alignment, l, Mark::kFused));
    EXPECT_FALSE(HasMark(alignment, l, Mark::kMoved));
  }
  EXPECT_FALSE(HasMark(alignment, 3, Mark::kFused));
}

// Copies that are not exact.

TEST(AlignmentMarksTest, CastsStandAside) {
  StreamBuilder left;
  StreamBuilder right;
  int x = left.Input("x", Quantity(0));
  for (uint64_t i = 1; i < 4; ++i) x = left.Node("Tanh", {x}, absl::StrCat("l", i), Quantity(i));
  x = right.Input("x", Quantity(0));
  for (uint64_t i = 1; i < 4; ++i) {
    const Tensor half = testing::Convert(Nearly(Quantity(i), 1e-4f), DType::kFloat16);
    x = right.Node("Tanh", {x}, absl::StrCat("h", i), half);
    x = right.Node("Cast", {x}, absl::StrCat("c", i), testing::Convert(half, DType::kFloat));
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 3, 5));
  // The same numbers in a wider type are a copy, too.
  EXPECT_THAT(alignment.right_to_left, ElementsAre(0, 1, 1, 2, 2, 3, 3));
  EXPECT_TRUE(HasMark(Align(right.stream(), left.stream()), 2, Mark::kMerged));
}

TEST(AlignmentMarksTest, QuantizedAndDequantizedStandsAside) {
  StreamBuilder left;
  StreamBuilder right;
  int x = left.Input("x", Quantity(0));
  for (uint64_t i = 1; i < 4; ++i) x = left.Node("Tanh", {x}, absl::StrCat("l", i), Quantity(i));
  x = right.Input("x", Quantity(0));
  for (uint64_t i = 1; i < 4; ++i) {
    const Tensor value = Nearly(Quantity(i), 0.01f);
    x = right.Node("Tanh", {x}, absl::StrCat("r", i), value);
    std::vector<int8_t> steps;
    std::vector<float> rounded;
    for (const float v : value.AsSpan<float>()) {
      steps.push_back(static_cast<int8_t>(std::lround(v * 32)));
      rounded.push_back(static_cast<float>(steps.back()) / 32);
    }
    x = right.Node("QuantizeLinear", {x}, absl::StrCat("q", i),
                   Tensor::Of<int8_t>(value.shape(), steps));
    x = right.Node("DequantizeLinear", {x}, absl::StrCat("d", i),
                   Tensor::Of<float>(value.shape(), rounded));
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 1, 4, 7));
}

// QLinearMatMul gives at once what the left side computes as float first and rounds then.
TEST(AlignmentMarksTest, DequantizedGoesWithWhatWasComputedRounded) {
  const Tensor product = Quantity(2);
  std::vector<int8_t> steps;
  std::vector<float> rounded;
  for (const float v : product.AsSpan<float>()) {
    steps.push_back(static_cast<int8_t>(std::lround(v * 32)));
    rounded.push_back(static_cast<float>(steps.back()) / 32);
  }
  const Tensor integers = Tensor::Of<int8_t>(product.shape(), steps);
  const Tensor floats = Tensor::Of<float>(product.shape(), rounded);
  StreamBuilder left;
  StreamBuilder right;
  const int w = left.Initializer("w", Quantity(0));
  const int x = left.Input("x", Quantity(1));
  int y = left.Node("MatMul", {x, w}, "m", product);
  y = left.Node("QuantizeLinear", {y}, "q", integers);
  y = left.Node("DequantizeLinear", {y}, "d", floats);
  left.Output("y", left.Node("Tanh", {y}, "t", Quantity(3)));
  right.Initializer("rw", Quantity(0));
  right.Input("x", Quantity(1));
  y = right.Node("QLinearMatMul", {x, w}, "rq", integers);
  y = right.Node("DequantizeLinear", {y}, "rd", Nearly(floats, 1e-7f));
  right.Output("y", right.Node("Tanh", {y}, "rt", Nearly(Quantity(3), 1e-7f)));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, kNone, 2, 3, 4, 5));
}

TEST(AlignmentMarksTest, RecordedConstantsAreLeaves) {
  StreamBuilder left;
  left.Initializer("c", Quantity(0));
  left.Initializer("folded", Quantity(1));
  StreamBuilder right;
  right.Recorded("c", Quantity(0));
  right.Recorded("folded", Quantity(1));
  ResultStream recording = right.stream();
  recording.results[0].op_type = "Constant";
  recording.results[1].op_type = "Add";
  const Alignment alignment = Align(left.stream(), recording);
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1));
  EXPECT_FALSE(HasMark(alignment, 0, Mark::kFolded));
  EXPECT_TRUE(HasMark(alignment, 1, Mark::kFolded));
}

}  // namespace
}  // namespace onnxcmp
