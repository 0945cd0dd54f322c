#include "compare/conversion/check_conversion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "compare/conversion/check_ranges.h"
#include "compare/conversion/constant_values.h"
#include "compare/conversion/conversion_matcher.h"
#include "compare/conversion/converted_partners.h"
#include "compare/conversion/near_results.h"
#include "compare/conversion/node_check.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/region.h"
#include "record/operators/operator_traits.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

// Epsilons of the coarsest type in a region that its result may be off, and the least share of its
// size: sums of another order.
constexpr double kEpsilonsOfNode = 4;
constexpr double kSumsInAnotherOrder = 3e-5;
// Steps that integers may be off, as root mean square: sums that lie between two.
constexpr double kStepsOfNode = 0.5;

class ConversionChecker {
 public:
  ConversionChecker(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                    const Conversion& conversion, const PairValues::Watch& watch,
                    const ThreadPool* pool)
      : plain_side_(sides[Other(conversion.converted)]),
        converted_side_(sides[conversion.converted]),
        conversion_(conversion),
        watch_(watch),
        pool_(pool),
        plain_(*plain_side_.stream, plain_side_.evaluator()),
        converted_(*converted_side_.stream, converted_side_.evaluator()),
        params_(converted_),
        partners_(ConvertedPartners(plain_, converted_, params_,
                                    PartnersInOrder(alignment, conversion.converted),
                                    conversion.quantized)),
        plain_constants_(plain_side_, plain_),
        converted_constants_(converted_side_, converted_),
        matcher_(plain_, converted_, params_, partners_, &plain_constants_, &converted_constants_,
                 pool) {}

  absl::StatusOr<CheckedConversion> Run(const CheckedInputs& inputs) {
    CheckedConversion checked;
    checked.conversion = conversion_;
    suspect_.assign(converted_.stream().results.size(), false);
    unknown_ = suspect_;
    PlanChecks();
    OC_RETURN_IF_ERROR(RunChecks());
    // Where both are quantized, neither range proves the other one wrong.
    if (!inputs.beyond_ranges && !conversion_.both) {
      OC_ASSIGN_OR_RETURN(WrongRanges ranges, FindWrongRanges(Sides(), inputs.made_up, watch_));
      for (const int r : ranges.wrong) suspect_[Index(r)] = true;
      checked.lossy = std::move(ranges.lossy);
    }
    checked.nodes = matcher_.matched() + std::ssize(matcher_.unmatched());
    Conclude(&checked);
    return checked;
  }

 private:
  CheckedSides Sides() {
    return {Other(conversion_.converted),
            plain_side_,
            plain_,
            converted_,
            params_,
            partners_,
            plain_constants_,
            converted_constants_,
            matcher_};
  }

  void PlanChecks() {
    const CheckedSides sides = Sides();
    for (const int r : matcher_.wrong()) suspect_[Index(r)] = true;
    for (const auto& [l, r] : matcher_.unmatched()) {
      if (suspect_[Index(r)]) continue;
      std::optional<NodeCheck> check = PlanCheck(sides, l, r);
      if (check.has_value()) {
        checks_.push_back(*std::move(check));
      } else {
        unknown_[Index(r)] = true;
      }
    }
  }

  absl::Status RunChecks() {
    std::vector<bool> wanted(converted_.stream().results.size());
    std::vector<int> uses(wanted.size());
    for (const NodeCheck& check : checks_) {
      for (const int r : check.needs) {
        ++uses[Index(r)];
        if (converted_constants_.IsFixed(r) || converted_side_.Find(r) != nullptr) continue;
        wanted[Index(r)] = true;
      }
    }
    absl::c_sort(checks_, [](const NodeCheck& a, const NodeCheck& b) {
      return std::pair(*absl::c_max_element(a.needs), a.converted) <
             std::pair(*absl::c_max_element(b.needs), b.converted);
    });
    absl::node_hash_map<int, Value> values;
    const auto find = [&](int r) -> const Value& {
      if (converted_constants_.IsFixed(r)) return converted_constants_.Of(r);
      if (const Value* kept = converted_side_.Find(r)) return *kept;
      return values[r];
    };
    size_t next = 0;
    const auto run_until = [&](int seen) {
      for (; next < checks_.size() && *absl::c_max_element(checks_[next].needs) <= seen; ++next) {
        const NodeCheck& check = checks_[next];
        if (!IsHonest(check, find)) {
          suspect_[Index(check.converted)] = true;
          if (check.odd_constant.has_value()) odd_[check.converted] = *check.odd_constant;
        }
        for (const int r : check.needs) {
          if (--uses[Index(r)] == 0) values.erase(r);
        }
      }
    };
    OC_RETURN_IF_ERROR(VisitAgain(converted_side_,
                                  absl::StrCat(SideName(conversion_.converted), " again"), watch_,
                                  wanted, [&](int r, const Value& value) {
                                    values[r] = value;
                                    run_until(r);
                                    return absl::OkStatus();
                                  }));
    run_until(static_cast<int>(wanted.size()));
    return absl::OkStatus();
  }

