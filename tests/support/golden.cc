#include "tests/support/golden.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/paths.h"

namespace onnxcmp::testing {

void ExpectGolden(absl::string_view path, const std::string& text) {
  ExpectFile(Golden(path), text);
}

void ExpectFile(const std::string& file, const std::string& text) {
  if (std::getenv("ONNXCMP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    EXPECT_TRUE(out) << "cannot write " << file;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_TRUE(in) << "cannot read " << file;
  EXPECT_EQ(text, expected.str()) << file;
}

}  // namespace onnxcmp::testing
