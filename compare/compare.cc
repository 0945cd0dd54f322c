#include "compare/compare.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/causes/causes.h"
#include "compare/differences/output_comparison.h"
#include "compare/differences/pair_tolerance.h"
#include "compare/differences/sorted_elements.h"
#include "compare/differences/tensor_difference.h"
#include "compare/explain/explain.h"
#include "compare/not_finite/find_not_finite.h"
#include "compare/quantization/contradicted_causes.h"
#include "compare/quantization/find_quantization.h"
#include "compare/reports/shadow_report.h"
#include "compare/repro/make_repro.h"
#include "compare/repro/repro.h"
#include "compare/shadow/shadow_run.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/value_bank.h"
#include "evaluator/proto_text.h"
#include "evaluator/status_macros.h"
#include "evaluator/thread_pool.h"

namespace onnxcmp {
namespace {

// What a first pass leaves of a side.
struct FirstPass {
  explicit FirstPass(int64_t budget) : bank(budget) {}

  ResultStream stream;
  ValueBank bank;
  std::vector<std::pair<int, Value>> outputs;  // by result
  SideShadow shadow;
  std::vector<std::pair<int, Value>> outputs_in_double;
};

// Both are the same bits, or the same elements in another layout: there is nothing to measure.
bool SameElements(const StreamResult& left, const StreamResult& right, Marks marks) {
  if (left.fingerprint.content == right.fingerprint.content) return true;
  if (Has(marks, Mark::kReshaped)) return left.fingerprint.bits == right.fingerprint.bits;
  return Has(marks, Mark::kTransposed) && left.fingerprint.elements == right.fingerprint.elements;
}

class Comparer {
 public:
  Comparer(Side& left, Side& right, const CompareOptions& options)
      : options_(options),
        pool_(options.threads > 0
                  ? options.threads
                  : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        sides_{&left, &right},
        passes_{FirstPass(options.max_memory / 2), FirstPass(options.max_memory / 2)} {}

  absl::StatusOr<Comparison> Compare() {
    Comparison comparison;
    for (int i = 0; i < 2; ++i) RunFirst(i);
    comparison.left_summary = sides_[0]->summary();
    comparison.right_summary = sides_[1]->summary();
    comparison.alignment = Align(passes_[0].stream, passes_[1].stream);
    OC_RETURN_IF_ERROR(MeasureRows(&comparison, [](size_t) { return nullptr; }));
    comparison.outputs = CompareOutputs(Outputs(0), Outputs(1), options_.tolerance);
    OC_RETURN_IF_ERROR(FindNotFiniteOnBoth(&comparison));
    if (options_.causes) OC_RETURN_IF_ERROR(NameCauses(&comparison));
    OC_RETURN_IF_ERROR(LookAtQuantization(&comparison));
    comparison.left = std::move(passes_[0].stream);
    comparison.right = std::move(passes_[1].stream);
    if (options_.shadow) {
      comparison.shadow =
          MakeShadowReport(comparison, std::move(passes_[0].shadow), std::move(passes_[1].shadow),
                           passes_[0].outputs_in_double, passes_[1].outputs_in_double);
    }
    comparison.verdict = VerdictOf(comparison);
    if (!options_.explain.empty()) {
      OC_ASSIGN_OR_RETURN(const size_t row, FindRow(comparison, options_.explain));
      RecordedSide left = {sides_[0], &comparison.left, &passes_[0].bank};
      RecordedSide right = {sides_[1], &comparison.right, &passes_[1].bank};
      OC_ASSIGN_OR_RETURN(comparison.explanation,
                          ExplainRow(comparison, row, left, right, options_.watch, &pool_));
    }
    return comparison;
  }

 private:
  void RunFirst(int i) {
    FirstPass& pass = passes_[i];
    const std::unique_ptr<Observer> watcher =
        options_.watch ? options_.watch(i == 0 ? "left" : "right") : nullptr;
    RecordOptions record;
    record.max_depth = options_.max_depth;
    record.pool = &pool_;
    record.cache = &cache_;
    record.watcher = watcher.get();
    std::optional<ShadowRun> shadow;
    if (options_.shadow && sides_[i]->evaluator() != nullptr) {
      shadow.emplace(*sides_[i]->evaluator(), *sides_[i]->feeds(), watcher.get(),
                     options_.max_depth, options_.max_memory);
      record.watcher = &*shadow;
    }
    pass.stream = sides_[i]->Record(
        record, [&](int number, const StreamResult& result, const Value& value) -> absl::Status {
          if (result.kind == ResultKind::kOutput) pass.outputs.emplace_back(number, value);
          // Bits that agree are never needed again.
          if (i == 0) {
            left_contents_.insert(result.fingerprint.content);
          } else if (left_contents_.contains(result.fingerprint.content)) {
            return absl::OkStatus();
          }
          pass.bank.Keep(number, value, result.kind == ResultKind::kInitializer);
          return absl::OkStatus();
        });
    if (!shadow.has_value()) return;
    pass.shadow = shadow->Finish(pass.stream);
    pass.outputs_in_double = shadow->TakeOutputs();
  }

  RecordedSide Recorded(int i) { return {sides_[i], &passes_[i].stream, &passes_[i].bank}; }

  // Fills the rows of the alignment. `known`: by row of it, one that was measured before, or null.
  absl::Status MeasureRows(Comparison* comparison,
                           absl::FunctionRef<const ComparedRow*(size_t)> known) {
    std::vector<ResultPair> pairs;
    std::vector<size_t> rows;  // by pair
    for (size_t i = 0; i < comparison->alignment.rows.size(); ++i) {
      const AlignedRow& aligned = comparison->alignment.rows[i];
      if (known(i) != nullptr) {
        comparison->rows.push_back(*known(i));
        continue;
      }
      ComparedRow& row = comparison->rows.emplace_back();
      row.aligned = aligned;
      if (!aligned.paired()) {
        row.relation = aligned.right.empty() ? Relation::kLeftOnly : Relation::kRightOnly;
        continue;
      }
      const ResultPair pair = {aligned.left.back(), aligned.right.back()};
      if (SameElements(Result(0, pair.left), Result(1, pair.right), aligned.marks)) continue;
      pairs.push_back(pair);
      rows.push_back(comparison->rows.size() - 1);
    }
    PairValues values(Recorded(0), Recorded(1), options_.max_memory, options_.watch);
    return values.ForEach(
        pairs, [&](size_t i, const Value& left, const Value& right) -> absl::Status {
          ComparedRow& row = comparison->rows[rows[i]];
          DifferenceOptions options;
          options.tolerance =
              ToleranceOf(Result(0, pairs[i].left), Result(1, pairs[i].right), options_.tolerance);
          if (Has(row.aligned.marks, Mark::kTransposed)) {
            OC_ASSIGN_OR_RETURN(const Value sorted_left, SortedElements(left));
            OC_ASSIGN_OR_RETURN(const Value sorted_right, SortedElements(right));
            row.difference = TensorDifferenceOf(sorted_left, sorted_right, options, &pool_);
          } else {
            row.difference = TensorDifferenceOf(left, right, options, &pool_);
          }
          row.relation = row.difference->values.agree ? Relation::kClose : Relation::kDifferent;
          return absl::OkStatus();
        });
  }

  absl::Status FindNotFiniteOnBoth(Comparison* comparison) {
    OC_ASSIGN_OR_RETURN(comparison->left_not_finite,
                        FindNotFinite(Recorded(0), "left again", options_.watch));
    OC_ASSIGN_OR_RETURN(comparison->right_not_finite,
                        FindNotFinite(Recorded(1), "right again", options_.watch));
    return absl::OkStatus();
  }

  absl::Status NameCauses(Comparison* comparison) {
    if (sides_[1]->evaluator() == nullptr && VerdictOf(*comparison) == Verdict::kDifferent) {
      comparison->notes.push_back(
          absl::StrCat("no cause was looked for: the right is a recording, and causes are found by "
                       "running the right model on the left's values",
                       sides_[0]->evaluator() == nullptr ? "" : "; exchange the two sides"));
    }
    CauseOptions options;
    options.max_memory = options_.max_memory;
    options.pool = &pool_;
    options.outputs_agree = comparison->outputs.agree;
    options.watch = options_.watch;
    options.limits = options_.cause_limits;
    if (options_.repro) {
      options.on_found = [](const FoundCause& found, Cause* cause) {
        absl::StatusOr<Repro> repro = MakeRepro(found, *cause);
        if (repro.ok()) {
          cause->repro = std::make_shared<const Repro>(*std::move(repro));
        } else {
          cause->no_repro = OneLine(repro.status().message());
        }
      };
    }
    OC_ASSIGN_OR_RETURN(CauseReport report,
                        FindCauses(Recorded(0), Recorded(1), comparison->alignment, options));
    comparison->causes = std::move(report.causes);
    if (IsQuantized(passes_[0].stream) && IsQuantized(passes_[1].stream)) {
      DropContradicted(passes_[0].stream, comparison->rows, &comparison->causes);
    }
    for (std::string& note : report.notes) comparison->notes.push_back(std::move(note));
    if (report.repaired.empty()) return absl::OkStatus();
    return AddPairs(report.repaired, comparison);
  }

  absl::Status AddPairs(const std::vector<std::pair<int, int>>& pairs, Comparison* comparison) {
    Amended amended = Amend(comparison->alignment, pairs, passes_[0].stream, passes_[1].stream);
    comparison->alignment = std::move(amended.alignment);
    const std::vector<ComparedRow> before = std::exchange(comparison->rows, {});
    return MeasureRows(comparison, [&](size_t i) {
      const int row = amended.before[i];
      return row == kNone ? nullptr : &before[static_cast<size_t>(row)];
    });
  }

  // Scales and zero points are looked at whenever causes are.
  absl::Status LookAtQuantization(Comparison* comparison) {
    if (!options_.causes && !options_.quantization) return absl::OkStatus();
    QuantizationOptions options;
    options.max_memory = options_.max_memory;
    options.costs = options_.quantization;
    options.watch = options_.watch;
    OC_ASSIGN_OR_RETURN(std::optional<QuantizationReport> report,
                        FindQuantization(Recorded(0), Recorded(1), comparison->alignment, options,
                                         options_.causes ? &comparison->causes : nullptr));
    if (!options_.quantization) return absl::OkStatus();
    comparison->quantization = std::move(report);
    if (!comparison->quantization.has_value()) {
      comparison->notes.push_back("neither side is quantized: there are no layers to list");
    }
    return absl::OkStatus();
  }

  const StreamResult& Result(int side, int number) const {
    return passes_[side].stream.results[static_cast<size_t>(number)];
  }

  std::vector<NamedOutput> Outputs(int side) const {
    std::vector<NamedOutput> outputs;
    for (const auto& [number, value] : passes_[side].outputs) {
      const StreamResult& result = Result(side, number);
      outputs.push_back({result.name, value, &result});
    }
    return outputs;
  }

  static Verdict VerdictOf(const Comparison& comparison) {
    if (!comparison.left_summary.status.ok() || !comparison.right_summary.status.ok()) {
      return Verdict::kFailed;
    }
    const OutputComparison& outputs = comparison.outputs;
    // A recording of inner results has no outputs: then all that it shares with the other side
    // counts.
    if (outputs.pairs.empty() && (outputs.only_left.empty() || outputs.only_right.empty())) {
      Relation worst = Relation::kDifferent;  // nothing was paired
      bool any = false;
      for (const ComparedRow& row : comparison.rows) {
        if (!row.aligned.paired()) continue;
        worst = any ? std::max(worst, row.relation) : row.relation;
        any = true;
      }
      return worst == Relation::kSame    ? Verdict::kSame
             : worst == Relation::kClose ? Verdict::kClose
                                         : Verdict::kDifferent;
    }
    if (!outputs.agree) return Verdict::kDifferent;
    const bool same = std::all_of(outputs.pairs.begin(), outputs.pairs.end(),
                                  [](const OutputPair& pair) { return pair.same_bits; });
    return same ? Verdict::kSame : Verdict::kClose;
  }

  const CompareOptions& options_;
  ThreadPool pool_;
  FingerprintCache cache_;
  Side* sides_[2];
  FirstPass passes_[2];
  absl::flat_hash_set<Hash128> left_contents_;
};

}  // namespace

absl::StatusOr<Comparison> Compare(Side& left, Side& right, const CompareOptions& options) {
  return Comparer(left, right, options).Compare();
}

}  // namespace onnxcmp
