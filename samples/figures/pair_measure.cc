#include "samples/figures/pair_measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "record/differences/number_strips.h"

namespace onnxcmp {
namespace {

// A range of another reader's numbers.
template <typename Reader>
class PartReader {
 public:
  PartReader(const Reader& whole, int64_t part, int64_t parts)
      : whole_(whole), size_(whole.size() / parts), first_(part * size_) {}

  int64_t size() const { return size_; }
  void Read(int64_t first, int64_t count, double* out) const {
    whole_.Read(first_ + first, count, out);
  }

 private:
  const Reader& whole_;
  int64_t size_;
  int64_t first_;
};

void AddPair(double a, double b, PairMeasure* measure) {
  if (std::isfinite(a) && std::isfinite(b)) {
    measure->most = std::max(measure->most, std::abs(b - a));
  } else if (a != b && !(std::isnan(a) && std::isnan(b))) {
    ++measure->not_finite;
  }
}

}  // namespace

PairMeasure MeasurePair(const DequantizedView& left, const DequantizedView& right, int64_t part,
                        int64_t parts, const ThreadPool* pool) {
  const DequantizedReader of_left(left), of_right(right);
  const PartReader a(of_left, part, parts), b(of_right, part, parts);
  const Counting finite = {.limit = std::numeric_limits<double>::max()};
  const int64_t size = std::min(a.size(), b.size());
  std::vector<PairMeasure> pieces(static_cast<size_t>(NumberPieces(size)));
  ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
    PairMeasure& measure = pieces[static_cast<size_t>(piece)];
    ForEachStrip(a, b, begin, end, [&](int64_t, int64_t count, const double* x, const double* y) {
      measure.moments.Add(MomentsOfStrip(x, y, count, finite));
      for (int64_t i = 0; i < count; ++i) AddPair(x[i], y[i], &measure);
      return true;
    });
  });
  PairMeasure all;
  for (const PairMeasure& piece : pieces) {
    all.moments.Add(piece.moments);
    all.most = std::max(all.most, piece.most);
    all.not_finite += piece.not_finite;
  }
  return all;
}

std::optional<double> SaturatedShare(const DequantizedView& reals, int64_t part, int64_t parts) {
  if (!reals.params().has_value()) return std::nullopt;
  const NumberReader integers(reals.tensor());
  const PartReader own(integers, part, parts);
  if (own.size() == 0) return std::nullopt;
  int64_t at_ends = 0;
  ForEachStrip(own, 0, own.size(), [&](int64_t, int64_t count, const double* numbers) {
    at_ends += std::count_if(numbers, numbers + count, [&](double number) {
      return number == reals.params()->least || number == reals.params()->most;
    });
  });
  return static_cast<double>(at_ends) / static_cast<double>(own.size());
}

}  // namespace onnxcmp
