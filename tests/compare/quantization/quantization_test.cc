// Quantized twins of a float model: figures against some computed by hand, honest twins without
// mistakes, and each fault named where it is.
#include "compare/quantization/find_quantization.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
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
#include "compare/sides/model_side.h"
#include "record/base/per_side.h"
#include "record/differences/tensor_distance.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::unique_ptr<ModelSide> SideOf(const std::string& text, const Tensor& x) {
  const testing::LoadedModel model = testing::LoadGraph(text);
  EXPECT_TRUE(model.ok()) << model.status() << text;
  if (!model.ok()) return nullptr;
  auto side = ModelSide::Create(*model, testing::Registry(), {.threads = 1});
  EXPECT_TRUE(side.ok()) << side.status() << text;
  if (!side.ok()) return nullptr;
  (*side)->SetFeeds({{(*model)->graph.inputs[0].name, x}});
  return *std::move(side);
}

Comparison Compared(const std::string& left, const std::string& right, const Tensor& x) {
  const auto a = SideOf(left, x);
  const auto b = SideOf(right, x);
  if (a == nullptr || b == nullptr) return {};
  CompareOptions options;
  options.threads = 1;
  options.quantization = true;
  absl::StatusOr<Comparison> comparison = Compare(*a, *b, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  EXPECT_TRUE(comparison->quantization.has_value());
  if (!comparison->quantization.has_value()) comparison->quantization.emplace();
  return *std::move(comparison);
}

const QuantizedLayer& LayerOf(const Comparison& comparison, const std::string& result) {
  static const auto* const kNoLayer = new QuantizedLayer();
  const ResultStream& side = OfSide(comparison, comparison.quantization->side);
  for (const QuantizedLayer& layer : comparison.quantization->layers) {
    if (side.results[Index(layer.result)].name == result) return layer;
  }
  ADD_FAILURE() << "no layer " << result;
  return *kNoLayer;
}

constexpr int kSize = 16;
constexpr int kRows = 32;

std::vector<double> Random(int count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> numbers;
  // Sums of four: the ends are rare, as they are in models.
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += static_cast<double>(engine() % 20001) / 10000 - 1;
    numbers.push_back(sum / 2);
  }
  return numbers;
}

Tensor X() {
  std::vector<float> floats;
  for (const double number : Random(kRows * kSize, 1)) floats.push_back(static_cast<float>(number));
  return Tensor::Of<float>({kRows, kSize}, floats);
}

std::string List(const std::vector<double>& numbers) {
  return absl::StrCat("{",
                      absl::StrJoin(numbers, ", ",
                                    [](std::string* out, double number) {
                                      absl::StrAppend(out, static_cast<float>(number));
                                    }),
                      "}");
}

// Columns are of very different size.
std::vector<double> Weights(int number) {
  std::vector<double> weights = Random(kSize * kSize, 100 + static_cast<uint64_t>(number));
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= 0.1 + 0.05 * static_cast<double>((i % kSize * 7) % kSize);
  }
  return weights;
}

std::string Head() {
  return absl::StrCat("g (float[", kRows, ",", kSize, "] x) => (float[", kRows, ",", kSize,
                      "] y) <");
}

std::string Float() {
  std::string text = Head();
  for (int i = 1; i <= 3; ++i) {
    absl::StrAppend(&text, i > 1 ? ",\n" : "", "float[16,16] w", i, " = ", List(Weights(i)));
  }
  return absl::StrCat(text, R"(> {
    p1 = MatMul (x, w1)
    r1 = Relu (p1)
    p2 = MatMul (r1, w2)
    s = Add (p2, r1)
    y = MatMul (s, w3)
  })");
}

struct QuantParamsOfCounterpart {
  double scale = 1;
  double zero_point = 0;
};
struct WeightsOfCounterpart {
  std::vector<double> integers;
  std::vector<double> scales;
  double zero_point = 0;
  int axis = 1;
};

