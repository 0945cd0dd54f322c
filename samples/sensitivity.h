// Finds by trying which layers of a converted model cost the task, and the fewest to keep in float.
#ifndef ONNXCMP_SAMPLES_SENSITIVITY_H_
#define ONNXCMP_SAMPLES_SENSITIVITY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compare/sides/side.h"
#include "record/base/per_side.h"
#include "samples/fail_if.h"
#include "samples/measure_samples.h"
#include "samples/sensitivity_report.h"

namespace onnxcmp {

struct SensitivityOptions {
  std::optional<FailIf> target;  // a condition that is to hold: "top1 >= 0.995"
  bool modules = false;          // nodes whose names begin alike are one layer
  // Called with the nodes that are to run, before they do; false: do not.
  std::function<bool(int64_t node_runs, int64_t samples)> announce;
  std::function<void(int64_t done, int64_t all)> progress;  // of steps; may be empty
};

// `report`: of the samples, which both sides ran on. A layer in float computes from the converted
// side's numbers, and what follows it runs again. Samples whose values do not fit into
// CompareOptions::search_memory together are left out. Where nothing can be tried,
// SensitivityReport::not_possible says why.
absl::StatusOr<SensitivityReport> FindSensitivity(const PerSide<Side*>& sides,
                                                  const SampleMeasurer& measurer,
                                                  const SamplesReport& report,
                                                  const MeasureOptions& options,
                                                  const SensitivityOptions& wanted);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_SENSITIVITY_H_
