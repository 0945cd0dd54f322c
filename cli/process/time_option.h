// Times on a command line.
#ifndef ONNXCMP_CLI_PROCESS_TIME_OPTION_H_
#define ONNXCMP_CLI_PROCESS_TIME_OPTION_H_

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "absl/time/time.h"

namespace onnxcmp::cli {

// "90" (seconds), "90s", "10m", "inf". Nothing for other texts and for what is not more than 0.
std::optional<absl::Duration> ReadTime(const std::string& text);

// An option that takes such a time.
CLI::Option* AddTime(CLI::App& app, const std::string& name, absl::Duration& time,
                     const std::string& help);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_TIME_OPTION_H_
