#include "record/base/timings.h"

#include <sys/resource.h>

#include <algorithm>

namespace onnxcmp {

int64_t PeakBytes() {
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} << 10 : 0;
}

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
