#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"
#include "ops/controlflow/scan_output.h"
#include "ops/controlflow/subgraph.h"

namespace onnxcmp {
namespace {

// An attribute that is a list with an element for each scan input or output, or left out: zeros.
absl::StatusOr<std::vector<int64_t>> PerScan(const KernelInit& node, absl::string_view name,
                                             int64_t count) {
  std::vector<int64_t> values = node.Ints(name);
  if (values.empty()) values.resize(static_cast<size_t>(count), 0);
  if (values.size() != static_cast<size_t>(count)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", values.size(), " elements, want ", count));
  }
  return values;
}

absl::StatusOr<std::vector<int64_t>> Directions(const KernelInit& node, absl::string_view name,
                                                int64_t count) {
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> values, PerScan(node, name, count));
  for (const int64_t value : values) {
    if (value != 0 && value != 1) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, ", must be 0 or 1"));
    }
  }
  return values;
}

// How a node's inputs and outputs divide: states first, then scans. Scan-8 has sequence_lens
// before.
struct Counts {
  int first = 0;    // input that is the first state
  int states = 0;   // N
  int inputs = 0;   // M
  int outputs = 0;  // K
};

absl::StatusOr<Counts> CountScans(const KernelInit& node, int first) {
  const int64_t scans = node.Int("num_scan_inputs");
  if (scans < 1 || scans > node.num_inputs() - first) {
    return absl::InvalidArgumentError(absl::StrCat("num_scan_inputs is ", scans, " but there are ",
                                                   node.num_inputs() - first,
                                                   " states and scan inputs"));
  }
  Counts counts;
  counts.first = first;
  counts.inputs = static_cast<int>(scans);
  counts.states = node.num_inputs() - first - counts.inputs;
  OC_RETURN_IF_ERROR(CheckSubgraph(node, "body", counts.states + counts.inputs,
                                   std::max(counts.states, node.num_outputs())));
  if (const Graph* body = SubgraphAttribute(node, "body")) {
    counts.outputs = static_cast<int>(body->outputs.size()) - counts.states;
  }
  return counts;
}

// The text requires that states keep their type and shape.
absl::Status CheckState(const Value& before, const Value& after, const ValueInfo& output) {
  if (after.is_tensor() && after.tensor().dtype() == before.tensor().dtype() &&
      after.tensor().shape() == before.tensor().shape()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("the state ", output.name, " was ",
                                                 before.TypeString(), " and is ",
                                                 after.TypeString(), " after an iteration"));
}

// Runs the body for the elements of one sequence, and collects its scan outputs. `element` gives
// scan input i at step t.
template <typename Element>
absl::Status RunSequence(KernelContext& ctx, SubgraphId body, const Counts& counts, int64_t length,
                         const std::string& label, Element element, std::vector<Value>* states,
                         std::vector<ScanOutput>* scans) {
  const Graph& graph = ctx.SubgraphOf(body);
  for (int64_t t = 0; t < length; ++t) {
    std::vector<Value> inputs = *states;
    for (int i = 0; i < counts.inputs; ++i) {
      OC_ASSIGN_OR_RETURN(Tensor slice, element(i, t));
      inputs.emplace_back(std::move(slice));
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> results,
                        ctx.RunSubgraph(body, std::move(inputs), absl::StrCat(label, t)));
    for (size_t i = 0; i < scans->size(); ++i) {
      OC_RETURN_IF_ERROR((*scans)[i].Append(results[states->size() + i]));
    }
    results.resize(states->size());
    for (size_t i = 0; i < results.size(); ++i) {
      OC_RETURN_IF_ERROR(CheckState((*states)[i], results[i], graph.outputs[i]));
    }
    *states = std::move(results);
  }
  return absl::OkStatus();
}

// Length of `axis`, which must be the same for all scan inputs.
absl::Status CheckScanLength(const Tensor& scan, int axis, int64_t* length) {
  if (*length >= 0 && scan.dim(axis) != *length) {
    return absl::InvalidArgumentError(
        absl::StrCat("scan inputs have ", *length, " and ", scan.dim(axis), " elements to scan"));
  }
  *length = scan.dim(axis);
  return absl::OkStatus();
}

