// The program itself, called once the processor is known to be able to run it.
#ifndef ONNXCMP_CLI_PROGRAM_H_
#define ONNXCMP_CLI_PROGRAM_H_

namespace onnxcmp::cli {

// As main.
int RunProgram(int argc, char** argv);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROGRAM_H_
