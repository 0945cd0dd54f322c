// Where a comparison's time and memory went.
#ifndef ONNXCMP_COMPARE_PAIR_TIMINGS_H_
#define ONNXCMP_COMPARE_PAIR_TIMINGS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// The time since it was made.
class Stopwatch {
 public:
  double seconds() const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    return time.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Timings {
  struct Step {
    std::string name;
    double seconds = 0;
    // Of the process, its mapped files included: the most that it held up to the step's end.
    int64_t peak_bytes = 0;
  };
  std::vector<Step> steps;  // each once, in the order in which they ended first
  int64_t nodes = 0;        // of both models' runs
  int64_t shared = 0;       // of them: taken from the other side's run, or an earlier one

  void Add(absl::string_view step, double seconds);
};

// Bytes that the process has held at most; 0 where the system does not tell.
int64_t PeakBytes();

// Counts the time from its beginning to its end towards a step; nothing if `timings` is null.
class StepTimer {
 public:
  StepTimer(Timings* timings, absl::string_view step) : timings_(timings), step_(step) {}
  ~StepTimer();
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

 private:
  Timings* timings_;
  std::string step_;
  Stopwatch watch_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_PAIR_TIMINGS_H_
