// Models beside what converters make of them: honest conversions agree without a cause, and one
// that is something else besides does not pass for honest.
#include "compare/conversion/check_conversion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/result_stream.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareFedWith;
using ::onnxcmp::testing::Pattern;
using ::onnxcmp::testing::Replaced;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kWidth = 16;
constexpr size_t kChannels = kWidth;

Tensor FedX() { return Pattern({kWidth, kWidth}, 53, 127, 2); }

// An initializer in ONNX's text form, where 16-bit floats are written by their bits.
std::string Declared(const std::string& name, const Tensor& tensor) {
  std::vector<double> numbers = ElementsOf(tensor);
  if (tensor.dtype() == DType::kFloat16 || tensor.dtype() == DType::kBfloat16) {
    const auto* const bits = reinterpret_cast<const uint16_t*>(tensor.raw_data());
    numbers.assign(bits, bits + tensor.num_elements());
  }
  const std::string shape =
      tensor.rank() == 0 ? "" : absl::StrCat("[", absl::StrJoin(tensor.shape(), ","), "]");
  const auto print = [](std::string* out, double number) {
    absl::StrAppend(out, static_cast<float>(number));
  };
  return absl::StrCat(DTypeName(tensor.dtype()), shape, " ", name, " = {",
                      absl::StrJoin(numbers, ", ", print), "}");
}

using Constants = std::map<std::string, Tensor>;

std::string ModelOf(const std::string& outputs, const Constants& constants,
                    const std::string& nodes) {
  std::vector<std::string> declared;
  for (const auto& [name, tensor] : constants) declared.push_back(Declared(name, tensor));
  return absl::StrCat("g (float[16,16] x) => (", outputs, ") <", absl::StrJoin(declared, ",\n"),
                      "> {\n", nodes, "}");
}

std::string ModelOf(const Constants& constants, const std::string& nodes) {
  return ModelOf("float[16,16] y", constants, nodes);
}

// The model that most tests convert, and what a converter may do to it besides.
struct Layers {
  Tensor w = Pattern({kWidth, kWidth}, 37, 101, 1);
  Tensor v = Pattern({kWidth, kWidth}, 29, 113, 1);
  Tensor c = Pattern({kWidth}, 5, 17, 0.5);
  std::string bend = "Relu";
  std::string last = "Softmax <axis = 1>";
  bool exchanged_factors = false;
  bool exchanged_terms = false;
};

std::string Call(const std::string& op, std::string a, std::string b, bool exchanged) {
  if (exchanged) std::swap(a, b);
  return absl::StrCat(op, " (", a, ", ", b, ")\n");
}

std::string Plain(const Layers& layers = {}) {
  return ModelOf({{"w", layers.w}, {"v", layers.v}, {"c", layers.c}},
                 absl::StrCat("p = ", Call("MatMul", "x", "w", layers.exchanged_factors),
                              "s = Add (p, c)\n r = ", layers.bend, " (s)\n q = MatMul (r, v)\n",
                              "d = ", Call("Sub", "q", "s", layers.exchanged_terms),
                              "t = Tanh (d)\n y = ", layers.last, " (t)\n"));
}

std::string InShortFloats(DType dtype, const Layers& layers) {
  return ModelOf(
      {{"w", testing::Convert(layers.w, dtype)},
       {"v", testing::Convert(layers.v, dtype)},
       {"c", testing::Convert(layers.c, dtype)}},
      absl::StrCat("x_low = Cast <to = ", dtype == DType::kFloat16 ? 10 : 16, "> (x)\n",
                   "p = ", Call("MatMul", "x_low", "w", layers.exchanged_factors),
                   "s = Add (p, c)\n r = ", layers.bend, " (s)\n q = MatMul (r, v)\n",
                   "d = ", Call("Sub", "q", "s", layers.exchanged_terms),
                   "t = Tanh (d)\n y_low = ", layers.last, " (t)\n y = Cast <to = 1> (y_low)\n"));
}
std::string Half(const Layers& layers = {}) { return InShortFloats(DType::kFloat16, layers); }
std::string Brain(const Layers& layers = {}) { return InShortFloats(DType::kBfloat16, layers); }

// Weights by column in 8 bits: name_q, name_scale, name_zero.
void AddQuantized(const std::string& name, const Tensor& floats, Constants* constants) {
  const std::vector<double> numbers = ElementsOf(floats);
  std::vector<float> scales(kChannels);
  for (size_t i = 0; i < numbers.size(); ++i) {
    float& scale = scales[i % kChannels];
    scale = std::max(scale, static_cast<float>(std::abs(numbers[i]) / 127));
  }
  std::vector<int8_t> integers;
  for (size_t i = 0; i < numbers.size(); ++i) {
    integers.push_back(static_cast<int8_t>(
        std::nearbyint(numbers[i] / static_cast<double>(scales[i % kChannels]))));
  }
  (*constants)[name + "_q"] = Tensor::Of<int8_t>(floats.shape(), integers);
  (*constants)[name + "_scale"] = Tensor::Of<float>({kWidth}, scales);
  (*constants)[name + "_zero"] = Tensor::Of<int8_t>({kWidth}, std::vector<int8_t>(kChannels));
}

// Scales and zero points for results of a float model by its own numbers.
void AddCalibrated(const std::string& plain, const std::vector<std::string>& results,
                   Constants* constants) {
  testing::Recorder recorder;
  const testing::LoadedModel model = testing::LoadGraph(plain);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto evaluator = Evaluator::Create(*model, testing::Registry(), {.threads = 1});
  ASSERT_TRUE(evaluator.ok() && evaluator->Run({{"x", FedX()}}, &recorder).ok());
  for (const testing::Recorder::Entry& entry : recorder.entries()) {
    if (!absl::c_linear_search(results, entry.name)) continue;
    const std::vector<double> numbers = ElementsOf(entry.value.tensor());
    const double low = std::min(0.0, *absl::c_min_element(numbers));
    const double high = std::max(0.0, *absl::c_max_element(numbers));
    const double scale = (high - low) / 255;
    (*constants)[entry.name + "_scale"] = Tensor::Scalar(static_cast<float>(scale));
    (*constants)[entry.name + "_zero"] =
        Tensor::Scalar(static_cast<uint8_t>(std::round(-low / scale)));
  }
}

std::string Rounding(const std::string& name) {
  return absl::StrCat(name, "_q = QuantizeLinear (", name, ", ", name, "_scale, ", name, "_zero)\n",
                      name, "_d = DequantizeLinear (", name, "_q, ", name, "_scale, ", name,
                      "_zero)\n");
}

std::string Dequantized(const std::string& name) {
  return absl::StrCat(name, "_d = DequantizeLinear <axis = 1> (", name, "_q, ", name, "_scale, ",
                      name, "_zero)\n");
}

Constants QuantizedConstants(const Layers& layers) {
  Constants constants = {{"c", layers.c}};
  AddQuantized("w", layers.w, &constants);
  AddQuantized("v", layers.v, &constants);
  return constants;
}

std::string InPairs(const Layers& layers = {}) {
  Constants constants = QuantizedConstants(layers);
  AddCalibrated(Plain(), {"x", "p", "s", "r", "q", "d"}, &constants);
  return ModelOf(constants,
                 absl::StrCat(Rounding("x"), Dequantized("w"), Dequantized("v"), "p = ",
                              Call("MatMul", "x_d", "w_d", layers.exchanged_factors), Rounding("p"),
                              "s = Add (p_d, c)\n", Rounding("s"), "r = ", layers.bend, " (s_d)\n",
                              Rounding("r"), "q = MatMul (r_d, v_d)\n", Rounding("q"),
                              "d = ", Call("Sub", "q_d", "s_d", layers.exchanged_terms),
                              Rounding("d"), "t = Tanh (d_d)\n y = ", layers.last, " (t)\n"));
}

