#include "compare/tolerances/lineage.h"

#include <algorithm>

#include "record/differences/precision.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

bool IsDiscrete(NumberKind kind) {
  return kind == NumberKind::kDiscrete || kind == NumberKind::kCastDiscrete ||
         kind == NumberKind::kFromDiscrete;
}

class Tracer {
 public:
  Tracer(const ResultStream& stream, const std::vector<bool>& equal)
      : stream_(stream), equal_(equal), lineages_(stream.results.size()) {}

  std::vector<Lineage> Trace() {
    for (size_t r = 0; r < lineages_.size(); ++r) {
      const StreamResult& result = stream_.results[r];
      Lineage& lineage = lineages_[r];
      if (result.source != kNone) {
        lineage = lineages_[Index(result.source)];
        continue;
      }
      lineage.kind = KindOf(result);
      if (equal_[r]) continue;
      lineage = Merged(lineage, result.node == kNone ? Own(result, static_cast<int>(r))
                                                     : OfNode(result, static_cast<int>(r)));
    }
    return std::move(lineages_);
  }

 private:
  const StreamResult& Result(int r) const { return stream_.results[Index(r)]; }
  const Lineage& At(int r) const { return lineages_[Index(r)]; }

  // The less precise of two, the first one if they are equal.
  static Lineage Merged(const Lineage& a, const Lineage& b) {
    if (LessPrecise(a.type, b.type) == a.type) return a;
    return {b.type, b.origin, a.kind};
  }

  // The lineage that a result's own type adds.
  static Lineage Own(const StreamResult& result, int r) {
    const DType type = result.own_precision;
    return {type, type == DType::kUndefined ? kNone : r, {}};
  }

  Lineage OfNode(const StreamResult& result, int r) const {
    const StreamNode& node = stream_.nodes[Index(result.node)];
    if (HasTrait(node, OperatorTrait::kReadsNoElements)) return Own(result, r);
    const int same = SameNumbersAs(node, r);
    Lineage lineage = same != kNone ? At(same) : Own(result, r);
    if (same != kNone) return lineage;
    const auto read = [&](int input) {
      if (input == kNone) return;
      lineage = Merged(lineage, At(input));
      if (equal_[Index(input)]) return;
      lineage =
          Merged(lineage, {QuantizedAs(node.op_type, Result(input).dtype, node.bits), input, {}});
    };
    std::for_each(node.inputs.begin(), node.inputs.end(), read);
    std::for_each(node.captures.begin(), node.captures.end(), read);
    lineage = Merged(lineage, {QuantizedAs(node.op_type, result.dtype, node.bits), r, {}});
    if (IsFloatingPoint(result.dtype)) lineage = Merged(lineage, {ComputedPrecision(node), r, {}});
    // For the inputs of a subgraph, only the precision is known.
    if (!node.closed) lineage = Merged(lineage, {result.precision, r, {}});
    return lineage;
  }

  // An input with the same numbers as the result: a cast without loss, or numbers that were already
  // multiples of the scale before they were quantized. kNone if there is none.
  int SameNumbersAs(const StreamNode& node, int r) const {
    const int input = node.inputs.empty() ? kNone : node.inputs[0];
    if (input == kNone) return kNone;
    if (HasTrait(node, OperatorTrait::kCasts)) {
      return SameNumbers(Result(input), Result(r)) ? input : kNone;
    }
    if (node.op_type != "DequantizeLinear" || Result(input).node == kNone) return kNone;
    const StreamNode& before = stream_.nodes[Index(Result(input).node)];
    if (before.op_type != "QuantizeLinear" || before.inputs.empty()) return kNone;
    const int source = before.inputs[0];
    return source != kNone && SameNumbers(Result(source), Result(r)) ? source : kNone;
  }

  NumberKind KindOf(const StreamResult& result) const {
    const bool number = IsFloatingPoint(result.dtype) || IsComplex(result.dtype);
    if (result.node == kNone) {
      if (number || !result.shape.has_value()) return NumberKind::kReal;
      return Quantizes(result.op_type) && IsInteger(result.dtype) ? NumberKind::kQuantized
                                                                  : NumberKind::kDiscrete;
    }
    const StreamNode& node = stream_.nodes[Index(result.node)];
    // Sequences and maps: the types of their parts decide.
    if (!result.shape.has_value()) return NumberKind::kReal;
    return number ? KindOfFloat(node) : KindOfInteger(node, result);
  }

