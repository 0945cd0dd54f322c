#include "compare/recorded/names_and_values.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/built_comparison.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::BuiltSide;
using ::onnxcmp::testing::SomeFloats;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A model of three results of one shape.
BuiltSide Layers() {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({4, 8}, 1));
  const int a =
      side.Node("MatMul", {x}, "/model/layer.0/dense/MatMul_output_0", SomeFloats({4, 8}, 2));
  const int b = side.Node("Add", {a}, "/model/layer.0/dense/Add_output_0", SomeFloats({4, 8}, 3));
  const int c = side.Node("Relu", {b}, "/model/layer.1/act/Relu_output_0", SomeFloats({4, 8}, 4));
  side.Node("Softmax", {c}, "/model/probabilities", SomeFloats({4, 3}, 5));
  return side;
}

std::vector<std::string> PairTexts(const BuiltSide& model, BuiltSide recording) {
  ResultStream stream = recording.stream();
  stream.recorded = true;
  const ResultStream left = model.stream();
  const Alignment alignment = Align(left, stream);
  const PerSide<RecordedSide> sides = {{.stream = &left}, {.stream = &stream}};
  RecordingView view(sides);
  view.Take(alignment);
  PairingRuns runs(sides, 0, nullptr);
  const auto claims = ClaimByNamesAndValues(view, runs);
  EXPECT_TRUE(claims.ok()) << claims.status();
  std::vector<std::string> texts;
  for (const Claim& claim : *claims) {
    if (alignment.left_to_right[Index(claim.left)] == claim.right) continue;
    texts.push_back(absl::StrCat(left.results[Index(claim.left)].name, " ",
                                 stream.results[Index(claim.right)].name, " ",
                                 RowOfRule(claim.rule).name));
  }
  return texts;
}

TEST(PairRecordedTest, NothingWhereValuesDecide) {
  BuiltSide recording;
  recording.Recorded("r1", SomeFloats({4, 8}, 3));
  recording.Recorded("r2", SomeFloats({4, 8}, 4));
  EXPECT_THAT(PairTexts(Layers(), recording), IsEmpty());
}

TEST(PairRecordedTest, ByTheSameName) {
  BuiltSide recording;
  recording.Recorded("/model/layer.0/dense/Add_output_0", SomeFloats({4, 8}, 77));
  EXPECT_THAT(PairTexts(Layers(), recording),
              UnorderedElementsAre(
                  "/model/layer.0/dense/Add_output_0 /model/layer.0/dense/Add_output_0 names"));
}

// A module's name is that of its last node's path.
TEST(PairRecordedTest, ByThePartsOfANameInOrder) {
  BuiltSide recording;
  recording.Recorded("layer.0.dense", SomeFloats({4, 8}, 77));
  EXPECT_THAT(PairTexts(Layers(), recording),
              UnorderedElementsAre("/model/layer.0/dense/Add_output_0 layer.0.dense names"));
  BuiltSide other;
  other.Recorded("dense.0.layer", SomeFloats({4, 8}, 77));
  other.Recorded("layer.0.dense.of_another_size", SomeFloats({4, 9}, 78));
  EXPECT_THAT(PairTexts(Layers(), other), IsEmpty());
}

// Between the results that its neighbours are, one has its shape.
TEST(PairRecordedTest, ByItsPlace) {
  BuiltSide recording;
  recording.Recorded("r1", SomeFloats({4, 8}, 2));
  recording.Recorded("r2", SomeFloats({4, 8}, 77));
  recording.Recorded("r3", SomeFloats({4, 8}, 4));
  EXPECT_THAT(PairTexts(Layers(), recording),
              UnorderedElementsAre("/model/layer.0/dense/Add_output_0 r2 places"));
}

// A runtime that fuses an activation with the node before has one result of the two.
TEST(PairRecordedTest, ByItsPlaceAmongFusedNodes) {
  const auto pairs = [](const std::string& activation) {
    BuiltSide side;
    const int x = side.Input("x", SomeFloats({4, 8}, 1));
    const int a = side.Node("MatMul", {x}, "a", SomeFloats({4, 8}, 2));
    const int b = side.Node(activation, {a}, "b", SomeFloats({4, 8}, 3));
    const int c = side.Node("MatMul", {b}, "c", SomeFloats({4, 8}, 4));
    const int d = side.Node(activation, {c}, "d", SomeFloats({4, 8}, 5));
    side.Node("Softmax", {d}, "e", SomeFloats({4, 3}, 6));
    BuiltSide recording;
    recording.Recorded("r1", SomeFloats({4, 8}, 77));
    recording.Recorded("r2", SomeFloats({4, 8}, 78));
    recording.Recorded("r3", SomeFloats({4, 3}, 79));
    return PairTexts(side, recording);
  };
  EXPECT_THAT(pairs("Relu"), UnorderedElementsAre("b r1 places", "d r2 places"));
  EXPECT_THAT(pairs("Neg"), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
