#include "samples/fail_if.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;

TEST(FailIfTest, Conditions) {
  EXPECT_EQ(ReadFailIf("top1 < 0.99")->Text(), "top1 < 0.99");
  EXPECT_EQ(ReadFailIf("logits.kl>=1e-2")->figure, "logits.kl");
  EXPECT_EQ(ReadFailIf("top1 < 99 %")->limit, 0.99);
  EXPECT_TRUE(ReadFailIf("sqnr <= 20")->Fails(20));
  EXPECT_FALSE(ReadFailIf("sqnr < 20")->Fails(20));
  EXPECT_TRUE(ReadFailIf("sqnr > 20")->Fails(std::nan("")));
  for (const char* text : {"", "top1", "top1 0.9", "< 3", "top1 < x", "top1 < nan", "top1 =< 3"}) {
    EXPECT_FALSE(ReadFailIf(text).ok()) << text;
  }
}

TEST(FailIfTest, WorstOutputDecides) {
  const std::vector<std::pair<std::string, std::map<std::string, double>>> figures = {
      {"", {{"failed", 0}}}, {"a", {{"top1", 0.9}}}, {"b", {{"top1", 1}}}};
  const auto check = [&](const char* text) { return CheckFailIf({*ReadFailIf(text)}, figures); };
  EXPECT_TRUE((*check("top1 < 0.95"))[0].fails);
  EXPECT_EQ((*check("top1 < 0.95"))[0].figure, 0.9);
  EXPECT_TRUE((*check("top1 > 0.95"))[0].fails);
  EXPECT_FALSE((*check("b.top1 < 0.95"))[0].fails);
  EXPECT_FALSE((*check("failed > 0"))[0].fails);
  EXPECT_THAT(std::string(check("top2 < 1").status().message()), HasSubstr("did you mean"));
}

}  // namespace
}  // namespace onnxcmp
