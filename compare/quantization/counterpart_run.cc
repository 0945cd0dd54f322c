#include "compare/quantization/counterpart_run.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/named_partners.h"
#include "record/graphs/region.h"
#include "record/graphs/replay.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Noise from which on another node may be the counterpart.
constexpr double kDoubtful = 0.02;

// The input of a QuantizeLinear; kNone for other nodes.
int RoundedBy(const StreamNode& made) {
  return made.op_type == "QuantizeLinear" && !made.inputs.empty() ? made.inputs[0] : kNone;
}

// The operator that makes a result. A Relu or Clip is skipped, since quantizers fold it into the
// range of the result before it. "" if there is none.
std::string OperatorBeforeFold(const SideGraph& graph, int r) {
  int n = graph.producer(r);
  if (n == kNone) return "";
  const StreamNode& made = *graph.node(n).made;
  const bool folds = made.op_type == "Relu" || made.op_type == "Clip";
  if (folds && !made.inputs.empty() && made.inputs[0] != kNone &&
      graph.producer(made.inputs[0]) != kNone) {
    n = graph.producer(made.inputs[0]);
  }
  return graph.node(n).made->op_type;
}

// The counterpart of integers by onnxruntime's naming of quantized results: "y" for "y_quantized",
// or the Relu after it if the range has nothing below 0. kNone if there is none, or if its type or
// shape does not fit. The quantized side may have floats of that name, too: they are these integers
// dequantized.
int PartnerByStem(const SideValues& other, const SideValues& quantized, int r) {
  const StreamResult& integers = quantized.graph().result(r);
  absl::string_view stem = integers.name;
  if (!IsInteger(integers.dtype) || !absl::ConsumeSuffix(&stem, "_quantized")) return kNone;
  const std::optional<QuantParamValues> params = quantized.QuantParamsOf(r);
  if (!params.has_value() || !params->per_tensor()) return kNone;
  const SideGraph& graph = other.graph();
  for (const int candidate : graph.results()) {
    const StreamResult& known = graph.result(candidate);
    if (known.name != stem || !graph.IsComputed(candidate)) continue;
    if (!IsFloatingPoint(known.dtype) || known.shape != integers.shape) return kNone;
    if (params->zero_points[0] > params->least || graph.readers(candidate).size() != 1) {
      return candidate;
    }
    const StreamNode& reader = *graph.node(graph.readers(candidate)[0]).made;
    const bool folds = reader.op_type == "Relu" || reader.op_type == "Clip";
    return folds && !reader.outputs.empty() && reader.outputs[0] != kNone ? reader.outputs[0]
                                                                          : candidate;
  }
  return kNone;
}

}  // namespace

void CounterpartRun::SetLocalNoise(int r) {
  const std::optional<DequantizedView> own = LocalReals(r);
  const std::optional<DequantizedView> partner = other_.RealsOf(partners_[Index(r)]);
  if (!own.has_value() || !partner.has_value()) return;
  local_noise_[Index(r)] = NoiseStatsOf(*partner, *own, quantized_.pool());
}

bool CounterpartRun::IsOfBoth(int r) const {
  const StreamResult& result = quantized_.graph().result(r);
  if (result.fingerprint.size == 1 && IsInteger(result.dtype)) return false;
  return quantized_.IsFixed(r) && constants_.contains(result.fingerprint.content);
}

bool CounterpartRun::OnlyQuantized(int r) const {
  const std::vector<int>& readers = quantized_.graph().readers(r);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int n) {
    const std::string& op_type = quantized_.graph().node(n).made->op_type;
    return op_type == "QuantizeLinear" || op_type == "DynamicQuantizeLinear";
  });
}

Value CounterpartRun::PartnerValue(int r) const {
  if (const std::optional<DequantizedView> reals = other_.RealsOf(partners_[Index(r)])) {
    return quantized_.InFormOf(r, *reals);
  }
  const StreamResult& result = quantized_.graph().result(r);
  const Value& value = other_.value(partners_[Index(r)]);
  if (!result.shape.has_value() || !IsMeasurable(value) ||
      !SameKindOfNumber(result.dtype, value.tensor().dtype())) {
    return Value();
  }
  absl::StatusOr<Value> converted = ConvertedTo(value, result.dtype, *result.shape);
  return converted.ok() ? *std::move(converted) : Value();
}

// Finds partners on its way: readers get the partner's value.
class CounterpartRun::PartnerReplay : public ReplayPolicy {
 public:
  explicit PartnerReplay(CounterpartRun* run) : ReplayPolicy(run->quantized_.graph()), run_(*run) {}

