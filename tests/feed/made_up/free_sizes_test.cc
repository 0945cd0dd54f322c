#include "feed/made_up/free_sizes.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

ValueInfo Input(const std::string& name, std::vector<TypeInfo::Dim> dims,
                DType dtype = DType::kFloat) {
  ValueInfo input;
  input.name = name;
  input.type.kind = TypeInfo::Kind::kTensor;
  input.type.dtype = dtype;
  input.type.shape = std::move(dims);
  return input;
}
TypeInfo::Dim Named(const std::string& name) { return {std::nullopt, name}; }

Shape ShapeOf(const std::vector<ValueInfo>& inputs, size_t which, const SizeChoice& choice = {},
              const std::map<std::string, int64_t, std::less<>>& given = {}) {
  const FreeSizes sizes(inputs, {}, choice, given);
  Shape shape;
  for (size_t axis = 0; axis < inputs[which].type.shape->size(); ++axis) {
    shape.push_back(sizes.SizeOf(inputs[which], axis));
  }
  return shape;
}

TEST(FreeSizesTest, DifferFromEachOtherAndFromOne) {
  const std::vector<ValueInfo> inputs = {Input("a", {Named("batch"), Named("s"), {8, ""}}),
                                         Input("b", {Named("batch"), Named("t"), Named("s")})};
  const Shape a = ShapeOf(inputs, 0);
  const Shape b = ShapeOf(inputs, 1);
  EXPECT_EQ(a[0], 2);
  EXPECT_EQ(b[0], 2);
  EXPECT_EQ(a[2], 8);
  EXPECT_EQ(b[2], a[1]);
  EXPECT_NE(a[1], b[1]);
  EXPECT_GT(a[1], 2);
  EXPECT_EQ(ShapeOf(inputs, 0, {}, {{"s", 5}}), (Shape{2, 5, 8}));
  // The second set has a batch of 1 and other sizes.
  const Shape second = ShapeOf(inputs, 0, {.set = 1});
  EXPECT_EQ(second[0], 1);
  EXPECT_NE(second[1], a[1]);
}

TEST(FreeSizesTest, SumsAreSums) {
  const std::vector<ValueInfo> inputs = {
      Input("past", {Named("b"), {4, ""}, Named("past_sequence_length"), {8, ""}}),
      Input("ids", {Named("b"), Named("sequence_length")}, DType::kInt64),
      Input("mask", {Named("b"), Named("past_sequence_length + sequence_length")}, DType::kInt64),
      Input("total", {Named("b"), Named("total_sequence_length")}, DType::kInt64)};
  const int64_t sum = ShapeOf(inputs, 0)[2] + ShapeOf(inputs, 1)[1];
  EXPECT_EQ(ShapeOf(inputs, 2)[1], sum);
  EXPECT_EQ(ShapeOf(inputs, 3)[1], sum);
}

TEST(FreeSizesTest, SumsThatNoNameTellsAreFound) {
  const std::vector<ValueInfo> inputs = {
      Input("ids", {Named("b"), Named("t")}, DType::kInt64),
      Input("mask", {Named("b"), Named("n")}, DType::kInt64),
      Input("key", {Named("b"), {2, ""}, Named("p0"), {8, ""}}),
      Input("value", {Named("b"), {2, ""}, Named("p1"), {8, ""}})};
  const std::vector<SizeSum> sums = PossibleSums(inputs, {false, true, false, false});
  ASSERT_FALSE(sums.empty());
  EXPECT_EQ(sums[0].sum.input, "mask");
  EXPECT_EQ(sums[0].past.input, "key");
  EXPECT_EQ(sums[0].added.input, "ids");
  SizeChoice choice;
  choice.sum = sums[0];
  const int64_t past = ShapeOf(inputs, 2, choice)[2];
  EXPECT_EQ(ShapeOf(inputs, 3, choice)[2], past);
  EXPECT_EQ(ShapeOf(inputs, 1, choice)[1], past + ShapeOf(inputs, 0, choice)[1]);
  EXPECT_NE(past, ShapeOf(inputs, 0, choice)[1]);
  // Without names, too.
  const std::vector<ValueInfo> unnamed = {Input("ids", {{}, {}}, DType::kInt64),
                                          Input("mask", {{}, {}}, DType::kInt64),
                                          Input("key", {{}, {2, ""}, {}, {8, ""}})};
  choice.sum = PossibleSums(unnamed, {false, true, false})[0];
  EXPECT_EQ(ShapeOf(unnamed, 1, choice)[1],
            ShapeOf(unnamed, 0, choice)[1] + ShapeOf(unnamed, 2, choice)[2]);
  // Images have no past.
  EXPECT_TRUE(
      PossibleSums({Input("x", {Named("b"), {3, ""}, Named("h"), Named("w")})}, {false}).empty());
}

TEST(FreeSizesTest, AxesReachAndRowsAreEnough) {
  const std::vector<ValueInfo> inputs = {Input("a", {Named("b"), Named("s"), {8, ""}})};
  EXPECT_EQ(ShapeOf(inputs, 0, {.reach = 300}), (Shape{1, 300, 8}));
  EXPECT_EQ(ShapeOf(inputs, 0, {.rows = 40})[0], 40);
  EXPECT_EQ(ShapeOf(inputs, 0, {.set = 1, .rows = 40})[0], 1);
}

TEST(FreeSizesTest, UnnamedAxesGoTogether) {
  const std::vector<ValueInfo> inputs = {Input("a", {{}, {}}), Input("b", {{}, {}})};
  EXPECT_EQ(ShapeOf(inputs, 0), ShapeOf(inputs, 1));
}

TEST(FreeSizesTest, ImagesAreLarger) {
  const std::vector<ValueInfo> inputs = {
      Input("image", {Named("n"), {3, ""}, Named("h"), Named("w")})};
  const Shape shape = ShapeOf(inputs, 0);
  EXPECT_EQ(shape[2], 32);
  EXPECT_EQ(shape[3], 40);
  EXPECT_EQ(ShapeOf(inputs, 0, {.attempt = 1})[3] % 32, 0);
}

TEST(DescribeSizesTest, NamesThem) {
  EXPECT_EQ(DescribeSizes({Input("a", {Named("batch"), {8, ""}})}, {}, {}, {}), "batch 2");
  EXPECT_EQ(DescribeSizes({Input("a", {{8, ""}})}, {}, {}, {}), "");
}

}  // namespace
}  // namespace onnxcmp
