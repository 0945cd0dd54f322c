#include "compare/differences/element_errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "compare/differences/element_reader.h"
#include "compare/differences/infinity.h"
#include "compare/differences/strided_runs.h"

namespace onnxcmp {
namespace {

// Elements that are looked at while they are in the cache; those of a piece, which one thread
// walks; and the pieces that are worth waking other threads for.
constexpr int64_t kStrip = 1024;
constexpr int64_t kPiece = int64_t{1} << 16;
constexpr int64_t kParallelPieces = 4;

// Holds int64 and uint64 alike.
using Wide = __int128;
using Complex = std::complex<double>;

// Four lanes side by side: a register of AVX.
constexpr int kLanes = 4;
using Doubles = double __attribute__((vector_size(32)));
using Bits = uint64_t __attribute__((vector_size(32)));

Doubles Load(const double* p) {
  Doubles lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}
Doubles Splat(double number) { return Doubles{number, number, number, number}; }
Bits Splat(uint64_t bits) { return Bits{bits, bits, bits, bits}; }
Bits AsBits(Doubles lanes) { return reinterpret_cast<Bits>(lanes); }
Doubles AsDoubles(Bits lanes) { return reinterpret_cast<Doubles>(lanes); }
Doubles Abs(Doubles lanes) { return AsDoubles(AsBits(lanes) & Splat(~(uint64_t{1} << 63))); }
double Sum(Doubles lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }
int64_t Sum(Bits lanes) {
  return static_cast<int64_t>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}
double Max(Doubles lanes) {
  return std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
}

// Distances in units of the last place: by how many numbers of a type two numbers lie apart.
//
// The bits of positive doubles, taken as integers, count the doubles in their order; the numbers of
// a type with `digits` binary places are every 2^(52 - digits)th of them. Below its least normal
// number a type's numbers stay as far apart as just above it; adding that number makes the doubles
// do the same.
class UlpLadder {
 public:
  UlpLadder(int digits, double least_normal)
      : unit_(std::ldexp(1.0, digits - 52)),
        least_normal_(least_normal),
        base_(std::bit_cast<uint64_t>(least_normal)) {}

  // In units of 2^(digits - 52) ULP, which is what `unit` is. Both numbers must be finite.
  uint64_t Distance(double a, double b) const {
    const uint64_t left = Rung(std::abs(a));
    const uint64_t right = Rung(std::abs(b));
    if (std::signbit(a) != std::signbit(b)) return left + right;
    return std::max(left, right) - std::min(left, right);
  }
  Bits Distance(Doubles a, Doubles b, Doubles a_magnitude, Doubles b_magnitude) const {
    const Bits left = Rung(a_magnitude);
    const Bits right = Rung(b_magnitude);
    const Bits apart = left > right ? left - right : right - left;
    return ((AsBits(a) ^ AsBits(b)) >> 63) != 0 ? left + right : apart;
  }
  double unit() const { return unit_; }

 private:
  static constexpr uint64_t kBinade = uint64_t{1} << 52;

  uint64_t Rung(double magnitude) const {
    return magnitude < least_normal_ ? std::bit_cast<uint64_t>(magnitude + least_normal_) - base_
                                     : std::bit_cast<uint64_t>(magnitude) + kBinade - base_;
  }
  Bits Rung(Doubles magnitude) const {
    const Bits below = AsBits(magnitude + Splat(least_normal_)) - Splat(base_);
    const Bits above = AsBits(magnitude) + Splat(kBinade - base_);
    return magnitude < Splat(least_normal_) ? below : above;
  }

