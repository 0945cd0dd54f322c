#include "compare/causes/first_overflow.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/element_text.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/region.h"
#include "record/streams/downstream.h"

namespace onnxcmp {
namespace {

// The least and the greatest number of an integer type, as far as double can tell them.
std::pair<double, double> LimitsOf(DType dtype) {
  const int bits = BitWidth(dtype);
  return IsUnsignedInteger(dtype)
             ? std::pair(0.0, std::ldexp(1.0, bits) - 1)
             : std::pair(-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1);
}

// True for a sentinel of the type ("to the end", "nothing"), which converters write differently.
bool IsSentinel(double v, DType dtype) {
  const auto [least, greatest] = LimitsOf(dtype);
  return v <= least || v >= greatest;
}

struct Beyond {
  int64_t first = -1;
  int64_t count = 0;
};

// Elements of the left that a narrower integer type does not hold.
Beyond BeyondIntegers(const Tensor& left, const Tensor& right) {
  Beyond beyond;
  const auto [least, greatest] = LimitsOf(right.dtype());
  const std::vector<double> ours = ElementsOf(left);
  const std::vector<double> theirs = ElementsOf(right);
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] >= least && ours[i] <= greatest) continue;
    if (ours[i] == theirs[i] || IsSentinel(ours[i], left.dtype())) continue;
    if (beyond.count++ == 0) beyond.first = static_cast<int64_t>(i);
  }
  return beyond;
}

// Infinite elements of the right where the left's are finite. `left` may be null.
Beyond BeyondFloats(const Tensor* left, const Tensor& right) {
  Beyond beyond;
  const std::vector<double> theirs = ElementsOf(right);
  const std::vector<double> ours = left == nullptr ? std::vector<double>() : ElementsOf(*left);
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (!std::isinf(theirs[i]) || (left != nullptr && !std::isfinite(ours[i]))) continue;
    if (beyond.count++ == 0) beyond.first = static_cast<int64_t>(i);
  }
  return beyond;
}

bool IsFinite(const Value& value) {
  if (!IsMeasurable(value)) return false;
  return absl::c_all_of(ElementsOf(value.tensor()), [](double v) { return std::isfinite(v); });
}

// Describes an overflow; `left` may be null.
std::string WordsFor(const Tensor* left, const Tensor& right, const Beyond& beyond) {
  const std::string type(NumpyName(right.dtype()));
  std::string text = left == nullptr
                         ? absl::StrCat("it overflows ", type)
                         : absl::StrCat(ElementText(*left, beyond.first), " overflows ", type);
  absl::StrAppend(&text, " at ", IndexText(right.shape(), beyond.first), ", the right has ",
                  ElementText(right, beyond.first));
  if (right.num_elements() > 1) {
    absl::StrAppend(&text, "; ", beyond.count, " of ", right.num_elements(), " elements");
  }
  return text;
}

class Finder {
 public:
  Finder(const ForcedRun& run, const ForcedState& state, int judged)
      : run_(run), state_(state), judged_(judged) {}

  std::optional<FirstOverflow> At(int r) const {
    const Value& own = state_.at(r).own;
    if (!IsMeasurable(own)) return std::nullopt;
    const int l = PartnerOf(r, own.tensor());
    const bool integer = IsInteger(own.tensor().dtype());
    if (!integer && !IsFloatingPoint(own.tensor().dtype())) return std::nullopt;
    const Tensor* left = l == kNone ? nullptr : &run_.left().value_of(l).tensor();
    Beyond beyond;
    if (integer) {
      if (left == nullptr || BitWidth(left->dtype()) <= BitWidth(own.tensor().dtype())) {
        return std::nullopt;
      }
      beyond = BeyondIntegers(*left, own.tensor());
    } else {
      if (!ReadsFinite(r)) return std::nullopt;
      beyond = BeyondFloats(left, own.tensor());
    }
    if (beyond.first < 0) return std::nullopt;
    return FirstOverflow{l == kNone ? run_.left().representative(state_.at(judged_).match) : l, r,
                         WordsFor(left, own.tensor(), beyond)};
  }

 private:
  // The left result in the place of `r`; kNone if that is not known.
  int PartnerOf(int r, const Tensor& own) const {
    const auto fits = [&](int l) {
      const Value& value = run_.left().value_of(l);
      return IsMeasurable(value) && value.tensor().num_elements() == own.num_elements() &&
             SameKindOfNumber(value.tensor().dtype(), own.dtype()) &&
             !IsComplex(value.tensor().dtype());
    };
    const int aligned = run_.aligned(r);
    if (aligned != kNone && fits(aligned)) return aligned;
    if (IsInteger(own.dtype()) && r != judged_) return kNone;
    const int matched = run_.left().representative(state_.at(judged_).match);
    return fits(matched) ? matched : kNone;
  }

  bool ReadsFinite(int r) const {
    return absl::c_all_of(run_.right().Before(r), [&](int read) {
      const Value& held = state_.at(read).held;
      return !IsMeasurable(held) || !IsFloatingPoint(held.tensor().dtype()) || IsFinite(held);
    });
  }

  const ForcedRun& run_;
  const ForcedState& state_;
  const int judged_;
};

}  // namespace

std::optional<FirstOverflow> FindFirstOverflow(const ForcedRun& run, const ForcedState& state,
                                               const RegionNoise& noise, int right) {
  if (!run.right().IsComputed(right)) return std::nullopt;
  const Finder finder(run, state, right);
  const Region region = noise.RightRegion(right);
  for (const int entry : region.entries) {
    if (!run.right().IsConstant(entry) || state.at(entry).match != kNone) continue;
    if (std::optional<FirstOverflow> found = finder.At(entry)) return found;
  }
  for (const int n : region.nodes) {
    for (const int r : run.right().node(n).made->outputs) {
      if (r == kNone || (r != right && state.at(r).match != kNone)) continue;
      if (std::optional<FirstOverflow> found = finder.At(r)) return found;
    }
  }
  return std::nullopt;
}

bool IsWrapped(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
               int right) {
  return IsInteger(run.right().result(right).dtype) &&
         FindFirstOverflow(run, state, noise, right).has_value();
}

std::optional<std::string> OverflowText(const Tensor& left, const Tensor& right) {
  const Beyond beyond = BeyondFloats(&left, right);
  if (beyond.first < 0) return std::nullopt;
  return WordsFor(&left, right, beyond);
}

std::vector<size_t> AfterAnother(const absl::btree_map<size_t, int>& overflows,
                                 const ResultStream& right) {
  std::vector<size_t> after;
  for (auto it = overflows.rbegin(); it != overflows.rend(); ++it) {
    const bool is_after = absl::c_any_of(overflows, [&](const auto& other) {
      return other.second < it->second && Behind({other.second}, right)[Index(it->second)];
    });
    if (is_after) after.push_back(it->first);
  }
  return after;
}

bool ReadsSaturated(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                    int right) {
  if (!run.right().IsComputed(right)) return false;
  return absl::c_any_of(noise.RightRegion(right).entries, [&](int entry) {
    const int c = state.at(entry).match;
    const DType dtype = run.right().result(entry).dtype;
    return c != kNone && run.left().result(c).dtype != dtype && IsMeasurable(run.left().value(c)) &&
           Overflows(run.left().value(c).tensor(), dtype, false);
  });
}

}  // namespace onnxcmp
