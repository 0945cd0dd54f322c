#include "prove/prove.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/node_text.h"
#include "evaluator/run/evaluator.h"
#include "prove/constant_facts.h"
#include "prove/conversions.h"
#include "prove/directions.h"
#include "prove/field/residues.h"
#include "prove/field_run.h"
#include "prove/fold_search.h"
#include "prove/node_kinds.h"
#include "prove/roundings.h"
#include "prove/run_memo.h"
#include "prove/score_masks.h"
#include "prove/unknown_values.h"
#include "prove/value_trace.h"
#include "prove/why_not.h"

namespace onnxcmp {
namespace {

// A proof rests on as little as will do.
struct Attempt {
  std::set<std::string> as_fed = {};               // inputs that do not vary
  std::optional<SideId> converted = std::nullopt;  // its numbers are what they were rounded from
  bool by_direction = false;                       // bounds are taken of directions
  bool by_parts = false;                           // functions of sums and products are taken so
  bool large_masks = false;                        // -10000 and less are -infinity in a Softmax
  bool products_as_functions = false;              // those with large constants
};

// Things that do not depend on random numbers, so that all runs have them in common.
struct OfAllRuns {
  explicit OfAllRuns(const ThreadPool& pool) : workspace(pool), constants(pool) {}

  Workspace workspace;
  ConstantFacts constants;
  PerSide<RunNumbers> numbers;
  LayerFolds folds;
};

class Prover {
 public:
  // `form`: of masks that do not vary.
  Prover(const PerSide<Side*>& sides, const Comparison& comparison, const ProofOptions& options,
         const Attempt& attempt, MaskForm form, OfAllRuns* of_all)
      : sides_(sides),
        comparison_(comparison),
        attempt_(attempt),
        form_(form),
        of_all_(*of_all),
        pool_(*options.pool),
        field_(options.seed),
        pairs_(PairsOf(comparison)) {
    if (!attempt.converted.has_value()) return;
    const SideId converted = *attempt.converted;
    std::map<std::string, std::string> partners;
    for (const ProofPair& pair : pairs_) {
      const bool left = converted == SideId::kLeft;
      partners[left ? pair.left : pair.right] = left ? pair.right : pair.left;
    }
    conversions_.emplace(field_, converted, GraphOf(Other(converted)), std::move(partners));
  }

  // Masks were found that a proof may take for -infinity.
  bool has_large_masks() const {
    return meant_.left.has_large_masks || meant_.right.has_large_masks;
  }

  ProofReport Prove() {
    const absl::Time start = absl::Now();
    report_.rows.assign(comparison_.rows.size(), RowProof::kNotLookedAt);
    const absl::Status status = Try();
    if (!status.ok()) {
      report_ = ProofReport();
      report_.rows.assign(comparison_.rows.size(), RowProof::kNotLookedAt);
      report_.not_possible = std::string(status.message());
    }
    for (const SideId side : kBothSides) {
      report_.masks = report_.masks || meant_[side].masks;
      report_.constants.insert(report_.constants.end(), meant_[side].texts.begin(),
                               meant_[side].texts.end());
    }
    std::sort(report_.constants.begin(), report_.constants.end());
    report_.constants.erase(std::unique(report_.constants.begin(), report_.constants.end()),
                            report_.constants.end());
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
    OC_ASSIGN_OR_RETURN(const bool proved, RunWithFoldedLayers(&changes, &traces));
    if (!proved) {
      OC_RETURN_IF_ERROR(RunBoth(changes, &traces));
      if (!OutputsAreEqual(traces) &&
          Take(FoldSearch(field_, Graphs(), kept_, pool_).All(pairs_, traces), &changes)) {
        OC_RETURN_IF_ERROR(RunBoth(changes, &traces));
      }
    }
    kept_ = {};
    const bool all = JudgeRows(traces, RowProof::kProved);
    report_.rounded_jumps = JumpsOfOtherRoundings(jumps_);
    if (conversions_.has_value()) report_.conversions = conversions_->Found();
    JudgeOutputs(traces);
    if (!all && conversions_.has_value())
      report_.conversions.parts_at = FirstNotProved(pairs_, report_.rows);
    if (all || conversions_.has_value()) return absl::OkStatus();
    for (const ProofPair& pair : pairs_) {
      if (report_.rows[pair.row] != RowProof::kNotProved) continue;
      // Constants that are far apart may be used in other ways: x / 3, x * 0.333.
      if (pair.both_are_leaves && comparison_.rows[pair.row].relation == Relation::kDifferent) {
        continue;
      }
      changes.cuts.left[pair.left] = pair.key;
      changes.cuts.right[pair.right] = pair.key;
    }
    ProofReport told = report_;  // this run tells nothing else
    PerSide<Traces> from_cuts;
    OC_RETURN_IF_ERROR(RunBoth(changes, &from_cuts));
    report_ = std::move(told);
    JudgeRows(from_cuts, RowProof::kProvedOn);
    return absl::OkStatus();
  }

