#include "compare/compare.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/alignment/recorded_pairs.h"
#include "compare/blocks/compare_blocks.h"
#include "compare/causes/causes.h"
#include "compare/causes/repro.h"
#include "compare/comparison/causes_without_effect.h"
#include "compare/comparison/recorded_results.h"
#include "compare/comparison/verdict.h"
#include "compare/differences/sorted_elements.h"
#include "compare/differences/tensor_difference.h"
#include "compare/explain/explain.h"
#include "compare/forms/common_forms.h"
#include "compare/inputs/type_text.h"
#include "compare/not_finite/find_not_finite.h"
#include "compare/quantization/contradicted_causes.h"
#include "compare/quantization/explained_noise.h"
#include "compare/quantization/find_quantization.h"
#include "compare/quantization/stood_for.h"
#include "compare/repro/make_repro.h"
#include "compare/shadow/shadow_report.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/value_bank.h"
#include "compare/steps/record_sides.h"
#include "compare/streams/common_form.h"
#include "compare/streams/quantized_streams.h"
#include "compare/streams/result_names.h"
#include "compare/text/meant_name.h"
#include "compare/tolerances/pair_tolerance.h"
#include "compare/verdict/find_ties.h"
#include "compare/verdict/output_comparison.h"
#include "compare/verdict/recorded_entries.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {
namespace {

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
        sides_{&left, &right} {}

  absl::StatusOr<Comparison> Compare() {
    Record();
    comparison_.left_summary = sides_[0]->summary();
    comparison_.right_summary = sides_[1]->summary();
    OC_RETURN_IF_ERROR(ResolveTolerances());
    OC_RETURN_IF_ERROR(FindCommonForms(Recorded(0), Recorded(1), options_.watch, &comparison_.left,
                                       &comparison_.right));
    {
      const StepTimer timer(options_.timings, "align");
      comparison_.alignment = Aligned();
      OC_RETURN_IF_ERROR(PairByMoreThanValues());
    }
    tolerances_.emplace(comparison_.left, comparison_.right, comparison_.alignment,
                        named_tolerance_);
    if (options_.made_up && DifferInQuantization(comparison_.left, comparison_.right)) {
      tolerances_->Allow(ToleranceOfOtherCalibration(), "8-bit quantization for other inputs");
    }
    {
      const StepTimer timer(options_.timings, "measure");
      OC_RETURN_IF_ERROR(MeasureRows([](size_t) { return nullptr; }));
      OC_RETURN_IF_ERROR(JudgeOutputs());
      OC_RETURN_IF_ERROR(FindNotFiniteOnBoth());
    }
    {
      const StepTimer timer(options_.timings, "causes");
      if (options_.causes) OC_RETURN_IF_ERROR(NameCauses());
      OC_RETURN_IF_ERROR(LookAtQuantization());
    }
    if (DifferByKnownForms(comparison_)) {
      tolerances_->Allow(ToleranceOfKnownForms(), "the tanh form of Gelu for the one with erf");
      OC_RETURN_IF_ERROR(JudgeOutputs());
    }
    // What made-up inputs do to numbers that were calibrated for others is no mistake of a model.
    if (!options_.made_up || !DifferInQuantization(comparison_.left, comparison_.right)) {
      RejudgeOutputs(effects_, &comparison_);
      WeighLayers();
    }
    NoteCausesWithoutEffect(&comparison_);
    if (options_.blocks) LookAtBlocks();
    if (options_.quantization) comparison_.quantization = std::move(quantization_);
    if (options_.shadow) {
      comparison_.shadow = MakeShadowReport(
          comparison_, std::move(RecordOf(0).shadow), std::move(RecordOf(1).shadow),
          RecordOf(0).outputs_in_double, RecordOf(1).outputs_in_double);
    }
    comparison_.notes.insert(comparison_.notes.end(), comparison_.outputs.notes.begin(),
                             comparison_.outputs.notes.end());
    comparison_.verdict = VerdictOf(comparison_);
    comparison_.fail_on = options_.fail_on;
    if (!options_.explain.empty()) {
      OC_ASSIGN_OR_RETURN(const size_t row, FindRow(comparison_, options_.explain));
      OC_ASSIGN_OR_RETURN(comparison_.explanation,
                          ExplainRow(comparison_, row, Recorded(0), Recorded(1), *tolerances_,
                                     options_.watch, &pool_));
    }
    return std::move(comparison_);
  }

