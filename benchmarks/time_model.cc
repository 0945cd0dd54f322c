// Times runs of models whose inputs all have initializers, for onnxruntime_operators.py:
//
//   time_model THREADS MODEL...
//
// prints a line for each model: the least processor time and the least wall time of a run, in
// microseconds. Outputs are made contiguous, so that a view is charged with the copy that it puts
// off.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "ops/operators.h"

namespace onnxcmp {
namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

// Of the whole process, all threads.
double ProcessorMicroseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

absl::Status RunOnce(const Evaluator& evaluator) {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, evaluator.Run({}));
  for (const Value& output : outputs) {
    OC_RETURN_IF_ERROR(output.tensor().Contiguous().status());
  }
  return absl::OkStatus();
}

absl::Status TimeModel(const std::string& path, const OpRegistry& registry, int threads) {
  constexpr auto kLeastTime = std::chrono::milliseconds(400);
  constexpr int kLeastRuns = 5;
  EvaluatorOptions options;
  options.threads = threads;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, LoadModel(path, registry));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(std::move(model), registry, options));
  double processor = std::numeric_limits<double>::infinity();
  double wall = processor;
  const auto begin = Clock::now();
  for (int run = 0; run < kLeastRuns || Clock::now() - begin < kLeastTime; ++run) {
    const double processor_before = ProcessorMicroseconds();
    const auto before = Clock::now();
    OC_RETURN_IF_ERROR(RunOnce(evaluator));
    wall = std::min(wall, Microseconds(Clock::now() - before));
    processor = std::min(processor, ProcessorMicroseconds() - processor_before);
  }
  std::printf("%.1f %.1f\n", processor, wall);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  int threads = 0;
  if (argc < 3 || !absl::SimpleAtoi(argv[1], &threads)) {
    std::fprintf(stderr, "usage: time_model THREADS MODEL...\n");
    return 2;
  }
  const OpRegistry registry = AllOperators();
  for (int i = 2; i < argc; ++i) {
    if (const absl::Status status = TimeModel(argv[i], registry, threads); !status.ok()) {
      std::fprintf(stderr, "%s: %s\n", argv[i], status.ToString().c_str());
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace onnxcmp

int main(int argc, char** argv) { return onnxcmp::Main(argc, argv); }
