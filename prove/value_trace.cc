#include "prove/value_trace.h"

#include <algorithm>
#include <utility>

#include "compare/alignment/alignment.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "prove/constant_facts.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_stream.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

ResidueTrace TraceOfResidues(const Residues& residues) {
  ResidueTrace trace;
  trace.hash =
      ToHash128(XXH3_128bits(residues.values.data(), residues.values.size() * sizeof(Residue)));
  trace.known =
      std::find(residues.values.begin(), residues.values.end(), kNoNumber) == residues.values.end();
  return trace;
}

// Results of the main graph that outputs repeat count as what they repeat.
const StreamResult* MainResult(const ResultStream& stream, int number) {
  const StreamResult* result = &stream.results[Index(number)];
  if (result->kind == ResultKind::kOutput && result->source != kNone) {
    result = &stream.results[Index(result->source)];
  }
  return result->depth == 0 ? result : nullptr;
}

bool IsLeaf(const ResultStream& stream, const StreamResult& result) {
  return result.kind == ResultKind::kInitializer ||
         (result.kind == ResultKind::kResult && OpTypeOf(result, stream) == "Constant");
}

}  // namespace

std::vector<ProofPair> PairsOf(const Comparison& comparison) {
  std::vector<ProofPair> pairs;
  for (size_t row = 0; row < comparison.rows.size(); ++row) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    // The same elements in another order are not the same value.
    if (!aligned.paired() || Has(aligned.marks, Mark::kTransposed)) continue;
    const StreamResult* const left = MainResult(comparison.left, aligned.left.back());
    const StreamResult* const right = MainResult(comparison.right, aligned.right.back());
    if (left == nullptr || right == nullptr) continue;
    ProofPair pair = {row, left->name, right->name, MixNumbers(FunctionNumber("row"), row)};
    pair.left_is_leaf = IsLeaf(comparison.left, *left);
    const bool right_is_leaf = IsLeaf(comparison.right, *right);
    pair.may_be_fold = pair.left_is_leaf != right_is_leaf;
    pair.both_are_leaves = pair.left_is_leaf && right_is_leaf;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

bool IsRealTensor(const Value& value) {
  return value.is_tensor() && IsFloatingPoint(value.tensor().dtype());
}

const ResidueTrace& ValueTrace::residues() const {
  if (!made.has_value()) {
    const absl::StatusOr<Residues> residues = EmbedTensor(*field, constant.tensor(), nullptr);
    made = residues.ok() ? TraceOfResidues(*residues) : ResidueTrace{content, false};
  }
  return *made;
}

absl::StatusOr<ValueTrace> TraceOf(const PrimeField& field, ConstantFacts* constants,
                                   const FieldValue& value) {
  ValueTrace trace;
  trace.exact = value.exact;
  trace.shaped = value.shaped;
  trace.fixed = value.fixed;
  trace.wraps = value.wraps;
  trace.real = IsRealTensor(value.number);
  trace.field = &field;
  if (!value.number.is_tensor()) {
    trace.made = {value.fixed ? ContentOf(value.number) : Hash128{value.identity, 1}, true};
    return trace;
  }
  const Tensor& number = value.number.tensor();
  trace.shape.assign(number.shape().begin(), number.shape().end());
  const DType dtype = number.dtype();
  trace.dtype = dtype;
  if (value.residues.defined()) {
    OC_ASSIGN_OR_RETURN(const Residues residues, FromTensor(value.residues));
    trace.made = TraceOfResidues(residues);
    return trace;
  }
  if (!value.fixed) return absl::InternalError("a value that varies without residues");
  trace.content = constants->Content(value.number);
  if (dtype == DType::kString || IsComplex(dtype)) {
    trace.made = {trace.content, true};
  } else {
    trace.constant = value.number;
  }
  return trace;
}

bool AreEqual(const ValueTrace& a, const ValueTrace& b) {
  if (a.shape != b.shape) return false;
  // A number that wraps in one type is another one than in the other.
  if (a.dtype != b.dtype && (a.wraps || b.wraps)) return false;
  if (!a.constant.empty() && !b.constant.empty() && a.content == b.content) return true;
  const ResidueTrace& left = a.residues();
  const ResidueTrace& right = b.residues();
  return left.known && right.known && left.hash == right.hash;
}

bool AreEqual(const PerSide<Traces>& traces, const std::string& left, const std::string& right) {
  const auto l = traces.left.find(left);
  const auto r = traces.right.find(right);
  return l != traces.left.end() && r != traces.right.end() && AreEqual(l->second, r->second);
}

}  // namespace onnxcmp
