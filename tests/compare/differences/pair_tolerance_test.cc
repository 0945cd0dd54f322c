#include "compare/tolerances/pair_tolerance.h"

#include <string>

#include <gtest/gtest.h>

#include "compare/verdict/output_comparison.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

StreamResult Of(DType dtype, DType precision, const std::string& name = "x") {
  StreamResult result;
  result.name = name;
  result.dtype = dtype;
  result.precision = precision;
  return result;
}

void Expect(const Tolerance& got, double rtol, double atol) {
  EXPECT_EQ(got.rtol, rtol);
  EXPECT_EQ(got.atol, atol);
}

TEST(ToleranceOfTest, TheLeastPreciseTypeOfEitherSideDecides) {
  const StreamResult exact = Of(DType::kFloat, DType::kFloat);
  Expect(ToleranceOf(exact, exact, {}), 1e-4, 1e-5);
  const StreamResult half = Of(DType::kFloat, DType::kFloat16);
  Expect(ToleranceOf(exact, half, {}), 1e-2, 5e-3);
  Expect(ToleranceOf(half, exact, {}), 1e-2, 5e-3);
  Expect(ToleranceOf(Of(DType::kDouble, DType::kDouble), exact, {}), 1e-4, 1e-5);
  Expect(ToleranceOf(exact, Of(DType::kFloat, DType::kUint8), {}), 5e-2, 2e-2);
  // A sequence has no element type of its own.
  Expect(ToleranceOf(Of(DType::kUndefined, half.precision), exact, {}), 1e-2, 5e-3);
}

TEST(ToleranceOfTest, IntegersAreExactUnlessTheyAreQuantizedNumbers) {
  const StreamResult index = Of(DType::kInt64, DType::kFloat16);
  Expect(ToleranceOf(index, index, {}), 0, 0);
  const StreamResult label = Of(DType::kUint8, DType::kUndefined);
  Expect(ToleranceOf(label, label, {}), 0, 0);
  const StreamResult quantized = Of(DType::kUint8, DType::kUint8);
  Expect(ToleranceOf(quantized, quantized, {}), 0, 1);
  const StreamResult sum = Of(DType::kInt32, DType::kUint8);
  Expect(ToleranceOf(sum, sum, {}), 5e-2, 1);
}

TEST(ToleranceOfTest, OptionsGoBeforeTypesAndNamesBeforeOptions) {
  ToleranceOptions options;
  options.rtol = 0.5;
  const StreamResult left = Of(DType::kFloat, DType::kFloat, "left");
  StreamResult right = Of(DType::kFloat, DType::kFloat, "right");
  Expect(ToleranceOf(left, right, options), 0.5, 1e-5);
  options.by_name["right"] = {0.25, 0};
  Expect(ToleranceOf(left, right, options), 0.25, 0);
  options.by_name["left"] = {0.125, 1};
  Expect(ToleranceOf(left, right, options), 0.25, 1);
  options.by_name.clear();
  options.by_name["loop[3]/right"] = {1, 1};
  Expect(ToleranceOf(left, right, options), 0.5, 1e-5);
  right.path = "loop[3]";
  Expect(ToleranceOf(left, right, options), 1, 1);
}

TEST(ToleranceOfTest, HoldsForOutputsOfThatName) {
  const auto output = [](const std::string& name, float element) {
    return NamedOutput{name, Tensor::Scalar(element)};
  };
  ToleranceOptions options;
  options.by_name["y"] = {0, 1};
  EXPECT_TRUE(CompareOutputs({output("y", 1)}, {output("y", 2)}, options).agree);
  EXPECT_FALSE(CompareOutputs({output("z", 1)}, {output("z", 2)}, options).agree);
}

TEST(AddNamedToleranceTest, Parses) {
  ToleranceOptions options;
  EXPECT_TRUE(AddNamedTolerance("/a=b,c/d=1e-3,0.5", &options).ok());
  ASSERT_EQ(options.by_name.count("/a=b,c/d"), 1u);
  Expect(options.by_name["/a=b,c/d"], 1e-3, 0.5);
  for (const char* text :
       {"", "x", "x=1", "=1,2", "x=1,", "x=,1", "x=-1,2", "x=1,nan", "x=1,inf", "1,2", "x=1 2"}) {
    testing::ExpectError(AddNamedTolerance(text, &options), absl::StatusCode::kInvalidArgument,
                         "NAME=RTOL,ATOL");
  }
}

// Elements of 99 have the magnitude 99, and one that masks does not change that by much.
TEST(PairToleranceTest, LargeElementsWidenTheDefault) {
  const auto result = [](const std::vector<float>& elements) {
    StreamResult result;
    result.dtype = DType::kFloat;
    result.precision = DType::kFloat;
    result.fingerprint =
        FingerprintOf(Tensor::Of<float>({static_cast<int64_t>(elements.size())}, elements));
    return result;
  };
  const StreamResult large = result(std::vector<float>(100, 99.0f));
  std::vector<float> masked(100, 0.5f);
  masked[7] = -3e38f;
  const StreamResult small = result(masked);
  EXPECT_NEAR(ToleranceOf(large, large, {}).atol, 99e-5, 1e-9);
  EXPECT_NEAR(ToleranceOf(small, small, {}).atol, 1e-5, 1e-12);
  EXPECT_NEAR(ToleranceOf(large, small, {}).atol, 1e-5, 1e-12);
  ToleranceOptions options;
  options.atol = 0.5;
  EXPECT_EQ(ToleranceOf(large, large, options).atol, 0.5);
}

}  // namespace
}  // namespace onnxcmp
