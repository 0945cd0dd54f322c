// Finds the result of the other side that the name of a recorded result refers to.
#ifndef ONNXCMP_COMPARE_RECORDED_NAMES_H_
#define ONNXCMP_COMPARE_RECORDED_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// How a name refers to a result, the surest last.
enum class NameRule : uint8_t {
  kNone,
  kWithin,   // all parts of the name occur in order
  kModule,   // it is the path of a module, and the result is the module's output
  kCounted,  // the same name, one that exporters count ("add_12"): other exports have it, too
  kSame,     // the same name
  kOutput,   // the name of a model output
};

struct NamedResult {
  int result = kNone;
  NameRule rule = NameRule::kNone;
};

// The words of a name: its letters and digits, in lower case.
std::vector<std::string> WordsOf(absl::string_view name);

// True if a name is that of a step that only passes on what it reads: "model.dropout".
bool PassesOn(absl::string_view name);

// True if a name is a word with a counter that tools add: "add_12", "Unsqueeze_21_output_0",
// "onnx::MatMul_117", "17".
bool IsCounted(absl::string_view name);

class RecordedNames {
 public:
  // Both must outlive the object.
  RecordedNames(const ResultStream& recording, const ResultStream& other);

  // The result that a recorded one is named after, preferably one of about its size. Initializers
  // are found by their own names alone.
  NamedResult Find(int recorded) const;

 private:
  // The results of a module, by its path.
  struct Module {
    std::vector<int> results;        // results that leave it, in order
    std::vector<Hash128> constants;  // contents that its nodes read
  };

  void FindModules();
  void AddConstants(const StreamNode& node, std::vector<Hash128>* constants) const;
  // Finds the prefix that one side's paths have in most recorded names.
  void FindPrefix(const std::vector<std::vector<std::string>>& of_node);
  // The module path of a node, from its exporter's metadata or from its name; nothing if neither
  // has one.
  std::vector<std::string> ModuleOf(const StreamNode& node) const;
  // The key in modules_ of the module that a recorded name means, "" if there is none.
  std::string KeyOfModule(absl::string_view name) const;
  bool SameSize(int recorded, int other) const;
  // True if nodes read a result as the shape that they give, and as nothing else.
  bool IsTargetShape(int other) const;
  NamedResult FindSame(int recorded) const;
  NamedResult FindModule(int recorded) const;
  // The module that a name like "layer.attention.1" means, of which this is one of several results;
  // "" for names that mean no such thing.
  std::string KeyOfSeveral(absl::string_view name) const;
  NamedResult FindOneOfSeveral(int recorded, const std::string& key) const;
  NamedResult FindWithin(int recorded) const;

  const ResultStream& recording_;
  const ResultStream& other_;
  absl::flat_hash_set<std::string> recorded_;         // full names
  absl::flat_hash_map<std::string, int> outputs_;     // results that outputs show
  absl::flat_hash_map<std::string, int> names_;       // the last result of a full name
  absl::flat_hash_map<std::string, int> spelled_;     // by words, the last one; kNone - 1: several
  absl::flat_hash_map<std::string, Module> modules_;  // by words, joined
  std::string before_;  // prefix that the other side's paths have and the recorded ones lack
  size_t skipped_ = 0;  // number of leading parts of recorded paths that the other side's lack
  std::vector<std::vector<std::string>> words_;  // by result of the other side
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_NAMES_H_
