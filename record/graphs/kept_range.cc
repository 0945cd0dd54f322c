#include "record/graphs/kept_range.h"

#include <algorithm>
#include <optional>

#include "record/streams/fingerprint.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// The limit of a Clip; nothing if it is no constant.
std::optional<double> LimitOf(const SideGraph& graph, const StreamNode& node, size_t slot,
                              double otherwise) {
  if (slot >= node.inputs.size() || node.inputs[slot] == kNone) return otherwise;
  const int r = node.inputs[slot];
  const Fingerprint& limit = graph.result(r).fingerprint;
  if (!graph.IsConstant(r) || limit.size != 1 || !limit.has_sketch) return std::nullopt;
  return limit.numbers().statistics.max;
}

}  // namespace

KeptRange KeptBy(const SideGraph& graph, const StreamNode& node) {
  const KeptRange all;
  if (node.op_type == "Relu") return {0, all.greatest};
  if (node.op_type == "DequantizeLinear" && !node.outputs.empty() && node.outputs[0] != kNone) {
    return KeptByReaders(graph, node.outputs[0]);
  }
  if (node.op_type != "Clip" || node.inputs.size() < 2) return all;
  return {LimitOf(graph, node, 1, all.least).value_or(all.least),
          LimitOf(graph, node, 2, all.greatest).value_or(all.greatest)};
}

KeptRange KeptByReaders(const SideGraph& graph, int r) {
  const std::vector<int>& readers = graph.readers(r);
  if (readers.empty()) return {};
  KeptRange kept = KeptBy(graph, *graph.node(readers.front()).made);
  for (const int n : readers) {
    const KeptRange one = KeptBy(graph, *graph.node(n).made);
    kept = {std::min(kept.least, one.least), std::max(kept.greatest, one.greatest)};
  }
  return kept.least <= kept.greatest ? kept : KeptRange();
}

}  // namespace onnxcmp
