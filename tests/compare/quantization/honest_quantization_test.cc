// What quantizers do by right, and the mistakes that look like it.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<double> Uniform(int count, uint64_t seed, double size = 1) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> draw(-size, size);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(draw(engine));
  return numbers;
}

std::string Numbers(const std::vector<double>& numbers) {
  return absl::StrCat("{",
                      absl::StrJoin(numbers, ", ",
                                    [](std::string* out, double number) {
                                      absl::StrAppend(out, static_cast<float>(number));
                                    }),
                      "}");
}

std::vector<std::string> MistakesOf(const std::string& left, const std::string& right, int rows,
                                    int columns) {
  const std::vector<double> numbers = Uniform(rows * columns, 7);
  const std::vector<float> x(numbers.begin(), numbers.end());
  CompareOptions options;
  options.quantization = true;
  const auto comparison =
      testing::CompareGraphs(left, right, {{"x", Tensor::Of<float>({rows, columns}, x)}}, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  std::vector<std::string> texts;
  if (!comparison.ok() || !comparison->quantization.has_value()) return texts;
  for (const QuantizationMistake& mistake : comparison->quantization->mistakes) {
    texts.push_back(mistake.text);
  }
  return texts;
}

std::string Pair(const std::string& name, const std::string& params) {
  return absl::StrCat(name, "_q = QuantizeLinear (", name, ", ", params, "_scale, zero)\n", name,
                      "_d = DequantizeLinear (", name, "_q, ", params, "_scale, zero)\n");
}

// The results of the right that are said to be wrong.
std::vector<std::string> WrongResults(const std::string& left, const std::string& right) {
  const std::vector<double> numbers = Uniform(16 * 12, 7);
  const std::vector<float> x(numbers.begin(), numbers.end());
  const auto comparison =
      testing::CompareGraphs(left, right, {{"x", Tensor::Of<float>({16, 12}, x)}});
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  std::vector<std::string> names;
  if (!comparison.ok()) return names;
  for (const Cause& cause : comparison->causes) {
    if (IsWrong(cause)) names.push_back(comparison->right.results[Index(cause.right)].name);
  }
  return names;
}

// A quantizer keeps the names of floats: a wrong node is named, and no scale that looks wrong for
// what is made of it.
TEST(HonestQuantization, NamesTellWhichNodeIsWrong) {
  const std::string head = absl::StrCat(
      "(float[16,12] x) => (float[16,12] y) <float[12,12] w = ", Numbers(Uniform(144, 3)),
      ", float[12,12] v = ", Numbers(Uniform(144, 4)),
      ", float[12] c = ", Numbers(Uniform(12, 5, 0.7)));
  const std::string left = absl::StrCat(head, R"(> {
    m = MatMul (x, w)
    t = Tanh (m)
    s = Add (t, c)
    z = MatMul (s, v)
    e = Tanh (z)
    y = MatMul (e, w)
  })");
  const auto right = [&](const std::string& add, const std::string& tanh) {
    return absl::StrCat(
        head,
        ", float x_scale = {0.008}, float m_scale = {0.035}, float t_scale = {0.008}, "
        "float s_scale = {0.0135}, float z_scale = {0.05}, int8 zero = {0}> {\n",
        Pair("x", "x"), "m = MatMul (x_d, w)\n", Pair("m", "m"), "t = Tanh (m_d)\n", Pair("t", "t"),
        "s = ", add, " (t_d, c)\n", Pair("s", "s"), "z = MatMul (s_d, v)\n", Pair("z", "z"),
        "e = ", tanh, " (z_d)\n", Pair("e", "t"), "y = MatMul (e_d, w)\n}");
  };
  EXPECT_THAT(WrongResults(left, right("Add", "Tanh")), IsEmpty());
  EXPECT_THAT(WrongResults(left, right("Sub", "Tanh")), ElementsAre("s"));
  EXPECT_THAT(WrongResults(left, right("Add", "Cos")), ElementsAre("e"));
}

