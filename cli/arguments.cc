#include "cli/arguments.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/messages.h"
#include "evaluator/version.h"

namespace onnxcmp::cli {

std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& arguments) {
  // CLI11 takes them last one first. It speaks by exceptions, which end here.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return PrintOutput(app.help()) ? kAgree : kFailed;
  } catch (const CLI::CallForVersion&) {
    return PrintOutput(absl::StrCat("onnxcmp ", kVersion, "\n")) ? kAgree : kFailed;
  } catch (const CLI::ParseError& error) {
    PrintError(absl::StrCat(error.what(), "; see ", app.get_name(), " --help"));
    return kFailed;
  }
  return std::nullopt;
}

void RunOptions::AddTo(CLI::App& app) {
  app.add_option("--seed", seed, "Fill inputs that are not given at random")->type_name("N");
  app.add_option("--dim", dims, "Size of a free dimension; may be repeated")
      ->type_name("NAME=N")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--functions", functions, "Local functions: inline (default), or keep as nodes")
      ->type_name("HOW")
      ->check(CLI::IsMember({"inline", "keep"}));
  app.add_option("--threads", threads, "Threads to use; 0: one a core (default)")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  app.add_flag("-q,--quiet", quiet, "Write only errors to standard error");
}

LoadOptions RunOptions::load() const {
  LoadOptions options;
  options.functions = functions == "keep" ? Functions::kKeep : Functions::kInline;
  return options;
}

EvaluatorOptions RunOptions::evaluator() const {
  EvaluatorOptions options;
  options.threads = threads;
  options.seed = seed.value_or(0);
  return options;
}

absl::StatusOr<GeneratedInputs> RunOptions::generated(
    const std::vector<const Graph*>& graphs) const {
  std::vector<std::string> known;
  for (const Graph* graph : graphs) {
    for (const std::string& name : FreeDimensions(*graph)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        known.push_back(name);
      }
    }
  }
  GeneratedInputs generated;
  generated.seed = seed;
  for (const std::string& dim : dims) {
    const size_t sign = dim.rfind('=');
    int64_t size = 0;
    if (sign == std::string::npos || !absl::SimpleAtoi(dim.substr(sign + 1), &size) || size < 0) {
      return absl::InvalidArgumentError(absl::StrCat("--dim ", dim, ": should be NAME=N"));
    }
    const std::string name = dim.substr(0, sign);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--dim ", dim, ": no input has such a dimension",
          known.empty() ? "" : absl::StrCat("; there are: ", absl::StrJoin(known, ", "))));
    }
    generated.dims[name] = size;
  }
  return generated;
}

}  // namespace onnxcmp::cli
