// A runtime that crashes, refuses a model, or gives other numbers than ours.
#ifndef ONNXCMP_TOOLS_REDUCE_RUNTIME_TEST_H_
#define ONNXCMP_TOOLS_REDUCE_RUNTIME_TEST_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/evaluator.h"
#include "record/differences/tolerance.h"
#include "record/runtimes/runtime.h"
#include "tools/parts/known_model.h"
#include "tools/reduce/candidate.h"
#include "tools/reduce/failure_test.h"

namespace onnxcmp {

class RuntimeTest : public FailureTest {
 public:
  // `runtimes`: the same one as often as candidates are to be tried at a time. `name`: as the
  // command line has it. Our side of a comparison runs with `registry` and `options`.
  RuntimeTest(std::vector<std::shared_ptr<Runtime>> runtimes, std::string name,
              ToleranceOptions tolerances, const OpRegistry& registry, KnownModelOptions options)
      : free_(std::move(runtimes)),
        name_(std::move(name)),
        tolerances_(std::move(tolerances)),
        registry_(registry),
        options_(std::move(options)) {}

  absl::StatusOr<ReduceTrial> Begin(const ReduceCandidate& whole) override;
  absl::StatusOr<ReduceTrial> Try(const ReduceCandidate& candidate) override;
  bool reads_values() const override { return true; }
  std::string key() const override;
  std::string command() const override;
  absl::StatusOr<std::string> Script(const ReduceCandidate& candidate,
                                     const std::string& folder) override;

 private:
  // The way in which it fails; a refusal and a crash by their words, in which names, numbers and
  // paths do not count, other outputs by the kind of their difference and its size.
  struct Way {
    enum class Kind { kAgrees, kDiffers, kRefuses, kDies };
    Kind kind = Kind::kAgrees;
    std::string words;
    std::string text;  // in full
    double size = 0;   // of a difference, relative to the output's own
  };
  // The runtime's own words.
  static std::string SaidBy(const Way& way) {
    return way.kind == Way::Kind::kDiffers ? "" : way.text;
  }
  absl::StatusOr<Way> Run(const ReduceCandidate& candidate);
  absl::StatusOr<Way> RunOn(const std::shared_ptr<Runtime>& runtime,
                            const ReduceCandidate& candidate) const;
  // The difference of the runtime's outputs from ours that is farthest; kAgrees if there is none.
  absl::StatusOr<Way> DifferenceIn(const RuntimeValues& values, Runtime* runtime,
                                   const ReduceCandidate& candidate) const;
  // True for the failure of the whole model, and for any before it is known.
  bool IsFirst(const Way& way) const;
  // True unless a comparison of the model with itself in the runtime accepts the outputs.
  bool ComparesDifferent(const std::string& path, const std::shared_ptr<Runtime>& runtime,
                         const Feeds& feeds) const;

  std::mutex mutex_;  // guards free_
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Runtime>> free_;
  const std::string name_;
  const ToleranceOptions tolerances_;
  const OpRegistry& registry_;
  const KnownModelOptions options_;
  bool begun_ = false;
  Way first_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_RUNTIME_TEST_H_
