#include "compare/differences/pair_tolerance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

Tolerance Wider(const Tolerance& a, const Tolerance& b) {
  return {std::max(a.rtol, b.rtol), std::max(a.atol, b.atol)};
}

// Of numbers that were computed from numbers of this type. An integer type stands for numbers
// quantized to it: a few of its steps.
Tolerance ToleranceBehind(DType precision) {
  if (!IsInteger(precision)) return DefaultTolerance(precision);
  switch (BitWidth(precision)) {
    case 16:
      return {1e-2, 1e-3};
    case 8:
      return {5e-2, 2e-2};
    case 4:
      return {0.26, 0.05};
    case 2:
      return {0.5, 0.2};
    default:
      return {0, 0};
  }
}

Tolerance DefaultToleranceOf(const StreamResult& left, const StreamResult& right) {
  const Tolerance behind = Wider(ToleranceBehind(left.precision), ToleranceBehind(right.precision));
  if (!IsInteger(left.dtype) || !IsInteger(right.dtype)) {
    return Wider(behind, Wider(DefaultTolerance(left.dtype), DefaultTolerance(right.dtype)));
  }
  // Indices, counts and sizes have to be equal, whatever they were computed from.
  if (!IsInteger(left.precision) && !IsInteger(right.precision)) return {0, 0};
  // Quantized numbers may be rounded to the step beside.
  if (BitWidth(left.dtype) <= 16 && BitWidth(right.dtype) <= 16) return {0, 1};
  return Wider(behind, {0, 1});  // sums of them
}

// How large a value's elements are, at least 1: a mean that a few huge ones, such as the -3e38 of a
// mask, do not move.
double Magnitude(const StreamResult& result) {
  constexpr int kMeanOfMagnitudes = 2;  // of c(x) = x / (1 + |x|)
  const Fingerprint& fingerprint = result.fingerprint;
  if (!fingerprint.has_sketch || fingerprint.kind != ElementKind::kFloat) return 1;
  const double mean = std::min(fingerprint.moments[kMeanOfMagnitudes], 1 - 1e-12);
  return std::max(1.0, mean / (1 - mean));
}

void AddNames(const StreamResult& result, std::vector<std::string>* names) {
  names->push_back(result.name);
  if (!result.path.empty()) names->push_back(absl::StrCat(result.path, "/", result.name));
}

}  // namespace

std::optional<Tolerance> NamedTolerance(const ToleranceOptions& options,
                                        absl::Span<const std::string> names) {
  std::optional<Tolerance> tolerance;
  for (const std::string& name : names) {
    const auto it = options.by_name.find(name);
    if (it != options.by_name.end()) tolerance = Wider(tolerance.value_or(it->second), it->second);
  }
  return tolerance;
}

Tolerance ToleranceOf(const StreamResult& left, const StreamResult& right,
                      const ToleranceOptions& options) {
  if (!options.by_name.empty()) {
    std::vector<std::string> names;
    AddNames(left, &names);
    AddNames(right, &names);
    if (const auto named = NamedTolerance(options, names)) return *named;
  }
  Tolerance tolerance = DefaultToleranceOf(left, right);
  // Where a sum of large numbers comes out small, its error is still that of large numbers.
  tolerance.atol *= std::min(Magnitude(left), Magnitude(right));
  return {options.rtol.value_or(tolerance.rtol), options.atol.value_or(tolerance.atol)};
}

absl::Status AddNamedTolerance(absl::string_view text, ToleranceOptions* options) {
  const size_t equals = text.rfind('=');
  const size_t comma = text.rfind(',');
  Tolerance tolerance;
  const auto is_tolerance = [](double number) { return std::isfinite(number) && number >= 0; };
  if (equals == absl::string_view::npos || equals == 0 || comma == absl::string_view::npos ||
      comma < equals ||
      !absl::SimpleAtod(text.substr(equals + 1, comma - equals - 1), &tolerance.rtol) ||
      !absl::SimpleAtod(text.substr(comma + 1), &tolerance.atol) || !is_tolerance(tolerance.rtol) ||
      !is_tolerance(tolerance.atol)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not NAME=RTOL,ATOL with two numbers of at least 0"));
  }
  options->by_name[std::string(text.substr(0, equals))] = tolerance;
  return absl::OkStatus();
}

}  // namespace onnxcmp
