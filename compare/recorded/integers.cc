#include "compare/recorded/integers.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/alignment/weights.h"
#include "compare/recorded/integer_fit.h"
#include "compare/recorded/recording_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/streams/fingerprint.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

// Integers without a telling name are strange if so many others stand for something.

class RecordedIntegerFinder {
 public:
  explicit RecordedIntegerFinder(const RecordingView& view)
      : view_(view), side_(view.side()), own_(view.own()), graph_(view.graph()) {
    for (const int m : graph_.results()) by_name_.try_emplace(graph_.result(m).name, m);
  }

  absl::StatusOr<std::vector<Claim>> Find(PairingRuns& runs) {
    std::vector<Claim> claims = NearInputs();
    Choose();
    if (!has_bytes_) return claims;
    OC_RETURN_IF_ERROR(Load(runs));
    // Without values, integers cannot be told to fit nothing.
    if (values_[side_].empty()) return claims;
    int stand = 0;
    std::vector<int> strange = ConstantOnes();
    std::vector<int> unnamed;
    for (const int r : open_) {
      const std::optional<bool> sums = AreSums(r);
      if (!sums.has_value()) continue;
      const int named = NamedAfter(r);
      const int of = PartnerOf(r, named, *sums);
      const bool is_byte = !*sums;
      if (of != kNone) {
        claims.push_back(Proposed(r, of, *sums ? "sums of integers" : "integers"));
        stand += is_byte ? 1 : 0;
      } else if (is_byte) {
        (named != kNone ? strange : unnamed).push_back(r);
      }
    }
    const bool all_do = stand >= kSeveralAlike &&
                        stand >= weights::kMostly * (stand + static_cast<double>(unnamed.size()));
    if (all_do) strange.insert(strange.end(), unnamed.begin(), unnamed.end());
    for (const int r : strange) claims.push_back(Proposed(r, kNone, ""));
    return claims;
  }

 private:
  const StreamResult& Own(int r) const { return own_.results[Index(r)]; }

  Claim Proposed(int r, int of, std::string how) const {
    Claim claim = ClaimOf(Rule::kIntegers, side_, r, of);
    claim.how = std::move(how);
    return claim;
  }

  bool IsOpen(int r) const {
    const StreamResult& result = Own(r);
    return result.kind == ResultKind::kResult && result.shape.has_value() &&
           result.fingerprint.rich && result.fingerprint.finite &&
           result.fingerprint.size >= kEnoughElements && view_.IsOpen(r);
  }

  static bool IsByte(const StreamResult& result) {
    return IsInteger(result.dtype) && BitWidth(result.dtype) == 8;
  }

