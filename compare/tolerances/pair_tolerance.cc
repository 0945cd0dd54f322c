#include "compare/tolerances/pair_tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/precision.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"
#include "record/streams/quantized_streams.h"
#include "record/text/meant_name.h"

namespace onnxcmp {
namespace {

bool HasPartner(const std::vector<int>& partners, size_t r) {
  return r < partners.size() && partners[r] != kNone;
}

// Adds results without a partner that are equal nevertheless, for a model whose recording lacks
// them: results computed from equal numbers are equal.
void ExtendEqual(const ResultStream& stream, const std::vector<int>& partners,
                 std::vector<bool>* equal) {
  for (size_t r = 0; r < stream.results.size(); ++r) {
    if ((*equal)[r] || HasPartner(partners, r)) continue;
    const StreamResult& result = stream.results[r];
    if (result.node == kNone) {
      (*equal)[r] = true;
      continue;
    }
    const StreamNode& node = stream.nodes[Index(result.node)];
    const auto is_equal = [&](int input) { return input == kNone || (*equal)[Index(input)]; };
    (*equal)[r] = node.closed && std::all_of(node.inputs.begin(), node.inputs.end(), is_equal) &&
                  std::all_of(node.captures.begin(), node.captures.end(), is_equal);
  }
}

// True if most recorded numbers are the model's own. Beside a quantized model inputs say nothing of
// that: a recording of the model in float has them, too.
bool IsRecordedAlike(const ResultStream& recording, const ResultStream& model,
                     const std::vector<int>& partners) {
  int64_t pairs = 0;
  int64_t alike = 0;
  const bool quantized = IsQuantized(model);
  for (size_t r = 0; r < recording.results.size(); ++r) {
    const Fingerprint& fingerprint = recording.results[r].fingerprint;
    if (quantized && HasPartner(partners, r) &&
        !IsInteger(model.results[Index(partners[r])].precision)) {
      continue;
    }
    if (!HasPartner(partners, r) || !fingerprint.rich || fingerprint.kind != ElementKind::kFloat) {
      continue;
    }
    ++pairs;
    const Fingerprint& partner = model.results[Index(partners[r])].fingerprint;
    if (SketchDistance(fingerprint, partner) <= 1e-5) ++alike;
  }
  // Half of the values this near to a model's: it was made by a model that computes in these types.
  return pairs > 0 && static_cast<double>(alike) >= 0.5 * static_cast<double>(pairs);
}

// By result: true if the other side has it, value for value: as its partner, or anywhere if it is
// rich.
std::vector<bool> EqualResults(const ResultStream& stream, const ResultStream& other,
                               const std::vector<int>& partners) {
  std::vector<bool> equal(stream.results.size());
  std::vector<size_t> others;
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    equal[r] = HasPartner(partners, r) && SameNumbers(result, other.results[Index(partners[r])]);
    if (!equal[r] && result.fingerprint.rich) others.push_back(r);
  }
  if (others.empty()) return equal;
  absl::flat_hash_set<Hash128> contents;
  contents.reserve(other.results.size());
  for (const StreamResult& result : other.results) contents.insert(result.fingerprint.content);
  for (const size_t r : others) {
    equal[r] = contents.contains(stream.results[r].fingerprint.content);
  }
  return equal;
}

// StreamNode::computes_in of the node that made a result.
DType RuntimePrecision(const ResultStream& stream, int r) {
  const int node = stream.results[Index(r)].node;
  return node == kNone ? DType::kUndefined : stream.nodes[Index(node)].computes_in;
}

// `origin`: the result that introduced the type.
absl::string_view TypeWord(DType dtype, const ResultStream& stream, int origin) {
  // Integers in short blocks.
  const bool in_blocks = origin != kNone && !IsInteger(dtype) &&
                         (IsInteger(stream.results[Index(origin)].dtype) ||
                          IsInteger(RuntimePrecision(stream, origin)));
  if (in_blocks) return "8-bit blocks";
  if (!IsInteger(dtype)) return NumpyName(dtype);
  switch (BitWidth(dtype)) {
    case 16:
      return "16-bit";
    case 8:
      return "8-bit";
    case 4:
      return "4-bit";
    default:
      return "2-bit";
  }
}

// The origin of a type, in a word: "products", "constants", "quantization".
absl::string_view OriginWord(const ResultStream& stream, int origin) {
  const StreamResult& result = stream.results[Index(origin)];
  const std::string& op_type = OpTypeOf(result, stream);
  const DType of_runtime = RuntimePrecision(stream, origin);
  if (of_runtime != DType::kUndefined) {
    if (!IsInteger(of_runtime)) return "arithmetic of the runtime";
    return op_type == "DynamicQuantizeLSTM" ? "inside DynamicQuantizeLSTM" : "by accuracy_level";
  }
  if (Quantizes(op_type)) return "quantization";
  if (op_type.empty() || op_type == "Constant") {
    switch (result.kind) {
      case ResultKind::kInitializer:
        return IsInteger(result.dtype) ? "quantization" : "weights";
      case ResultKind::kInput:
        return "inputs";
      default:
        return op_type.empty() ? "recorded numbers" : "constants";
    }
  }
  if (IsInteger(result.dtype)) return "quantization";
  if (HasTrait(DomainOf(result, stream), op_type, OperatorTrait::kCasts)) return "casts";
  return HasTrait(DomainOf(result, stream), op_type, OperatorTrait::kProducts) ? "products"
                                                                               : "results";
}

Tolerance OfType(DType type) {
  return IsInteger(type) ? ToleranceOfQuantized(type) : DefaultTolerance(type);
}

void AddNames(const StreamResult& result, std::vector<std::string>* names) {
  names->push_back(result.name);
  if (!result.path.empty()) names->push_back(absl::StrCat(result.path, "/", result.name));
}

// Discrete numbers are exact; as floats they are rounded, and several times more in results
// computed from them.
Tolerance OfDiscrete(NumberKind kind, double epsilon) {
  if (kind == NumberKind::kDiscrete) return {0, 0, 0, 0};
  const double steps = kind == NumberKind::kCastDiscrete ? 1 : 32;
  return {steps * epsilon, 0, 0, std::numeric_limits<double>::infinity()};
}

// Recorded results and constants have the kind of their partner: integers alone do not show it.
NumberKind KindOfPair(const StreamResult& l, NumberKind left, const StreamResult& r,
                      NumberKind right) {
  const bool left_quantized = left == NumberKind::kQuantized;
  const bool right_quantized = right == NumberKind::kQuantized;
  if ((left_quantized && (right_quantized || r.node == kNone)) ||
      (right_quantized && l.node == kNone)) {
    return NumberKind::kQuantized;
  }
  return std::max(left, right);
}

}  // namespace