// The same with each activation through QuantizeLinear and DequantizeLinear and weights in 8 bits.
struct Twin {
  std::string type = "int8";
  double least = -128;
  double most = 127;
  std::map<std::string, QuantParamsOfCounterpart> activations;  // by result
  std::map<std::string, WeightsOfCounterpart> weights;
  std::string not_quantized;  // the result that is not

  std::string Text() const {
    std::string initializers;
    for (const auto& [name, params] : activations) {
      absl::StrAppend(&initializers, initializers.empty() ? "" : ",\n", "float ", name,
                      "_scale = {", static_cast<float>(params.scale), "}, ", type, " ", name,
                      "_zero = {", params.zero_point, "}");
    }
    std::string nodes;
    for (const auto& [name, of] : weights) {
      const size_t channels = of.scales.size();
      const std::string shape = channels == 1 ? "" : absl::StrCat("[", channels, "]");
      absl::StrAppend(&initializers, ",\nint8[16,16] ", name, "_q = ", List(of.integers),
                      ",\nfloat", shape, " ", name, "_scale = ", List(of.scales), ",\nint8", shape,
                      " ", name, "_zero = ", List(std::vector<double>(channels, of.zero_point)));
      absl::StrAppend(&nodes, "  ", name, " = DequantizeLinear <axis = ", of.axis, "> (", name,
                      "_q, ", name, "_scale, ", name, "_zero)\n");
    }
    const auto rounded = [&](const std::string& name, const std::string& to) {
      if (name == not_quantized) {
        absl::StrAppend(&nodes, "  ", to, " = Identity (", name, ")\n");
        return;
      }
      absl::StrAppend(&nodes, "  ", name, "_q = QuantizeLinear (", name, ", ", name, "_scale, ",
                      name, "_zero)\n  ", to, " = DequantizeLinear (", name, "_q, ", name,
                      "_scale, ", name, "_zero)\n");
    };
    rounded("x", "x_d");
    nodes += "  p1 = MatMul (x_d, w1)\n  r1 = Relu (p1)\n";
    rounded("r1", "r1_d");
    nodes += "  p2 = MatMul (r1_d, w2)\n";
    rounded("p2", "p2_d");
    nodes += "  s = Add (p2_d, r1_d)\n";
    rounded("s", "s_d");
    nodes += "  last = MatMul (s_d, w3)\n";
    rounded("last", "y");
    return absl::StrCat(Head(), initializers, "> {\n", nodes, "}");
  }
};

// From the float model's own values.
Twin Calibrated(const std::string& type, double least, double most, bool per_channel = true) {
  Twin counterpart;
  counterpart.type = type;
  counterpart.least = least;
  counterpart.most = most;
  testing::Recorder recorder;
  const testing::LoadedModel model = testing::LoadGraph(Float());
  EXPECT_TRUE(model.ok()) << model.status();
  const auto evaluator = Evaluator::Create(*model, testing::Registry(), {.threads = 1});
  EXPECT_TRUE(evaluator.ok() && evaluator->Run({{"x", X()}}, &recorder).ok());
  for (const testing::Recorder::Entry& entry : recorder.entries()) {
    if (entry.kind == ResultKind::kInitializer || entry.kind == ResultKind::kOutput) continue;
    if (entry.name == "p1") continue;
    double low = 0, high = 0;
    for (const double number : ElementsOf(entry.value.tensor())) {
      low = std::min(low, number);
      high = std::max(high, number);
    }
    const double scale = (high - low) / (most - least);
    counterpart.activations[entry.name == "y" ? "last" : entry.name] = {
        scale, std::round(least - low / scale)};
  }
  for (int i = 1; i <= 3; ++i) {
    const std::vector<double> floats = Weights(i);
    WeightsOfCounterpart& weights = counterpart.weights[absl::StrCat("w", i)];
    std::vector<double> greatest(per_channel ? kSize : 1);
    for (size_t k = 0; k < floats.size(); ++k) {
      double& channel = greatest[k % greatest.size()];
      channel = std::max(channel, std::abs(floats[k]));
    }
    for (const double most_of_channel : greatest) {
      weights.scales.push_back(static_cast<float>(most_of_channel / 127));
    }
    for (size_t k = 0; k < floats.size(); ++k) {
      weights.integers.push_back(std::nearbyint(floats[k] / weights.scales[k % greatest.size()]));
    }
  }
  return counterpart;
}

