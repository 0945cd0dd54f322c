// Output and messages of the program.
#ifndef ONNXCMP_CLI_PROCESS_MESSAGES_H_
#define ONNXCMP_CLI_PROCESS_MESSAGES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "record/base/per_side.h"

namespace onnxcmp::cli {

// Prints to standard output and flushes it. False after an error, which has then been printed; a
// closed pipe (| head) is no error.
bool PrintOutput(absl::string_view text);

// One line to standard error: "onnxcmp: message". Line breaks in the message become "; ".
void PrintError(absl::string_view message);

// A line to standard error.
void PrintNote(absl::string_view message);

// An error of one side: its name before the message.
absl::Status ErrorOf(SideId side, const absl::Status& status);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_MESSAGES_H_