 private:
  const Value& Read(int r) override { return run_.held_[Index(r)]; }
  // Results that constants alone decide are as they were.
  bool IsSettled(int n) override {
    const bool moving = absl::c_any_of(graph().node(n).made->outputs, [&](int r) {
      return r != kNone && !run_.quantized_.IsFixed(r);
    });
    if (!moving) run_.SetOwn(n, {});
    return !moving;
  }
  bool Take(int n, Outputs outputs) override {
    run_.SetOwn(n, outputs.ok() ? *std::move(outputs) : std::vector<Value>());
    const StreamNode& made = *graph().node(n).made;
    for (const int r : made.outputs) {
      // A computed scale is no result to compare.
      const bool parameter = made.op_type == "DynamicQuantizeLinear" && r != made.outputs[0];
      if (r != kNone && !parameter) run_.FindPartner(n, r);
    }
    return true;
  }

  CounterpartRun& run_;
};

CounterpartRun::CounterpartRun(const SideValues& other, const SideValues& quantized,
                               const std::vector<int>& aligned)
    : other_(other),
      quantized_(quantized),
      aligned_(aligned),
      named_(NamedPartners(other.graph(), quantized.graph())) {
  const SideGraph& graph = quantized.graph();
  const size_t count = graph.stream().results.size();
  partners_.assign(count, kNone);
  own_.resize(count);
  held_.resize(count);
  replaced_.resize(count);
  local_noise_.resize(count);
  origins_.resize(count);
  for (const int r : other.graph().results()) {
    if (other.IsFixed(r)) constants_.insert(other.graph().result(r).fingerprint.content);
  }
  for (const int r : graph.results()) {
    if (graph.producer(r) != kNone) continue;
    own_[Index(r)] = held_[Index(r)] = quantized.value(r);
    if (graph.result(r).kind != ResultKind::kInput) continue;
    const int partner = aligned[Index(r)];
    if (partner == kNone) continue;
    partners_[Index(r)] = partner;
    origins_[Index(r)] = {partner};
    SetLocalNoise(r);
    if (Value value = PartnerValue(r); !value.empty()) held_[Index(r)] = std::move(value);
    replaced_[Index(r)] = true;
  }
  PartnerReplay(this).ReplayAll();
}

void CounterpartRun::SetOwn(int n, const std::vector<Value>& outputs) {
  const SideGraph& graph = quantized_.graph();
  std::vector<int> origins;
  for (const int read : graph.Reads(n)) {
    for (const int origin : origins_[Index(read)]) {
      if (origins.size() < work_bounds::kFewTrials &&
          std::find(origins.begin(), origins.end(), origin) == origins.end()) {
        origins.push_back(origin);
      }
    }
  }
  const FewResults& names = graph.node(n).made->outputs;
  for (size_t slot = 0; slot < names.size(); ++slot) {
    const int r = names[slot];
    if (r == kNone) continue;
    const bool given = slot < outputs.size() && !outputs[slot].empty();
    own_[Index(r)] = given ? outputs[slot] : quantized_.value(r);
    held_[Index(r)] = own_[Index(r)];
    origins_[Index(r)] = origins;
  }
}

std::optional<DequantizedView> CounterpartRun::LocalReals(int r) const {
  const Value& own = own_[Index(r)];
  const std::optional<QuantParams>& params = quantized_.all_params().of(r);
  if (!IsMeasurable(own) || !IsInteger(own.tensor().dtype()) || !params.has_value() ||
      quantized_.IsFixed(params->scale)) {
    return quantized_.RealsOf(r, own);
  }
  std::optional<QuantParamValues> measured =
      ValuesOf(*params, own.tensor(), &own_[Index(params->scale)],
               params->zero_point == kNone ? nullptr : &own_[Index(params->zero_point)]);
  if (!measured.has_value()) return std::nullopt;
  return DequantizedView(own.tensor(), *std::move(measured));
}

int CounterpartRun::NamedPartner(int n, int r) const {
  if (named_.empty() || named_[Index(r)] != kNone) {
    return named_.empty() ? kNone : named_[Index(r)];
  }
  const int x = RoundedBy(*quantized_.graph().node(n).made);
  return x == kNone ? kNone : named_[Index(x)];
}

// The aligned partner of a result, else that of the input that the node rounds.
int CounterpartRun::Confirmed(int n, int r) const {
  const int x = RoundedBy(*quantized_.graph().node(n).made);
  return aligned_[Index(r)] != kNone || x == kNone ? aligned_[Index(r)] : aligned_[Index(x)];
}

