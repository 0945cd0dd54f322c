#include "compare/causes/folded/folded_normalization.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {
namespace {

// Numbers of a normalization and the bias of the layer before it, for one channel.
struct ChannelNumbers {
  double scale = 1;
  double beta = 0;
  double mean = 0;
  double variance = 1;
  double epsilon = 0;
  double own = 0;  // the layer's bias

  double factor() const { return scale / std::sqrt(variance + epsilon); }
  double OffsetWith(double by) const { return (own - mean) * by + beta; }
};

// Factor of a channel's weights in the folded layer, and its bias.
struct Folded {
  double factor = 1;
  double offset = 0;
};

Folded ScaledBy(const ChannelNumbers& n, double factor) { return {factor, n.OffsetWith(factor)}; }

// Mistakes in folding that affect all channels and have no free parameter.
struct FoldingMistake {
  absl::string_view text;
  Folded (*gives)(const ChannelNumbers& n);
};

constexpr FoldingMistake kFoldingMistakes[] = {
    {"is left out",
     [](const ChannelNumbers& n) {
       return Folded{1, n.own};
     }},
    {"lacks the layer's own bias",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.beta - n.mean * n.factor()};
     }},
    {"has the layer's own bias unscaled",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.own + n.beta - n.mean * n.factor()};
     }},
    {"has the layer's own bias twice",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.OffsetWith(n.factor()) + n.own * n.factor()};
     }},
    {"has the layer's own bias twice, scaled and unscaled",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.OffsetWith(n.factor()) + n.own};
     }},
    {"lacks its bias (beta)",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.OffsetWith(n.factor()) - n.beta};
     }},
    {"subtracts its bias (beta)",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.OffsetWith(n.factor()) - 2 * n.beta};
     }},
    {"scales its bias (beta), too",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), (n.own - n.mean + n.beta) * n.factor()};
     }},
    {"lacks its mean",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.own * n.factor() + n.beta};
     }},
    {"adds its mean",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), (n.own + n.mean) * n.factor() + n.beta};
     }},
    {"has its mean unscaled",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.own * n.factor() - n.mean + n.beta};
     }},
    {"scales the weights alone, the bias is the layer's own",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), n.own};
     }},
    {"scales the weights, and there is no bias",
     [](const ChannelNumbers& n) {
       return Folded{n.factor(), 0};
     }},
    {"leaves the weights unscaled",
     [](const ChannelNumbers& n) {
       return Folded{1, n.OffsetWith(n.factor())};
     }},
    {"lacks its scale", [](const ChannelNumbers& n) { return ScaledBy(n, n.factor() / n.scale); }},
    {"has its scale twice",
     [](const ChannelNumbers& n) { return ScaledBy(n, n.factor() * n.scale); }},
    {"lacks its variance", [](const ChannelNumbers& n) { return ScaledBy(n, n.scale); }},
    {"lacks the square root of the variance",
     [](const ChannelNumbers& n) { return ScaledBy(n, n.scale / (n.variance + n.epsilon)); }},
    {"adds epsilon to the square root, not to the variance",
     [](const ChannelNumbers& n) {
       return ScaledBy(n, n.scale / (std::sqrt(n.variance) + n.epsilon));
     }},
    {"divides by its factor", [](const ChannelNumbers& n) { return ScaledBy(n, 1 / n.factor()); }},
};

std::string NumberText(double number) { return absl::StrFormat("%.4g", number); }

class FoldingSolver {
 public:
  // `exchanged`: the folded layer is the left's.
  FoldingSolver(const ChannelLayer& normalized, const ChannelLayer& folded, bool exchanged)
      : normalized_(normalized),
        folded_(folded),
        exchanged_(exchanged),
        tolerance_(std::max(1e-6, 16 * std::max(normalized.rounding, folded.rounding))) {}

