#include "compare/value_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/element_reader.h"
#include "compare/element_text.h"

namespace onnxcmp {
namespace {

constexpr int64_t kStrip = 512;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Nested sequences deeper than this are not compared further.
constexpr int kMaxDepth = 64;

double Magnitude(double a) { return std::abs(a); }
double Magnitude(std::complex<double> a) { return std::abs(a); }
double Magnitude(int64_t a) { return std::abs(static_cast<double>(a)); }
double Magnitude(uint64_t a) { return static_cast<double>(a); }
double Magnitude(bool a) { return a ? 1 : 0; }

bool IsNan(double a) { return std::isnan(a); }
bool IsNan(std::complex<double> a) { return std::isnan(a.real()) || std::isnan(a.imag()); }
bool IsNan(int64_t) { return false; }
bool IsNan(uint64_t) { return false; }
bool IsNan(bool) { return false; }

// |a - b|, 0 only if they are equal.
template <typename T>
double Distance(T a, T b) {
  if (a == b || (IsNan(a) && IsNan(b))) {
    return 0;
  }
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_integral_v<T>) {
    // In integers, where neighbours beyond 2^53 are still different. Modulo 2^64 the difference of
    // the greater and the lesser is right for both signednesses.
    return static_cast<double>(static_cast<uint64_t>(std::max(a, b)) -
                               static_cast<uint64_t>(std::min(a, b)));
  } else {
    const double distance = Magnitude(a - b);
    return std::isnan(distance) ? kInfinity : distance;
  }
}

class Comparer {
 public:
  explicit Comparer(const ToleranceOptions& options) : options_(options) {}

  void Compare(const Value& left, const Value& right, const std::string& where, int depth);

  ValueDifference Take() { return std::move(difference_); }

 private:
  void Disagree(const std::string& where, absl::string_view what, absl::string_view left,
                absl::string_view right) {
    difference_.agree = false;
    if (difference_.reason.empty()) {
      difference_.reason =
          absl::StrCat(where, where.empty() ? "" : " ", what, " ", left, " | ", right);
    }
  }

  void CompareTensors(const Tensor& left, const Tensor& right, const std::string& where);
  void CompareStrings(const Tensor& left, const Tensor& right, const std::string& where);
  template <typename T>
  void CompareElements(const Tensor& left, const Tensor& right, const std::string& where);
  void CompareParts(const Value* left, const Value* right, const std::string& where, int depth);

  // Counts a pair of elements that are not equal.
  void Note(const Tensor& left, const Tensor& right, int64_t index, double absolute,
            double magnitude, const std::string& where);