Twin Int8() { return Calibrated("int8", -128, 127); }

std::vector<std::string> WrongCauses(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const Cause& cause : comparison.causes) {
    if (!IsWrong(cause)) continue;
    texts.push_back(
        absl::StrCat(CauseKindName(cause.kind), " ",
                     cause.right == kNone ? "" : comparison.right.results[Index(cause.right)].name,
                     ": ", cause.text));
  }
  return texts;
}

TEST(Quantization, FiguresOfOnePair) {
  // Rounded to steps of 1: 0, -1, 3, 5. Signal 32.85, noise 0.09 + 0.16.
  const Comparison comparison =
      Compared("g (float[4] x) => (float[4] y) { y = Neg (x) }",
               "g (float[4] x) => (float[4] y) <float s = {1.0}, int8 z = {0}> {\n"
               "q = QuantizeLinear (x, s, z)\n d = DequantizeLinear (q, s, z)\n y = Neg (d) }",
               Tensor::Of<float>({4}, {0.3f, -1, 2.6f, 5}));
  ASSERT_THAT(comparison.quantization->layers, SizeIs(1));
  const QuantizedLayer& layer = comparison.quantization->layers[0];
  EXPECT_EQ(comparison.left.results[Index(layer.partner)].name, "x");
  EXPECT_EQ(comparison.right.results[Index(layer.dequantized)].name, "d");
  EXPECT_EQ(layer.dtype, DType::kInt8);
  EXPECT_NEAR(*layer.sqnr, 10 * std::log10(32.85 / 0.25), 1e-4);
  EXPECT_NEAR(*layer.own_sqnr, 10 * std::log10(32.85 / 0.25), 1e-4);
  // (0.3 * 0 + 1 + 7.8 + 25) / sqrt(32.85 * 35)
  EXPECT_NEAR(*layer.cosine, 33.8 / std::sqrt(32.85 * 35), 1e-6);
  EXPECT_EQ(*layer.saturated, 0);
  EXPECT_NEAR(*layer.used, 6.0 / 255, 1e-12);
  EXPECT_EQ(*layer.least_real, -128);
  EXPECT_EQ(*layer.most_real, 127);
  EXPECT_NEAR(*layer.cost, std::sqrt(0.25 / 32.85), 1e-6);
  EXPECT_NEAR(*comparison.quantization->output_error, std::sqrt(0.25 / 32.85), 1e-6);
}

TEST(Quantization, ElementsAtTheEndsAreSaturatedButZerosOfARelu) {
  // In steps of 1/64, from 0 to 255: 0, 64, 255 and 255; the 0 is a zero point.
  const Comparison comparison =
      Compared("g (float[4] x) => (float[4] y) { y = Relu (x) }",
               "g (float[4] x) => (float[4] y) <float s = {0.015625}, uint8 z = {0}> {\n"
               "r = Relu (x)\n q = QuantizeLinear (r, s, z)\n y = DequantizeLinear (q, s, z) }",
               Tensor::Of<float>({4}, {-3, 1, 4, 5}));
  const QuantizedLayer& layer = LayerOf(comparison, "q");
  EXPECT_EQ(*layer.saturated, 0.5);
  EXPECT_EQ(*layer.used, 1);
}

