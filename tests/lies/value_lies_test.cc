// Outputs that are wrong in one way, of values of many kinds and in every floating type: none may
// pass. What rounding in the type does to them passes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::GivenModel;
using ::onnxcmp::testing::WhatWasSaid;

constexpr size_t kRows = 8;
constexpr size_t kColumns = 96;
using Elements = std::vector<double>;

struct Kind {
  const char* name;
  // Element i of normal numbers with a mean of 0 and a deviation of 1.
  std::function<Elements(Elements)> of;
};

Elements Each(Elements elements, const std::function<double(double)>& f) {
  std::transform(elements.begin(), elements.end(), elements.begin(), f);
  return elements;
}

Elements Softmax(Elements elements, double sharpness) {
  for (size_t r = 0; r < kRows; ++r) {
    double sum = 0;
    for (size_t c = 0; c < kColumns; ++c) {
      sum += elements[r * kColumns + c] = std::exp(sharpness * elements[r * kColumns + c]);
    }
    for (size_t c = 0; c < kColumns; ++c) elements[r * kColumns + c] /= sum;
  }
  return elements;
}

const std::vector<Kind>& Values() {
  static const auto& kinds = *new std::vector<Kind>{
      {"logits", [](Elements e) { return Each(e, [](double v) { return 4 * v; }); }},
      {"probabilities", [](Elements e) { return Softmax(std::move(e), 1); }},
      {"sharp_probabilities", [](Elements e) { return Softmax(std::move(e), 3); }},
      {"activations", [](Elements e) { return Each(e, [](double v) { return std::max(v, 0.); }); }},
      {"small", [](Elements e) { return Each(e, [](double v) { return 1e-3 * v; }); }},
      {"large", [](Elements e) { return Each(e, [](double v) { return 2e3 * v; }); }},
      {"one_huge",
       [](Elements e) {
         e[kColumns + 5] = 3e3;
         return e;
       }},
      {"scores_beside_offsets",
       [](Elements e) {
         for (size_t i = 0; i < e.size(); ++i) {
           e[i] = i / kColumns == 2 ? 1 / (1 + std::exp(1 - 2 * e[i])) : 300 * e[i];
         }
         return e;
       }},
      {"masked",
       [](Elements e) {
         for (size_t i = 0; i < e.size(); ++i) e[i] = i % kColumns < 40 ? 4 * e[i] : -1e4;
         return e;
       }},
      {"rows_apart",
       [](Elements e) {
         for (size_t i = 0; i < e.size(); ++i) e[i] *= std::pow(3, -double(i / kColumns));
         return e;
       }},
  };
  return kinds;
}

double Mean(const Elements& e, size_t row) {
  double sum = 0;
  for (size_t c = 0; c < kColumns; ++c) sum += e[row * kColumns + c];
  return sum / kColumns;
}

const std::vector<Kind>& ValueLies() {
  static const auto& kinds = *new std::vector<Kind>{
      {"zeros", [](const Elements& e) { return Elements(e.size(), 0); }},
      {"scaled", [](Elements e) { return Each(e, [](double v) { return 1.3 * v; }); }},
      {"negated", [](Elements e) { return Each(e, [](double v) { return -v; }); }},
      {"means",
       [](Elements e) {
         for (size_t r = 0; r < kRows; ++r) {
           std::fill_n(e.begin() + static_cast<std::ptrdiff_t>(r * kColumns), kColumns, Mean(e, r));
         }
         return e;
       }},
      {"reversed",
       [](Elements e) {
         std::reverse(e.begin(), e.end());
         return e;
       }},
      {"rolled",
       [](Elements e) {
         std::rotate(e.begin(), e.begin() + 1, e.end());
         return e;
       }},
      {"rows_exchanged",
       [](Elements e) {
         std::swap_ranges(e.begin(), e.begin() + kColumns, e.begin() + kColumns);
         return e;
       }},
      {"row_lost",
       [](Elements e) {
         std::fill_n(e.begin() + 2 * kColumns, kColumns, 0);
         return e;
       }},
      {"noise",
       [](Elements e) {
         std::mt19937 random(9);
         std::normal_distribution<double> normal(1, 0.5);
         for (size_t i = 0; i < e.size(); i += 2) e[i] *= normal(random);
         return e;
       }},
      {"the_largest",
       [](Elements e) {
         double& largest = *std::max_element(
             e.begin(), e.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
         largest *= 1.5;
         return e;
       }},
      {"not_a_number",
       [](Elements e) {
         e[7] = std::nan("");
         return e;
       }},
      {"infinite",
       [](Elements e) {
         e[9] = HUGE_VAL;
         return e;
       }},
  };
  return kinds;
}

Elements Normal(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Elements elements(kRows * kColumns);
  for (double& v : elements) v = normal(random);
  return elements;
}

// Different random relative errors of all elements.
Elements Rounded(Elements elements, double relative) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> error(-relative, relative);
  for (double& v : elements) v *= 1 + error(random);
  return elements;
}