TEST(HonestQuantization, ASliceHasTheScaleOfTheWhole) {
  const std::string head = "(float[16,12] x) => (float[16,12] y) <";
  const std::string cuts =
      "int64[1] zero_at = {0}, int64[1] six = {6}, int64[1] end = {12}, int64[1] one = {1}";
  // The first half of the columns is small.
  std::vector<double> weights = Uniform(12 * 12, 3);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] *= i % 12 < 6 ? 0.1 : 1;
  const std::string w = absl::StrCat("float[12,12] w = ", Numbers(weights), ", ");
  const std::string left = absl::StrCat(head, w, cuts, R"(> {
    m = MatMul (x, w)
    a = Slice (m, zero_at, six, one)
    b = Slice (m, six, end, one)
    y = Concat <axis = 1> (b, a)
  })");
  const auto right = [&](const std::string& params) {
    std::string text = absl::StrCat(
        head, w, cuts, ", float m_scale = {0.035}, float own_scale = {0.035}, int8 zero = {0}> {\n",
        "m = MatMul (x, w)\n", Pair("m", "m"), "a = Slice (m_d, zero_at, six, one)\n",
        Pair("a", params), "b = Slice (m_d, six, end, one)\n", Pair("b", "m"),
        "y = Concat <axis = 1> (b_d, a_d) }");
    return text;
  };
  EXPECT_THAT(MistakesOf(left, right("m"), 16, 12), IsEmpty());
  // A scale of that number by which nothing else of the family is rounded is too great.
  std::string other = right("own");
  other.replace(other.find("own_scale = {0.035}"), 19, "own_scale = {0.037}");
  EXPECT_THAT(MistakesOf(left, other, 16, 12), ElementsAre(HasSubstr("times too great")));
}

// As quantizers hand the scale of what is averaged on to the average.
TEST(HonestQuantization, AnAverageHasTheScaleOfItsInput) {
  const std::string head = "(float[16,12] x) => (float[16,1] y) <";
  const std::string w =
      absl::StrCat("int64[1] ax = {1}, float[12,12] w = ", Numbers(Uniform(12 * 12, 3)));
  const std::string left =
      absl::StrCat(head, w, "> { m = MatMul (x, w)\n y = ReduceMean <keepdims = 1> (m, ax) }");
  const auto right = [&](double own) {
    return absl::StrCat(head, w, ", float m_scale = {0.045}, float own_scale = ", Numbers({own}),
                        ", int8 zero = {0}> {\nm = MatMul (x, w)\n", Pair("m", "m"),
                        "a = ReduceMean <keepdims = 1> (m_d, ax)\n", Pair("a", "own"),
                        "y = Identity (a_d) }");
  };
  EXPECT_THAT(MistakesOf(left, right(0.045), 16, 12), IsEmpty());
  EXPECT_THAT(MistakesOf(left, right(0.049), 16, 12), ElementsAre(HasSubstr("times too great")));
}

// One input may be quiet in the few numbers of two classes.
TEST(HonestQuantization, FewNumbersDoNotProveAScaleTooGreat) {
  for (const int64_t rows : {1, 16}) {
    const std::string head = absl::StrCat("(float[", rows, ",12] x) => (float[", rows, ",2] y) <");
    const std::string weights = absl::StrCat("float[12,12] w = ", Numbers(Uniform(12 * 12, 3)),
                                             ", float[12,2] v = ", Numbers(Uniform(12 * 2, 4)));
    const std::string left =
        absl::StrCat(head, weights, "> { m = MatMul (x, w)\n y = MatMul (m, v) }");
    const std::string right = absl::StrCat(
        head, weights, ", float m_scale = {0.035}, float y_scale = {0.5}, int8 zero = {0}> {\n",
        "m = MatMul (x, w)\n", Pair("m", "m"), "z = MatMul (m_d, v)\n", Pair("z", "y"),
        "y = Identity (z_d) }");
    const auto mistakes = MistakesOf(left, right, rows, 12);
    if (rows == 1) {
      EXPECT_THAT(mistakes, IsEmpty());
    } else {
      EXPECT_THAT(mistakes, ElementsAre(HasSubstr("times too great")));
    }
  }
}