  absl::Status RunSide(SideId side, const Changes& changes, Traces* traces) {
    const bool left = side == SideId::kLeft;
    FieldTools tools = {field_, of_all_.workspace, left ? uint64_t{1} : uint64_t{2}, &meant_[side],
                        &products_, &of_all_.constants,
                        // It does not tell parts apart.
                        conversions_.has_value() || attempt_.by_parts ? nullptr : &memo_,
                        attempt_.as_fed.empty() ? &of_all_.numbers[side] : nullptr,
                        conversions_.has_value() ? &*conversions_ : nullptr,
                        left ? &report_.left_ends : &report_.right_ends,
                        left ? &report_.left_functions : &report_.right_functions, &jumps_[side],
                        attempt_.by_direction, attempt_.by_parts, attempt_.products_as_functions,
                        attempt_.large_masks, constants_only_};
    tools.ends->clear();
    tools.functions->clear();
    tools.jumps->clear();
    traces->clear();
    if (conversions_.has_value()) conversions_->Begin(side);
    const PerSide<const Feeds*> feeds = {sides_.left->feeds(), sides_.right->feeds()};
    FieldValues given;
    for (const auto& [name, value] : *feeds[side]) {
      // Whole numbers vary, too: ids, masks, quantized numbers.
      if (Varies(value) && !attempt_.as_fed.contains(name)) {
        given[name] = RandomValue(field_, value, InputKey(feeds, pairs_, side, name));
      } else {
        given[name].number = attempt_.as_fed.contains(name) ? MaskInForm(value, form_) : value;
        if (std::find(report_.given.begin(), report_.given.end(), name) == report_.given.end()) {
          report_.given.push_back(name);
        }
      }
    }
    VaryDefaults(field_, sides_[side]->evaluator()->model(), &given);
    std::sort(report_.given.begin(), report_.given.end());
    absl::flat_hash_set<std::string> wanted;
    for (const ProofPair& pair : pairs_) wanted.insert(left ? pair.left : pair.right);
    for (const ValueInfo& output : GraphOf(side).outputs) {
      wanted.insert(output.name);
    }
    FieldRun run(*sides_[side]->evaluator(), tools, "", 0);
    const auto watch = [&](const std::string& name, FieldValue* value) -> absl::Status {
      if (const auto fold = changes.folds[side].find(name); fold != changes.folds[side].end()) {
        value->residues = fold->second;
        value->exp_factor = value->exp_exponent = Tensor();
        value->exact = false;
      }
      if (conversions_.has_value()) conversions_->See(name, value);
      if (value->fixed && IsRealTensor(value->number)) kept_[side][name] = *value;
      if (constants_only_ || !wanted.contains(name)) return absl::OkStatus();
      absl::StatusOr<ValueTrace> trace = TraceOf(field_, &of_all_.constants, *value);
      if (trace.ok()) (*traces)[name] = *std::move(trace);
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
    const bool left_last = conversions_.has_value() && conversions_->converted() == SideId::kLeft;
    const SideId first = left_last ? SideId::kRight : SideId::kLeft;
    OC_RETURN_IF_ERROR(RunSide(first, changes, &(*traces)[first]));
    return RunSide(Other(first), changes, &(*traces)[Other(first)]);
  }

  // From now on these constants are what they were folded from. True if there are some.
  bool Take(FoundFolds folds, Changes* changes) {
    for (const SideId side : kBothSides) meant_[side].folded = std::move(folds.numbers[side]);
    changes->folds = std::move(folds.residues);
    report_.folds = std::move(folds.told);
    return !report_.folds.empty();
  }

  // Runs with constants that can only be folded layers taken for these. True if that proves all
  // outputs, and leaves no other fold open.
  absl::StatusOr<bool> RunWithFoldedLayers(Changes* changes, PerSide<Traces>* traces) {
    if (conversions_.has_value()) return false;
    constants_only_ = true;
    const absl::Status status = RunBoth(*changes, traces);
    constants_only_ = false;
    OC_RETURN_IF_ERROR(status);
    const FoldSearch search(field_, Graphs(), kept_, pool_);
    if (!Take(search.LayersOfOwnConstants(&of_all_.constants, &of_all_.folds), changes))
      return false;
    OC_RETURN_IF_ERROR(RunBoth(*changes, traces));
    const bool open = absl::c_any_of(pairs_, [&](const ProofPair& pair) {
      return pair.may_be_fold && !AreEqual(*traces, pair.left, pair.right) && !IsFold(pair);
    });
    if (!open && OutputsAreEqual(*traces)) return true;
    Take({}, changes);
    kept_ = {};
    return false;
  }

  bool OutputsAreEqual(const PerSide<Traces>& traces) const {
    return std::all_of(
        comparison_.outputs.pairs.begin(), comparison_.outputs.pairs.end(),
        [&](const OutputPair& pair) { return AreEqual(traces, pair.left, pair.right); });
  }

  // `proof`: what pairs are that are equal. True if all are.
  bool JudgeRows(const PerSide<Traces>& traces, RowProof proof) {
    bool all = true;
    const bool last = proof == RowProof::kProvedOn;
    std::vector<ProofRow> other_constants;
    for (const ProofPair& pair : pairs_) {
      RowProof& row = report_.rows[pair.row];
      const auto l = traces.left.find(pair.left);
      const auto r = traces.right.find(pair.right);
      if (l == traces.left.end() || r == traces.right.end() || l->second.shape != r->second.shape) {
        continue;
      }
      if (last && row == RowProof::kProved) continue;
      row = RowProof::kNotProved;
      if (AreEqual(traces, pair.left, pair.right) || IsFold(pair)) {
        row = proof;
        continue;
      }
      if (pair.both_are_leaves && IsOtherFold(pair)) {
        row = RowProof::kNotLookedAt;
        continue;
      }
      all = false;
      if (!last || IsToldOf(pair)) continue;
      const bool known = l->second.residues().known && r->second.residues().known;
      if (known && l->second.exact && r->second.exact) row = RowProof::kDiffers;
      // Where they are far apart, they may be used in other ways: x << 1, x * 2.
      if (pair.both_are_leaves && comparison_.rows[pair.row].relation == Relation::kDifferent) {
        other_constants.push_back({pair.left, pair.right, RowProof::kNotProved,
                                   "other constants, which may be used in another way"});
        continue;
      }
      const bool differs = row == RowProof::kDiffers;
      report_.parted.push_back({pair.left, pair.right, row,
                                differs ? "" : WhyNotProved(pair, Graphs(), report_, known)});
    }
    report_.parted.insert(report_.parted.end(), other_constants.begin(), other_constants.end());
    report_.results = report_.proved_results = 0;
    for (const RowProof row : report_.rows) {
      if (row != RowProof::kNotLookedAt) ++report_.results;
      if (row == RowProof::kProved || row == RowProof::kProvedOn) ++report_.proved_results;
    }
    return all;
  }

  // Scales of other tensors are no tables.
  static bool IsTable(const Traces::value_type& constant) {
    return constant.second.shape.size() > 1;
  }

  // True if the other side folded a later layer into these weights.
  bool IsFold(const ProofPair& pair) const {
    return std::any_of(report_.folds.begin(), report_.folds.end(), [&](const ProofFold& fold) {
      return fold.left == pair.left && fold.right == pair.right;
    });
  }

  // A constant that stands for what the other side folds elsewhere: it has no partner.
  bool IsOtherFold(const ProofPair& pair) const {
    return std::any_of(report_.folds.begin(), report_.folds.end(), [&](const ProofFold& fold) {
      return fold.left == pair.left || fold.right == pair.right;
    });
  }

  // An output has a row of its own beside that of the result it repeats.
  bool IsToldOf(const ProofPair& pair) const {
    return std::any_of(report_.parted.begin(), report_.parted.end(), [&](const ProofRow& row) {
      return row.left == pair.left && row.right == pair.right;
    });
  }

  const Graph& GraphOf(SideId side) const { return sides_[side]->evaluator()->model().graph; }
  PerSide<const Graph*> Graphs() const {
    return {&GraphOf(SideId::kLeft), &GraphOf(SideId::kRight)};
  }

  void JudgeOutputs(const PerSide<Traces>& traces) {
    const OutputComparison& outputs = comparison_.outputs;
    report_.proved =
        !outputs.pairs.empty() && outputs.only_left.empty() && outputs.only_right.empty();
    // Tables of which these inputs read some rows: other inputs may read what differs.
    for (const ProofPair& pair : pairs_) {
      const auto left = traces.left.find(pair.left);
      const auto right = traces.right.find(pair.right);
      if (pair.both_are_leaves && left != traces.left.end() && right != traces.right.end() &&
          left->second.real && right->second.real &&
          (!conversions_.has_value() || IsTable(*left)) &&
          report_.rows[pair.row] == RowProof::kNotProved) {
        report_.proved = false;
      }
    }
    for (const OutputPair& pair : outputs.pairs) {
      ProofRow row = {pair.left, pair.right, RowProof::kNotProved, ""};
      if (AreEqual(traces, pair.left, pair.right)) row.proof = RowProof::kProved;
      const auto left = traces.left.find(pair.left);
      if (left != traces.left.end() && left->second.shaped) report_.given_shapes = true;
      // A type of fewer digits rounds more, which somebody has to want.
      const auto right = traces.right.find(pair.right);
      if (row.proof == RowProof::kProved && left->second.dtype != right->second.dtype) {
        if (conversions_.has_value()) {
          const DType dtype =
              (conversions_->converted() == SideId::kLeft ? left : right)->second.dtype;
          report_.conversions.outputs.push_back(absl::StrCat(pair.left, ": ", DTypeName(dtype)));
        } else {
          row.proof = RowProof::kNotProved;
          row.why = "the types differ";
        }
      }
      // Rounding, overflow or a fault that the field does not see: a proof claims none of these.
      if (row.proof == RowProof::kProved && !pair.agrees() && !conversions_.has_value()) {
        row.proof = RowProof::kNotProved;
        row.why = "the numbers differ, though they are the same in exact arithmetic";
        report_.parted.push_back(row);
      }
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
  const Attempt& attempt_;
  const MaskForm form_;
  OfAllRuns& of_all_;
  const ThreadPool& pool_;
  const PrimeField field_;
  const std::vector<ProofPair> pairs_;
  PerSide<MeantConstants> meant_;
  PerSide<std::vector<RoundedJump>> jumps_;
  ProductMemo products_;
  RunMemo memo_;
  std::optional<Conversions> conversions_;
  bool constants_only_ = false;  // a run of what does not depend on inputs
  PerSide<FieldValues> kept_;    // of pairs that may be folds
  ProofReport report_;
};

// Why nothing can be proved of the sides; "": it can be tried.
std::string WhyNotPossible(const PerSide<Side*>& sides) {
  std::string why;
  for (const SideId id : kBothSides) {
    Side* const side = sides[id];
    if (side == nullptr || side->evaluator() == nullptr || side->feeds() == nullptr) {
      why = absl::StrCat("the ", SideName(id), " is no model");
    } else if (side->node_runner() != nullptr) {
      why = absl::StrCat("the ", SideName(id), " runs in a runtime, which has no exact arithmetic");
    } else if (!side->summary().status.ok()) {
      why = absl::StrCat("the ", SideName(id), " does not run");
    }
  }
  return why;
}

}  // namespace

ProofReport ProveEqual(const PerSide<Side*>& sides, const Comparison& comparison,
                       const ProofOptions& options) {
  ProofReport report;
  report.not_possible = WhyNotPossible(sides);
  if (!report.not_possible.empty()) return report;
  // Each run has random numbers of its own.
  uint64_t run = SeedOfConstants({&comparison.left, &comparison.right});
  OfAllRuns of_all(*options.pool);
  bool has_large_masks = false;
  double seconds = 0;
  // With masks as they were fed, and in other forms.
  const auto prove = [&](const Attempt& attempt) {
    const auto in = [&](MaskForm form) {
      ProofOptions own = options;
      own.seed = MixNumbers(options.seed, run++);
      Prover prover(sides, comparison, own, attempt, form, &of_all);
      ProofReport proof = prover.Prove();
      has_large_masks = has_large_masks || prover.has_large_masks();
      seconds += proof.seconds;
      return proof;
    };
    ProofReport proof = in(MaskForm::kAsFed);
    std::vector<MaskForm> again(kProofRuns - 1, MaskForm::kAsFed);
    if (!attempt.as_fed.empty()) {
      again.insert(again.end(),
                   {MaskForm::kHalf, MaskForm::kFirstAlone, MaskForm::kLeft, MaskForm::kHoles});
    }
    for (const MaskForm form : again) {
      if (!proof.proved && !proof.conversions.proved) break;
      ProofReport other = in(form);
      if (!(proof.proved ? other.proved : other.conversions.proved)) proof = std::move(other);
    }
    return proof;
  };
  std::vector<uint64_t> seeds(kProofRuns);
  for (uint64_t& seed : seeds) seed = MixNumbers(options.seed, run++);
  if (std::optional<ProofReport> pieces = ProveByPieces(sides, comparison, options, seeds)) {
    return *std::move(pieces);
  }
  for (const bool as_functions : {true, false}) {
    if (as_functions && !ShareConstants(comparison)) continue;
    report = prove({.products_as_functions = as_functions});
    if (!report.proved && has_large_masks) {
      report = prove({.large_masks = true, .products_as_functions = as_functions});
    }
    const bool some_are_not = absl::c_linear_search(report.rows, RowProof::kNotProved);
    if (report.proved && !(as_functions && some_are_not)) break;
    if (!report.not_possible.empty()) break;
  }
  if (!report.proved && report.not_possible.empty() && TakesBounds(comparison)) {
    ProofReport directed = prove({.by_direction = true, .large_masks = has_large_masks});
    if (directed.proved) report = std::move(directed);
  }
  if (!report.proved && report.not_possible.empty() && TakesParts(comparison)) {
    ProofReport by_parts = prove({.by_parts = true, .large_masks = has_large_masks});
    if (by_parts.proved) report = std::move(by_parts);
  }
  std::vector<std::set<std::string>> fed = {{}};
  if (!report.proved && report.not_possible.empty()) {
    if (std::set<std::string> masks = MaskInputs(sides); !masks.empty()) {
      ProofReport with_masks = prove({.as_fed = masks, .large_masks = has_large_masks});
      if (with_masks.proved) report = std::move(with_masks);
      fed.push_back(std::move(masks));
    }
  }
  const std::optional<SideId> converted = ConvertedSide(
      {&sides.left->evaluator()->model().graph, &sides.right->evaluator()->model().graph});
  for (const std::set<std::string>& as_fed : fed) {
    if (report.proved || report.conversions.proved || !report.not_possible.empty() ||
        !converted.has_value()) {
      break;
    }
    TakeExactProof(prove({.as_fed = as_fed, .converted = converted, .large_masks = true}), &report);
  }
  report.seconds = seconds;
  return report;
}

}  // namespace onnxcmp