  ToleranceOptions options_;
  ValueDifference difference_;
};

std::string IndexText(const std::string& where, const Shape& shape, int64_t index) {
  std::string text(where);
  if (!text.empty()) {
    text += " ";
  }
  Shape place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return absl::StrCat(text, "[", absl::StrJoin(place, ","), "]");
}

void Comparer::Note(const Tensor& left, const Tensor& right, int64_t index, double absolute,
                    double magnitude, const std::string& where) {
  const Tolerance& tolerance = difference_.tolerance;
  // An infinity is within any relative tolerance of itself, but not of another number.
  const bool within =
      std::isfinite(absolute) && absolute <= tolerance.atol + tolerance.rtol * magnitude;
  if (!within) {
    ++difference_.beyond;
    difference_.agree = false;
  }
  if (absolute > difference_.max_absolute) {
    difference_.max_absolute = absolute;
    difference_.max_absolute_at = IndexText(where, left.shape(), index);
    difference_.max_absolute_pair =
        absl::StrCat(ElementText(left, index), " | ", ElementText(right, index));
  }
  const double relative = std::isfinite(absolute) ? absolute / magnitude : kInfinity;
  if (relative > difference_.max_relative) {
    difference_.max_relative = relative;
    difference_.max_relative_at = IndexText(where, left.shape(), index);
  }
}

template <typename T>
void Comparer::CompareElements(const Tensor& left, const Tensor& right, const std::string& where) {
  const ElementReader left_reader(left);
  const ElementReader right_reader(right);
  std::array<T, kStrip> a;
  std::array<T, kStrip> b;
  const int64_t size = left.num_elements();
  for (int64_t first = 0; first < size; first += kStrip) {
    const int64_t count = std::min(kStrip, size - first);
    left_reader.Read(first, count, a.data());
    right_reader.Read(first, count, b.data());
    for (int64_t i = 0; i < count; ++i) {
      const T x = a[static_cast<size_t>(i)];
      const T y = b[static_cast<size_t>(i)];
      if (const double distance = Distance(x, y); distance != 0) {
        Note(left, right, first + i, distance, std::max(Magnitude(x), Magnitude(y)), where);
      } else if (IsNan(x)) {
        ++difference_.nans;
      }
    }
  }
}

void Comparer::CompareStrings(const Tensor& left, const Tensor& right, const std::string& where) {
  const auto a = left.Contiguous();
  const auto b = right.Contiguous();
  if (!a.ok() || !b.ok()) {
    Disagree(where, "strings", "out of memory", "out of memory");
    return;
  }
  for (int64_t i = 0; i < left.num_elements(); ++i) {
    if (a->string_data()[i] != b->string_data()[i]) {
      Note(*a, *b, i, 1, 1, where);
    }
  }
}

void Comparer::CompareTensors(const Tensor& left, const Tensor& right, const std::string& where) {
  if (left.shape() != right.shape()) {
    Disagree(where, "shape", absl::StrCat("[", absl::StrJoin(left.shape(), ","), "]"),
             absl::StrCat("[", absl::StrJoin(right.shape(), ","), "]"));
    return;
  }
  const ComputeClass left_class = ComputeClassOf(left.dtype());
  const ComputeClass right_class = ComputeClassOf(right.dtype());
  const auto is_text = [](ComputeClass c) {
    return c == ComputeClass::kString || c == ComputeClass::kNone;
  };
  if (left.dtype() != right.dtype()) {
    Disagree(where, "element type", DTypeName(left.dtype()), DTypeName(right.dtype()));
    if (is_text(left_class) || is_text(right_class)) {
      return;
    }
  }
  const Tolerance a = DefaultTolerance(left.dtype());
  const Tolerance b = DefaultTolerance(right.dtype());
  const bool exact = left_class == ComputeClass::kBool || is_text(left_class);
  difference_.tolerance = exact ? Tolerance{}
                                : Tolerance{options_.rtol.value_or(std::max(a.rtol, b.rtol)),
                                            options_.atol.value_or(std::max(a.atol, b.atol))};
  difference_.elements += left.num_elements();
  const ComputeClass common =
      left_class == right_class ? left_class
      : left_class == ComputeClass::kComplex || right_class == ComputeClass::kComplex
          ? ComputeClass::kComplex
          : ComputeClass::kDouble;
  switch (common) {
    case ComputeClass::kFloat:
    case ComputeClass::kDouble:
      return CompareElements<double>(left, right, where);
    case ComputeClass::kInt64:
      return CompareElements<int64_t>(left, right, where);
    case ComputeClass::kUint64:
      return CompareElements<uint64_t>(left, right, where);
    case ComputeClass::kBool:
      return CompareElements<bool>(left, right, where);
    case ComputeClass::kComplex:
      return CompareElements<std::complex<double>>(left, right, where);
    case ComputeClass::kString:
      return CompareStrings(left, right, where);
    case ComputeClass::kNone:
      return;
  }
}

void Comparer::CompareParts(const Value* left, const Value* right, const std::string& where,
                            int depth) {
  if ((left == nullptr) != (right == nullptr)) {
    Disagree(where, "value", left == nullptr ? "none" : left->TypeString(),
             right == nullptr ? "none" : right->TypeString());
  } else if (left != nullptr) {
    Compare(*left, *right, where, depth + 1);
  }
}

void Comparer::Compare(const Value& left, const Value& right, const std::string& where, int depth) {
  const auto at = [&](absl::string_view part) {
    return absl::StrCat(where, where.empty() ? "" : " ", part);
  };
  if (depth > kMaxDepth) {
    Disagree(where, "nesting", "too deep", "too deep");
  } else if (left.is_tensor() && right.is_tensor()) {
    CompareTensors(left.tensor(), right.tensor(), where);
  } else if (left.is_sequence() && right.is_sequence()) {
    const auto& a = left.sequence().elements;
    const auto& b = right.sequence().elements;
    if (a.size() != b.size()) {
      Disagree(where, "length", absl::StrCat(a.size()), absl::StrCat(b.size()));
    }
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      Compare(a[i], b[i], at(absl::StrCat("[", i, "]")), depth + 1);
    }
  } else if (left.is_optional() && right.is_optional()) {
    CompareParts(left.optional().element.get(), right.optional().element.get(), where, depth);
  } else if (left.is_map() && right.is_map()) {
    Compare(left.map().keys, right.map().keys, at("keys"), depth + 1);
    CompareParts(left.map().values.get(), right.map().values.get(), at("values"), depth);
  } else if (left.is_sparse() && right.is_sparse()) {
    if (left.sparse().dims != right.sparse().dims) {
      Disagree(where, "type", left.TypeString(), right.TypeString());
      return;
    }
    Compare(left.sparse().indices, right.sparse().indices, at("indices"), depth + 1);
    Compare(left.sparse().values, right.sparse().values, at("values"), depth + 1);
  } else if (!left.empty() || !right.empty()) {
    Disagree(where, "type", left.TypeString(), right.TypeString());
  }
}

}  // namespace

Tolerance DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return {1e-9, 1e-12};
    case DType::kFloat:
    case DType::kComplex64:
      return {1e-4, 1e-5};
    case DType::kFloat16:
      return {1e-2, 1e-3};
    case DType::kBfloat16:
      return {4e-2, 1e-2};
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
      return {0.13, 0.02};
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return {0.26, 0.02};
    case DType::kFloat8E8M0:
    case DType::kFloat4E2M1:
      return {0.5, 0.5};
    default:
      return {0, 0};
  }
}

ValueDifference DifferenceOf(const Value& left, const Value& right,
                             const ToleranceOptions& options) {
  Comparer comparer(options);
  comparer.Compare(left, right, "", 0);
  return comparer.Take();
}

}  // namespace onnxcmp
