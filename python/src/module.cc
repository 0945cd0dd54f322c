// onnxcmp._core: what the package onnxcmp is made of. Its functions are for that package alone.
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "cli/program.h"
#include "evaluator/version.h"
#include "python/src/classic.h"
#include "python/src/comparison.h"
#include "python/src/errors.h"
#include "python/src/evaluator.h"
#include "python/src/values.h"
#include "python/src/watched.h"

namespace onnxcmp::python {
namespace {

// The command line program, with its name first. The process should end with what it returns.
int RunProgram(const nanobind::list& given) {
  std::vector<std::string> arguments;
  for (const nanobind::handle argument : given) arguments.push_back(ToText(argument));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const nanobind::gil_scoped_release release;
  return cli::RunProgram(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace
}  // namespace onnxcmp::python

NB_MODULE(_core, module) {
  using namespace onnxcmp::python;  // NOLINT(google-build-using-namespace)
  // An interpreter may end while threads hold our objects: that is no mistake to tell people of.
  nanobind::set_leak_warnings(false);
  TranslateErrors();
  module.attr("version") = std::string(onnxcmp::kVersion);
  module.def("run_program", &RunProgram);
  module.def("stop_all_work", &StopAllWork);
  nanobind::module_::import_("atexit").attr("register")(module.attr("stop_all_work"));
  BindComparison(module);
  BindEvaluator(module);
  BindClassic(module);
}
