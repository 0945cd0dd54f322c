#include "ops/common/elements/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {
namespace {

// "d.ddde+XX", with the fewest digits that round back to the value.
std::string ShortestScientific(DType dtype, double value) {
  char buffer[64];
  char* const end = buffer + sizeof(buffer);
  if (dtype == DType::kFloat || dtype == DType::kDouble) {
    const std::to_chars_result result =
        dtype == DType::kFloat
            ? std::to_chars(buffer, end, static_cast<float>(value), std::chars_format::scientific)
            : std::to_chars(buffer, end, value, std::chars_format::scientific);
    return std::string(buffer, result.ptr);
  }
  for (int digits = 0;; ++digits) {
    const std::to_chars_result result =
        std::to_chars(buffer, end, value, std::chars_format::scientific, digits);
    std::string text(buffer, result.ptr);
    // No narrow type needs as many digits as float.
    if (digits >= 9 || RoundTo(dtype, std::strtod(text.c_str(), nullptr)) == value) {
      return text;
    }
  }
}

// The value of `text` in the type that elements of `dtype` are parsed in. False: not a number.
bool ParseFloat(DType dtype, absl::string_view text, double* value) {
  if (text.find_first_of("xX(") != absl::string_view::npos) {
    return false;  // Abseil takes 0x10 and nan(1)
  }
  if (dtype == DType::kFloat) {
    float single = 0;
    const bool ok = absl::SimpleAtof(text, &single);
    *value = single;
    return ok;
  }
  return absl::SimpleAtod(text, value);
}

bool ParseBool(absl::string_view text, bool* value) {
  const absl::string_view word = absl::StripAsciiWhitespace(text);
  if (absl::EqualsIgnoreCase(word, "true") || absl::EqualsIgnoreCase(word, "false")) {
    *value = absl::EqualsIgnoreCase(word, "true");
    return true;
  }
  return false;
}

bool ParseElement(absl::string_view text, Overflow overflow, int64_t index, Tensor* out) {
  const DType dtype = out->dtype();
  std::byte* const data = out->mutable_raw_data();
  bool truth = false;
  int64_t integer = 0;
  uint64_t natural = 0;
  double number = 0;
  if (ParseBool(text, &truth)) {
    StoreElements(dtype, &truth, 1, data, index, overflow);
  } else if (IsInteger(dtype) && absl::SimpleAtoi(text, &integer)) {
    StoreElements(dtype, &integer, 1, data, index, overflow);
  } else if (IsInteger(dtype) && absl::SimpleAtoi(text, &natural)) {
    StoreElements(dtype, &natural, 1, data, index, overflow);
  } else if (ParseFloat(dtype, text, &number)) {
    StoreElements(dtype, &number, 1, data, index, overflow);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string FormatFloat(DType dtype, double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  const std::string scientific = ShortestScientific(dtype, value);
  const size_t mark = scientific.find('e');
  const size_t sign = scientific[0] == '-' ? 1 : 0;
  std::string digits(1, scientific[sign]);
  if (mark > sign + 2) {
    digits.append(scientific, sign + 2, mark - sign - 2);
  }
  const int exponent = std::atoi(scientific.c_str() + mark + 1);
  std::string text(scientific, 0, sign);
  if (exponent < -4 || exponent >= 16) {
    text += digits[0];
    if (digits.size() > 1) {
      absl::StrAppend(&text, ".", digits.substr(1));
    }
    absl::StrAppend(&text, exponent < 0 ? "e-" : "e+", std::abs(exponent) < 10 ? "0" : "",
                    std::abs(exponent));
    return text;
  }
  if (exponent < 0) {
    return absl::StrCat(text, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    return absl::StrCat(text, digits, std::string(whole - digits.size(), '0'), ".0");
  }
  return absl::StrCat(text, digits.substr(0, whole), ".", digits.substr(whole));
}

void FormatElements(const Tensor& numbers, std::string* out) {
  const DType dtype = numbers.dtype();
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    if (IsFloatingPoint(dtype)) {
      double value = 0;
      LoadElements(dtype, numbers.raw_data(), i, 1, &value);
      out[i] = FormatFloat(dtype, value);
    } else if (IsUnsignedInteger(dtype)) {
      uint64_t value = 0;
      LoadElements(dtype, numbers.raw_data(), i, 1, &value);
      out[i] = absl::StrCat(value);
    } else if (dtype == DType::kBool) {
      bool value = false;
      LoadElements(dtype, numbers.raw_data(), i, 1, &value);
      out[i] = value ? "True" : "False";
    } else {
      int64_t value = 0;
      LoadElements(dtype, numbers.raw_data(), i, 1, &value);
      out[i] = absl::StrCat(value);
    }
  }
}

absl::Status ParseElements(const std::string* strings, Overflow overflow, Tensor* out) {
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    if (!ParseElement(strings[i], overflow, i, out)) {
      return absl::InvalidArgumentError(absl::StrCat("element ", i, ", \"",
                                                     absl::CHexEscape(strings[i].substr(0, 40)),
                                                     "\", is not a number"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
