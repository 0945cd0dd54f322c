#include "tools/repro/repro_script.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/base/write_file.h"
#include "record/recordings/npy.h"
#include "record/runtimes/runtime_spec.h"
#include "tools/repro/runtime_code.h"

namespace onnxcmp {
namespace {

constexpr char kScript[] = R"py(#!/usr/bin/env python3
"""@WHAT@

Runs right.onnx in @RUNTIME@ on the inputs in arrays/ and compares its output with what it should
be. Needs @RUNTIME@ and NumPy. Exit status 1: it is another one."""

import os
import sys

import numpy
@IMPORT@

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = @INPUTS@
OPTIONS = @OPTIONS@  # of @RUNTIME@
RTOL, ATOL = @RTOL@, @ATOL@


def array(i):
    return numpy.load(os.path.join(HERE, "arrays", f"{i}.npy"), allow_pickle=False)


def run(path, feeds):
@RUN@

def result_of(file):
    return run(os.path.join(HERE, file), {name: array(i) for i, name in enumerate(INPUTS)})


def compare(given, wanted):
    print(f"  {given.dtype}{list(given.shape)}, wanted {wanted.dtype}{list(wanted.shape)}")
    if given.shape != wanted.shape or given.dtype != wanted.dtype:
        return False
    if given.dtype.kind not in "fiub":
        return bool((given == wanted).all())
    a, b = given.astype("float64"), wanted.astype("float64")
    beyond = given != wanted  # whole numbers have more digits than float64
    if given.dtype.kind == "f":
        beyond = ~numpy.isclose(a, b, rtol=RTOL, atol=ATOL, equal_nan=True)
    if not beyond.any():
        return True
    error = numpy.where(beyond, numpy.nan_to_num(abs(a - b), nan=numpy.inf), -1.0)
    at = numpy.unravel_index(int(error.argmax()), error.shape)
    print(f"  {beyond.sum()} of {beyond.size} elements differ, most at {list(map(int, at))}: "
          f"{given[at]!r}, wanted {wanted[at]!r}")
    return False


print("@RUNTIME@", @VERSION@)
print("right.onnx:")
agree = compare(result_of("right.onnx"), array(len(INPUTS)))
@LEFT@print("agrees" if agree else "differs")
sys.exit(0 if agree else 1)
)py";

// Another model beside the right's.
constexpr char kLeft[] = R"py(if os.path.exists(os.path.join(HERE, "left.onnx")):
    print("left.onnx in @RUNTIME@, for comparison:")
    compare(result_of("left.onnx"), array(len(INPUTS)))
)py";

absl::Status WriteArray(const std::string& path, const Value& value) {
  std::ofstream file(path, std::ios::binary);
  OC_ASSIGN_OR_RETURN(const Tensor tensor, value.tensor().InMemory(nullptr));
  OC_RETURN_IF_ERROR(WriteNpy(tensor, [&file](absl::string_view bytes) {
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return absl::OkStatus();
  }));
  file.close();
  return file ? absl::OkStatus() : absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

bool NumpyHas(const Value& value) {
  return value.is_tensor() && !NumpyLacks(value.tensor().dtype());
}

}  // namespace

bool IsReproArray(absl::string_view name) {
  return absl::ConsumeSuffix(&name, ".npy") && !name.empty() &&
         std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
}

absl::Status WriteReproScript(const std::string& folder, const Repro& repro,
                              const Tolerance& tolerance, const std::string& runtime,
                              absl::string_view what) {
  OC_ASSIGN_OR_RETURN(const RuntimeSpec spec,
                      ParseRuntimeSpec(runtime.empty() ? "onnxruntime" : runtime));
  const std::optional<RuntimeCode> code = RuntimeCodeOf(spec);
  if (!code.has_value()) return absl::OkStatus();
  std::vector<Value> values;
  nlohmann::json names = nlohmann::json::array();
  for (const ReproInput& input : repro.inputs) {
    values.push_back(input.value);
    names.push_back(input.name);
  }
  values.push_back(repro.expected);
  if (!std::all_of(values.begin(), values.end(), NumpyHas)) return absl::OkStatus();
  const std::string arrays = absl::StrCat(folder, "/", kReproArrays);
  std::error_code error;
  std::filesystem::create_directories(arrays, error);
  for (size_t i = 0; i < values.size(); ++i) {
    OC_RETURN_IF_ERROR(WriteArray(absl::StrCat(arrays, "/", i, ".npy"), values[i]));
  }
  nlohmann::json given = nlohmann::json::object();
  for (const auto& [key, value] : spec.options) given[key] = value;
  // Strings, lists and dictionaries of them are written in Python as they are in JSON.
  const auto python = [](const nlohmann::json& json) {
    return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  const std::string frame = absl::StrReplaceAll(
      kScript, {{"@RUN@", code->run}, {"@LEFT@", runtime.empty() ? kLeft : ""}});
  return WriteFile(
      absl::StrCat(folder, "/", kReproScript),
      absl::StrReplaceAll(
          frame,
          {{"@WHAT@", absl::StrReplaceAll(OneLine(what), {{"\\'", "'"}, {"\\", "/"}, {"\"", "'"}})},
           {"@INPUTS@", python(names)},
           {"@OPTIONS@", python(given)},
           {"@RUNTIME@", code->name},
           {"@IMPORT@", code->import},
           {"@VERSION@", code->version},
           {"@RTOL@", absl::StrCat(tolerance.rtol)},
           {"@ATOL@", absl::StrCat(tolerance.atol)}}));
}

}  // namespace onnxcmp
