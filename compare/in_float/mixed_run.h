// A converted model run with some of its nodes left in float.
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
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A node that is kept computes as the side in float does, from what the converted side has by then,
// in float; its result is rounded to what the converted side has in its place, and all that is
// computed from it is computed anew. So a converter treats a node that it is told to leave alone:
// casts are put before and after it, or a quantizer rounds what others read of it.
class MixedRun {
 public:
  // `aligned`: by result of the converted side, its partner as the alignment has it, or kNone. All
  // must outlive the object. `quantized`: the converted side has integers rather than shorter
  // floats.
  MixedRun(const SideValues& plain, const SideValues& converted, const std::vector<int>& aligned,
           bool quantized);

  const SideValues& plain() const { return plain_; }
  bool quantized() const { return quantized_; }
  // Nodes of the plain side that compute the same on the converted one, in its coarser type.
  const std::vector<int>& candidates() const { return candidates_; }
  // Nodes that are in float on both sides without that a converter would leave them so by itself.
  const std::vector<int>& already() const { return already_; }
  // Whether the converted side has the numbers of a constant as its type rounds them or as its
  // converter bounds them.
  bool IsRounded(int l, int r) const;
  // Partner of a result of the converted side on the plain side; kNone if there is none.
  int partner(int r) const { return partners_[Index(r)]; }

  // By candidate: how far its result moves when what it reads and gives is rounded as on the
  // converted side, or what a reader of its result gives then: the noise, infinite where something
  // is not finite any more.
  std::vector<double> Errors() const;

  struct Kept {
    absl::flat_hash_set<int> nodes;
    BetweenKept between = BetweenKept::kOneReader;
  };
  // The converted side's outputs then, as its graph has them; empty if a node fails. What is in
  // float already counts as kept, unless everything is rounded in between.
  std::vector<Value> OutputsWith(const Kept& kept);
  // Nodes that were run for that.
  int64_t runs() const { return runs_; }

 private:
  // What a run has changed.
  struct State {
    const Kept* kept = nullptr;
    absl::node_hash_map<int, Value> changed;  // by result of the converted side
    absl::node_hash_map<int, Value> exact;    // by result of the plain side: before it is rounded
  };

  void FindPartners(const std::vector<int>& aligned);
  int PartnerByName(int r, const absl::flat_hash_map<absl::string_view, int>& by_name) const;
  void FindCandidates();
  // What the converted side computes the results of a node of the plain side with; kNone if nothing
  // fits.
  int CounterpartOf(int n, const absl::flat_hash_map<absl::string_view, int>& nodes_by_name) const;
  bool IsCandidate(int n) const;
  // The node of the converted side that computes in float what this one does, of itself.
  int CounterpartInFloat(int n) const;
  bool ReadsAlike(int n, int counterpart) const;
  bool IsCoarser(int l, int r) const;
  // Whether a quantizer rounds what this node of the plain side reads or gives for its sake.
  bool IsQuantizing(int n) const;
  // Whether a reader of the plain side, kNone for all others, gets a result as it was before it is
  // rounded.
  bool StaysExact(int l, int reader, const Kept& kept) const;

  // What stands for `l` where the plain node `n` would read it; kNone if nothing does.
  int StandIn(int n, int l) const;
  const Value& Now(int r, const State& state) const;
  // A value of `r` as the plain side has `l`, and the other way round.
  Value InPlainForm(int l, int r, const Value& value) const;
  Value InConvertedForm(int r, const Value& value) const;
  // What a kept node reads.
  Value Reading(int n, int l, State* state);
  // What the converted side has of an input in the plain side's type; kNone if it has not.
  int PlainInput(int l) const;
  // A result before it is rounded for others; empty if that is not known.
  Value Exact(int l, State* state);
  bool RunKept(int n, State* state);
  bool RunConverted(int n, State* state);
  // The plain side's own value as the converted side would hand it to a reader.
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
  std::vector<std::vector<int>> kept_by_;  // by node of the converted side: whose counterpart it is
  int64_t runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_MIXED_RUN_H_