 private:
  void Record() {
    RecordSidesOptions options;
    options.max_depth = options_.max_depth;
    options.keep_values = options_.keep_values;
    options.share = options_.share;
    options.shadow = options_.shadow;
    options.shadow_memory = options_.keep_values;
    options.pool = &pool_;
    options.cache = &cache_;
    options.timings = options_.timings;
    options.watch = options_.watch;
    records_ = RecordSides({sides_[0], sides_[1]}, options);
    comparison_.left = std::move(records_.left.stream);
    comparison_.right = std::move(records_.right.stream);
  }
  SideRecord& RecordOf(int side) { return side == 0 ? records_.left : records_.right; }
  const SideRecord& RecordOf(int side) const { return side == 0 ? records_.left : records_.right; }

  // By the forms of results; what is cast and what has its channels elsewhere are still told.
  Alignment Aligned() const {
    if (!HasForms(comparison_.left) && !HasForms(comparison_.right)) {
      return Align(comparison_.left, comparison_.right);
    }
    Alignment alignment = Align(InCommonForm(comparison_.left), InCommonForm(comparison_.right));
    for (AlignedRow& row : alignment.rows) {
      if (row.paired() && Result(0, row.left.back()).dtype != Result(1, row.right.back()).dtype) {
        row.marks = static_cast<Marks>(row.marks | static_cast<Marks>(Mark::kCast));
      }
    }
    return alignment;
  }

  const ResultStream& Stream(int side) const {
    return side == 0 ? comparison_.left : comparison_.right;
  }
  RecordedSide Recorded(int i) { return {sides_[i], &Stream(i), &RecordOf(i).bank}; }

  // Tolerances by the whole names of results.
  absl::Status ResolveTolerances() {
    named_tolerance_ = options_.tolerance;
    if (options_.tolerance.by_name.empty()) return absl::OkStatus();
    const std::vector<std::string> names = NamesOf({&comparison_.left, &comparison_.right});
    OC_ASSIGN_OR_RETURN(named_tolerance_,
                        WithWholeNames(options_.tolerance, names, "results of either side"));
    return absl::OkStatus();
  }

