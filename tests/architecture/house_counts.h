// Numbers of the house that are to fall and not to rise, counted in its sources.
#ifndef ONNXCMP_TESTS_ARCHITECTURE_HOUSE_COUNTS_H_
#define ONNXCMP_TESTS_ARCHITECTURE_HOUSE_COUNTS_H_

#include <re2/re2.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/architecture/folder_rules.h"

namespace onnxcmp {

// The code of a file with one space for each stretch of spaces, comments and line ends, and with
// empty literals, so that neither words nor a broken line are mistaken for code.
std::string CodeOf(absl::string_view text);

// All that the one group of an expression matches.
std::vector<std::string> Matches(const std::string& code, const re2::RE2& expression);

struct HouseCount {
  std::string name;
  std::map<std::string, size_t> by_folder;  // "compare/causes", "cli"

  size_t Sum() const;
};

// The counts over these files: those of compare/ together with those of the folders that came out
// of it, prove/, reports/ and tools/.
//
//   files that write agree or a verdict   agree or verdict is assigned, as a member or as a
//   variable
//                                         that exists, or a Verdict is a result or an initial
//                                         value; defaults of members do not count. In cli/, python/
//                                         and testing/, too
//   numeric constants                     named kX, of a named type, with a number in their value:
//                                         no arrays, no masks made of enumerators
//   numeric constants that share a name   of these such as another one is called, wherever it is
//   observers                             classes that derive from Observer, outside of evaluator/
//   calls of Revisit                      by anybody
//   types in headers                      classes, enumerations, unions, whether nested or not
//   functions hidden in a batch           of unnamed namespaces, as hidden_functions.h has it
//   rooms of compare                      folders with files, in compare/ alone
//   arrows between rooms of compare       pairs of them, by who includes whom
std::vector<HouseCount> CountHouse(const SourceFiles& files);

struct HouseRow {
  absl::string_view name;
  size_t count = 0;
};

// A line for each count that is not the table's, and for each that only one of both has.
std::vector<std::string> WrongRows(absl::Span<const HouseRow> table,
                                   absl::Span<const HouseCount> counts);

// "calls of Revisit: 3 (cli 1, compare/causes 2)".
std::string HouseLine(const HouseCount& count);

}  // namespace onnxcmp

#endif  // ONNXCMP_TESTS_ARCHITECTURE_HOUSE_COUNTS_H_
