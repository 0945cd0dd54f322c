// Types, elements and UTF-8 as text.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/outputs/rulings.h"
#include "feed/type_text.h"
#include "record/differences/element_text.h"
#include "record/differences/tensor_difference.h"
#include "record/text/utf8.h"
#include "reports/words/result_words.h"
#include "reports/words/rulings_text.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

TypeInfo Floats(std::vector<TypeInfo::Dim> shape) {
  TypeInfo type;
  type.kind = TypeInfo::Kind::kTensor;
  type.dtype = DType::kFloat;
  type.shape = std::move(shape);
  return type;
}

TEST(RulingsTextTest, WhatDecidedEachOutput) {
  OutputComparison outputs;
  outputs.pairs.resize(3);
  for (OutputPair& pair : outputs.pairs) pair.difference.beyond = 1;
  outputs.pairs[1].left = "logits";
  Rule(Ground::kHonestNoise, "", &outputs.pairs[1]);
  Rule(Ground::kSignalToNoise, "9 dB, below 10 dB", &outputs.pairs[1]);
  outputs.pairs[2].left = "ids";
  outputs.pairs[2].difference.beyond = 0;
  Rule(Ground::kTies, "TopK top", &outputs.pairs[2]);
  EXPECT_THAT(RulingsText(outputs),
              ElementsAre("logits: excused: honest noise of a conversion; objection: too little "
                          "signal to noise: 9 dB, below 10 dB",
                          "ids: excused: a choice at equal numbers: TopK top (changes nothing)"));
}

TEST(TypeTextTest, Types) {
  EXPECT_EQ(TypeText(TypeInfo()), "unknown");
  EXPECT_EQ(TypeText(Floats({})), "float[]");
  EXPECT_EQ(TypeText(Floats({{2, ""}, {std::nullopt, "n"}, {}})), "float[2,n,?]");
  TypeInfo type = Floats({});
  type.shape.reset();
  EXPECT_EQ(TypeText(type), "float");
  TypeInfo map;
  map.kind = TypeInfo::Kind::kMap;
  map.dtype = DType::kString;
  map.element = std::make_shared<const TypeInfo>(type);
  EXPECT_EQ(TypeText(map), "map(string, float)");
  TypeInfo sequence;
  sequence.kind = TypeInfo::Kind::kSequence;
  sequence.element = std::make_shared<const TypeInfo>(map);
  EXPECT_EQ(TypeText(sequence), "seq(map(string, float))");
}

TEST(TypeConflictTest, KindTypeRankAndDimensions) {
  const Tensor value = Tensor::Of<float>({1, 2}, {1, 2});
  EXPECT_EQ(TypeConflict(value, TypeInfo()), "");
  EXPECT_EQ(TypeConflict(value, Floats({{}, {2, ""}})), "");
  EXPECT_EQ(TypeConflict(value, Floats({{}, {3, ""}})), "dimension 1");
  EXPECT_EQ(TypeConflict(value, Floats({{}})), "rank");
  EXPECT_EQ(TypeConflict(Tensor::Scalar<int64_t>(1), Floats({})), "element type");
  EXPECT_EQ(TypeConflict(Sequence{}, Floats({})), "kind");
}

TEST(ElementTextTest, Elements) {
  EXPECT_EQ(ElementText(Tensor::Of<float>({2}, {0.1f, 1e-30f}), 0), "0.1");
  EXPECT_EQ(ElementText(Tensor::Scalar(0.1), 0), "0.1");
  EXPECT_EQ(ElementText(Tensor::Scalar(0.1f + 0.0), 0), "0.10000000149011612");
  EXPECT_EQ(ElementText(Tensor::Scalar(std::nanf("")), 0), "nan");
  EXPECT_EQ(ElementText(Tensor::Scalar(-std::numeric_limits<float>::infinity()), 0), "-inf");
  EXPECT_EQ(ElementText(Tensor::Scalar<uint64_t>(~uint64_t{0}), 0), "18446744073709551615");
  EXPECT_EQ(ElementText(Tensor::Scalar<int8_t>(-3), 0), "-3");
  EXPECT_EQ(ElementText(Tensor::Scalar(true), 0), "true");
  EXPECT_EQ(ElementText(Tensor::Scalar(std::complex<float>(1, -2)), 0), "1-2j");
  EXPECT_EQ(ElementText(Tensor::Scalar<std::string>("a\"\n"), 0), R"("a\"\n")");
  EXPECT_EQ(ElementText(Tensor::Scalar(absl::StrCat(std::string(100, 'a'), "z")), 0),
            absl::StrCat("\"", std::string(27, 'a'), "...", std::string(9, 'a'), "z\""));
  const Tensor texts = Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"});
  EXPECT_EQ(ElementText(texts.Strided({2, 2}, {1, 2}, 0), 1), "\"c\"");
}

TEST(Utf8Test, Characters) {
  std::string text;
  for (const uint32_t code : {0x61u, 0xE4u, 0x20ACu, 0x1F600u}) {
    EXPECT_TRUE(AppendUtf8(code, &text));
  }
  EXPECT_EQ(text, "aä€😀");
  EXPECT_FALSE(AppendUtf8(0xD800, &text));
  EXPECT_FALSE(AppendUtf8(0x110000, &text));
  EXPECT_THAT(DecodeUtf8(text), ElementsAre(0x61, 0xE4, 0x20AC, 0x1F600));
}

TEST(Utf8Test, BytesThatAreNone) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("aä€😀"));
  // Alone, cut off, longer than needed, a surrogate, beyond the last character.
  for (const char* bad : {"\x80", "\xFF", "\xC3", "\xE2\x82", "\xC0\x80", "\xE0\x80\x80",
                          "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << bad;
  }
  EXPECT_THAT(DecodeUtf8("a\xFFz"), ElementsAre('a', 0xFFFD, 'z'));
}

// Their differences are no integers then.
TEST(GreatestDifferenceTest, OfIntegersThatStandForOtherNumbers) {
  TensorDifference difference;
  difference.values.max_absolute = 123;
  EXPECT_EQ(GreatestDifference(difference, DType::kUint8), "123");
  difference.values.max_absolute = 0.0867;
  EXPECT_EQ(GreatestDifference(difference, DType::kUint8), "0.087");
}

}  // namespace
}  // namespace onnxcmp
