#include "record/differences/tensor_distance.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "record/base/thresholds.h"
#include "record/differences/element_reader.h"
#include "record/differences/infinity.h"
#include "record/differences/lanes/lane_sums.h"
#include "record/differences/lanes/scale_sum.h"
#include "record/differences/number_strips.h"
#include "record/differences/value_scale.h"

namespace onnxcmp {
namespace {

constexpr double kGreatestHalf = 65504;

// Masks are the least number of their type, or minus infinity: conversions turn one into the other.
// Equally great positive numbers have overflowed.
bool IsMask(double v) { return v <= -thresholds::kMaskMagnitude || v == -kGreatestHalf; }
bool SameMask(double a, double b) { return IsMask(a) && IsMask(b); }

// Some elements of a tensor in a file, read without the rest. Elements have whole bytes, one after
// the other.
absl::StatusOr<Tensor> ElementsInFile(const Tensor& tensor, absl::Span<const int64_t> indices) {
  OC_ASSIGN_OR_RETURN(Tensor elements,
                      Tensor::Allocate(tensor.dtype(), {static_cast<int64_t>(indices.size())}));
  const int64_t width = BitWidth(tensor.dtype()) / 8;
  std::byte* to = elements.mutable_raw_data();
  for (const int64_t index : indices) {
    tensor.buffer()->file_bytes().CopyTo((tensor.offset() + index) * width, width, to);
    to += width;
  }
  return elements;
}

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
    case DType::kFloat6E2M3:
      return std::ldexp(1.0, -3);
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat6E3M2:
      return std::ldexp(1.0, -2);
    case DType::kFloat4E2M1:
      return 0.5;
    default:
      return 0;
  }
}

double GreatestFinite(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return std::numeric_limits<float>::max();
    case DType::kFloat16:
      return kGreatestHalf;
    case DType::kBfloat16:
      return std::ldexp(255.0, 120);
    case DType::kDouble:
      return std::numeric_limits<double>::max();
    default:
      return kInfinity;
  }
}

double LeastPositive(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return std::numeric_limits<float>::denorm_min();
    case DType::kFloat16:
      return std::ldexp(1.0, -24);
    case DType::kBfloat16:
      return std::ldexp(1.0, -133);
    default:
      return 0;
  }
}

bool Overflows(const Tensor& tensor, DType dtype, bool masks) {
  const double greatest = GreatestFinite(dtype);
  if (!IsFloatingPoint(tensor.dtype()) || !std::isfinite(greatest)) return false;
  bool beyond = false;
  const NumberReader reader(tensor);
  ForEachStrip(reader, 0, reader.size(), [&](int64_t, int64_t count, const double* a) {
    for (int64_t i = 0; i < count; ++i) {
      beyond = beyond || (std::isfinite(a[i]) && std::abs(a[i]) > greatest &&
                          (masks || a[i] > -thresholds::kMaskMagnitude));
    }
  });
  return beyond;
}

double CoarserEpsilon(DType a, DType b) {
  const double left = EpsilonOf(a);
  const double right = EpsilonOf(b);
  return left == 0 || right == 0 ? 0 : std::max(left, right);
}

bool IsMeasurable(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DType::kString;
}

bool SameKindOfNumber(DType a, DType b) {
  if (IsComplex(a) || IsComplex(b)) return IsComplex(a) && IsComplex(b);
  if (IsInteger(a) || IsInteger(b)) return IsInteger(a) && IsInteger(b);
  if (IsFloatingPoint(a)) return IsFloatingPoint(b);
  return a == b && a == DType::kBool;
}

std::vector<double> ElementsOf(const Tensor& tensor) {
  const NumberReader reader(tensor);
  std::vector<double> elements(static_cast<size_t>(reader.size()));
  if (!elements.empty()) reader.Read(0, reader.size(), elements.data());
  return elements;
}

namespace {

// `add` adds the elements of a piece.
double ScaleOfPieces(int64_t size, const ThreadPool* pool,
                     absl::FunctionRef<void(int64_t begin, int64_t end, ScaleSum* sum)> add) {
  std::vector<ScaleSum> pieces(static_cast<size_t>(NumberPieces(size)), ScaleSum(size));
  ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
    add(begin, end, &pieces[static_cast<size_t>(piece)]);
  });
  ScaleSum sum(size);
  for (const ScaleSum& piece : pieces) sum.Add(piece);
  return sum.Scale();
}

