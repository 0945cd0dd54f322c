#include "record/differences/element_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "record/differences/element_reader.h"
#include "record/differences/infinity.h"
#include "record/differences/lanes/finite_strip.h"
#include "record/differences/lanes/ulp_ladder.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_runs.h"

namespace onnxcmp {
namespace {

constexpr int64_t kParallelPieces = 2;

// Holds int64 and uint64 alike.
using Wide = __int128;
using Complex = std::complex<double>;

struct FloatFormat {
  int digits;  // after the leading 1
  int least_exponent;
};

// Integers and bools: finer than any float.
FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return {52, -1022};
    case DType::kFloat:
    case DType::kComplex64:
      return {23, -126};
    case DType::kFloat16:
      return {10, -14};
    case DType::kBfloat16:
      return {7, -126};
    case DType::kFloat8E4M3FN:
      return {3, -6};
    case DType::kFloat8E4M3FNUZ:
      return {3, -7};
    case DType::kFloat8E5M2:
      return {2, -14};
    case DType::kFloat8E5M2FNUZ:
      return {2, -15};
    case DType::kFloat6E2M3:
      return {3, 0};
    case DType::kFloat6E3M2:
      return {2, -2};
    case DType::kFloat4E2M1:
      return {1, 0};
    case DType::kFloat8E8M0:
      return {0, -127};
    default:
      return {64, -1022};
  }
}

enum class Kind : uint8_t { kFinite, kInfinite, kNan };

Kind KindOf(double a) {
  return std::isfinite(a) ? Kind::kFinite : std::isnan(a) ? Kind::kNan : Kind::kInfinite;
}
Kind KindOf(Complex a) { return std::max(KindOf(a.real()), KindOf(a.imag())); }
Kind KindOf(Wide) { return Kind::kFinite; }

double Magnitude(double a) { return std::abs(a); }
double Magnitude(Complex a) { return std::abs(a); }
double Magnitude(Wide a) { return static_cast<double>(a < 0 ? -a : a); }

// Contribution of a number to the range.
double Place(double a) { return a; }
double Place(Complex a) { return std::abs(a); }
double Place(Wide a) { return static_cast<double>(a); }

double Product(double a, double b) { return a * b; }
double Product(Complex a, Complex b) { return a.real() * b.real() + a.imag() * b.imag(); }

// Elements of a tensor as T.
template <typename T>
void Read(const ElementReader& reader, DType, int64_t first, int64_t count, T* out) {
  reader.Read(first, count, out);
}
void Read(const ElementReader& reader, DType dtype, int64_t first, int64_t count, Wide* out) {
  if (IsSignedInteger(dtype)) {
    std::array<int64_t, kNumberStrip> buffer;
    reader.Read(first, count, buffer.data());
    std::copy_n(buffer.begin(), count, out);
  } else {
    std::array<uint64_t, kNumberStrip> buffer;
    reader.Read(first, count, buffer.data());
    std::copy_n(buffer.begin(), count, out);
  }
}

class ErrorScan {
 public:
  ErrorScan(const Tensor& left, const Tensor& right, const ErrorRules& rules)
      : left_(left),
        right_(right),
        left_reader_(left),
        right_reader_(right),
        rules_(rules),
        ladder_(0, 1),
        size_(left.num_elements()),
        same_type_(left.dtype() == right.dtype()),
        in_place_(same_type_ && !IsSubByte(left.dtype()) && TensorRuns(left).contiguous() &&
                  TensorRuns(right).contiguous()) {
    const FloatFormat a = FormatOf(left.dtype());
    const FloatFormat b = FormatOf(right.dtype());
    const int digits = std::min(a.digits, b.digits);
    // Between types with equally many digits, the one with the shorter range is coarser.
    const int least = a.digits != b.digits
                          ? (a.digits < b.digits ? a.least_exponent : b.least_exponent)
                          : std::max(a.least_exponent, b.least_exponent);
    has_ulp_ = digits <= 52;
    if (has_ulp_) ladder_ = UlpLadder(digits, std::ldexp(1.0, least));
  }

