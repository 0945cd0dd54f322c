// Runtimes that models run in, as the command line names them.
#ifndef ONNXCMP_CLI_RUNTIMES_RUNTIME_OPTIONS_H_
#define ONNXCMP_CLI_RUNTIMES_RUNTIME_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "absl/status/statusor.h"
#include "record/base/per_side.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp::cli {

struct RuntimeArguments {
  PerSide<std::string> names;  // "onnxruntime:optimization=none"; "": our interpreter
  absl::Duration timeout = RuntimeOptions().timeout;
  std::optional<int64_t> memory;  // bytes
  std::string python;             // the interpreter that is asked first; "": none
  bool fused = false;             // models as runtimes have optimized them

  bool any() const { return !names.left.empty() || !names.right.empty(); }
  void AddLimits(CLI::App& app);
  // InvalidArgument for a name that is none.
  absl::StatusOr<std::shared_ptr<Runtime>> Open(
      const std::string& name, int64_t max_tensor,
      std::shared_ptr<const std::atomic<bool>> stop = nullptr) const;
};

// Where our adapters are: beside the program, or where it was installed to. NotFound if nowhere.
absl::StatusOr<std::string> AdaptersFolder();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_RUNTIMES_RUNTIME_OPTIONS_H_
