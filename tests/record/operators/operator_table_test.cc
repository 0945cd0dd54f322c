// The rows of the table name operators that exist, say nothing that contradicts itself, and what
// they say of operators with one input is what these do.
#include "record/operators/operator_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/model/model.h"
#include "ops/operators.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"
#include "tests/support/model_test.h"

namespace onnxcmp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;

bool HasBit(const OperatorRow& row, OperatorTrait trait) {
  return (row.traits & static_cast<uint32_t>(trait)) != 0;
}

TEST(OperatorTable, EachNameOnceInOrder) {
  const absl::Span<const OperatorRow> table = OperatorTable();
  for (size_t i = 1; i < table.size(); ++i) {
    EXPECT_LT(table[i - 1].op_type, table[i].op_type);
  }
}

TEST(OperatorTable, EveryRowIsAnOperatorOfItsDomains) {
  const OpRegistry registry = AllOperators();
  for (const OperatorRow& row : OperatorTable()) {
    EXPECT_NE(row.domains, 0) << row.op_type;
    EXPECT_NE(row.traits, 0U) << row.op_type;
    for (const absl::string_view domain : {kOnnxDomain, kMlDomain, kMicrosoftDomain, kNchwcDomain,
                                           absl::string_view("com.ms.internal.nhwc")}) {
      const bool exists =
          registry.FindSchema(domain, row.op_type, registry.LatestVersion(domain)) != nullptr;
      EXPECT_EQ((row.domains & DomainBit(domain)) != 0, exists) << domain << " " << row.op_type;
    }
  }
}

TEST(OperatorTable, TraitsThatFollowFromOthers) {
  using T = OperatorTrait;
  const std::vector<std::pair<T, T>> follows = {
      {T::kOneDataInput, T::kMoves},        {T::kAddsNumbers, T::kMoves},
      {T::kRearranges, T::kOneDataInput},   {T::kReorders, T::kRearranges},
      {T::kKeepsOrder, T::kReorders},       {T::kCopies, T::kKeepsOrder},
      {T::kArithmetic, T::kKeepsAxes},      {T::kCasts, T::kKeepsAxes},
      {T::kRequantizations, T::kKeepsAxes}, {T::kCopies, T::kKeepsAxes},
      {T::kCompares, T::kAbsorbs},          {T::kJumps, T::kAbsorbs},
      {T::kPacked, T::kQuantized}};
  for (const OperatorRow& row : OperatorTable()) {
    for (const auto& [trait, other] : follows) {
      EXPECT_TRUE(!HasBit(row, trait) || HasBit(row, other)) << row.op_type;
    }
    EXPECT_FALSE(HasBit(row, T::kRearranges) && HasBit(row, T::kAddsNumbers)) << row.op_type;
    EXPECT_FALSE(HasBit(row, T::kMoves) && HasBit(row, T::kArithmetic)) << row.op_type;
    // The name says so.
    EXPECT_EQ(HasBit(row, T::kRequantizations),
              row.op_type == "QuantizeLinear" || row.op_type == "DequantizeLinear");
  }
}

TEST(OperatorTable, OtherDomainsHaveNoTraits) {
  EXPECT_TRUE(HasTrait(kOnnxDomain, "Identity", OperatorTrait::kCopies));
  EXPECT_FALSE(HasTrait(kMicrosoftDomain, "Identity", OperatorTrait::kCopies));
  EXPECT_FALSE(HasTrait("somebody", "Identity", OperatorTrait::kCopies));
  EXPECT_TRUE(HasTrait(kMicrosoftDomain, "ExpandDims", OperatorTrait::kKeepsOrder));
  EXPECT_FALSE(HasTrait(kOnnxDomain, "ExpandDims", OperatorTrait::kKeepsOrder));
  EXPECT_TRUE(HasTrait(kNchwcDomain, "ReorderOutput", OperatorTrait::kReorders));
}

// Its elements, given numbers of both signs that are all different; nothing where it needs more
// than one input.
std::vector<double> ResultOf(const OperatorRow& row, const Tensor& x) {
  const std::string attributes = row.op_type == "DepthToSpace" || row.op_type == "SpaceToDepth"
                                     ? "<blocksize = 2>"
                                 : row.op_type == "MaxPool" ? "<kernel_shape = [2, 2]>"
                                                            : "";
  const auto outputs = testing::RunText(
      absl::StrCat("<ir_version: 9, opset_import: [\"\": 21, \"com.microsoft\": 1]> "
                   "g (float[1,4,2,2] x) => (y) { y = ",
                   (row.domains & kOfOnnx) != 0 ? "" : "com.microsoft.", row.op_type, " ",
                   attributes, " (x) }"),
      {{"x", x}});
  const absl::StatusOr<Tensor> y = testing::TensorAt(outputs, 0);
  return y.ok() ? ElementsOf(*y) : std::vector<double>();
}

std::vector<double> SortedNumbers(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(OperatorTable, OperatorsOfOneInputDoWhatTheirRowsSay) {
  std::vector<float> numbers;
  for (int i = 0; i < 16; ++i) numbers.push_back(0.37F * static_cast<float>(i) - 2.9F);
  const Tensor x = Tensor::Of<float>({1, 4, 2, 2}, numbers);
  const std::vector<double> given = ElementsOf(x);
  int copies = 0, reorders = 0, selects = 0, not_negative = 0, arithmetic = 0;
  for (const OperatorRow& row : OperatorTable()) {
    const std::vector<double> made = ResultOf(row, x);
    if (made.empty()) continue;
    SCOPED_TRACE(row.op_type);
    if (HasBit(row, OperatorTrait::kKeepsOrder)) {
      ++copies;
      EXPECT_THAT(made, ElementsAreArray(given));
    }
    if (HasBit(row, OperatorTrait::kReorders)) {
      ++reorders;
      EXPECT_THAT(SortedNumbers(made), ElementsAreArray(given));
    }
    if (HasBit(row, OperatorTrait::kMoves) && !HasBit(row, OperatorTrait::kAddsNumbers)) {
      ++selects;
      for (const double number : made) EXPECT_THAT(given, Contains(number));
    }
    if (HasBit(row, OperatorTrait::kNotNegative)) {
      ++not_negative;
      for (const double number : made) EXPECT_TRUE(std::isnan(number) || number >= 0);
    }
    if (HasBit(row, OperatorTrait::kArithmetic)) {
      ++arithmetic;
      EXPECT_EQ(made.size(), given.size());
    }
  }
  EXPECT_GE(copies, 4);
  EXPECT_GE(reorders, 7);
  EXPECT_GE(selects, 12);
  EXPECT_GE(not_negative, 8);
  EXPECT_GE(arithmetic, 5);
}

}  // namespace
}  // namespace onnxcmp
