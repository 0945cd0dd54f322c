// Terminals.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_TERMINAL_H_
#define ONNXCMP_EVALUATOR_BASE_OS_TERMINAL_H_

namespace onnxcmp {

inline constexpr int kOutputFile = 1;  // standard output, and standard error
inline constexpr int kErrorFile = 2;

struct TerminalExtent {
  int columns = 0;  // 0: not known
  int lines = 0;
};

// To be called once at the start of a program: standard streams then take bytes as they are, in
// UTF-8, and terminals the sequences that move the cursor.
void PrepareTerminals();

bool IsTerminal(int file);
TerminalExtent ExtentOfTerminal(int file);
// True if a terminal understands the sequences for colours.
bool ShowsColor(int file);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_TERMINAL_H_
