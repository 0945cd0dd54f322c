#include "compare/tolerances/pair_tolerance.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/alignment/alignment.h"
#include "tests/support/built_comparison.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::BuiltSide;
using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::SomeFloats;

Tensor Noisy(uint64_t seed, double noise = 0) { return SomeFloats({4, 8}, seed, noise); }

// Of the last results of two sides.
PairTolerance OfLast(const BuiltSide& left, const BuiltSide& right,
                     const ToleranceOptions& options = {}) {
  const Alignment alignment = Align(left.stream(), right.stream());
  const PairTolerances tolerances(left.stream(), right.stream(), alignment, options);
  return tolerances.Of(static_cast<int>(left.stream().results.size()) - 1,
                       static_cast<int>(right.stream().results.size()) - 1);
}

// x, a MatMul of it in some type, its result in float.
BuiltSide Product(DType dtype, double noise) {
  BuiltSide side;
  const int x = side.Input("x", Noisy(1));
  const int w = side.Initializer("w", Convert(Noisy(2, noise), dtype));
  const int y = side.Node("MatMul", {x, w}, "y", Convert(Noisy(3, noise), dtype));
  side.Node("Cast", {y}, "z", Noisy(4, noise));
  return side;
}

TEST(PairToleranceTest, DifferencesWidenItWhereTheyArise) {
  const PairTolerance tolerance = OfLast(Product(DType::kFloat, 0), Product(DType::kFloat16, 1e-3));
  EXPECT_EQ(tolerance.tolerances.floats.whole, DefaultTolerance(DType::kFloat16).whole);
  EXPECT_EQ(tolerance.why, "float16 products on the right");
  ASSERT_TRUE(tolerance.own.has_value());
  EXPECT_EQ(tolerance.own->floats.whole, DefaultTolerance(DType::kFloat).whole);
  // Both have the same halves: nothing arises there.
  const PairTolerance same = OfLast(Product(DType::kFloat16, 0), Product(DType::kFloat16, 0));
  EXPECT_EQ(same.tolerances.floats.whole, DefaultTolerance(DType::kFloat).whole);
  EXPECT_EQ(same.why, "float32");
  EXPECT_FALSE(same.own.has_value());
}

TEST(PairToleranceTest, DiscreteNumbersAreExactWhateverIsSaid) {
  BuiltSide side;
  const int x = side.Input("x", Convert(Noisy(1), DType::kFloat16));
  side.Node("ArgMax", {x}, "ids", Tensor::Of<int64_t>({2}, {3, 4}));
  ToleranceOptions options;
  options.rtol = 0.5;
  const PairTolerance exact = OfLast(side, side, options);
  EXPECT_EQ(exact.tolerances.integers.rtol, 0);
  EXPECT_EQ(exact.tolerances.integers.atol, 0);
  EXPECT_EQ(exact.tolerances.integers.scaled, 0);
  options.by_name["ids"] = {0, 2};
  EXPECT_EQ(OfLast(side, side, options).tolerances.integers.atol, 2);
  EXPECT_EQ(OfLast(side, side, options).why, "--tolerance");
}

TEST(PairToleranceTest, OptionsReplaceWhatIsRelativeOrAbsolute) {
  const BuiltSide left = Product(DType::kFloat, 0);
  const BuiltSide right = Product(DType::kFloat, 1e-3);
  ToleranceOptions options;
  options.rtol = 0.9;
  PairTolerance tolerance = OfLast(left, right, options);
  EXPECT_EQ(tolerance.tolerances.floats.rtol, 0.9);
  // Never as much as the values themselves.
  EXPECT_EQ(tolerance.tolerances.floats.whole, kMostWhole);
  EXPECT_EQ(tolerance.why, "--rtol");
  options = {};
  options.atol = 0.5;
  tolerance = OfLast(left, right, options);
  EXPECT_EQ(tolerance.tolerances.floats.atol, 0.5);
  EXPECT_EQ(tolerance.tolerances.floats.scaled, 0);
  EXPECT_EQ(tolerance.tolerances.floats.rtol, 1e-4);
}

TEST(AddNamedToleranceTest, Parses) {
  ToleranceOptions options;
  EXPECT_TRUE(AddNamedTolerance("/a=b,c/d=1e-3,0.5", &options).ok());
  ASSERT_EQ(options.by_name.count("/a=b,c/d"), 1u);
  EXPECT_EQ(options.by_name["/a=b,c/d"].rtol, 1e-3);
  EXPECT_EQ(options.by_name["/a=b,c/d"].atol, 0.5);
  for (const char* text :
       {"", "x", "x=1", "=1,2", "x=1,", "x=,1", "x=-1,2", "x=1,nan", "x=1,inf", "1,2", "x=1 2"}) {
    ExpectError(AddNamedTolerance(text, &options), absl::StatusCode::kInvalidArgument,
                "NAME=RTOL,ATOL");
  }
}

}  // namespace
}  // namespace onnxcmp