  // Integers that are all one number where the result that they are called after varies above 0: a
  // range does a Relu, and no more.
  std::vector<int> ConstantOnes() const {
    std::vector<int> found;
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      const StreamResult& result = own_.results[i];
      if (result.kind != ResultKind::kResult || !IsByte(result) ||
          result.fingerprint.size < kEnoughElements || view_.partner(r) != kNone) {
        continue;
      }
      const Statistics& own = result.fingerprint.numbers().statistics;
      const int named = own.min == own.max ? NamedAfter(r) : kNone;
      if (named == kNone || !graph_.result(named).fingerprint.rich) continue;
      if (graph_.result(named).fingerprint.numbers().statistics.max > 0) found.push_back(r);
    }
    return found;
  }

  // The model's inputs, in the integers of its first layer.
  std::vector<Claim> NearInputs() const {
    std::vector<Claim> claims;
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      if (!IsOpen(r) || !IsFloatingPoint(Own(r).dtype) || !IsInteger(Own(r).precision)) continue;
      const auto of = absl::c_find_if(graph_.results(), [&](int m) {
        const StreamResult& input = graph_.result(m);
        return input.kind == ResultKind::kInput && input.shape == Own(r).shape &&
               input.fingerprint.rich && AreNear(Own(r), input);
      });
      if (of != graph_.results().end()) claims.push_back(Proposed(r, *of, "a quantized input"));
    }
    return claims;
  }

  void Choose() {
    absl::flat_hash_map<int64_t, int64_t> sizes;
    for (size_t i = 0; i < own_.results.size() && open_.size() < work_bounds::kLooks; ++i) {
      const auto r = static_cast<int>(i);
      const StreamResult& result = Own(r);
      const bool may_be = IsInteger(result.dtype)
                              ? BitWidth(result.dtype) >= 8 && BitWidth(result.dtype) <= 32
                              : result.dtype == DType::kFloat;
      if (!may_be || !IsOpen(r)) continue;
      has_bytes_ = has_bytes_ || IsByte(result);
      open_.push_back(r);
      ++sizes[result.fingerprint.size];
    }
    for (const int m : graph_.results()) {
      const StreamResult& result = graph_.result(m);
      if (result.depth > 0 || !IsFloatingPoint(result.dtype) || !result.fingerprint.rich ||
          !result.fingerprint.finite || !sizes.contains(result.fingerprint.size)) {
        continue;
      }
      floats_.push_back(m);
    }
  }

  absl::Status Load(PairingRuns& runs) {
    PerSide<std::vector<int>> numbers;
    numbers[side_] = open_;
    numbers[Other(side_)] = floats_;
    OC_ASSIGN_OR_RETURN(values_, runs.Values(numbers));
    return absl::OkStatus();
  }

  const Tensor* ValueOf(SideId side, int r) const {
    const auto it = values_[side].find(r);
    return it == values_[side].end() || !it->second.is_tensor() ? nullptr : &it->second.tensor();
  }

  // False for integers of a narrow type, true for sums of them, of a wide type or as floats;
  // nothing for numbers that are no integers.
  std::optional<bool> AreSums(int r) const {
    const StreamResult& result = Own(r);
    if (IsInteger(result.dtype)) return BitWidth(result.dtype) > 16;
    const Tensor* const value = ValueOf(side_, r);
    if (value == nullptr) return std::nullopt;
    const bool whole =
        absl::c_all_of(ElementsOf(*value), [](double x) { return x == std::nearbyint(x); });
    return whole ? std::optional(true) : std::nullopt;
  }

  // The result of the model whose name a quantizer has made this one's of: "X_quantized".
  int NamedAfter(int r) const {
    absl::string_view name = Own(r).name;
    for (size_t end = name.rfind('_'); end != absl::string_view::npos && end > 0;
         end = name.rfind('_')) {
      name = name.substr(0, end);
      const auto it = by_name_.find(name);
      if (it != by_name_.end() && IsFloatingPoint(graph_.result(it->second).dtype) &&
          graph_.result(it->second).fingerprint.size == Own(r).fingerprint.size) {
        return it->second;
      }
    }
    return kNone;
  }

  std::optional<double> RestBeside(int r, int m, bool sums) const {
    const Tensor* const own = ValueOf(side_, r);
    const Tensor* const other = ValueOf(Other(side_), m);
    if (own == nullptr || other == nullptr || own->num_elements() != other->num_elements()) {
      return std::nullopt;
    }
    return RestOfIntegers(*own, *other, sums);
  }

  // The result that the name says, if it may be; without such a name, the one with the least rest.
  int PartnerOf(int r, int named, bool sums) const {
    if (named != kNone && RestBeside(r, named, sums).has_value()) return named;
    // Sums have the name of what becomes of them.
    if (named != kNone && !sums) return kNone;
    int best = kNone;
    double least = 1;
    for (const int m : floats_) {
      if (graph_.result(m).fingerprint.size != Own(r).fingerprint.size) continue;
      const std::optional<double> rest = RestBeside(r, m, sums);
      if (!rest.has_value() || *rest >= least) continue;
      best = m;
      least = *rest;
    }
    return best;
  }

  const RecordingView& view_;
  const SideId side_;
  const ResultStream& own_;
  const SideGraph& graph_;
  std::vector<int> open_;                                // recorded results without a partner
  std::vector<int> floats_;                              // results of the model
  absl::flat_hash_map<absl::string_view, int> by_name_;  // the model's
  bool has_bytes_ = false;
  PerSide<ValuesOfResults> values_;
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimIntegers(const RecordingView& view, PairingRuns& runs) {
  if (!view.has_model() || IsQuantized(view.model())) return std::vector<Claim>();
  return RecordedIntegerFinder(view).Find(runs);
}

}  // namespace onnxcmp
