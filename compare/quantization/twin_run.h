// The quantized model run once more with the other side's values wherever a result stands for one
// of that side, rounded to the result's grid: what a result then differs from its partner is its
// own. Partners are found on the way.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_TWIN_RUN_H_
#define ONNXCMP_COMPARE_QUANTIZATION_TWIN_RUN_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/quantization/reals.h"
#include "compare/quantization/side_values.h"
#include "compare/quantization/signal.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class TwinRun {
 public:
  // `aligned`: by result of the quantized side, its partner as the alignment has it, or kNone. All
  // must outlive the object.
  TwinRun(const SideValues& other, const SideValues& quantized, const std::vector<int>& aligned);

  const SideValues& other() const { return other_; }
  const SideValues& quantized() const { return quantized_; }
  // By result of the quantized side. Constants, and what is made of them alone, have none.
  int partner(int r) const { return partners_[Index(r)]; }
  // The same as the alignment has it.
  int aligned(int r) const { return aligned_[Index(r)]; }
  // Whether names tell that partner.
  bool named(int r) const { return !named_.empty() && named_[Index(r)] != kNone; }
  // What the node gives on the other side's values; empty if that is not known.
  const Value& own(int r) const { return own_[Index(r)]; }
  // What readers are given: the partner's value, else `own`.
  const Value& held(int r) const { return held_[Index(r)]; }
  // Whether readers are given the partner's value. What only goes into a QuantizeLinear is not
  // replaced, so that a layer's result is that of its node and of the rounding.
  bool replaced(int r) const { return replaced_[Index(r)]; }
  // Own values in reals; of integers by the grid that they were made with.
  std::optional<Reals> OwnReals(int r) const;
  // They against the partner's.
  Likeness OwnLikeness(int r) const { return likenesses_[Index(r)]; }

  // Whether the other side has a constant of the same bits: then this one is as it should be. Of
  // single integers, which are 0 as a rule, that says nothing, and it is false.
  bool IsOfBoth(int r) const;

  // The nodes that make a result from replaced results and constants, in order.
  std::vector<int> RegionOf(int r) const;
  // What a region gives for `r` when one of the constants that it reads is another.
  Value RunRegion(const std::vector<int>& region, int r, int constant, const Value& instead) const;

 private:
  void RunNode(int n);
  void FindPartner(int n, int r);
  void SetLikeness(int r);  // of one that has a partner
  // The partner that names tell, of what the node rounds if it rounds; kNone if they do not.
  int NamedPartner(int n, int r) const;
  int VouchedFor(int n, int r) const;
  std::vector<int> Candidates(int first, int r) const;
  bool AreProducts(int n, int candidate) const;
  bool AreAlike(int n, int candidate) const;
  // Whether what is made of a result is nearer to the candidate by far: a Tanh of small numbers.
  bool IsNearerAfter(int r, int candidate, double noise) const;
  // What the alignment has for the first results that are made of a result and that it has
  // something for.
  std::vector<int> AlignedAfter(int r) const;
  // Whether a result of the other side is made of one of these. Then it is too late to stand for
  // what these are made of.
  bool IsMadeOf(int candidate, const std::vector<int>& earlier) const;
  int BestCandidate(int n, int r, const Reals& own) const;
  bool OnlyQuantized(int r) const;
  // The partner's value as the result's type has it.
  Value PartnerValue(int r) const;

  const SideValues& other_;
  const SideValues& quantized_;
  const std::vector<int>& aligned_;
  const std::vector<int> named_;  // as NamedPartners() has it
  std::vector<int> partners_;
  std::vector<Value> own_;
  std::vector<Value> held_;
  std::vector<bool> replaced_;
  std::vector<Likeness> likenesses_;         // by result of the quantized side, as OwnLikeness
  absl::flat_hash_set<Hash128> constants_;   // of the other side, by their bits
  absl::flat_hash_map<int, double> claims_;  // noise by partner, as it was found first
  std::vector<std::vector<int>> origins_;    // partners that a result is made from
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_TWIN_RUN_H_
