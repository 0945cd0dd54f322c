// Functions of unnamed namespaces that hide those of headers.
#include "tests/architecture/hidden_functions.h"

#include <iostream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/architecture/house_counts.h"
#include "tests/architecture/project_files.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<HiddenFunction> HiddenIn(const SourceFiles& files) {
  std::map<std::string, std::string> code;
  for (const auto& [path, text] : files) code[path] = CodeOf(text);
  return HiddenFunctions(code, files);
}

// The table of house_counts_test.cc has how many there may be; these are their names.
TEST(HiddenFunctions, OfTheHouse) {
  for (const HiddenFunction& one :
       HiddenIn(FilesOf({"cli", "compare", "evaluator", "feed", "generate", "ops", "prove",
                         "record", "reports", "samples", "show", "tools"})))
    std::cout << one.hider << " has " << one.name << ", and " << one.caller
              << " calls a header's\n";
}

const char kHeader[] = "namespace onnxcmp {\nstd::string Text(double number);\n}";
const char kHider[] =
    "namespace onnxcmp {\nnamespace {\nstd::string Text(int n) { return {}; }\n}\n}";
const char kCaller[] =
    "#include \"show/text.h\"\nnamespace onnxcmp {\nvoid F() { Print(Text(1.5)); }\n}";

TEST(HiddenFunctions, CallerBehindAHider) {
  EXPECT_THAT(HiddenIn({{"show/text.h", kHeader}, {"show/a.cc", kHider}, {"show/b.cc", kCaller}}),
              ElementsAre(HiddenFunction{"Text", "show/a.cc", "show/b.cc"}));
}

TEST(HiddenFunctions, OthersDoNotMeet) {
  // Another room, a caller of its own function, a name that says whose it is, a member.
  EXPECT_THAT(HiddenIn({{"show/text.h", kHeader}, {"cli/a.cc", kHider}, {"show/b.cc", kCaller}}),
              IsEmpty());
  EXPECT_THAT(HiddenIn({{"show/text.h", kHeader}, {"show/a.cc", kHider}}), IsEmpty());
  for (const std::string call : {"onnxcmp::Text(1.5)", "a.Text(1.5)", "a->Text(1.5)"}) {
    EXPECT_THAT(
        HiddenIn({{"show/text.h", kHeader},
                  {"show/a.cc", kHider},
                  {"show/b.cc", "#include \"show/text.h\"\nvoid F() { Print(" + call + "); }"}}),
        IsEmpty());
  }
  // A function of a class or of another namespace, and one without an unnamed namespace.
  EXPECT_THAT(
      HiddenIn({{"show/text.h", "namespace onnxcmp {\nclass A {\n  int Text(int n);\n};\n}"},
                {"show/a.cc", kHider},
                {"show/b.cc", kCaller}}),
      IsEmpty());
  EXPECT_THAT(HiddenIn({{"show/text.h", "namespace onnxcmp::fused {\nint Text(int n);\n}"},
                        {"show/a.cc", kHider},
                        {"show/b.cc", kCaller}}),
              IsEmpty());
  EXPECT_THAT(HiddenIn({{"show/text.h", kHeader},
                        {"show/a.cc", "namespace onnxcmp {\nstd::string Text(int n) {}\n}"},
                        {"show/b.cc", kCaller}}),
              IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
