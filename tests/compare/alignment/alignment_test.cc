#include "compare/alignment/alignment.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/graph_variants.h"
#include "tests/support/op_test.h"
#include "tests/support/quantities.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::MakeVariant;
using ::onnxcmp::testing::Nearly;
using ::onnxcmp::testing::Quantity;
using ::onnxcmp::testing::StreamBuilder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(AlignmentTest, EmptyStreams) {
  const Alignment alignment = Align({}, {});
  EXPECT_THAT(alignment.rows, IsEmpty());
  StreamBuilder one;
  one.Input("x", Quantity(0));
  EXPECT_THAT(Align(one.stream(), {}).left_to_right, ElementsAre(kNone));
  const Alignment right_only = Align({}, one.stream());
  ASSERT_THAT(right_only.rows, SizeIs(1));
  EXPECT_THAT(right_only.rows[0].right, ElementsAre(0));
  EXPECT_THAT(right_only.rows[0].left, IsEmpty());
}

// Nothing tells the equal ones apart but their places.
TEST(AlignmentTest, EqualStreamsGoStraight) {
  StreamBuilder one;
  const int x = one.Input("x", Quantity(1));
  const int w = one.Initializer("w", Quantity(0));
  const int same = one.Initializer("v", Quantity(0));
  const int a = one.Node("Add", {x, w}, "a", Quantity(2));
  const int b = one.Node("Add", {x, same}, "b", Quantity(2));
  one.Output("y", one.Node("Mul", {a, b}, "y", Quantity(3)));
  const Alignment alignment = Align(one.stream(), one.stream());
  ASSERT_THAT(alignment.rows, SizeIs(7));
  for (int i = 0; i < 7; ++i) {
    EXPECT_THAT(alignment.rows[Index(i)].left, ElementsAre(i));
    EXPECT_THAT(alignment.rows[Index(i)].right, ElementsAre(i));
    EXPECT_EQ(alignment.rows[Index(i)].marks, 0);
  }
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(alignment.right_to_left, alignment.left_to_right);
}

// Where the classic table goes wrong.

TEST(AlignmentTest, InitializerAtTheFrontShiftsNothing) {
  StreamBuilder left;
  StreamBuilder right;
  right.Initializer("new", Quantity(100));
  for (StreamBuilder* side : {&left, &right}) {
    const int w = side->Initializer("w", Quantity(0));
    const int x = side->Input("x", Quantity(1));
    side->Output("y", side->Node("Add", {x, w}, "y", Quantity(2)));
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(1, 2, 3, 4));
  ASSERT_THAT(alignment.rows, SizeIs(5));
  EXPECT_THAT(alignment.rows[0].right, ElementsAre(0));
  EXPECT_THAT(alignment.rows[0].left, IsEmpty());
}

TEST(AlignmentTest, QueryKeyValueInAnotherOrder) {
  StreamBuilder left;
  StreamBuilder right;
  const int left_x = left.Input("x", Quantity(0));
  const int right_x = right.Input("x", Quantity(0));
  for (uint64_t i : {1, 2, 3}) left.Node("Relu", {left_x}, absl::StrCat("a", i), Quantity(i));
  for (uint64_t i : {3, 2, 1}) right.Node("Relu", {right_x}, absl::StrCat("b", i), Quantity(i));
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 3, 2, 1));
}

// A chain for each number, and what it is called on this side.
void AddChains(StreamBuilder& side, int x, uint64_t first, uint64_t last) {
  for (uint64_t i = first; i < last; ++i) {
    side.Node("Tanh", {x}, absl::StrCat("r", i), Quantity(i));
  }
}

TEST(AlignmentTest, SixtyInsertedNearTheStartAndSixtyDroppedNearTheEnd) {
  StreamBuilder left;
  StreamBuilder right;
  AddChains(left, left.Input("x", Quantity(0)), 1, 301);
  const int x = right.Input("x", Quantity(0));
  AddChains(right, x, 1001, 1061);
  AddChains(right, x, 1, 241);
  const Alignment alignment = Align(left.stream(), right.stream());
  for (int l = 1; l <= 240; ++l) EXPECT_EQ(alignment.left_to_right[l], l + 60) << l;
  for (int l = 241; l <= 300; ++l) EXPECT_EQ(alignment.left_to_right[l], kNone) << l;
}

TEST(AlignmentTest, BlockOfSixtyMovedBehindTheNextSixty) {
  StreamBuilder left;
  StreamBuilder right;
  AddChains(left, left.Input("x", Quantity(0)), 1, 301);
  const int x = right.Input("x", Quantity(0));
  AddChains(right, x, 1, 101);
  AddChains(right, x, 161, 221);
  AddChains(right, x, 101, 161);
  AddChains(right, x, 221, 301);
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_FALSE(alignment.reordered);
  for (int l = 1; l <= 300; ++l) {
    const int moved = l > 100 && l <= 160 ? 60 : l > 160 && l <= 220 ? -60 : 0;
    EXPECT_EQ(alignment.left_to_right[l], l + moved) << l;
  }
  int marked = 0;
  for (const AlignedRow& row : alignment.rows) marked += Has(row.marks, Mark::kMoved) ? 1 : 0;
  EXPECT_EQ(marked, 60);
}

