#include "compare/proof/prove.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "compare/alignment/alignment.h"
#include "compare/proof/field/residues.h"
#include "compare/proof/field_run.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "compare/streams/result_stream.h"
#include "compare/streams/xxh128.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/node_text.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// How far a folded constant may be from what it was folded from.
constexpr int64_t kMostUlp = 4;

// The summary of a value that outlives it.
struct Trace {
  Hash128 hash;
  std::vector<int64_t> shape;
  bool known = true;  // no element is NaN, or unknown, in exact arithmetic
  bool exact = true;
  bool shaped = false;
  bool fixed = false;
  bool real = false;
};
using Traces = absl::flat_hash_map<std::string, Trace>;

absl::StatusOr<Residues> ResiduesOf(const PrimeField& field, const FieldValue& value) {
  if (value.residues.defined()) return FromTensor(value.residues);
  return EmbedTensor(field, value.number.tensor(), nullptr);
}

bool IsRealTensor(const Value& value) {
  return value.is_tensor() && IsFloatingPoint(value.tensor().dtype());
}

absl::StatusOr<Trace> TraceOf(const PrimeField& field, const FieldValue& value) {
  Trace trace;
  trace.exact = value.exact;
  trace.shaped = value.shaped;
  trace.fixed = value.fixed;
  trace.real = IsRealTensor(value.number);
  if (!value.number.is_tensor()) {
    trace.hash = value.fixed ? ContentOf(value.number) : Hash128{value.identity, 1};
    return trace;
  }
  const Tensor& number = value.number.tensor();
  trace.shape.assign(number.shape().begin(), number.shape().end());
  const DType dtype = number.dtype();
  if (value.fixed && (dtype == DType::kString || IsComplex(dtype))) {
    trace.hash = ContentOf(value.number);
    return trace;
  }
  OC_ASSIGN_OR_RETURN(const Residues residues, ResiduesOf(field, value));
  trace.hash =
      ToHash128(XXH3_128bits(residues.values.data(), residues.values.size() * sizeof(Residue)));
  trace.known =
      std::find(residues.values.begin(), residues.values.end(), kNoNumber) == residues.values.end();
  return trace;
}

bool Varies(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DType::kString &&
         !IsComplex(value.tensor().dtype());
}

FieldValue RandomValue(const PrimeField& field, const Value& number, uint64_t key) {
  FieldValue value;
  value.number = number;
  value.fixed = false;
  Residues residues = Residues::Filled(number.tensor().shape(), 0);
  for (size_t i = 0; i < residues.values.size(); ++i) {
    residues.values[i] = field.Random(key, static_cast<Residue>(i));
  }
  absl::StatusOr<Tensor> tensor = ToTensor(residues);
  if (tensor.ok()) value.residues = *std::move(tensor);
  return value;
}

// A pair of values of the two main graphs, from a row of the alignment.
struct Pair {
  size_t row = 0;
  std::string left;
  std::string right;
  uint64_t key = 0;
  bool may_be_fold = false;  // a constant of one side against what the other computes
  bool left_is_leaf = false;
  bool both_are_leaves = false;
};

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

