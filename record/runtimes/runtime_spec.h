// A runtime as a user writes it.
#ifndef ONNXCMP_RECORD_RUNTIMES_RUNTIME_SPEC_H_
#define ONNXCMP_RECORD_RUNTIMES_RUNTIME_SPEC_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

struct RuntimeSpec {
  // "onnxruntime", the file of an adapter ("./mine.py"), or a program that speaks the protocol
  // ("./mine").
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;

  // A file and no adapter of ours.
  bool is_file() const { return name.find('/') != std::string::npos || name.ends_with(".py"); }
  // As it was given.
  std::string Text() const;
};

// "NAME:key=value,key=value". InvalidArgument for options without a value or given twice. A value
// may have commas if what follows them is no key=value.
absl::StatusOr<RuntimeSpec> ParseRuntimeSpec(absl::string_view text);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_RUNTIME_SPEC_H_
