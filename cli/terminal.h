// What standard output is, as far as the look of a table depends on it.
#ifndef ONNXCMP_CLI_TERMINAL_H_
#define ONNXCMP_CLI_TERMINAL_H_

namespace onnxcmp::cli {

// Columns: those of the terminal, else COLUMNS if it is set, else 100.
int OutputWidth();

// Lines of the terminal, else LINES if it is set, else 40.
int OutputHeight();

// Standard output is a terminal that shows colours, and NO_COLOR is not set.
bool OutputTakesColor();

// Standard output is a terminal that the locale says shows something other than UTF-8.
bool OutputIsAscii();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_TERMINAL_H_
