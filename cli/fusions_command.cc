#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/messages.h"
#include "cli/process/terminal.h"
#include "compare/fusions/find_fusions.h"
#include "evaluator/load/load_model.h"
#include "reports/table/render_fusions.h"

namespace onnxcmp::cli {

int FusionsCommand(const std::vector<std::string>& arguments) {
  CLI::App app(
      "The blocks of a model that runtimes fuse (attention, normalizations, Gelu,\n"
      "MatMul + bias, ...), and what stands in the way of those that are broken.\n"
      "Nothing is run.",
      "onnxcmp fusions");
  SetUsage(app, "onnxcmp fusions [OPTIONS] MODEL");
  std::string model;
  std::string format = "table";
  bool all = false;
  RunOptions run;
  TableOptions look;
  look.width = OutputWidth();
  look.ascii = OutputIsAscii();
  look.color = OutputTakesColor();
  app.add_option("MODEL", model, "A model (.onnx, .onnxtxt)")->type_name(" ")->required();
  app.add_option("--format", format, "table, json (table)")
      ->type_name("HOW")
      ->check(OneOf({"table", "json"}));
  app.add_flag("--all", all, "List whole blocks one by one");
  app.add_option("--width", look.width, "Columns (the terminal's)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  if (const std::optional<int> status = Parse(app, arguments)) return *status;
  if (all) look.rows = TableOptions::Rows::kAll;
  const auto loaded = LoadModel(model, run.operators(), run.load());
  if (!loaded.ok()) {
    PrintError(loaded.status().message());
    return kFailed;
  }
  const std::vector<Fusion> fusions = FindFusions((*loaded)->graph);
  const std::string text = format == "json" ? ModelFusionsJson(model, fusions)
                                            : RenderModelFusions(model, fusions, look);
  return PrintOutput(text) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
