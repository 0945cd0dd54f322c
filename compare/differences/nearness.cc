#include "compare/differences/nearness.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/differences/element_reader.h"
#include "evaluator/convert.h"
#include "evaluator/status_macros.h"

namespace onnxcmp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Stands for minus infinity in masks.
constexpr double kHuge = 1e30;
constexpr double kGreatestHalf = 65504;

// Masks are written with the least number of their type, or infinity: conversions turn one into the
// other.
bool IsMask(double v) { return std::abs(v) >= kHuge || std::abs(v) == kGreatestHalf; }
bool SameMask(double a, double b) { return IsMask(a) && IsMask(b) && (a < 0) == (b < 0); }

}  // namespace

double EpsilonOf(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return std::ldexp(1.0, -52);
    case DType::kFloat:
    case DType::kComplex64:
      return std::ldexp(1.0, -23);
    case DType::kFloat16:
      return std::ldexp(1.0, -10);
    case DType::kBfloat16:
      return std::ldexp(1.0, -7);
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
      return std::ldexp(1.0, -3);
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return std::ldexp(1.0, -2);
    case DType::kFloat4E2M1:
      return 0.5;
    default:
      return 0;
  }
}

double CoarserEpsilon(DType a, DType b) {
  const double left = EpsilonOf(a);
  const double right = EpsilonOf(b);
  return left == 0 || right == 0 ? 0 : std::max(left, right);
}

bool SameKindOfNumber(DType a, DType b) {
  if (IsComplex(a) || IsComplex(b)) return IsComplex(a) && IsComplex(b);
  if (IsInteger(a) || IsInteger(b)) return IsInteger(a) && IsInteger(b);
  if (IsFloatingPoint(a)) return IsFloatingPoint(b);
  return a == b && a == DType::kBool;
}

std::vector<double> ElementsOf(const Tensor& tensor) {
  const int64_t count = tensor.num_elements();
  if (count == 0) return {};
  const ElementReader reader(tensor);
  if (!IsComplex(tensor.dtype())) {
    std::vector<double> elements(static_cast<size_t>(count));
    reader.Read(0, count, elements.data());
    return elements;
  }
  std::vector<std::complex<double>> numbers(static_cast<size_t>(count));
  reader.Read(0, count, numbers.data());
  std::vector<double> elements;
  elements.reserve(2 * numbers.size());
  for (const std::complex<double>& number : numbers) {
    elements.push_back(number.real());
    elements.push_back(number.imag());
  }
  return elements;
}

double ScaleOf(absl::Span<const double> elements) {
  constexpr size_t kSample = 4096;
  double squares = 0;
  size_t count = 0;
  std::vector<double> sample;
  const size_t step = elements.size() / kSample + 1;
  size_t until_next = 1;  // of the elements that count
  for (const double element : elements) {
    const double magnitude = std::abs(element);
    // Without a branch: half of what a Relu gives is 0, in no order.
    const bool counts = magnitude > 0 && magnitude < kHuge;
    squares += counts ? magnitude * magnitude : 0;
    count += counts ? 1 : 0;
    until_next -= counts ? 1 : 0;
    if (until_next == 0) {
      sample.push_back(magnitude);
      until_next = step;
    }
  }
  if (count == 0) return 0;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return std::min(std::sqrt(squares / static_cast<double>(count)), 4 * *middle);
}

Measured Measure(const Tensor& tensor) {
  Measured measured;
  measured.elements = ElementsOf(tensor);
  measured.scale = ScaleOf(measured.elements);
  measured.dtype = tensor.dtype();
  return measured;
}

