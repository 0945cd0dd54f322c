#include "tools/classic/classic_row.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

std::string TextOf(const Value& value, const std::string& op_type = "Add",
                   const std::string& name = "y") {
  return ClassicRowText(MakeClassicRow(ClassicKind::kResult, name, op_type, value));
}

TEST(FitColumnTest, CutsAndFillsByCharacters) {
  EXPECT_EQ(FitColumn("abc", 5), "abc  ");
  EXPECT_EQ(FitColumn("abcdef", 3), "abc");
  EXPECT_EQ(FitColumn("äöü", 2), "äö");
  EXPECT_EQ(FitColumn("äö", 3), "äö ");
  EXPECT_EQ(FitColumn("", 2), "  ");
}

TEST(ClassicRowTextTest, HasColumns) {
  EXPECT_EQ(TextOf(Tensor::Of<float>({1, 2}, {1, 2})),
            "RESULT float32  2:1x2                BCAA Add             y");
  // A scalar has no rank and no colon.
  EXPECT_EQ(TextOf(Tensor::Scalar<int64_t>(2)),
            "RESULT int64                         CAAA Add             y");
  EXPECT_EQ(ClassicRowText(
                MakeClassicRow(ClassicKind::kInitializer, "w", "", Tensor::Of<double>({1}, {1}))),
            "INITIA float64  1:1                  BAAA                 w");
}

TEST(ClassicRowTextTest, CutsWhatIsTooLong) {
  const Tensor tensor = Tensor::Of<float>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {7});
  EXPECT_EQ(TextOf(tensor, "SkipSimplifiedLayerNormalization", "name"),
            "RESULT float32  11:1x1x1x1x1x1x1x1x1x HAAA SkipSimplifiedL name");
}

TEST(ClassicRowTextTest, SpellsTypesAsNumPyDoes) {
  EXPECT_EQ(TextOf(Tensor::Of<std::string>({2}, {"a", "äöü"})),
            "RESULT <U3      1:2                  ???? Add             y");
  const auto float8 = Tensor::Allocate(DType::kFloat8E4M3FN, {0});
  ASSERT_TRUE(float8.ok());
  EXPECT_EQ(TextOf(*float8), "RESULT float8_e 1:0                  AAAA Add             y");
}

TEST(ClassicRowTextTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(TextOf(Sequence{}), "RESULT                               ???? Add             y");
}

TEST(ClassicRowTextTest, WritesSymbols) {
  ClassicRow row;
  row.kind = ClassicKind::kInput;
  row.dtype = "float32";
  row.shape = {{0, "batch"}, {16, ""}, {0, ""}};
  row.op_type = "INPUT";
  row.name = "x";
  EXPECT_EQ(ClassicRowText(row), "INPUT  float32  3:batchx16x0         ???? INPUT           x");
}

}  // namespace
}  // namespace onnxcmp