std::string DynamicProduct(const std::string& of, const std::string& weights,
                           const std::string& made) {
  return absl::Substitute(
      "$0_q, $0_scale, $0_zero = DynamicQuantizeLinear ($0)\n"
      "$2_sums = MatMulInteger ($0_q, $1_q, $0_zero, $1_zero)\n"
      "$2_floats = Cast <to = 1> ($2_sums)\n"
      "$2_scale = Mul ($0_scale, $1_scale)\n $2 = Mul ($2_floats, $2_scale)\n",
      of, weights, made);
}

std::string Dynamic(const Layers& layers = {}) {
  return ModelOf(QuantizedConstants(layers),
                 absl::StrCat(DynamicProduct("x", "w", "p"), "s = Add (p, c)\n r = ", layers.bend,
                              " (s)\n", DynamicProduct("r", "v", "q"),
                              "d = ", Call("Sub", "q", "s", layers.exchanged_terms),
                              "t = Tanh (d)\n y = ", layers.last, " (t)\n"));
}

std::string InIntegers(const Layers& layers = {}) {
  Constants constants = QuantizedConstants(layers);
  AddCalibrated(Plain(), {"x", "p", "s", "r", "q"}, &constants);
  return ModelOf(
      constants,
      absl::StrCat("x_q = QuantizeLinear (x, x_scale, x_zero)\n",
                   "p_q = QLinearMatMul (x_q, x_scale, x_zero, w_q, w_scale, w_zero, p_scale, "
                   "p_zero)\n p_d = DequantizeLinear (p_q, p_scale, p_zero)\n s = Add (p_d, c)\n",
                   Rounding("s"), "r = ", layers.bend, " (s_d)\n",
                   "r_q = QuantizeLinear (r, r_scale, r_zero)\n",
                   "q_q = QLinearMatMul (r_q, r_scale, r_zero, v_q, v_scale, v_zero, q_scale, "
                   "q_zero)\n q_d = DequantizeLinear (q_q, q_scale, q_zero)\n",
                   "d = ", Call("Sub", "q_d", "s_d", layers.exchanged_terms),
                   "t = Tanh (d)\n y = ", layers.last, " (t)\n"));
}

struct Form {
  std::string name;
  std::function<std::string(const Layers&)> make;
  double decibels = 0;  // that are left at least
};

std::vector<Form> Forms() {
  return {{"float16", Half, 50},
          {"bfloat16", Brain, 30},
          {"pairs", InPairs, 20},
          {"dynamic", Dynamic, 20},
          {"integers", InIntegers, 20}};
}

Comparison Beside(const std::string& left, const std::string& right, CompareOptions options = {}) {
  return CompareFedWith(FedX(), left, FedX(), right, std::move(options));
}

// Options by which no noise is too great, so that what is wrong is refused for that alone.
CompareOptions AnyNoise() {
  CompareOptions options;
  options.min_sqnr = -100;
  return options;
}

// The names of all causes on the converted side.
std::vector<std::string> NamesOfCauses(const Comparison& comparison, SideId converted) {
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    const int r = OfSide(cause, converted);
    names.push_back(r == kNone ? "" : OfSide(comparison, converted).results[Index(r)].name);
  }
  return names;
}

void ExpectHonest(const Comparison& comparison, const std::string& what) {
  EXPECT_EQ(comparison.verdict(), Verdict::kClose)
      << what << ": " << VerdictName(comparison.verdict());
  EXPECT_THAT(NamesOfCauses(comparison, SideId::kRight), IsEmpty()) << what;
  EXPECT_FALSE(comparison.keep_in_float.has_value()) << what;
  ASSERT_FALSE(comparison.outputs.pairs.empty()) << what;
  for (const OutputPair& pair : comparison.outputs.pairs) {
    EXPECT_TRUE(pair.honest_noise) << what << " " << pair.left;
    EXPECT_TRUE(pair.sqnr.has_value()) << what << " " << pair.left;
    EXPECT_TRUE(pair.chosen_by.empty()) << what << " " << pair.chosen_by;
  }
}

// Readers are told of a fault: outputs differ, or a cause is listed. It passes for no noise.
void ExpectCaught(const Comparison& comparison, const std::string& what) {
  EXPECT_TRUE(comparison.verdict() == Verdict::kDifferent || !comparison.causes.empty())
      << what << ": " << VerdictName(comparison.verdict());
  for (const OutputPair& pair : comparison.outputs.pairs) {
    EXPECT_FALSE(pair.honest_noise) << what << " " << pair.left;
  }
}

// Comparisons fail by their outputs or by a wrong cause.
void ExpectFailed(const Comparison& comparison, const std::string& what) {
  EXPECT_TRUE(comparison.verdict() == Verdict::kDifferent ||
              absl::c_any_of(comparison.causes, IsWrong))
      << what << ": " << VerdictName(comparison.verdict());
}

TEST(CheckConversion, AnHonestConversionAgreesWithoutACause) {
  for (const Form& form : Forms()) {
    const Comparison comparison = Beside(Plain(), form.make({}));
    ExpectHonest(comparison, form.name);
    ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
    ASSERT_TRUE(comparison.outputs.pairs[0].sqnr.has_value());
    EXPECT_GT(*comparison.outputs.pairs[0].sqnr, form.decibels) << form.name;
    EXPECT_LT(*comparison.outputs.pairs[0].sqnr, 90) << form.name;
  }
}

TEST(CheckConversion, EitherSideMayBeTheConvertedOne) {
  for (const Form& form : Forms()) {
    const Comparison right = Beside(Plain(), form.make({}));
    const Comparison left = Beside(form.make({}), Plain());
    ExpectHonest(left, form.name);
    ASSERT_THAT(left.outputs.pairs, SizeIs(1));
    ASSERT_THAT(right.outputs.pairs, SizeIs(1));
    EXPECT_EQ(left.outputs.pairs[0].sqnr, right.outputs.pairs[0].sqnr) << form.name;
    EXPECT_THAT(right.outputs.pairs[0].tolerance_reason, HasSubstr("on the right"));
    EXPECT_THAT(left.outputs.pairs[0].tolerance_reason, HasSubstr("on the left"));
  }
}

struct ConversionFault {
  std::string name;
  std::function<void(Layers*)> put;
  bool by_operands = false;  // of a product
  bool by_range = false;     // integers of r have no negative numbers in any case
};

Tensor WithRow(const Tensor& tensor, float factor) {
  std::vector<double> numbers = ElementsOf(tensor);
  std::vector<float> floats(numbers.begin(), numbers.end());
  for (size_t i = 3 * kChannels; i < 4 * kChannels; ++i) floats[i] *= factor;
  return Tensor::Of<float>(tensor.shape(), floats);
}

Tensor Transposed(const Tensor& tensor) {
  const std::vector<double> numbers = ElementsOf(tensor);
  std::vector<float> floats;
  for (size_t i = 0; i < numbers.size(); ++i) {
    floats.push_back(static_cast<float>(numbers[i % kChannels * kChannels + i / kChannels]));
  }
  return Tensor::Of<float>(tensor.shape(), floats);
}