int64_t SampleStep(int64_t size) { return size / 16 + 1; }

void ReadSample(const Tensor& tensor, absl::Span<const int64_t> indices, Sample* sample) {
  const ElementReader reader(tensor);
  for (const int64_t i : indices) {
    if (IsComplex(tensor.dtype())) {
      std::complex<double> number;
      reader.Read(i, 1, &number);
      sample->elements.push_back(number.real());
    } else {
      reader.Read(i, 1, &sample->elements.emplace_back());
    }
  }
}

}  // namespace

double ScaleOf(absl::Span<const double> elements, const ThreadPool* pool) {
  const auto size = static_cast<int64_t>(elements.size());
  return ScaleOfPieces(size, pool, [&](int64_t begin, int64_t end, ScaleSum* sum) {
    sum->Add(elements.data() + begin, end - begin);
  });
}

Sample SampleOf(const Tensor& tensor) {
  Sample sample;
  sample.dtype = tensor.dtype();
  std::vector<int64_t> indices;
  const int64_t size = tensor.num_elements();
  for (int64_t i = 0; i < size; i += SampleStep(size)) indices.push_back(i);
  if (tensor.stored() && tensor.is_contiguous() && BitWidth(tensor.dtype()) % 8 == 0) {
    const absl::StatusOr<Tensor> elements = ElementsInFile(tensor, indices);
    if (elements.ok()) {
      absl::c_iota(indices, 0);
      ReadSample(*elements, indices, &sample);
      return sample;
    }
  }
  ReadSample(tensor, indices, &sample);
  return sample;
}

namespace {

// False if a smaller quantity beside a larger one need not be looked for.
bool HoldsOtherSizes(const Sample& sample) {
  double least = kInfinity;
  double greatest = 0;
  for (const double element : sample.elements) {
    if (element == 0 || !std::isfinite(element)) continue;
    least = std::min(least, std::abs(element));
    greatest = std::max(greatest, std::abs(element));
  }
  return greatest * std::numeric_limits<float>::epsilon() > least;
}

}  // namespace

Measured Measure(const Tensor& tensor, const ThreadPool* pool) {
  Measured measured;
  measured.tensor = tensor;
  measured.dtype = tensor.dtype();
  const Tensor readable = tensor.InMemory(pool).value_or(tensor);
  measured.sample = SampleOf(readable);
  const NumberReader reader(readable);
  measured.size = reader.size();
  measured.scale =
      ScaleOfPieces(measured.size, pool, [&](int64_t begin, int64_t end, ScaleSum* sum) {
        ForEachStrip(reader, begin, end,
                     [&](int64_t, int64_t count, const double* a) { sum->Add(a, count); });
      });
  if (HoldsOtherSizes(measured.sample)) {
    const std::optional<ValueScale> smaller = ScaleOfSmaller(readable);
    if (smaller.has_value()) measured.scale = std::min(measured.scale, smaller->scale);
  }
  return measured;
}

namespace {

// The greatest of the distances of elements. Most strips need no division: none of their elements
// is farther apart than those before.
class Farthest {
 public:
  Farthest(double scale, bool masks) : scale_(scale), masks_(masks) {}

  double greatest() const { return greatest_; }

  void Add(const double* a, const double* b, int64_t count) {
    int64_t farther = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Written so that NaN counts as farther, too.
      const bool is = std::abs(a[i] - b[i]) <= greatest_ * std::max(std::abs(a[i]), scale_);
      farther += is ? 0 : 1;
    }
    for (int64_t i = 0; i < count && farther > 0; ++i) {
      greatest_ = std::max(greatest_, DistanceOf(a[i], b[i]));
    }
  }

 private:
  double DistanceOf(double a, double b) const {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    if (masks_ && SameMask(a, b)) return 0;
    if (!std::isfinite(a) || !std::isfinite(b)) return kInfinity;
    return std::abs(a - b) / std::max(std::abs(a), scale_);
  }

  double scale_;
  bool masks_;
  double greatest_ = 0;
};