struct Type {
  DType dtype;
  const char* text;
  double unit;  // of rounding
};
constexpr Type kTypes[] = {{DType::kDouble, "double", 1e-16},
                           {DType::kFloat, "float", 1e-7},
                           {DType::kFloat16, "float16", 1e-3},
                           {DType::kBfloat16, "bfloat16", 8e-3}};

// How the values leave the model.
constexpr const char* kLeaves[] = {
    "(T[1] one, T[8,96] e) => (T[8,96] y) { y = Mul(e, one) }",
    "(T[1] one, T[8,96] e) => (seq(T[8,96]) z) { y = Mul(e, one) z = SequenceConstruct(one, y) }",
    "(T[1] one, T[8,96] e) => (optional(T[8,96]) z) { y = Mul(e, one) z = Optional(y) }",
};

Tensor Made(const Elements& elements, const Type& type) {
  return Convert(Tensor::Of<double>({kRows, kColumns}, elements), type.dtype);
}

Comparison Compared(const Type& type, int leaf, const Elements& left, const Elements& right,
                    const CompareOptions& options = {}) {
  const std::string graph = absl::StrReplaceAll(kLeaves[leaf], {{"T", type.text}});
  const Feeds feeds = {{"one", Convert(Tensor::Of<float>({1}, {1}), type.dtype)}};
  return CompareModels({graph, {{"e", Made(left, type)}}}, {graph, {{"e", Made(right, type)}}},
                       feeds, options);
}

// Sequences and optionals of bfloat16 are none of ONNX's types.
int LeavesOf(const Type& type) { return type.dtype == DType::kBfloat16 ? 1 : 3; }

class ValueLiesTest : public ::testing::TestWithParam<std::tuple<Kind, Type>> {
 protected:
  const Kind& kind() const { return std::get<0>(GetParam()); }
  const Type& type() const { return std::get<1>(GetParam()); }
};

TEST_P(ValueLiesTest, NonePasses) {
  const Elements values = kind().of(Normal(1));
  for (const Kind& lie : ValueLies()) {
    const Elements wrong = lie.of(values);
    for (int leaf = 0; leaf < LeavesOf(type()); ++leaf) {
      const Comparison comparison = Compared(type(), leaf, values, wrong);
      EXPECT_FALSE(Agrees(comparison))
          << lie.name << ", leaf " << leaf << ": " << WhatWasSaid(comparison);
    }
  }
}

// What is said of elements excuses nothing of the order of the values.
TEST_P(ValueLiesTest, NonePassesByWhatIsSaidOfElements) {
  const Elements values = kind().of(Normal(1));
  CompareOptions options;
  options.tolerance.rtol = 0.9;
  for (const Kind& lie : ValueLies()) {
    if (std::string(lie.name) == "scaled" || std::string(lie.name) == "the_largest") continue;
    if (std::string(lie.name) == "noise") continue;
    const Comparison comparison = Compared(type(), 0, values, lie.of(values), options);
    EXPECT_FALSE(Agrees(comparison)) << lie.name << ": " << WhatWasSaid(comparison);
  }
}

TEST_P(ValueLiesTest, RoundingPasses) {
  const Elements values = kind().of(Normal(1));
  for (const double units : {0.5, 1.0, 2.0}) {
    for (int leaf = 0; leaf < LeavesOf(type()); ++leaf) {
      const Comparison comparison =
          Compared(type(), leaf, values, Rounded(values, units * type().unit));
      EXPECT_TRUE(Agrees(comparison))
          << units << ", leaf " << leaf << ": " << WhatWasSaid(comparison);
    }
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<Kind, Type>>& info) {
  return absl::StrCat(std::get<0>(info.param).name, "_", std::get<1>(info.param).text);
}

INSTANTIATE_TEST_SUITE_P(All, ValueLiesTest,
                         ::testing::Combine(::testing::ValuesIn(Values()),
                                            ::testing::ValuesIn(kTypes)),
                         NameOf);

}  // namespace
}  // namespace onnxcmp