  double unit_;
  double least_normal_;
  uint64_t base_;
};

struct FloatFormat {
  int digits;  // after the leading 1
  int least_exponent;
};

// Integers and bools: finer than any.
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

// What the range is of.
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
    std::array<int64_t, kStrip> buffer;
    reader.Read(first, count, buffer.data());
    std::copy_n(buffer.begin(), count, out);
  } else {
    std::array<uint64_t, kStrip> buffer;
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
        in_place_(same_type_ && !IsSubByte(left.dtype()) && StridedRuns(left).contiguous() &&
                  StridedRuns(right).contiguous()) {
    const FloatFormat a = FormatOf(left.dtype());
    const FloatFormat b = FormatOf(right.dtype());
    const int digits = std::min(a.digits, b.digits);
    // Of types with as many digits the one that ends earlier is the coarser.
    const int least = a.digits != b.digits
                          ? (a.digits < b.digits ? a.least_exponent : b.least_exponent)
                          : std::max(a.least_exponent, b.least_exponent);
    has_ulp_ = digits <= 52;
    if (has_ulp_) ladder_ = UlpLadder(digits, std::ldexp(1.0, least));
  }

  template <typename T>
  ElementErrors ScanPiece(int64_t piece) const {
    ElementErrors errors;
    std::array<T, kStrip> a;
    std::array<T, kStrip> b;
    const int64_t end = std::min(size_, (piece + 1) * kPiece);
    for (int64_t first = piece * kPiece; first < end; first += kStrip) {
      const int64_t count = std::min(kStrip, end - first);
      Read(left_reader_, left_.dtype(), first, count, a.data());
      Read(right_reader_, right_.dtype(), first, count, b.data());
      errors.same_bits = errors.same_bits && SameBits(first, count, a.data(), b.data());
      int64_t done = 0;
      if constexpr (std::is_same_v<T, double>) {
        done = AddFinite(a.data(), b.data(), first, count, &errors);
      }
      for (int64_t i = done; i < count; ++i) {
        const auto k = static_cast<size_t>(i);
        AddPair(a[k], b[k], first + i, &errors);
      }
    }
    return errors;
  }

 private:
  // Where elements are not looked at in place, a signalling NaN counts as the quiet one.
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
    // Neighbours beyond 2^53 are still different.
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

  // AddPair for as many elements of a strip as fill lanes, if all are finite; else for none.
  // Returns how many.
  int64_t AddFinite(const double* a, const double* b, int64_t first, int64_t count,
                    ElementErrors* errors) const {
    const Doubles zero = {};
    const Doubles scale = Splat(rules_.scale);
    Doubles absolutes = {}, relatives = {}, squares = {};
    Doubles left_squares = {}, right_squares = {}, products = {};
    Doubles max_absolute = {}, max_relative = {}, greatest = {};
    Doubles least = Splat(kInfinity), most = Splat(-kInfinity);
    Bits steps = {};
    const int64_t whole = count / kLanes * kLanes;
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Doubles x = Load(a + i);
      const Doubles y = Load(b + i);
      const Doubles x_magnitude = Abs(x);
      const Doubles y_magnitude = Abs(y);
      const Doubles magnitude = x_magnitude > y_magnitude ? x_magnitude : y_magnitude;
      const Doubles d = Abs(x - y);
      const Doubles relative = d / (magnitude > zero ? magnitude : Splat(1.0));
      const Doubles scaled = d * scale;
      const Doubles u = x * scale;
      const Doubles v = y * scale;
      absolutes += scaled;
      squares += scaled * scaled;
      relatives += relative;
      left_squares += u * u;
      right_squares += v * v;
      products += u * v;
      max_absolute = d > max_absolute ? d : max_absolute;
      max_relative = relative > max_relative ? relative : max_relative;
      greatest = magnitude > greatest ? magnitude : greatest;
      least = x < least ? x : least;
      most = x > most ? x : most;
      if (has_ulp_) {
        const Bits step = ladder_.Distance(x, y, x_magnitude, y_magnitude);
        steps = step > steps ? step : steps;
      }
    }
    // What is not finite, and squares beyond the range of double, show in the sums.
    if (!std::isfinite(Sum(left_squares)) || !std::isfinite(Sum(right_squares)) ||
        !std::isfinite(Sum(absolutes))) {
      return 0;
    }
    errors->compared += whole;
    errors->absolutes += Sum(absolutes);
    errors->relatives += Sum(relatives);
    errors->squares += Sum(squares);
    errors->left_squares += Sum(left_squares);
    errors->right_squares += Sum(right_squares);
    errors->products += Sum(products);
    errors->greatest = std::max(errors->greatest, Max(greatest));
    errors->min = std::min(errors->min, -Max(-least));
    errors->max = std::max(errors->max, Max(most));
    const uint64_t step = std::max(std::max(steps[0], steps[1]), std::max(steps[2], steps[3]));
    errors->max_ulp = std::max(errors->max_ulp, static_cast<double>(step) * ladder_.unit());
    if (Max(max_absolute) > rules_.tolerance.atol || Max(max_relative) > 0.001) {
      CountBeyond(a, b, whole, errors);
    }
    // Few strips have an error to remember.
    if (IsWorse(Max(max_absolute), Max(max_relative), *errors)) {
      for (int64_t i = 0; i < whole; ++i) {
        if (a[i] == b[i]) continue;
        const double d = std::abs(a[i] - b[i]);
        const double relative = d / std::max(std::abs(a[i]), std::abs(b[i]));
        if (IsWorse(d, relative, *errors)) errors->Note({first + i, d, relative}, rules_);
      }
    }
    return whole;
  }

