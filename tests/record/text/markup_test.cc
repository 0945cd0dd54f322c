#include "record/text/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(Markup, EscapesWhatHasAMeaning) {
  EXPECT_EQ(EscapedMarkup("<a b=\"c\" d='e'>&amp;</a>"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;&lt;/a&gt;");
}

TEST(Markup, LeavesTheRestAsItIs) {
  EXPECT_EQ(EscapedMarkup("/layer.0/Add_1 → ↓ 2×3; 100 %"), "/layer.0/Add_1 → ↓ 2×3; 100 %");
  EXPECT_EQ(EscapedMarkup(""), "");
}

}  // namespace
}  // namespace onnxcmp