  // The mistake, as a continuation of "the folded normalization"; empty if it is not known.
  std::string Solve() {
    if (!IsSameLayer()) return "";
    if (!odd_weights_.empty()) return OddWeightsText();
    if (Explains([](const ChannelNumbers& n) { return ScaledBy(n, n.factor()); })) return "";
    std::vector<absl::string_view> mistakes;
    for (const FoldingMistake& mistake : kFoldingMistakes) {
      if (mistakes.size() < 2 && Explains(mistake.gives)) mistakes.push_back(mistake.text);
    }
    if (!mistakes.empty()) return absl::StrCat(" ", absl::StrJoin(mistakes, ", or "));
    std::string text = EpsilonText();
    if (text.empty()) text = ChannelsText();
    return text.empty() ? "" : absl::StrCat(": ", text);
  }

 private:
  ChannelNumbers NumbersOf(size_t k) const {
    const ChannelNormalization& norm = *normalized_.normalization;
    return {norm.scale[k],    norm.bias[k], norm.mean[k],
            norm.variance[k], norm.epsilon, normalized_.bias[k]};
  }

  // Finds the factor of each channel that the folded weights have. False if most have none.
  bool IsSameLayer() {
    const size_t channels = normalized_.channels();
    if (folded_.channels() != channels || channels == 0) return false;
    size_t known = 0;
    for (size_t k = 0; k < channels; ++k) {
      const std::vector<double>& ours = normalized_.weights[k];
      const std::vector<double>& theirs = folded_.weights[k];
      if (ours.size() != theirs.size()) return false;
      double squares = 0, products = 0, greatest = 0;
      for (size_t i = 0; i < ours.size(); ++i) {
        squares += ours[i] * ours[i];
        products += ours[i] * theirs[i];
        greatest = std::max(greatest, std::abs(theirs[i]));
      }
      factors_.emplace_back();
      if (!(squares > 0) || !std::isfinite(products)) continue;
      ++known;
      const double factor = products / squares;
      const auto is_off = [&](double a, double b) {
        return !(std::abs(b - factor * a) <= tolerance_ * greatest);
      };
      bool proportional = true;
      for (size_t i = 0; i < ours.size(); ++i) proportional &= !is_off(ours[i], theirs[i]);
      if (proportional) {
        factors_.back() = factor;
      } else {
        odd_weights_.push_back(k);
      }
    }
    return known > 0 && 2 * odd_weights_.size() < known;
  }

  bool HasFactor(size_t k, double factor) const {
    return !factors_[k].has_value() ||
           std::abs(*factors_[k] - factor) <= tolerance_ * std::abs(factor);
  }

  bool HasOffset(size_t k, double offset) const {
    const ChannelNumbers n = NumbersOf(k);
    const double factor = std::max(std::abs(n.factor()), std::abs(factors_[k].value_or(0)));
    const double terms = (std::abs(n.own) + std::abs(n.mean)) * factor + std::abs(n.beta);
    return std::abs(folded_.bias[k] - offset) <=
           tolerance_ * std::max(terms, std::abs(folded_.bias[k]));
  }

  template <typename Gives>
  bool Explains(const Gives& gives) const {
    for (size_t k = 0; k < factors_.size(); ++k) {
      const Folded expected = gives(NumbersOf(k));
      if (!HasFactor(k, expected.factor) || !HasOffset(k, expected.offset)) return false;
    }
    return true;
  }

  // A number of the normalization and the number that explains the folded ones, as left | right.
  std::string Pair(double normalized, double folded) const {
    if (exchanged_) std::swap(normalized, folded);
    return absl::StrCat(NumberText(normalized), " | ", NumberText(folded));
  }

  // The number in the fewest digits that is within `most` of another.
  static std::string Shortest(double number, double most) {
    if (std::abs(number) <= most) return "0";
    std::string text;
    for (int digits = 1; digits <= 6; ++digits) {
      text = absl::StrFormat("%.*g", digits, number);
      if (std::abs(std::strtod(text.c_str(), nullptr) - number) <= most) break;
    }
    return text;
  }