  // Of finite elements that fill lanes.
  void CountBeyond(const double* a, const double* b, int64_t count, ElementErrors* errors) const {
    const Doubles zero = {};
    const Doubles rtol = Splat(rules_.tolerance.rtol);
    const Doubles atol = Splat(rules_.tolerance.atol);
    Bits beyond = {}, tenth = {}, hundredth = {}, thousandth = {};
    for (int64_t i = 0; i < count; i += kLanes) {
      const Doubles x = Load(a + i);
      const Doubles y = Load(b + i);
      const Doubles d = Abs(x - y);
      const Doubles magnitude = Abs(x) > Abs(y) ? Abs(x) : Abs(y);
      const Doubles relative = d / (magnitude > zero ? magnitude : Splat(1.0));
      beyond -= AsBits(d > atol + rtol * magnitude) & AsBits(d > zero);
      tenth -= AsBits(relative > Splat(0.1));
      hundredth -= AsBits(relative > Splat(0.01));
      thousandth -= AsBits(relative > Splat(0.001));
    }
    errors->beyond += Sum(beyond);
    errors->beyond_tenth += Sum(tenth);
    errors->beyond_hundredth += Sum(hundredth);
    errors->beyond_thousandth += Sum(thousandth);
  }

  // Whether such an error would be remembered.
  bool IsWorse(double absolute, double relative, const ElementErrors& errors) const {
    const double least_worst =
        errors.worst.size() < rules_.worst ? 0 : errors.worst.back().absolute;
    return absolute > least_worst || relative > errors.worst_relative.relative;
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
  bool in_place_;  // elements lie so that their bytes can be compared
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
  for (const ElementError& error : later.worst) Note(error, rules);
  if (later.worst_relative.relative > worst_relative.relative) {
    worst_relative = later.worst_relative;
  }
}

ElementErrors ErrorsOf(const Tensor& left, const Tensor& right, const ErrorRules& rules,
                       const ThreadPool* pool) {
  const ErrorScan scan(left, right, rules);
  const bool complex = IsComplex(left.dtype()) || IsComplex(right.dtype());
  const bool wide = IsInteger(left.dtype()) && IsInteger(right.dtype()) &&
                    std::max(BitWidth(left.dtype()), BitWidth(right.dtype())) == 64;
  const int64_t size = left.num_elements();
  const int64_t count = size / kPiece + (size % kPiece != 0 ? 1 : 0);
  std::vector<ElementErrors> pieces(static_cast<size_t>(count));
  const auto task = [&](int64_t i) {
    pieces[static_cast<size_t>(i)] = complex ? scan.ScanPiece<Complex>(i)
                                     : wide  ? scan.ScanPiece<Wide>(i)
                                             : scan.ScanPiece<double>(i);
  };
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
