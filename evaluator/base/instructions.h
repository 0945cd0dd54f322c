// Vector instructions of the loops that take most of the time.
//
// These loops (gemm_kernels.cc, float_math.cc, fingerprint_loops.cc) are compiled twice: with the
// flags of everything else, in namespaces called base, and for processors with AVX-512, in
// namespaces called avx512. Both give the same bits: what is summed is summed in the same order,
// whatever the width of a vector.
//
// A file that is compiled for AVX-512 must not define a function that others define too, an inline
// one or an instance of a template of the standard library, say: the linker keeps one of them, and
// a processor without AVX-512 would stop at it. So all its own is in ONNXCMP_INSTRUCTIONS, and a
// test looks at its symbols.
#ifndef ONNXCMP_EVALUATOR_BASE_INSTRUCTIONS_H_
#define ONNXCMP_EVALUATOR_BASE_INSTRUCTIONS_H_

#include <cstdint>

// The build defines one of these for files that are compiled with such instructions.
#if defined(ONNXCMP_AVX512_VNNI)
#define ONNXCMP_AVX512
#define ONNXCMP_INSTRUCTIONS avx512_vnni
#elif defined(ONNXCMP_AVX512)
#define ONNXCMP_INSTRUCTIONS avx512
#else
#define ONNXCMP_INSTRUCTIONS base
#endif

namespace onnxcmp {

enum class Instructions : uint8_t {
  kBase,        // those of the whole program: AVX2 and FMA by default
  kAvx512,      // AVX-512 F, BW, DQ and VL
  kAvx512Vnni,  // these and VNNI, for products of 8-bit integers
};

// True if both the processor and the build have them.
bool HasInstructions(Instructions instructions);

// The widest that it has, found out once. ONNXCMP_AVX512=0 in the environment: the base.
Instructions BestInstructions();

namespace ONNXCMP_INSTRUCTIONS {

// Bytes of the registers that this file's vectors fill.
#if defined(ONNXCMP_AVX512)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_INSTRUCTIONS_H_
