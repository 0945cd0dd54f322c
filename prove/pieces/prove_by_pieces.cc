#include <algorithm>
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
#include "evaluator/run/evaluator.h"
#include "prove/constant_facts.h"
#include "prove/field_run.h"
#include "prove/fold_search.h"
#include "prove/pieces/piece_models.h"
#include "prove/pieces/shared_values.h"
#include "prove/prove.h"
#include "prove/run_memo.h"
#include "prove/unknown_values.h"
#include "prove/value_trace.h"

namespace onnxcmp {
namespace {

// Runs the models of the pieces over fields, and judges what is equal.
class PieceProver {
 public:
  PieceProver(const PerSide<Side*>& sides, const Comparison& comparison, SharedValues values,
              const ThreadPool& pool)
      : sides_(sides),
        comparison_(comparison),
        values_(std::move(values)),
        pool_(pool),
        workspace_(pool),
        constants_(pool) {
    report_.rows.assign(comparison.rows.size(), RowProof::kNotLookedAt);
  }

  // OK if each claim holds in the fields of all seeds, and all rows and outputs follow.
  absl::StatusOr<ProofReport> Prove(absl::Span<const uint64_t> seeds) {
    const bool folds = values_.HasOwnTables();
    // Without folds, what does not follow from the claims need not be tried.
    if (!folds) OC_RETURN_IF_ERROR(Judge());
    if (!values_.claims().empty()) {
      OC_RETURN_IF_ERROR(Plan());
      for (const uint64_t seed : seeds) {
        const PrimeField field(seed);
        if (folds) OC_RETURN_IF_ERROR(FindFolds(field));
        OC_RETURN_IF_ERROR(RunIn(field));
      }
    }
    if (folds) OC_RETURN_IF_ERROR(Judge());
    absl::c_sort(report_.constants);
    report_.constants.erase(std::unique(report_.constants.begin(), report_.constants.end()),
                            report_.constants.end());
    return std::move(report_);
  }

 private:
  // The findings of a run of a side beside its values.
  struct Findings {
    MeantConstants meant;
    std::vector<ProofEnd> ends, functions;
    std::vector<RoundedJump> jumps;
  };

  absl::Status Plan() {
    OC_ASSIGN_OR_RETURN(models_, CutPieces(sides_, values_));
    for (const SideId side : kBothSides) {
      const Evaluator& whole = *sides_[side]->evaluator();
      OC_ASSIGN_OR_RETURN(Evaluator planned, Evaluator::Create(models_[side].model,
                                                               whole.registry(), whole.options()));
      evaluators_.push_back(std::move(planned));
    }
    return absl::OkStatus();
  }

  FieldTools ToolsOf(const PrimeField& field, SideId side, Findings* findings) {
    return {.field = field,
            .workspace = workspace_,
            .side = side == SideId::kLeft ? uint64_t{1} : uint64_t{2},
            .meant = &findings->meant,
            .constants = &constants_,
            .ends = &findings->ends,
            .functions = &findings->functions,
            .jumps = &findings->jumps};
  }

  // Looks for constants of one side into which layers of the other were folded.
  absl::Status FindFolds(const PrimeField& field) {
    PerSide<FieldValues> known;
    for (const SideId side : kBothSides) {
      const Evaluator& evaluator = *sides_[side]->evaluator();
      Findings findings;
      FieldTools tools = ToolsOf(field, side, &findings);
      tools.numbers = &numbers_[side];
      tools.constants_only = true;
      FieldValues given;
      VaryDefaults(field, evaluator.model(), &given);
      const auto watch = [&](const std::string& name, FieldValue* value) {
        if (value->fixed && IsRealTensor(value->number)) known[side][name] = *value;
        return absl::OkStatus();
      };
      FieldRun run(evaluator, tools, "", 0);
      OC_RETURN_IF_ERROR(run.Run(std::move(given), watch).status());
    }
    const PerSide<const Graph*> graphs = {&values_.graph(SideId::kLeft),
                                          &values_.graph(SideId::kRight)};
    FoundFolds found =
        FoldSearch(field, graphs, known, pool_).LayersOfOwnConstants(&constants_, &layers_);
    folds_ = std::move(found.residues);
    report_.folds = std::move(found.told);
    return absl::OkStatus();
  }

