#include "record/base/write_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WriteFileTest : public testing::Test {
 protected:
  WriteFileTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WriteFileTest() override { fs::remove_all(folder_); }

  std::string In(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ptrdiff_t Files() const { return std::distance(fs::directory_iterator(folder_), {}); }

 private:
  fs::path folder_;
};

TEST_F(WriteFileTest, ReplacesAFileAndKeepsItsPermissions) {
  ASSERT_TRUE(WriteFile(In("a"), "long bytes").ok());
  fs::permissions(In("a"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(WriteFile(In("a"), std::string("b\0c", 3)).ok());
  EXPECT_EQ(Bytes(In("a")), std::string("b\0c", 3));
  EXPECT_EQ(fs::status(In("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Files(), 1);
}

TEST_F(WriteFileTest, ALinkStaysOne) {
  ASSERT_TRUE(WriteFile(In("a"), "1").ok());
  fs::create_symlink("a", In("link"));
  ASSERT_TRUE(WriteFile(In("link"), "2").ok());
  EXPECT_TRUE(fs::is_symlink(In("link")));
  EXPECT_EQ(Bytes(In("a")), "2");
}

TEST_F(WriteFileTest, APipeIsWrittenTo) {
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Bytes(In("pipe")); });
  EXPECT_TRUE(WriteFile(In("pipe"), "through").ok());
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(In("pipe")));
}

TEST_F(WriteFileTest, WhatDoesNotFitLeavesTheOldFile) {
  ASSERT_TRUE(WriteFile(In("a"), "old").ok());
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {16, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFile(In("a"), std::string(100, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(status.message(), HasSubstr("a: File too large"));
  EXPECT_EQ(Bytes(In("a")), "old");
  EXPECT_EQ(Files(), 1);
}

TEST_F(WriteFileTest, AFolderThatIsMissingIsAnError) {
  EXPECT_EQ(WriteFile(In("none/a"), "1").message(),
            absl::StrCat("cannot write ", In("none/a"), ": No such file or directory"));
}

}  // namespace
}  // namespace onnxcmp
