// Checks that this processor can run this build, before anything else runs: otherwise an older one
// would end the program by a signal.
#ifndef ONNXCMP_CLI_PROCESS_PROCESSOR_H_
#define ONNXCMP_CLI_PROCESS_PROCESSOR_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp::cli {

// Sets of instructions, a bit for each.
using InstructionSets = uint32_t;

// The relevant instruction sets that the compiler was told to use.
InstructionSets NeededInstructions();
// Instruction sets that the processor and the system have.
InstructionSets PresentInstructions();

// Writes "avx2, fma": the needed sets that are missing, at most `size` bytes with the final 0.
// Returns true if there are any.
bool NamesOfMissing(InstructionSets needed, InstructionSets present, char* text, size_t size);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_PROCESSOR_H_
