#include "tools/bisect/placeholders.h"

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(PlaceholdersTest, AreFilledIn) {
  const Placeholders values = {
      {"{n}", "7"}, {"{}", "v1.2"}, {"{in}", "a b.onnx"}, {"{out}", "it's"}};
  EXPECT_EQ(FillIn("opt {n} {in} {out} {}", values), "opt 7 'a b.onnx' 'it'\\''s' v1.2");
  // Other braces are the shell's; a value is not filled in again.
  EXPECT_EQ(FillIn("awk '{print $1}' ${HOME} {}", {{"{}", "{n}"}, {"{n}", "3"}}),
            "awk '{print $1}' ${HOME} '{n}'");
  EXPECT_TRUE(HasPlaceholder("a {n}", "{n}"));
  EXPECT_FALSE(HasPlaceholder("a {n }", "{n}"));
}

}  // namespace
}  // namespace onnxcmp