// `first`, which may be kNone, and float results of the same size that depend on the same partners
// on the other side, the nearest first.
std::vector<int> CounterpartRun::Candidates(int first, int r) const {
  const SideGraph& theirs = other_.graph();
  const int64_t size = quantized_.graph().result(r).fingerprint.size;
  std::vector<int> candidates;
  absl::flat_hash_set<int> seen;
  const auto add_if_alike = [&](int result) {
    const StreamResult& known = theirs.result(result);
    if (known.fingerprint.size == size && !other_.IsFixed(result) &&
        (IsFloatingPoint(known.dtype) || other_.all_params().of(result).has_value())) {
      candidates.push_back(result);
    }
  };
  if (first != kNone) add_if_alike(first);
  const auto add = [&](int result) {
    if (!seen.insert(result).second) return false;
    if (result != first) add_if_alike(result);
    return true;
  };
  std::vector<int> level = origins_[Index(r)];
  for (const int origin : level) add(origin);
  for (int hop = 0; hop < work_bounds::kLongHops && seen.size() < work_bounds::kCandidates; ++hop) {
    std::vector<int> next;
    for (const int from : level) {
      absl::c_copy_if(theirs.After(from), std::back_inserter(next), add);
    }
    level = std::move(next);
  }
  return candidates;
}

// True if both are products of the same kind: wrong weights take these far apart, but leave some
// correlation.
bool CounterpartRun::AreProducts(int n, int candidate) const {
  const std::string& ours = quantized_.graph().node(n).made->op_type;
  const int producer = other_.graph().producer(candidate);
  if (producer == kNone) return false;
  const std::string theirs = OperatorBeforeFold(other_.graph(), candidate);
  if (absl::StartsWith(ours, "QLinearConv") && theirs == "BatchNormalization") return true;
  return HasTrait(kOnnxDomain, theirs, OperatorTrait::kProducts) &&
         (ours == theirs || ours == absl::StrCat("QLinear", theirs) ||
          ours == absl::StrCat("Q", theirs) || ours == absl::StrCat(theirs, "NBits"));
}

// True if both are made by the same operator, in floats or in integers.
bool CounterpartRun::AreAlike(int n, int candidate) const {
  const SideGraph& graph = quantized_.graph();
  const StreamNode* made = graph.node(n).made;
  const int x = RoundedBy(*made);
  if (x != kNone && graph.producer(x) != kNone) made = graph.node(graph.producer(x)).made;
  const int producer = other_.graph().producer(candidate);
  if (producer == kNone) return made->op_type == "QuantizeLinear";
  const std::string& theirs = other_.graph().node(producer).made->op_type;
  return made->op_type == theirs || AreProducts(n, candidate) ||
         (x != kNone && made->op_type == OperatorBeforeFold(other_.graph(), candidate)) ||
         made->op_type == absl::StrCat("QLinear", theirs) || Quantizes(made->op_type);
}

std::vector<int> CounterpartRun::AlignedAfter(int r) const {
  std::vector<int> found;
  quantized_.graph().ReachAfter(
      {r},
      [&](int after) {
        const int aligned = aligned_[Index(after)];
        if (aligned != kNone) found.push_back(aligned);
        return aligned == kNone;
      },
      work_bounds::kCandidates, work_bounds::kHops);
  return found;
}

bool CounterpartRun::IsMadeOf(int candidate, const std::vector<int>& earlier) const {
  bool found = false;
  const auto passes = [&](int before) {
    found = found || std::find(earlier.begin(), earlier.end(), before) != earlier.end();
    return !found && !other_.IsFixed(before);
  };
  if (!earlier.empty()) {
    other_.graph().ReachBefore({candidate}, passes, work_bounds::kCandidates);
  }
  return found;
}

int CounterpartRun::BestCandidate(int n, int r, const DequantizedView& own) const {
  const std::optional<QuantParamValues> params = quantized_.QuantParamsOf(r);
  const StreamNode& made = *quantized_.graph().node(n).made;
  const bool rounds = absl::StrContains(made.op_type, "QuantizeLinear");
  struct {
    int result = kNone;
    double noise = std::numeric_limits<double>::infinity();
  } near, rounded;
  int product = kNone;
  double correlation = thresholds::kLeastCosine;
  const int confirmed = Confirmed(n, r);
  const std::vector<int> after = AlignedAfter(r);
  for (const int candidate : Candidates(confirmed, r)) {
    const std::optional<DequantizedView> theirs = other_.RealsOf(candidate);
    if (!theirs.has_value() || theirs->size() != own.size()) continue;
    const NoiseStats noise_stats = NoiseStatsOf(*theirs, own, quantized_.pool());
    // A small bias that one side adds must not be lost in the pair: a counterpart that is already
    // taken is not taken again with more noise.
    const auto claim = claims_.find(candidate);
    if (!rounds && claim != claims_.end() && noise_stats.noise > claim->second) continue;
    if (noise_stats.noise > kDoubtful && candidate != confirmed && IsMadeOf(candidate, after))
      continue;
    double noise = noise_stats.noise;
    // The candidate after rounding: a wrong scale or zero point affects both alike.
    double after_rounding = noise;
    if (params.has_value() && noise > thresholds::kClearNoise) {
      const Value integers = quantized_.InFormOf(r, *theirs);
      if (!integers.empty()) {
        const DequantizedView rounded_theirs(integers.tensor(), *params);
        after_rounding = NoiseStatsOf(own, rounded_theirs, quantized_.pool()).noise;
      }
    }
    if (noise < near.noise && (noise <= thresholds::kClearNoise || AreAlike(n, candidate))) {
      near = {candidate, noise};
    }
    // The nearest of several that are clipped to the same numbers.
    if (after_rounding <= thresholds::kClearNoise && noise < rounded.noise)
      rounded = {candidate, noise};
    if (noise_stats.correlation > correlation && AreProducts(n, candidate)) {
      correlation = noise_stats.correlation;
      product = candidate;
    }
    // The aligned partner comes first.
    if (candidate == confirmed && noise <= thresholds::kClearNoise) break;
  }
  if (near.noise <= thresholds::kMostHonestNoise) {
    return near.noise > kDoubtful && !rounds && IsNearerAfter(r, near.result, near.noise)
               ? kNone
               : near.result;
  }
  if (rounded.result != kNone) return rounded.result;
  const int x = RoundedBy(made);
  return x != kNone ? partners_[Index(x)] : product;
}