// Integers that are far from all that there is stand for what their name says.
TEST(HonestQuantization, IntegersThatAreFarFromAllHaveAPartnerByName) {
  const std::string head = "(float[16,12] x) => (float[16,12] y) <";
  const auto weights = [](int i) { return Uniform(144, 30 + static_cast<uint64_t>(i), 0.85); };
  std::string left = head;
  for (int i = 1; i <= 3; ++i) {
    absl::StrAppend(&left, i > 1 ? ", " : "", "float[12,12] w", i, " = ", Numbers(weights(i)));
  }
  left += "> { a = MatMul (x, w1)\n b = MatMul (a, w2)\n y = MatMul (b, w3) }";
  const auto right = [&](int rolled) {
    std::string text = absl::StrCat(
        head, "float xs = {0.008}, float ys = {0.035}, float ws = {0.0067}, int8 zero = {0}");
    for (int i = 1; i <= 3; ++i) {
      std::vector<double> integers = weights(i);
      for (double& number : integers) number = std::nearbyint(number / 0.0067);
      if (i == rolled) std::rotate(integers.begin(), integers.begin() + 12, integers.end());
      absl::StrAppend(&text, ", int8[12,12] q", i, " = ", Numbers(integers));
    }
    return absl::StrCat(text, R"(> {
      x_quantized = QuantizeLinear (x, xs, zero)
      a_quantized = QLinearMatMul (x_quantized, xs, zero, q1, ws, zero, ys, zero)
      b_quantized = QLinearMatMul (a_quantized, ys, zero, q2, ws, zero, ys, zero)
      y_quantized = QLinearMatMul (b_quantized, ys, zero, q3, ws, zero, ys, zero)
      y = DequantizeLinear (y_quantized, ys, zero)
    })");
  };
  EXPECT_THAT(WrongResults(left, right(0)), IsEmpty());
  EXPECT_THAT(WrongResults(left, right(2)), ElementsAre("b_quantized"));
}

TEST(HonestQuantization, ANodeMayBeLeftInFloat) {
  const std::string head = "(float[16,8] x) => (float[16,8] y) <";
  const auto weights = [](int i) { return Uniform(64, 20 + static_cast<uint64_t>(i), 0.2); };
  // By block: whether the weights are quantized, and whether the product is.
  const auto model = [&](bool quantized, bool weights_of_third, bool product_of_third) {
    std::string constants = "float h_scale = {0.02}, int8 zero = {0}";
    std::string nodes =
        quantized ? absl::StrCat("h = Identity (x)\n", Pair("h", "h")) : "h_d = Identity (x)\n";
    std::string read = "h_d";
    for (int i = 0; i < 5; ++i) {
      absl::StrAppend(&constants, ", float[8,8] f", i, " = ", Numbers(weights(i)));
      std::vector<double> integers = weights(i);
      for (double& number : integers) number = std::nearbyint(number / 0.0016);
      absl::StrAppend(&constants, ", int8[8,8] q", i, " = ", Numbers(integers));
      const bool packs = quantized && (i != 3 || weights_of_third);
      absl::StrAppend(
          &nodes, packs ? absl::StrCat("w", i, " = DequantizeLinear (q", i, ", w_scale, zero)\n")
                        : absl::StrCat("w", i, " = Identity (f", i, ")\n"));
      absl::StrAppend(&nodes, "p", i, " = MatMul (", read, ", w", i, ")\n");
      const bool rounds = quantized && (i != 3 || product_of_third);
      if (rounds) nodes += Pair(absl::StrCat("p", i), "h");
      absl::StrAppend(&nodes, "s", i, " = Add (p", i, rounds ? "_d, " : ", ", read, ")\n");
      if (quantized) nodes += Pair(absl::StrCat("s", i), "h");
      read = absl::StrCat("s", i, quantized ? "_d" : "");
    }
    return absl::StrCat(head, constants, ", float w_scale = {0.0016}> {\n", nodes, "y = Identity (",
                        read, ") }");
  };
  const auto missing = [](const std::vector<std::string>& mistakes) {
    int count = 0;
    for (const std::string& text : mistakes) count += absl::StrContains(text, "without Quant");
    return count;
  };
  const std::string left = model(false, false, false);
  EXPECT_EQ(missing(MistakesOf(left, model(true, false, false), 16, 8)), 0);
  EXPECT_EQ(missing(MistakesOf(left, model(true, true, false), 16, 8)), 1);
  EXPECT_EQ(missing(MistakesOf(left, model(true, true, true), 16, 8)), 0);
}

