// Answers of a runtime, which a fuzzer makes: lines of the protocol and files of values.
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "record/runtimes/runtime.h"
#include "record/runtimes/runtime_spec.h"
#include "record/runtimes/value_files.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

// It gives a line for each question, whatever that is.
constexpr char kProgram[] =
    "#!/bin/sh\nexec 3<\"${0%/*}/answers\"\nwhile read -r question; do\n"
    "  IFS= read -r answer <&3 || exit 0\n  printf '%s\\n' \"$answer\"\ndone\n";

absl::Status AskAll(const Scratch& scratch, absl::string_view answers) {
  scratch.Write("answers", answers);
  const std::string program = scratch.Write("adapter", kProgram);
  std::error_code error;
  std::filesystem::permissions(program, std::filesystem::perms::owner_all, error);
  RuntimeOptions options;
  options.timeout = absl::Seconds(5);
  options.max_tensor = kTensorBytes;
  Runtime runtime({.name = program, .options = {}}, options);
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime.Start());
  OC_ASSIGN_OR_RETURN(const RuntimeSession session, runtime.Load("model.onnx", {"x"}));
  const Tensor x = Tensor::Of<float>({2}, {1, 2});
  OC_ASSIGN_OR_RETURN(const RuntimeValues values, runtime.Run(session, {{"x", x}}));
  for (const std::string& name : values.names()) {
    OC_RETURN_IF_ERROR(Mistake(runtime.Read(values, name).status()));
  }
  runtime.Remove(values);
  return absl::OkStatus();
}

}  // namespace

absl::Status AskAdapter(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const Scratch scratch;
  const auto kind = static_cast<unsigned char>(bytes[0]) % 8;
  bytes.remove_prefix(1);
  // Starting a process takes longer than all else.
  if (kind == 0) return Mistake(AskAll(scratch, bytes));
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(bytes, absl::MaxSplits('\n', 1));
  if (kind == 1) return Mistake(ParseRuntimeSpec(parts.first).status());
  for (const char* name : {"x_0.npy", "x_1.npy"}) scratch.Write(name, parts.second);
  return Mistake(ReadValueFiles(std::string(parts.first), scratch.path(), kTensorBytes).status());
}

}  // namespace onnxcmp::fuzz