TEST(Quantization, WeightsHaveFiguresOfTheirOwn) {
  // Steps of 0.5: 1, -0.5, 2, 0 for 1.1, -0.5, 1.9, 0.2.
  const Comparison comparison = Compared(
      "g (float[2,2] x) => (float[2,2] y) <float[2,2] w = {1.1, -0.5, 1.9, 0.2}> {\n"
      "y = MatMul (x, w) }",
      "g (float[2,2] x) => (float[2,2] y) <int8[2,2] q = {2, -1, 4, 0}, float s = {0.5}> {\n"
      "w = DequantizeLinear (q, s)\n y = MatMul (x, w) }",
      Tensor::Of<float>({2, 2}, {1, 2, 3, -1}));
  const QuantizedLayer& layer = LayerOf(comparison, "y");
  EXPECT_EQ(layer.made_by, "MatMul");
  EXPECT_EQ(comparison.right.results[Index(layer.weights)].name, "w");
  EXPECT_NEAR(*layer.weights_sqnr, 10 * std::log10((1.21 + 0.25 + 3.61 + 0.04) / 0.06), 1e-4);
}

TEST(Quantization, HonestTwinsHaveNoMistakes) {
  for (const Twin& counterpart :
       {Int8(), Calibrated("uint8", 0, 255), Calibrated("int16", -32768, 32767),
        Calibrated("int8", -128, 127, /*per_channel=*/false)}) {
    const Comparison comparison = Compared(Float(), counterpart.Text(), X());
    EXPECT_THAT(comparison.quantization->mistakes, IsEmpty());
    EXPECT_THAT(WrongCauses(comparison), IsEmpty()) << counterpart.type;
    // Every activation is listed, beside what it stands for, and the product before the Relu.
    EXPECT_THAT(comparison.quantization->layers, SizeIs(6));
    for (const QuantizedLayer& layer : comparison.quantization->layers) {
      EXPECT_NE(layer.partner, kNone);
      EXPECT_GT(*layer.own_sqnr, 30) << layer.made_by;
      EXPECT_TRUE(layer.cost.has_value());
    }
    EXPECT_TRUE(std::is_sorted(
        comparison.quantization->layers.begin(), comparison.quantization->layers.end(),
        [](const QuantizedLayer& a, const QuantizedLayer& b) { return *a.cost > *b.cost; }));
  }
}

// Of a product of two, few numbers are great, and an honest grid of 8 bits leaves less of the rest.
TEST(Quantization, WhatAGridThatFitsMakesOfItsNumbersIsKnown) {
  const std::string head =
      absl::StrCat("g (float[", kRows, ",", kSize, "] x) => (float[", kRows, ",", kSize, "] y) <");
  std::vector<double> integers;
  for (const double weight : Weights(1)) integers.push_back(std::nearbyint(weight * 64));
  const std::string square = "s = Mul (x, x)\n c = Mul (s, x)\n d = Mul (c, s)\n";
  const Comparison comparison = Compared(
      absl::StrCat(head, "int8[16,16] q = ", List(integers), ", float w_scale = {0.015625}> {\n",
                   square, "w = DequantizeLinear (q, w_scale)\n y = MatMul (d, w) }"),
      absl::StrCat(head, "int8[16,16] q = ", List(integers), ", float w_scale = {0.015625}> {\n",
                   square,
                   "i, scale, zero = DynamicQuantizeLinear (d)\n"
                   "p = MatMulInteger (i, q, zero)\n f = Cast<to = 1> (p)\n"
                   "both = Mul (scale, w_scale)\n y = Mul (f, both) }"),
      X());
  const QuantizedLayer& rounded = LayerOf(comparison, "i");
  ASSERT_TRUE(rounded.rounding_sqnr.has_value());
  EXPECT_LT(*rounded.rounding_sqnr, 38);
  EXPECT_NEAR(*rounded.own_sqnr, *rounded.rounding_sqnr, 3);
  EXPECT_TRUE(rounded.in_another);
  const QuantizedLayer& product = LayerOf(comparison, "y");
  EXPECT_EQ(product.rounding_sqnr, rounded.rounding_sqnr);
  EXPECT_FALSE(product.in_another);
}

