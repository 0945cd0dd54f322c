// The message on a processor that lacks what the build needs.
#include "cli/process/processor.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::Shell;
using ::testing::HasSubstr;

constexpr cli::InstructionSets kAvx = 1U << 2;
constexpr cli::InstructionSets kAvx2 = 1U << 3;
constexpr cli::InstructionSets kFma = 1U << 4;

std::string Missing(cli::InstructionSets needed, cli::InstructionSets present, size_t size = 64) {
  char text[64];
  return cli::NamesOfMissing(needed, present, text, size) ? std::string(text) : "none";
}

TEST(ProcessorTest, NamesWhatIsMissing) {
  EXPECT_EQ(Missing(kAvx | kAvx2 | kFma, kAvx), "avx2, fma");
  EXPECT_EQ(Missing(kAvx | kFma, kAvx | kAvx2 | kFma), "none");
  EXPECT_EQ(Missing(0, 0), "none");
  EXPECT_EQ(Missing(~0U, 0, 12), "sse4.2, pop");
}

// These tests run, so this processor has what they are compiled for.
TEST(ProcessorTest, ThisOneHasWhatThisBuildNeeds) {
  EXPECT_EQ(Missing(cli::NeededInstructions(), cli::PresentInstructions()), "none");
#ifdef __AVX2__
  EXPECT_NE(cli::NeededInstructions() & kAvx2, 0U);
#endif
}

// On an emulated processor of 2008, where there is an emulator.
TEST(ProcessorTest, EndsWithALineAndNoSignal) {
  if (cli::NeededInstructions() == 0 || Shell("qemu-x86_64 --version").status != 0) {
    GTEST_SKIP() << "nothing to emulate, or no qemu-x86_64";
  }
  const Outcome outcome = Shell("qemu-x86_64 -cpu Nehalem \"$ONNXCMP\" --version");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
#ifdef __AVX2__
  EXPECT_THAT(outcome.err, HasSubstr("onnxcmp: this processor lacks what this build needs: avx, "
                                     "avx2, fma, bmi, bmi2; build with "));
#endif
}

}  // namespace
}  // namespace onnxcmp