std::vector<ConversionFault> ConversionFaults() {
  return {
      {"row_doubled", [](Layers* layers) { layers->w = WithRow(layers->w, 2); }},
      {"row_negated", [](Layers* layers) { layers->v = WithRow(layers->v, -1); }},
      {"transposed", [](Layers* layers) { layers->w = Transposed(layers->w); }},
      {"exchanged_weights", [](Layers* layers) { std::swap(layers->w, layers->v); }},
      {"other_shift", [](Layers* layers) { layers->c = Pattern({kWidth}, 6, 17, 0.5); }},
      {"exchanged_terms", [](Layers* layers) { layers->exchanged_terms = true; }},
      {"exchanged_factors", [](Layers* layers) { layers->exchanged_factors = true; }, true},
      {"relu_missing", [](Layers* layers) { layers->bend = "Identity"; }, false, true},
      {"abs_for_relu", [](Layers* layers) { layers->bend = "Abs"; }},
      {"leaky_relu", [](Layers* layers) { layers->bend = "LeakyRelu <alpha = 0.2>"; }, false, true},
      {"other_axis", [](Layers* layers) { layers->last = "Softmax <axis = 0>"; }},
      {"hardmax", [](Layers* layers) { layers->last = "Hardmax <axis = 1>"; }},
      {"log_softmax", [](Layers* layers) { layers->last = "LogSoftmax <axis = 1>"; }},
  };
}

TEST(CheckConversion, AFaultOfAModelIsCaughtInEachForm) {
  for (const ConversionFault& fault : ConversionFaults()) {
    Layers layers;
    fault.put(&layers);
    for (const Form& form : Forms()) {
      if (fault.by_operands && (form.name == "dynamic" || form.name == "integers")) continue;
      const std::string what = absl::StrCat(fault.name, " in ", form.name);
      if (fault.by_range && (form.name == "pairs" || form.name == "integers")) {
        ExpectHonest(Beside(Plain(), form.make(layers)), what);
        continue;
      }
      ExpectCaught(Beside(Plain(), form.make(layers)), what);
      ExpectCaught(Beside(form.make(layers), Plain()), what + " on the left");
    }
  }
}

// Faults of the model that was converted, not of the conversion.
TEST(CheckConversion, AFaultOfThePlainSideIsCaught) {
  for (const ConversionFault& fault : ConversionFaults()) {
    Layers layers;
    fault.put(&layers);
    for (const Form& form : Forms()) {
      ExpectCaught(Beside(Plain(layers), form.make({})), absl::StrCat(fault.name, " ", form.name));
    }
  }
}

TEST(CheckConversion, OtherNamesAreNoMatter) {
  const auto renamed = [](std::string text) {
    for (const char* name : {"p", "s", "r", "q", "d"}) {
      for (const char* end : {" =", ",", ")", "_"}) {
        for (const char* begin : {" ", "\n", "("}) {
          text = absl::StrReplaceAll(text, {{absl::StrCat(begin, name, end),
                                             absl::StrCat(begin, name, "_of_converter", end)}});
        }
      }
    }
    return text;
  };
  for (const Form& form : Forms()) {
    ExpectHonest(Beside(Plain(), renamed(form.make({}))), form.name);
    Layers layers;
    layers.bend = "Abs";
    ExpectCaught(Beside(Plain(), renamed(form.make(layers))), form.name);
  }
}

// Parameters of quantization.

// A model with more constants, in ONNX's text form.
std::string With(const std::string& text, const std::string& constants) {
  return Replaced(text, "y) <", absl::StrCat("y) <", constants, ",\n"));
}

double ScaleFor(const std::string& result) {
  Constants constants;
  AddCalibrated(Plain(), {result}, &constants);
  return ElementsOf(constants[result + "_scale"])[0];
}

TEST(CheckConversion, AScaleThatIsReadOtherwiseIsCaught) {
  for (const std::string name : {"x", "p", "s", "r", "q", "d"}) {
    const std::string read =
        absl::StrCat(name, "_d = DequantizeLinear (", name, "_q, ", name, "_scale");
    for (const double factor : {0.8, 1.25}) {
      const std::string other =
          With(Replaced(InPairs(), read, read + "_read"),
               absl::StrCat("float ", name, "_scale_read = {", factor * ScaleFor(name), "}"));
      ExpectCaught(Beside(Plain(), other), absl::StrCat(name, " ", factor));
      ExpectCaught(Beside(other, Plain()), absl::StrCat(name, " on the left, ", factor));
    }
  }
}

TEST(CheckConversion, AZeroPointThatIsReadOtherwiseIsCaught) {
  for (const std::string name : {"x", "p", "s", "r", "q", "d"}) {
    const std::string scale = absl::StrCat(name, "_q, ", name, "_scale, ");
    const std::string read = absl::StrCat("DequantizeLinear (", scale, name, "_zero)");
    const std::string other =
        With(Replaced(InPairs(), read, absl::StrCat("DequantizeLinear (", scale, "another)")),
             "uint8 another = {99}");
    ExpectCaught(Beside(Plain(), other), name);
  }
}

TEST(CheckConversion, ANumberThatIsReadTheSameUnderAnotherNameIsHonest) {
  const std::string scale = Declared("again", Tensor::Scalar(static_cast<float>(ScaleFor("s"))));
  ExpectHonest(Beside(Plain(), With(Replaced(InPairs(), "s_d = DequantizeLinear (s_q, s_scale",
                                             "s_d = DequantizeLinear (s_q, again"),
                                    scale)),
               "again");
}

// The grid, written and read alike.
TEST(CheckConversion, AScaleThatIsTooGreatIsSuspect) {
  for (const std::string name : {"x", "p", "s", "r", "q", "d"}) {
    for (const double factor : {0.25, 4.0}) {
      const std::string other = absl::StrReplaceAll(
          With(InPairs(), absl::StrCat("float ", name, "_wrong = {", factor * ScaleFor(name), "}")),
          {{absl::StrCat(name, "_scale, ", name, "_zero)"),
            absl::StrCat(name, "_wrong, ", name, "_zero)")}});
      ExpectCaught(Beside(Plain(), other), absl::StrCat(name, " ", factor));
    }
  }
}

// Results but d, of which too few numbers are beyond the range that is left.
TEST(CheckConversion, AZeroPointThatIsMovedIsSuspect) {
  for (const std::string name : {"x", "p", "s", "r", "q"}) {
    Constants constants;
    AddCalibrated(Plain(), {name}, &constants);
    const double zero = ElementsOf(constants[name + "_zero"])[0];
    const std::string other = absl::StrReplaceAll(
        With(InPairs(),
             absl::StrCat("uint8 ", name, "_moved = {", zero > 100 ? zero - 40 : 40, "}")),
        {{absl::StrCat(name, "_scale, ", name, "_zero)"),
          absl::StrCat(name, "_scale, ", name, "_moved)")}});
    ExpectCaught(Beside(Plain(), other), name);
  }
}

struct WeightsFault {
  std::string name;
  std::function<void(Constants*)> put;
};

std::vector<WeightsFault> WeightsFaults() {
  const auto scaled = [](size_t first, size_t last) {
    return [=](Constants* constants) {
      std::vector<float> scales;
      for (const double scale : ElementsOf((*constants)["w_scale"])) {
        const bool other = scales.size() >= first && scales.size() < last;
        scales.push_back(static_cast<float>(other ? 1.15 * scale : scale));
      }
      (*constants)["w_scale"] = Tensor::Of<float>({kWidth}, scales);
    };
  };
  return {{"all_scales", scaled(0, kChannels)},
          {"one_scale", scaled(5, 6)},
          {"zero_point",
           [](Constants* constants) {
             (*constants)["w_zero"] =
                 Tensor::Of<int8_t>({kWidth}, std::vector<int8_t>(kChannels, 2));
           }},
          {"exchanged",
           [](Constants* constants) { std::swap((*constants)["w_q"], (*constants)["v_q"]); }}};
}