  ElementErrors ScanPiece(int64_t piece) const {
    if (IsComplex(left_.dtype()) || IsComplex(right_.dtype())) return ScanRead<Complex>(piece);
    if (IsInteger(left_.dtype()) && IsInteger(right_.dtype()) &&
        std::max(BitWidth(left_.dtype()), BitWidth(right_.dtype())) == 64) {
      return ScanRead<Wide>(piece);
    }
    if (in_place_ && left_.dtype() == DType::kFloat && rules_.scale == 1) {
      return ScanInPlace<float>(piece);
    }
    if (in_place_ && left_.dtype() == DType::kDouble) return ScanInPlace<double>(piece);
    return ScanRead<double>(piece);
  }

 private:
  // Calls strip(first, count) for the strips of a piece.
  template <typename Strip>
  void ForEachStripOf(int64_t piece, Strip strip) const {
    const int64_t end = std::min(size_, (piece + 1) * kNumberPiece);
    for (int64_t first = piece * kNumberPiece; first < end; first += kNumberStrip) {
      strip(first, std::min(kNumberStrip, end - first));
    }
  }

  template <typename T>
  ElementErrors ScanRead(int64_t piece) const {
    ElementErrors errors;
    std::array<T, kNumberStrip> a;
    std::array<T, kNumberStrip> b;
    ForEachStripOf(piece, [&](int64_t first, int64_t count) {
      Read(left_reader_, left_.dtype(), first, count, a.data());
      Read(right_reader_, right_.dtype(), first, count, b.data());
      errors.same_bits = errors.same_bits && SameBits(first, count, a.data(), b.data());
      if constexpr (std::is_same_v<T, double>) {
        AddStrip(a.data(), b.data(), first, count, &errors);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          const auto k = static_cast<size_t>(i);
          AddPair(a[k], b[k], first + i, &errors);
        }
      }
    });
    return errors;
  }

  // Contiguous elements are read in place, without a copy.
  template <typename Number>
  ElementErrors ScanInPlace(int64_t piece) const {
    ElementErrors errors;
    ForEachStripOf(piece, [&](int64_t first, int64_t count) {
      const Number* a = left_.data<Number>() + first;
      const Number* b = right_.data<Number>() + first;
      errors.same_bits = errors.same_bits && SameBits(first, count, a, b);
      AddStrip(a, b, first, count, &errors);
    });
    return errors;
  }

  // Where elements are copied, a signalling NaN equals its quiet one.
  template <typename T>
  bool SameBits(int64_t first, int64_t count, const T* a, const T* b) const {
    if (!same_type_) return false;
    if (!in_place_) return std::memcmp(a, b, static_cast<size_t>(count) * sizeof(T)) == 0;
    const int64_t width = BitWidth(left_.dtype()) / 8;
    return std::memcmp(left_.raw_data() + first * width, right_.raw_data() + first * width,
                       static_cast<size_t>(count * width)) == 0;
  }

  void NoteUlp(double a, double b, ElementErrors* errors) const {
    const double ulp = static_cast<double>(ladder_.Distance(a, b)) * ladder_.unit();
    errors->max_ulp = std::max(errors->max_ulp, ulp);
  }

  template <typename T>
  void AddSums(T a, T b, double absolute, ElementErrors* errors) const {
    ++errors->compared;
    errors->absolutes += absolute * rules_.scale;
    errors->squares += absolute * rules_.scale * (absolute * rules_.scale);
    if constexpr (std::is_same_v<T, Wide>) {
      AddProducts(static_cast<double>(a) * rules_.scale, static_cast<double>(b) * rules_.scale,
                  errors);
    } else {
      AddProducts(a * rules_.scale, b * rules_.scale, errors);
    }
    if constexpr (std::is_same_v<T, Complex>) {
      NoteUlp(a.real(), b.real(), errors);
      NoteUlp(a.imag(), b.imag(), errors);
    } else if constexpr (std::is_same_v<T, double>) {
      if (has_ulp_) NoteUlp(a, b, errors);
    }
  }

  template <typename T>
  static void AddProducts(T a, T b, ElementErrors* errors) {
    errors->left_squares += Product(a, a);
    errors->right_squares += Product(b, b);
    errors->products += Product(a, b);
  }

  template <typename T>
  static double Distance(T a, T b, Kind left, Kind right) {
    if (a == b || (left == Kind::kNan && right == Kind::kNan)) return 0;
    // Neighbours beyond 2^53 still differ.
    if constexpr (std::is_same_v<T, Wide>)
      return static_cast<double>(a < b ? b - a : a - b);
    else {
      const double distance = Magnitude(a - b);
      return std::isnan(distance) ? kInfinity : distance;
    }
  }

  template <typename T>
  void AddPair(T a, T b, int64_t index, ElementErrors* errors) const {
    const Kind left = KindOf(a);
    const Kind right = KindOf(b);
    const double absolute = Distance(a, b, left, right);
    const double magnitude = std::max(Magnitude(a), Magnitude(b));
    if (left == Kind::kFinite) {
      errors->min = std::min(errors->min, Place(a));
      errors->max = std::max(errors->max, Place(a));
      errors->greatest = std::max(errors->greatest, Magnitude(a));
    }
    if (right == Kind::kFinite) errors->greatest = std::max(errors->greatest, Magnitude(b));
    if (left == Kind::kFinite && right == Kind::kFinite) {
      if (std::isfinite(absolute)) AddSums(a, b, absolute, errors);
    } else {
      errors->nan_left += left == Kind::kNan ? 1 : 0;
      errors->nan_right += right == Kind::kNan ? 1 : 0;
      errors->infinite_left += left == Kind::kInfinite ? 1 : 0;
      errors->infinite_right += right == Kind::kInfinite ? 1 : 0;
      errors->both_nan += left == Kind::kNan && right == Kind::kNan ? 1 : 0;
      errors->non_finite_disagree += absolute != 0 ? 1 : 0;
    }
    if (absolute == 0) return;
    // An infinity is within any relative tolerance of itself, but not of another number.
    const bool finite = std::isfinite(absolute);
    const double relative = finite ? absolute / magnitude : kInfinity;
    const Tolerance& tolerance = rules_.tolerance;
    if (!finite || !(absolute <= tolerance.atol + tolerance.rtol * magnitude)) ++errors->beyond;
    if (finite) errors->relatives += relative;
    errors->beyond_tenth += relative > 0.1 ? 1 : 0;
    errors->beyond_hundredth += relative > 0.01 ? 1 : 0;
    errors->beyond_thousandth += relative > 0.001 ? 1 : 0;
    errors->Note({index, absolute, relative}, rules_);
  }

  // AddPair for a whole strip; pairs that fill the lanes are added at once, if they are finite.
  template <typename Number>
  void AddStrip(const Number* a, const Number* b, int64_t first, int64_t count,
                ElementErrors* errors) const {
    std::array<double, kNumberStrip> relatives;
    int64_t done = count / lanes::kStripLanes * lanes::kStripLanes;
    lanes::FiniteStrip<Number> strip(a, b, done, relatives.data());
    if (done > 0 && strip.Measure(rules_.scale, has_ulp_ ? &ladder_ : nullptr)) {
      AddFinite(strip, first, done, errors);
    } else {
      done = 0;
    }
    for (int64_t i = done; i < count; ++i) {
      AddPair(static_cast<double>(a[i]), static_cast<double>(b[i]), first + i, errors);
    }
    // Tensors with an element beyond its tolerance are not judged as a whole.
    if (!rules_.counting.has_value() || errors->beyond > 0) return;
    if (done > 0 && rules_.scale == 1) {
      errors->totals.Add(strip.Totals(*rules_.counting));
    } else {
      done = 0;
    }
    errors->totals.Add(MomentsOfStrip(a + done, b + done, count - done, *rules_.counting));
  }

  template <typename Number>
  void AddFinite(const lanes::FiniteStrip<Number>& strip, int64_t first, int64_t count,
                 ElementErrors* errors) const {
    const lanes::StripErrors& added = strip.errors();
    errors->compared += count;
    errors->absolutes += added.absolutes;
    errors->relatives += added.relatives;
    errors->squares += added.squares;
    errors->left_squares += added.left_squares;
    errors->right_squares += added.right_squares;
    errors->products += added.products;
    errors->greatest = std::max(errors->greatest, added.greatest);
    errors->min = std::min(errors->min, added.min);
    errors->max = std::max(errors->max, added.max);
    errors->max_ulp = std::max(errors->max_ulp, added.max_ulp);
    const Tolerance& tolerance = rules_.tolerance;
    if (added.max_absolute > tolerance.atol) {
      errors->beyond += strip.CountBeyond(tolerance.atol, tolerance.rtol);
    }
    if (added.max_relative > 0.001) {
      const auto beyond = strip.CountRelatives();
      errors->beyond_tenth += beyond.tenth;
      errors->beyond_hundredth += beyond.hundredth;
      errors->beyond_thousandth += beyond.thousandth;
    }
    const auto next_worse = [&](int64_t i) {
      return strip.NextWorse(i, LeastOfWorst(*errors), errors->worst_relative.relative);
    };
    // Few strips have an error to keep.
    if (added.max_absolute <= LeastOfWorst(*errors) &&
        added.max_relative <= errors->worst_relative.relative) {
      return;
    }
    for (int64_t i = next_worse(0); i < count; i = next_worse(i + 1)) {
      errors->Note({first + i, strip.AbsoluteAt(i), strip.RelativeAt(i)}, rules_);
    }
  }

  // Greater absolute errors are kept among the worst.
  double LeastOfWorst(const ElementErrors& errors) const {
    return errors.worst.size() < rules_.worst ? 0 : errors.worst.back().absolute;
  }

  const Tensor& left_;
  const Tensor& right_;
  ElementReader left_reader_;
  ElementReader right_reader_;
  const ErrorRules& rules_;
  UlpLadder ladder_;
  int64_t size_;
  bool has_ulp_ = false;
  bool same_type_;
  bool in_place_;  // both are contiguous, so that their bytes can be compared
};

}  // namespace

