#include "compare/causes/forced/shaken_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Moves up to 64 elements, in a form that g++ vectorizes: this is most of the cost of shaking a
// region. Integers, which are exact in any type, stay: shapes, masks, counts. So does the fill of a
// mask, a negative number beyond them: an addend of its size rounds to nothing on both sides.
void MoveUpOrDown(uint64_t signs, double epsilon, int64_t count, double* a) {
  // Whole numbers beyond it have gaps in float.
  constexpr auto kExact = double{int64_t{1} << std::numeric_limits<float>::digits};
  constexpr double kWhole = 1.5 * 4503599627370496;  // adding this drops a number's fraction
  const auto up = std::bit_cast<uint64_t>(epsilon);
  const uint64_t downs = ~signs;
  for (int64_t i = 0; i < count; ++i) {
    const double magnitude = std::abs(a[i]);
    const double moved = a[i] * (1 + std::bit_cast<double>(up ^ ((downs >> i) << 63)));
    const double whole = (a[i] + kWhole) - kWhole;
    double result = whole == a[i] ? a[i] : moved;
    result = a[i] > kExact ? moved : result;
    a[i] = magnitude <= thresholds::kMaskMagnitude ? result : a[i];
  }
}

}  // namespace

uint64_t HashOf(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Value Shake(const Value& value, double epsilon, uint64_t seed, const ThreadPool* pool,
            const std::shared_ptr<MemoryAccount>& memory) {
  if (!IsMeasurable(value) || !IsFloatingPoint(value.tensor().dtype())) return value;
  const Tensor& tensor = value.tensor();
  // Values coarser than the judged type must not excuse themselves.
  if (EpsilonOf(tensor.dtype()) > epsilon || tensor.num_elements() == 0) return value;
  absl::StatusOr<Tensor> shaken = Tensor::Allocate(tensor.dtype(), tensor.shape(), memory);
  if (!shaken.ok()) return value;
  std::byte* const out = shaken->mutable_raw_data();
  const NumberReader reader(tensor);
  ForEachNumberPiece(reader.size(), pool, [&](int64_t, int64_t begin, int64_t end) {
    ForEachStrip(reader, begin, end, [&](int64_t first, int64_t count, double* a) {
      constexpr int64_t kSigns = 64;
      for (int64_t i = 0; i < count; i += kSigns) {
        const uint64_t signs = HashOf(seed, static_cast<uint64_t>(first + i));
        MoveUpOrDown(signs, epsilon, std::min(kSigns, count - i), a + i);
      }
      StoreElements<double>(tensor.dtype(), a, count, out, first);
    });
  });
  return *std::move(shaken);
}

}  // namespace onnxcmp