TEST(CheckConversion, AFaultOfWeightsIsCaught) {
  const Constants honest = QuantizedConstants({});
  for (const WeightsFault& fault : WeightsFaults()) {
    Constants wrong = honest;
    fault.put(&wrong);
    for (const Form& form : Forms()) {
      if (absl::StrContains(form.name, "float")) continue;
      std::string text = form.make({});
      for (const auto& [name, tensor] : wrong) {
        if (Declared(name, tensor) == Declared(name, honest.at(name))) continue;
        text = Replaced(text, Declared(name, honest.at(name)), Declared(name, tensor));
      }
      ExpectCaught(Beside(Plain(), text), absl::StrCat(fault.name, " in ", form.name));
    }
  }
}

TEST(CheckConversion, ScalesAlongAnotherAxisAreCaught) {
  const std::string other =
      Replaced(InPairs(), "w_d = DequantizeLinear <axis = 1>", "w_d = DequantizeLinear <axis = 0>");
  ExpectCaught(Beside(Plain(), other), "w");
}

// Numbers that have a scale each for a column are read with one for each row.
TEST(CheckConversion, NumbersThatAreReadAlongAnotherAxisAreCaught) {
  const auto along = [](int axis) {
    std::vector<float> scales(kChannels);
    for (size_t i = 0; i < kChannels; ++i) scales[i] = i % 2 == 0 ? 0.01F : 0.013F;
    return With(Replaced(InPairs(), Rounding("x"),
                         absl::StrCat("x_q = QuantizeLinear <axis = 1> (x, by, none)\n"
                                      "x_d = DequantizeLinear <axis = ",
                                      axis, "> (x_q, by, none)\n")),
                absl::StrCat(Declared("by", Tensor::Of<float>({kWidth}, scales)), ", ",
                             Declared("none", Tensor::Of<int8_t>({kWidth},
                                                                 std::vector<int8_t>(kChannels)))));
  };
  ExpectHonest(Beside(Plain(), along(1)), "along one axis");
  ExpectCaught(Beside(Plain(), along(0)), "along two");
}

TEST(CheckConversion, ADynamicScaleThatIsAppliedOtherwiseIsCaught) {
  for (const auto& [from, to] : std::map<std::string, std::string>{
           {"p = Mul (p_floats, p_scale)", "p = Mul (p_floats, x_scale)"},
           {"p_scale = Mul (x_scale, w_scale)", "p_scale = Mul (x_scale, v_scale)"},
           {"q_scale = Mul (r_scale, v_scale)", "q_scale = Mul (x_scale, v_scale)"},
           {"(x_q, w_q, x_zero, w_zero)", "(x_q, w_q)"},
           {"(r_q, v_q, r_zero, v_zero)", "(r_q, v_q, x_zero, v_zero)"}}) {
    ExpectCaught(Beside(Plain(), Replaced(Dynamic(), from, to)), to);
  }
}

// The output of a Softmax moves little, so that tolerances accept it; honest it is not.
TEST(CheckConversion, AFaultOfADynamicProductIsCaught) {
  Layers layers;
  layers.w = WithRow(layers.w, 2);
  ExpectCaught(Beside(Plain(), Dynamic(layers)), "row doubled");
  ExpectCaught(Beside(Plain(), Replaced(Dynamic(), "p_scale = Mul (x_scale, w_scale)",
                                        "p_scale = Mul (x_scale, v_scale)")),
               "another scale");
}

TEST(CheckConversion, AFaultIsCalledWrongInTheOtherForms) {
  for (const ConversionFault& fault : ConversionFaults()) {
    Layers layers;
    fault.put(&layers);
    for (const Form& form : Forms()) {
      if (form.name == "dynamic" || (form.name == "pairs" && fault.by_range) ||
          (form.name == "integers" && (fault.by_range || fault.by_operands))) {
        continue;
      }
      ExpectFailed(Beside(Plain(), form.make(layers)), absl::StrCat(fault.name, " ", form.name));
    }
  }
}

// Shapes.

TEST(CheckConversion, AConstantOfAnotherShapeIsCaught) {
  const Tensor row = Pattern({1, kWidth}, 5, 17, 0.5);
  const Tensor column = Pattern({kWidth, 1}, 5, 17, 0.5);
  const auto plain = [](const Tensor& c) {
    return ModelOf({{"c", c}}, "a = Abs (x)\n s = Add (a, c)\n y = Tanh (s)\n");
  };
  const auto half = [](const Tensor& c) {
    return ModelOf({{"c", testing::AsHalf(c)}},
                   "x_low = Cast <to = 10> (x)\n a = Abs (x_low)\n s = Add (a, c)\n"
                   "y_low = Tanh (s)\n y = Cast <to = 1> (y_low)\n");
  };
  ExpectHonest(Beside(plain(row), half(row)), "row");
  ExpectHonest(Beside(plain(column), half(column)), "column");
  ExpectCaught(Beside(plain(row), half(column), AnyNoise()), "column");
  ExpectCaught(Beside(plain(column), half(row), AnyNoise()), "row for a column");
}

// Activations that the range of the integers does.

struct Range {
  double least = 0;
  double most = 0;
};

std::string BentByRange(const Range& range, const std::string& before = "s") {
  const double scale = (range.most - range.least) / 255;
  return ModelOf({{"c", Pattern({kWidth}, 5, 17, 0.5)},
                  {"scale", Tensor::Scalar(static_cast<float>(scale))},
                  {"zero", Tensor::Scalar(static_cast<uint8_t>(std::round(-range.least / scale)))}},
                 absl::StrCat("s = Add (x, c)\n r_q = QuantizeLinear (", before, ", scale, zero)\n",
                              "r_d = DequantizeLinear (r_q, scale, zero)\n y = Sin (r_d)\n"));
}

std::string Bent(const std::string& bend) {
  return ModelOf({{"c", Pattern({kWidth}, 5, 17, 0.5)},
                  {"zero", Tensor::Scalar(0.0F)},
                  {"half", Tensor::Scalar(0.5F)},
                  {"one", Tensor::Scalar(1.0F)},
                  {"minus", Tensor::Scalar(-1.0F)}},
                 absl::StrCat("s = Add (x, c)\n r = ", bend, "\n y = Sin (r)\n"));
}

TEST(CheckConversion, AReluThatTheRangeDoesIsHonest) {
  ExpectHonest(Beside(Bent("Relu (s)"), BentByRange({0, 1.25})), "Relu");
  ExpectHonest(Beside(BentByRange({0, 1.25}), Bent("Relu (s)")), "Relu on the right");
  ExpectHonest(Beside(Bent("Clip (s, zero, one)"), BentByRange({0, 1})), "Clip");
}

TEST(CheckConversion, AReluThatTheRangeDoesNotDoIsCaught) {
  ExpectCaught(Beside(Bent("Relu (s)"), BentByRange({-1.25, 1.25}), AnyNoise()), "both signs");
}

TEST(CheckConversion, ARangeThatCutsOffWhatNoReluDoesIsCaught) {
  ExpectCaught(Beside(Bent("Identity (s)"), BentByRange({0, 1.25}), AnyNoise()), "no Relu");
  ExpectCaught(Beside(Bent("Abs (s)"), BentByRange({0, 1.25}), AnyNoise()), "Abs");
}

TEST(CheckConversion, AClipThatTheRangeIsFarTooWideForIsCaught) {
  ExpectCaught(Beside(Bent("Clip (s, zero, half)"), BentByRange({0, 1.25}), AnyNoise()), "half");
}

TEST(CheckConversion, AClipThatTheRangeIsTooWideForIsCaught) {
  ExpectCaught(Beside(Bent("Clip (s, zero, one)"), BentByRange({0, 1.25}), AnyNoise()), "one");
}

TEST(CheckConversion, AClipThatEndsAboveTheRangeIsCaught) {
  ExpectCaught(Beside(Bent("Clip (s, half, one)"), BentByRange({0, 1}), AnyNoise()), "half");
}

TEST(CheckConversion, AClipThatLeavesMoreThanTheRangeIsCaught) {
  ExpectCaught(Beside(Bent("Clip (s, minus, one)"), BentByRange({0, 1}), AnyNoise()), "minus");
}

