#include "compare/quantization/output_cost.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "compare/quantization/quantized_weights.h"
#include "record/base/thresholds.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Integers whose scales a later node applies, by the scales that fit the partner's numbers best.
std::optional<DequantizedView> InPartnersScales(const QuantizedWeights& weights,
                                                const ThreadPool* pool) {
  if (!weights.shape.has_value() || !weights.reals->params().has_value()) return std::nullopt;
  QuantParamValues params = *weights.reals->params();
  const std::vector<ChannelLine> lines =
      LinesThrough(*weights.reals, *weights.partner_reals, params, *weights.shape, pool);
  if (lines.size() != params.scales.size()) return std::nullopt;
  for (size_t c = 0; c < lines.size(); ++c) params.scales[c] *= lines[c].from_zero;
  return DequantizedView(weights.reals->tensor(), std::move(params));
}

}  // namespace

// The other side on numbers of the quantized one.
class OutputCost::OtherReplay : public ChangedReplay {
 public:
  OtherReplay(const SideValues& other, ChangedValues* changed)
      : ChangedReplay(other.graph(), changed), other_(other) {}

 private:
  const Value& Own(int r) const override { return other_.value(r); }

  const SideValues& other_;
};

bool OutputCost::Run(int first, int end, ChangedValues* changed) {
  OtherReplay replay(run_.other(), changed);
  std::vector<int> nodes(static_cast<size_t>(std::max(0, end - first)));
  absl::c_iota(nodes, first);
  const bool ran = replay.Replay(nodes);
  runs_ += replay.runs();
  return ran;
}

std::optional<double> OutputCost::Of(int r) {
  const SideValues& other = run_.other();
  const int partner = run_.partner(r);
  const std::optional<DequantizedView> own = run_.LocalReals(r);
  if (partner == kNone || !own.has_value() || !other.graph().runs()) return std::nullopt;
  ChangedValues changed;
  Value value = other.InFormOf(partner, *own);
  if (value.empty()) return std::nullopt;
  changed.emplace(partner, std::move(value));
  const int producer = other.graph().producer(partner);
  if (!Run(producer + 1, static_cast<int>(other.graph().nodes().size()), &changed)) {
    return std::nullopt;
  }
  return DistanceOf(changed);
}

ChangedValues OutputCost::RoundedInputs(int r, const std::vector<int>& region) const {
  const SideValues& other = run_.other();
  const SideValues& own = run_.quantized();
  const SideGraph& graph = own.graph();
  ChangedValues changed;
  const auto change = [&](int partner, const std::optional<DequantizedView>& reals) {
    if (!reals.has_value()) return;
    Value value = other.InFormOf(partner, *reals);
    if (!value.empty()) changed.insert_or_assign(partner, std::move(value));
  };
  for (const int n : region) {
    for (const int read : graph.Reads(n)) {
      if (run_.partner(read) == kNone || graph.producer(read) == kNone) continue;
      const StreamNode& made = *graph.node(graph.producer(read)).made;
      if (run_.replaced(read)) {
        change(run_.partner(read), own.RealsOf(read, run_.held(read)));
      } else if (made.op_type == "DynamicQuantizeLinear" &&
                 run_.LocalNoise(read).noise <= thresholds::kMostHonestNoise) {
        change(run_.partner(read), run_.LocalReals(read));
      }
    }
  }
  for (const QuantizedWeights& weights : WeightsOf(run_, region, run_.partner(r))) {
    const std::optional<DequantizedView> partner = other.RealsOf(weights.partner);
    // Other elements, or the same in another order, have no place there.
    if (!partner.has_value() || partner->size() != weights.partner_reals->size() ||
        NoiseStatsOf(*partner, *weights.partner_reals, own.pool()).noise > 0) {
      continue;
    }
    change(weights.partner, weights.scaled ? weights.reals : InPartnersScales(weights, own.pool()));
  }
  return changed;
}

std::optional<double> OutputCost::UnexplainedBy(int r, const std::vector<int>& region) {
  const SideValues& other = run_.other();
  const int partner = run_.partner(r);
  const std::optional<DequantizedView> own = run_.LocalReals(r);
  if (partner == kNone || !own.has_value() || !other.graph().runs()) return std::nullopt;
  // An input is rounded by nobody.
  if (other.graph().producer(partner) == kNone) return std::nullopt;
  ChangedValues changed = RoundedInputs(r, region);
  changed.erase(partner);
  int first = other.graph().producer(partner);
  for (const auto& [given, value] : changed) {
    for (const int n : other.graph().readers(given)) first = std::min(first, n);
  }
  if (!Run(first, other.graph().producer(partner) + 1, &changed)) return std::nullopt;
  const auto it = changed.find(partner);
  if (it == changed.end()) return std::nullopt;
  const std::optional<DequantizedView> expected = other.RealsOf(partner, it->second);
  if (!expected.has_value() || expected->size() != own->size()) return std::nullopt;
  return NoiseStatsOf(*expected, *own, other.pool()).noise;
}

std::optional<double> OutputCost::DistanceOf(const ChangedValues& changed) const {
  const SideValues& other = run_.other();
  std::optional<double> cost;
  for (const auto& [output, shown] : other.graph().outputs()) {
    const std::optional<DequantizedView> plain = other.RealsOf(shown);
    if (!plain.has_value()) continue;
    const auto it = changed.find(shown);
    double noise = 0;
    if (it != changed.end()) {
      const std::optional<DequantizedView> moved = other.RealsOf(shown, it->second);
      if (!moved.has_value() || moved->size() != plain->size()) continue;
      noise = NoiseStatsOf(*plain, *moved, other.pool()).noise;
    }
    cost = std::max(cost.value_or(0), noise);
  }
  return cost;
}

std::optional<double> OutputCost::OfAll() const {
  const SideValues& other = run_.other();
  const SideValues& quantized = run_.quantized();
  const auto& ours = other.graph().outputs();
  const auto& theirs = quantized.graph().outputs();
  std::optional<double> error;
  for (size_t i = 0; i < theirs.size(); ++i) {
    // Paired by name, else by position.
    const std::string& name = quantized.graph().result(theirs[i].first).name;
    auto at = std::find_if(ours.begin(), ours.end(), [&](const auto& output) {
      return other.graph().result(output.first).name == name;
    });
    if (at == ours.end()) {
      if (i >= ours.size() || ours.size() != theirs.size()) continue;
      at = ours.begin() + static_cast<std::ptrdiff_t>(i);
    }
    const std::optional<DequantizedView> a = other.RealsOf(at->second);
    const std::optional<DequantizedView> b = quantized.RealsOf(theirs[i].second);
    if (!a.has_value() || !b.has_value() || a->size() != b->size()) continue;
    error = std::max(error.value_or(0), NoiseStatsOf(*a, *b, other.pool()).noise);
  }
  return error;
}

}  // namespace onnxcmp
