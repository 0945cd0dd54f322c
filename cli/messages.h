// What the program says.
#ifndef ONNXCMP_CLI_MESSAGES_H_
#define ONNXCMP_CLI_MESSAGES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compare/pair/per_side.h"

namespace onnxcmp::cli {

// To standard output, flushed. False after an error, which has then been printed; a reader that has
// gone away (| head) is none.
bool PrintOutput(absl::string_view text);

// One line to standard error: "onnxcmp: message". Line breaks in the message become "; ".
void PrintError(absl::string_view message);

// A line to standard error.
void PrintNote(absl::string_view message);

// An error of one side: its name before the message.
absl::Status ErrorOf(SideId side, const absl::Status& status);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_MESSAGES_H_