// Integers that are multiplied as they are have no scale to be measured by, but a zero point.
TEST(Quantization, TheZeroPointOfIntegerProducts) {
  const std::string head =
      absl::StrCat("g (float[", kRows, ",", kSize, "] x) => (float[", kRows, ",", kSize, "] y) <");
  // None is small: a step or two are no great noise.
  std::vector<double> weights = Random(kSize * kSize, 7);
  std::vector<double> integers;
  for (double& weight : weights) {
    weight = std::copysign(0.5 + std::abs(weight) / 8, weight);
    integers.push_back(std::nearbyint(weight * 128));
  }
  const std::string left =
      absl::StrCat(head, "float[16,16] w = ", List(weights), "> { y = MatMul (x, w) }");
  for (const int moved : {0, 3, -4}) {
    const Comparison comparison =
        Compared(left,
                 absl::StrCat(head, "int8[16,16] q = ", List(integers), ", int8 wz = {", moved,
                              "}, float w_scale = {0.0078125}> {\n"
                              "i, scale, zero = DynamicQuantizeLinear (x)\n"
                              "p = MatMulInteger (i, q, zero, wz)\n f = Cast<to = 1> (p)\n"
                              "both = Mul (scale, w_scale)\n y = Mul (f, both) }"),
                 X());
    const std::vector<QuantizationMistake>& mistakes = comparison.quantization->mistakes;
    if (moved == 0) {
      EXPECT_THAT(mistakes, IsEmpty());
      continue;
    }
    ASSERT_THAT(mistakes, SizeIs(1)) << moved;
    EXPECT_EQ(mistakes[0].text,
              absl::StrCat("zero point wz of the weights q is about ", std::abs(moved),
                           " steps too ", moved > 0 ? "great" : "small"));
    EXPECT_EQ(comparison.right.results[Index(mistakes[0].place)].name, "wz");
  }
}

// A grid of which the numbers use little explains nothing.
TEST(Quantization, AGridThatIsTooCoarseExplainsNothing) {
  Twin counterpart = Int8();
  EXPECT_TRUE(LayerOf(Compared(Float(), counterpart.Text(), X()), "s_q").rounding_sqnr.has_value());
  counterpart.activations["s"].scale *= 4;
  EXPECT_FALSE(
      LayerOf(Compared(Float(), counterpart.Text(), X()), "s_q").rounding_sqnr.has_value());
  counterpart.activations["s"].scale /= 16;
  EXPECT_FALSE(
      LayerOf(Compared(Float(), counterpart.Text(), X()), "s_q").rounding_sqnr.has_value());
}

TEST(Quantization, WhicheverSideIsQuantized) {
  const Comparison comparison = Compared(Int8().Text(), Float(), X());
  EXPECT_EQ(comparison.quantization->side, SideId::kLeft);
  EXPECT_THAT(comparison.quantization->layers, SizeIs(6));
  EXPECT_THAT(WrongCauses(comparison), IsEmpty());
}

TEST(Quantization, OfTwoQuantizedSidesTheRightIsMeasured) {
  const Comparison comparison =
      Compared(Int8().Text(), Calibrated("uint8", 0, 255, false).Text(), X());
  EXPECT_TRUE(comparison.quantization->both);
  EXPECT_EQ(comparison.quantization->side, SideId::kRight);
  EXPECT_THAT(WrongCauses(comparison), IsEmpty());
}

struct FaultOfCounterpart {
  std::string name;
  std::function<void(Twin*)> put;
  std::string result;  // of the quantized side
  std::string text;
};

class QuantizationFault : public ::testing::TestWithParam<FaultOfCounterpart> {};

