#include "cli/runtimes/runtime_options.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/process/time_option.h"
#include "evaluator/base/os/this_process.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/runtime_spec.h"

namespace onnxcmp::cli {

void RuntimeArguments::AddLimits(CLI::App& app) {
  AddTime(app, "--runtime-timeout", timeout, "The longest that a runtime takes to answer (120s)")
      ->group("Runtimes");
  CLI::Validator size = CLI::AsSizeValue(false);
  CLI::Validator positive = CLI::PositiveNumber;
  app.add_option("--runtime-memory", memory, "Most that a runtime may take (any)")
      ->group("Runtimes")
      ->type_name("SIZE")
      ->transform(size.description(""))
      ->check(positive.description(""));
}

absl::StatusOr<std::shared_ptr<Runtime>> RuntimeArguments::Open(
    const std::string& name, int64_t max_tensor,
    std::shared_ptr<const std::atomic<bool>> stop) const {
  OC_ASSIGN_OR_RETURN(RuntimeSpec spec, ParseRuntimeSpec(name));
  RuntimeOptions options;
  OC_ASSIGN_OR_RETURN(options.adapters, AdaptersFolder());
  options.python = python;
  options.stop = std::move(stop);
  options.memory = memory.value_or(0);
  options.max_tensor = max_tensor;
  options.timeout = timeout;
  return std::make_shared<Runtime>(std::move(spec), std::move(options));
}

absl::StatusOr<std::string> AdaptersFolder() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::path(ProgramPath()).parent_path();
  std::vector<fs::path> places;
  if (!program.empty()) places = {program / "runtimes", program / "../share/onnxcmp/runtimes"};
  // In Python's package the program is Python's; this code is in a library of the package.
  const std::string library = LibraryOf(reinterpret_cast<const void*>(&AdaptersFolder));
  if (!library.empty()) {
    const fs::path package = fs::path(library).parent_path();
    places.push_back(package / "_adapters");
    places.push_back(package / "../_adapters");  // of the library for older processors
  }
  for (const fs::path& place : places) {
    const fs::path folder = place.lexically_normal();
    if (fs::exists(folder / "__main__.py", error)) return folder.string();
  }
  return absl::NotFoundError(
      "the adapters of runtimes are not there: they belong beside the program, or into "
      "../share/onnxcmp/runtimes");
}

}  // namespace onnxcmp::cli