// Results of all pieces of two tensors of equal size: of_piece(left, right, begin, end).
template <typename T, typename OfPiece>
std::vector<T> OfPieces(const Tensor& left, const Tensor& right, const ThreadPool* pool,
                        OfPiece&& of_piece) {
  const Tensor a = left.InMemory(pool).value_or(left);
  const Tensor b = right.InMemory(pool).value_or(right);
  const NumberReader ours(a);
  const NumberReader theirs(b);
  std::vector<T> results(static_cast<size_t>(NumberPieces(ours.size())));
  ForEachNumberPiece(ours.size(), pool, [&](int64_t piece, int64_t begin, int64_t end) {
    results[static_cast<size_t>(piece)] = of_piece(ours, theirs, begin, end);
  });
  return results;
}

// Distance(), or a value beyond `limit` as soon as the distance exceeds it.
double DistanceUpTo(const Measured& left, const Measured& right, double limit,
                    const ThreadPool* pool) {
  const double scale = std::min(left.scale, right.scale);
  const bool masks = left.dtype != right.dtype;
  const std::vector<double> pieces = OfPieces<double>(
      left.tensor, right.tensor, pool,
      [&](const NumberReader& ours, const NumberReader& theirs, int64_t begin, int64_t end) {
        Farthest farthest(scale, masks);
        ForEachStrip(ours, theirs, begin, end,
                     [&](int64_t, int64_t count, const double* a, const double* b) {
                       farthest.Add(a, b, count);
                       return farthest.greatest() <= limit;
                     });
        return farthest.greatest();
      });
  double greatest = 0;
  for (const double piece : pieces) greatest = std::max(greatest, piece);
  return greatest;
}

}  // namespace

double Distance(const Measured& left, const Measured& right, const ThreadPool* pool) {
  if (left.size != right.size) return kInfinity;
  return DistanceUpTo(left, right, kInfinity, pool);
}

double RelativeRms(const Tensor& left, const Tensor& right, const ThreadPool* pool) {
  const Tensor a = left.InMemory(pool).value_or(left);
  const Tensor b = right.InMemory(pool).value_or(right);
  const NumberReader ours(a);
  const NumberReader theirs(b);
  if (ours.size() != theirs.size()) return kInfinity;
  const PairSums sums = MomentsOf(ours, theirs, pool).sums;
  if (sums.count < ours.size()) return kInfinity;
  return sums.left > 0 ? std::sqrt(sums.differences / sums.left) : sums.differences > 0 ? 1 : 0;
}

double UnequalShare(const Tensor& left, const Tensor& right, const ThreadPool* pool) {
  const int64_t size = NumberReader(left).size();
  if (size != NumberReader(right).size()) return 1;
  const std::vector<int64_t> pieces = OfPieces<int64_t>(
      left, right, pool,
      [](const NumberReader& ours, const NumberReader& theirs, int64_t begin, int64_t end) {
        int64_t unequal = 0;
        ForEachStrip(ours, theirs, begin, end,
                     [&](int64_t, int64_t count, const double* a, const double* b) {
                       for (int64_t i = 0; i < count; ++i) {
                         const bool nans = (a[i] != a[i]) & (b[i] != b[i]);
                         unequal += ((a[i] == b[i]) | nans) ? 0 : 1;
                       }
                       return true;
                     });
        return unequal;
      });
  const int64_t unequal = absl::c_accumulate(pieces, int64_t{0});
  return size == 0 ? 0 : static_cast<double>(unequal) / static_cast<double>(size);
}

double NearLimit(double epsilon) {
  // In a 16-bit type, a hundred steps would hide too great an error.
  constexpr double kCoarse = 1e-4;
  // A distance of more than half of the elements' size is not near, however few bits the type has.
  constexpr double kMost = 0.5;
  return std::min(kMost, (epsilon > kCoarse ? 16 : 168) * epsilon);
}

bool MayBeNear(const Sample& left, const Sample& right, double scale) {
  const double epsilon = CoarserEpsilon(left.dtype, right.dtype);
  if (epsilon == 0) return true;
  const double limit = NearLimit(epsilon);
  const size_t count = std::min(left.elements.size(), right.elements.size());
  for (size_t k = 0; k < count; ++k) {
    const double a = left.elements[k];
    const double b = right.elements[k];
    if (left.dtype != right.dtype && SameMask(a, b)) continue;
    if (std::isfinite(a) && std::abs(a - b) > limit * std::max(std::abs(a), scale)) {
      return false;
    }
  }
  return true;
}

