// The figures of one trial over samples: the outputs that it gives against the plain side's.
#ifndef ONNXCMP_SAMPLES_TRIAL_FIGURES_H_
#define ONNXCMP_SAMPLES_TRIAL_FIGURES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "samples/figures/exact_sum.h"
#include "samples/figures/task_figures.h"

namespace onnxcmp {

class TrialFigures {
 public:
  // One for each output that has numbers; by name.
  struct Output {
    std::string name;
    std::optional<TaskFigures> task;
    ExactSum signal, noise;
    bool not_finite = false;
  };

  explicit TrialFigures(std::vector<Output> outputs) : outputs_(std::move(outputs)) {}

  // Output i of a sample, of both sides; empty: the trial failed.
  void Add(size_t i, int64_t sample, const PerSide<Value>& both,
           const std::optional<double>& label);

  // As FiguresByOutput(): figures by output and name.
  std::vector<std::pair<std::string, std::map<std::string, double>>> Figures() const;

 private:
  std::vector<Output> outputs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_TRIAL_FIGURES_H_
