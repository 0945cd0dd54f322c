#include "tests/support/built_comparison.h"

#include <set>
#include <utility>

#include "compare/alignment/alignment.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/output_comparison.h"
#include "compare/outputs/recorded_results.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp::testing {
namespace {

// Bits of splitmix64 (Vigna), as a number from -1 to 1.
double Noise(uint64_t seed) {
  seed += 0x9E3779B97F4A7C15;
  seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9;
  seed = (seed ^ seed >> 27) * 0x94D049BB133111EB;
  seed ^= seed >> 31;
  return static_cast<double>(seed >> 11) / static_cast<double>(uint64_t{1} << 52) - 1;
}

SideSummary SummaryOf(const ResultStream& stream) {
  SideSummary summary;
  std::set<std::string> operators;
  for (const StreamNode& node : stream.nodes) {
    operators.insert(node.op_type);
    summary.opsets[node.domain] = node.domain.empty() ? 18 : 1;
  }
  summary.nodes = static_cast<int64_t>(stream.nodes.size());
  summary.operators = static_cast<int64_t>(operators.size());
  for (const StreamResult& result : stream.results) {
    if (result.kind == ResultKind::kInitializer) ++summary.initializers;
  }
  return summary;
}

std::vector<NamedOutput> OutputsOf(const BuiltSide& side) {
  std::vector<NamedOutput> outputs;
  for (size_t r = 0; r < side.stream().results.size(); ++r) {
    const StreamResult& result = side.stream().results[r];
    if (result.kind != ResultKind::kOutput) continue;
    outputs.push_back({result.name, side.value(static_cast<int>(r)), static_cast<int>(r)});
  }
  return outputs;
}

}  // namespace

int BuiltSide::Keep(int result, const Tensor& value) {
  values_.resize(builder_.stream().results.size());
  values_[static_cast<size_t>(result)] = value;
  return result;
}

int BuiltSide::Initializer(const std::string& name, const Tensor& value) {
  return Keep(builder_.Initializer(name, value), value);
}

int BuiltSide::Input(const std::string& name, const Tensor& value) {
  return Keep(builder_.Input(name, value), value);
}

int BuiltSide::Node(const std::string& op_type, const std::vector<int>& inputs,
                    const std::string& name, const Tensor& value,
                    const StreamBuilder::NodeOptions& options) {
  return Keep(builder_.Node(op_type, inputs, name, value, options), value);
}

int BuiltSide::Nodes(const std::string& op_type, const std::vector<int>& inputs,
                     const std::vector<std::pair<std::string, Tensor>>& outputs,
                     const StreamBuilder::NodeOptions& options) {
  const int first = builder_.Nodes(op_type, inputs, outputs, options);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Keep(first + static_cast<int>(i), outputs[i].second);
  }
  return first;
}

int BuiltSide::Recorded(const std::string& name, const Tensor& value) {
  return Keep(builder_.Recorded(name, value), value);
}

int BuiltSide::Output(const std::string& name, int source) {
  const Tensor shown = value(source);
  return Keep(builder_.Output(name, source), shown);
}

Comparison CompareBuilt(const BuiltSide& left, const BuiltSide& right) {
  Comparison comparison;
  comparison.left = left.stream();
  comparison.right = right.stream();
  comparison.left_summary = SummaryOf(comparison.left);
  comparison.right_summary = SummaryOf(comparison.right);
  comparison.alignment = Align(comparison.left, comparison.right);
  const ToleranceOptions defaults;
  const PairTolerances tolerances(comparison.left, comparison.right, comparison.alignment,
                                  defaults);
  for (const AlignedRow& aligned : comparison.alignment.rows) {
    ComparedRow& row = comparison.rows.emplace_back();
    row.aligned = aligned;
    if (!aligned.paired()) {
      row.relation = aligned.right.empty() ? Relation::kLeftOnly : Relation::kRightOnly;
      continue;
    }
    const int l = aligned.left.back();
    const int r = aligned.right.back();
    const StreamResult& a = comparison.left.results[static_cast<size_t>(l)];
    const StreamResult& b = comparison.right.results[static_cast<size_t>(r)];
    if (a.fingerprint.content == b.fingerprint.content) continue;
    DifferenceOptions options;
    options.tolerance = tolerances.Of(l, r).tolerances;
    row.difference = std::make_shared<const TensorDifference>(
        TensorDifferenceOf(left.value(l), right.value(r), options));
    row.relation = row.difference->values.agree() ? Relation::kClose : Relation::kDifferent;
  }
  const bool both = !comparison.left.recorded && !comparison.right.recorded;
  comparison.outputs = CompareOutputs(both ? OutputsOf(left) : std::vector<NamedOutput>(),
                                      both ? OutputsOf(right) : std::vector<NamedOutput>(),
                                      defaults, &tolerances, &comparison.alignment);
  comparison.outputs =
      JudgeRecorded({comparison.left, comparison.right, comparison.alignment, comparison.rows},
                    tolerances, std::move(comparison.outputs));
  return comparison;
}

Tensor SomeFloats(const Shape& shape, uint64_t seed, double relative) {
  std::vector<float> values(static_cast<size_t>(NumElements(shape).value_or(0)));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t at = seed * 1000003 + i;
    values[i] = static_cast<float>(Noise(at) * (1 + relative * Noise(~at)));
  }
  return Tensor::Of<float>(shape, values);
}

}  // namespace onnxcmp::testing