// Scan (ai.onnx 9, 11, 16, 19, 21, 23, 24, 25):
//   for (t = 0; t < length; ++t)
//     state..., element... = body(state..., scan<axis>[t]...)
// yields the last states, and each element's values stacked along its axis. Negative axes came with
// 11; a scan input's direction says that t counts from the end, an output's that it is prepended.
absl::StatusOr<Kernel> Scan(const KernelInit& node) {
  const SubgraphId body = node.Subgraph("body");
  OC_ASSIGN_OR_RETURN(const Counts counts, CountScans(node, 0));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> input_axes,
                      PerScan(node, "scan_input_axes", counts.inputs));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> input_directions,
                      Directions(node, "scan_input_directions", counts.inputs));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> output_axes,
                      PerScan(node, "scan_output_axes", counts.outputs));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> output_directions,
                      Directions(node, "scan_output_directions", counts.outputs));

  return [body, counts, input_axes = std::move(input_axes),
          input_directions = std::move(input_directions), output_axes = std::move(output_axes),
          output_directions = std::move(output_directions)](KernelContext& ctx) -> absl::Status {
    std::vector<Value> states;
    for (int i = 0; i < counts.states; ++i) states.push_back(ctx.InputValue(i));
    int64_t length = -1;
    std::vector<int> axes;
    for (int i = 0; i < counts.inputs; ++i) {
      const Tensor& scan = ctx.Input(counts.states + i);
      OC_ASSIGN_OR_RETURN(const int axis,
                          NormalizeAxis(input_axes[static_cast<size_t>(i)], scan.rank()));
      axes.push_back(axis);
      OC_RETURN_IF_ERROR(CheckScanLength(scan, axis, &length));
    }

    const Graph& graph = ctx.SubgraphOf(body);
    std::vector<ScanOutput> scans;  // only of outputs that the node names
    for (int i = counts.states; i < ctx.num_outputs(); ++i) {
      scans.emplace_back(ctx, graph.outputs[static_cast<size_t>(i)], length);
    }
    const auto element = [&](int i, int64_t t) {
      const bool reverse = input_directions[static_cast<size_t>(i)] == 1;
      return SubTensor(ctx, ctx.Input(counts.states + i), axes[static_cast<size_t>(i)],
                       reverse ? length - 1 - t : t);
    };
    OC_RETURN_IF_ERROR(RunSequence(ctx, body, counts, length, "", element, &states, &scans));

    for (int i = 0; i < std::min(counts.states, ctx.num_outputs()); ++i) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(states[static_cast<size_t>(i)])));
    }
    for (size_t i = 0; i < scans.size(); ++i) {
      const int output = counts.states + static_cast<int>(i);
      if (!ctx.HasOutput(output)) continue;
      OC_ASSIGN_OR_RETURN(Tensor stacked,
                          scans[i].Finish(output_axes[i], output_directions[i] == 1));
      OC_RETURN_IF_ERROR(ctx.SetOutput(output, std::move(stacked)));
    }
    return absl::OkStatus();
  };
}

// The number of elements of each sequence of a batch.
absl::StatusOr<std::vector<int64_t>> SequenceLengths(const KernelContext& ctx, int64_t batch,
                                                     int64_t longest) {
  if (!ctx.HasInput(0)) return std::vector<int64_t>(static_cast<size_t>(batch), longest);
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, ctx.IntsInput(0));
  if (lengths.size() != static_cast<size_t>(batch)) {
    return absl::InvalidArgumentError(
        absl::StrCat(lengths.size(), " sequence_lens for a batch of ", batch));
  }
  for (const int64_t length : lengths) {
    if (length < 0 || length > longest) {
      return absl::InvalidArgumentError(
          absl::StrCat("sequence_lens ", length, " is not in [0, ", longest, "]"));
    }
  }
  return lengths;
}

