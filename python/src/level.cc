// onnxcmp._level: which of the package's extensions this processor can run. Compiled for any.
#include <nanobind/nanobind.h>

NB_MODULE(_level, module) {
#ifdef __x86_64__
  module.attr("is_x86_64_v3") = __builtin_cpu_supports("x86-64-v3") != 0;
#else
  module.attr("is_x86_64_v3") = false;
#endif
}
