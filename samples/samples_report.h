// Two models over many samples, as plain data.
#ifndef ONNXCMP_SAMPLES_SAMPLES_REPORT_H_
#define ONNXCMP_SAMPLES_SAMPLES_REPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/outcome/comparison.h"
#include "record/base/per_side.h"
#include "samples/fail_if.h"
#include "samples/figures/layer_figures.h"
#include "samples/figures/task_figures.h"
#include "samples/sensitivity_report.h"

namespace onnxcmp {

// Decibels below the middle sample: a sample is far worse than the others.
inline constexpr double kFarWorse = 12;

// A pair of results of the first sample's comparison.
struct SampledLayer {
  ResultPair pair;
  std::string left, right;  // names
  std::string op_type;      // "MatMul", or "Relu | DequantizeLinear"
  // Layers from which this one is computed on the right, through what is not measured: indices into
  // SamplesReport::layers as they were measured.
  std::vector<int64_t> before;
  LayerFigures figures;
  // Decibels that are lost in this layer: the mean signal to noise of the worst layer before it,
  // less its own. Nothing if its own is not finite.
  std::optional<double> lost;
  bool begins = false;  // no layer before it has any noise
  // Distance that the left's outputs move if only this layer's error is put in, against their size:
  // the mean over some samples (SamplesReport::costed); nothing if it is not known.
  Spread cost;
  std::optional<size_t> cause;  // of the first comparison, at this layer or what it reads
  // A wrong scale or zero point, in words, and on how many of the samples with costs it was found;
  // "": none was found on all of them.
  std::string mistake;
  int64_t mistaken = 0;
  bool outlier = false;   // a few samples are far worse than all others
  int64_t far_worse = 0;  // the number of these
};

struct SampledOutput {
  std::string left, right;  // names
  ResultPair pair;
  LayerFigures figures;             // numbers only
  std::optional<TaskFigures> task;  // none: the output has no numbers
  std::string taken_for;            // "scores of 10 classes"
};

// One sample that both sides ran on.
struct SampleOutcome {
  int64_t sample = 0;
  double sqnr = 0;      // of its worst output
  bool agrees = false;  // all outputs are within their tolerances
  bool alike = true;    // both sides decide alike in all outputs
  // An output has other shapes on both sides, so that no figure counts it.
  bool other_shapes = false;
};

struct FailedSample {
  int64_t sample = 0;
  std::string why;
};

struct SamplesReport {
  // 0: all samples agree, or hold what was asked for; 1: one does not; 2: nothing was compared, or
  // not all samples were and the others agree.
  int ExitStatus() const;

  PerSide<std::string> sources;
  std::string path;                // of the samples
  std::vector<std::string> names;  // of all samples
  std::vector<std::string> notes;
  // The comparison of the first sample that runs, which pairs the results. Null: none runs, or the
  // report is of figures that were merged.
  std::shared_ptr<const Comparison> first;
  int64_t first_sample = 0;
  std::vector<std::string> causes;      // of that comparison, in words
  std::vector<SampleOutcome> outcomes;  // in the order of the samples
  std::vector<FailedSample> failed;
  std::vector<SampledOutput> outputs;
  std::vector<SampledLayer> layers;              // those that bring the outputs' error first
  int64_t equal_layers = 0;                      // others, which have the same bits on all samples
  int64_t costed = 0;                            // samples on which costs were measured
  std::string cost_unknown;                      // why there are none; "": there are
  int64_t given = 0;                             // samples that there are
  int64_t part = 0, parts = 1;                   // the part of these that was measured
  bool interrupted = false;                      // the rest was not run
  std::vector<FailIfResult> conditions;          // --fail-if
  std::optional<SensitivityReport> sensitivity;  // if it was asked for
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_SAMPLES_REPORT_H_