// Scan-8 (ai.onnx 8): as above for each batch entry on its own: states are (batch, ...), scan
// inputs and outputs (batch, longest sequence, ...). A sequence that is scanned in reverse starts
// with its own last element. What outputs hold beyond a sequence's length is left open: zeros.
absl::StatusOr<Kernel> Scan8(const KernelInit& node) {
  const SubgraphId body = node.Subgraph("body");
  OC_ASSIGN_OR_RETURN(const Counts counts, CountScans(node, 1));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> directions,
                      Directions(node, "directions", counts.inputs));

  return [body, counts, directions = std::move(directions)](KernelContext& ctx) -> absl::Status {
    const int first_scan = counts.first + counts.states;
    int64_t batch = -1;
    int64_t longest = -1;
    for (int i = counts.first; i < first_scan + counts.inputs; ++i) {
      const Tensor& input = ctx.Input(i);
      const bool scan = i >= first_scan;
      if (input.rank() < (scan ? 2 : 1) || (batch >= 0 && input.dim(0) != batch)) {
        return absl::InvalidArgumentError(
            absl::StrCat("input ", i, " must be (batch, ", scan ? "sequence, ...)" : "...)",
                         " with the same batch for all, it is ", input.TypeString()));
      }
      batch = input.dim(0);
      if (scan) OC_RETURN_IF_ERROR(CheckScanLength(input, 1, &longest));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, SequenceLengths(ctx, batch, longest));
    const std::optional<int64_t> steps = NumElements({batch, longest});
    if (!steps) return absl::ResourceExhaustedError("batch times sequence is too large");

    const Graph& graph = ctx.SubgraphOf(body);
    std::vector<ScanOutput> last_states;
    std::vector<ScanOutput> scans;
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      const bool state = i < counts.states;
      (state ? last_states : scans)
          .emplace_back(ctx, graph.outputs[static_cast<size_t>(i)], state ? batch : *steps);
    }
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t length = lengths[static_cast<size_t>(b)];
      std::vector<Value> states;
      for (int i = 0; i < counts.states; ++i) {
        OC_ASSIGN_OR_RETURN(Tensor state, SubTensor(ctx, ctx.Input(counts.first + i), 0, b));
        states.emplace_back(std::move(state));
      }
      const auto element = [&](int i, int64_t t) -> absl::StatusOr<Tensor> {
        const bool reverse = directions[static_cast<size_t>(i)] == 1;
        OC_ASSIGN_OR_RETURN(const Tensor sequence, SubTensor(ctx, ctx.Input(first_scan + i), 0, b));
        return SubTensor(ctx, sequence, 0, reverse ? length - 1 - t : t);
      };
      OC_RETURN_IF_ERROR(
          RunSequence(ctx, body, counts, length, absl::StrCat(b, ","), element, &states, &scans));
      for (ScanOutput& scan : scans) OC_RETURN_IF_ERROR(scan.AppendZeros(longest - length));
      for (size_t i = 0; i < last_states.size(); ++i) {
        OC_RETURN_IF_ERROR(last_states[i].Append(states[i]));
      }
    }

    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (!ctx.HasOutput(i)) continue;
      if (i < counts.states) {
        if (batch == 0) {  // the states as they came: (0, ...)
          OC_RETURN_IF_ERROR(ctx.SetOutput(i, ctx.InputValue(counts.first + i)));
          continue;
        }
        OC_ASSIGN_OR_RETURN(Tensor state, last_states[static_cast<size_t>(i)].Finish());
        OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(state)));
        continue;
      }
      OC_ASSIGN_OR_RETURN(const Tensor stacked,
                          scans[static_cast<size_t>(i - counts.states)].Finish());
      Shape shape = {batch, longest};
      shape.insert(shape.end(), stacked.shape().begin() + 1, stacked.shape().end());
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, stacked.Reshaped(shape)));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterScan(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Scan", {8}, Scan8);
  registry.Add(kOnnxDomain, "Scan", {9, 11, 16, 19, 21, 23, 24, 25}, Scan);
}

}  // namespace onnxcmp
