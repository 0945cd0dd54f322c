#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using Strings = std::vector<std::string>;

Tensor Texts(const Strings& values) {
  return Tensor::Of<std::string>({static_cast<int64_t>(values.size())}, values);
}

OpTest Tokenizer(const Tensor& x, int mark = 0, int mincharnum = 1) {
  OpTest test("Tokenizer", 1, "com.microsoft");
  test.Attr("mark", mark).Attr("mincharnum", mincharnum).Attr("pad_value", "#").Input(x);
  return test;
}

// Values in this file: onnxruntime 1.31.
TEST(ContribTokenizerTest, CharactersOfUtf8) {
  const Tensor want = Tensor::Of<std::string>({2, 3}, {"h", "é", "\n", "c", "#", "#"});
  ExpectTensor(Tokenizer(Texts({"hé\n", "c"})).Attr("separators", Strings{""}).Run(), want);
  ExpectTensor(Tokenizer(Texts({"hé\n", "c"})).Attr("tokenexp", ".").Run(), want);
}

TEST(ContribTokenizerTest, SeparatorsOneAfterTheOther) {
  ExpectTensor(Tokenizer(Texts({"xaabx", "c"})).Attr("separators", Strings{"a", "aab"}).Run(),
               Tensor::Of<std::string>({2, 2}, {"x", "bx", "c", "#"}));
  ExpectTensor(Tokenizer(Texts({"ab cd ef"})).Attr("separators", Strings{"^a", "f$", "c"}).Run(),
               Tensor::Of<std::string>({1, 2}, {"b ", "d e"}));
}

TEST(ContribTokenizerTest, TheLongestMatch) {
  ExpectTensor(Tokenizer(Texts({"xaabx", "c"})).Attr("separators", Strings{"a|aab"}).Run(),
               Tensor::Of<std::string>({2, 2}, {"x", "x", "c", "#"}));
  ExpectTensor(Tokenizer(Texts({"ab1"})).Attr("tokenexp", "ab|ab1|c").Run(),
               Tensor::Of<std::string>({1, 1}, {"ab1"}));
}

TEST(ContribTokenizerTest, ASeparatorOfNothingTakesCharactersAway) {
  ExpectTensor(Tokenizer(Texts({"abc"})).Attr("separators", Strings{"b*"}).Run(),
               Tensor::Of<std::string>({1, 0}, {}));
}

TEST(ContribTokenizerTest, MarksStandBeforeThePadding) {
  ExpectTensor(Tokenizer(Texts({"abc", "de", ""}), 1).Attr("tokenexp", ".$").Run(),
               Tensor::Of<std::string>(
                   {3, 3}, {"\x02", "c", "\x03", "\x02", "e", "\x03", "\x02", "\x03", "#"}));
}

TEST(ContribTokenizerTest, ShortTokensAreDropped) {
  ExpectTensor(Tokenizer(Texts({"aabaaacd"}), 1, 2).Attr("tokenexp", "a*").Run(),
               Tensor::Of<std::string>({1, 4}, {"\x02", "aa", "aaa", "\x03"}));
  ExpectTensor(Tokenizer(Texts({"éé b éé"}), 0, 2).Attr("separators", Strings{" "}).Run(),
               Tensor::Of<std::string>({1, 2}, {"éé", "éé"}));
}

TEST(ContribTokenizerTest, NoTokenNoMark) {
  ExpectTensor(Tokenizer(Texts({"  ", ""}), 1).Attr("separators", Strings{" "}).Run(),
               Tensor::Of<std::string>({2, 0}, {}));
  const Tensor empty = Tensor::Of<std::string>({2, 0}, {});
  ExpectTensor(Tokenizer(empty).Attr("separators", Strings{" "}).Run(), empty);
}

TEST(ContribTokenizerTest, WrongInputs) {
  const Tensor x = Texts({"a b"});
  ExpectError(Tokenizer(x).Run().status(), kInvalid, "separators and tokenexp");
  ExpectError(Tokenizer(x).Attr("separators", Strings{" "}).Attr("tokenexp", "a").Run().status(),
              kInvalid, "separators and tokenexp");
  ExpectError(Tokenizer(x).Attr("separators", Strings{"("}).Run().status(), kInvalid, "separators");
  ExpectError(Tokenizer(x).Attr("tokenexp", "[").Run().status(), kInvalid, "tokenexp");
  ExpectError(Tokenizer(x, 0, 0).Attr("tokenexp", "a").Run().status(), kInvalid, "mincharnum");
  ExpectError(Tokenizer(x, 0, 2).Attr("tokenexp", ".").Run().status(), kInvalid, "mincharnum");
  ExpectError(Tokenizer(Texts({"a\xff"})).Attr("tokenexp", "a").Run().status(), kInvalid, "UTF-8");
  ExpectError(Tokenizer(Tensor::Scalar<std::string>("a")).Attr("tokenexp", "a").Run().status(),
              kInvalid, "N x C");
}

}  // namespace
}  // namespace onnxcmp::testing