  // What the user says; and of recordings what names and places say.
  absl::Status PairByMoreThanValues() {
    std::vector<AddedPair> given;
    for (const std::string& text : options_.pairs) {
      OC_ASSIGN_OR_RETURN(const AddedPair pair, GivenPair(text));
      given.push_back(pair);
    }
    AddToAlignment(given);
    if (!comparison_.left.recorded && !comparison_.right.recorded) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const std::vector<AddedPair> entries,
                        FindEntries(Recorded(0), Recorded(1), comparison_.alignment,
                                    options_.keep_values, options_.watch));
    AddToAlignment(entries);
    AddToAlignment(PairRecorded(comparison_.alignment, comparison_.left, comparison_.right));
    return absl::OkStatus();
  }

  void AddToAlignment(const std::vector<AddedPair>& pairs) {
    if (pairs.empty()) return;
    comparison_.alignment =
        Amend(comparison_.alignment, pairs, comparison_.left, comparison_.right).alignment;
  }

  // "LEFT=RIGHT"; names may hold '='.
  absl::StatusOr<AddedPair> GivenPair(const std::string& text) const {
    absl::Status first;
    for (size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      const absl::StatusOr<int> left =
          FindResult(comparison_.left, absl::string_view(text).substr(0, at), "left");
      const absl::StatusOr<int> right =
          FindResult(comparison_.right, absl::string_view(text).substr(at + 1), "right");
      if (left.ok() && right.ok()) return AddedPair{*left, *right, Mark::kGiven};
      first.Update(left.status());
      first.Update(right.status());
    }
    if (first.ok())
      return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not LEFT=RIGHT"));
    return first;
  }

  // Outputs, and of recordings all results; a recording that does not know its outputs has none.
  absl::Status JudgeOutputs() {
    const auto knows = [&](int side) {
      return !Stream(side).recorded || !RecordOf(side).outputs.empty();
    };
    const bool both = knows(0) && knows(1);
    comparison_.outputs = CompareOutputs(both ? Outputs(0) : std::vector<NamedOutput>(),
                                         both ? Outputs(1) : std::vector<NamedOutput>(),
                                         named_tolerance_, &*tolerances_, &comparison_.alignment);
    comparison_.outputs.partial = options_.partial;
    JudgeRecorded(*tolerances_, &comparison_);
    comparison_.outputs.agree = AllAgree(comparison_.outputs);
    if (comparison_.outputs.agree) return absl::OkStatus();
    return LookForTies();
  }

  absl::Status LookForTies() {
    TieOptions options;
    options.run_again = options_.ties_agree;
    options.keep_values = options_.keep_values;
    options.watch = options_.watch;
    OC_ASSIGN_OR_RETURN(
        const std::vector<Value> again,
        FindTies(Recorded(0), Recorded(1), *tolerances_, options, &comparison_.outputs));
    if (!options_.ties_agree) return absl::OkStatus();
    std::vector<NamedOutput> right = Outputs(1);
    for (size_t i = 0; i < std::min(right.size(), again.size()); ++i) right[i].value = again[i];
    const OutputComparison without =
        CompareOutputs(Outputs(0), right, named_tolerance_, &*tolerances_, &comparison_.alignment);
    for (size_t i = 0; i < comparison_.outputs.pairs.size(); ++i) {
      OutputPair& pair = comparison_.outputs.pairs[i];
      if (pair.difference.agree) continue;
      if (!again.empty() && i < without.pairs.size() && without.pairs[i].difference.agree) {
        pair.ties = true;
        pair.difference = without.pairs[i].difference;
      }
      if (pair.ties) pair.difference.agree = true;
    }
    comparison_.outputs.agree = AllAgree(comparison_.outputs);
    return absl::OkStatus();
  }

  // Fills the rows of the alignment. `known`: by row of it, one that was measured before, or null.
  absl::Status MeasureRows(absl::FunctionRef<const ComparedRow*(size_t)> known) {
    std::vector<ResultPair> pairs;
    std::vector<size_t> rows;  // by pair
    for (size_t i = 0; i < comparison_.alignment.rows.size(); ++i) {
      const AlignedRow& aligned = comparison_.alignment.rows[i];
      if (known(i) != nullptr) {
        comparison_.rows.push_back(*known(i));
        continue;
      }
      ComparedRow& row = comparison_.rows.emplace_back();
      row.aligned = aligned;
      if (!aligned.paired()) {
        row.relation = aligned.right.empty() ? Relation::kLeftOnly : Relation::kRightOnly;
        continue;
      }
      const ResultPair pair = {aligned.left.back(), aligned.right.back()};
      if (SameElements(Result(0, pair.left), Result(1, pair.right), aligned.marks)) continue;
      pairs.push_back(pair);
      rows.push_back(comparison_.rows.size() - 1);
    }
    PairValues values(Recorded(0), Recorded(1), options_.keep_values, options_.watch);
    StoodFor stood_for(Recorded(0), Recorded(1));
    return values.ForEach(
        pairs, [&](size_t i, const Value& own_left, const Value& own_right) -> absl::Status {
          const auto [left, right] = stood_for.Comparable(pairs[i], own_left, own_right);
          ComparedRow& row = comparison_.rows[rows[i]];
          DifferenceOptions options;
          options.tolerance = tolerances_->Of(pairs[i].left, pairs[i].right).tolerances;
          // What was recorded counts as outputs do.
          options.parts = comparison_.left.recorded || comparison_.right.recorded;
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

  absl::Status FindNotFiniteOnBoth() {
    OC_ASSIGN_OR_RETURN(comparison_.left_not_finite,
                        FindNotFinite(Recorded(0), "left again", options_.watch));
    OC_ASSIGN_OR_RETURN(comparison_.right_not_finite,
                        FindNotFinite(Recorded(1), "right again", options_.watch));
    return absl::OkStatus();
  }

  absl::Status NameCauses() {
    if (sides_[1]->evaluator() == nullptr && VerdictOf(comparison_) == Verdict::kDifferent) {
      comparison_.notes.push_back(
          absl::StrCat("no cause was looked for: the right is a recording, and causes are found by "
                       "running the right model on the left's values",
                       sides_[0]->evaluator() == nullptr ? "" : "; exchange the two sides"));
    }
    CauseOptions options;
    options.outputs_agree = comparison_.outputs.agree;
    options.keep_values = options.outputs_agree
                              ? options_.keep_values
                              : std::max(options_.keep_values, options_.keep_for_causes);
    options.pool = &pool_;
    options.watch = options_.watch;
    options.limits = options_.cause_limits;
    options.doubtful = DoubtfulOutputs();
    if (options.outputs_agree && options_.quick_causes) options.apart = Apart();
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
                        FindCauses(Recorded(0), Recorded(1), comparison_.alignment, options));
    comparison_.causes = std::move(report.causes);
    effects_ = std::move(report.effects);
    if (IsQuantized(comparison_.left) && IsQuantized(comparison_.right)) {
      DropContradicted(comparison_.left, comparison_.rows, &comparison_.causes);
    }
    for (std::string& note : report.notes) comparison_.notes.push_back(std::move(note));
    if (report.repaired.empty()) return absl::OkStatus();
    return AddPairs(report.repaired);
  }

  // By right result, as CauseOptions::apart.
  std::vector<double> Apart() const {
    std::vector<double> apart(comparison_.right.results.size(),
                              std::numeric_limits<double>::infinity());
    for (const ComparedRow& row : comparison_.rows) {
      if (!row.aligned.paired() || !row.difference.has_value()) continue;
      const ValueDifference& values = row.difference->values;
      if (!values.reason.empty() || !(values.scale > 0)) continue;
      apart[Index(row.aligned.right.back())] = values.max_absolute / values.scale;
    }
    return apart;
  }

  // Of the right: outputs that agree although their bits differ.
  std::vector<std::pair<int, Value>> DoubtfulOutputs() const {
    std::vector<std::pair<int, Value>> doubtful;
    for (const OutputPair& pair : comparison_.outputs.pairs) {
      if (!pair.difference.agree || pair.same_bits || pair.recorded) continue;
      for (const auto& [number, value] : RecordOf(1).outputs) {
        if (number == pair.right_result) doubtful.emplace_back(number, value);
      }
    }
    return doubtful;
  }

  absl::Status AddPairs(const std::vector<AddedPair>& pairs) {
    Amended amended = Amend(comparison_.alignment, pairs, comparison_.left, comparison_.right);
    comparison_.alignment = std::move(amended.alignment);
    const std::vector<ComparedRow> before = std::exchange(comparison_.rows, {});
    return MeasureRows([&](size_t i) {
      const int row = amended.before[i];
      return row == kNone ? nullptr : &before[static_cast<size_t>(row)];
    });
  }

  // Scales and zero points are looked at whenever causes are.
  absl::Status LookAtQuantization() {
    const bool review =
        options_.causes && DifferInQuantization(comparison_.left, comparison_.right);
    const bool layers = options_.quantization || options_.blocks;
    if (!review && !layers) return absl::OkStatus();
    QuantizationOptions options;
    options.keep_values = options_.keep_values;
    options.costs = layers || (review && AnyWide());
    options.watch = options_.watch;
    OC_ASSIGN_OR_RETURN(quantization_,
                        FindQuantization(Recorded(0), Recorded(1), comparison_.alignment, options,
                                         review ? &comparison_.causes : nullptr));
    if (options_.quantization && !quantization_.has_value()) {
      comparison_.notes.push_back("neither side is quantized: there are no layers to list");
    }
    return absl::OkStatus();
  }

  void LookAtBlocks() {
    const auto side = [&](int i) {
      const Evaluator* evaluator = sides_[i]->evaluator();
      return BlockSide{evaluator == nullptr ? nullptr : &evaluator->model().graph, &Stream(i)};
    };
    comparison_.blocks = CompareBlocks(side(0), side(1), comparison_.alignment,
                                       quantization_.has_value() ? &*quantization_ : nullptr);
    if (!quantization_.has_value()) return;
    for (const std::string& note : quantization_->notes) comparison_.blocks->notes.push_back(note);
  }

  // Whether an output agrees by much because something coarse is upstream.
  static bool IsWide(const OutputPair& pair) {
    constexpr double kMuch = 0.1;
    return pair.difference.agree && !pair.within_own && !pair.recorded &&
           pair.difference.apart > kMuch * pair.difference.tolerance.whole;
  }
  bool AnyWide() const {
    return !options_.made_up &&
           std::any_of(comparison_.outputs.pairs.begin(), comparison_.outputs.pairs.end(), IsWide);
  }

  // Outputs that agree by much because a side is quantized: whether its layers explain as much.
  void WeighLayers() {
    constexpr double kTimesExplained = 2;
    if (!options_.causes || !quantization_.has_value() ||
        !DifferInQuantization(comparison_.left, comparison_.right)) {
      return;
    }
    const QuantizationReport& report = *quantization_;
    const std::optional<ExplainedNoise> noise = ExplainNoise(report);
    if (!noise.has_value()) return;
    for (OutputPair& pair : comparison_.outputs.pairs) {
      if (!IsWide(pair) || pair.difference.apart <= kTimesExplained * noise->all) continue;
      pair.difference.agree = false;
      pair.difference.fault = absl::StrFormat(
          "they are %.2g of their size apart, and honest quantization explains %.2g",
          pair.difference.apart, noise->all);
      if (noise->standing_out.has_value()) {
        absl::StrAppend(&pair.difference.fault, "; '",
                        Result(report.right ? 1 : 0, noise->standing_out->result).name,
                        "' stands out");
      }
    }
    comparison_.outputs.agree = AllAgree(comparison_.outputs);
  }

  const StreamResult& Result(int side, int number) const {
    return Stream(side).results[static_cast<size_t>(number)];
  }

  // The type that a model declares an output to have, if it is another one.
  std::string OtherDeclaredType(int side, const StreamResult& result) const {
    if (sides_[side]->evaluator() == nullptr) return "";
    for (const ValueInfo& output : sides_[side]->evaluator()->model().graph.outputs) {
      if (output.name != result.name || output.type.kind != TypeInfo::Kind::kTensor ||
          output.type.dtype == DType::kUndefined || output.type.dtype == result.dtype) {
        continue;
      }
      return TypeText(output.type);
    }
    return "";
  }

  std::vector<NamedOutput> Outputs(int side) const {
    std::vector<NamedOutput> outputs;
    for (const auto& [number, value] : RecordOf(side).outputs) {
      const StreamResult& result = Result(side, number);
      NamedOutput& output = outputs.emplace_back();
      output.name = result.name;
      output.value = value;
      output.result = number;
      output.declared_type = OtherDeclaredType(side, result);
    }
    return outputs;
  }

  const CompareOptions& options_;
  ThreadPool pool_;
  FingerprintCache cache_;
  Side* sides_[2];
  PerSide<SideRecord> records_;
  Comparison comparison_;
  ToleranceOptions named_tolerance_;
  std::optional<PairTolerances> tolerances_;
  std::optional<QuantizationReport> quantization_;
  std::vector<OutputEffect> effects_;  // of wrong causes, before their review
};

}  // namespace

absl::StatusOr<Comparison> Compare(Side& left, Side& right, const CompareOptions& options) {
  return Comparer(left, right, options).Compare();
}

}  // namespace onnxcmp
