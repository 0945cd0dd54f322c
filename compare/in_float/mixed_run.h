// Runs a converted model with some of its nodes left in float.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_MIXED_RUN_H_
#define ONNXCMP_COMPARE_IN_FLOAT_MIXED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/quantization/side_values.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/changed_replay.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A kept node computes as on the float side, in float, from the converted side's current values;
// its result is rounded to the converted side's type, and all results that depend on it are
// computed anew. That is how a converter treats an excluded node: it puts casts before and after
// it, or a quantizer rounds its result for other readers.
class MixedRun {
 public:
  // `aligned`: by result of the converted side, its aligned partner, or kNone. All must outlive the
  // object. `quantized`: the converted side has integers rather than shorter floats.
  MixedRun(const SideValues& plain, const SideValues& converted, const std::vector<int>& aligned,
           bool quantized);

  const SideValues& plain() const { return plain_; }
  bool quantized() const { return quantized_; }
  // Nodes of the plain side with the same computation on the converted one, in its coarser type.
  const std::vector<int>& candidates() const { return candidates_; }
  // Nodes that are in float on both sides although a converter would not leave them so by itself.
  const std::vector<int>& already() const { return already_; }
  // True if a constant of the converted side is rounded to its type or bounded by its converter.
  bool IsRounded(int l, int r) const;
  // Partner on the plain side of a result of the converted side; kNone if there is none.
  int partner(int r) const { return partners_[Index(r)]; }

  // By candidate: how far its result, or that of a reader, moves when inputs and output are rounded
  // as on the converted side: the noise, infinite if a number is no longer finite.
  std::vector<double> Errors() const;

  struct Kept {
    absl::flat_hash_set<int> nodes;
    BetweenKept between = BetweenKept::kOneReader;
  };
  // The converted side's outputs with these nodes kept, in its graph's form; empty if a node fails.
  // Nodes already in float count as kept, unless everything between them is rounded.
  std::vector<Value> OutputsWith(const Kept& kept);
  // Number of nodes that ran for that.
  int64_t runs() const { return runs_; }

 private:
  // The changes of a run.
  struct State {
    const Kept* kept = nullptr;
    ChangedValues changed;                  // by result of the converted side
    absl::node_hash_map<int, Value> exact;  // by result of the plain side: before it is rounded
  };

  class ConvertedReplay;

  void FindCandidates();
  // The converted side's node for a node of the plain side; kNone if none fits.
  int CounterpartOf(int n, const absl::flat_hash_map<absl::string_view, int>& nodes_by_name) const;
  bool IsCandidate(int n) const;
  // The converted side's node with the same computation, in float by itself.
  int CounterpartInFloat(int n) const;
  bool ReadsAlike(int n, int counterpart) const;
  bool IsCoarser(int l, int r) const;
  // True if a quantizer rounds the inputs or results of this plain node for its sake.
  bool IsQuantizing(int n) const;
  // True if a reader on the plain side, kNone for all others, gets a result unrounded.
  bool StaysExact(int l, int reader, const Kept& kept) const;

  // The converted result in place of `l` where the plain node `n` reads it; kNone if there is none.
  int StandIn(int n, int l) const;
  const Value& Now(int r, const State& state) const;
  // Converts a value of `r` to the plain side's form for `l`, and back.
  Value InPlainForm(int l, int r, const Value& value) const;
  Value InConvertedForm(int r, const Value& value) const;
  // An input of a kept node.
  Value Reading(int n, int l, State* state);
  // The converted side's input in the plain side's type; kNone if there is none.
  int PlainInput(int l) const;
  // A result before it is rounded for others; empty if it is not known.
  Value Exact(int l, State* state);
  bool RunKept(int n, State* state);
  // The plain side's own value as rounded by the converted side for a reader.
  Value Rounded(int n, int l) const;
  double ErrorOfInputs(int n) const;
  double ErrorOfOutputs(int n) const;

  const SideValues& plain_;
  const SideValues& converted_;
  const bool quantized_;
  std::vector<int> partners_;                // by result of the converted side
  std::vector<std::vector<int>> stand_ins_;  // by result of the plain side, in order
  std::vector<int> candidates_;
  std::vector<int> already_;
  std::vector<int> counterparts_;          // by node of the plain side
  std::vector<std::vector<int>> kept_by_;  // by node of the converted side: its counterparts
  int64_t runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_MIXED_RUN_H_
