// Files that fail while they are mapped or written: a message and status 2, no signal.
#include "cli/process/failed_files.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "cli/process/interruption.h"
#include "evaluator/base/mapped_file.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp::cli {
namespace {

using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::Shell;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

class FailedFilesTest : public testing::ModelFolderTest {
 protected:
  // Reads what was cut off a mapped file.
  void ReadLostPage() const {
    const std::string path =
        testing::WriteFile(folder_ + "/weights.data", std::string(1 << 20, 'w'));
    const auto file = MappedFile::Open(path);
    std::filesystem::resize_file(path, 10);
    volatile char last = (*file)->bytes().back();
    _exit(last);
  }
};

TEST_F(FailedFilesTest, ALostPageEndsAProgramThatNobodyWatches) {
  EXPECT_EXIT(
      {
        TellOfFailedFiles();
        ReadLostPage();
      },
      ExitedWithCode(2), "^onnxcmp: a file cannot be read any more: it was cut short");
}

TEST_F(FailedFilesTest, ALostPageIsToldWithItsFileAndCleansUp) {
  const std::string folder = folder_ + "/unfinished";
  std::filesystem::create_directory(folder);
  for (const absl::Duration time : {absl::InfiniteDuration(), absl::Hours(1)}) {
    EXPECT_EXIT(
        {
          TellOfFailedFiles();
          Interruption interruption;
          interruption.Watch(0, time, 2);
          interruption.RemoveAtEnd(folder);
          ReadLostPage();
        },
        ExitedWithCode(2),
        "^onnxcmp: cannot read .*/weights.data any more: it was cut short, or its disk fails; it "
        "ends here");
    EXPECT_FALSE(std::filesystem::exists(folder));
  }
}

TEST_F(FailedFilesTest, ALimitOfTheSizeOfFilesIsAnError) {
  const std::string model = Model("m", "(float[2000] x) => (float[2000] y) { y = Abs(x) }");
  for (const char* written : {"--html", "--json", "--save-inputs"}) {
    const Outcome outcome = Shell("(ulimit -f 1; $ONNXCMP " + model + " " + model + " " + written +
                                  " " + folder_ + "/out 2>&1 >/dev/null; echo status $?) | cat");
    EXPECT_THAT(outcome.out, HasSubstr("out: File too large")) << written;
    EXPECT_THAT(outcome.out, HasSubstr("status 2\n")) << written;
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/out")) << written;
  }
}

}  // namespace
}  // namespace onnxcmp::cli