PairTolerances::PairTolerances(const ResultStream& left, const ResultStream& right,
                               const Alignment& alignment, const ToleranceOptions& options)
    : left_(left), right_(right), options_(options) {
  std::vector<bool> left_equal = EqualResults(left, right, alignment.left_to_right);
  std::vector<bool> right_equal = EqualResults(right, left, alignment.right_to_left);
  if (right.recorded && IsRecordedAlike(right, left, alignment.right_to_left)) {
    ExtendEqual(left, alignment.left_to_right, &left_equal);
  }
  if (left.recorded && IsRecordedAlike(left, right, alignment.left_to_right)) {
    ExtendEqual(right, alignment.right_to_left, &right_equal);
  }
  left_lineages_ = LineagesOf(left, left_equal);
  right_lineages_ = LineagesOf(right, right_equal);
}

PairTolerance PairTolerances::Of(int left, int right) const {
  const StreamResult& l = left_.results[Index(left)];
  const StreamResult& r = right_.results[Index(right)];
  PairTolerance pair;
  if (!options_.by_name.empty()) {
    std::vector<std::string> names;
    AddNames(l, &names);
    AddNames(r, &names);
    if (const auto named = NamedTolerance(options_, names)) {
      pair.tolerances = *named;
      pair.why = "--tolerance";
      return pair;
    }
  }
  const Lineage& a = left_lineages_[Index(left)];
  const Lineage& b = right_lineages_[Index(right)];
  const NumberKind kind = KindOfPair(l, a.kind, r, b.kind);
  if (kind == NumberKind::kDiscrete && (IsInteger(l.dtype) || l.dtype == DType::kBool)) {
    pair.why = "discrete numbers, which are exact";
    return pair;
  }
  if (kind == NumberKind::kCastDiscrete || kind == NumberKind::kFromDiscrete) {
    pair.tolerances = OfDiscrete(kind, CoarserEpsilon(l.dtype, r.dtype));
    pair.why = "floats that stand for discrete numbers";
    return pair;
  }
  const DType own = LessPrecise(l.own_precision, r.own_precision);
  const DType type = LessPrecise(LessPrecise(a.type, b.type), own);
  const bool from_left = LessPrecise(a.type, type) == a.type && a.origin != kNone;
  const bool from_right = LessPrecise(b.type, type) == b.type && b.origin != kNone;
  pair.tolerances.floats = Adjusted(OfType(type), options_);
  if (kind == NumberKind::kQuantized) {
    // One step of difference is rounding; see ScaleOfPair for tensors measured in steps.
    const Tolerance of_type = OfType(type);
    pair.tolerances.integers = {0, 0, BitWidth(l.dtype) > 16 ? of_type.scaled : 0.1, of_type.whole};
  }
  const bool narrow = LessPrecise(own, type) != own;
  if (narrow) pair.own = Tolerances(Adjusted(DefaultTolerance(own), options_), {});
  pair.why = absl::StrCat(
      TypeWord(type, from_right ? right_ : left_,
               from_right  ? b.origin
               : from_left ? a.origin
                           : kNone),
      !narrow ? ""
              : absl::StrCat(
                    " ", from_right ? OriginWord(right_, b.origin) : OriginWord(left_, a.origin),
                    from_left && from_right ? " on both sides"
                    : from_right            ? " on the right"
                                            : " on the left"));
  if (options_.rtol.has_value() || options_.atol.has_value()) {
    pair.why = options_.rtol.has_value() && options_.atol.has_value() ? "--rtol and --atol"
               : options_.rtol.has_value()                            ? "--rtol"
                                                                      : "--atol";
    pair.own.reset();
  } else if (!why_allowed_.empty() && pair.tolerances.floats.whole < allowed_.whole) {
    pair.tolerances.floats = Wider(pair.tolerances.floats, allowed_);
    pair.why = why_allowed_;
  }
  return pair;
}

