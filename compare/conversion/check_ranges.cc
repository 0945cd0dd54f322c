#include "compare/conversion/check_ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/differences/number_strips.h"
#include "compare/differences/tensor_distance.h"
#include "compare/graphs/kept_range.h"
#include "compare/operators/operator_traits.h"
#include "compare/quantization/wrong_quant_params.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

class RangeChecker {
 public:
  RangeChecker(const RangedSides& sides, ConstantValues* converted_constants,
               const PairValues::Watch& watch)
      : plain_id_(sides.plain_id),
        plain_side_(sides.plain_side),
        plain_(sides.plain),
        converted_(sides.converted),
        params_(sides.params),
        matcher_(sides.matcher),
        converted_constants_(*converted_constants),
        watch_(watch) {}

  // Fixed scales against the plain side's numbers, which no earlier rounding has cut off.
  absl::StatusOr<WrongRanges> Wrong(bool made_up) {
    std::vector<FixedQuantParams> all;
    std::vector<int> plain;  // by element of `all`
    std::vector<bool> wanted(plain_.stream().results.size());
    bool missing = false;
    for (const int r : converted_.results()) {
      std::optional<FixedQuantParams> params = RangeOf(r);
      if (!params.has_value()) continue;
      const int n = converted_.producer(r);
      const int read = converted_.node(n).made->inputs[0];
      if (made_up && read != kNone && converted_.result(read).kind == ResultKind::kInput) continue;
      const int l = matcher_.Classes(r).front();
      const double step = params->values.scales[0];
      const bool cuts =
          params->most > params->most_real() + step || params->least < params->least_real() - step;
      if (cuts || MayHaveFill(*params)) {
        if (plain_side_.bank->Find(l) == nullptr) wanted[Index(l)] = missing = true;
      }
      all.push_back(*std::move(params));
      plain.push_back(l);
    }
    const auto count = [&](int l, const Value& value) {
      for (size_t i = 0; i < all.size(); ++i) {
        if (plain[i] == l) CountCuts(value, &all[i]);
      }
      return absl::OkStatus();
    };
    for (const int l : plain_.results()) {
      if (const Value* kept = plain_side_.bank->Find(l);
          kept != nullptr && absl::c_linear_search(plain, l)) {
        OC_RETURN_IF_ERROR(count(l, *kept));
      }
    }
    if (missing) {
      const std::unique_ptr<Observer> watcher =
          watch_ ? watch_(absl::StrCat(SideName(plain_id_), " again")) : nullptr;
      OC_RETURN_IF_ERROR(plain_side_.side->Revisit(wanted, watcher.get(), count));
    }
    const std::vector<Mistake> mistakes = WrongQuantParams(converted_, params_, all, made_up);
    WrongRanges found;
    for (size_t i = 0; i < all.size(); ++i) {
      if (mistakes[i].empty()) continue;
      (all[i].LosesAllButFill() ? found.lossy : found.wrong).push_back(all[i].result);
    }
    return found;
  }

 private:
  std::optional<FixedQuantParams> RangeOf(int r) {
    const std::optional<QuantParams>& written = params_.written(r);
    const int n = converted_.producer(r);
    if (!written.has_value() || n == kNone || matcher_.Classes(r).empty() ||
        converted_constants_.IsFixed(r) || !Quantizes(converted_.node(n).made->op_type)) {
      return std::nullopt;
    }
    std::optional<QuantParamValues> values = converted_constants_.ParamsOf(r, *written);
    if (!values.has_value() || !values->per_tensor() || !(values->scales[0] > 0)) {
      return std::nullopt;
    }
    const StreamResult& known = plain_.result(matcher_.Classes(r).front());
    if (!known.fingerprint.has_sketch) return std::nullopt;
    const Statistics& statistics = known.fingerprint.numbers().statistics;
    FixedQuantParams params;
    params.result = r;
    params.values = *std::move(values);
    const KeptRange kept = KeptByReaders(converted_, r);
    params.least = std::clamp(statistics.min, kept.least, kept.greatest);
    params.most = std::clamp(statistics.max, kept.least, kept.greatest);
    if (!(params.most > params.least)) return std::nullopt;
    params.count = static_cast<double>(known.fingerprint.size);
    params.zeros = static_cast<double>(statistics.zeros);
    const int producer = plain_.producer(matcher_.Classes(r).front());
    params.never_negative =
        producer != kNone && HasTrait(*plain_.node(producer).made, OperatorTrait::kNotNegative);
    return params;
  }

  // True if numbers above 0 all become 0, so that only those far below it have made the range.
  static bool MayHaveFill(const FixedQuantParams& params) {
    return params.least < 0 && params.most != 0 && params.most < params.values.scales[0] / 2;
  }

  void CountCuts(const Value& value, FixedQuantParams* params) {
    if (!IsMeasurable(value)) return;
    const KeptRange kept = KeptByReaders(converted_, params->result);
    params->cut_below = params->cut_above = params->cut_square = 0;
    params->at_least = params->kept = params->greatest_lost = 0;
    ForEachStrip(NumberReader(value.tensor()), 0, value.tensor().num_elements(),
                 [&](int64_t, int64_t count, const double* numbers) {
                   for (int64_t i = 0; i < count; ++i) {
                     params->Count(std::clamp(numbers[i], kept.least, kept.greatest));
                   }
                 });
    params->cut_square /= params->count;
  }

  const SideId plain_id_;
  const RecordedSide& plain_side_;
  const SideGraph& plain_;
  const SideGraph& converted_;
  const QuantParamsByResult& params_;
  const ConversionMatcher& matcher_;
  ConstantValues& converted_constants_;
  const PairValues::Watch& watch_;
};

}  // namespace

absl::StatusOr<WrongRanges> FindWrongRanges(const RangedSides& sides,
                                            ConstantValues* converted_constants, bool made_up,
                                            const PairValues::Watch& watch) {
  return RangeChecker(sides, converted_constants, watch).Wrong(made_up);
}

}  // namespace onnxcmp
