// Runs the quantized model once more with the other side's values wherever a result has a
// counterpart there, rounded with the result's quantization parameters: the remaining distance of a
// result from its partner is its local error. Partners are found during the run.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_COUNTERPART_RUN_H_
#define ONNXCMP_COMPARE_QUANTIZATION_COUNTERPART_RUN_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quantization_error.h"
#include "compare/quantization/side_values.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

class CounterpartRun {
 public:
  // `aligned`: by result of the quantized side, its aligned partner or kNone. All must outlive the
  // object.
  CounterpartRun(const SideValues& other, const SideValues& quantized,
                 const std::vector<int>& aligned);

  const SideValues& other() const { return other_; }
  const SideValues& quantized() const { return quantized_; }
  // By result of the quantized side. Constants, and results of constants alone, have none.
  int partner(int r) const { return partners_[Index(r)]; }
  // The aligned partner.
  int aligned(int r) const { return aligned_[Index(r)]; }
  // True if that partner is known by name.
  bool named(int r) const { return !named_.empty() && named_[Index(r)] != kNone; }
  // The node's result on the other side's values; empty if it is not known.
  const Value& own(int r) const { return own_[Index(r)]; }
  // The value that readers are given: the partner's, else `own`.
  const Value& held(int r) const { return held_[Index(r)]; }
  // True if readers are given the partner's value. A result that only a QuantizeLinear reads is not
  // replaced, so that a layer's error includes its node and its rounding.
  bool replaced(int r) const { return replaced_[Index(r)]; }
  // Local values in reals, integers dequantized with the parameters they were made with.
  std::optional<DequantizedView> LocalReals(int r) const;
  // Compares them with the partner's.
  NoiseStats LocalNoise(int r) const { return local_noise_[Index(r)]; }

  // True if the other side has a constant of the same bits: then this one is right. False for
  // single integers, where equality proves nothing: most are 0.
  bool IsOfBoth(int r) const;

  // The nodes that make a result from replaced results and constants, in order.
  std::vector<int> RegionOf(int r) const;
  // The region's result for `r` with another value in place of one of its constants.
  Value RunRegion(const std::vector<int>& region, int r, int constant, const Value& instead) const;

 private:
  class PartnerReplay;

  // The results of a node on the other side's values; what is not among them is as it was.
  void SetOwn(int n, const std::vector<Value>& outputs);
  void FindPartner(int n, int r);
  void SetLocalNoise(int r);  // requires a partner
  // The partner known by name, for the node's input if the node rounds; kNone if there is none.
  int NamedPartner(int n, int r) const;
  int Confirmed(int n, int r) const;
  std::vector<int> Candidates(int first, int r) const;
  bool AreProducts(int n, int candidate) const;
  bool AreAlike(int n, int candidate) const;
  // True if results that depend on a result are much nearer to the candidate, as a Tanh of small
  // numbers.
  bool IsNearerAfter(int r, int candidate, double noise) const;
  // The aligned partners of the first results after a result that have one.
  std::vector<int> AlignedAfter(int r) const;
  // True if a candidate depends on one of these. Then it comes too late to be the counterpart of
  // their inputs.
  bool IsMadeOf(int candidate, const std::vector<int>& earlier) const;
  int BestCandidate(int n, int r, const DequantizedView& own) const;
  bool OnlyQuantized(int r) const;
  // The partner's value in the result's type.
  Value PartnerValue(int r) const;

  const SideValues& other_;
  const SideValues& quantized_;
  const std::vector<int>& aligned_;
  const std::vector<int> named_;  // as from NamedPartners()
  std::vector<int> partners_;
  std::vector<Value> own_;
  std::vector<Value> held_;
  std::vector<bool> replaced_;
  std::vector<NoiseStats> local_noise_;      // by result of the quantized side, as LocalNoise
  absl::flat_hash_set<Hash128> constants_;   // the other side's, by their bits
  absl::flat_hash_map<int, double> claims_;  // noise by partner, when it was first found
  std::vector<std::vector<int>> origins_;    // partners that a result depends on
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_COUNTERPART_RUN_H_
