#include "compare/in_float/find_keep_in_float.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "compare/in_float/smallest_set.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "record/base/work_bounds.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// By candidate; the highest cost at the outputs first, or else the greatest distance of the result.
std::vector<int> InOrder(const MixedRun& run, const QuantizationReport* layers) {
  std::vector<double> errors = run.Errors();
  const std::vector<int>& candidates = run.candidates();
  const SideGraph& graph = run.plain().graph();
  if (layers != nullptr) {
    for (const QuantizedLayer& layer : layers->layers) {
      const int partner = layer.partner == kNone ? run.partner(layer.result) : layer.partner;
      const int n = partner == kNone ? kNone : graph.producer(partner);
      const auto at = std::lower_bound(candidates.begin(), candidates.end(), n);
      if (n == kNone || at == candidates.end() || *at != n || !layer.own_sqnr.has_value()) continue;
      double& error = errors[static_cast<size_t>(at - candidates.begin())];
      error = std::max(error, std::pow(10, -*layer.own_sqnr / 20));
    }
  }
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return errors[a] > errors[b]; });
  std::vector<int> ordered;
  ordered.reserve(order.size());
  for (const size_t i : order) ordered.push_back(candidates[i]);
  return ordered;
}

std::vector<KeptNode> Named(const SideGraph& graph, std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  std::vector<KeptNode> named;
  for (const int n : nodes) {
    const StreamNode& made = *graph.node(n).made;
    const auto output = std::find_if(made.outputs.begin(), made.outputs.end(),
                                     [](int result) { return result != kNone; });
    named.push_back({made.name, output == made.outputs.end() ? kNone : *output});
  }
  return named;
}

// KeepInFloat::shared. `kept`: all nodes that are in float.
std::string Shared(const MixedRun& run, const std::vector<int>& kept) {
  const SideGraph& graph = run.plain().graph();
  const auto is_kept = [&](int n) { return std::find(kept.begin(), kept.end(), n) != kept.end(); };
  for (const int n : kept) {
    for (const int l : graph.Reads(n)) {
      const StreamResult& result = graph.result(l);
      if (result.kind != ResultKind::kInitializer || !IsFloatingPoint(result.dtype)) continue;
      const std::vector<int>& readers = graph.readers(l);
      if (!std::all_of(readers.begin(), readers.end(), is_kept)) return result.name;
    }
  }
  return "";
}

}  // namespace

std::optional<KeepInFloat> FindKeepInFloat(
    MixedRun* run, const QuantizationReport* layers,
    absl::FunctionRef<TriedOutputs(const std::vector<Value>&)> judge) {
  const auto with = [&](const std::vector<int>& nodes, BetweenKept between) {
    MixedRun::Kept kept;
    kept.nodes.insert(nodes.begin(), nodes.end());
    kept.between = between;
    const std::vector<Value> outputs = run->OutputsWith(kept);
    return outputs.empty() ? TriedOutputs() : judge(outputs);
  };
  if (run->candidates().empty()) return std::nullopt;
  const TriedOutputs before = with({}, BetweenKept::kRounded);
  if (before.close) return std::nullopt;
  const int64_t limit = work_bounds::kTrials *
                        static_cast<int64_t>(std::max<size_t>(work_bounds::kManyCandidates,
                                                              run->plain().graph().nodes().size()));
  const std::vector<int> ordered = InOrder(*run, layers);
  BetweenKept between = BetweenKept::kOneReader;
  bool enough_already = false;
  const auto search = [&] {
    // Nodes that are already in float may suffice if nothing is cast between them.
    enough_already = !run->quantized() && !run->already().empty() && with({}, between).close;
    if (enough_already) return SmallestSet();
    return FindSmallestSet(
        ordered, [&](const std::vector<int>& nodes) { return with(nodes, between).close; },
        [&] { return run->runs() < limit; });
  };
  SmallestSet found = search();
  if (found.members.empty() && !enough_already && !run->quantized()) {
    between = BetweenKept::kExact;
    found = search();
  }
  const size_t count = found.members.size();
  if (count == 0 && !enough_already) return std::nullopt;
  KeepInFloat keep;
  keep.nodes = Named(run->plain().graph(), found.members);
  keep.already = Named(run->plain().graph(), run->already());
  const auto has_name = [](const KeptNode& node) { return !node.name.empty(); };
  if (std::none_of(keep.nodes.begin(), keep.nodes.end(), has_name) &&
      std::none_of(keep.already.begin(), keep.already.end(), has_name)) {
    return std::nullopt;
  }
  keep.cut_short = found.cut_short;
  if (!run->quantized()) {
    std::vector<int> in_float = found.members;
    in_float.insert(in_float.end(), run->already().begin(), run->already().end());
    keep.shared = Shared(*run, in_float);
  }
  keep.before = before.apart;
  keep.after = with(found.members, between).apart;
  keep.between = with(found.members, BetweenKept::kRounded).close ? BetweenKept::kRounded : between;
  return keep;
}

}  // namespace onnxcmp
