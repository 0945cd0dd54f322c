// Which folder may include which, as docs/architecture.md says, held against what files include.
#ifndef ONNXCMP_TESTS_ARCHITECTURE_FOLDER_RULES_H_
#define ONNXCMP_TESTS_ARCHITECTURE_FOLDER_RULES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

// By path from the project's root, "compare/text": what it may include, by path too. `rooms` are
// the top folders; they may include rooms, and folders of such. `folders` are those of rooms that
// have a table of their own; they may include folders of their room.
struct FolderRules {
  std::map<std::string, std::set<std::string>> rooms;
  std::map<std::string, std::set<std::string>> folders;
};

// Reads the tables of a Markdown document with the columns `folder` and `may include`, wherever
// they stand in them. A table after the heading "### `compare/`" is of that room, and its rows
// name folders in it; "`compare/` itself" is what lies in no folder of it. One after another
// heading is of the rooms. A row may be of several folders, which do not include each other. What
// may be included are names of rows above, so that there are no circles; a name without a row of
// its own, `common/`, stands for the rows in that folder, and "all above" for all of them.
// InvalidArgument, with the row, for what names nothing above it.
absl::StatusOr<FolderRules> ReadFolderRules(absl::string_view document);

// Files of the project with their text, by path.
using SourceFiles = std::map<std::string, std::string>;

// A line for each include that the rules do not allow, "record/text/utf8.h:12: ...", for each
// folder of these files that is in no table, and for each folder of a table of theirs without
// files. Within a room that has no table all may include all.
std::vector<std::string> ForbiddenIncludes(const FolderRules& rules, const SourceFiles& files);

// A line for each circle of folders that include each other, with an include for each step.
std::vector<std::string> FolderCircles(const SourceFiles& files);

// A line for each folder with more units than that; a source and its header are one.
std::vector<std::string> LargeFolders(const SourceFiles& files, size_t most);

// A line for each class or enumeration that two files define in the same namespace. No compiler
// sees them both, and a linker takes the functions of one for those of the other. Those in a
// namespace without a name count only in their file.
std::vector<std::string> TypesDefinedTwice(const SourceFiles& files);

// A line for each comment that begins with "What", "Whether" or "Which", where a noun says more.
std::vector<std::string> CommentsThatAsk(const SourceFiles& files);

}  // namespace onnxcmp

#endif  // ONNXCMP_TESTS_ARCHITECTURE_FOLDER_RULES_H_