bool CounterpartRun::IsNearerAfter(int r, int candidate, double noise) const {
  const SideGraph& graph = quantized_.graph();
  const DequantizedView wanted = *other_.RealsOf(candidate);
  absl::node_hash_map<int, Value> given;
  given.emplace(r, own_[Index(r)]);
  std::vector<int> level = {r};
  // Three nodes reach through a Q/DQ pair.
  for (int hop = 0; hop < 3; ++hop) {
    std::vector<int> next;
    for (const int from : level) {
      for (const int n : graph.readers(from)) {
        const absl::StatusOr<std::vector<Value>> outputs =
            graph.Run(n, [&](int read) -> const Value& {
              const auto it = given.find(read);
              if (it != given.end()) return it->second;
              return held_[Index(read)].empty() ? quantized_.value(read) : held_[Index(read)];
            });
        const int output = graph.node(n).made->outputs.front();
        if (!outputs.ok() || outputs->empty() || output == kNone) continue;
        const std::optional<DequantizedView> reals = quantized_.RealsOf(output, outputs->front());
        if (!reals.has_value() || reals->size() != wanted.size()) continue;
        if (NoiseStatsOf(wanted, *reals, quantized_.pool()).noise < noise / 2) return true;
        given.insert_or_assign(output, outputs->front());
        next.push_back(output);
      }
    }
    level = std::move(next);
  }
  return false;
}

void CounterpartRun::FindPartner(int n, int r) {
  const std::string& op_type = quantized_.graph().node(n).made->op_type;
  const std::optional<DequantizedView> own = LocalReals(r);
  if (!own.has_value() || own->size() == 0) return;
  // A dequantized result has the partner of its integers.
  const int integers = quantized_.all_params().Dequantizes(r);
  const bool handed_on = integers != kNone && partners_[Index(integers)] != kNone;
  const int named = NamedPartner(n, r);
  int best = handed_on        ? partners_[Index(integers)]
             : named != kNone ? named
                              : BestCandidate(n, r, *own);
  if (best == kNone) best = PartnerByStem(other_, quantized_, r);
  if (best == kNone) return;
  partners_[Index(r)] = best;
  SetLocalNoise(r);
  claims_.try_emplace(best, LocalNoise(r).noise);
  // A computed scale is right for the other side's values.
  if (op_type == "DynamicQuantizeLinear") return;
  if (OnlyQuantized(r) && !absl::StrContains(op_type, "QuantizeLinear")) return;
  Value value = PartnerValue(r);
  if (value.empty()) return;
  held_[Index(r)] = std::move(value);
  replaced_[Index(r)] = true;
  origins_[Index(r)] = {best};
}

std::vector<int> CounterpartRun::RegionOf(int r) const {
  const auto is_entry = [&](int read) { return replaced(read) || quantized_.IsFixed(read); };
  return onnxcmp::RegionOf(quantized_.graph(), r, is_entry).nodes;
}

Value CounterpartRun::RunRegion(const std::vector<int>& region, int r, int constant,
                                const Value& instead) const {
  const SideGraph& graph = quantized_.graph();
  Region entered = {region, {}};
  absl::flat_hash_set<int> made;
  for (const int n : region) {
    for (const int read : graph.Reads(n)) {
      if (!made.contains(read) || read == constant) entered.entries.push_back(read);
    }
    made.insert(graph.node(n).made->outputs.begin(), graph.node(n).made->outputs.end());
  }
  return onnxcmp::RunRegion(graph, entered, r, [&](int read) -> const Value& {
    return read == constant ? instead : held_[Index(read)];
  });
}

}  // namespace onnxcmp
