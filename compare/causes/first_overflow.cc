#include "compare/causes/first_overflow.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

// " at [3,1], the right has inf; 2 of 8 elements".
std::string PlaceOf(const Tensor& right, const Beyond& beyond) {
  std::string text = absl::StrCat(" at ", IndexText(right.shape(), beyond.first),
                                  ", the right has ", ElementText(right, beyond.first));
  if (right.num_elements() > 1) {
    absl::StrAppend(&text, "; ", beyond.count, " of ", right.num_elements(), " elements");
  }
  return text;
}

// Describes an overflow; `left` may be null.
std::string WordsFor(const Tensor* left, const Tensor& right, const Beyond& beyond) {
  const std::string type(NumpyName(right.dtype()));
  const std::string text =
      left == nullptr ? absl::StrCat("it overflows ", type)
                      : absl::StrCat(ElementText(*left, beyond.first), " overflows ", type);
  return absl::StrCat(text, PlaceOf(right, beyond));
}

// Numbers of an exact tensor that another's type does not hold, in words; empty if there are none,
// or if the other's are near all the same.
std::string UnderflowText(const Tensor& exact, const Tensor& own) {
  constexpr double kLost = 0.125;
  const double least = LeastPositive(own.dtype());
  const double normal = least / EpsilonOf(own.dtype());
  if (least == 0 || exact.num_elements() != own.num_elements()) return "";
  Beyond beyond;
  const std::vector<double> wanted = ElementsOf(exact);
  const std::vector<double> given = ElementsOf(own);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double size = std::abs(wanted[i]);
    if (!(size > 0 && size < normal && std::abs(wanted[i] - given[i]) > kLost * size)) continue;
    if (std::abs(std::nearbyint(size / least) * least - size) <= kLost * size) continue;
    if (beyond.count++ == 0) beyond.first = static_cast<int64_t>(i);
  }
  if (beyond.first < 0) return "";
  return absl::StrCat(absl::StrFormat("%.4g", wanted[static_cast<size_t>(beyond.first)]),
                      " underflows ", NumpyName(own.dtype()), PlaceOf(own, beyond),
                      absl::StrFormat("; the least number of the type is %.2g", least));
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

struct Lost {
  int right = kNone;
  std::string text;
  Value own;  // in double
};

// The first result in or before the region of a matched one that has lost small numbers, if these
// make the region's difference. `relative`: of small elements beside great ones.
std::optional<Lost> LostBefore(const ForcedRun& run, const ForcedState& state, int right,
                               bool relative, CauseTruth* truth) {
  if (state.at(right).match == kNone) return std::nullopt;
  std::vector<Lost> all;
  // A constant that the type does not hold has the left's in its place.
  const auto exact_of = [&](int r, const Value& in_double) {
    const int l = run.aligned(r);
    if (!run.right().IsConstant(r) || state.at(r).match != kNone || l == kNone) return in_double;
    const Value& left = run.left().value_of(l);
    if (!IsMeasurable(left) || !IsMeasurable(state.at(r).own)) return in_double;
    const Tensor& own = state.at(r).own.tensor();
    if (UnderflowText(left.tensor(), own).empty()) return in_double;
    return ConvertedTo(left, DType::kDouble, own.shape()).value_or(in_double);
  };
  const auto collect = [&](int r, const Value& in_double) {
    const ForcedResult& result = state.at(r);
    // Nodes read what a match is held at, which is not the right's own constant.
    const Value& read = result.match != kNone || result.own.empty() ? result.held : result.own;
    const Value& own = result.own.empty() ? read : result.own;
    const Value exact = exact_of(r, in_double);
    if (r == right || !IsMeasurable(exact) || !IsMeasurable(read) ||
        UnderflowText(exact.tensor(), read.tensor()).empty()) {
      return exact;
    }
    absl::StatusOr<Value> lost = ConvertedTo(read, DType::kDouble, read.tensor().shape());
    const Value& shown = run.right().IsConstant(r) ? own : read;
    if (lost.ok()) all.push_back({r, UnderflowText(exact.tensor(), shown.tensor()), *lost});
    return exact;
  };
  if (truth->ComesToOwnWith(right, relative, collect)) return std::nullopt;
  // One alone, else several together: a square and the epsilon that is added to it.
  for (const bool together : {false, true}) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (truth->ComesToOwnWith(right, relative, [&](int r, const Value& in_double) {
            for (size_t k = together ? 0 : i; k <= i; ++k) {
              if (all[k].right == r) return all[k].own;
            }
            return exact_of(r, in_double);
          })) {
        return std::move(all[i]);
      }
    }
  }
  return std::nullopt;
}

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

std::optional<FirstOverflow> FindFirstUnderflow(const ForcedRun& run, const ForcedState& state,
                                                int right, CauseTruth* truth) {
  std::optional<FirstOverflow> first;
  // A result that lost its numbers may have read some that were lost before.
  while (std::optional<Lost> lost = LostBefore(run, state, right, first.has_value(), truth)) {
    const int c = state.at(lost->right).match;
    const int l = run.aligned(lost->right);
    const int matched = c != kNone ? c : state.at(right).match;
    first = FirstOverflow{l != kNone ? l : run.left().representative(matched), lost->right,
                          std::move(lost->text)};
    right = lost->right;
  }
  return first;
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