std::vector<Pair> PairsOf(const Comparison& comparison) {
  std::vector<Pair> pairs;
  for (size_t row = 0; row < comparison.rows.size(); ++row) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    if (!aligned.paired()) continue;
    const StreamResult* const left = MainResult(comparison.left, aligned.left.back());
    const StreamResult* const right = MainResult(comparison.right, aligned.right.back());
    if (left == nullptr || right == nullptr) continue;
    Pair pair = {row, left->name, right->name, MixNumbers(FunctionNumber("row"), row)};
    pair.left_is_leaf = IsLeaf(comparison.left, *left);
    const bool right_is_leaf = IsLeaf(comparison.right, *right);
    pair.may_be_fold = pair.left_is_leaf != right_is_leaf;
    pair.both_are_leaves = pair.left_is_leaf && right_is_leaf;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// The distance of two numbers in steps of a type, if it is small; nothing if it is not.
std::optional<int64_t> UlpApart(double a, double b, DType dtype) {
  if (a == b) return 0;
  const double size = std::max(std::fabs(a), std::fabs(b));
  double step = size;
  // The step above `size` in that type, by trying.
  while (RoundTo(dtype, size + step / 2) != RoundTo(dtype, size) && step > size * 1e-17) step /= 2;
  const double ulp = std::fabs(a - b) / step;
  if (!(ulp <= static_cast<double>(kMostUlp))) return std::nullopt;
  return static_cast<int64_t>(std::ceil(ulp));
}

std::optional<int64_t> FoldUlp(const Tensor& constant, const Tensor& computed) {
  if (constant.shape() != computed.shape() || !IsFloatingPoint(constant.dtype()) ||
      !IsFloatingPoint(computed.dtype())) {
    return std::nullopt;
  }
  const auto numbers_of = [](const Tensor& tensor) {
    std::vector<double> numbers;
    const absl::StatusOr<Tensor> in_memory = tensor.InMemory(nullptr);
    if (!in_memory.ok()) return numbers;
    const absl::StatusOr<Tensor> whole = in_memory->Contiguous();
    if (!whole.ok()) return numbers;
    numbers.resize(static_cast<size_t>(whole->num_elements()));
    LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(),
                         numbers.data());
    return numbers;
  };
  const std::vector<double> a = numbers_of(constant);
  const std::vector<double> b = numbers_of(computed);
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  int64_t most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int64_t> ulp = UlpApart(a[i], b[i], constant.dtype());
    if (!ulp.has_value()) return std::nullopt;
    most = std::max(most, *ulp);
  }
  return most;
}

class Prover {
 public:
  Prover(const PerSide<Side*>& sides, const Comparison& comparison, const ProofOptions& options)
      : sides_(sides),
        comparison_(comparison),
        pool_(*options.pool),
        field_(options.seed),
        pairs_(PairsOf(comparison)) {}

  ProofReport Prove() {
    const absl::Time start = absl::Now();
    report_.rows.assign(comparison_.rows.size(), RowProof::kNotLookedAt);
    const absl::Status status = Try();
    if (!status.ok()) {
      report_ = ProofReport();
      report_.rows.assign(comparison_.rows.size(), RowProof::kNotLookedAt);
      report_.not_possible = std::string(status.message());
    }
    report_.constants.assign(meant_.begin(), meant_.end());
    report_.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return std::move(report_);
  }

 private:
  // Values that a run puts in the place of its own.
  struct Changes {
    PerSide<absl::flat_hash_map<std::string, Tensor>> folds;
    PerSide<absl::flat_hash_map<std::string, uint64_t>> cuts;
  };

  absl::Status Try() {
    Changes changes;
    PerSide<Traces> traces;
    OC_RETURN_IF_ERROR(RunBoth(changes, &traces));
    if (FindFolds(traces, &changes)) OC_RETURN_IF_ERROR(RunBoth(changes, &traces));
    kept_ = {};
    bool all = JudgeRows(traces, RowProof::kProved);
    JudgeOutputs(traces);
    if (all) return absl::OkStatus();
    for (const Pair& pair : pairs_) {
      if (report_.rows[pair.row] != RowProof::kNotProved) continue;
      changes.cuts.left[pair.left] = pair.key;
      changes.cuts.right[pair.right] = pair.key;
    }
    const PerSide<std::vector<ProofEnd>> ends = {report_.left_ends, report_.right_ends};
    const PerSide<std::vector<ProofEnd>> functions = {report_.left_functions,
                                                      report_.right_functions};
    PerSide<Traces> from_cuts;
    OC_RETURN_IF_ERROR(RunBoth(changes, &from_cuts));
    report_.left_ends = ends.left;
    report_.right_ends = ends.right;
    report_.left_functions = functions.left;
    report_.right_functions = functions.right;
    JudgeRows(from_cuts, RowProof::kProvedOn);
    return absl::OkStatus();
  }

