// The constants of two sides that an optimizer has folded, in a proof of the two.
#ifndef ONNXCMP_PROVE_FOLD_SEARCH_H_
#define ONNXCMP_PROVE_FOLD_SEARCH_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "prove/constant_facts.h"
#include "prove/field/prime_field.h"
#include "prove/field_value.h"
#include "prove/folding.h"
#include "prove/value_trace.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct FoundFolds {
  PerSide<absl::flat_hash_map<std::string, Tensor>> residues;  // of constants, by name
  PerSide<std::map<float, Residue>> numbers;                   // MeantConstants::folded
  std::vector<ProofFold> told;
};

// Folded layers by the side that has the constants; nothing: nobody has looked.
using LayerFolds = PerSide<std::optional<std::vector<FoldedConstant>>>;

class FoldSearch {
 public:
  // `known`: values of each side that do not depend on inputs. All must outlive the object.
  FoldSearch(const PrimeField& field, const PerSide<const Graph*>& graphs,
             const PerSide<FieldValues>& known, const ThreadPool& pool)
      : field_(field), graphs_(graphs), known_(known), pool_(pool) {}

  // Constants of one side that the other computes, which agree but for rounding.
  FoundFolds All(absl::Span<const ProofPair> pairs, const PerSide<Traces>& traces) const;
  // Constants that the other side does not have, into which it has folded layers: a run that takes
  // them for what they are comes to nothing.
  // `before`: what another run has found, or nothing yet.
  FoundFolds LayersOfOwnConstants(ConstantFacts* facts, LayerFolds* before) const;

 private:
  // `constants`: those of a side that may be such.
  std::vector<FoldedConstant> LayersOf(SideId side, const FieldValues& constants) const;
  static void AddLayers(SideId side, const std::vector<FoldedConstant>& folds, FoundFolds* found);
  // Numbers of a side that are products of two of the other.
  void FindNumbers(SideId side, FoundFolds* found) const;

  const PrimeField& field_;
  const PerSide<const Graph*> graphs_;
  const PerSide<FieldValues>& known_;
  const ThreadPool& pool_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FOLD_SEARCH_H_
