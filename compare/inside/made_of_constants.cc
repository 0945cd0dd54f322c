#include "compare/inside/made_of_constants.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "compare/inside/part_of_constant.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr double kEpsilons = 32;
constexpr double kMuch = 100;  // times rounding, which a coincidence is not within
constexpr int64_t kMostConstantElements = int64_t{1} << 22;
constexpr size_t kEnoughForWave = 8;     // a recurrence has two unknowns
constexpr size_t kEnoughForWindow = 16;  // of which the half could be chance

// The numbers of a tensor, and what rounding makes of the greatest of them.
struct PlainNumbers {
  explicit PlainNumbers(const Tensor& tensor)
      : elements(ElementsOf(tensor)), epsilon(kEpsilons * EpsilonOf(tensor.dtype())) {
    double most = 0;
    for (const double x : elements) most = std::max(most, std::abs(x));
    rounding = epsilon * most;
  }
  bool finite() const {
    return absl::c_all_of(elements, [](double x) { return std::isfinite(x); });
  }
  // True if what varies is no rounding.
  bool varies() const {
    const auto [least, most] = std::minmax_element(elements.begin(), elements.end());
    return *most - *least > kMuch * rounding;
  }

  std::vector<double> elements;
  double epsilon = 0;
  double rounding = 0;
};

bool IsUsable(const Tensor& tensor) {
  return tensor.num_elements() > 0 && tensor.num_elements() <= kMostConstantElements &&
         IsMeasurable(Value(tensor));
}

// Strides of an axis in a dense tensor.
struct Axis {
  size_t size = 1;
  size_t stride = 1;
};

std::vector<Axis> AxesOf(const Shape& shape) {
  std::vector<Axis> axes;
  size_t stride = 1;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    if (*size > 1) axes.push_back({static_cast<size_t>(*size), stride});
    stride *= static_cast<size_t>(*size);
  }
  absl::c_reverse(axes);
  return axes;
}

// True if a line is y[i + 1] = k y[i] - y[i - 1] + m: a range, a power, a wave, also with an
// offset.
bool IsWave(absl::Span<const double> line, double rounding) {
  bool is_range = true;
  for (size_t i = 2; i < line.size() && is_range; ++i) {
    is_range = std::abs(line[i] - 2 * line[i - 1] + line[i - 2]) <= rounding;
  }
  if (is_range || line.size() < kEnoughForWave) return is_range;
  const auto count = static_cast<double>(line.size() - 2);
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    const double sum = line[i - 1] + line[i + 1];
    x += line[i] / count;
    y += sum / count;
    xx += line[i] * line[i] / count;
    xy += line[i] * sum / count;
  }
  const double k = (xy - x * y) / (xx - x * x);
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    const double off = line[i - 1] + line[i + 1] - y - k * (line[i] - x);
    if (!(std::abs(off) <= rounding)) return false;
  }
  return true;
}

bool AreWavesAlong(const Axis& axis, const PlainNumbers& numbers) {
  std::vector<double> line(axis.size);
  for (size_t first = 0; first < numbers.elements.size(); ++first) {
    if (first / axis.stride % axis.size != 0) continue;
    for (size_t i = 0; i < axis.size; ++i) line[i] = numbers.elements[first + i * axis.stride];
    if (!IsWave(line, numbers.rounding)) return false;
  }
  return true;
}

bool HasDiagonals(const Axis& rows, const Axis& columns, const std::vector<double>& elements) {
  if (rows.size < 3 || columns.size < 3) return false;
  for (size_t i = 0; i + rows.stride + columns.stride < elements.size(); ++i) {
    const bool is_last = i / rows.stride % rows.size + 1 == rows.size ||
                         i / columns.stride % columns.size + 1 == columns.size;
    if (!is_last && elements[i] != elements[i + rows.stride + columns.stride]) return false;
  }
  return true;
}

// Also of a period, whose first element is its only one.
bool IsWindow(absl::Span<const double> line, double rounding) {
  if (line.size() < kEnoughForWindow) return false;
  const auto is_mirrored = [&](absl::Span<const double> part) {
    for (size_t i = 0; i < part.size() / 2; ++i) {
      if (!(std::abs(part[i] - part[part.size() - 1 - i]) <= rounding)) return false;
    }
    return true;
  };
  return is_mirrored(line) || is_mirrored(line.subspan(1));
}

