#include "compare/stages/judge_outputs.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "compare/outputs/find_ties.h"
#include "compare/outputs/recorded_results.h"
#include "compare/outputs/rulings.h"
#include "evaluator/base/status_macros.h"
#include "feed/type_text.h"

namespace onnxcmp {
namespace {

// The declared type of an output, if it differs from the value's.
std::string OtherDeclaredType(const RecordedSide& side, const StreamResult& result) {
  if (side.evaluator() == nullptr) return "";
  for (const ValueInfo& output : side.evaluator()->model().graph.outputs) {
    if (output.name != result.name || output.type.kind != TypeInfo::Kind::kTensor ||
        output.type.dtype == DType::kUndefined || output.type.dtype == result.dtype) {
      continue;
    }
    return TypeText(output.type);
  }
  return "";
}

// With ties accepted: outputs that differ by ties, and results that depend on these, agree. `runs`
// as FindTies() gives them.
OutputComparison WithTiesAgreeing(OutputComparison judged, const PerSide<std::vector<Value>>& runs,
                                  const PerSide<std::vector<NamedOutput>>& outputs,
                                  const MeasuredRows& measured, const PairTolerances& tolerances,
                                  const JudgeOptions& options) {
  std::vector<NamedOutput> right = outputs.right;
  const bool ran = right.size() == runs.left.size();
  for (size_t i = 0; i < right.size() && ran; ++i) {
    const bool own = i >= runs.right.size() ||
                     DifferenceOf(runs.right[i], right[i].value, options.tolerance).agree();
    if (own) right[i].value = runs.left[i];
  }
  const OutputComparison without =
      CompareOutputs(outputs.left, right, options.tolerance, &tolerances, &measured.alignment);
  for (size_t i = 0; i < judged.pairs.size(); ++i) {
    OutputPair& pair = judged.pairs[i];
    if (pair.agrees()) continue;
    if (ran && i < without.pairs.size()) {
      pair.ties = without.pairs[i].agrees();
      if (pair.ties) pair.difference = without.pairs[i].difference;
    }
    if (pair.ties) Rule(Ground::kTies, pair.chosen_by, &pair);
  }
  return judged;
}

}  // namespace

PerSide<std::vector<NamedOutput>> NamedOutputsOf(const PerSide<RecordedSide>& sides,
                                                 const PerSide<SideRecord>& records) {
  PerSide<std::vector<NamedOutput>> outputs;
  for (const SideId side : kBothSides) {
    for (const auto& [number, value] : records[side].outputs) {
      const StreamResult& result = sides[side].result(number);
      outputs[side].push_back({result.name, value, number, OtherDeclaredType(sides[side], result)});
    }
  }
  return outputs;
}

absl::StatusOr<OutputComparison> JudgeOutputs(const PerSide<RecordedSide>& sides,
                                              const PerSide<std::vector<NamedOutput>>& outputs,
                                              const MeasuredRows& measured,
                                              const PairTolerances& tolerances,
                                              const JudgeOptions& options, const StepTools& tools) {
  const bool known = std::all_of(kBothSides.begin(), kBothSides.end(), [&](SideId side) {
    return !sides[side].stream->recorded || !outputs[side].empty();
  });
  OutputComparison judged;
  if (known) {
    judged = CompareOutputs(outputs.left, outputs.right, options.tolerance, &tolerances,
                            &measured.alignment);
  } else {
    judged = CompareOutputs({}, {}, options.tolerance, &tolerances, &measured.alignment);
  }
  judged.partial = options.partial;
  judged.any_row_order = options.any_row_order || options.partial;
  judged =
      JudgeRecorded({*sides.left.stream, *sides.right.stream, measured.alignment, measured.rows},
                    tolerances, std::move(judged));
  if (judged.agree()) return judged;
  TieOptions tie_options;
  tie_options.run_again = options.ties_agree;
  tie_options.keep_values = tools.keep_values;
  tie_options.watch = tools.watch;
  OC_ASSIGN_OR_RETURN(const PerSide<std::vector<Value>> runs,
                      FindTies(sides, tolerances, tie_options, &judged));
  if (!options.ties_agree) return judged;
  return WithTiesAgreeing(std::move(judged), runs, outputs, measured, tolerances, options);
}

}  // namespace onnxcmp