TEST_P(QuantizationFault, IsNamed) {
  for (const bool quantized_right : {true, false}) {
    Twin counterpart = Int8();
    GetParam().put(&counterpart);
    const Comparison comparison = quantized_right ? Compared(Float(), counterpart.Text(), X())
                                                  : Compared(counterpart.Text(), Float(), X());
    ASSERT_THAT(comparison.quantization->mistakes, SizeIs(1)) << GetParam().name;
    EXPECT_THAT(comparison.quantization->mistakes[0].text, HasSubstr(GetParam().text));
    // A number that is not rounded is no fault of the numbers.
    if (absl::StartsWith(GetParam().name, "missing")) {
      EXPECT_THAT(comparison.causes, IsEmpty());
      continue;
    }
    ASSERT_FALSE(comparison.causes.empty());
    const Cause& cause = comparison.causes[0];
    EXPECT_TRUE(IsWrong(cause));
    EXPECT_EQ(quantized_right ? comparison.right.results[Index(cause.right)].name
                              : comparison.left.results[Index(cause.left)].name,
              GetParam().result);
    // Nothing else is called wrong.
    EXPECT_EQ(std::count_if(comparison.causes.begin(), comparison.causes.end(), IsWrong), 1)
        << absl::StrJoin(WrongCauses(comparison), "\n");
  }
}

std::vector<FaultOfCounterpart> Faults() {
  std::vector<FaultOfCounterpart> faults;
  for (const char* name : {"x", "r1", "p2", "s", "last"}) {
    const std::string result = absl::StrCat(name, "_q");
    faults.push_back({absl::StrCat("scale_four_times_", name),
                      [=](Twin* counterpart) { counterpart->activations[name].scale *= 4; }, result,
                      absl::StrCat("scale ", name, "_scale")});
    faults.push_back({absl::StrCat("scale_a_quarter_", name),
                      [=](Twin* counterpart) { counterpart->activations[name].scale /= 4; }, result,
                      "are cut off"});
    faults.push_back({absl::StrCat("zero_point_", name),
                      [=](Twin* counterpart) {
                        double& zero = counterpart->activations[name].zero_point;
                        zero += zero > 100 ? -20 : 20;
                      },
                      result, absl::StrCat("zero point ", name, "_zero")});
  }
  for (const char* name : {"w1", "w2", "w3"}) {
    const std::string layer = name[1] == '1' ? "p1" : name[1] == '2' ? "p2_q" : "last_q";
    faults.push_back({absl::StrCat("weights_scale_", name),
                      [=](Twin* counterpart) {
                        for (double& scale : counterpart->weights[name].scales) scale *= 4;
                      },
                      layer, "4 times what it should be"});
    faults.push_back({absl::StrCat("axis_", name),
                      [=](Twin* counterpart) { counterpart->weights[name].axis = 0; }, layer,
                      "axis 0 of the scales"});
    faults.push_back({absl::StrCat("another_channel_", name),
                      [=](Twin* counterpart) {
                        std::vector<double>& scales = counterpart->weights[name].scales;
                        scales[3] = scales[4];
                      },
                      layer, "of channel 3 (1 of 16 channels are wrong)"});
    faults.push_back({absl::StrCat("weights_zero_point_", name),
                      [=](Twin* counterpart) { counterpart->weights[name].zero_point = 20; }, layer,
                      absl::StrCat("zero point ", name, "_zero")});
  }
  for (const char* name : {"x", "s"}) {
    faults.push_back({absl::StrCat("missing_", name),
                      [=](Twin* counterpart) { counterpart->not_quantized = name; },
                      absl::StrCat(name, "_d"), "without QuantizeLinear and DequantizeLinear"});
  }
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Twins, QuantizationFault, ::testing::ValuesIn(Faults()),
                         [](const auto& info) { return info.param.name; });

TEST(Quantization, WrittenWithOneScaleAndReadWithAnother) {
  const std::string text = absl::StrReplaceAll(
      Int8().Text(),
      {{"p2_d = DequantizeLinear (p2_q, p2_scale,", "p2_d = DequantizeLinear (p2_q, s_scale,"}});
  const Comparison comparison = Compared(Float(), text, X());
  ASSERT_THAT(comparison.quantization->mistakes, SizeIs(1));
  EXPECT_THAT(comparison.quantization->mistakes[0].text,
              AllOf(HasSubstr("written with the scale p2_scale"), HasSubstr("read with s_scale")));
}