// 32 x 16 in two blocks of 16, with zero points.
struct Packed {
  std::vector<int> integers;     // by column, then row
  std::vector<int> zero_points;  // by column, then block
  std::vector<double> scales;
  bool drop_zero_points = false;
  bool exchange = false;
  std::vector<double> order;  // of the rows, in which a Gather takes the input; empty: as they are

  std::string Text() const {
    std::vector<double> bytes, zeros;
    for (size_t i = 0; i < integers.size(); i += 2) {
      bytes.push_back(exchange ? integers[i] * 16 + integers[i + 1]
                               : integers[i] + integers[i + 1] * 16);
    }
    for (size_t i = 0; i < zero_points.size(); i += 2) {
      zeros.push_back(zero_points[i] + zero_points[i + 1] * 16);
    }
    return absl::StrCat("(float[24,32] x) => (float[24,16] y) <uint8[16,2,8] w = ", Numbers(bytes),
                        ", float[32] s = ", Numbers(scales), ", uint8[16] z = ", Numbers(zeros),
                        order.empty() ? "> { h = Identity (x)"
                                      : absl::StrCat(", int64[32] o = ", Numbers(order),
                                                     "> { h = Gather <axis = -1> (x, o)"),
                        "\n y = com.microsoft.MatMulNBits <K = 32, N = 16, bits = 4, "
                        "block_size = 16> (h, w, s",
                        drop_zero_points ? ") }" : ", z) }");
  }
};

// The same weights in floats.
std::string Unpacked(const Packed& packed) {
  std::vector<double> floats(32 * 16);
  const std::vector<double> off = Uniform(32 * 16, 11, 0.5);
  for (size_t n = 0; n < 16; ++n) {
    for (size_t k = 0; k < 32; ++k) {
      const size_t row = packed.order.empty() ? k : static_cast<size_t>(packed.order[k]);
      const size_t block = n * 2 + k / 16;
      floats[row * 16 + n] =
          (packed.integers[n * 32 + k] - packed.zero_points[block] + off[n * 32 + k]) *
          packed.scales[block];
    }
  }
  return absl::StrCat("(float[24,32] x) => (float[24,16] y) <float[32,16] w = ", Numbers(floats),
                      "> { y = MatMul (x, w) }");
}

Packed SomePacked() {
  std::mt19937_64 engine(5);
  Packed honest;
  for (int i = 0; i < 32; ++i) {
    honest.zero_points.push_back(3 + static_cast<int>(engine() % 9));
    honest.scales.push_back(0.05 + 0.01 * static_cast<double>(engine() % 16));
  }
  for (size_t i = 0; i < 16 * 32; ++i) honest.integers.push_back(static_cast<int>(engine() % 16));
  return honest;
}