// A range that cuts off part of the numbers may be worse than one that holds all of them, but not
// by much: a calibration by percentiles leaves out the farthest ones.
TEST(CheckConversion, ARangeThatCutsOffMuchIsCaught) {
  const std::string plain = Bent("Sin (s)");
  const auto by = [](double least, double most) {
    return absl::StrReplaceAll(BentByRange({least, most}, "o"),
                               {{"s = Add (x, c)", "s = Add (x, c)\n o = Sin (s)"}});
  };
  ExpectHonest(Beside(plain, by(-1, 1)), "all");
  ExpectHonest(Beside(plain, by(-0.94, 0.94), AnyNoise()), "most");
  ExpectCaught(Beside(plain, by(-0.7, 0.7), AnyNoise()), "a scale that is too small");
  ExpectCaught(Beside(plain, by(-0.75, 1.25), AnyNoise()), "a zero point that is moved");
}

// A product in the shape of a matrix is matched by the result that has the plain shape again.
std::string InMatrices(bool integers, double least) {
  const double scale = 1.4 / 255;
  const Constants constants = {
      {"w", Pattern({kWidth, kWidth}, 3, 29, 0.4)},
      {"b", Pattern({kWidth}, 5, 17, 0.5)},
      {"cube", Tensor::Of<int64_t>({3}, {2, kWidth / 2, kWidth})},
      {"flat", Tensor::Of<int64_t>({2}, {kWidth, kWidth})},
      {"scale", Tensor::Scalar(static_cast<float>(scale))},
      {"zero", Tensor::Scalar(static_cast<uint8_t>(std::round(-least / scale)))}};
  return ModelOf(
      constants,
      absl::StrCat("x_c = Reshape (x, cube)\n",
                   integers ? "x_f = Reshape (x_c, flat)\n g = Gemm (x_f, w, b)\n"
                              " g_q = QuantizeLinear (g, scale, zero)\n"
                              " g_d = DequantizeLinear (g_q, scale, zero)\n"
                              " r = Reshape (g_d, cube)\n v = Tanh (r)\n y = Reshape (v, flat)\n"
                            : "p = MatMul (x_c, w)\n a = Add (p, b)\n u = Tanh (a)\n"
                              " y = Reshape (u, flat)\n"));
}

TEST(CheckConversion, ARangeOfAMatrixIsHeldAgainstAPlainResultOfAnotherShape) {
  ExpectHonest(Beside(InMatrices(false, 0), InMatrices(true, -0.7)), "all");
  ExpectCaught(Beside(InMatrices(false, 0), InMatrices(true, -0.2), AnyNoise()), "moved");
}

// A column of small numbers, in the steps of the whole or in steps of its own that are as wide.
std::string ColumnOf(bool integers, const std::string& scale = "scale",
                     const std::string& zero = "zero") {
  std::vector<float> shift(kWidth, 6);
  shift[2] = 0;
  const Constants constants = {{"c", Tensor::Of<float>({kWidth}, shift)},
                               {"two", Tensor::Of<int64_t>({1}, {2})},
                               {"shape", Tensor::Of<int64_t>({2}, {kWidth, kWidth})},
                               {"scale", Tensor::Scalar(8.0F / 127)},
                               {"own", Tensor::Scalar(8.0F / 127)},
                               {"zero", Tensor::Scalar(int8_t{0})},
                               {"moved", Tensor::Scalar(int8_t{120})}};
  const std::string steps = absl::StrCat(
      "s_q = QuantizeLinear (s, scale, zero)\n s_d = DequantizeLinear (s_q, scale, zero)\n"
      " g = Gather <axis = 1> (s_d, two)\n g_q = QuantizeLinear (g, ",
      scale, ", ", zero, ")\n g_d = DequantizeLinear (g_q, ", scale, ", ", zero, ")\n");
  return ModelOf(constants, absl::StrCat("s = Add (x, c)\n",
                                         integers ? steps : "g_d = Gather <axis = 1> (s, two)\n",
                                         "e = Expand (g_d, shape)\n y = Sin (e)\n"));
}

TEST(CheckConversion, APartKeepsTheStepsOfTheWhole) {
  ExpectHonest(Beside(ColumnOf(false), ColumnOf(true)), "steps of the whole");
  ExpectCaught(Beside(ColumnOf(false), ColumnOf(true, "own"), AnyNoise()), "steps of its own");
  ExpectCaught(Beside(ColumnOf(false), ColumnOf(true, "scale", "moved"), AnyNoise()),
               "a zero point of its own");
}

// A node between integers is named by itself, and not by the QuantizeLinear after it.
TEST(CheckConversion, ASuspectIsNamedByItsNode) {
  const std::string other = Replaced(InPairs(), "q = MatMul (r_d, v_d)", "q = MatMul (v_d, r_d)");
  const Comparison comparison = Beside(Plain(), other);
  EXPECT_EQ(NamesOfCauses(comparison, SideId::kLeft), std::vector<std::string>{"q"});
}

// Two sides that are quantized alike: integers explain nothing.
TEST(CheckConversion, ANodeThatIsAnotherBesideItsIntegerTwinIsCaught) {
  Layers hard;
  hard.last = "Hardmax <axis = 1>";
  Layers bent;
  bent.bend = "Abs";
  for (const Layers& layers : {hard, bent}) {
    const Comparison comparison = Beside(InPairs(), InPairs(layers));
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent) << layers.bend << layers.last;
    EXPECT_THAT(comparison.causes, SizeIs(1)) << layers.bend << layers.last;
  }
}

// A grid that is written and read alike, and is another than that of the twin.
TEST(CheckConversion, AnotherGridThanThatOfTheTwinIsCaught) {
  for (const std::string name : {"x", "p", "s", "r", "q", "d"}) {
    const std::string other = absl::StrReplaceAll(
        With(InPairs(), absl::StrCat("float ", name, "_wrong = {", 2 * ScaleFor(name), "}")),
        {{absl::StrCat(name, "_scale, ", name, "_zero)"),
          absl::StrCat(name, "_wrong, ", name, "_zero)")}});
    ExpectCaught(Beside(InPairs(), other), name);
    const std::string moved =
        absl::StrReplaceAll(With(InPairs(), absl::StrCat("uint8 ", name, "_moved = {77}")),
                            {{absl::StrCat(name, "_scale, ", name, "_zero)"),
                              absl::StrCat(name, "_scale, ", name, "_moved)")}});
    ExpectCaught(Beside(InPairs(), moved), name);
  }
}

// An optimizer may compute before it exchanges axes: the results of one name are of other elements.
TEST(CheckConversion, ResultsInAnotherOrderOfAxesAreNotComparedByTheirNames) {
  const auto model = [](const std::string& before, const std::string& nodes, bool half) {
    return ModelOf(
        {{"low", Tensor::Of<int64_t>({2}, {4, 64})}, {"high", Tensor::Of<int64_t>({2}, {16, 16})}},
        absl::StrCat(before, nodes, half ? "y_low" : "y", " = Reshape (z, high)\n",
                     half ? "y = Cast <to = 1> (y_low)\n" : ""));
  };
  const std::string plain = model("r = Reshape (x, low)\n",
                                  "t = Transpose (r)\n a = Tanh (t)\n z = Transpose (a)\n", false);
  const auto half = [&](const std::string& nodes) {
    return model("x_low = Cast <to = 10> (x)\n r = Reshape (x_low, low)\n", nodes, true);
  };
  ExpectHonest(Beside(plain, half("a = Tanh (r)\n z = Identity (a)\n")), "before");
  ExpectCaught(Beside(plain, half("a = Sin (r)\n z = Identity (a)\n"), AnyNoise()), "Sin");
}

