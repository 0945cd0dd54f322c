#include "compare/differences/value_scale.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "compare/differences/nearness.h"
#include "compare/differences/number_strips.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostSampled = 4096;

// Numbers at places that no stride meets: one somewhere in each of as many equal parts.
std::vector<double> SampleNumbers(const Tensor& tensor) {
  if (tensor.num_elements() * (IsComplex(tensor.dtype()) ? 2 : 1) <= kMostSampled) {
    return ElementsOf(tensor);
  }
  const NumberReader reader(tensor);
  const int64_t width = IsComplex(tensor.dtype()) ? 2 : 1;
  const int64_t places = kMostSampled / width;
  // Most are floats that lie one after the other, which need no reader.
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

}  // namespace

double ScaleOf(const Tensor& tensor) {
  const double scale = ScaleOf(SampleNumbers(tensor));
  // What is nearly all zero may have nothing else in the sample.
  return scale > 0 ? scale : Measure(tensor).scale;
}

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
