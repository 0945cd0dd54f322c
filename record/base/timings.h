// Time and memory that a comparison takes.
#ifndef ONNXCMP_RECORD_BASE_TIMINGS_H_
#define ONNXCMP_RECORD_BASE_TIMINGS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// The time since its construction.
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
    // Peak of the process up to the step's end, its mapped files included.
    int64_t peak_bytes = 0;
  };
  std::vector<Step> steps;   // each once, in the order in which they first ended
  int64_t nodes = 0;         // number of nodes in both models' runs
  int64_t shared = 0;        // number of these taken from the other side's run, or an earlier one
  int64_t pairing_runs = 0;  // number of further runs that paired results of recordings

  void Add(absl::string_view step, double seconds);
};

// Peak bytes of the process; 0 if the system does not tell.
int64_t PeakBytes();

// Adds its own lifetime to a step; nothing if `timings` is null.
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

#endif  // ONNXCMP_RECORD_BASE_TIMINGS_H_
