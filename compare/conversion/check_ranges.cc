#include "compare/conversion/check_ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/conversion/converted_partners.h"
#include "compare/quantization/wrong_quant_params.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/kept_range.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

class RangeChecker {
 public:
  RangeChecker(const CheckedSides& sides, const PairValues::Watch& watch)
      : sides_(sides), watch_(watch) {}

  // Fixed scales against the plain side's numbers, which no earlier rounding has cut off.
  absl::StatusOr<WrongRanges> Wrong(bool made_up) {
    std::vector<FixedQuantParams> all;
    std::vector<int> counted;  // by element of `all`: the plain result to be counted, or kNone
    std::vector<bool> wanted(sides_.plain.stream().results.size());
    for (const int r : sides_.converted.results()) {
      std::optional<FixedQuantParams> params = RangeOf(r);
      if (!params.has_value()) continue;
      const int n = sides_.converted.producer(r);
      const int read = sides_.converted.node(n).made->inputs[0];
      if (made_up && read != kNone && sides_.converted.result(read).kind == ResultKind::kInput) {
        continue;
      }
      const bool counts = Cuts(*params) || MayHaveFill(*params);
      all.push_back(*std::move(params));
      counted.push_back(counts ? PlainOf(r) : kNone);
      if (counted.back() != kNone) wanted[Index(counted.back())] = true;
    }
    OC_RETURN_IF_ERROR(VisitValues(sides_.plain_side,
                                   absl::StrCat(SideName(sides_.plain_id), " again"), watch_,
                                   wanted, [&](int l, const Value& value) {
                                     for (size_t i = 0; i < all.size(); ++i) {
                                       if (counted[i] == l) CountCuts(value, &all[i]);
                                     }
                                     return absl::OkStatus();
                                   }));
    const std::vector<Mistake> mistakes =
        WrongQuantParams(sides_.converted, sides_.params, all, made_up);
    WrongRanges found;
    for (size_t i = 0; i < all.size(); ++i) {
      if (mistakes[i].empty()) continue;
      (all[i].LosesAllButFill() ? found.lossy : found.wrong).push_back(all[i].result);
    }
    return found;
  }

 private:
  std::optional<FixedQuantParams> RangeOf(int r) {
    const std::optional<QuantParams>& written = sides_.params.written(r);
    const int n = sides_.converted.producer(r);
    const int plain = PlainOf(r);
    if (!written.has_value() || n == kNone || plain == kNone ||
        sides_.converted_constants.IsFixed(r) ||
        !Quantizes(sides_.converted.node(n).made->op_type) || KeepsSteps(r, *written)) {
      return std::nullopt;
    }
    std::optional<QuantParamValues> values = sides_.converted_constants.ParamsOf(r, *written);
    if (!values.has_value() || !values->per_tensor() || !(values->scales[0] > 0)) {
      return std::nullopt;
    }
    const StreamResult& known = sides_.plain.result(plain);
    if (!known.fingerprint.has_sketch) return std::nullopt;
    const Statistics& statistics = known.fingerprint.numbers().statistics;
    FixedQuantParams params;
    params.result = r;
    params.values = *std::move(values);
    const KeptRange kept = KeptByReaders(sides_.converted, r);
    params.least = std::clamp(statistics.min, kept.least, kept.greatest);
    params.most = std::clamp(statistics.max, kept.least, kept.greatest);
    if (!(params.most > params.least)) return std::nullopt;
    params.count = static_cast<double>(known.fingerprint.size);
    params.zeros = static_cast<double>(statistics.zeros);
    const int producer = sides_.plain.producer(plain);
    params.never_negative = producer != kNone && HasTrait(*sides_.plain.node(producer).made,
                                                          OperatorTrait::kNotNegative);
    return params;
  }

  // The plain result with the numbers of integers, in any shape; kNone if there is none. Where
  // their node is matched with none, the first result that only passes them on may have a name in
  // common.
  int PlainOf(int r) const {
    while (sides_.matcher.ClassesInOrder(r).empty()) {
      if (sides_.converted.readers(r).size() != 1) return kNone;
      const StreamNode& reader = *sides_.converted.node(sides_.converted.readers(r)[0]).made;
      const bool passes = reader.op_type == "DequantizeLinear" || PassesNumbers(reader) ||
                          HasTrait(reader, OperatorTrait::kKeepsOrder);
      if (!passes || reader.inputs[0] != r || reader.outputs[0] == kNone) return kNone;
      r = reader.outputs[0];
    }
    return sides_.matcher.ClassesInOrder(r).front();
  }

  // True if a result holds numbers that were in the same steps before, by scale and zero point:
  // these were made for the tensor of which it has a part, or are judged there.
  bool KeepsSteps(int r, const QuantParams& written) const {
    int n = sides_.converted.producer(r);
    while (n != kNone && sides_.converted.node(n).made->inputs[0] != kNone) {
      const int read = sides_.converted.node(n).made->inputs[0];
      const int integers = sides_.params.Dequantizes(read);
      if (integers != kNone) {
        const std::optional<QuantParams>& of_whole = sides_.params.written(integers);
        return of_whole.has_value() && of_whole->scale == written.scale &&
               of_whole->zero_point == written.zero_point &&
               (PlainOf(integers) != kNone || sides_.converted.result(integers).fingerprint.size !=
                                                  sides_.converted.result(r).fingerprint.size);
      }
      n = sides_.converted.producer(read);
      if (n != kNone && !HasTrait(*sides_.converted.node(n).made, OperatorTrait::kOneDataInput)) {
        return false;
      }
    }
    return false;
  }

  // True if some numbers are beyond the range.
  static bool Cuts(const FixedQuantParams& params) {
    const double step = params.values.scales[0];
    return params.most > params.most_real() + step || params.least < params.least_real() - step;
  }

  // True if numbers above 0 all become 0, so that only those far below it have made the range.
  static bool MayHaveFill(const FixedQuantParams& params) {
    return params.least < 0 && params.most != 0 && params.most < params.values.scales[0] / 2;
  }

  void CountCuts(const Value& value, FixedQuantParams* params) {
    if (!IsMeasurable(value)) return;
    const KeptRange kept = KeptByReaders(sides_.converted, params->result);
    ForEachStrip(NumberReader(value.tensor()), 0, value.tensor().num_elements(),
                 [&](int64_t, int64_t count, const double* numbers) {
                   for (int64_t i = 0; i < count; ++i) {
                     params->Count(std::clamp(numbers[i], kept.least, kept.greatest));
                   }
                 });
    params->cut_square /= params->count;
  }

  const CheckedSides& sides_;
  const PairValues::Watch& watch_;
};

}  // namespace

absl::StatusOr<WrongRanges> FindWrongRanges(const CheckedSides& sides, bool made_up,
                                            const PairValues::Watch& watch) {
  return RangeChecker(sides, watch).Wrong(made_up);
}

}  // namespace onnxcmp