TEST(Quantization, BlocksOfFourBits) {
  // Four blocks of four rows, each with its own scale.
  const std::vector<double> floats = Weights(2);
  const auto model = [&](double factor) {
    std::vector<double> scales(4 * kSize);
    for (size_t i = 0; i < floats.size(); ++i) {
      double& scale = scales[i / kSize / 4 * kSize + i % kSize];
      scale = std::max(scale, static_cast<double>(static_cast<float>(std::abs(floats[i]) / 7)));
    }
    std::vector<double> integers;
    for (size_t i = 0; i < floats.size(); ++i) {
      integers.push_back(std::nearbyint(floats[i] / scales[i / kSize / 4 * kSize + i % kSize]));
    }
    scales[5] *= factor;
    return absl::StrCat(Head(), "int8[16,16] q8 = ", List(integers),
                        ", float[4,16] s = ", List(scales),
                        "> {\n q = Cast <to = 22> (q8)\n"
                        "w = DequantizeLinear <axis = 0, block_size = 4> (q, s)\n"
                        "y = MatMul (x, w) }");
  };
  const std::string plain =
      absl::StrCat(Head(), "float[16,16] w = ", List(floats), "> { y = MatMul (x, w) }");
  const Comparison honest = Compared(plain, model(1), X());
  EXPECT_THAT(WrongCauses(honest), IsEmpty());
  EXPECT_GT(*LayerOf(honest, "y").weights_sqnr, 15);
  EXPECT_LT(*LayerOf(honest, "y").weights_sqnr, 30);
  const Comparison wrong = Compared(plain, model(6), X());
  ASSERT_THAT(wrong.quantization->mistakes, SizeIs(1));
  EXPECT_THAT(wrong.quantization->mistakes[0].text,
              HasSubstr("of channel 5 (1 of 64 channels are wrong)"));
}

TEST(Quantization, PackedWeightsAreUnpacked) {
  // 16 x 32 in one block of 32 each: the integers 0 to 15 about 8, times 0.5.
  std::vector<double> packed(16 * 16), floats(32 * 16), scales(16, 0.5);
  for (size_t n = 0; n < 16; ++n) {
    for (size_t k = 0; k < 32; ++k) {
      const int q = static_cast<int>((3 * n + 5 * k) % 16);
      packed[n * 16 + k / 2] += k % 2 == 0 ? q : 16 * q;
      floats[k * 16 + n] = (q - 8) * 0.5 + (k == 0 ? 0.25 : 0);
    }
  }
  const std::string head = "(float[4,32] x) => (float[4,16] y) <";
  std::vector<float> x(4 * 32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  CompareOptions options;
  options.quantization = true;
  const auto comparison = testing::CompareGraphs(
      absl::StrCat(head, "float[32,16] w = ", List(floats), "> { y = MatMul (x, w) }"),
      absl::StrCat(head, "uint8[16,1,16] w = ", List(packed), ", float[16] s = ", List(scales),
                   "> { y = com.microsoft.MatMulNBits <K = 32, N = 16, bits = 4, block_size = 32>"
                   " (x, w, s) }"),
      {{"x", Tensor::Of<float>({4, 32}, x)}}, options);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  double signal = 0;
  for (const double number : floats) signal += number * number;
  const QuantizedLayer& layer = LayerOf(*comparison, "y");
  EXPECT_EQ(layer.made_by, "MatMulNBits");
  EXPECT_NEAR(*layer.weights_sqnr, 10 * std::log10(signal / (16 * 0.0625)), 1e-3);
}

TEST(Quantization, OfFloatModelsThereIsNothing) {
  const auto a = SideOf(Float(), X());
  const auto b = SideOf(Float(), X());
  CompareOptions options;
  options.quantization = true;
  const auto comparison = Compare(*a, *b, options);
  ASSERT_TRUE(comparison.ok());
  EXPECT_FALSE(comparison->quantization.has_value());
  EXPECT_THAT(comparison->notes, ::testing::Contains(HasSubstr("neither side is quantized")));
}

}  // namespace
}  // namespace onnxcmp
