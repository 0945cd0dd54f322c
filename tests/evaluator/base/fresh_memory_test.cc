#include "evaluator/base/fresh_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace onnxcmp::testing {
namespace {

constexpr size_t kMega = size_t{1} << 20;
constexpr size_t kLargePage = 2 * kMega;

// Pages of MapPages() for as long as a test needs them.
class Pages {
 public:
  explicit Pages(size_t bytes) : data_(MapPages(bytes)), bytes_(bytes) {}
  ~Pages() { UnmapPages(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Where large pages begin and end in it.
  uintptr_t first_large() const { return (begin() + kLargePage - 1) / kLargePage * kLargePage; }
  uintptr_t last_large() const { return end() / kLargePage * kLargePage; }

  // Bytes for which large pages were asked for.
  size_t AskedFor() const {
    std::ifstream maps("/proc/self/smaps");
    size_t asked = 0;
    uintptr_t from = 0;
    uintptr_t to = 0;
    for (std::string line; std::getline(maps, line);) {
      std::istringstream words(line);
      words >> std::hex;
      uintptr_t low = 0;
      uintptr_t high = 0;
      char dash = 0;
      if (words >> low >> dash >> high && dash == '-') {
        from = std::clamp(low, begin(), end());
        to = std::clamp(high, begin(), end());
      } else if (line.starts_with("VmFlags:")) {
        for (const auto flag : absl::StrSplit(line, ' ')) asked += flag == "hg" ? to - from : 0;
      }
    }
    return asked;
  }

 private:
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(data_); }
  uintptr_t end() const { return begin() + bytes_; }

  std::byte* data_;
  size_t bytes_;
};

// False under an emulator, too, which does not tell for which pages they were asked for.
bool HasLargePages() {
  const Pages pages(3 * kLargePage);
  return madvise(pages.data(), pages.bytes(), MADV_HUGEPAGE) == 0 && pages.AskedFor() > 0;
}

TEST(FreshMemoryTest, GivesZeros) {
  const Pages pages(3 * kLargePage);
  ASSERT_NE(pages.data(), nullptr);
  LargePages().Prefer(pages.data(), pages.bytes());
  EXPECT_TRUE(std::all_of(pages.data(), pages.data() + pages.bytes(),
                          [](std::byte value) { return value == std::byte{0}; }));
}

TEST(FreshMemoryTest, GivesNoMemoryThatThereIsNot) {
  EXPECT_EQ(MapPages(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(TakeFromSystem(SIZE_MAX / 2), nullptr);
}

TEST(LargePagesTest, LeaveWhatIsWritten) {
  const Pages pages(3 * kLargePage);
  ASSERT_NE(pages.data(), nullptr);
  std::fill_n(pages.data(), pages.bytes(), std::byte{7});
  LargePages().Prefer(pages.data(), pages.bytes());
  EXPECT_TRUE(std::all_of(pages.data(), pages.data() + pages.bytes(),
                          [](std::byte value) { return value == std::byte{7}; }));
}

TEST(LargePagesTest, AreAskedForWhereOneLiesAsAWhole) {
  if (!HasLargePages()) GTEST_SKIP() << "the system has no large pages";
  const Pages pages(5 * kLargePage + kMega);
  ASSERT_NE(pages.data(), nullptr);
  LargePages large_pages(/*slow=*/absl::InfiniteDuration());
  large_pages.Prefer(pages.data(), pages.bytes());
  EXPECT_TRUE(large_pages.pay());
  EXPECT_EQ(pages.AskedFor(), pages.last_large() - pages.first_large());
}

TEST(LargePagesTest, AreNotAskedForOnceOneWasSlow) {
  if (!HasLargePages()) GTEST_SKIP() << "the system has no large pages";
  const Pages first(8 * kLargePage);
  const Pages second(8 * kLargePage);
  ASSERT_NE(first.data(), nullptr);
  ASSERT_NE(second.data(), nullptr);
  // No page takes less than no time.
  LargePages large_pages(/*slow=*/-absl::InfiniteDuration());
  large_pages.Prefer(first.data(), first.bytes());
  EXPECT_FALSE(large_pages.pay());
  EXPECT_EQ(first.AskedFor(), kLargePage);
  large_pages.Prefer(second.data(), second.bytes());
  EXPECT_EQ(second.AskedFor(), 0U);
}

TEST(LargePagesTest, AreNotAskedForWhereNoneFits) {
  const Pages pages(kMega);
  ASSERT_NE(pages.data(), nullptr);
  LargePages large_pages(/*slow=*/-absl::InfiniteDuration());
  large_pages.Prefer(pages.data(), pages.bytes());
  EXPECT_TRUE(large_pages.pay());
}

}  // namespace
}  // namespace onnxcmp::testing