TEST(HonestQuantization, PackedWeightsAreLookedAt) {
  const Packed honest = SomePacked();
  const std::string left = Unpacked(honest);
  EXPECT_THAT(MistakesOf(left, honest.Text(), 24, 32), IsEmpty());
  Packed dropped = honest;
  dropped.drop_zero_points = true;
  EXPECT_THAT(MistakesOf(left, dropped.Text(), 24, 32),
              ElementsAre(HasSubstr("no zero points are given")));
  Packed shifted = honest;
  for (int& zero : shifted.zero_points) ++zero;
  EXPECT_THAT(MistakesOf(left, shifted.Text(), 24, 32),
              ElementsAre(HasSubstr("zero points z are too great")));
  Packed exchanged = honest;
  exchanged.exchange = true;
  EXPECT_THAT(MistakesOf(left, exchanged.Text(), 24, 32),
              ElementsAre(HasSubstr("two halves of each byte exchanged")));
  Packed scaled = honest;
  scaled.scales[5] *= 1.5;
  EXPECT_THAT(MistakesOf(left, scaled.Text(), 24, 32),
              ElementsAre(HasSubstr("in 1 of 32 blocks: in column 2, block 1")));
}

// GPTQ sorts rows by activation, and a Gather takes the input in that order.
TEST(HonestQuantization, SortedPackedWeightsAreLookedAtInTheOrderOfTheirInput) {
  Packed sorted = SomePacked();
  for (int k = 0; k < 32; ++k) sorted.order.push_back(k * 11 % 32);
  const std::string left = Unpacked(sorted);
  EXPECT_THAT(MistakesOf(left, sorted.Text(), 24, 32), IsEmpty());
  Packed shifted = sorted;
  for (int& zero : shifted.zero_points) --zero;
  EXPECT_THAT(MistakesOf(left, shifted.Text(), 24, 32),
              ElementsAre(HasSubstr("zero points z are too small")));
}

TEST(HonestQuantization, TheOrderOfAnotherPackingIsNamed) {
  constexpr size_t kOrder[] = {0, 2, 4, 6, 1, 3, 5, 7};
  const Packed honest = SomePacked();
  Packed numbers = honest;
  Packed columns = honest;
  for (size_t i = 0; i < honest.integers.size(); ++i) {
    numbers.integers[i] = honest.integers[i / 8 * 8 + kOrder[i % 8]];
    const size_t column = i / 32;
    columns.integers[i] = honest.integers[(column / 8 * 8 + kOrder[column % 8]) * 32 + i % 32];
  }
  const std::string left = Unpacked(honest);
  EXPECT_THAT(MistakesOf(left, numbers.Text(), 24, 32),
              ElementsAre(HasSubstr("w: with each eight numbers in another order")));
  EXPECT_THAT(MistakesOf(left, columns.Text(), 24, 32),
              ElementsAre(HasSubstr("w: with each eight columns in another order")));
}

// The same integers, scales and zero points on both sides: what decodes them differs.
TEST(HonestQuantization, IntegersThatAreDecodedOtherwiseAreNotAtFault) {
  std::mt19937_64 engine(7);
  std::vector<double> integers, scales, zero_points;
  for (int i = 0; i < 32 * 16; ++i) integers.push_back(static_cast<double>(engine() % 200) - 100);
  for (int i = 0; i < 16; ++i) {
    scales.push_back(0.002 + 0.0001 * static_cast<double>(engine() % 16));
    zero_points.push_back(static_cast<double>(engine() % 19) - 9);
  }
  const std::string head =
      absl::StrCat("(float[24,32] x) => (float[24,16] y) <int8[32,16] q = ", Numbers(integers));
  const std::string left = absl::StrCat(
      head, ", float[16] s = ", Numbers(scales), ", int8[16] z = ", Numbers(zero_points),
      "> { w = DequantizeLinear <axis = 1> (q, s, z)\n y = MatMul (x, w) }");
  const std::string right = absl::StrCat(
      head, ", float[1,16] s = ", Numbers(scales), ", float none = {0}",
      "> { f = Cast <to = 1> (q)\n c = Sub (f, none)\n w = Mul (c, s)\n y = MatMul (x, w) }");
  EXPECT_THAT(MistakesOf(left, right, 24, 32), IsEmpty());
}

