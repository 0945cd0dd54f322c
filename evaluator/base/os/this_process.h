// This process as the system has it.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_THIS_PROCESS_H_
#define ONNXCMP_EVALUATOR_BASE_OS_THIS_PROCESS_H_

#include <cstdint>
#include <string>

namespace onnxcmp {

// Another one after a fork.
int ProcessNumber();

// The most memory that it has held, in bytes; 0 if the system does not tell.
int64_t PeakMemory();

// The memory that it holds, as the system counts it.
class HeldMemory {
 public:
  HeldMemory();
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // Bytes in pages that belong to no file. 0 if the system does not tell.
  int64_t Bytes() const;

 private:
  const int source_;  // a descriptor where the system tells by a file
};

// The file of the program, "" if that is not known.
std::string ProgramPath();
// A path by which the running program's bytes can be read, even if its file was replaced.
std::string RunningProgram();
// The file of the shared library that some code is in, "" for code of the program.
std::string LibraryOf(const void* code);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_THIS_PROCESS_H_