  // Text for another epsilon of all channels.
  std::string EpsilonText() const {
    // The channel of the least variance determines epsilon best.
    std::optional<size_t> least;
    size_t off = 0;
    for (size_t k = 0; k < factors_.size(); ++k) {
      const ChannelNumbers n = NumbersOf(k);
      if (!factors_[k].has_value() || n.scale == 0) continue;
      if (!HasFactor(k, n.factor())) ++off;
      if (!least.has_value() || n.variance < NumbersOf(*least).variance) least = k;
    }
    // In one channel, another scale would explain it as well.
    if (!least.has_value() || off < 2) return "";
    const ChannelNumbers n = NumbersOf(*least);
    const double ratio = n.scale / *factors_[*least];
    const double epsilon = ratio * ratio - n.variance;
    const double unsure = tolerance_ * ratio * ratio;
    if (!(epsilon >= -unsure) || ratio <= 0) return "";
    const auto with_epsilon = [&](ChannelNumbers numbers) {
      numbers.epsilon = std::max(0.0, epsilon);
      return ScaledBy(numbers, numbers.factor());
    };
    if (!Explains(with_epsilon)) return "";
    std::string ours = absl::StrFormat("%.6g", n.epsilon);
    std::string theirs = Shortest(epsilon, unsure);
    if (exchanged_) std::swap(ours, theirs);
    return absl::StrCat("epsilon ", ours, " | ", theirs);
  }

  // " of channel 3", " of 5 of 8 channels, of channel 3".
  std::string Of(const std::vector<size_t>& channels) const {
    std::string first = absl::StrCat(" of channel ", channels.front());
    if (channels.size() == 1) return first;
    return absl::StrCat(" of ", channels.size(), " of ", factors_.size(), " channels,", first);
  }

  // Text for wrong numbers of some channels.
  std::string ChannelsText() const {
    std::vector<size_t> other_factor;  // differs from the normalization's factor
    std::vector<size_t> other_offset;  // does not fit the factor that was found
    std::vector<size_t> wrong_offset;  // does not fit the factor that is expected
    for (size_t k = 0; k < factors_.size(); ++k) {
      const ChannelNumbers n = NumbersOf(k);
      if (!HasFactor(k, n.factor())) other_factor.push_back(k);
      if (!HasOffset(k, n.OffsetWith(factors_[k].value_or(n.factor())))) other_offset.push_back(k);
      if (!HasOffset(k, n.OffsetWith(n.factor()))) wrong_offset.push_back(k);
    }
    if (!other_factor.empty() && other_offset.empty()) return FactorText(other_factor);
    if (!other_factor.empty() && wrong_offset.empty()) return WeightsText(other_factor);
    if (other_factor.empty()) return OffsetText(wrong_offset);
    const size_t k = other_factor.front();
    if (other_factor.size() > 1 || other_offset != other_factor) return "";
    const ChannelNumbers n = NumbersOf(k);
    return absl::StrCat("channel ", k, " is multiplied by ", Pair(n.factor(), *factors_[k]),
                        ", and has the offset ", Pair(n.OffsetWith(n.factor()), folded_.bias[k]));
  }

  // Text for another factor, which the offset has, too.
  std::string FactorText(const std::vector<size_t>& channels) const {
    const size_t k = channels.front();
    const ChannelNumbers n = NumbersOf(k);
    const double times = *factors_[k] / n.factor();
    const bool all = channels.size() == factors_.size() && channels.size() > 1 &&
                     absl::c_all_of(channels, [&](size_t channel) {
                       return HasFactor(channel, times * NumbersOf(channel).factor());
                     });
    if (all) {
      return absl::StrCat(
          "scale of all channels, right = ", NumberText(exchanged_ ? 1 / times : times), " * left");
    }
    std::string text = absl::StrCat("scale", Of(channels), ": ", Pair(n.scale, n.scale * times));
    const double variance = (n.variance + n.epsilon) / (times * times) - n.epsilon;
    if (times > 0 && variance >= 0) {
      absl::StrAppend(&text, " (or variance ", Pair(n.variance, variance), ")");
    }
    return text;
  }

