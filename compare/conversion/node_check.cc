#include "compare/conversion/node_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/conversion/conversion.h"
#include "compare/conversion/honest_constant.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Operators that round inside to 8 bits by scales of their own, against the size of their result. A
// recurrence adds that up by steps.
struct InnerNoise {
  absl::string_view op_type;
  double noise;
};
constexpr InnerNoise kInnerNoise[] = {
    {"DynamicQuantizeMatMul", 0.015},
    {"DynamicQuantizeLSTM", 0.05},
};

class CheckPlanner {
 public:
  explicit CheckPlanner(const CheckedSides& sides) : sides_(sides) {}

  std::optional<NodeCheck> Plan(int l, int r) {
    NodeCheck check;
    // Integers of both sides need not stand for the same numbers.
    if (sides_.plain.IsComputed(sides_.matcher.ClassOf(l))) l = sides_.matcher.ClassOf(l);
    check.plain = l;
    check.converted = r;
    // Weights that the converted side rounds by itself are as good as constants.
    const auto stands = [&](int read) {
      return !sides_.matcher.ClassesInOrder(read).empty() ||
             (sides_.converted_constants.IsFixed(read) &&
              IsInteger(sides_.converted.result(read).dtype) &&
              sides_.matcher.ParamsOf(read).has_value());
    };
    const Region theirs = RegionOf(sides_.converted, r, stands);
    absl::flat_hash_map<int, int> by_class;
    for (const int entry : theirs.entries) {
      for (const int number : sides_.matcher.ClassesInOrder(entry)) {
        int& place = by_class.try_emplace(number, entry).first->second;
        // Integers are what the node computes with; the floats before them only give the scale.
        if (IsInteger(sides_.converted.result(entry).dtype)) place = entry;
      }
    }
    check.region = RegionOf(
        sides_.plain, l, [&](int read) { return by_class.contains(sides_.matcher.ClassOf(read)); });
    if (check.region.nodes.size() >= kMaxRegionNodes) return std::nullopt;
    for (const int entry : check.region.entries) {
      const auto it = by_class.find(sides_.matcher.ClassOf(entry));
      if (it != by_class.end()) {
        check.entries[entry] = it->second;
        Need(it->second, &check);
      } else if (sides_.plain_constants.IsFixed(entry)) {
        AddConstant(entry, theirs, &check);
      } else {
        return std::nullopt;
      }
    }
    Need(r, &check);
    for (const int n : theirs.nodes) {
      for (const int made : sides_.converted.node(n).made->outputs) {
        if (made != kNone && IsShortFloat(sides_.converted.result(made).dtype)) {
          check.epsilon = std::max(check.epsilon, EpsilonOf(sides_.converted.result(made).dtype));
        }
      }
    }
    check.inner_noise = NoiseOfOtherWeights(check, theirs) + NoiseInside(theirs, r);
    return check;
  }

 private:
  void Need(int r, NodeCheck* check) {
    check->needs.push_back(r);
    const std::optional<QuantParams> params = sides_.matcher.ParamsOf(r);
    if (!params.has_value()) return;
    for (const int parameter : {params->scale, params->zero_point}) {
      if (parameter != kNone) check->needs.push_back(parameter);
    }
  }

  // The converted region's constant that is this one of the plain side, rounded, if there is one.
  void AddConstant(int l, const Region& theirs, NodeCheck* check) {
    // Integers first: a node that rounds its weights by itself may have the floats, too.
    std::vector<int> entries(theirs.entries.begin(), theirs.entries.end());
    absl::c_stable_partition(entries,
                             [&](int r) { return IsInteger(sides_.converted.result(r).dtype); });
    for (const bool transposed : {false, true}) {
      for (const bool named : {true, false}) {
        for (const int r : entries) {
          if (!sides_.converted_constants.IsFixed(r) || (sides_.partners[Index(r)] == l) != named)
            continue;
          if (sides_.matcher.RoundingOf(l, r, transposed) != ConstantRounding::kHonest) continue;
          check->entries[l] = r;
          if (transposed) check->transposed.push_back(l);
          return;
        }
      }
    }
    for (const int r : theirs.entries) {
      if (sides_.partners[Index(r)] == l && sides_.plain.result(l).fingerprint.size > 1) {
        check->odd_constant.emplace(r, l);
      }
    }
  }

  // True if a region multiplies by constants what another of its nodes gives: converters fold that
  // into the weights.
  bool MayBeFolded(const Region& region) {
    const auto scales = [&](int n) {
      const StreamNode& made = *sides_.plain.node(n).made;
      if (made.op_type == "BatchNormalization") return true;
      return (made.op_type == "Mul" || made.op_type == "Div") &&
             absl::c_any_of(made.inputs,
                            [&](int l) { return l != kNone && sides_.plain_constants.IsFixed(l); });
    };
    return region.nodes.size() > 1 && absl::c_any_of(region.nodes, scales);
  }

  // Noise of 8-bit weights that stand for none of the plain side by themselves, since something is
  // folded into them: twice the rounding to their steps, against their size.
  double NoiseOfOtherWeights(const NodeCheck& check, const Region& theirs) {
    if (!MayBeFolded(check.region)) return 0;
    constexpr double kRoundingOfSteps = 0.6;
    double noise = 0;
    for (const int r : theirs.entries) {
      const std::optional<QuantParams> params = sides_.matcher.ParamsOf(r);
      if (!params.has_value() || !sides_.converted_constants.IsFixed(r) ||
          absl::c_any_of(check.entries, [&](const auto& entry) { return entry.second == r; })) {
        continue;
      }
      const std::optional<QuantParamValues> values =
          sides_.converted_constants.ParamsOf(r, *params);
      const Value& integers = sides_.converted_constants.Of(r);
      if (!values.has_value() || !IsMeasurable(integers)) continue;
      const NumberReader q(integers.tensor());
      const PairSums sums = MomentsOf(q, q, nullptr, {.center = values->ZeroPointOf(0)}).sums;
      const double size = std::sqrt(sums.left / std::max(1.0, static_cast<double>(sums.count)));
      if (size > 0) noise += kRoundingOfSteps / size;
    }
    return std::min(noise, 0.1);
  }

  // Noise of results that the converted region rounds on the way, and of operators that round
  // inside: half a step against the size of the numbers.
  double NoiseInside(const Region& theirs, int end) {
    double noise = 0;
    for (const int n : theirs.nodes) {
      const StreamNode& made = *sides_.converted.node(n).made;
      for (const InnerNoise& inside : kInnerNoise) {
        if (made.op_type == inside.op_type) noise += inside.noise;
      }
      const int r = made.outputs[0];
      if (r == kNone || r == end || !sides_.params.written(r).has_value()) continue;
      const std::optional<QuantParamValues> values =
          sides_.converted_constants.ParamsOf(r, *sides_.params.written(r));
      if (!values.has_value()) continue;
      const Statistics& steps = sides_.converted.result(r).fingerprint.numbers().statistics;
      const double size = std::hypot(steps.deviation, steps.mean - values->ZeroPointOf(0));
      if (size > 0) noise += 0.5 / size;
    }
    return noise;
  }

  const CheckedSides& sides_;
};

}  // namespace

std::optional<NodeCheck> PlanCheck(const CheckedSides& sides, int l, int r) {
  return CheckPlanner(sides).Plan(l, r);
}

}  // namespace onnxcmp