  // A number for an input, the same for inputs that belong together.
  uint64_t InputKey(SideId side, const std::string& name) const {
    if (side == SideId::kRight && !IsSameInput(name, name)) {
      for (const Pair& pair : pairs_) {
        if (pair.right == name && IsSameInput(pair.left, name) &&
            !IsSameInput(pair.left, pair.left)) {
          return MixNumbers(FunctionNumber("input"), FunctionNumber(pair.left));
        }
      }
      return MixNumbers(FunctionNumber("input of the right"), FunctionNumber(name));
    }
    return MixNumbers(FunctionNumber("input"), FunctionNumber(name));
  }

  // True if both sides have such inputs, and they were fed the same: a user may match them
  // crosswise.
  bool IsSameInput(const std::string& left, const std::string& right) const {
    const Feeds& of_left = *sides_.left->feeds();
    const Feeds& of_right = *sides_.right->feeds();
    const auto a = of_left.find(left);
    const auto b = of_right.find(right);
    if (a == of_left.end() || b == of_right.end()) return false;
    return a->second.TypeString() != b->second.TypeString() ||
           ContentOf(a->second) == ContentOf(b->second);
  }

  absl::Status RunSide(SideId side, const Changes& changes, Traces* traces) {
    const bool left = side == SideId::kLeft;
    FieldTools tools = {field_,
                        pool_,
                        left ? uint64_t{1} : uint64_t{2},
                        &meant_,
                        left ? &report_.left_ends : &report_.right_ends,
                        left ? &report_.left_functions : &report_.right_functions};
    tools.ends->clear();
    tools.functions->clear();
    traces->clear();
    FieldValues given;
    for (const auto& [name, value] : *sides_[side]->feeds()) {
      // Whole numbers vary, too: ids, masks, quantized numbers.
      if (Varies(value)) {
        given[name] = RandomValue(field_, value, InputKey(side, name));
      } else {
        given[name].number = value;
        if (std::find(report_.given.begin(), report_.given.end(), name) == report_.given.end()) {
          report_.given.push_back(name);
        }
      }
    }
    std::sort(report_.given.begin(), report_.given.end());
    absl::flat_hash_map<std::string, bool> wanted;
    for (const Pair& pair : pairs_) wanted[left ? pair.left : pair.right] |= pair.may_be_fold;
    for (const ValueInfo& output : sides_[side]->evaluator()->model().graph.outputs) {
      wanted.emplace(output.name, false);
    }
    FieldRun run(*sides_[side]->evaluator(), tools, "", 0);
    const auto watch = [&](const std::string& name, FieldValue* value) -> absl::Status {
      if (const auto fold = changes.folds[side].find(name); fold != changes.folds[side].end()) {
        value->residues = fold->second;
        value->exact = false;
      }
      const auto want = wanted.find(name);
      if (want == wanted.end()) return absl::OkStatus();
      absl::StatusOr<Trace> trace = TraceOf(field_, *value);
      if (trace.ok()) (*traces)[name] = *std::move(trace);
      if (want->second && value->fixed && IsRealTensor(value->number)) kept_[side][name] = *value;
      const auto cut = changes.cuts[side].find(name);
      if (cut == changes.cuts[side].end() || !value->number.is_tensor()) return absl::OkStatus();
      *value = RandomValue(field_, value->number, cut->second);
      return absl::OkStatus();
    };
    const auto outputs = run.Run(std::move(given), watch);
    if (outputs.ok()) return absl::OkStatus();
    return absl::Status(outputs.status().code(),
                        absl::StrCat(SideName(side), ": ", outputs.status().message()));
  }

  absl::Status RunBoth(const Changes& changes, PerSide<Traces>* traces) {
    report_.given.clear();
    OC_RETURN_IF_ERROR(RunSide(SideId::kLeft, changes, &traces->left));
    return RunSide(SideId::kRight, changes, &traces->right);
  }

