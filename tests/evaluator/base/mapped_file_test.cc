#include "evaluator/base/mapped_file.h"

#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

// Whatever is brought in and let go, by whomever, what is read is the file.
TEST(MappedPagesTest, ChangeNothing) {
  const testing::TestFolder folder;
  std::string bytes(5 * 4096 + 100, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  const auto file = MappedFile::Open(folder.Write("file", bytes));
  ASSERT_TRUE(file.ok()) << file.status();
  const auto size = static_cast<int64_t>(bytes.size());
  for (const int64_t offset :
       {int64_t{0}, int64_t{1}, int64_t{4095}, int64_t{4096}, size - 1, size}) {
    for (const int64_t count :
         {int64_t{0}, int64_t{1}, int64_t{4096}, int64_t{9000}, size - offset}) {
      if (offset + count > size) continue;
      std::optional<MappedPages> first;
      first.emplace(*file, offset, count);
      const MappedPages second(*file, offset, count);
      EXPECT_EQ((*file)->bytes(), bytes);
      first.reset();
      EXPECT_EQ((*file)->bytes(), bytes);
    }
  }
  const auto empty = MappedFile::Open(folder.Write("empty", ""));
  ASSERT_TRUE(empty.ok()) << empty.status();
  const MappedPages nothing(*empty, 0, 0);
}

}  // namespace
}  // namespace onnxcmp
