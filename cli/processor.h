// Whether this processor can run this build, asked before anything else runs: without that, one
// that is too old would end the program by a signal.
#ifndef ONNXCMP_CLI_PROCESSOR_H_
#define ONNXCMP_CLI_PROCESSOR_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp::cli {

// Sets of instructions, a bit for each.
using InstructionSets = uint32_t;

// What the compiler was told to use, as far as it matters.
InstructionSets NeededInstructions();
// What the processor and the system have.
InstructionSets PresentInstructions();

// "avx2, fma": what is needed and not present, at most `size` bytes with the final 0. Returns
// whether there is any.
bool NamesOfMissing(InstructionSets needed, InstructionSets present, char* text, size_t size);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESSOR_H_