TEST(AlignmentTest, ConstantNodeAgainstInitializer) {
  StreamBuilder left;
  StreamBuilder right;
  left.Node("Tanh", {left.Node("Constant", {}, "c", Quantity(0))}, "y", Quantity(1));
  right.Node("Tanh", {right.Initializer("w", Quantity(0))}, "y", Quantity(1));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1));
  EXPECT_EQ(alignment.rows[0].marks, 0);
}

// All 1/64 and a one-hot print the same letters; the true counterpart stands elsewhere.
TEST(AlignmentTest, EqualSumsAreNotEqualValues) {
  std::vector<float> one_hot(64, 0);
  one_hot[5] = 1;
  const Tensor even = Tensor::Of<float>({1, 64}, std::vector<float>(64, 1.0f / 64));
  const Tensor hot = Tensor::Of<float>({1, 64}, one_hot);
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, swapped] : {std::pair(&left, false), std::pair(&right, true)}) {
    const int x = side->Input("x", Quantity(0));
    side->Node("Softmax", {x}, "a", swapped ? hot : even);
    side->Node("Softmax", {x}, "b", swapped ? even : hot);
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 2, 1));
}

TEST(AlignmentTest, NotFiniteValuesArePairedWithTheirEquals) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  StreamBuilder left;
  StreamBuilder right;
  const std::vector<Tensor> values = {Tensor::Of<float>({2}, {nan, 1}),
                                      Tensor::Of<float>({2}, {inf, 1}),
                                      Tensor::Of<float>({2}, {1e10f, 1})};
  for (const auto& [side, shift] : {std::pair(&left, 0), std::pair(&right, 1)}) {
    const int x = side->Input("x", Quantity(0));
    for (int i = 0; i < 3; ++i) {
      side->Node("Div", {x}, absl::StrCat("r", i), values[static_cast<size_t>((i + shift) % 3)]);
    }
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 3, 1, 2));
}

TEST(AlignmentTest, BatchOneAgainstBatchTwo) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, batch] : {std::pair(&left, int64_t{1}), std::pair(&right, int64_t{2})}) {
    const int w = side->Initializer("w", Quantity(9, {4, 4}));
    int x = side->Input("x", Quantity(1 + 100 * batch, {batch, 64, 4, 4}));
    for (uint64_t i = 2; i < 7; ++i) {
      x = side->Node(i % 2 == 0 ? "Conv" : "Relu", {x, w}, absl::StrCat(batch, "_", i),
                     Quantity(i + 100 * static_cast<uint64_t>(batch), {batch, 64, 4, 4}));
    }
    side->Output("y", x);
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right,
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(AlignmentTest, BigIntegersThatDifferByOne) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, first] : {std::pair(&left, 16777216), std::pair(&right, 16777217)}) {
    const int x = side->Input("x", Quantity(0));
    const int64_t second = first == 16777216 ? 16777217 : 16777216;
    side->Node("Add", {x}, "a", Tensor::Of<int64_t>({1}, {first}));
    side->Node("Add", {x}, "b", Tensor::Of<int64_t>({1}, {second}));
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 2, 1));
}

// Structure.

// The small numbers that Tanh hardly changes: rounding brings each nearer to the other's
// counterpart than to its own.
TEST(AlignmentTest, StructureOutweighsNearnessInTheEnd) {
  const float step = std::ldexp(1.0f, -15);
  const float sum = 0.05f - std::fmod(0.05f, step);
  StreamBuilder left;
  StreamBuilder right;
  const auto build = [](StreamBuilder& side, float a, float b, DType dtype) {
    const auto one = [&](float v) {
      return testing::Convert(Tensor::Of<float>({1, 1}, {v}), dtype);
    };
    const int x = side.Input("x", one(0.75f));
    const int w = side.Initializer("w", one(0.5f));
    const int y = side.Node("MatMul", {x, w}, "", one(a));
    const int t = side.Node("Tanh", {y}, "", one(b));
    side.Output("y", side.Node("Mul", {t, w}, "", one(b * 0.5f)));
  };
  build(left, sum * 1.0008f, sum * 1.0001f, DType::kFloat);
  build(right, sum, sum - step, DType::kFloat16);
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 1, 2, 3, 4, 5));
}