void ElementErrors::Note(const ElementError& error, const ErrorRules& rules) {
  if (error.relative > worst_relative.relative) worst_relative = error;
  if (worst.size() == rules.worst) {
    if (error.absolute <= worst.back().absolute) return;
    worst.pop_back();
  }
  const auto place = std::upper_bound(
      worst.begin(), worst.end(), error,
      [](const ElementError& a, const ElementError& b) { return a.absolute > b.absolute; });
  worst.insert(place, error);
}

void ElementErrors::Add(const ElementErrors& later, const ErrorRules& rules) {
  same_bits = same_bits && later.same_bits;
  beyond += later.beyond;
  both_nan += later.both_nan;
  nan_left += later.nan_left;
  nan_right += later.nan_right;
  infinite_left += later.infinite_left;
  infinite_right += later.infinite_right;
  non_finite_disagree += later.non_finite_disagree;
  beyond_tenth += later.beyond_tenth;
  beyond_hundredth += later.beyond_hundredth;
  beyond_thousandth += later.beyond_thousandth;
  compared += later.compared;
  absolutes += later.absolutes;
  relatives += later.relatives;
  squares += later.squares;
  left_squares += later.left_squares;
  right_squares += later.right_squares;
  products += later.products;
  max_ulp = std::max(max_ulp, later.max_ulp);
  min = std::min(min, later.min);
  max = std::max(max, later.max);
  greatest = std::max(greatest, later.greatest);
  totals.Add(later.totals);
  for (const ElementError& error : later.worst) Note(error, rules);
  if (later.worst_relative.relative > worst_relative.relative) {
    worst_relative = later.worst_relative;
  }
}

ElementErrors ErrorsOf(const Tensor& left, const Tensor& right, const ErrorRules& rules,
                       const ThreadPool* pool) {
  const ErrorScan scan(left, right, rules);
  const int64_t size = left.num_elements();
  const int64_t count = NumberPieces(size);
  std::vector<ElementErrors> pieces(static_cast<size_t>(count));
  const auto task = [&](int64_t i) { pieces[static_cast<size_t>(i)] = scan.ScanPiece(i); };
  if (pool != nullptr && count >= kParallelPieces) {
    pool->ParallelFor(count, task);
  } else {
    for (int64_t i = 0; i < count; ++i) task(i);
  }
  ElementErrors errors;
  errors.same_bits = left.dtype() == right.dtype();
  for (const ElementErrors& piece : pieces) errors.Add(piece, rules);
  return errors;
}

}  // namespace onnxcmp
