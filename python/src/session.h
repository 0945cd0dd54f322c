// Two sides that are compared once and stay as long as somebody may ask more about them.
#ifndef ONNXCMP_PYTHON_SRC_SESSION_H_
#define ONNXCMP_PYTHON_SRC_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/compare_arguments.h"
#include "cli/compare_session.h"
#include "cli/process/interruption.h"
#include "compare/outcome/comparison.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "python/src/values.h"
#include "python/src/watched.h"
#include "record/base/per_side.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp::python {

// A side as it was given: a file, a serialized model, or values.
struct Source {
  std::string label;  // name in reports; a file's path
  bool is_file = true;
  std::optional<std::string> model;
  std::string folder;  // where its external data may lie; "": nowhere
  std::vector<RecordedSet> sets;
};

// Inputs in memory. `by_name`: as InputFiles::Of.
struct GivenInputs {
  std::string name;  // in reports
  std::vector<RecordedSet> sets;
  bool by_name = false;
};

// One set of inputs and what came of it.
struct ComparedSet {
  Comparison comparison;
  std::string name;
  int64_t set = 0;
  PerSide<Feeds> feeds;
};

class Session {
 public:
  // `command_line`: options, without the sides. `python`: the interpreter that runtimes are looked
  // for in first.
  static absl::StatusOr<std::shared_ptr<Session>> Create(
      const std::vector<std::string>& command_line, PerSide<Source> sources,
      std::vector<GivenInputs> inputs, SharedArrays shared, bool letters,
      const std::string& python);

  // To be called once, before what follows.
  absl::StatusOr<std::vector<ComparedSet>> Run();

  // The values of these results of a side, which runs again, in order. They are those of the run
  // that was compared.
  absl::StatusOr<std::vector<Value>> Values(const ComparedSet& set, SideId side,
                                            const std::vector<int>& results);
  // The comparison once more, looking at one pair in depth.
  absl::StatusOr<Comparison> Explain(const ComparedSet& set, const std::string& what);
  // The same with its causes written to a folder.
  absl::StatusOr<Comparison> WriteRepros(const ComparedSet& set, const std::string& folder);

  // To which operators may be added before Run().
  OpRegistry& operators() { return tools_->registry; }

  // FailedPrecondition if somebody has written to an array that was given.
  absl::Status CheckUnchanged() const { return shared_.CheckUnchanged(); }
  const cli::CompareArguments& arguments() const { return arguments_; }
  const std::shared_ptr<ProgressState>& progress() const { return progress_; }
  const Stop& stop() const { return stop_; }
  // True if both sides are files, so that a command line says the same.
  bool files() const { return sources_.left.is_file && sources_.right.is_file; }

 private:
  Session() = default;
  absl::StatusOr<std::unique_ptr<Side>> Open(Source& source);
  absl::Status Restore(const ComparedSet& set);
  absl::StatusOr<Comparison> CompareAgain(const ComparedSet& set);
  void Label(Comparison* comparison) const;

  std::mutex mutex_;  // one thing at a time is done with the sides
  cli::CompareArguments arguments_;
  cli::Interruption interruption_{cli::Interruption::Never()};
  PerSide<Source> sources_;
  SharedArrays shared_;
  std::shared_ptr<ProgressState> progress_ = std::make_shared<ProgressState>();
  Stop stop_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<cli::ComparisonTools> tools_;
  std::optional<cli::CompareSession> comparison_;
};

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_SESSION_H_
