#include "tools/classic/classic_table.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

ClassicRow Row(Value value, const std::string& name) {
  ClassicRow row = MakeClassicRow(ClassicKind::kResult, name, "Add", value);
  row.value = std::move(value);
  return row;
}

std::string Table(const std::vector<ClassicRow>& left, const std::vector<ClassicRow>& right,
                  const std::vector<ClassicStep>& steps, bool keep = false) {
  ClassicTableOptions options;
  options.column_size = 8;
  options.keep_tensors = keep;
  return ClassicTable(left, right, steps, options);
}

TEST(ClassicTableTest, Lines) {
  const std::vector<ClassicRow> left = {Row(Tensor::Scalar(1.0f), "a"),
                                        Row(Tensor::Scalar(2.0f), "b")};
  const std::vector<ClassicRow> right = {Row(Tensor::Scalar(1.0f), "a"),
                                         Row(Tensor::Scalar(3.0f), "b")};
  EXPECT_EQ(Table(left, right, {{0, 0}, {1, 1}}),
            "001 = | RESULT f | RESULT f\n"
            "002 ~ | RESULT f | RESULT f");
  EXPECT_EQ(Table(left, right, {{0, 0}, {0, 1}, {1, 1}}),
            "001 = | RESULT f | RESULT f\n"
            "002 + |          | RESULT f \n"
            "003 - | RESULT f |         ");
  EXPECT_EQ(Table(left, {}, {{0, -1}}), "001 - | RESULT f |         ");
  EXPECT_EQ(Table({}, right, {{-1, 0}}), "001 + |          | RESULT f ");
  EXPECT_EQ(Table({}, {}, {}), "");
  EXPECT_TRUE(AllEqual(left, right, {{0, 0}}));
  EXPECT_FALSE(AllEqual(left, right, {{0, 0}, {1, 1}}));
  EXPECT_FALSE(AllEqual(left, right, {{0, 0}, {0, 1}}));
  EXPECT_TRUE(AllEqual({}, {}, {}));
}

// Numbers computed by NumPy: max |x-y| and max |x-y|/(|x|+1e-7) in float32, formatted with ".5g".
TEST(ClassicTableTest, KeptTensorsEndWithTheirErrors) {
  const auto ending = [](const Value& x, const Value& y) {
    const std::string table = Table({Row(x, "x")}, {Row(y, "y")}, {{0, 0}}, true);
    return table.substr(std::string("001 = | RESULT f | RESULT f").size());
  };
  EXPECT_EQ(ending(Tensor::Of<float>({2}, {1, 0}), Tensor::Of<float>({2}, {1.5f, 1})),
            " | a=1 r=1e+07");
  EXPECT_EQ(ending(Tensor::Of<float>({2}, {3, 4}), Tensor::Of<float>({2, 1}, {3, 4.1f})),
            " | a=0.1 r=0.025");
  EXPECT_EQ(ending(Tensor::Of<int64_t>({1}, {16777217}), Tensor::Of<int64_t>({1}, {16777216})),
            " | a=0 r=0");
  const float nan = std::nanf("");
  EXPECT_EQ(ending(Tensor::Of<float>({2}, {nan, 1}), Tensor::Of<float>({2}, {1, 2})),
            " | a=nan r=nan");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ending(Tensor::Of<float>({1}, {1}), Tensor::Of<float>({1}, {infinity})),
            " | a=inf r=inf");
  // Not of the same length, or no numbers.
  EXPECT_EQ(ending(Tensor::Of<float>({1}, {1}), Tensor::Of<float>({2}, {1, 1})), "");
  EXPECT_EQ(ending(Sequence{}, Tensor::Of<float>({1}, {1})), "");
  EXPECT_EQ(ending(Tensor::Of<std::string>({1}, {"a"}), Tensor::Of<float>({1}, {1})), "");
}

}  // namespace
}  // namespace onnxcmp
