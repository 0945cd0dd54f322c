#include "compare/quantization/wrong_floats.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/quantization/quantized_weights.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

bool IsFloatOnly(const CounterpartRun& run, const std::vector<int>& region) {
  const SideGraph& graph = run.quantized().graph();
  return std::none_of(region.begin(), region.end(),
                      [&](int n) { return Quantizes(graph.node(n).made->op_type); }) &&
         !ReadsQuantized(run.quantized(), region);
}

// True if a region reads exactly the counterparts of the other side's inputs: a fused node, or a
// wrong partner, would make it look wrong.
bool ReadsTheSame(const CounterpartRun& run, int r, const std::vector<int>& region) {
  const SideGraph& graph = run.quantized().graph();
  const SideGraph& other = run.other().graph();
  const int producer = other.producer(run.partner(r));
  if (producer == kNone) return false;
  std::set<int> ours;
  for (const int n : region) {
    for (const int read : graph.Reads(n)) {
      if (run.quantized().IsFixed(read)) continue;
      if (run.replaced(read)) {
        ours.insert(run.partner(read));
      } else if (!std::binary_search(region.begin(), region.end(), graph.producer(read))) {
        return false;
      }
    }
  }
  std::set<int> theirs;
  for (const int read : other.Reads(producer)) {
    if (!run.other().IsFixed(read)) theirs.insert(read);
  }
  return ours == theirs;
}

std::string OperatorText(const CounterpartRun& run, int r, const std::vector<int>& region) {
  const SideGraph& other = run.other().graph();
  const int producer = other.producer(run.partner(r));
  if (producer == kNone) return "";
  const std::string& theirs = other.node(producer).made->op_type;
  std::set<std::string> ours;
  for (const int n : region) ours.insert(run.quantized().graph().node(n).made->op_type);
  if (ours == std::set<std::string>{theirs}) return "";
  return absl::StrCat("; ", theirs, " there, ", absl::StrJoin(ours, "+"), " here");
}

// True if every reader rounds to integers whose range takes the difference away: a quantizer leaves
// out a Relu where the range begins at 0.
bool IsCutByReaders(const CounterpartRun& run, int r) {
  const SideGraph& graph = run.quantized().graph();
  const std::vector<int>& readers = graph.readers(r);
  const double noise = run.LocalNoise(r).noise;
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int n) {
    const StreamNode& made = *graph.node(n).made;
    return made.op_type == "QuantizeLinear" && run.partner(made.outputs[0]) == run.partner(r) &&
           8 * run.LocalNoise(made.outputs[0]).noise < noise;
  });
}

}  // namespace

std::vector<WrongFloat> FindWrongFloats(const CounterpartRun& run) {
  const SideGraph& graph = run.quantized().graph();
  std::vector<WrongFloat> found;
  for (const int r : graph.results()) {
    if (!run.named(r) || graph.producer(r) == kNone || run.quantized().IsFixed(r)) continue;
    if (!IsFloatingPoint(graph.result(r).dtype)) continue;
    const double noise = run.LocalNoise(r).noise;
    // Other ways to compute the same function, such as the tanh form of Gelu, are nearer than this.
    if (!(noise > 1e-2) || IsCutByReaders(run, r)) continue;
    const std::vector<int> region = run.RegionOf(r);
    if (!IsFloatOnly(run, region) || !ReadsTheSame(run, r, region)) continue;
    found.push_back({r, absl::StrFormat("given the other side's values it is %.2g of its size "
                                        "apart, and nothing is quantized on the way%s",
                                        noise, OperatorText(run, r, region))});
  }
  return found;
}

}  // namespace onnxcmp