// 8-bit weights as text, and their scale.
struct RoundedWeights {
  std::string integers;
  double scale = 0;
};
RoundedWeights Rounded(const std::vector<double>& weights) {
  RoundedWeights rounded;
  for (const double weight : weights) rounded.scale = std::max(rounded.scale, std::abs(weight));
  rounded.scale /= 127;
  std::vector<double> integers;
  for (const double weight : weights) integers.push_back(std::nearbyint(weight / rounded.scale));
  rounded.integers = Numbers(integers);
  return rounded;
}

// Four layers; the second reads an outlier that has no weight, so that of its dynamically quantized
// input nothing is left.
TEST(HonestQuantization, AnOutlierLeavesNothingOfALayer) {
  std::vector<double> outlier(12, 1);
  outlier[3] = 2000;
  std::string constants = absl::StrCat("float[12] g = ", Numbers(outlier));
  std::string integers, scales, wrong_scales;
  for (int layer = 0; layer < 4; ++layer) {
    std::vector<double> weights = Uniform(144, 30 + static_cast<uint64_t>(layer));
    if (layer == 1) std::fill(weights.begin() + 36, weights.begin() + 48, 0);
    const RoundedWeights rounded = Rounded(weights);
    absl::StrAppend(&constants, ", float[12,12] w", layer, " = ", Numbers(weights));
    const auto scale = [&](double factor) {
      return absl::StrCat(", float s", layer, " = {", factor * rounded.scale, "}");
    };
    absl::StrAppend(&integers, ", int8[12,12] q", layer, " = ", rounded.integers);
    absl::StrAppend(&scales, scale(1));
    absl::StrAppend(&wrong_scales, scale(layer == 3 ? 1.5 : 1));
  }
  const auto nodes = [](bool dynamic) {
    std::string text;
    for (int layer = 0; layer < 4; ++layer) {
      const std::string in = layer == 0 ? "x" : layer == 1 ? "t0g" : absl::StrCat("t", layer - 1);
      if (layer == 1) absl::StrAppend(&text, "t0g = Mul (t0, g)\n");
      text += absl::StrReplaceAll(
          dynamic ? "a#, b#, c# = DynamicQuantizeLinear (@)\n i# = MatMulInteger (a#, q#, c#)\n"
                    "f# = Cast <to = 1> (i#)\n p# = Mul (b#, s#)\n m# = Mul (f#, p#)\n"
                  : "m# = MatMul (@, w#)\n",
          {{"#", absl::StrCat(layer)}, {"@", in}});
      absl::StrAppend(&text, layer == 3 ? "y = Sigmoid (m3)\n"
                                        : absl::StrCat("t", layer, " = Sin (m", layer, ")\n"));
    }
    return text;
  };
  const std::string head = "(float[16,12] x) => (float[16,12] y) <";
  const std::string left = absl::StrCat(head, constants, "> {", nodes(false), "}");
  const auto right = [&](const std::string& by) {
    return absl::StrCat(head, constants, integers, by, "> {", nodes(true), "}");
  };
  EXPECT_THAT(MistakesOf(left, right(scales), 16, 12), IsEmpty());
  EXPECT_THAT(MistakesOf(left, right(wrong_scales), 16, 12),
              ElementsAre(HasSubstr("1.5 times as great")));
}

