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

// The emulator's name; empty if there is none, or nothing to emulate. The terabytes that the
// address sanitizer reserves cost an emulator their page tables: more than a machine has.
std::string Emulator() {
#ifdef __SANITIZE_ADDRESS__
  return "";
#else
  if (cli::NeededInstructions() == 0) return "";
  const Outcome found = Shell("command -v qemu-x86_64 || command -v qemu-x86_64-static");
  return found.status == 0 ? found.out.substr(0, found.out.find('\n')) : "";
#endif
}

// On an emulated processor of 2008.
TEST(ProcessorTest, EndsWithALineAndNoSignal) {
  const std::string emulator = Emulator();
  if (emulator.empty()) GTEST_SKIP() << "nothing to emulate, no qemu-x86_64, or sanitizers";
  const Outcome outcome = Shell(emulator + " -cpu Nehalem \"$ONNXCMP\" --version");
#ifdef __AVX2__
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("onnxcmp: this processor lacks what this build needs: avx, "
                                     "avx2, fma, bmi, bmi2; build with "));
#else
  EXPECT_EQ(outcome.status, 0) << outcome.err;
#endif
}

TEST(ProcessorTest, TheProgramForOlderProcessorsRunsInstead) {
#ifdef __AVX2__
  const std::string emulator = Emulator();
  if (emulator.empty()) GTEST_SKIP() << "nothing to emulate, no qemu-x86_64, or sanitizers";
  const Outcome outcome = Shell(R"(folder=$(mktemp -d) && cp "$ONNXCMP" "$folder/program" &&
printf '#!/bin/sh\necho "older: $*, $ANSWER"\nexit 7\n' > "$folder/program-x86-64-v2" &&
chmod +x "$folder/program-x86-64-v2"
ANSWER=42 )" + emulator + R"( -cpu Nehalem "$folder/program" a.onnx 'b c.onnx'
status=$?
rm -r "$folder"
exit $status)");
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "older: a.onnx b c.onnx, 42\n");
  EXPECT_EQ(outcome.err, "");
#else
  GTEST_SKIP() << "this is a program for older processors";
#endif
}

}  // namespace
}  // namespace onnxcmp