// Of a packed product that went wrong the left side has nothing but a part.
TEST(AlignmentTest, PackedResultIsNoPart) {
  StreamBuilder left;
  StreamBuilder right;
  const int w = left.Initializer("w", Quantity(0, {8, 8}));
  const int x = left.Input("x", Quantity(1));
  left.Output("y",
              left.Node("Tanh", {left.Node("MatMul", {x, w}, "m", Quantity(2))}, "t", Quantity(3)));
  right.Initializer("rw", Quantity(10, {8, 16}));
  right.Input("x", Quantity(1));
  const int packed = right.Node("MatMul", {x, w}, "rm", Quantity(12, {4, 16}));
  const int part = right.Nodes("Split", {packed}, {{"a", Quantity(22)}, {"b", Quantity(32)}}, {});
  right.Output("y", right.Node("Tanh", {part}, "rt", Quantity(13)));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_EQ(alignment.left_to_right[0], kNone);
  EXPECT_EQ(alignment.right_to_left[2], kNone);
}

TEST(AlignmentTest, FaultyNodeAndAllBehindIt) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, offset] : {std::pair(&left, 0), std::pair(&right, 100)}) {
    int x = side->Input("x", Quantity(0));
    for (uint64_t i = 1; i < 10; ++i) {
      x = side->Node(i % 2 == 0 ? "Tanh" : "Erf", {x}, absl::StrCat(offset, "_", i),
                     Quantity(i + (i >= 4 ? static_cast<uint64_t>(offset) : 0)));
    }
    side->Output("y", x);
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

// The scale moved past the product: inner values differ, what comes out agrees.
TEST(AlignmentTest, RewrittenRegionIsNotPairedInside) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, inner] : {std::pair(&left, 3), std::pair(&right, 4)}) {
    const int x = side->Input("x", Quantity(0));
    const int s = side->Initializer("s", Quantity(1));
    const int y = side->Node("Mul", {x, s}, "inner", Quantity(static_cast<uint64_t>(inner)));
    const int z = side->Node("MatMul", {y, s}, "z", Quantity(5));
    side->Output("y", side->Node("Tanh", {z}, "t", Quantity(6)));
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_EQ(alignment.left_to_right[2], kNone);
  EXPECT_EQ(alignment.left_to_right[3], 3);
  EXPECT_THAT(alignment.tentative, ElementsAre(Pair(2, 2)));
}

// Iterations from different starting points that meet: the ones in between do the same to different
// values, and that is to be seen.
TEST(AlignmentTest, IterationsThatConvergeStayPaired) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, offset] : {std::pair(&left, 0), std::pair(&right, 100)}) {
    const int w = side->Initializer("w", Quantity(0));
    int x = side->Input("x", Quantity(1 + static_cast<uint64_t>(offset)));
    for (uint64_t i = 2; i < 6; ++i) {
      x = side->Node(i % 2 == 0 ? "Mul" : "Sub", {x, w}, "",
                     Quantity(i + static_cast<uint64_t>(offset)));
    }
    x = side->Node("Mul", {x, w}, "", Quantity(6));
    side->Output("y", side->Node("Sub", {x, w}, "", Quantity(7)));
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(alignment.tentative, IsEmpty());
}

TEST(AlignmentTest, IterationsArePairedWithTheirEquals) {
  StreamBuilder left;
  StreamBuilder right;
  const Tensor one = Tensor::Of<bool>({}, {true});
  for (const auto& [side, loop] : {std::pair(&left, "loop"), std::pair(&right, "while")}) {
    const int x = side->Input("x", Quantity(0));
    for (int i : {0, 1, 2, 3}) {
      // The first iteration of the right side has a condition of its own.
      if (i == 0 && side == &right) continue;
      side->Node("Less", {x}, absl::StrCat(loop, "c"), one,
                 {.path = absl::StrCat(loop, "[", i, "]")});
    }
  }
  EXPECT_THAT(Align(left.stream(), right.stream()).left_to_right, ElementsAre(0, 1, 1, 2, 3));
}