void PairTolerances::Allow(const Tolerance& tolerance, std::string why) {
  allowed_ = tolerance;
  why_allowed_ = std::move(why);
}

std::optional<Tolerance> NamedTolerance(const ToleranceOptions& options,
                                        absl::Span<const std::string> names) {
  std::optional<Tolerance> tolerance;
  for (const std::string& name : names) {
    const auto it = options.by_name.find(name);
    if (it != options.by_name.end()) tolerance = Wider(tolerance.value_or(it->second), it->second);
  }
  return tolerance;
}

absl::Status AddNamedTolerance(absl::string_view text, ToleranceOptions* options) {
  const size_t equals = text.rfind('=');
  const size_t comma = text.rfind(',');
  Tolerance tolerance;
  const auto is_tolerance = [](double number) { return std::isfinite(number) && number >= 0; };
  if (equals == absl::string_view::npos || equals == 0 || comma == absl::string_view::npos ||
      comma < equals ||
      !absl::SimpleAtod(text.substr(equals + 1, comma - equals - 1), &tolerance.rtol) ||
      !absl::SimpleAtod(text.substr(comma + 1), &tolerance.atol) || !is_tolerance(tolerance.rtol) ||
      !is_tolerance(tolerance.atol)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not NAME=RTOL,ATOL with two numbers of at least 0"));
  }
  options->by_name[std::string(text.substr(0, equals))] = tolerance;
  return absl::OkStatus();
}

absl::StatusOr<ToleranceOptions> WithWholeNames(const ToleranceOptions& options,
                                                absl::Span<const std::string> names,
                                                absl::string_view what) {
  ToleranceOptions whole = options;
  whole.by_name.clear();
  for (const auto& [given, tolerance] : options.by_name) {
    OC_ASSIGN_OR_RETURN(const std::string name, MeantName(given, names, what));
    whole.by_name.emplace(name, tolerance);
  }
  return whole;
}

}  // namespace onnxcmp
