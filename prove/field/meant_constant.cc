#include "prove/field/meant_constant.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <numbers>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// Digits of decimals, and greatest terms of ratios, that somebody may have written: far fewer than
// there are floats, so that most floats of weights are none.
constexpr int64_t kFewTerms = 256;

struct Limits {
  int digits;
  int64_t term;
};

Limits LimitsOf(DType dtype) {
  if (dtype == DType::kDouble) return {12, 20000};
  if (dtype == DType::kFloat) return {6, 4096};
  return {2, 32};
}

struct Ratio {
  int64_t a;
  int64_t b;
};

std::string RatioText(const Ratio& ratio) {
  return ratio.b == 1 ? absl::StrCat(ratio.a) : absl::StrCat(ratio.a, "/", ratio.b);
}

// The ratio of small integers nearest to a positive number, by its continued fraction. It is near
// enough if `is_meant` says so.
template <typename IsMeant>
std::optional<Ratio> SmallRatio(double number, int64_t most, IsMeant is_meant) {
  int64_t a = 0;
  int64_t b = 1;
  int64_t next_a = 1;
  int64_t next_b = 0;
  double rest = number;
  for (int step = 0; step < 24; ++step) {
    if (!(rest < 1e9)) return std::nullopt;
    const auto whole = static_cast<int64_t>(std::floor(rest));
    const int64_t newer_a = whole * next_a + a;
    const int64_t newer_b = whole * next_b + b;
    if (newer_a > most || newer_b > most) return std::nullopt;
    a = next_a;
    b = next_b;
    next_a = newer_a;
    next_b = newer_b;
    if (next_a > 0 && is_meant(static_cast<double>(next_a) / static_cast<double>(next_b))) {
      return Ratio{next_a, next_b};
    }
    rest = 1 / (rest - static_cast<double>(whole));
  }
  return std::nullopt;
}

class Meaning {
 public:
  Meaning(const PrimeField& field, double size, DType dtype)
      : field_(field), size_(size), dtype_(dtype), limits_(LimitsOf(dtype)) {}

  MeantConstant Find() const {
    if (std::optional<MeantConstant> found = Decimal()) return *found;
    // Numbers of small terms first: 1/sqrt(8) is nearly 1189/3363.
    const int64_t few = std::min<int64_t>(limits_.term, kFewTerms);
    if (std::optional<MeantConstant> found = RatioWithin(few)) return *found;
    if (std::optional<MeantConstant> found = WithPi()) return *found;
    if (std::optional<MeantConstant> found = Root(2, few)) return *found;
    if (std::optional<MeantConstant> found = Root(4, few / 2)) return *found;
    if (std::optional<MeantConstant> found = RatioWithin(limits_.term)) return *found;
    // Few, since there are as many roots as ratios.
    if (std::optional<MeantConstant> found = Root(2, limits_.term / 4)) return *found;
    if (std::optional<MeantConstant> found = Root(4, limits_.term / 4)) return *found;
    return {field_.OfDouble(size_), ""};
  }

 private:
  bool IsNearest(double value) const { return RoundTo(dtype_, value) == size_; }

  Residue OfRatio(const Ratio& ratio) const { return field_.OfRatio(ratio.a, ratio.b); }

  std::optional<MeantConstant> RatioWithin(int64_t most) const {
    const auto ratio = SmallRatio(size_, most, [this](double value) { return IsNearest(value); });
    if (!ratio.has_value()) return std::nullopt;
    return MeantConstant{OfRatio(*ratio), RatioText(*ratio)};
  }

  std::optional<MeantConstant> Decimal() const {
    for (int digits = 1; digits <= limits_.digits; ++digits) {
      const std::string text = absl::StrFormat("%.*e", digits - 1, size_);
      if (!IsNearest(std::strtod(text.c_str(), nullptr))) continue;
      const size_t e = text.find('e');
      std::string mantissa = text.substr(0, e);
      int exponent = std::atoi(text.c_str() + e + 1);
      if (const size_t point = mantissa.find('.'); point != std::string::npos) {
        exponent -= static_cast<int>(mantissa.size() - point - 1);
        mantissa.erase(point, 1);
      }
      const Residue power = field_.Power(10, static_cast<uint64_t>(std::abs(exponent)));
      const Residue whole = std::strtoll(mantissa.c_str(), nullptr, 10);
      return MeantConstant{exponent < 0 ? field_.Div(whole, power) : field_.Mul(whole, power),
                           absl::StrFormat("%.*g", digits, size_)};
    }
    return std::nullopt;
  }

