#include "compare/fusions/matching/pattern.h"

#include <gtest/gtest.h>

#include "compare/fusions/catalog/fusion_forms.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;

TEST(PatternTest, EveryFormReads) {
  FusionForms forms;
  NamedPatterns named;
  AddAllForms(&forms, &named);
  EXPECT_GT(forms.size(), 50u);
  for (const FusionForm& form : forms) {
    const absl::StatusOr<Pattern> pattern = ParsePattern(form.pattern, named);
    EXPECT_TRUE(pattern.ok()) << form.name << ": " << pattern.status();
  }
}

TEST(PatternTest, ReadsWhatItIsMadeOf) {
  const absl::StatusOr<Pattern> pattern =
      ParsePattern("{0.5 * d=ms:Op:1[axis=-1|absent](#, ...) / (~ | ^_)}", {});
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  EXPECT_EQ(pattern->kind, Pattern::Kind::kProduct);
  EXPECT_EQ(pattern->inverse, (std::vector<bool>{false, false, true}));
  const Pattern& op = pattern->parts[1].parts[0];
  EXPECT_EQ(op.name, "Op");
  EXPECT_EQ(op.domain, "com.microsoft");
  EXPECT_EQ(op.slot, 1);
  EXPECT_TRUE(op.more_inputs);
  EXPECT_TRUE(op.conditions[0].absent);
  EXPECT_EQ(pattern->parts[2].parts[1].kind, Pattern::Kind::kExposed);
}

TEST(PatternTest, TellsWhatIsWrong) {
  const auto expect = [](const char* text, const char* words) {
    ExpectError(ParsePattern(text, {}).status(), absl::StatusCode::kInvalidArgument, words);
  };
  expect("", "something");
  expect("Op(a", "something");
  expect("Op(a))", "nothing more where it has ')'");
  expect("{a}", "two parts before");
  expect("{a * b", "an operator or '}'");
  expect("@no(x)", "no pattern has the name no");
  expect("Op[axis](x)", "'='");
}

}  // namespace
}  // namespace onnxcmp
