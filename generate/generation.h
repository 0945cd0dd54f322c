// Two decoders step by step on the same tokens: what each would say, and where they part.
#ifndef ONNXCMP_GENERATE_GENERATION_H_
#define ONNXCMP_GENERATE_GENERATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/outputs/compared_row.h"
#include "generate/decoder_side.h"
#include "generate/invariants.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct GenerateOptions {
  int64_t steps = 16;
  std::vector<std::vector<int64_t>> prompts;  // none: one is made up
  // Each side follows its own tokens; else both follow the left's.
  bool free = false;
  uint64_t seed = 1;       // of prompts that are made up
  CompareOptions compare;  // of the first step that fails
  bool show_last = false;  // the last step is compared, too, if none fails
};

// One step: the first takes the prompts, each further one a token for each prompt.
struct GeneratedStep {
  // One prompt. The numbers are of the logits of its last position.
  struct Row {
    PerSide<int64_t> token = {0, 0};  // with the greatest logit, the first of equal ones
    PerSide<double> margin = {0, 0};  // of that logit over the next one
    double max_difference = 0;
    double kl =
        0;  // Kullback-Leibler divergence of the right's probabilities from the left's, nats
  };
  std::vector<Row> rows;
  // The logits of all positions that count, compared. With --free, nothing from the step on at
  // which the sides have read other tokens.
  std::optional<Relation> relation;
  std::string state;  // the left's first state that differs beyond rounding; "": none
};

// The first step at which the sides choose another token.
struct TokenChange {
  size_t step = 0;
  size_t row = 0;
  // The two tokens' logits are no farther apart than both sides' rounding in this step: its size is
  // told by a run of each in double.
  bool tie = false;
  double apart = 0;     // the sum of both sides' distances between the two tokens' logits
  double rounding = 0;  // the most that rounding explains of that
};

struct Generation {
  // 0: all steps agree, 1: one does not, 2: a run failed, or nothing was compared.
  int ExitStatus() const;

  PerSide<std::string> sources;
  PerSide<std::vector<std::string>> roles;  // DescribeRoles()
  std::vector<std::vector<int64_t>> prompts;
  std::vector<GeneratedStep> steps;
  std::optional<TokenChange> change;
  // The first step that fails, and its comparison; null if it could not be compared.
  std::optional<size_t> failing;
  std::shared_ptr<Comparison> comparison;
  std::shared_ptr<Comparison> last;  // GenerateOptions::show_last
  std::string compared_on;           // the inputs of that comparison: "each side's own states", ...
  // Where both agree on all tokens at once and one side does not with its states: that side alone,
  // all tokens at once beside the same in steps.
  std::vector<Invariant> alone;
  std::vector<std::string> notes;
  absl::Status status;  // why the steps ended early
};

// Runs the steps. A step that fails is no error here: Generation::status has it, beside the steps
// before it.
Generation Generate(const PerSide<DecoderSide>& sides, const GenerateOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_GENERATION_H_
