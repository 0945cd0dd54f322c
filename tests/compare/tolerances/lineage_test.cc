// Where differences arise, and what numbers are, by streams that are written down.
#include "compare/tolerances/lineage.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/built_comparison.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::SomeFloats;
using ::onnxcmp::testing::StreamBuilder;

Tensor Some(uint64_t seed) { return SomeFloats({4, 8}, seed); }

// None of the results is the other side's, but those listed.
std::vector<Lineage> Trace(const StreamBuilder& builder, const std::vector<int>& equal = {}) {
  std::vector<bool> known(builder.stream().results.size());
  for (const int r : equal) known[static_cast<size_t>(r)] = true;
  return LineagesOf(builder.stream(), known);
}

TEST(LineageTest, TheLeastPreciseTypeOnTheWayIsInherited) {
  StreamBuilder side;
  const int x = side.Input("x", Some(1));
  const int half = side.Node("Cast", {x}, "half", Convert(Some(1), DType::kFloat16));
  const int back = side.Node("Cast", {half}, "back", Some(2));
  const int sum = side.Node("Add", {back, x}, "sum", Some(3));
  const auto lineages = Trace(side, {x});
  EXPECT_EQ(lineages[static_cast<size_t>(sum)].type, DType::kFloat16);
  EXPECT_EQ(lineages[static_cast<size_t>(sum)].origin, half);
}

TEST(LineageTest, WhatIsTheOtherSidesInheritsNothing) {
  StreamBuilder side;
  const int x = side.Input("x", Some(1));
  const int half = side.Node("Cast", {x}, "half", Convert(Some(1), DType::kFloat16));
  const int back = side.Node("Cast", {half}, "back", Some(2));
  const int out = side.Node("Neg", {back}, "out", Some(3));
  const auto lineages = Trace(side, {x, back});
  EXPECT_EQ(lineages[static_cast<size_t>(back)].type, DType::kUndefined);
  EXPECT_EQ(lineages[static_cast<size_t>(out)].type, DType::kFloat);
  EXPECT_EQ(lineages[static_cast<size_t>(out)].origin, out);
}

TEST(LineageTest, ACastThatLosesNothingIsNone) {
  StreamBuilder side;
  const Tensor ones = Tensor::Of<float>({4}, {1, 0, 1, 1});
  const int x = side.Input("x", ones);
  const int small = side.Node("Cast", {x}, "small", Convert(ones, DType::kFloat8E4M3FN));
  const int back = side.Node("Cast", {small}, "back", Tensor::Of<float>({4}, {1, 0, 1, 2}));
  const auto lineages = Trace(side);
  EXPECT_EQ(lineages[static_cast<size_t>(small)].type, DType::kFloat);
  EXPECT_EQ(lineages[static_cast<size_t>(back)].type, DType::kFloat);
}

TEST(LineageTest, QuantizedNumbersCountAsTheirWidth) {
  StreamBuilder side;
  const int x = side.Input("x", Some(1));
  const int scale = side.Initializer("s", Tensor::Scalar(0.1f));
  const Tensor steps = Tensor::Of<uint8_t>({4}, {1, 2, 3, 4});
  const int q = side.Node("QuantizeLinear", {x, scale}, "q", steps);
  const int moved = side.Node("Reshape", {q}, "moved", steps);
  const int y = side.Node("DequantizeLinear", {moved, scale}, "y", Some(2));
  const int shape = side.Node("Shape", {y}, "shape", Tensor::Of<int64_t>({1}, {4}));
  const auto lineages = Trace(side, {x, scale});
  EXPECT_EQ(lineages[static_cast<size_t>(y)].type, DType::kUint8);
  EXPECT_EQ(lineages[static_cast<size_t>(y)].origin, q);
  EXPECT_EQ(lineages[static_cast<size_t>(q)].kind, NumberKind::kQuantized);
  EXPECT_EQ(lineages[static_cast<size_t>(moved)].kind, NumberKind::kQuantized);
  EXPECT_EQ(lineages[static_cast<size_t>(shape)].kind, NumberKind::kDiscrete);
  EXPECT_EQ(lineages[static_cast<size_t>(shape)].type, DType::kUndefined);
  // Nibbles in bytes.
  const int packed = side.Initializer("w", Tensor::Of<uint8_t>({4}, {1, 2, 3, 4}));
  const int product = side.Node("MatMulNBits", {x, packed, scale}, "product", Some(3));
  EXPECT_EQ(Trace(side, {x, scale})[static_cast<size_t>(product)].type, DType::kUint4);
  const int blocks = side.Node("MatMulPacked", {x, packed}, "blocks", Some(4));
  EXPECT_EQ(Trace(side, {x, scale})[static_cast<size_t>(blocks)].type, DType::kUint4);
}

TEST(LineageTest, IdsStayIdsAsFloatsAndWhereTheyAreMoved) {
  StreamBuilder side;
  const int x = side.Input("x", Some(1));
  const int q = side.Node("QuantizeLinear", {x}, "q", Tensor::Of<uint8_t>({2}, {1, 2}));
  const Tensor two = Tensor::Of<int64_t>({2}, {3, 4});
  const int ids = side.Node("ArgMax", {q}, "ids", two);
  const int moved = side.Node("Unsqueeze", {ids}, "moved", two);
  const int real = side.Node("Cast", {moved}, "real", Tensor::Of<float>({2}, {3, 4}));
  const int c = side.Initializer("c", Tensor::Scalar(0.5f));
  const int half = side.Node("Mul", {real, c}, "half", Tensor::Of<float>({2}, {1.5f, 2}));
  const int table = side.Initializer("table", Some(2));
  const int rows = side.Node("Gather", {table, ids}, "rows", Some(3));
  const int mixed = side.Node("Add", {half, x}, "mixed", Some(4));
  const auto kind = [&](int r) { return Trace(side)[static_cast<size_t>(r)].kind; };
  EXPECT_EQ(kind(ids), NumberKind::kDiscrete);
  EXPECT_EQ(kind(moved), NumberKind::kDiscrete);
  EXPECT_EQ(kind(real), NumberKind::kCastDiscrete);
  EXPECT_EQ(kind(half), NumberKind::kFromDiscrete);
  EXPECT_EQ(kind(rows), NumberKind::kReal);
  EXPECT_EQ(kind(mixed), NumberKind::kReal);
}

}  // namespace
}  // namespace onnxcmp