// Ranges.

// The fill of a mask is in the range of the scores beside it.
// A scale and a zero point that reach from the fill and the least score to the greatest score.
std::string Masked(const std::string& scores, double fill) {
  constexpr double kScores = 8;
  const double width = fill + 2 * kScores;
  Tensor mask = Tensor::Of<float>({kWidth, kWidth}, std::vector<float>(kWidth * kWidth));
  std::vector<float> numbers(kWidth * kWidth);
  for (size_t i = 0; i < numbers.size(); i += 3) numbers[i] = static_cast<float>(-fill);
  mask = Tensor::Of<float>({kWidth, kWidth}, numbers);
  return ModelOf(
      {{"eight", Tensor::Scalar(8.0F)},
       {"mask", mask},
       {"scale", Tensor::Scalar(static_cast<float>(width / 255))},
       {"zero", Tensor::Scalar(static_cast<uint8_t>(std::round(255 * (fill + kScores) / width)))},
       {"fine", Tensor::Scalar(0.1F)},
       {"middle", Tensor::Scalar(uint8_t{128})}},
      absl::StrCat("s = Mul (x, eight)\n m = Add (s, mask)\n", scores,
                   " w = Softmax <axis = 1> (m_d)\n y = MatMul (w, s)\n"));
}

TEST(CheckConversion, AScaleThatIsMadeForAFillIsTheCause) {
  constexpr double kFill = 1e9;
  const std::string rounding =
      " m_q = QuantizeLinear (m, scale, zero)\n"
      " m_d = DequantizeLinear (m_q, scale, zero)\n";
  const Comparison comparison =
      Beside(Masked(" m_d = Identity (m)\n", kFill), Masked(rounding, kFill));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("all of them but the fill -1e+09, up to 7.94, become 0"));
  // So it is if no value was kept.
  CompareOptions options;
  options.keep_values = 0;
  const Comparison again =
      Beside(Masked(" m_d = Identity (m)\n", kFill), Masked(rounding, kFill), options);
  ASSERT_THAT(again.causes, SizeIs(1));
  EXPECT_EQ(again.causes[0].text, comparison.causes[0].text);
  // A mask that leaves the scores some steps is no mistake.
  const Comparison fine = Beside(Masked(" m_d = Identity (m)\n", 60), Masked(rounding, 60));
  EXPECT_THAT(fine.causes, IsEmpty());
}

// Outputs.

std::string TwoOutputs(bool exchanged, bool half) {
  const std::string first = exchanged ? "z" : "y", second = exchanged ? "y" : "z";
  const std::string cast =
      half ? absl::StrCat(first, " = Cast <to = 1> (a)\n", second, " = Cast <to = 1> (b)\n")
           : absl::StrCat(first, " = Identity (a)\n", second, " = Identity (b)\n");
  return ModelOf("float[16,16] y, float[16,16] z", {},
                 absl::StrCat(half ? "from = Cast <to = 10> (x)\n" : "from = Identity (x)\n",
                              "t = Tanh (from)\n a = Sin (t)\n b = Cos (t)\n", cast));
}

TEST(CheckConversion, ExchangedOutputsAreNotHonest) {
  ExpectHonest(Beside(TwoOutputs(false, false), TwoOutputs(false, true)), "in order");
  const Comparison exchanged = Beside(TwoOutputs(false, false), TwoOutputs(true, true));
  EXPECT_EQ(exchanged.verdict(), Verdict::kDifferent);
  ExpectCaught(exchanged, "exchanged");
}

TEST(CheckConversion, ExchangedResultsOfANodeAreNotHonest) {
  const auto split = [](bool exchanged, bool half) {
    return ModelOf("float[16,8] y", {},
                   absl::StrCat(half ? "from = Cast <to = 10> (x)\n" : "from = Identity (x)\n",
                                "t = Tanh (from)\n", exchanged ? "b, a" : "a, b",
                                " = Split <axis = 1, num_outputs = 2> (t)\n", "d = Sub (a, b)\n",
                                half ? "y = Cast <to = 1> (d)\n" : "y = Identity (d)\n"));
  };
  ExpectHonest(Beside(split(false, false), split(false, true)), "in order");
  ExpectCaught(Beside(split(false, false), split(true, true)), "exchanged");
}

// Outputs of which one is wrong.
TEST(CheckConversion, AFaultLeavesOutputsHonestThatDoNotDependOnIt) {
  const std::string wrong = Replaced(TwoOutputs(false, true), "b = Cos (t)", "b = Sinh (t)");
  const Comparison comparison = Beside(TwoOutputs(false, false), wrong);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_THAT(comparison.outputs.pairs, SizeIs(2));
  EXPECT_TRUE(comparison.outputs.pairs[0].honest_noise);
  EXPECT_TRUE(comparison.outputs.pairs[0].agrees());
  EXPECT_FALSE(comparison.outputs.pairs[1].honest_noise);
  EXPECT_FALSE(comparison.outputs.pairs[1].agrees());
  EXPECT_EQ(testing::NamesOfWrong(comparison), std::vector<std::string>{"b"});
}

// Choices.

// Columns are equal but for what float16 cannot hold.
std::string Chosen(const std::string& outputs, const std::string& nodes, bool half) {
  std::vector<float> near(kWidth);
  for (size_t i = 0; i < near.size(); ++i) near[i] = 1e-5F * static_cast<float>(i * 7 % 16);
  const Tensor weights = Tensor::Of<float>({kWidth, kWidth}, std::vector<float>(256, 0.25F));
  const Tensor shift = Tensor::Of<float>({kWidth}, near);
  const Constants common = {{"k", Tensor::Of<int64_t>({1}, {3})},
                            {"table", Pattern({kWidth, 4}, 11, 31, 4)}};
  Constants constants = common;
  constants["w"] = half ? testing::AsHalf(weights) : weights;
  constants["c"] = half ? testing::AsHalf(shift) : shift;
  constants["limit"] = half ? testing::AsHalf(Tensor::Scalar(0.10009F)) : Tensor::Scalar(0.10009F);
  return ModelOf(outputs, constants,
                 absl::StrCat(half ? "from = Cast <to = 10> (x)\n" : "from = Identity (x)\n",
                              "p = MatMul (from, w)\n s = Add (p, c)\n", nodes));
}

struct Choice {
  std::string name;
  std::string outputs;
  std::string nodes;
};

std::vector<Choice> Choices() {
  return {{"ArgMax", "int64[16] ids, float[16,4] y",
           "ids = ArgMax <axis = 1, keepdims = 0> (s)\n y = Gather (table, ids)\n"},
          {"TopK", "int64[16,3] ids, float[16,3,4] y",
           "best, ids = TopK <axis = 1> (s, k)\n y = Gather (table, ids)\n"}};
}

TEST(CheckConversion, AnIdThatIsChosenAtANearTieTies) {
  for (const Choice& choice : Choices()) {
    const std::string left = Chosen(choice.outputs, choice.nodes, false);
    const std::string right = Chosen(choice.outputs, choice.nodes, true);
    CompareOptions options;
    for (const bool exchanged : {false, true}) {
      options.ties_agree = false;
      const Comparison told = exchanged ? Beside(right, left) : Beside(left, right);
      EXPECT_EQ(told.verdict(), Verdict::kDifferent) << choice.name;
      EXPECT_THAT(NamesOfCauses(told, exchanged ? SideId::kLeft : SideId::kRight), IsEmpty());
      ASSERT_THAT(told.outputs.pairs, SizeIs(2));
      const OutputPair& ids = told.outputs.pairs[0];
      const OutputPair& chosen = told.outputs.pairs[1];
      for (const OutputPair& pair : told.outputs.pairs) {
        EXPECT_TRUE(pair.ties) << choice.name << " " << pair.left;
        EXPECT_FALSE(pair.agrees()) << choice.name << " " << pair.left;
        EXPECT_FALSE(pair.honest_noise) << choice.name << " " << pair.left;
      }
      EXPECT_EQ(ids.chosen_by, "") << choice.name;
      EXPECT_EQ(chosen.chosen_by, choice.name + " ids");
      options.ties_agree = true;
      const Comparison accepted =
          exchanged ? Beside(right, left, options) : Beside(left, right, options);
      EXPECT_EQ(accepted.verdict(), Verdict::kClose) << choice.name;
      for (const OutputPair& pair : accepted.outputs.pairs) {
        EXPECT_TRUE(pair.ties) << choice.name << " " << pair.left;
      }
    }
  }
}