double Distance(const Measured& left, const Measured& right) {
  const double scale = std::min(left.scale, right.scale);
  const bool masks = left.dtype != right.dtype;
  double greatest = 0;
  for (size_t i = 0; i < left.elements.size(); ++i) {
    const double a = left.elements[i];
    const double b = right.elements[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (masks && SameMask(a, b)) continue;
    if (!std::isfinite(a) || !std::isfinite(b)) return kInfinity;
    greatest = std::max(greatest, std::abs(a - b) / std::max(std::abs(a), scale));
  }
  return greatest;
}

double RelativeRms(const Measured& left, const Measured& right) {
  double squares = 0;
  double differences = 0;
  for (size_t i = 0; i < left.elements.size(); ++i) {
    const double difference = right.elements[i] - left.elements[i];
    squares += left.elements[i] * left.elements[i];
    differences += difference * difference;
  }
  return squares > 0 ? std::sqrt(differences / squares) : differences > 0 ? 1 : 0;
}

double UnequalShare(const Measured& left, const Measured& right) {
  size_t unequal = 0;
  for (size_t i = 0; i < left.elements.size(); ++i) {
    const double a = left.elements[i];
    const double b = right.elements[i];
    if (a != b && !(std::isnan(a) && std::isnan(b))) ++unequal;
  }
  return left.elements.empty()
             ? 0
             : static_cast<double>(unequal) / static_cast<double>(left.elements.size());
}

double NearLimit(double epsilon) {
  // In a type of 16 bits, a hundred steps would be as much as many an error.
  constexpr double kCoarse = 1e-4;
  return (epsilon > kCoarse ? 16 : 168) * epsilon;
}

namespace {

size_t SampleStep(size_t count) { return count / 16 + 1; }

}  // namespace

Sample SampleOf(const Measured& measured) {
  Sample sample;
  sample.scale = measured.scale;
  sample.dtype = measured.dtype;
  for (size_t i = 0; i < measured.elements.size(); i += SampleStep(measured.elements.size())) {
    sample.elements.push_back(measured.elements[i]);
  }
  return sample;
}

bool MayBeNear(const Sample& left, const Measured& right) {
  const double epsilon = CoarserEpsilon(left.dtype, right.dtype);
  if (epsilon == 0) return true;
  const double limit = NearLimit(epsilon);
  const double scale = std::min(left.scale, right.scale);
  const size_t step = SampleStep(right.elements.size());
  for (size_t k = 0; k < left.elements.size() && k * step < right.elements.size(); ++k) {
    const double a = left.elements[k];
    const double b = right.elements[k * step];
    if (left.dtype != right.dtype && SameMask(a, b)) continue;
    if (std::isfinite(a) && std::abs(a - b) > limit * std::max(std::abs(a), scale)) return false;
  }
  return true;
}

bool Near(const Measured& left, const Measured& right) {
  const DType left_type = left.dtype;
  const DType right_type = right.dtype;
  if (left.elements.size() != right.elements.size() || !SameKindOfNumber(left_type, right_type)) {
    return false;
  }
  const double epsilon = CoarserEpsilon(left_type, right_type);
  if (epsilon > 0) {
    const double limit = NearLimit(epsilon);
    return Distance(left, right) <= limit;
  }
  const bool steps = BitWidth(left_type) == 8 && BitWidth(right_type) == 8 &&
                     IsInteger(left_type) && left.elements.size() >= 16;
  constexpr size_t kShare = 50;
  size_t unequal = 0;
  for (size_t i = 0; i < left.elements.size(); ++i) {
    const double difference = std::abs(left.elements[i] - right.elements[i]);
    if (difference == 0) continue;
    if (!steps || difference > 1 || ++unequal > left.elements.size() / kShare) return false;
  }
  return true;
}

absl::StatusOr<Value> ConvertedTo(const Value& value, DType dtype,
                                  absl::Span<const int64_t> shape) {
  if (!value.is_tensor()) return absl::InvalidArgumentError("only tensors are converted");
  const Tensor& tensor = value.tensor();
  if (NumElements(shape) != tensor.num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensor.TypeString(), " has not the elements of ", ShapeToString(shape)));
  }
  if (tensor.dtype() == dtype) {
    if (tensor.shape() == Shape(shape.begin(), shape.end())) return value;
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, tensor.Contiguous());
    return Value(contiguous.Reshaped(shape));
  }
  if (!SameKindOfNumber(tensor.dtype(), dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat(DTypeName(tensor.dtype()), " is no ", DTypeName(dtype)));
  }
  OC_ASSIGN_OR_RETURN(Tensor converted, Tensor::Allocate(dtype, shape));
  const int64_t count = tensor.num_elements();
  if (count == 0) return Value(std::move(converted));
  const ElementReader reader(tensor);
  const auto convert = [&]<typename C>(std::vector<C> elements) {
    reader.Read(0, count, elements.data());
    StoreElements<C>(dtype, elements.data(), count, converted.mutable_raw_data(), 0);
  };
  const auto size = static_cast<size_t>(count);
  if (IsComplex(dtype)) {
    convert(std::vector<std::complex<double>>(size));
  } else if (IsInteger(dtype)) {
    convert(std::vector<int64_t>(size));
  } else {
    convert(std::vector<double>(size));
  }
  return Value(std::move(converted));
}

}  // namespace onnxcmp