bool Near(const Measured& left, const Measured& right, const ThreadPool* pool) {
  if (left.size != right.size || !SameKindOfNumber(left.dtype, right.dtype)) return false;
  const double epsilon = CoarserEpsilon(left.dtype, right.dtype);
  if (epsilon > 0) {
    const double limit = NearLimit(epsilon);
    return DistanceUpTo(left, right, limit, pool) <= limit;
  }
  const bool steps = BitWidth(left.dtype) == 8 && BitWidth(right.dtype) == 8 &&
                     IsInteger(left.dtype) && left.size >= 16;
  constexpr int64_t kShare = 50;
  const int64_t most = steps ? left.size / kShare : 0;
  const std::vector<int64_t> pieces = OfPieces<int64_t>(
      left.tensor, right.tensor, pool,
      [&](const NumberReader& ours, const NumberReader& theirs, int64_t begin, int64_t end) {
        int64_t unequal = 0;
        ForEachStrip(ours, theirs, begin, end,
                     [&](int64_t, int64_t count, const double* a, const double* b) {
                       for (int64_t i = 0; i < count; ++i) {
                         const double difference = std::abs(a[i] - b[i]);
                         unequal += difference == 0 ? 0 : difference <= 1 ? 1 : most + 1;
                       }
                       return unequal <= most;
                     });
        return unequal;
      });
  return absl::c_accumulate(pieces, int64_t{0}) <= most;
}

namespace {

// Fits integers into a narrower type; false if they do not fit. The end of one type becomes that of
// the other: it stands for "to the end" or "nothing".
bool Narrow(DType from, DType to, std::vector<int64_t>* elements) {
  const int bits = BitWidth(to);
  if (bits >= BitWidth(from) || bits >= 64) return true;
  const bool is_unsigned = IsUnsignedInteger(to);
  const int64_t greatest = (int64_t{1} << (is_unsigned ? bits : bits - 1)) - 1;
  const int64_t least = is_unsigned ? 0 : -greatest - 1;
  const int64_t end = std::numeric_limits<int64_t>::max() >> (64 - BitWidth(from));
  for (int64_t& element : *elements) {
    if (IsSignedInteger(from) && element == end) element = greatest;
    if (IsSignedInteger(from) && element == -end - 1) element = least;
    if (element < least || element > greatest) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Value> ConvertedTo(const Value& value, DType dtype, absl::Span<const int64_t> shape,
                                  const ConvertOptions& options) {
  bool* const clamped = options.clamped;
  if (clamped != nullptr) *clamped = false;
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
  OC_ASSIGN_OR_RETURN(Tensor converted, Tensor::Allocate(dtype, shape, options.memory));
  const int64_t count = tensor.num_elements();
  if (count == 0) return Value(std::move(converted));
  const Tensor readable = tensor.InMemory(options.pool).value_or(tensor);
  const ElementReader reader(readable);
  const auto size = static_cast<size_t>(count);
  if (IsComplex(dtype)) {
    std::vector<std::complex<double>> elements(size);
    reader.Read(0, count, elements.data());
    StoreElements<std::complex<double>>(dtype, elements.data(), count, converted.mutable_raw_data(),
                                        0);
  } else if (IsInteger(dtype)) {
    std::vector<int64_t> elements(size);
    reader.Read(0, count, elements.data());
    if (!Narrow(tensor.dtype(), dtype, &elements)) {
      return absl::OutOfRangeError(absl::StrCat("does not fit into ", DTypeName(dtype)));
    }
    StoreElements<int64_t>(dtype, elements.data(), count, converted.mutable_raw_data(), 0);
  } else {
    const double greatest = GreatestFinite(dtype);
    std::byte* const out = converted.mutable_raw_data();
    const NumberReader numbers(readable);
    std::atomic<bool> any = false;
    ForEachNumberPiece(count, options.pool, [&](int64_t, int64_t begin, int64_t end) {
      int64_t beyond = 0;
      ForEachStrip(numbers, begin, end, [&](int64_t first, int64_t in_strip, double* a) {
        for (int64_t i = 0; i < in_strip; ++i) {
          const double within = std::min(std::max(a[i], -greatest), greatest);
          const bool finite = std::abs(a[i]) < kInfinity;
          beyond += (finite & (within != a[i])) ? 1 : 0;
          a[i] = finite ? within : a[i];
        }
        StoreElements<double>(dtype, a, in_strip, out, first);
      });
      if (beyond > 0) any = true;
    });
    if (clamped != nullptr) *clamped = any;
  }
  return Value(std::move(converted));
}

}  // namespace onnxcmp