// The integers begin at 0, so that the Relu before them is left out, and its name stays.
TEST(HonestQuantization, ARangeMayDoARelu) {
  const std::string head = absl::StrCat(
      "(float[16,12] x) => (float[16,12] y) <float[12,12] w = ", Numbers(Uniform(144, 3)),
      ", float[12,12] v = ", Numbers(Uniform(144, 4)));
  const std::string left =
      absl::StrCat(head, "> {\n m = MatMul (x, w)\n r = Relu (m)\n y = MatMul (r, v)\n}");
  const auto right = [&](const std::string& zero, const std::string& scale) {
    return absl::StrCat(head,
                        ", float x_scale = {0.008}, float m_scale = {0.033}, int8 zero = {0}, "
                        "int64[2] shape = {16, 12}, float r_scale = {",
                        scale, "}, int8 r_zero = {", zero, "}> {\n", Pair("x", "x"),
                        "m = MatMul (x_d, w)\n", Pair("m", "m"),
                        "r = Reshape (m_d, shape)\n r_q = QuantizeLinear (r, r_scale, r_zero)\n"
                        "r_d = DequantizeLinear (r_q, r_scale, r_zero)\n y = MatMul (r_d, v)\n}");
  };
  EXPECT_THAT(MistakesOf(left, right("-128", "0.0165"), 16, 12), IsEmpty());
  EXPECT_THAT(WrongResults(left, right("0", "0.033")), ElementsAre("r_q"));
}

// A column that nothing reads takes all steps of the weights. The layer is named, as no mistake.
TEST(HonestQuantization, TheCostliestLayerIsACauseIfOutputsDiffer) {
  std::vector<double> weights = Uniform(144, 3);
  std::vector<double> after = Uniform(144, 4);
  for (size_t i = 0; i < 12; ++i) {
    weights[12 * i] *= 400;
    after[i] = 0;
  }
  const RoundedWeights rounded = Rounded(weights);
  const std::string head =
      absl::StrCat("(float[16,12] x) => (float[16,12] y) <float[12,12] v = ", Numbers(after));
  const std::string left = absl::StrCat(head, ", float[12,12] w = ", Numbers(weights),
                                        "> {\n m = MatMul (x, w)\n y = MatMul (m, v)\n}");
  const std::string right = absl::StrCat(
      head, ", int8[12,12] q = ", rounded.integers, ", float s = {", rounded.scale,
      "}, float x_scale = {0.008}, int8 zero = {0}> {\n", Pair("x", "x"),
      "w = DequantizeLinear (q, s, zero)\n m = MatMul (x_d, w)\n y = MatMul (m, v)\n}");
  const std::vector<double> numbers = Uniform(16 * 12, 7);
  const std::vector<float> x(numbers.begin(), numbers.end());
  const auto comparison =
      testing::CompareGraphs(left, right, {{"x", Tensor::Of<float>({16, 12}, x)}});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  ASSERT_EQ(comparison->causes.size(), size_t{1});
  EXPECT_EQ(comparison->causes[0].kind, CauseKind::kQuantization);
  EXPECT_THAT(comparison->causes[0].text, HasSubstr("this layer (MatMul) costs most"));
}

// Of a probability below half a step of a grid from 0 to 1 nothing is left by right.
TEST(HonestQuantization, AProbabilityMayRoundToZero) {
  const auto verdict = [](const std::string& step) {
    const std::string head =
        "(float[1,2] x) => (float[1,1] y) <float[2,1] w = {1, -2}, float c = {-18}";
    const std::string nodes = "m = MatMul (x, w)\n b = Add (m, c)\n";
    const auto comparison = testing::CompareGraphs(
        absl::StrCat(head, "> {", nodes, "y = Sigmoid (b) }"),
        absl::StrCat(head, ", float y_s = {", step, "}, int8 z = {-128}> {", nodes,
                     "s = Sigmoid (b)\n q = QuantizeLinear (s, y_s, z)\n"
                     "y = DequantizeLinear (q, y_s, z) }"),
        {{"x", Tensor::Of<float>({1, 2}, {0.5F, -0.25F})}});
    return comparison.ok() ? comparison->verdict() : Verdict::kFailed;
  };
  EXPECT_EQ(verdict("0.00390625"), Verdict::kClose);
  EXPECT_EQ(verdict("0.1"), Verdict::kDifferent);
}

}  // namespace
}  // namespace onnxcmp