  NumberKind KindOfFloat(const StreamNode& node) const {
    const OperatorTraits traits = TraitsOf(node);
    if (traits.Has(OperatorTrait::kCasts) && !node.inputs.empty() && node.inputs[0] != kNone) {
      const NumberKind before = At(node.inputs[0]).kind;
      return before == NumberKind::kDiscrete ? NumberKind::kCastDiscrete
             : IsDiscrete(before)            ? before
                                             : NumberKind::kReal;
    }
    if (traits.Has(OperatorTrait::kMoves)) return KindOfMoved(node);
    if (!traits.Has(OperatorTrait::kArithmetic)) return NumberKind::kReal;
    return OnlyDiscrete(node, node.inputs.size()) ? NumberKind::kFromDiscrete : NumberKind::kReal;
  }

  // True if all inputs are discrete numbers and constants, and not all constants.
  bool OnlyDiscrete(const StreamNode& node, size_t count) const {
    bool any = false;
    for (size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
      const int input = node.inputs[i];
      if (input == kNone) continue;
      if (IsDiscrete(At(input).kind) && !IsConstant(input)) {
        any = true;
      } else if (!IsConstant(input)) {
        return false;
      }
    }
    return any;
  }

  bool IsConstant(int r) const {
    const StreamResult& result = Result(r);
    if (result.kind == ResultKind::kInitializer) return true;
    return result.node != kNone && stream_.nodes[Index(result.node)].op_type == "Constant";
  }

  NumberKind KindOfMoved(const StreamNode& node) const {
    const bool one = HasTrait(node, OperatorTrait::kOneDataInput);
    const size_t count = one ? 1 : node.inputs.size();
    if (!OnlyDiscrete(node, count)) return NumberKind::kReal;
    NumberKind kind = NumberKind::kCastDiscrete;
    for (size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
      const int input = node.inputs[i];
      if (input != kNone && !IsConstant(input)) kind = std::max(kind, At(input).kind);
    }
    return kind;
  }

  NumberKind KindOfInteger(const StreamNode& node, const StreamResult& result) const {
    if (!IsInteger(result.dtype) || BitWidth(result.dtype) > 32) return NumberKind::kDiscrete;
    if (Quantizes(node.op_type)) return NumberKind::kQuantized;
    const bool hands_on = HasTrait(node, OperatorTrait::kMoves) ||
                          HasTrait(node, OperatorTrait::kCasts) ||
                          HasTrait(node, OperatorTrait::kArithmetic);
    if (!hands_on) return NumberKind::kDiscrete;
    const bool one =
        HasTrait(node, OperatorTrait::kOneDataInput) || HasTrait(node, OperatorTrait::kCasts);
    const size_t count = one ? 1 : node.inputs.size();
    for (size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
      if (node.inputs[i] != kNone && At(node.inputs[i]).kind == NumberKind::kQuantized) {
        return NumberKind::kQuantized;
      }
    }
    return NumberKind::kDiscrete;
  }

  const ResultStream& stream_;
  const std::vector<bool>& equal_;
  std::vector<Lineage> lineages_;
};

}  // namespace

bool SameNumbers(const StreamResult& a, const StreamResult& b) {
  if (a.fingerprint.content == b.fingerprint.content) return true;
  if (a.fingerprint.size != b.fingerprint.size || !a.fingerprint.has_sketch ||
      !b.fingerprint.has_sketch) {
    return false;
  }
  const Numbers& x = a.fingerprint.numbers();
  const Numbers& y = b.fingerprint.numbers();
  return x.plain.rms == y.plain.rms && x.plain.non_finite == y.plain.non_finite &&
         x.plain.projections == y.plain.projections &&
         x.squashed.projections == y.squashed.projections;
}

std::vector<Lineage> LineagesOf(const ResultStream& stream, const std::vector<bool>& equal) {
  return Tracer(stream, equal).Trace();
}

}  // namespace onnxcmp