  using ValueOf = absl::FunctionRef<const Value&(int)>;

  // The numbers of a converted result.
  std::optional<DequantizedView> RealsOf(int r, ValueOf value_of) {
    const Value& value = value_of(r);
    if (!IsMeasurable(value)) return std::nullopt;
    if (!IsInteger(value.tensor().dtype())) return DequantizedView(value.tensor());
    const std::optional<QuantParamValues> params = ParamsOf(r, value.tensor(), value_of);
    if (!params.has_value()) return std::nullopt;
    return DequantizedView(value.tensor(), *params);
  }

  std::optional<QuantParamValues> ParamsOf(int r, const Tensor& integers, ValueOf value_of) {
    const std::optional<QuantParams> params = matcher_.ParamsOf(r);
    if (!params.has_value()) return std::nullopt;
    return ValuesOf(*params, integers, &value_of(params->scale),
                    params->zero_point == kNone ? nullptr : &value_of(params->zero_point));
  }

  // A converted value in the type and shape of a plain result.
  Value InPlainForm(int l, int r, bool transposed, ValueOf value_of) {
    const StreamResult& wanted = plain_.result(l);
    const Value& value = value_of(r);
    if (!IsFloatingPoint(wanted.dtype) || !wanted.shape.has_value()) return value;
    const std::optional<DequantizedView> reals = RealsOf(r, value_of);
    if (!reals.has_value()) return Value();
    const Shape& shape = transposed ? reals->tensor().shape() : *wanted.shape;
    const absl::StatusOr<Tensor> floats = InFloats(*reals, shape, wanted.dtype, pool_);
    if (!floats.ok()) return Value();
    return transposed ? Value(Transposed(*floats)) : Value(*floats);
  }

  // Numbers in the range of the integers that a converted result is dequantized from; all of them
  // if there are none, or if the range ends at 0 as an activation does. That a range is too narrow
  // is a mistake of its own.
  Tensor InRangeOf(int r, const Tensor& floats) {
    const int integers = params_.Dequantizes(r);
    const std::optional<QuantParams> written =
        integers == kNone ? std::nullopt : params_.written(integers);
    if (!written.has_value()) return floats;
    const std::optional<QuantParamValues> params =
        converted_constants_.ParamsOf(integers, *written);
    if (!params.has_value() || absl::c_linear_search(params->zero_points, params->least) ||
        absl::c_linear_search(params->zero_points, params->most)) {
      return floats;
    }
    const absl::StatusOr<Tensor> rounded = Quantized(
        DequantizedView(floats), floats.shape(), converted_.result(integers).dtype, *params, pool_);
    if (!rounded.ok()) return floats;
    return InFloats(DequantizedView(*rounded, *params), floats.shape(), DType::kFloat, pool_)
        .value_or(floats);
  }

  // The step of an integer bias, which is that of the products; 0 if a result has none.
  double BiasStep(int r) {
    const int n = converted_.producer(r);
    if (n == kNone) return 0;
    const StreamNode& made = *converted_.node(n).made;
    if (made.op_type != "QLinearConv" || made.inputs.size() < 9 || made.inputs[8] == kNone) {
      return 0;
    }
    double step = 1;
    for (const int scale : {made.inputs[1], made.inputs[4]}) {
      const Value& value = converted_constants_.Of(scale);
      if (!IsMeasurable(value) || value.tensor().num_elements() == 0) return 0;
      const std::vector<double> scales = ElementsOf(value.tensor());
      step *= *absl::c_max_element(scales);
    }
    return step;
  }