  // Constants of one side that the other computes, which agree but for rounding: from now on they
  // are what is computed.
  bool FindFolds(const PerSide<Traces>& traces, Changes* changes) {
    for (const Pair& pair : pairs_) {
      if (!pair.may_be_fold || AreEqual(traces, pair.left, pair.right)) continue;
      const auto left = kept_.left.find(pair.left);
      const auto right = kept_.right.find(pair.right);
      if (left == kept_.left.end() || right == kept_.right.end()) continue;
      const FieldValue& leaf = pair.left_is_leaf ? left->second : right->second;
      const FieldValue& made = pair.left_is_leaf ? right->second : left->second;
      const std::optional<int64_t> ulp = FoldUlp(leaf.number.tensor(), made.number.tensor());
      if (!ulp.has_value() || !made.residues.defined() || !OnlyRoundedDiffer(leaf, made)) continue;
      const SideId side = pair.left_is_leaf ? SideId::kLeft : SideId::kRight;
      changes->folds[side][pair.left_is_leaf ? pair.left : pair.right] = made.residues;
      report_.folds.push_back({pair.left, pair.right, *ulp});
    }
    return !report_.folds.empty();
  }

  // True if a constant differs from what is computed only where computing has rounded: what is
  // moved has to stay as it is.
  bool OnlyRoundedDiffer(const FieldValue& leaf, const FieldValue& made) const {
    const absl::StatusOr<Residues> exact = FromTensor(made.residues);
    const absl::StatusOr<Residues> rounded = EmbedTensor(field_, made.number.tensor(), nullptr);
    const absl::StatusOr<Residues> constant = EmbedTensor(field_, leaf.number.tensor(), nullptr);
    if (!exact.ok() || !rounded.ok() || !constant.ok()) return false;
    const auto size = exact->values.size();
    if (rounded->values.size() != size || constant->values.size() != size) return false;
    for (size_t i = 0; i < size; ++i) {
      const bool is_exact = exact->values[i] == rounded->values[i];
      if (is_exact && constant->values[i] != rounded->values[i]) return false;
    }
    return true;
  }

  static bool AreEqual(const PerSide<Traces>& traces, const std::string& left,
                       const std::string& right) {
    const auto l = traces.left.find(left);
    const auto r = traces.right.find(right);
    return l != traces.left.end() && r != traces.right.end() && l->second.hash == r->second.hash &&
           l->second.shape == r->second.shape && l->second.known && r->second.known;
  }

  // `proof`: what pairs are that are equal. True if all are.
  bool JudgeRows(const PerSide<Traces>& traces, RowProof proof) {
    bool all = true;
    const bool last = proof == RowProof::kProvedOn;
    for (const Pair& pair : pairs_) {
      RowProof& row = report_.rows[pair.row];
      const auto l = traces.left.find(pair.left);
      const auto r = traces.right.find(pair.right);
      if (l == traces.left.end() || r == traces.right.end() || l->second.shape != r->second.shape) {
        continue;
      }
      if (last && row == RowProof::kProved) continue;
      row = RowProof::kNotProved;
      if (AreEqual(traces, pair.left, pair.right)) {
        row = proof;
        continue;
      }
      all = false;
      if (!last || IsToldOf(pair)) continue;
      const bool known = l->second.known && r->second.known;
      if (known && l->second.exact && r->second.exact) row = RowProof::kDiffers;
      report_.parted.push_back({pair.left, pair.right, row, WhyNot(pair, known)});
    }
    report_.results = report_.proved_results = 0;
    for (const RowProof row : report_.rows) {
      if (row != RowProof::kNotLookedAt) ++report_.results;
      if (row == RowProof::kProved || row == RowProof::kProvedOn) ++report_.proved_results;
    }
    return all;
  }

  // An output has a row of its own beside that of the result it repeats.
  bool IsToldOf(const Pair& pair) const {
    return std::any_of(report_.parted.begin(), report_.parted.end(), [&](const ProofRow& row) {
      return row.left == pair.left && row.right == pair.right;
    });
  }

