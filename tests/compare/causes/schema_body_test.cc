// Faults inside operators that run by the bodies that their schemas define.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "ops/operators.h"
#include "tests/support/load_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::SizeIs;

// Where a schema's body runs in an operator's place nothing inside is seen, which is no proof that
// all is well there.
TEST(SchemaBody, AnOperatorThatRunsByItsBody) {
  constexpr absl::string_view kFlex =
      R"(<ir_version: 11, opset_import: ["" : 26, "ai.onnx.preview" : 1]>
g (float[1,2,4,8] q, float[1,2,4,8] k, float[1,2,4,8] v) => (float[1,2,4,8] y) {
  y = ai.onnx.preview.FlexAttention <score_mod = change (float[1,2,4,4] s) => (float[1,2,4,4] t) {
    t = Tanh (s)
  }> (q, k, v)
})";
  const OpRegistry registry = AllOperators();
  std::vector<float> numbers(64);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) / 3.0f - 1;
  const Tensor x = Tensor::Of<float>({1, 2, 4, 8}, numbers);
  std::vector<std::unique_ptr<ModelSide>> sides;
  for (const char* change : {"Tanh", "Sigmoid"}) {
    const auto model = LoadModelFromText(absl::StrReplaceAll(kFlex, {{"Tanh", change}}), registry);
    ASSERT_TRUE(model.ok()) << model.status();
    auto side = ModelSide::Create(*model, registry, {.threads = 1});
    ASSERT_TRUE(side.ok()) << side.status();
    (*side)->SetFeeds({{"q", x}, {"k", x}, {"v", x}});
    sides.push_back(*std::move(side));
  }
  const absl::StatusOr<Comparison> comparison = Compare(*sides[0], *sides[1], {});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  ASSERT_THAT(comparison->causes, SizeIs(1));
  EXPECT_EQ(comparison->left.results[Index(comparison->causes[0].left)].name, "y");
}

}  // namespace
}  // namespace onnxcmp::testing
