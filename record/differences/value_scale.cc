#include "record/differences/value_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostSampled = 4096;

// Numbers at irregular positions, so that no stride can coincide with them: one in each of equal
// parts.
std::vector<double> SampleNumbers(const Tensor& tensor) {
  if (tensor.num_elements() * (IsComplex(tensor.dtype()) ? 2 : 1) <= kMostSampled) {
    return ElementsOf(tensor);
  }
  const NumberReader reader(tensor);
  const int64_t width = IsComplex(tensor.dtype()) ? 2 : 1;
  const int64_t places = kMostSampled / width;
  // Most are contiguous floats, which need no reader.
  const float* floats =
      tensor.dtype() == DType::kFloat && tensor.is_contiguous() ? tensor.data<float>() : nullptr;
  const int64_t elements = reader.size() / width;
  const double step = static_cast<double>(elements) / static_cast<double>(places);
  std::vector<double> numbers(static_cast<size_t>(places * width));
  uint64_t state = 0x9e3779b97f4a7c15;
  for (int64_t i = 0; i < places; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const double offset = static_cast<double>(state >> 11) * 0x1p-53;
    const auto place = static_cast<int64_t>((static_cast<double>(i) + offset) * step);
    if (floats != nullptr) {
      numbers[static_cast<size_t>(i)] = floats[place];
    } else {
      reader.Read(place * width, width, numbers.data() + i * width);
    }
  }
  return numbers;
}

// Fills are at least this large, in magnitude and relative to all other elements.
constexpr double kLeastFill = 16;
constexpr double kFillFactor = 8;
// Spread of fills, relative to their size: they may be rounded to bfloat16.
constexpr double kFillSpread = 1e-2;
// Or relative to the size of the others, since masks are added to scores.
constexpr double kSpreadOfAdded = 8;
constexpr double kLeastFillShare = 1.0 / 16;
// Fewer other elements than this are no population.
constexpr size_t kLeastOthers = 4;
// A sample with nothing but fills says nothing of the others; then up to this many elements are
// read.
constexpr int64_t kMostLookedAt = int64_t{1} << 24;

// Ascending; without 0, masks and numbers that are not finite, as in ScaleOf.
std::vector<double> Magnitudes(const std::vector<double>& numbers) {
  std::vector<double> magnitudes;
  magnitudes.reserve(numbers.size());
  for (const double number : numbers) {
    const double magnitude = std::abs(number);
    if (magnitude > 0 && magnitude < thresholds::kMaskMagnitude) magnitudes.push_back(magnitude);
  }
  std::sort(magnitudes.begin(), magnitudes.end());
  return magnitudes;
}

// True if all elements from `first` on are fills, of one or of several sizes.
bool AreFills(const std::vector<double>& magnitudes, size_t first) {
  const double added = kSpreadOfAdded * magnitudes[first - 1];
  double least = magnitudes[first];
  for (size_t i = first; i < magnitudes.size(); ++i) {
    if (magnitudes[i] >= kFillFactor * magnitudes[i - 1]) least = magnitudes[i];
    if (magnitudes[i] - least > added + kFillSpread * magnitudes[i]) return false;
  }
  return true;
}

// The number of elements below the fills; all of them where there are no fills.
size_t CountOthers(const std::vector<double>& magnitudes) {
  const size_t size = magnitudes.size();
  const auto most = static_cast<size_t>((1 - kLeastFillShare) * static_cast<double>(size));
  for (size_t i = kLeastOthers; i <= most && i < size; ++i) {
    if (magnitudes[i] >= std::max(kLeastFill, kFillFactor * magnitudes[i - 1]) &&
        AreFills(magnitudes, i)) {
      return i;
    }
  }
  return size;
}

// Scale of the sample, or of the whole tensor if the sample is all zero.
double ScaleBySample(const Tensor& tensor, const std::vector<double>& sample) {
  const double scale = ScaleOf(sample);
  return scale > 0 ? scale : Measure(tensor).scale;
}

// `sample`: the tensor's.
ValueScale ScaleOfOthers(const Tensor& tensor, const std::vector<double>& sample) {
  const double scale = ScaleBySample(tensor, sample);
  std::vector<double> magnitudes = Magnitudes(sample);
  if (magnitudes.empty() || magnitudes.back() < kLeastFill) return scale;
  const double spread = magnitudes.back() - magnitudes[magnitudes.size() / 16];
  if (spread <= kFillSpread * magnitudes.back() && tensor.num_elements() <= kMostLookedAt) {
    magnitudes = Magnitudes(ElementsOf(tensor));
  }
  const size_t others = CountOthers(magnitudes);
  if (others == magnitudes.size()) return scale;
  const double limit = std::sqrt(magnitudes[others - 1] * magnitudes[others]);
  magnitudes.resize(others);
  return {std::min(scale, ScaleOf(magnitudes)), limit};
}

}  // namespace

ValueScale ScaleOfVarying(const Tensor& left, const Tensor& right) {
  const ValueScale a = ScaleOfOthers(left, SampleNumbers(left));
  const ValueScale b = ScaleOfOthers(right, SampleNumbers(right));
  // A fill must be on both sides.
  if (!std::isfinite(a.limit) || !std::isfinite(b.limit)) return std::min(a.scale, b.scale);
  return {std::min(a.scale, b.scale), std::min(a.limit, b.limit)};
}

std::optional<ValueScale> ScaleOfSmaller(const Tensor& tensor) {
  if (!IsFloatingPoint(tensor.dtype())) return std::nullopt;
  constexpr double kTimesLarger = 1 / static_cast<double>(std::numeric_limits<float>::epsilon());
  std::vector<double> magnitudes = Magnitudes(SampleNumbers(tensor));
  size_t count = kLeastOthers;
  while (count < magnitudes.size() &&
         magnitudes[count] < std::max(kLeastFill, kTimesLarger * magnitudes[count - 1])) {
    ++count;
  }
  if (count >= magnitudes.size()) return std::nullopt;
  const double limit = std::sqrt(magnitudes[count - 1] * magnitudes[count]);
  magnitudes.resize(count);
  return ValueScale(ScaleOf(magnitudes), limit);
}

std::optional<ValueScale> ScaleOfSmaller(const Tensor& left, const Tensor& right) {
  const std::optional<ValueScale> a = ScaleOfSmaller(left);
  const std::optional<ValueScale> b = a.has_value() ? ScaleOfSmaller(right) : std::nullopt;
  if (!b.has_value()) return std::nullopt;
  return ValueScale(std::min(a->scale, b->scale), std::min(a->limit, b->limit));
}

double ScaleOf(const Tensor& tensor) { return ScaleBySample(tensor, SampleNumbers(tensor)); }

double DeviationOf(const Tensor& tensor) {
  const std::vector<double> numbers = SampleNumbers(tensor);
  double sum = 0;
  double squares = 0;
  for (const double number : numbers) {
    sum += number;
    squares += number * number;
  }
  const auto count = static_cast<double>(numbers.size());
  return count == 0 ? 0 : std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

}  // namespace onnxcmp