TEST(CheckConversion, WhatFollowsAChoiceIsJudgedWithTheOthersChoice) {
  const Choice choice = Choices().front();
  const Comparison told = Beside(Chosen(choice.outputs, choice.nodes, false),
                                 Chosen(choice.outputs, choice.nodes, true));
  ASSERT_THAT(told.outputs.pairs, SizeIs(2));
  const OutputPair& chosen = told.outputs.pairs[1];
  ASSERT_TRUE(chosen.margin.has_value());
  EXPECT_LT(chosen.margin->apart, 2 * chosen.margin->moved);
  ASSERT_TRUE(chosen.sqnr_with_ids.has_value());
  EXPECT_GT(*chosen.sqnr_with_ids, 100);
  CompareOptions options;
  options.ties_agree = true;
  options.min_sqnr = 60;
  const Comparison asked = Beside(Chosen(choice.outputs, choice.nodes, false),
                                  Chosen(choice.outputs, choice.nodes, true), options);
  EXPECT_EQ(asked.verdict(), Verdict::kClose);
}

TEST(CheckConversion, AnIdThatIsChosenByAnotherRuleIsCaught) {
  for (const Choice& choice : Choices()) {
    const std::string left = Chosen(choice.outputs, choice.nodes, false);
    const std::string nodes = absl::StrReplaceAll(
        choice.nodes, {{"ArgMax", "ArgMin"}, {"TopK <axis = 1>", "TopK <axis = 1, largest = 0>"}});
    CompareOptions options;
    options.ties_agree = true;
    const Comparison comparison = Beside(left, Chosen(choice.outputs, nodes, true), options);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent) << choice.name;
    ExpectCaught(comparison, choice.name);
  }
}

std::vector<float> FedNumbers() {
  const std::vector<double> numbers = ElementsOf(FedX());
  return {numbers.begin(), numbers.end()};
}

// Expects that the only output of two models depends on that choice, which --ties close accepts.
void ExpectTieBy(const std::string& choice, const std::vector<float>& fed, const std::string& left,
                 const std::string& right) {
  const Tensor x = Tensor::Of<float>({kWidth, kWidth}, fed);
  for (const bool agree : {false, true}) {
    CompareOptions options;
    options.ties_agree = agree;
    const Comparison comparison = CompareFedWith(x, left, x, right, options);
    EXPECT_EQ(comparison.verdict(), agree ? Verdict::kClose : Verdict::kDifferent);
    EXPECT_THAT(comparison.causes, IsEmpty());
    ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
    EXPECT_TRUE(comparison.outputs.pairs[0].ties);
    EXPECT_EQ(comparison.outputs.pairs[0].chosen_by, choice);
  }
}

TEST(CheckConversion, ANumberThatJumpsIsAChoice) {
  const std::string nodes =
      "up = Mul (x_now, k20)\n step = Floor (up)\n q = Sin (p)\n z = Mul (step, q)\n";
  const auto model = [&](bool half) {
    return Chosen("float[16,16] y",
                  absl::StrCat("one = Div (limit, limit)\n two = Add (one, one)\n"
                               "k20 = Div (two, limit)\n x_now = Mul (from, from)\n",
                               nodes, half ? "y = Cast <to = 1> (z)\n" : "y = Identity (z)\n"),
                  half);
  };
  std::vector<float> fed = FedNumbers();
  // Numbers on both sides of the limit, as near to it as float16 steps.
  for (size_t i = 0; i < fed.size(); i += 3) {
    fed[i] = std::sqrt(0.10009F) * (1 + 1e-4F * (static_cast<float>(i % 7) - 3));
  }
  ExpectTieBy("Floor step", fed, model(false), model(true));
}

TEST(CheckConversion, AThresholdThatANumberNearlyReachesIsAChoice) {
  const std::string nodes =
      "a = Sin (s)\n above = Greater (x_now, limit)\n b = Neg (a)\n bent = Where (above, a, b)\n";
  const auto model = [&](bool half) {
    return Chosen("float[16,16] y",
                  absl::StrCat("x_now = Mul (from, from)\n", nodes,
                               half ? "y = Cast <to = 1> (bent)\n" : "y = Identity (bent)\n"),
                  half);
  };
  // A number that is squared to just above what the limit is rounded to.
  std::vector<float> fed = FedNumbers();
  fed[20] = std::sqrt(0.10009F) + 1e-6F;
  ExpectTieBy("Greater above", fed, model(false), model(true));
}

// Limits.

TEST(CheckConversion, ASignalToNoiseThatIsAskedForRefuses) {
  for (const Form& form : Forms()) {
    CompareOptions options;
    const Comparison without = Beside(Plain(), form.make({}));
    ASSERT_THAT(without.outputs.pairs, SizeIs(1));
    options.min_sqnr = *without.outputs.pairs[0].sqnr + 0.5;
    const Comparison refused = Beside(Plain(), form.make({}), options);
    EXPECT_EQ(refused.verdict(), Verdict::kDifferent) << form.name;
    ASSERT_THAT(refused.outputs.pairs, SizeIs(1));
    EXPECT_FALSE(refused.outputs.pairs[0].agrees()) << form.name;
    EXPECT_THAT(refused.outputs.pairs[0].difference.fault, HasSubstr("signal to noise"));
    EXPECT_EQ(refused.outputs.pairs[0].sqnr, without.outputs.pairs[0].sqnr) << form.name;
    options.min_sqnr = *without.outputs.pairs[0].sqnr - 0.5;
    ExpectHonest(Beside(Plain(), form.make({}), options), form.name);
  }
}

TEST(CheckConversion, ASignalToNoiseThatIsAskedForCountsForTwoModelsOfFloats) {
  const std::string left = Plain();
  const std::string right = Replaced(Plain(), "y = Softmax <axis = 1> (t)",
                                     "e = Identity (t)\n once = Softmax <axis = 1> (e)\n"
                                     "y = Mul (once, nearly)\n");
  const std::string noisy = With(right, "float nearly = {1.000001}");
  EXPECT_EQ(Beside(left, noisy).verdict(), Verdict::kClose);
  EXPECT_FALSE(Beside(left, noisy).outputs.pairs[0].sqnr.has_value());
  CompareOptions options;
  options.min_sqnr = 100;
  const Comparison enough = Beside(left, noisy, options);
  EXPECT_EQ(enough.verdict(), Verdict::kClose);
  EXPECT_GT(enough.outputs.pairs[0].sqnr.value_or(0), 110);
  EXPECT_FALSE(enough.outputs.pairs[0].honest_noise);
  options.min_sqnr = 130;
  EXPECT_EQ(Beside(left, noisy, options).verdict(), Verdict::kDifferent);
}