  // Text for another factor of the weights alone.
  std::string WeightsText(const std::vector<size_t>& channels) const {
    const size_t k = channels.front();
    const std::string of = absl::StrCat("the weights", Of(channels));
    if (absl::c_all_of(channels, [&](size_t channel) { return HasFactor(channel, 1); })) {
      return absl::StrCat(of, " are not scaled");
    }
    const auto factor_of = [&](size_t channel) -> std::optional<size_t> {
      for (size_t other = 0; other < factors_.size(); ++other) {
        if (other != channel && HasFactor(channel, NumbersOf(other).factor())) return other;
      }
      return std::nullopt;
    };
    if (absl::c_all_of(channels, [&](size_t channel) { return factor_of(channel).has_value(); })) {
      return absl::StrCat(of, " have the factor of channel ", *factor_of(k));
    }
    return absl::StrCat(
        of, " have another factor than the bias: ", Pair(NumbersOf(k).factor(), *factors_[k]));
  }

  std::string OffsetText(const std::vector<size_t>& channels) const {
    const size_t k = channels.front();
    const ChannelNumbers n = NumbersOf(k);
    const double more = folded_.bias[k] - n.OffsetWith(n.factor());
    std::vector<std::string> others;
    if (n.factor() != 0) {
      others.push_back(absl::StrCat("mean ", Pair(n.mean, n.mean - more / n.factor())));
      if (normalized_.has_bias) {
        others.push_back(
            absl::StrCat("the layer's own bias ", Pair(n.own, n.own + more / n.factor())));
      }
    }
    return absl::StrCat(
        "bias (beta)", Of(channels), ": ", Pair(n.beta, n.beta + more),
        others.empty() ? "" : absl::StrCat(" (or ", absl::StrJoin(others, ", or "), ")"));
  }

  // Text for channels whose weights are no multiple of the layer's.
  std::string OddWeightsText() const {
    const size_t k = odd_weights_.front();
    const double factor = NumbersOf(k).factor();
    const std::vector<double>& ours = normalized_.weights[k];
    const std::vector<double>& theirs = folded_.weights[k];
    size_t off = 0;
    size_t first = 0;
    for (size_t i = ours.size(); i-- > 0;) {
      const double expected = factor * ours[i];
      if (std::abs(theirs[i] - expected) <= tolerance_ * std::max(std::abs(expected), 1e-30))
        continue;
      ++off;
      first = i;
    }
    // Weights without any relation to the layer's need no detail.
    if (off == 0 || 2 * off > ours.size()) return "";
    return absl::StrCat(": the weights", Of(odd_weights_), " are no multiple of the layer's: ", off,
                        " of ", ours.size(), " differ, ",
                        Pair(factor * ours[first], theirs[first]));
  }

  const ChannelLayer& normalized_;
  const ChannelLayer& folded_;
  const bool exchanged_;
  const double tolerance_;
  std::vector<std::optional<double>> factors_;  // by channel; nothing where no weight determines it
  std::vector<size_t> odd_weights_;             // channels whose weights have no factor
};

}  // namespace

std::string FoldedNormalizationText(const PerSide<ChannelLayer>& layers) {
  const bool exchanged = layers.right.normalization.has_value();
  const ChannelLayer& normalized = exchanged ? layers.right : layers.left;
  const ChannelLayer& folded = exchanged ? layers.left : layers.right;
  if (!normalized.normalization.has_value() || folded.normalization.has_value()) return "";
  const std::string what = FoldingSolver(normalized, folded, exchanged).Solve();
  return what.empty() ? "" : absl::StrCat("the folded BatchNormalization", what);
}

}  // namespace onnxcmp
