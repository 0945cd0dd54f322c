#include "samples/figures/spread.h"

#include <algorithm>
#include <cmath>

namespace onnxcmp {
namespace {

// Bins at the ends hold all that is beyond them: figures are decibels, or far smaller.
constexpr double kFarthestBin = 1000;

// The lesser of two by `sign` times the figure, of equal ones that of the earlier sample.
void TakeLesser(const Spread::Extreme& other, double sign, std::optional<Spread::Extreme>* known) {
  const bool better = !known->has_value() || sign * other.figure < sign * (*known)->figure ||
                      (other.figure == (*known)->figure && other.sample < (*known)->sample);
  if (better) *known = other;
}

}  // namespace

void Spread::Add(int64_t sample, double figure) {
  if (std::isnan(figure)) {
    ++nan_;
    return;
  }
  TakeLesser({figure, sample}, 1, &least_);
  TakeLesser({figure, sample}, -1, &most_);
  if (std::isinf(figure)) {
    ++infinite_;
    return;
  }
  ++finite_;
  sum_.Add(figure);
  const double square = figure * figure;
  squares_.Add(std::isfinite(square) ? square : std::numeric_limits<double>::max());
  ++bins_[static_cast<int64_t>(std::floor(std::clamp(figure, -kFarthestBin, kFarthestBin)))];
}

void Spread::Add(const Spread& other) {
  finite_ += other.finite_;
  infinite_ += other.infinite_;
  nan_ += other.nan_;
  sum_.Add(other.sum_);
  squares_.Add(other.squares_);
  if (other.least_.has_value()) TakeLesser(*other.least_, 1, &least_);
  if (other.most_.has_value()) TakeLesser(*other.most_, -1, &most_);
  for (const auto& [bin, count] : other.bins_) bins_[bin] += count;
}

double Spread::mean() const {
  if (finite_ == 0) return infinite_ > 0 ? std::numeric_limits<double>::infinity() : 0;
  return sum_.Total() / static_cast<double>(finite_);
}

double Spread::deviation() const {
  if (finite_ < 2) return 0;
  const double mean = this->mean();
  const double of_squares = squares_.Total() / static_cast<double>(finite_);
  return std::sqrt(std::max(of_squares - mean * mean, 0.0));
}

std::optional<double> Spread::median() const {
  const int64_t numbers = finite_ + infinite_;
  if (numbers == 0) return std::nullopt;
  int64_t before = 0;
  for (const auto& [bin, count] : bins_) {
    before += count;
    if (2 * before >= numbers) return static_cast<double>(bin);
  }
  return std::numeric_limits<double>::infinity();
}

int64_t Spread::Below(double figure) const {
  int64_t below = 0;
  for (const auto& [bin, count] : bins_) {
    if (static_cast<double>(bin) < figure) below += count;
  }
  return below;
}

}  // namespace onnxcmp
