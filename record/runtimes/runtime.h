// A runtime as a process that speaks our protocol (docs/runtimes.md). It may refuse, die, hang or
// eat memory: all of that is an error here, and the next question gets a new process.
#ifndef ONNXCMP_RECORD_RUNTIMES_RUNTIME_H_
#define ONNXCMP_RECORD_RUNTIMES_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/runtimes/child_process.h"
#include "record/runtimes/runtime_spec.h"
#include "record/runtimes/scratch_folder.h"

namespace onnxcmp {

struct RuntimeOptions {
  std::string adapters;                         // the folder of ours
  std::string python;                           // the interpreter that is asked first; "": none
  absl::Duration timeout = absl::Seconds(120);  // for each answer
  std::shared_ptr<const std::atomic<bool>> stop = nullptr;  // once true, no answer is waited for
  int64_t memory = 0;                                       // bytes that it may take; 0: any number
  int64_t max_tensor = kDefaultMaxTensor;                   // as EvaluatorOptions::max_tensor
};

// A runtime's description of itself.
struct RuntimeInfo {
  std::string name;
  std::string version;
  std::string place;  // "CPU"
  bool can_optimize = false;
  bool knows_results = false;           // those inside a model
  bool runs_models = true;              // else a program of its own that the model was made of
  std::vector<std::string> optimizers;  // that its option `disable` takes
  // The type that it computes floats in, if that is coarser than the model's.
  DType precision = DType::kUndefined;

  // "onnxruntime 1.32.0 CPU".
  std::string Text() const;
};

// How a runtime failed; by the code of an error of Runtime, for which all other codes are failures
// of ours.
bool RuntimeRefused(const absl::Status& status);
bool RuntimeDied(const absl::Status& status);  // it ended, hung, or was short of memory

// A session, in the process that was alive when it was loaded.
struct RuntimeSession {
  int64_t number = 0;
  int64_t process = 0;
};

// Values that a run gave, in files that live as long as the runtime, or until they are removed.
class RuntimeValues {
 public:
  bool contains(const std::string& name) const { return entries_.contains(name); }
  std::vector<std::string> names() const;
  size_t size() const { return entries_.size(); }

 private:
  friend class Runtime;
  std::map<std::string, std::string> entries_;  // as value_files.h has them
};

class Runtime {
 public:
  // Nothing is started yet.
  Runtime(RuntimeSpec spec, RuntimeOptions options)
      : spec_(std::move(spec)), options_(std::move(options)) {}
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const RuntimeSpec& spec() const { return spec_; }
  const RuntimeOptions& options() const { return options_; }

  // Starts it, unless it runs. Of no runtime, or one that cannot be found, NotFound; of options
  // that it does not have InvalidArgument.
  absl::StatusOr<RuntimeInfo> Start();

  // `extra`: results wanted besides the model's outputs. `optimized`: where it is to write the
  // model as it has optimized it; "": nowhere.
  absl::StatusOr<RuntimeSession> Load(const std::string& model,
                                      const std::vector<std::string>& extra,
                                      const std::string& optimized = "");
  // A value that is fed under several names is written once. FailedPrecondition if the session's
  // process is gone.
  absl::StatusOr<RuntimeValues> Run(const RuntimeSession& session, const Feeds& feeds);
  void Unload(const RuntimeSession& session);

  absl::StatusOr<Value> Read(const RuntimeValues& values, const std::string& name) const;
  void Remove(const RuntimeValues& values);

  // A path in the folder of ours for a model that it is to load.
  absl::StatusOr<std::string> NewFile(const std::string& end);

  double seconds() const { return seconds_; }  // that its runs took

 private:
  // A request in words, for messages: "refused to load the model", "while it loaded the model".
  struct Asked {
    const char* present;
    const char* past;
  };
  std::string Name() const;
  // Starts a process and asks what it is: packages that it lacks, none if it runs. NotFound if
  // there is no such program.
  absl::StatusOr<std::vector<std::string>> Greet(const std::vector<std::string>& command);
  // An answer without an error.
  absl::StatusOr<std::string> Ask(const std::string& request, const Asked& asked);
  absl::Status Failed(const absl::Status& status, const Asked& asked);

  RuntimeSpec spec_;
  RuntimeOptions options_;
  RuntimeInfo info_;
  std::unique_ptr<ScratchFolder> folder_;
  std::unique_ptr<ChildProcess> process_;
  std::vector<std::string> command_;
  int64_t processes_ = 0;  // that were started
  int64_t files_ = 0;
  int64_t requests_ = 0;
  double seconds_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_RUNTIME_H_