  bool IsHonest(const NodeCheck& check, ValueOf value_of) {
    const Value own = RunRegion(
        plain_, check.region, check.plain,
        [&](int l) -> Value {
          const auto it = check.entries.find(l);
          return it == check.entries.end()
                     ? plain_constants_.Of(l)
                     : InPlainForm(l, it->second, absl::c_linear_search(check.transposed, l),
                                   value_of);
        },
        [](int, const Value& value) { return value; });
    const Value& actual = value_of(check.converted);
    if (!IsMeasurable(own) || !IsMeasurable(actual) ||
        own.tensor().num_elements() != actual.tensor().num_elements()) {
      return false;
    }
    const double relative =
        std::max({kEpsilonsOfNode * check.epsilon, kSumsInAnotherOrder, check.inner_noise});
    const std::optional<DequantizedView> reals = RealsOf(check.converted, value_of);
    if (!IsFloatingPoint(own.tensor().dtype())) {
      return ContentOf(own) == ContentOf(actual);
    }
    if (!reals.has_value()) return false;
    if (!IsInteger(actual.tensor().dtype())) {
      return AreNear(InRangeOf(check.converted, own.tensor()), *reals, relative, 0);
    }
    const std::optional<QuantParamValues>& params = reals->params();
    const absl::StatusOr<Tensor> rounded =
        Quantized(DequantizedView(own.tensor()), own.tensor().shape(), actual.tensor().dtype(),
                  *params, pool_);
    if (!rounded.ok()) return false;
    const absl::StatusOr<Tensor> wanted =
        InFloats(DequantizedView(*rounded, *params), rounded->shape(), DType::kFloat, pool_);
    const double step = std::hypot(*absl::c_max_element(params->scales), BiasStep(check.converted));
    return wanted.ok() && (AreNear(*wanted, *reals, check.inner_noise, kStepsOfNode * step) ||
                           IsNearestStep(own.tensor(), *reals));
  }

  void Conclude(CheckedConversion* checked) {
    const size_t count = converted_.stream().results.size();
    std::vector<bool> tainted(count);
    checked->faulty.assign(count, false);
    checked->chosen_by.assign(count, kNone);
    checked->honest.assign(count, false);
    checked->overflows.assign(count, false);
    for (const int r : converted_.results()) {
      const int n = converted_.producer(r);
      const auto reads = [&](const std::vector<bool>& any) {
        return n != kNone &&
               absl::c_any_of(converted_.Reads(n), [&](int read) { return any[Index(read)]; });
      };
      checked->faulty[Index(r)] = suspect_[Index(r)] || reads(checked->faulty);
      tainted[Index(r)] = checked->faulty[Index(r)] || unknown_[Index(r)] || reads(tainted);
      FindChoice(r, checked);
      checked->honest[Index(r)] =
          !suspect_[Index(r)] && !unknown_[Index(r)] && !matcher_.Classes(r).empty();
      if (suspect_[Index(r)]) AddSuspect(r, checked);
      checked->overflows[Index(r)] = !converted_.result(r).fingerprint.finite &&
                                     !matcher_.Classes(r).empty() &&
                                     plain_.result(matcher_.Classes(r).front()).fingerprint.finite;
    }
    for (const int r : matcher_.HonestConstants()) {
      for (int at = r; at != kNone;) {
        checked->honest[Index(at)] = true;
        const int n = converted_.producer(at);
        at = n == kNone || !PassesNumbers(*converted_.node(n).made)
                 ? kNone
                 : converted_.node(n).made->inputs[0];
      }
    }
    for (const auto& [output, source] : converted_.outputs()) {
      if (source == kNone) continue;
      checked->chosen_by[Index(output)] = checked->chosen_by[Index(source)];
      checked->faulty[Index(output)] = checked->faulty[Index(source)];
      if (tainted[Index(source)]) continue;
      for (const auto& [theirs, from] : plain_.outputs()) {
        if (from != kNone && matcher_.StandsFor(source, from)) {
          checked->honest_outputs.emplace_back(theirs, output);
        }
      }
    }
  }

  void AddSuspect(int r, CheckedConversion* checked) const {
    if (const auto odd = odd_.find(r); odd != odd_.end()) {
      checked->suspects.push_back(odd->second.first);
      checked->suspects_of.push_back(odd->second.second);
      return;
    }
    // The node before a QuantizeLinear, if that was checked together with it.
    const int n = converted_.producer(r);
    const StreamNode* const made = n == kNone ? nullptr : converted_.node(n).made;
    if (made != nullptr && made->op_type == "QuantizeLinear" && made->inputs[0] != kNone &&
        converted_.IsComputed(made->inputs[0]) && partners_[Index(made->inputs[0])] != kNone &&
        matcher_.Classes(made->inputs[0]).empty()) {
      r = made->inputs[0];
    }
    const int l = partners_[Index(r)];
    checked->suspects.push_back(r);
    checked->suspects_of.push_back(
        l != kNone || matcher_.Classes(r).empty() ? l : matcher_.Classes(r).front());
  }

