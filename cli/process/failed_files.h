// Files that fail while they are read or written, where the system sends a signal and no error.
#ifndef ONNXCMP_CLI_PROCESS_FAILED_FILES_H_
#define ONNXCMP_CLI_PROCESS_FAILED_FILES_H_

#include <string>

namespace onnxcmp::cli {

// The exit status behind a page of a mapped file that cannot be read.
inline constexpr int kLostPageStatus = 2;

// To be called once at the start of the program. A write beyond the limit of a file's size is then
// an error as on a full disk, and no SIGXFSZ. A page that a mapped file no longer has (it was cut
// short, or the disk fails: SIGBUS) ends the program with a line that names the file and with
// kLostPageStatus. Where LostPageSignal() is blocked, somebody waits for it, and ends the program.
void TellOfFailedFiles();

// The signal for the process whose value is the address of a page that cannot be read; 0 on a
// system that has none.
int LostPageSignal();

// "cannot read weights.data any more: it was cut short, or its disk fails".
std::string LostPageText(const void* address);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_FAILED_FILES_H_
