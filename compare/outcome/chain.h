// A chain of models, such as the passes of an optimizer leave them, each compared with the next
// and with the first: which step broke it.
#ifndef ONNXCMP_COMPARE_OUTCOME_CHAIN_H_
#define ONNXCMP_COMPARE_OUTCOME_CHAIN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/model_changes.h"

namespace onnxcmp {

// The proof of a step on all its sets of inputs, if one was asked for.
struct StepProof {
  bool proved = false;            // on all sets
  std::vector<std::string> text;  // of the first set that is not proved, else of the first
  std::string rewrites;           // the same: "Pow → Mul: proved; Resize: tested"
};

// Two models of the chain.
struct ChainStep {
  size_t left = 0;  // from 0
  size_t right = 0;
  int sets = 0;                     // number of sets of inputs
  SetSummary worst;                 // the first of the worst; its name is that of the set
  ModelChanges counts;              // the step's changes of the model on that set
  std::string changes;              // the same and more in words
  std::vector<std::string> causes;  // the causes of that set, a line each, mistakes first
  std::optional<StepProof> proof;
};

struct Chain {
  std::vector<std::string> models;  // as they were named
  std::vector<ChainStep> steps;     // model i beside model i + 1
  // The first model beside model i + 1; none for the step that starts from it.
  std::vector<std::optional<ChainStep>> against_first;
  // Optimizers of a runtime without which the first failing step passes, as few as were found.
  std::vector<std::string> optimizers;

  // The first model beside the one after step i; null if that was not compared.
  const ChainStep* BesideFirst(size_t i) const;
  // The first model beside the last, if there are more than two.
  const ChainStep* ends() const;
};

// The number of the first step that fails by itself; nothing if none does.
std::optional<size_t> BrokenBy(const Chain& chain);
// If the last model differs from the first and no step fails: the first step after which a model
// differs from the first one, because the changes of the steps add up.
std::optional<size_t> AddsUpAt(const Chain& chain);
// The worst of all steps, and of the first model beside the last.
int ExitStatusOf(const Chain& chain);
Verdict VerdictOf(const Chain& chain);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_CHAIN_H_
