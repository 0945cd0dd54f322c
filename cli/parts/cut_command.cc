#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/parts/given_model.h"
#include "cli/parts/pair_parts.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"

namespace onnxcmp::cli {

int CutCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  GivenModel left;
  std::string right, at, output;
  CLI::App app(
      "Cuts two models at a row of their comparison: DIR/before has what comes before it on\n"
      "both sides, DIR/after what comes after it, fed with the left's value on both. Halves\n"
      "that agree are not at fault; cut the other ones again, or let onnxcmp reduce do so.\n"
      "\n"
      "  onnxcmp cut a.onnx b.onnx --at layer_3 -o halves\n"
      "  onnxcmp cut a.onnx b.onnx --inputs x.npz --at 47 -o halves\n"
      "\n"
      "Exit status 0: done, 2: an error.",
      "onnxcmp cut");
  SetUsage(app, "onnxcmp cut [OPTIONS] LEFT RIGHT --at ROW -o DIR");
  app.add_option("LEFT", left.path, "The left model: .onnx, or .onnxtxt as text")->type_name(" ");
  app.add_option("RIGHT", right, "The right model")->type_name(" ");
  app.add_option("--at", at, "A row by its number in the table, or by a result's name")
      ->type_name("ROW");
  app.add_option("-o,--output", output, "The folder that is written")->type_name("DIR");
  left.AddTo(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  if (left.path.empty() || right.empty() || at.empty() || output.empty()) {
    PrintError(
        "two models, a row and a folder are needed: onnxcmp cut LEFT RIGHT --at ROW -o DIR; see "
        "onnxcmp cut --help");
    return kFailed;
  }
  const absl::StatusOr<std::string> summary =
      WriteHalves(left.Beside(right), at, output, interruption);
  if (!summary.ok()) {
    PrintError(summary.status().message());
    return kFailed;
  }
  return PrintOutput(*summary) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
