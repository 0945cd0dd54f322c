// Errors of Windows as errno's numbers.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_WINDOWS_LAST_ERROR_H_
#define ONNXCMP_EVALUATOR_BASE_OS_WINDOWS_LAST_ERROR_H_

namespace onnxcmp {

// The error of this thread's last call; never 0.
int LastError();

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_WINDOWS_LAST_ERROR_H_