  const Node* NodeOf(SideId side, const std::string& result) const {
    for (const Node& node : sides_[side]->evaluator()->model().graph.nodes) {
      if (std::find(node.outputs.begin(), node.outputs.end(), result) != node.outputs.end()) {
        return &node;
      }
    }
    return nullptr;
  }

  // The first of the left's and the right's that is at the node which makes a pair's result; null
  // if there is none.
  const ProofEnd* EndAt(const Pair& pair, const std::vector<ProofEnd>& left,
                        const std::vector<ProofEnd>& right) const {
    for (const SideId side : kBothSides) {
      const Node* const node = NodeOf(side, side == SideId::kLeft ? pair.left : pair.right);
      if (node == nullptr) continue;
      for (const ProofEnd& end : side == SideId::kLeft ? left : right) {
        if (end.node == NodeLabel(*node)) return &end;
      }
    }
    return nullptr;
  }

  std::string WhyNot(const Pair& pair, bool known) const {
    if (const ProofEnd* end = EndAt(pair, report_.left_ends, report_.right_ends)) {
      return absl::StrCat(end->op_type, ": ", end->why);
    }
    if (const ProofEnd* function = EndAt(pair, report_.left_functions, report_.right_functions)) {
      return absl::StrCat("nothing is known of ", function->op_type,
                          " but that it gives the same for the same");
    }
    return known ? "" : "NaN, or unknown, in exact arithmetic";
  }

  void JudgeOutputs(const PerSide<Traces>& traces) {
    const OutputComparison& outputs = comparison_.outputs;
    report_.proved =
        !outputs.pairs.empty() && outputs.only_left.empty() && outputs.only_right.empty();
    // Tables of which these inputs read some rows: other inputs may read what differs.
    for (const Pair& pair : pairs_) {
      const auto left = traces.left.find(pair.left);
      if (pair.both_are_leaves && left != traces.left.end() && left->second.real &&
          report_.rows[pair.row] == RowProof::kNotProved) {
        report_.proved = false;
      }
    }
    for (const OutputPair& pair : outputs.pairs) {
      ProofRow row = {pair.left, pair.right, RowProof::kNotProved, ""};
      if (AreEqual(traces, pair.left, pair.right)) row.proof = RowProof::kProved;
      const auto left = traces.left.find(pair.left);
      if (left != traces.left.end() && left->second.shaped) report_.given_shapes = true;
      // An output that depends on no input that varies has been computed once, and not proved.
      if (left != traces.left.end() && left->second.fixed && !report_.given.empty()) {
        row.proof = RowProof::kNotProved;
      }
      report_.proved = report_.proved && row.proof == RowProof::kProved;
      report_.outputs.push_back(std::move(row));
    }
  }

  const PerSide<Side*> sides_;
  const Comparison& comparison_;
  const ThreadPool& pool_;
  const PrimeField field_;
  const std::vector<Pair> pairs_;
  MeantConstants meant_;
  PerSide<FieldValues> kept_;  // of pairs that may be folds
  ProofReport report_;
};

}  // namespace

ProofReport ProveEqual(const PerSide<Side*>& sides, const Comparison& comparison,
                       const ProofOptions& options) {
  ProofReport report;
  for (const SideId id : kBothSides) {
    Side* const side = sides[id];
    if (side == nullptr || side->evaluator() == nullptr || side->feeds() == nullptr) {
      report.not_possible = absl::StrCat("the ", SideName(id), " is no model");
    } else if (side->node_runner() != nullptr) {
      report.not_possible =
          absl::StrCat("the ", SideName(id), " runs in a runtime, which has no exact arithmetic");
    } else if (!side->summary().status.ok()) {
      report.not_possible = absl::StrCat("the ", SideName(id), " does not run");
    }
  }
  if (!report.not_possible.empty()) return report;
  return Prover(sides, comparison, options).Prove();
}

}  // namespace onnxcmp
