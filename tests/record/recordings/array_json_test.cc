#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectSameBits;
using ::testing::HasSubstr;

class ArrayJsonTest : public ::testing::Test {
 protected:
  // The one value called so.
  Tensor ValueOf(const std::string& json, absl::string_view name) {
    const auto sets = OpenRecording(folder_.Write("a.json", json));
    EXPECT_TRUE(sets.ok()) << sets.status();
    if (!sets.ok()) return Tensor();
    RecordedValues& values = *sets->front().values;
    for (size_t i = 0; i < values.results().size(); ++i) {
      if (values.results()[i].name == name) return values.ReadValue(i)->value.tensor();
    }
    ADD_FAILURE() << name << " is not in it";
    return Tensor();
  }
  std::string ErrorOf(const std::string& json) {
    const auto sets = OpenRecording(folder_.Write("a.json", json));
    EXPECT_FALSE(sets.ok());
    return std::string(sets.status().message());
  }

  testing::TestFolder folder_;
};

TEST_F(ArrayJsonTest, ListsInLists) {
  const std::string json = R"({"run": "today", "step": 3, "a": [[1.5, 2], [null, -4]],
                               "outputs": {"ids": [7, 9007199254740993], "mask": [true, false]}})";
  const Tensor a = ValueOf(json, "a");
  ASSERT_EQ(a.shape(), (Shape{2, 2}));
  ASSERT_EQ(a.dtype(), DType::kFloat);
  EXPECT_EQ(a.data<float>()[1], 2);
  EXPECT_TRUE(std::isnan(a.data<float>()[2]));
  ExpectSameBits(ValueOf(json, "ids"), Tensor::Of<int64_t>({2}, {7, 9007199254740993}));
  EXPECT_EQ(ValueOf(json, "mask").dtype(), DType::kBool);
}

TEST_F(ArrayJsonTest, AFlatListBesideItsShape) {
  const Tensor expected = Tensor::Of<float>({1, 2}, {1, 2.5});
  for (const char* json : {R"({"a": {"type": "float32", "dims": [1, 2], "data": [1, 2.5]}})",
                           R"({"a": {"dtype": "float", "shape": [1, 2], "values": [1, 2.5]}})",
                           R"({"a": {"dims": [1, 2], "data": {"0": 1, "1": 2.5}}})",
                           R"([{"name": "a", "shape": [1, 2], "data": [1, 2.5]}])",
                           R"({"out": [{"name": "a", "dims": [1, 2], "data": [1, 2.5]}]})"}) {
    ExpectSameBits(ValueOf(json, "a"), expected);
  }
  const std::string bytes = R"({"a": {"type": "uint8", "dims": [2], "data": [3, 250]}})";
  ExpectSameBits(ValueOf(bytes, "a"), Tensor::Of<uint8_t>({2}, {3, 250}));
}

TEST_F(ArrayJsonTest, OtherJson) {
  EXPECT_THAT(ErrorOf(R"({"a": [[1, 2], [3]]})"), HasSubstr("'a' is no even list of numbers"));
  EXPECT_THAT(ErrorOf(R"({"a": {"dims": [3], "data": [1]}})"), HasSubstr("other elements than"));
  EXPECT_THAT(ErrorOf(R"({"a": {"dims": [-1, -1], "data": [1]}})"), HasSubstr("other elements"));
  EXPECT_THAT(ErrorOf(R"({"a": 1})"), HasSubstr("this is JSON"));
  EXPECT_THAT(ErrorOf(R"([[1, 2], [3, 4]])"), HasSubstr("this is JSON"));
  EXPECT_THAT(ErrorOf("{\"a\": [1"), HasSubstr("a.json"));
}

}  // namespace
}  // namespace onnxcmp
