// Signals that end the program, waited for on one thread instead.
#ifndef ONNXCMP_CLI_PROCESS_END_SIGNALS_H_
#define ONNXCMP_CLI_PROCESS_END_SIGNALS_H_

#include <vector>

#include "absl/time/time.h"

namespace onnxcmp::cli {

// A copy stands for the same signals.
class EndSignals {
 public:
  // Blocks them for this thread and those that it starts, and LostPageSignal() with them. If the
  // program was started with a signal ignored (nohup), it stays ignored.
  void Block();
  // The signal that came, 0 if none did in that time; `lost_page`: the address of LostPageSignal().
  int Wait(absl::Duration timeout, const void** lost_page) const;
  // Ends the program by this signal, as if nobody had waited for it.
  void EndBy(int number) const;

 private:
  std::vector<int> numbers_;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_END_SIGNALS_H_