  absl::Status RunIn(const PrimeField& field) {
    PerSide<Traces> traces;
    for (const SideId side : kBothSides) OC_RETURN_IF_ERROR(RunSide(field, side, &traces[side]));
    for (const auto& [l, r] : values_.claims()) {
      const auto left = traces.left.find(l);
      const auto right = traces.right.find(r);
      if (left == traces.left.end() || right == traces.right.end() ||
          left->second.dtype != right->second.dtype || !AreEqual(left->second, right->second)) {
        return absl::UnimplementedError(absl::StrCat("not equal: ", l, " and ", r));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunSide(const PrimeField& field, SideId side, Traces* traces) {
    const bool left = side == SideId::kLeft;
    Findings findings;
    FieldTools tools = ToolsOf(field, side, &findings);
    tools.numbers = &piece_numbers_[side];
    FieldValues given;
    for (const auto& [name, value] : models_[side].inputs) {
      given[name] = RandomValue(field, value, FunctionNumber(name));
    }
    absl::flat_hash_set<std::string> wanted;
    for (const auto& [l, r] : values_.claims()) wanted.insert(left ? l : r);
    const auto watch = [&](const std::string& name, FieldValue* value) -> absl::Status {
      if (const auto fold = folds_[side].find(name); fold != folds_[side].end()) {
        value->residues = fold->second;
        value->exact = false;
      }
      if (!wanted.contains(name)) return absl::OkStatus();
      OC_ASSIGN_OR_RETURN((*traces)[name], TraceOf(field, &constants_, *value));
      return absl::OkStatus();
    };
    FieldRun run(evaluators_[left ? 0 : 1], tools, "", 0);
    OC_RETURN_IF_ERROR(run.Run(std::move(given), watch).status());
    if (!findings.ends.empty() || !findings.jumps.empty()) {
      return absl::UnimplementedError("nodes that need a run as a whole");
    }
    (left ? report_.left_functions : report_.right_functions) = std::move(findings.functions);
    report_.constants.insert(report_.constants.end(), findings.meant.texts.begin(),
                             findings.meant.texts.end());
    return absl::OkStatus();
  }

  // Rows and outputs, if all claims hold. Unimplemented if some do not follow.
  absl::Status Judge() {
    for (const ProofPair& pair : PairsOf(comparison_)) {
      // The same elements in another shape are not the same value.
      if (!values_.HaveOneShape(pair.left, pair.right)) continue;
      const auto is_of = [&](const ProofFold& fold) {
        return fold.left == pair.left || fold.right == pair.right;
      };
      const auto is_it = [&](const ProofFold& fold) {
        return fold.left == pair.left && fold.right == pair.right;
      };
      if (values_.AreEqual(pair.left, pair.right) || absl::c_any_of(report_.folds, is_it)) {
        report_.rows[pair.row] = RowProof::kProved;
      } else if (!pair.both_are_leaves || absl::c_none_of(report_.folds, is_of)) {
        return absl::UnimplementedError(absl::StrCat(pair.left, " and ", pair.right));
      }
    }
    const OutputComparison& outputs = comparison_.outputs;
    if (outputs.pairs.empty() || !outputs.only_left.empty() || !outputs.only_right.empty()) {
      return absl::UnimplementedError("outputs without a partner");
    }
    std::set<std::string> given;
    for (const SideId side : kBothSides) {
      for (const auto& [name, value] : *sides_[side]->feeds()) {
        if (!Varies(value)) given.insert(name);
      }
    }
    report_.given.assign(given.begin(), given.end());
    for (const OutputPair& pair : outputs.pairs) {
      // One that no input changes was computed once, and not for other texts.
      const bool once = values_.Of(SideId::kLeft, pair.left).fixed && !given.empty();
      if (!values_.AreEqual(pair.left, pair.right) || !pair.agrees() || once) {
        return absl::UnimplementedError(absl::StrCat("the output ", pair.left));
      }
      report_.outputs.push_back({pair.left, pair.right, RowProof::kProved, ""});
    }
    report_.results = absl::c_count(report_.rows, RowProof::kProved);
    report_.proved_results = report_.results;
    report_.proved = true;
    return absl::OkStatus();
  }

  const PerSide<Side*>& sides_;
  const Comparison& comparison_;
  const SharedValues values_;
  const ThreadPool& pool_;
  Workspace workspace_;
  ConstantFacts constants_;
  PerSide<PieceModel> models_;
  std::vector<Evaluator> evaluators_;            // of the left, of the right
  PerSide<RunNumbers> numbers_, piece_numbers_;  // of whole models, of pieces
  LayerFolds layers_;
  PerSide<absl::flat_hash_map<std::string, Tensor>> folds_;  // by the constant's name
  ProofReport report_;
};

}  // namespace

std::optional<ProofReport> ProveByPieces(const PerSide<Side*>& sides, const Comparison& comparison,
                                         const ProofOptions& options,
                                         absl::Span<const uint64_t> seeds) {
  const absl::Time start = absl::Now();
  absl::StatusOr<SharedValues> values = SharedValues::Of(sides, comparison, PairsOf(comparison));
  if (!values.ok()) return std::nullopt;
  PieceProver prover(sides, comparison, *std::move(values), *options.pool);
  absl::StatusOr<ProofReport> report = prover.Prove(seeds);
  if (!report.ok()) return std::nullopt;
  report->seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return *std::move(report);
}

}  // namespace onnxcmp