// One initializer that thousands of nodes read, and thousands of equal contents.
TEST(AlignmentTest, HighFanOut) {
  StreamBuilder left;
  StreamBuilder right;
  const Tensor scalar = Tensor::Of<float>({}, {2});
  const Tensor zeros = Tensor::Of<float>({8}, std::vector<float>(8, 0));
  for (StreamBuilder* side : {&left, &right}) {
    const int two = side->Initializer("two", scalar);
    const int x = side->Input("x", Quantity(0));
    for (uint64_t i = 0; i < 3000; ++i) {
      const int y = side->Node("Mul", {x, two}, "y", i % 3 == 0 ? zeros : Quantity(i, {8}));
      side->Node("Tanh", {y}, "t", i % 3 == 1 ? zeros : Quantity(i + 10000, {8}));
    }
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  for (size_t l = 0; l < alignment.left_to_right.size(); ++l) {
    ASSERT_EQ(alignment.left_to_right[l], static_cast<int>(l));
  }
}

TEST(AlignmentTest, TruncatedSide) {
  StreamBuilder left;
  StreamBuilder right;
  for (const auto& [side, count] : {std::pair(&left, 9), std::pair(&right, 4)}) {
    int x = side->Input("x", Quantity(0));
    for (int i = 1; i <= count; ++i) {
      x = side->Node("Tanh", {x}, absl::StrCat("t", i), Quantity(static_cast<uint64_t>(i)));
    }
    if (count == 9) side->Output("y", x);
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  for (int l = 0; l < 5; ++l) EXPECT_EQ(alignment.left_to_right[static_cast<size_t>(l)], l);
  for (size_t l = 5; l < 11; ++l) EXPECT_EQ(alignment.left_to_right[l], kNone);
}

// What one operator gives, many modules take; all of them were recorded.
TEST(AlignmentTest, ManyRecordedTwinsOfOneResult) {
  constexpr int kTwins = 100;
  StreamBuilder left;
  const int x = left.Input("x", Quantity(0));
  const int y = left.Node("Relu", {x}, "y", Quantity(1));
  StreamBuilder right;
  const Tensor near = Nearly(Quantity(1), 1e-6f);
  for (int i = 0; i < kTwins; ++i) right.Recorded(absl::StrCat("taken", i), near);
  ResultStream recording = right.stream();
  constexpr int kGiven = 5;
  recording.results[kGiven].op_type = "ReLU";
  const Alignment alignment = Align(left.stream(), recording);
  EXPECT_THAT(alignment.right_to_left, Each(y));
  // The operator's own row is with what a module gave.
  EXPECT_EQ(alignment.left_to_right[static_cast<size_t>(y)], kGiven);
  EXPECT_EQ(Align(recording, left.stream()).right_to_left[static_cast<size_t>(y)], kGiven);
}

TEST(AlignmentTest, RecordingWithoutNodesIsPairedByNearValues) {
  StreamBuilder left;
  StreamBuilder right;
  int x = left.Input("x", Quantity(0));
  for (uint64_t i = 1; i < 20; ++i) x = left.Node("Tanh", {x}, absl::StrCat("t", i), Quantity(i));
  for (uint64_t i = 18; i > 0; i -= 2) {
    right.Recorded(absl::StrCat("module", i), Nearly(Quantity(i), 1e-6f));
  }
  const Alignment alignment = Align(left.stream(), right.stream());
  for (int r = 0; r < 9; ++r)
    EXPECT_EQ(alignment.right_to_left[static_cast<size_t>(r)], 18 - 2 * r);
}

TEST(AlignmentTest, OutputRowsPairWithOutputRowsAlone) {
  StreamBuilder left;
  StreamBuilder right;
  const int left_x = left.Input("x", Quantity(0));
  left.Output("y", left.Node("Tanh", {left_x}, "t", Quantity(1)));
  const int right_x = right.Input("x", Quantity(0));
  right.Output("z", right_x);
  right.Output("u", right.Node("Tanh", {right_x}, "t", Quantity(1)));
  const Alignment alignment = Align(left.stream(), right.stream());
  EXPECT_THAT(alignment.left_to_right, ElementsAre(0, 2, 3));
}

// Rows: all results once, in the left's order, those of the right alone in their places.
TEST(AlignmentTest, RowsHoldEveryResultInReadableOrder) {
  const auto pair = MakeVariant({.seed = 3,
                                 .rename = true,
                                 .reorder = true,
                                 .no_ops = 0.1,
                                 .deduplicate = true,
                                 .fuse = 0.3,
                                 .extra_initializers = 2});
  const Alignment alignment = Align(pair.left, pair.right);
  std::vector<int> left_seen(pair.left.results.size(), 0);
  std::vector<int> right_seen(pair.right.results.size(), 0);
  int last_left = -1;
  for (const AlignedRow& row : alignment.rows) {
    const bool merged = Has(row.marks, Mark::kMerged);
    // A merged row repeats the result of one side.
    const bool repeats_left =
        merged && alignment.left_to_right[static_cast<size_t>(row.left.back())] != row.right.back();
    const bool repeats_right =
        merged && !repeats_left &&
        alignment.right_to_left[static_cast<size_t>(row.right.back())] != row.left.back();
    if (!repeats_left) {
      for (int l : row.left) ++left_seen[static_cast<size_t>(l)];
      if (!row.left.empty()) {
        EXPECT_GT(row.left.back(), last_left);
        last_left = row.left.back();
      }
    }
    if (!repeats_right) {
      for (int r : row.right) ++right_seen[static_cast<size_t>(r)];
    }
  }
  EXPECT_THAT(left_seen, Each(1));
  EXPECT_THAT(right_seen, Each(1));
}

}  // namespace
}  // namespace onnxcmp
