#include "record/base/timings.h"

#include <algorithm>

#include "evaluator/base/os/this_process.h"

namespace onnxcmp {

int64_t PeakBytes() { return PeakMemory(); }

void Timings::Add(absl::string_view step, double seconds) {
  auto it = std::find_if(steps.begin(), steps.end(),
                         [&](const Step& other) { return other.name == step; });
  if (it == steps.end()) it = steps.insert(it, Step{std::string(step), 0, 0});
  it->seconds += seconds;
  it->peak_bytes = PeakBytes();
}

StepTimer::~StepTimer() {
  if (timings_ != nullptr) timings_->Add(step_, watch_.seconds());
}

}  // namespace onnxcmp
