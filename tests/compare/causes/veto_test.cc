// Vetoes against causes: how they are applied, and what the document says of them.
#include "compare/causes/cause.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;

TEST(Vetoes, MoveACauseAndKeepTheOrder) {
  std::vector<Cause> causes(4);
  for (int i = 0; i < 4; ++i) causes[static_cast<size_t>(i)].right = i;
  std::vector<DismissedCause> dismissed(1);
  const CauseReview odd = [](const Cause& cause) {
    return cause.right % 2 == 1 ? std::optional(Veto::kSameShape) : std::nullopt;
  };
  Dismiss(odd, &causes, &dismissed);
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].right, 0);
  EXPECT_EQ(causes[1].right, 2);
  ASSERT_EQ(dismissed.size(), 3U);
  EXPECT_EQ(dismissed[1].cause.right, 1);
  EXPECT_EQ(dismissed[2].cause.right, 3);
  EXPECT_EQ(dismissed[2].veto, Veto::kSameShape);
}

TEST(Vetoes, TheDocumentHasEach) {
  std::ifstream file(Document("causes.md"));
  const std::string document(std::istreambuf_iterator<char>(file), {});
  for (int i = 0; i <= static_cast<int>(Veto::kHonestConversion); ++i) {
    const auto veto = static_cast<Veto>(i);
    EXPECT_THAT(document,
                HasSubstr(absl::StrCat("| `", VetoName(veto), "` | ", VetoText(veto), " |")));
  }
}

}  // namespace
}  // namespace onnxcmp