  void FindChoice(int r, CheckedConversion* checked) {
    const int n = converted_.producer(r);
    if (n == kNone) return;
    if (IsChosenOtherwise(n, r)) {
      const int l = matcher_.Classes(r).front();
      const bool left = conversion_.converted == SideId::kLeft;
      checked->choices.push_back(left ? ResultPair{r, l} : ResultPair{l, r});
      checked->chosen_by[Index(r)] = r;
    }
    for (const int read : converted_.Reads(n)) {
      if (checked->chosen_by[Index(read)] == kNone) continue;
      checked->chosen_by[Index(r)] = checked->chosen_by[Index(read)];
      return;
    }
  }

  // True for ids, conditions and numbers that jump, if an honest node has made them of floats and
  // they differ all the same.
  bool IsChosenOtherwise(int n, int r) const {
    if (matcher_.Classes(r).empty() || suspect_[Index(r)] || unknown_[Index(r)]) return false;
    const StreamResult& ours = plain_.result(matcher_.Classes(r).front());
    const StreamResult& theirs = converted_.result(r);
    if (!ours.shape.has_value() || absl::c_none_of(converted_.Reads(n), [&](int read) {
          return IsFloatingPoint(converted_.result(read).dtype);
        })) {
      return false;
    }
    if (HasTrait(*converted_.node(n).made, OperatorTrait::kJumps)) {
      return SketchDistance(ours.fingerprint, theirs.fingerprint) > 0;
    }
    return !IsFloatingPoint(ours.dtype) && !IsFloatingPoint(theirs.dtype) &&
           ours.fingerprint.content != theirs.fingerprint.content;
  }

  const RecordedSide& plain_side_;
  const RecordedSide& converted_side_;
  const Conversion conversion_;
  const PairValues::Watch& watch_;
  const ThreadPool* pool_;
  const SideGraph plain_;
  const SideGraph converted_;
  const QuantParamsByResult params_;
  const std::vector<int> partners_;
  ConstantValues plain_constants_;
  ConstantValues converted_constants_;
  ConversionMatcher matcher_;
  std::vector<NodeCheck> checks_;
  std::vector<bool> suspect_;  // by converted result
  std::vector<bool> unknown_;  // the same, if no node of the plain side could be run for it
  std::map<int, std::pair<int, int>> odd_;  // by suspect: a constant that it is made with
};

// A model of floats in which a few nodes have another type is no conversion, but has these nodes.
bool IsMostlyConverted(const PerSide<RecordedSide>& sides, const Conversion& conversion) {
  if (conversion.quantized) return true;
  constexpr int64_t kDetour = 1;
  const ResultStream& stream = *sides[conversion.converted].stream;
  int64_t floats = 0, coarse = 0;
  for (const StreamResult& result : stream.results) {
    if (result.node == kNone || !IsFloatingPoint(result.dtype) ||
        PassesNumbers(stream.nodes[Index(result.node)])) {
      continue;
    }
    ++floats;
    coarse += IsShortFloat(result.dtype) ? 1 : 0;
  }
  return coarse > kDetour && 2 * coarse >= floats;
}

}  // namespace

bool CheckedConversion::IsHonestOutput(int plain, int converted) const {
  return absl::c_linear_search(honest_outputs, std::pair(plain, converted));
}

absl::StatusOr<std::optional<CheckedConversion>> CheckConversion(const PerSide<RecordedSide>& sides,
                                                                 const Alignment& alignment,
                                                                 const CheckedInputs& inputs,
                                                                 const PairValues::Watch& watch,
                                                                 const ThreadPool* pool) {
  const std::optional<Conversion> conversion =
      ConversionOf({sides.left.stream, sides.right.stream});
  const bool mostly = conversion.has_value() && IsMostlyConverted(sides, *conversion);
  const bool runs = absl::c_all_of(kBothSides, [&](SideId id) {
    return sides[id].evaluator() != nullptr && sides[id].side->node_runner() == nullptr &&
           sides[id].side->summary().status.ok();
  });
  if (!mostly || !runs) return std::nullopt;
  OC_ASSIGN_OR_RETURN(CheckedConversion checked,
                      ConversionChecker(sides, alignment, *conversion, watch, pool).Run(inputs));
  return checked;
}

}  // namespace onnxcmp
