#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// StringConcat, StringSplit, StringNormalizer and RegexFullMatch.

Tensor Strings(const std::vector<std::string>& values) {
  return Tensor::Of<std::string>({static_cast<int64_t>(values.size())}, values);
}

TEST(StringConcatTest, Broadcasts) {
  OpTest test("StringConcat", 20);
  test.Input(AsStridedView(Tensor::Of<std::string>({2, 1}, {"a", "\xc3\xa4"})));
  test.Input(Strings({"", "x", "yz"}));
  ExpectTensor(test.Run(), Tensor::Of<std::string>(
                               {2, 3}, {"a", "ax", "ayz", "\xc3\xa4", "\xc3\xa4x", "\xc3\xa4yz"}));
  OpTest scalar("StringConcat", 20);
  scalar.Input(Tensor::Scalar(std::string("a"))).Input(Tensor::Scalar(std::string("b")));
  ExpectTensor(scalar.Run(), Tensor::Scalar(std::string("ab")));
  OpTest empty("StringConcat", 20);
  ExpectTensor(empty.Input(Strings({})).Input(Strings({"a"})).Run(), Strings({}));
  OpTest apart("StringConcat", 20);
  EXPECT_FALSE(apart.Input(Strings({"a", "b"})).Input(Strings({"a", "b", "c"})).Run().ok());
}

OpTest Split(Tensor x) {
  OpTest test("StringSplit", 20);
  test.Outputs(2).Input(std::move(x));
  return test;
}

// Python's str.split.
TEST(StringSplitTest, SplitsAtWhiteSpace) {
  ExpectOutputs(Split(Strings({" a\t b\n", "", "cd  e f "})),
                {Tensor::Of<std::string>({3, 3}, {"a", "b", "", "", "", "", "cd", "e", "f"}),
                 Ints({2, 0, 3})});
  ExpectOutputs(Split(Strings({"  a b  c "})).Attr("maxsplit", 1),
                {Tensor::Of<std::string>({1, 2}, {"a", "b  c "}), Ints({2})});
  ExpectOutputs(Split(Strings({" a b"})).Attr("maxsplit", 0).Attr("delimiter", ""),
                {Tensor::Of<std::string>({1, 1}, {"a b"}), Ints({1})});
}

TEST(StringSplitTest, SplitsAtADelimiter) {
  ExpectOutputs(Split(Tensor::Of<std::string>({1, 3}, {"a--b", "--", ""})).Attr("delimiter", "--"),
                {Tensor::Of<std::string>({1, 3, 2}, {"a", "b", "", "", "", ""}),
                 Tensor::Of<int64_t>({1, 3}, {2, 2, 1})});
  ExpectOutputs(Split(Strings({"a,b,c"})).Attr("delimiter", ",").Attr("maxsplit", 1),
                {Tensor::Of<std::string>({1, 2}, {"a", "b,c"}), Ints({2})});
}

TEST(StringSplitTest, TakesScalarsAndNothing) {
  ExpectOutputs(Split(Tensor::Scalar(std::string("a b"))),
                {Strings({"a", "b"}), Tensor::Scalar<int64_t>(2)});
  ExpectOutputs(Split(Strings({})), {Tensor::Of<std::string>({0, 0}, {}), Ints({})});
  ExpectOutputs(Split(Strings({" "})), {Tensor::Of<std::string>({1, 0}, {}), Ints({0})});
}

OpTest Normalize(Tensor x, const char* action) {
  OpTest test("StringNormalizer", 10);
  test.Attr("case_change_action", action).Input(std::move(x));
  return test;
}

TEST(StringNormalizerTest, ChangesCaseByUnicodesRules) {
  const Tensor x = Strings({"\xc3\x84pfel", "\xce\xa3\xce\x91\xce\xa3",
                            "Stra\xc3\x9f"
                            "e",
                            ""});
  ExpectTensor(Normalize(x, "LOWER").Run(), Strings({"\xc3\xa4pfel", "\xcf\x83\xce\xb1\xcf\x82",
                                                     "stra\xc3\x9f"
                                                     "e",
                                                     ""}));
  ExpectTensor(Normalize(x, "UPPER").Run(),
               Strings({"\xc3\x84PFEL", "\xce\xa3\xce\x91\xce\xa3", "STRASSE", ""}));
  ExpectTensor(Normalize(x, "NONE").Run(), x);
  ExpectTensor(Normalize(Strings({"i"}), "UPPER").Attr("locale", "tr_TR").Run(),
               Strings({"\xc4\xb0"}));
}

TEST(StringNormalizerTest, RemovesStopwords) {
  const std::vector<std::string> stopwords = {"monday", "TUE"};
  const Tensor x = Tensor::Of<std::string>({1, 3}, {"Monday", "tue", "Wed"});
  ExpectTensor(Normalize(x, "UPPER").Attr("stopwords", stopwords).Run(),
               Tensor::Of<std::string>({1, 1}, {"WED"}));
  ExpectTensor(
      Normalize(x, "LOWER").Attr("stopwords", stopwords).Attr("is_case_sensitive", 1).Run(),
      Tensor::Of<std::string>({1, 3}, {"monday", "tue", "wed"}));
  ExpectTensor(Normalize(Strings({"MONDAY"}), "NONE").Attr("stopwords", stopwords).Run(),
               Strings({""}));
}

TEST(StringNormalizerTest, RefusesWhatIsNoText) {
  ExpectError(Normalize(Strings({"\xff"}), "UPPER").Run().status(), kInvalid, "not valid UTF-8");
  ExpectError(Normalize(Strings({"a"}), "TITLE").Run().status(), kInvalid, "none of LOWER");
  ExpectError(Normalize(Tensor::Of<std::string>({2, 1}, {"a", "b"}), "NONE").Run().status(),
              kInvalid, "not [C] or [1, C]");
}

TEST(RegexFullMatchTest, MatchesTheWholeString) {
  OpTest test("RegexFullMatch", 20);
  test.Attr("pattern", R"((\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$))");
  test.Input(Tensor::Of<std::string>({2, 2}, {"a@gmail.com", "b a@gmail.com c", "", "a@x.com"}));
  ExpectTensor(test.Run(), Bools({2, 2}, {1, 0, 0, 0}));
  OpTest any("RegexFullMatch", 20);
  any.Attr("pattern", ".").Input(Strings({"\xc3\xa4", "ab"}));  // a character, not a byte
  ExpectTensor(any.Run(), Bools({2}, {1, 0}));
  OpTest bad("RegexFullMatch", 20);
  ExpectError(bad.Attr("pattern", "(").Input(Strings({"a"})).Run().status(), kInvalid, "missing )");
}

}  // namespace
}  // namespace onnxcmp::testing