  // The number is sqrt(a / b), or its square root.
  std::optional<MeantConstant> Root(int degree, int64_t most) const {
    const double power = degree == 2 ? size_ * size_ : size_ * size_ * size_ * size_;
    const auto ratio = SmallRatio(power, most, [&](double value) {
      return IsNearest(degree == 2 ? std::sqrt(value) : std::sqrt(std::sqrt(value)));
    });
    if (!ratio.has_value()) return std::nullopt;
    Residue root = field_.Div(field_.Sqrt(ratio->a), field_.Sqrt(ratio->b));
    if (degree == 4) {
      root = field_.Div(field_.Sqrt(field_.Sqrt(ratio->a)), field_.Sqrt(field_.Sqrt(ratio->b)));
    }
    return MeantConstant{root, absl::StrCat(degree == 2 ? "sqrt(" : "sqrt(sqrt(", RatioText(*ratio),
                                            degree == 2 ? ")" : "))")};
  }

  Residue Half() const { return field_.OfRatio(1, 2); }

  // The factors of Gelu by Tanh or Sigmoid, 0.044715 sqrt(2 / pi) and twice that.
  std::optional<MeantConstant> OfGelu(Residue root_of_half_pi) const {
    for (const int64_t factor : {1, 2}) {
      const auto times = static_cast<double>(factor);
      if (!IsNearest(times * 0.044715 * std::sqrt(2 / std::numbers::pi))) continue;
      return MeantConstant{field_.Div(field_.OfRatio(factor * 44715, 1000000), root_of_half_pi),
                           absl::StrCat(factor == 1 ? "" : "2 ", "0.044715 sqrt(2/pi)")};
    }
    return std::nullopt;
  }

  std::optional<MeantConstant> WithPi() const {
    constexpr uint64_t kPi = FunctionNumber("pi");
    constexpr double kNumber = std::numbers::pi;
    const Residue root = field_.Random(kPi, 0);
    const Residue pi = field_.Mul(root, root);  // a square, so that sqrt(2 pi) = sqrt(2) sqrt(pi)
    if (std::optional<MeantConstant> found = OfGelu(field_.Sqrt(field_.Mul(pi, Half()))))
      return found;
    for (const Ratio ratio :
         {Ratio{1, 1}, Ratio{2, 1}, Ratio{1, 2}, Ratio{1, 180}, Ratio{1, 4}, Ratio{1, 8}}) {
      const double factor = static_cast<double>(ratio.a) / static_cast<double>(ratio.b);
      const Residue multiple = field_.Mul(pi, OfRatio(ratio));
      const std::string name = ratio.a == 2   ? "2 pi"
                               : ratio.b == 1 ? "pi"
                                              : absl::StrCat("pi/", ratio.b);
      if (IsNearest(kNumber * factor)) return MeantConstant{multiple, name};
      if (IsNearest(1 / (kNumber * factor))) {
        return MeantConstant{field_.Inverse(multiple), absl::StrCat("1/(", name, ")")};
      }
      if (IsNearest(std::sqrt(kNumber * factor))) {
        return MeantConstant{field_.Sqrt(multiple), absl::StrCat("sqrt(", name, ")")};
      }
      if (IsNearest(1 / std::sqrt(kNumber * factor))) {
        return MeantConstant{field_.Inverse(field_.Sqrt(multiple)),
                             absl::StrCat("1/sqrt(", name, ")")};
      }
    }
    return std::nullopt;
  }

  const PrimeField& field_;
  double size_;
  DType dtype_;
  Limits limits_;
};

}  // namespace

MeantConstant MeaningOf(const PrimeField& field, double number, DType dtype) {
  const double size = std::fabs(number);
  // Whole numbers, and fractions that are exact in few bits, are what they are.
  constexpr double kWholeFractions = 4096;
  constexpr double kWhole = 1e15;
  if (!std::isfinite(number) || number == 0 ||
      (size < kWhole && size * kWholeFractions == std::floor(size * kWholeFractions) &&
       size * kWholeFractions < double{1 << 22})) {
    return {field.OfDouble(number), ""};
  }
  MeantConstant meant = Meaning(field, size, dtype).Find();
  if (number > 0 || meant.text.empty()) {
    if (number < 0) meant.residue = field.OfDouble(number);
    return meant;
  }
  return {field.Neg(meant.residue), absl::StrCat("-", meant.text)};
}

}  // namespace onnxcmp
