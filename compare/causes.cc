#include "compare/causes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/cause_text.h"
#include "compare/forced_run.h"
#include "compare/left_classes.h"
#include "compare/side_graph.h"
#include "compare/tensor_difference.h"
#include "evaluator/status_macros.h"

namespace onnxcmp {
namespace {

// By right result: the partner whose elements are in the same order, kNone if there is none.
std::vector<int> AlignedPartners(const Alignment& alignment) {
  std::vector<int> partners = alignment.right_to_left;
  for (const AlignedRow& row : alignment.rows) {
    if (row.paired() && Has(row.marks, Mark::kTransposed)) {
      partners[static_cast<size_t>(row.right.back())] = kNone;
    }
  }
  return partners;
}

// Whether anything that is paired has other bits.
bool AnythingDiffers(const RecordedSide& left, const RecordedSide& right,
                     const Alignment& alignment) {
  for (size_t r = 0; r < alignment.right_to_left.size(); ++r) {
    const int l = alignment.right_to_left[r];
    if (l != kNone && left.stream->results[static_cast<size_t>(l)].fingerprint.content !=
                          right.stream->results[r].fingerprint.content) {
      return true;
    }
  }
  return false;
}

class CauseFinder {
 public:
  CauseFinder(const RecordedSide& left, const RecordedSide& right, const Alignment& alignment,
              const CauseOptions& options)
      : left_(left),
        right_(right),
        options_(options),
        aligned_(AlignedPartners(alignment)),
        left_graph_(*left.stream, left.side->evaluator()),
        right_graph_(*right.stream, right.side->evaluator()) {}

  absl::StatusOr<CauseReport> Find() {
    CauseReport report;
    if (const int64_t bytes = LeftBytes(); bytes > options_.max_memory) {
      report.notes.push_back(absl::StrCat("no cause was looked for: the left's results take ",
                                          bytes >> 20, " MiB, more than the memory limit"));
      return report;
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> values, LeftValues());
    const LeftClasses classes(left_graph_, std::move(values));
    const std::vector<Value> leaves = Leaves();
    const ForcedRun run(classes, right_graph_, aligned_, leaves);
    const ForcedState state = Repaired(run);
    for (const int r : right_graph_.results()) {
      const ForcedResult& result = state.at(r);
      if (result.match == kNone || result.own.empty()) continue;
      if (IsRounding(classes, result)) continue;
      Cause cause;
      cause.left = classes.representative(result.match);
      cause.right = r;
      cause.kind = KindOf(r);
      DifferenceOptions difference;
      cause.local = TensorDifferenceOf(result.held, result.own, difference, options_.pool);
      cause.text = CauseText(cause, run, state);
      report.causes.push_back(std::move(cause));
    }
    return report;
  }

 private:
  CauseKind KindOf(int r) const {
    if (right_graph_.IsConstant(r)) return CauseKind::kInitializer;
    return right_graph_.producer(r) == kNone ? CauseKind::kInput : CauseKind::kOperator;
  }

  // Of the left's results that were computed.
  int64_t LeftBytes() const {
    double bytes = 0;
    for (const int r : left_graph_.results()) {
      if (left_graph_.producer(r) == kNone) continue;
      const StreamResult& result = left_graph_.result(r);
      bytes += static_cast<double>(result.fingerprint.size) * BitWidth(result.dtype) / 8;
    }
    return static_cast<int64_t>(bytes);
  }

  // All of the left's main graph.
  absl::StatusOr<std::vector<Value>> LeftValues() {
    std::vector<Value> values(left_.stream->results.size());
    std::vector<bool> wanted(values.size());
    bool missing = false;
    for (const int r : left_graph_.results()) {
      const auto i = static_cast<size_t>(r);
      if (const Value* kept = left_.bank->Find(r); kept != nullptr) {
        values[i] = *kept;
      } else {
        wanted[i] = missing = true;
      }
    }
    if (!missing) return values;
    const std::unique_ptr<Observer> watcher =
        options_.watch ? options_.watch("left again") : nullptr;
    OC_RETURN_IF_ERROR(
        left_.side->Revisit(wanted, watcher.get(), [&](int result, const Value& value) {
          values[static_cast<size_t>(result)] = value;
          return absl::OkStatus();
        }));
    return values;
  }

  std::vector<Value> Leaves() const {
    std::vector<Value> leaves(right_.stream->results.size());
    absl::flat_hash_map<absl::string_view, const Value*> initializers;
    for (const Initializer& initializer : right_.side->evaluator()->model().graph.initializers) {
      initializers[initializer.name] = &initializer.value;
    }
    for (const int r : right_graph_.results()) {
      if (right_graph_.producer(r) != kNone) continue;
      const StreamResult& result = right_graph_.result(r);
      if (result.kind == ResultKind::kInitializer) {
        const auto it = initializers.find(result.name);
        if (it != initializers.end()) leaves[static_cast<size_t>(r)] = *it->second;
      } else if (const auto it = right_.side->feeds()->find(result.name);
                 it != right_.side->feeds()->end()) {
        leaves[static_cast<size_t>(r)] = it->second;
      }
    }
    return leaves;
  }

  // Takes the alignment's word for what is not near, the first such pair first: behind it, what was
  // merely inherited matches again.
  ForcedState Repaired(const ForcedRun& run) const {
    constexpr int kMaxTrials = 64;
    ForcedState state = run.Run({});
    state = run.Run(state.fixed, &state);
    std::vector<bool> refused(state.results.size());
    for (int trials = 0; trials < kMaxTrials; ++trials) {
      int next = kNone;
      for (const int r : right_graph_.results()) {
        if (refused[static_cast<size_t>(r)] || state.at(r).match != kNone) continue;
        const int c = run.left().of(aligned_[static_cast<size_t>(r)]);
        if (c == kNone || run.ValueFor(c, r).empty()) continue;
        next = r;
        break;
      }
      if (next == kNone) break;
      refused[static_cast<size_t>(next)] = true;
      FixedMatches fixed = state.fixed;
      fixed[next] = run.left().of(aligned_[static_cast<size_t>(next)]);
      ForcedState repaired = run.Run(fixed, &state);
      if (repaired.matched > state.matched) state = std::move(repaired);
    }
    return state;
  }

  static bool IsRounding(const LeftClasses& classes, const ForcedResult& result) {
    if (!IsMeasurable(result.own) || !IsMeasurable(result.held)) return false;
    const StreamResult& left = classes.result(result.match);
    const Measured own = Measure(result.own.tensor());
    const Measured held = Measure(result.held.tensor());
    return Near(left.dtype, held, result.own.tensor().dtype(), own);
  }

  const RecordedSide& left_;
  const RecordedSide& right_;
  const CauseOptions& options_;
  std::vector<int> aligned_;
  SideGraph left_graph_;
  SideGraph right_graph_;
};

}  // namespace

absl::StatusOr<CauseReport> FindCauses(const RecordedSide& left, const RecordedSide& right,
                                       const Alignment& alignment, const CauseOptions& options) {
  if (right.side->evaluator() == nullptr || !AnythingDiffers(left, right, alignment)) {
    return CauseReport();
  }
  return CauseFinder(left, right, alignment, options).Find();
}

}  // namespace onnxcmp
