#include "compare/pictures/decades.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace onnxcmp {

DecadeCounter::DecadeCounter() {
  for (size_t i = 0; i < powers_.size(); ++i) {
    powers_[i] = std::pow(10.0, kLeastDecade + static_cast<int>(i));
  }
}

// A logarithm for each element would take longer than all else that is done with it.
size_t DecadeCounter::PlaceOf(double difference) const {
  using Limits = std::numeric_limits<double>;
  constexpr int kExponentBias = Limits::max_exponent - 1;
  constexpr int kMantissaBits = Limits::digits - 1;
  const int exponent =
      static_cast<int>(std::bit_cast<uint64_t>(difference) >> kMantissaBits) - kExponentBias;
  const int about = static_cast<int>(std::floor(exponent * 0.30102999566398120)) - kLeastDecade;
  auto place = static_cast<size_t>(std::clamp(about, 0, static_cast<int>(counts_.size()) - 1));
  if (place + 1 < powers_.size() && difference >= powers_[place + 1]) ++place;
  return place;
}

void DecadeCounter::Add(double left, double right) {
  if (left == right || (std::isnan(left) && std::isnan(right))) {
    ++equal_;
    return;
  }
  const double difference = std::abs(left - right);
  if (!std::isfinite(difference)) {
    ++not_finite_;
    return;
  }
  ++counts_[PlaceOf(difference)];
}

std::vector<DecadeCount> DecadeCounter::decades() const {
  std::vector<DecadeCount> found;
  for (int decade = kGreatestDecade; decade >= kLeastDecade; --decade) {
    const int64_t elements = counts_[static_cast<size_t>(decade - kLeastDecade)];
    if (elements > 0) found.push_back({decade, elements});
  }
  return found;
}

}  // namespace onnxcmp