// Small differences of large numbers, of which rounding leaves little.
std::string Cancelling(bool quantized) {
  const Constants constants = {{"c", Tensor::Scalar(8.0F)},
                               {"scale", Tensor::Scalar(14.0F / 255)},
                               {"zero", Tensor::Scalar(uint8_t{0})}};
  return ModelOf(constants,
                 quantized
                     ? "a = Mul (x, small)\n s = Add (a, c)\n s_q = QuantizeLinear (s, scale, "
                       "zero)\n s_d = DequantizeLinear (s_q, scale, zero)\n"
                       "y = Sub (s_d, c)\n"
                     : "a = Mul (x, small)\n s = Add (a, c)\n y = Sub (s, c)\n");
}

TEST(CheckConversion, NoiseThatLeavesLittleOfASignalIsRefusedUnlessAskedFor) {
  const std::string left = With(Cancelling(false), "float small = {0.035}");
  const std::string right = With(Cancelling(true), "float small = {0.035}");
  const Comparison refused = Beside(left, right);
  ASSERT_THAT(refused.outputs.pairs, SizeIs(1));
  ASSERT_TRUE(refused.outputs.pairs[0].sqnr.has_value());
  EXPECT_GT(*refused.outputs.pairs[0].sqnr, 1);
  EXPECT_LT(*refused.outputs.pairs[0].sqnr, 6);
  EXPECT_EQ(refused.verdict(), Verdict::kDifferent);
  EXPECT_THAT(refused.outputs.pairs[0].difference.fault, HasSubstr("below 10 dB"));
  EXPECT_FALSE(refused.outputs.pairs[0].honest_noise);
  CompareOptions options;
  options.min_sqnr = 1;
  const Comparison asked = Beside(left, right, options);
  EXPECT_TRUE(asked.outputs.pairs[0].honest_noise) << asked.outputs.pairs[0].difference.fault;
  EXPECT_EQ(asked.verdict(), Verdict::kClose);
}

TEST(CheckConversion, AToleranceOfTheUserIsTheOnlyRule) {
  for (const Form& form : Forms()) {
    CompareOptions options;
    options.tolerance.rtol = options.tolerance.atol = 1e-9;
    const Comparison of_all = Beside(Plain(), form.make({}), options);
    EXPECT_EQ(of_all.verdict(), Verdict::kDifferent) << form.name;
    ASSERT_THAT(of_all.outputs.pairs, SizeIs(1));
    EXPECT_FALSE(of_all.outputs.pairs[0].honest_noise) << form.name;
    EXPECT_TRUE(of_all.outputs.pairs[0].sqnr.has_value()) << form.name;
    options.tolerance.rtol = options.tolerance.atol = std::nullopt;
    options.tolerance.by_name["y"].atol = 1e-9;
    const Comparison comparison = Beside(Plain(), form.make({}), options);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent) << form.name << " by name";
    EXPECT_FALSE(comparison.outputs.pairs[0].honest_noise) << form.name << " by name";
  }
}

// Overflow.

std::string Squared(bool half, const std::string& end) {
  return ModelOf({{"most", half ? testing::AsHalf(Tensor::Scalar(100.0F)) : Tensor::Scalar(100.0F)},
                  {"far", half ? testing::AsHalf(Tensor::Scalar(512.0F)) : Tensor::Scalar(512.0F)}},
                 absl::StrCat(half ? "from = Cast <to = 10> (x)\n" : "from = Identity (x)\n",
                              "a = Mul (from, far)\n", "b = Mul (a, a)\n", end,
                              half ? "y = Cast <to = 1> (e)\n" : "y = Identity (e)\n"));
}

TEST(CheckConversion, AnOverflowIsNamed) {
  // Infinities that reach the output, and such as a node hides.
  for (const std::string end : {"e = Sqrt (b)\n", "e = Min (b, most)\n"}) {
    const Comparison comparison = Beside(Squared(false, end), Squared(true, end));
    EXPECT_EQ(comparison.verdict(),
              absl::StrContains(end, "Sqrt") ? Verdict::kDifferent : Verdict::kClose)
        << end;
    ASSERT_FALSE(comparison.causes.empty()) << end;
    EXPECT_TRUE(comparison.causes[0].overflow) << end;
    EXPECT_EQ(comparison.right.results[Index(comparison.causes[0].right)].name, "b") << end;
  }
}

// Models that are no conversions.

TEST(CheckConversion, ADetourThroughFloat16IsNoConversion) {
  const std::string detour = Replaced(Plain(), "d = Sub (q, s)",
                                      "low = Cast <to = 10> (q)\n again = Cast <to = 1> (low)\n"
                                      "d = Sub (again, s)");
  const Comparison comparison = Beside(Plain(), detour);
  ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
  EXPECT_FALSE(comparison.outputs.pairs[0].honest_noise);
  EXPECT_FALSE(comparison.outputs.pairs[0].sqnr.has_value());
  EXPECT_EQ(testing::NamesOfWrong(comparison), std::vector<std::string>{"again"});
}

// Nodes of another type among those of float are none either.
TEST(CheckConversion, ANodeInFloat16IsNoConversion) {
  const std::string detour = Replaced(Plain(), "d = Sub (q, s)",
                                      "q_low = Cast <to = 10> (q)\n s_low = Cast <to = 10> (s)\n"
                                      "d_low = Sub (q_low, s_low)\n d = Cast <to = 1> (d_low)");
  const Comparison comparison = Beside(Plain(), detour);
  ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
  EXPECT_FALSE(comparison.outputs.pairs[0].honest_noise);
  EXPECT_FALSE(comparison.outputs.pairs[0].sqnr.has_value());
}

// A type that is much coarser than the rest.
TEST(CheckConversion, ADetourThroughFloat8IsNotHonest) {
  const std::string detour = Replaced(Half(), "d = Sub (q, s)",
                                      "low = Cast <to = 17> (q)\n again = Cast <to = 10> (low)\n"
                                      "d = Sub (again, s)");
  const Comparison comparison = Beside(Plain(), detour);
  ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
  EXPECT_FALSE(comparison.outputs.pairs[0].honest_noise);
}

TEST(CheckConversion, TwoModelsOfFloatsAreNoConversion) {
  Layers layers;
  layers.c = Pattern({kWidth}, 5, 17, 0.500001F);
  const Comparison comparison = Beside(Plain(), Plain(layers));
  ASSERT_THAT(comparison.outputs.pairs, SizeIs(1));
  EXPECT_FALSE(comparison.outputs.pairs[0].same_bits);
  EXPECT_FALSE(comparison.outputs.pairs[0].honest_noise);
  EXPECT_FALSE(comparison.outputs.pairs[0].sqnr.has_value());
}

// Quantizers raise the version of all operators.
TEST(CheckConversion, NodesOfAnotherVersionAreRun) {
  const std::string older = absl::StrCat("<ir_version: 7, opset_import: [\"\" : 11]>\n", Plain());
  const Comparison honest = Beside(older, Dynamic());
  EXPECT_EQ(honest.verdict(), Verdict::kClose);
  EXPECT_THAT(testing::NamesOfWrong(honest), IsEmpty());
  ASSERT_THAT(honest.outputs.pairs, SizeIs(1));
  EXPECT_TRUE(honest.outputs.pairs[0].honest_noise);
  Layers layers;
  layers.last = "Softmax <axis = 0>";
  EXPECT_THAT(testing::NamesOfWrong(Beside(older, Dynamic(layers))), ::testing::ElementsAre("y"));
}

// A search that is asked for finds nothing either.
TEST(CheckConversion, CausesThatAreAskedForAreNone) {
  CompareOptions options;
  options.fail_on = FailOn::kCauses;
  for (const Form& form : Forms()) {
    const Comparison comparison = Beside(Plain(), form.make({}), options);
    EXPECT_THAT(testing::NamesOfWrong(comparison), IsEmpty()) << form.name;
    EXPECT_EQ(comparison.verdict(), Verdict::kClose) << form.name;
  }
}

}  // namespace
}  // namespace onnxcmp