// True if one function takes all of `from` to `to`.
bool IsFunctionOf(const PlainNumbers& to, const PlainNumbers& from) {
  constexpr double (*kFunctions[])(double) = {
      [](double x) { return std::sin(x); },      [](double x) { return std::cos(x); },
      [](double x) { return std::exp(x); },      [](double x) { return std::log(x); },
      [](double x) { return std::sqrt(x); },     [](double x) { return 1 / x; },
      [](double x) { return 1 / std::sqrt(x); }, [](double x) { return x * x; },
  };
  return absl::c_any_of(kFunctions, [&](const auto& function) {
    return absl::c_equal(to.elements, from.elements, [&](double y, double x) {
      const double moved = std::abs(function(x * (1 + from.epsilon)) - function(x));
      return std::abs(function(x) - y) <= to.rounding + std::min(moved, kMuch * to.rounding);
    });
  });
}

bool IsScaledAndShifted(const PlainNumbers& to, const PlainNumbers& from) {
  const auto [least, most] = std::minmax_element(from.elements.begin(), from.elements.end());
  const double low = to.elements[static_cast<size_t>(least - from.elements.begin())];
  const double high = to.elements[static_cast<size_t>(most - from.elements.begin())];
  const double factor = (high - low) / (*most - *least);
  const double rounding = to.rounding + std::abs(factor) * from.rounding;
  return absl::c_equal(to.elements, from.elements, [&](double y, double x) {
    return std::abs(low + factor * (x - *least) - y) <= rounding;
  });
}

// True if both have two numbers, in the same places.
bool HasSamePlaces(const PlainNumbers& to, const PlainNumbers& from) {
  const std::vector<double>& x = from.elements;
  const std::vector<double>& y = to.elements;
  const auto other = absl::c_find_if(x, [&](double one) { return one != x.front(); });
  if (other == x.end()) return false;
  const double second = y[static_cast<size_t>(other - x.begin())];
  return second != y.front() && absl::c_equal(y, x, [&](double b, double a) {
           return a == x.front() ? b == y.front() : a == *other && b == second;
         });
}

// True if a constant has all of `tensor` at every n-th place, or as a block.
bool HasAsPart(const Tensor& constant, const Tensor& tensor) {
  const int64_t every = constant.num_elements() / tensor.num_elements();
  if (every < 2 || constant.num_elements() % tensor.num_elements() != 0) return false;
  const std::vector<double> whole = ElementsOf(constant);
  const std::vector<double> part = ElementsOf(tensor);
  const auto is_at = [&](size_t start, size_t step) {
    for (size_t i = 0; i < part.size(); ++i) {
      if (whole[start + i * step] != part[i]) return false;
    }
    return true;
  };
  for (size_t k = 0; k < static_cast<size_t>(every); ++k) {
    if (is_at(k, static_cast<size_t>(every)) || is_at(k * part.size(), 1)) return true;
  }
  return false;
}

}  // namespace

bool FollowsFromPlaces(const Tensor& tensor) {
  if (!IsUsable(tensor)) return false;
  const PlainNumbers numbers(tensor);
  const std::vector<double>& all = numbers.elements;
  if (absl::c_all_of(all, [&](double x) { return x == all.front(); })) return true;
  const std::vector<Axis> axes = AxesOf(tensor.shape());
  if (axes.size() == 1 && numbers.finite() && IsWindow(all, numbers.rounding)) return true;
  if (axes.size() > 1 && HasDiagonals(axes[axes.size() - 2], axes.back(), all)) return true;
  return numbers.finite() && absl::c_all_of(axes, [&](const Axis& axis) {
           return axis.size < 3 || AreWavesAlong(axis, numbers);
         });
}

bool LeadsToConstant(const Tensor& tensor, const Tensor& constant) {
  if (!IsUsable(tensor) || !IsUsable(constant)) return false;
  if (tensor.num_elements() != constant.num_elements()) {
    return HasAsPart(constant, tensor) || IsPartOfConstant(tensor, constant);
  }
  const PlainNumbers from(tensor);
  const PlainNumbers to(constant);
  if (HasSamePlaces(to, from)) return true;
  return from.finite() && to.finite() && from.varies() && to.varies() &&
         (IsScaledAndShifted(to, from) || IsFunctionOf(to, from));
}

}  // namespace onnxcmp
