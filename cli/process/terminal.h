// Properties of standard output that determine the look of a table.
#ifndef ONNXCMP_CLI_PROCESS_TERMINAL_H_
#define ONNXCMP_CLI_PROCESS_TERMINAL_H_

namespace onnxcmp::cli {

// Columns of the terminal, else COLUMNS if it is set, else 100.
int OutputWidth();

// Lines of the terminal, else LINES if it is set, else 40.
int OutputHeight();

// True if standard output is a terminal that shows colours, and NO_COLOR is not set.
bool OutputTakesColor();

// True if standard output is a terminal whose locale uses another encoding than UTF-8.
bool OutputIsAscii();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_TERMINAL_H_
