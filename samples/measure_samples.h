// Runs two models on many samples and measures every pair of results, without keeping values.
#ifndef ONNXCMP_SAMPLES_MEASURE_SAMPLES_H_
#define ONNXCMP_SAMPLES_MEASURE_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"
#include "record/base/per_side.h"
#include "samples/figures/task_figures.h"
#include "samples/files/sample_list.h"
#include "samples/samples_report.h"

namespace onnxcmp {

struct MeasureOptions {
  CompareOptions compare;                     // of the first sample, and the tolerances of all
  InputOptions inputs;                        // how values are given to the inputs
  int64_t batch = 1;                          // samples that are fed at once
  std::map<std::string, Task> tasks;          // by output
  std::vector<std::optional<double>> labels;  // by sample; none: there are none
  bool costs = true;
  // Of so many parts of the samples the one that is measured: every so-manieth batch.
  int64_t part = 0, parts = 1;
};

class SampleMeasurer {
 public:
  // All must outlive the object. Both sides are models, or models in runtimes.
  SampleMeasurer(const PerSide<Side*>& sides, const SampleList& samples,
                 const MeasureOptions& options);
  ~SampleMeasurer();
  SampleMeasurer(const SampleMeasurer&) = delete;
  SampleMeasurer& operator=(const SampleMeasurer&) = delete;

  // Runs samples [first, first + batch), fewer at the end, if they are in this part. A sample that
  // cannot be read or run is part of the report. An error: labels or tasks do not fit the outputs.
  absl::Status Measure(int64_t first);

  // All that was measured so far.
  SamplesReport Report() const;
  // The same with all layers in the order of the run, to be merged with other parts.
  SamplesReport Figures() const;

  // The inputs of a sample.
  absl::StatusOr<FedInputs> FeedsOf(int64_t sample) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_MEASURE_SAMPLES_H_
